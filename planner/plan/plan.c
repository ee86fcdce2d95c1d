/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans in memory: made from ranges, hashed, looked up by message size. */
#include "planner/plan/plan_private.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_double(uint64_t h, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits); /* IEEE 754: the same value has the same bits on every machine */
    return plani_hash_u64(h, bits);
}

static uint64_t hash_plan(const plan_t *p, const size_t *const *tree_index)
{
    uint64_t h = plani_hash_bytes(PLANI_HASH_START, "planbcast-plan 1", 16);
    h = plani_hash_u64(h, (uint64_t)p->ranks);
    h = plani_hash_u64(h, (uint64_t)p->root);
    h = plani_hash_u64(h, p->nranges);
    for (size_t i = 0; i < p->nranges; i++) {
        const plan_candidate_t *c = &p->candidate[i];
        h = plani_hash_u64(h, p->range[i].up_to);
        h = plani_hash_u64(h, (uint64_t)c->run);
        h = plani_hash_u64(h, c->slice);
        h = plani_hash_u64(h, (uint64_t)c->window);
        h = plani_hash_u64(h, c->ntrees);
        for (size_t t = 0; t < c->ntrees; t++) {
            h = plani_hash_u64(h, p->pool.hash[tree_index[i][t]]);
            h = hash_double(h, c->rate[t]);
        }
        for (size_t k = 0; k < plani_link_windows(c); k++) h = plani_hash_u64(h, (uint64_t)c->link_window[k]);
        if (c->run != PLAN_RUN_ROUNDS) continue;
        h = plani_hash_u64(h, (uint64_t)c->schedule);
        for (int v = 0; v < c->places; v++) h = plani_hash_u64(h, (uint64_t)c->order[v]);
    }
    return h;
}

static plan_status_t check(int ranks, int root, size_t nranges, const plan_range_t *range, plan_error_t *err)
{
    if (ranks < 1 || ranks > PLANI_MAX_RANKS)
        return plani_fail(err, PLAN_EINVAL, "%d ranks; give 1 to %d", ranks, PLANI_MAX_RANKS);
    if (root < 0 || root >= ranks)
        return plani_fail(err, PLAN_EINVAL, "root is %d; ranks are 0 to %d", root, ranks - 1);
    if (nranges < 1 || range == NULL) return plani_fail(err, PLAN_EINVAL, "a plan has at least one range");
    for (size_t i = 0; i < nranges; i++) {
        if (range[i].chosen == NULL) return plani_fail(err, PLAN_EINVAL, "range %zu has no candidate", i);
        if (i > 0 && range[i].up_to <= range[i - 1].up_to)
            return plani_fail(err, PLAN_EINVAL, "range %zu ends at %zu B, not after range %zu; sort by up_to", i,
                              range[i].up_to, i - 1);
        plan_status_t rc = plani_candidate_check(range[i].chosen, ranks, root, err);
        if (rc != PLAN_OK) return rc;
    }
    if (range[nranges - 1].up_to > INT64_MAX && range[nranges - 1].up_to != SIZE_MAX)
        return plani_fail(err, PLAN_EINVAL, "range %zu ends at %zu B; give at most %lld", nranges - 1,
                          range[nranges - 1].up_to, (long long)INT64_MAX);
    return PLAN_OK;
}

/* Copy a candidate, with its trees in the pool; index [ntrees]: their indices there. */
static plan_status_t copy_into(plani_pool_t *pool, const plan_candidate_t *from, plan_candidate_t *to, size_t **index)
{
    plan_status_t rc;
    size_t n = from->ntrees;
    *to = *from;
    to->tree = NULL;
    to->rate = NULL;
    to->link_window = NULL;
    if ((rc = plani_copy_ints(from->order, (size_t)from->places, &to->order)) != PLAN_OK) return rc;
    if (n == 0) return PLAN_OK;
    to->tree = calloc(n, sizeof(plan_tree_t *));
    to->rate = malloc(n * sizeof *to->rate);
    *index = malloc(n * sizeof **index);
    if (to->tree == NULL || to->rate == NULL || *index == NULL) return PLAN_ENOMEM;
    if ((rc = plani_copy_ints(from->link_window, plani_link_windows(from), &to->link_window)) != PLAN_OK) return rc;
    memcpy(to->rate, from->rate, n * sizeof *to->rate);
    for (size_t t = 0; t < n; t++) {
        if ((rc = plani_pool_add(pool, from->tree[t], &(*index)[t])) != PLAN_OK) return rc;
        to->tree[t] = pool->tree[(*index)[t]]; /* the trees stay where they are when the pool grows */
    }
    return PLAN_OK;
}

