/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates: copies, checks, names. */
#include "graphs/trees/trees.h"
#include "planner/plan/plan_private.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void plani_candidate_free_arrays(plan_candidate_t *c)
{
    free(c->tree);
    free(c->rate);
    free(c->link_window);
    free(c->order);
}

void plani_candidate_clear(plan_candidate_t *c)
{
    if (c == NULL) return;
    if (c->tree != NULL)
        for (size_t i = 0; i < c->ntrees; i++) plan_tree_destroy(&c->tree[i]);
    plani_candidate_free_arrays(c);
    *c = (plan_candidate_t){0};
}

plan_status_t plani_copy_ints(const int *from, size_t n, int **to)
{
    *to = NULL;
    if (from == NULL || n == 0) return PLAN_OK;
    if ((*to = malloc(n * sizeof **to)) == NULL) return PLAN_ENOMEM;
    memcpy(*to, from, n * sizeof **to);
    return PLAN_OK;
}

size_t plani_link_windows(const plan_candidate_t *c)
{
    return c->link_window != NULL && c->ntrees > 0 ? c->ntrees * (size_t)plan_tree_data(c->tree[0])->ranks : 0;
}

plan_status_t plani_candidate_copy(const plan_candidate_t *c, plan_candidate_t *out)
{
    plan_status_t rc = PLAN_OK;
    plan_candidate_t copy = *c;

    copy.tree = NULL;
    copy.rate = NULL;
    copy.link_window = NULL;
    copy.order = NULL;
    if (c->ntrees > 0) {
        copy.tree = calloc(c->ntrees, sizeof(plan_tree_t *));
        copy.rate = malloc(c->ntrees * sizeof *copy.rate);
        if (copy.tree == NULL || copy.rate == NULL) {
            rc = PLAN_ENOMEM;
            goto done;
        }
        memcpy(copy.rate, c->rate, c->ntrees * sizeof *copy.rate);
        for (size_t i = 0; i < c->ntrees; i++)
            if ((rc = plani_tree_copy(c->tree[i], &copy.tree[i])) != PLAN_OK) goto done;
    }
    if ((rc = plani_copy_ints(c->link_window, plani_link_windows(c), &copy.link_window)) != PLAN_OK) goto done;
    if ((rc = plani_copy_ints(c->order, (size_t)c->places, &copy.order)) != PLAN_OK) goto done;
    *out = copy, copy = (plan_candidate_t){0};
done:
    plani_candidate_clear(&copy);
    return rc;
}

int plani_is_name(const char *name, size_t room)
{
    size_t n = 0;
    for (; n < room && name[n] != '\0'; n++)
        if (name[n] <= ' ' || name[n] > '~' || name[n] == ',' || name[n] == '"' || name[n] == '\\') return 0;
    return n > 0 && n < room;
}

static plan_status_t check_trees(const plan_candidate_t *c, int ranks, int root, plan_error_t *err)
{
    if (c->ntrees < 1 || c->ntrees > PLANI_MAX_TREES || c->tree == NULL || c->rate == NULL)
        return plani_fail(err, PLAN_EINVAL, "%s: %zu trees; give 1 to %d, with their rates", c->name, c->ntrees,
                          PLANI_MAX_TREES);
    for (size_t i = 0; i < c->ntrees; i++) {
        if (c->tree[i] == NULL || plan_tree_data(c->tree[i])->ranks != ranks)
            return plani_fail(err, PLAN_EINVAL, "%s: tree %zu does not span the %d ranks", c->name, i, ranks);
        if (plan_tree_data(c->tree[i])->root != root)
            return plani_fail(err, PLAN_EINVAL, "%s: tree %zu has root %d, not %d", c->name, i,
                              plan_tree_data(c->tree[i])->root, root);
        if (!isfinite(c->rate[i]) || c->rate[i] <= 0)
            return plani_fail(err, PLAN_EINVAL, "%s: tree %zu has rate %g; give slices/s > 0", c->name, i, c->rate[i]);
    }
    for (size_t i = 0; i < plani_link_windows(c); i++)
        if (c->link_window[i] < 1 || c->link_window[i] > PLANI_MAX_WINDOW)
            return plani_fail(err, PLAN_EINVAL, "%s: window %d of a link; give 1 to %d", c->name, c->link_window[i],
                              PLANI_MAX_WINDOW);
    return PLAN_OK;
}

