/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan by a model of one's own: a rank sends whole messages to its children, one after the other, and nothing is
 * shared.
 *
 *     cc model.c -o model $(pkg-config --cflags --libs planbcast-planner) && ./offline && ./model machine.json
 */
#include <math.h>
#include <planbcast.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 4 << 20 };

/* Parents come before their children: when does each have the message? */
static plan_status_t store_and_forward(void *context, const plan_platform_t *pf, size_t ntrees,
                                       plan_tree_t *const *tree, const double *share, size_t bytes, size_t slice,
                                       int window, double *seconds)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    (void)context, (void)share, (void)window;
    if (ntrees > 1 || (slice > 0 && slice < bytes)) {
        *seconds = INFINITY; /* not what this model is for */
        return PLAN_OK;
    }
    const plan_tree_data_t *t = plan_tree_data(tree[0]);
    double *has = calloc((size_t)t->ranks, sizeof *has); /* [s] */
    if (has == NULL) return PLAN_ENOMEM;
    *seconds = 0;
    for (int i = 0; i < t->ranks; i++) {
        int n, rank = t->breadth_first[i];
        const int *child = plan_tree_children(tree[0], rank, &n);
        double free_at = has[rank];
        for (int k = 0; k < n; k++) {
            const plan_link_t *link = &d->link[plan_platform_find_link(pf, rank, child[k])];
            free_at += plan_link_cost(link, (double)bytes);
            has[child[k]] = free_at + link->delay_s;
        }
        *seconds = fmax(*seconds, has[rank]);
    }
    free(has);
    return PLAN_OK;
}

int main(int argc, char **argv)
{
    plan_choice_t choice = {.size = sizeof choice, .scorer = store_and_forward};
    plan_error_t err = {.text = ""};
    plan_platform_t *pf = NULL;
    plan_ranking_t *ranking = NULL;
    plan_status_t rc;

    if (argc != 2) {
        fprintf(stderr, "usage: model PLATFORM\n");
        return 2;
    }
    if ((rc = plan_platform_load(argv[1], &pf, &err)) != PLAN_OK) goto done;
    if ((rc = plan_ranking_create(pf, 0, BYTES, &choice, &ranking, &err)) != PLAN_OK) goto done;
    for (size_t i = 0; i < ranking->ncandidates && ranking->candidate[i].run != PLAN_RUN_NOT; i++) /* best first */
        printf("%-18s %8.3f ms\n", ranking->candidate[i].name, 1e3 * ranking->candidate[i].predicted_s);
done:
    if (rc != PLAN_OK) fprintf(stderr, "%s\n", err.text);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
    return rc == PLAN_OK ? 0 : 1;
}
