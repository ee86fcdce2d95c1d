/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignment of slices to trees (assignment.h). */
#include "planner/plan/assignment.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

void plani_slice_weights(int n, const double *rate, unsigned *weight)
{
    double largest = 0;
    for (int t = 0; t < n; t++)
        if (isfinite(rate[t]) && rate[t] > largest) largest = rate[t];
    for (int t = 0; t < n; t++) {
        if (largest == 0)
            weight[t] = 1;
        else if (isfinite(rate[t]) && rate[t] > 0)
            weight[t] = (unsigned)lround(rate[t] / largest * (1 << 30));
        else
            weight[t] = 0;
    }
}

/* The tree that is furthest behind. */
static int next_tree(int ntrees, const unsigned *weight, const int *assigned)
{
    int best = -1;
    for (int t = 0; t < ntrees; t++) {
        if (weight[t] == 0) continue;
        if (best < 0 || (2 * (uint64_t)assigned[t] + 1) * weight[best] < (2 * (uint64_t)assigned[best] + 1) * weight[t])
            best = t;
    }
    return best;
}

void plani_assign_slices(int ntrees, const unsigned *weight, int n, int *assigned, int *tree_of)
{
    for (int t = 0; t < ntrees; t++) assigned[t] = 0;
    for (int k = 0; k < n; k++) {
        tree_of[k] = next_tree(ntrees, weight, assigned);
        assigned[tree_of[k]]++;
    }
}

size_t plani_trees_used(const plan_candidate_t *c, size_t bytes, bool used[PLANI_MAX_TREES])
{
    unsigned weight[PLANI_MAX_TREES];
    int assigned[PLANI_MAX_TREES] = {0}, ntrees = (int)c->ntrees;
    size_t slice = c->slice == 0 || c->slice > PLANI_CHUNK ? PLANI_CHUNK : c->slice;
    size_t slices = bytes > slice ? (bytes - 1) / slice + 1 : 1, n = 0;

    plani_slice_weights(ntrees, c->rate, weight);
    for (size_t k = 0; k < slices && k < PLANI_PERIOD && n < c->ntrees; k++)
        n += assigned[next_tree(ntrees, weight, assigned)]++ == 0;
    for (int t = 0; t < ntrees; t++) used[t] = assigned[t] > 0;
    return n;
}

void plani_candidate_narrow(plan_candidate_t *c, size_t bytes)
{
    bool used[PLANI_MAX_TREES];
    size_t n = 0, windows = c->ntrees > 0 ? plani_link_windows(c) / c->ntrees : 0;

    if (c->ntrees < 2 || plani_trees_used(c, bytes, used) == c->ntrees) return;
    for (size_t t = 0; t < c->ntrees; t++) {
        if (!used[t]) {
            plan_tree_destroy(&c->tree[t]);
            continue;
        }
        c->tree[n] = c->tree[t];
        c->rate[n] = c->rate[t];
        if (windows > 0) memmove(c->link_window + n * windows, c->link_window + t * windows, windows * sizeof(int));
        n++;
    }
    c->ntrees = n;
}