/* Every rank has one place, the root the first. */
static plan_status_t check_order(const plan_candidate_t *c, int ranks, int root, plan_error_t *err)
{
    char *seen = NULL;
    plan_status_t rc = PLAN_OK;

    if ((unsigned)c->schedule >= PLAN_SCHEDULES)
        return plani_fail(err, PLAN_EINVAL, "%s: there is no schedule %d", c->name, (int)c->schedule);
    if (c->places != ranks || c->order == NULL)
        return plani_fail(err, PLAN_EINVAL, "%s: an order of %d places; give the %d ranks", c->name, c->places, ranks);
    if (c->order[0] != root)
        return plani_fail(err, PLAN_EINVAL, "%s: the order begins with rank %d, not with the root %d", c->name,
                          c->order[0], root);
    if ((seen = calloc((size_t)ranks, 1)) == NULL)
        return plani_fail(err, PLAN_ENOMEM, "out of memory for %d ranks", ranks);
    for (int i = 0; i < ranks && rc == PLAN_OK; i++) {
        int r = c->order[i];
        if (r < 0 || r >= ranks || seen[r])
            rc = plani_fail(err, PLAN_EINVAL, "%s: the order names rank %d, which is %s", c->name, r,
                            r < 0 || r >= ranks ? "none" : "there already");
        else
            seen[r] = 1;
    }
    free(seen);
    return rc;
}

const char *plani_run_name(plan_run_t run)
{
    switch (run) {
    case PLAN_RUN_TREES:
        return "trees";
    case PLAN_RUN_HOSTS:
        return "hosts";
    case PLAN_RUN_ROUNDS:
        return "rounds";
    case PLAN_RUN_SHARED:
        return "shared";
    case PLAN_RUN_NATIVE:
        return "native";
    case PLAN_RUN_NOT:
        break;
    }
    return NULL;
}

const char *plani_bottleneck_name(int at)
{
    static const char *const name[] = {[PLAN_AT_SEND_PORT] = "send port",
                                       [PLAN_AT_RECV_PORT] = "receive port",
                                       [PLAN_AT_RESOURCE] = "resource",
                                       [PLAN_AT_LINK] = "link",
                                       [PLAN_AT_PORT] = "port"};
    return at >= 0 && at <= PLAN_AT_PORT ? name[at] : NULL;
}

plan_status_t plani_candidate_check(const plan_candidate_t *c, int ranks, int root, plan_error_t *err)
{
    plan_status_t rc = plani_check_size("plan_candidate_t", c->size, sizeof *c, err);
    if (rc != PLAN_OK) return rc;
    if (!plani_is_name(c->name, sizeof c->name))
        return plani_fail(err, PLAN_EINVAL, "a candidate's name is 1 to %zu printable characters without blanks",
                          sizeof c->name - 1);
    if (c->window < 1 || c->window > PLANI_MAX_WINDOW)
        return plani_fail(err, PLAN_EINVAL, "%s: window %d; give 1 to %d", c->name, c->window, PLANI_MAX_WINDOW);
    if (c->slice > PLANI_MAX_SLICE)
        return plani_fail(err, PLAN_EINVAL, "%s: slice of %zu B; give at most %zu", c->name, c->slice, PLANI_MAX_SLICE);
    const char *run = plani_run_name(c->run);
    if (run == NULL) return plani_fail(err, PLAN_EINVAL, "%s: not executable", c->name);
    if (c->run != PLAN_RUN_ROUNDS && (c->places != 0 || c->order != NULL))
        return plani_fail(err, PLAN_EINVAL, "%s: %s takes no order of ranks", c->name, run);
    if (plani_has_trees(c)) return check_trees(c, ranks, root, err);
    if (c->ntrees != 0) return plani_fail(err, PLAN_EINVAL, "%s: %s takes no trees", c->name, run);
    if (c->link_window != NULL) return plani_fail(err, PLAN_EINVAL, "%s: %s takes no windows of links", c->name, run);
    return c->run == PLAN_RUN_ROUNDS ? check_order(c, ranks, root, err) : PLAN_OK;
}