static plan_status_t allocate(int ranks, size_t nranges, const int *hosts, plan_t **out)
{
    plan_t *p = calloc(1, sizeof *p);
    *out = p;
    if (p == NULL) return PLAN_ENOMEM;
    p->uses = 1;
    p->range = calloc(nranges, sizeof *p->range);
    p->candidate = calloc(nranges, sizeof *p->candidate);
    p->note = calloc(nranges, sizeof *p->note);
    if (p->range == NULL || p->candidate == NULL || p->note == NULL) return PLAN_ENOMEM;
    p->nranges = nranges;
    if (hosts == NULL) return PLAN_OK;
    if ((p->hosts = malloc((size_t)ranks * sizeof *hosts)) == NULL) return PLAN_ENOMEM;
    memcpy(p->hosts, hosts, (size_t)ranks * sizeof *hosts);
    return PLAN_OK;
}

plan_status_t plani_plan_create(int ranks, int root, size_t nranges, const plan_range_t *range,
                                const plani_note_t *note, const int *hosts, plan_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plan_t *plan = NULL;
    size_t **index = NULL; /* [nranges][ntrees] indices of trees in the pool */

    if ((rc = check(ranks, root, nranges, range, err)) != PLAN_OK) return rc;
    if ((rc = allocate(ranks, nranges, hosts, &plan)) != PLAN_OK) goto done;
    if ((index = calloc(nranges, sizeof *index)) == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    plan->ranks = ranks;
    plan->root = root;
    for (size_t i = 0; i < nranges; i++) {
        plan->range[i] = (plan_range_t){.up_to = range[i].up_to, .chosen = &plan->candidate[i]};
        plan->note[i] = note ? note[i] : (plani_note_t){.runner_up_s = NAN};
        if ((rc = copy_into(&plan->pool, range[i].chosen, &plan->candidate[i], &index[i])) != PLAN_OK) goto done;
    }
    plan->hash = hash_plan(plan, (const size_t *const *)index);
    plan->data = (plan_data_t){.ranks = ranks,
                               .root = root,
                               .host = plan->hosts,
                               .nranges = nranges,
                               .range = plan->range,
                               .hash = plan->hash};
    *out = plan, plan = NULL;
done:
    if (index != NULL)
        for (size_t i = 0; i < nranges; i++) free(index[i]);
    free(index);
    plan_destroy(&plan);
    return rc == PLAN_ENOMEM ? plani_fail(err, rc, "out of memory for a plan of %d ranks", ranks) : rc;
}

void plani_plan_let_reduce(plan_t *plan)
{
    plan->reduces = plan->data.reduces = true;
    plan->hash = plan->data.hash = plani_hash_bytes(plan->hash, "reduce", 6);
}

plan_status_t plan_from_ranges(int ranks, int root, size_t nranges, const plan_range_t *range, const int *hosts,
                               plan_t **out)
{
    return plani_plan_create(ranks, root, nranges, range, NULL, hosts, out, NULL);
}

plan_t *plani_plan_share(plan_t *plan)
{
    plan_t *content = plan->content != NULL ? plan->content : plan, *p = calloc(1, sizeof *p);

    if (p == NULL) return NULL;
    p->data = content->data;
    p->ranks = content->ranks;
    p->root = content->root;
    p->reduces = content->reduces;
    p->hosts = content->hosts;
    p->nranges = content->nranges;
    p->range = content->range;
    p->candidate = content->candidate;
    p->note = content->note;
    p->pool = content->pool;
    p->hash = content->hash;
    p->content = content;
    atomic_fetch_add(&content->uses, 1);
    return p;
}

/* Give up a use of the content; the last use frees it. */
static void drop(plan_t *p)
{
    if (atomic_fetch_sub(&p->uses, 1) > 1) return;
    for (size_t i = 0; p->candidate != NULL && i < p->nranges; i++) plani_candidate_free_arrays(&p->candidate[i]);
    plani_pool_clear(&p->pool);
    free(p->candidate);
    free(p->range);
    free(p->note);
    free(p->hosts);
    free(p);
}

void plan_destroy(plan_t **plan)
{
    if (plan == NULL || *plan == NULL) return;
    plan_t *p = *plan;
    if (p->unbind != NULL && !p->unbind(p->binding)) return;
    *plan = NULL;
    if (p->content == NULL) {
        drop(p);
        return;
    }
    drop(p->content);
    free(p);
}

const plan_data_t *plan_data(const plan_t *plan)
{
    return &plan->data;
}

/* The first range with up_to >= bytes; else the last. */
size_t plani_plan_index(const plan_t *plan, size_t bytes)
{
    size_t lo = 0, hi = plan->nranges - 1;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (plan->range[mid].up_to >= bytes)
            hi = mid;
        else
            lo = mid + 1;
    }
    return lo;
}

const plan_candidate_t *plan_chosen(const plan_t *plan, size_t bytes)
{
    return plan->range[plani_plan_index(plan, bytes)].chosen;
}
