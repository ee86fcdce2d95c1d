/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank's part in a candidate: its place in each tree, and which slices use which tree. */
#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/binding.h"
#include <stdlib.h>

enum {
    MOST_REQUESTS = 1 << 16,
    MOST_AHEAD = 8 /* transfers of rounds in flight in each direction */
};

/* Assign the slices of a period to trees in proportion to their rates [ntrees]. */
static plan_status_t deal_to(plani_part_t *part, const double *rate)
{
    plan_status_t rc = PLAN_OK;
    unsigned *weight = calloc((size_t)part->ntrees, sizeof *weight);
    int *assigned = calloc((size_t)part->ntrees, sizeof *assigned);
    int *tree_of = part->tree_of = calloc((size_t)part->period, sizeof *part->tree_of);
    int *next = part->position = calloc((size_t)part->period, sizeof *part->position);

    if (weight == NULL || assigned == NULL || tree_of == NULL || part->position == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    plani_slice_weights(part->ntrees, rate, weight);
    plani_assign_slices(part->ntrees, weight, part->period, assigned, tree_of);
    for (int t = 0; t < part->ntrees; t++) {
        part->branch[t].weight = assigned[t];
        part->branch[t].position = next;
        for (int k = 0; k < part->period; k++)
            if (tree_of[k] == t) *next++ = k;
    }
done:
    free(weight);
    free(assigned);
    return rc;
}

/* The rank's place in a schedule. */
static plan_status_t take_place(plani_part_t *part, const plan_candidate_t *c, int rank)
{
    int place = 0;
    while (place + 1 < c->places && c->order[place] != rank) place++;
    part->slice = c->slice;
    part->window = c->window < 1 ? 1 : c->window > MOST_AHEAD ? MOST_AHEAD : c->window;
    part->order = c->order;
    return plani_schedule_init(c->schedule, c->places, place, &part->schedule);
}

static size_t tree_slice(const plan_candidate_t *c)
{
    return c->slice == 0 || c->slice > PLANI_CHUNK ? PLANI_CHUNK : c->slice;
}

plan_status_t plani_part_init(plani_part_t *part, const plan_candidate_t *c, int rank)
{
    static const double alone = 1;
    plan_status_t rc = PLAN_OK;

    *part = (plani_part_t){.run = c->run == PLAN_RUN_HOSTS ? PLAN_RUN_TREES : c->run};
    if (c->run == PLAN_RUN_NATIVE || c->run == PLAN_RUN_SHARED) return PLAN_OK;
    if (c->run == PLAN_RUN_ROUNDS) return take_place(part, c, rank);
    part->slice = tree_slice(c);
    part->ntrees = (int)c->ntrees;
    part->period = part->ntrees == 1 ? 1 : PLANI_PERIOD;
    if ((part->branch = calloc(c->ntrees, sizeof *part->branch)) == NULL) return PLAN_ENOMEM;
    for (int t = 0; t < part->ntrees; t++) {
        plani_branch_t *b = &part->branch[t];
        b->parent = plan_tree_data(c->tree[t])->parent[rank];
        b->child = plan_tree_children(c->tree[t], rank, &b->nchildren);
        if (c->link_window != NULL) b->window = c->link_window + (size_t)t * (size_t)plan_tree_data(c->tree[t])->ranks;
    }
    /* Windows of different ranks may differ: a rank with many children has a smaller one, to limit its requests. */
    part->window = c->window < 1 ? 1 : c->window;
    size_t links = plani_part_children(part) + c->ntrees;
    if (links * (size_t)part->window > MOST_REQUESTS)
        part->window = links < MOST_REQUESTS ? (int)(MOST_REQUESTS / links) : 1;
    if ((rc = deal_to(part, part->ntrees == 1 ? &alone : c->rate)) != PLAN_OK) plani_part_clear(part);
    return rc;
}

static bool is_among(int n, const int *ranks, int r)
{
    int low = 0, high = n;
    while (low < high) {
        int mid = low + (high - low) / 2;
        if (ranks[mid] < r)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && ranks[low] == r;
}

/* Whether one of the ranks is the root or has its parent elsewhere. */
static bool is_entered_once(const plan_tree_t *tree, int n, const int *ranks)
{
    const int *parent = plan_tree_data(tree)->parent;
    int times = 0;
    for (int i = 0; i < n; i++) times += parent[ranks[i]] < 0 || !is_among(n, ranks, parent[ranks[i]]);
    return times == 1;
}

plan_status_t plani_part_share(plani_part_t *part, const plan_candidate_t *c, int rank, int n, const int *ranks)
{
    for (size_t t = 0; t < c->ntrees; t++)
        if (!is_entered_once(c->tree[t], n, ranks)) return PLAN_EUNSUPPORTED;
    int *next = malloc((plani_part_children(part) + 1) * sizeof *next);
    if (next == NULL) return PLAN_ENOMEM;
    part->hosts = true;
    part->outside = next;
    if (part->slice > PLANI_SLOT) part->slice = PLANI_SLOT;
    for (int t = 0; t < part->ntrees; t++) {
        plani_branch_t *b = &part->branch[t];
        int children;
        const int *child = plan_tree_children(c->tree[t], rank, &children);
        b->inside = b->parent >= 0 && is_among(n, ranks, b->parent);
        b->child = next;
        for (int i = 0; i < children; i++)
            if (!is_among(n, ranks, child[i])) *next++ = child[i];
        b->nchildren = (int)(next - b->child);
    }
    return PLAN_OK;
}

void plani_part_unshare(plani_part_t *part, const plan_candidate_t *c, int rank)
{
    if (!part->hosts) return;
    for (int t = 0; t < part->ntrees; t++) {
        plani_branch_t *b = &part->branch[t];
        b->child = plan_tree_children(c->tree[t], rank, &b->nchildren);
        b->inside = false;
    }
    free(part->outside);
    part->outside = NULL;
    part->slice = tree_slice(c);
    part->hosts = false;
}

void plani_part_clear(plani_part_t *part)
{
    free(part->branch);
    free(part->outside);
    part->outside = NULL;
    free(part->position);
    free(part->tree_of);
    part->tree_of = NULL;
    part->branch = NULL;
    part->position = NULL;
}

size_t plani_part_children(const plani_part_t *part)
{
    size_t n = 0;
    for (int t = 0; t < part->ntrees; t++) n += (size_t)part->branch[t].nchildren;
    return n;
}

size_t plani_part_requests(const plani_part_t *part)
{
    size_t ways = part->run == PLAN_RUN_ROUNDS ? 2 : plani_part_children(part) + (size_t)part->ntrees;
    return ways * (size_t)part->window;
}

size_t plani_branch_window(const plani_part_t *part, int tree, int rank)
{
    const plani_branch_t *b = &part->branch[tree];
    return (size_t)(b->window != NULL && b->window[rank] < part->window ? b->window[rank] : part->window);
}

size_t plani_branch_slices(const plani_part_t *part, int tree, size_t slices)
{
    const plani_branch_t *b = &part->branch[tree];
    size_t rest = slices % (size_t)part->period;
    int low = 0, high = b->weight;
    while (low < high) { /* positions below `rest` */
        int mid = low + (high - low) / 2;
        if ((size_t)b->position[mid] < rest)
            low = mid + 1;
        else
            high = mid;
    }
    return slices / (size_t)part->period * (size_t)b->weight + (size_t)low;
}

size_t plani_branch_slice(const plani_part_t *part, int tree, size_t j)
{
    const plani_branch_t *b = &part->branch[tree];
    size_t w = (size_t)b->weight;
    return j / w * (size_t)part->period + (size_t)b->position[j % w];
}
