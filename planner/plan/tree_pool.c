/* SPDX-License-Identifier: BSD-3-Clause */
/* A pool of different trees, found by their hash. */
#include "graphs/trees/trees.h"
#include "planner/plan/plan_private.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

uint64_t plani_tree_hash(const plan_tree_t *tree)
{
    int ranks = plan_tree_data(tree)->ranks;
    uint64_t h = plani_hash_u64(PLANI_HASH_START, (uint64_t)ranks);
    h = plani_hash_u64(h, (uint64_t)plan_tree_data(tree)->root);
    for (int u = 0; u < ranks; u++) {
        int n = 0;
        const int *child = plan_tree_children(tree, u, &n);
        h = plani_hash_u64(h, (uint64_t)n);
        for (int i = 0; i < n; i++) h = plani_hash_u64(h, (uint64_t)child[i]);
    }
    return h;
}

int plani_tree_equal(const plan_tree_t *a, const plan_tree_t *b)
{
    if (a == b) return 1;
    int ranks = plan_tree_data(a)->ranks;
    if (ranks != plan_tree_data(b)->ranks) return 0;
    for (int u = 0; u < ranks; u++) {
        int na = 0, nb = 0;
        const int *ca = plan_tree_children(a, u, &na), *cb = plan_tree_children(b, u, &nb);
        if (na != nb || (na > 0 && memcmp(ca, cb, (size_t)na * sizeof *ca) != 0)) return 0;
    }
    return 1;
}

static plan_status_t grow(plani_pool_t *pool)
{
    plan_tree_t **tree = plani_grown(pool->tree, pool->n, &pool->tree_room, sizeof(plan_tree_t *));
    if (tree == NULL) return PLAN_ENOMEM;
    pool->tree = tree;
    uint64_t *hash = plani_grown(pool->hash, pool->n, &pool->hash_room, sizeof *hash);
    if (hash == NULL) return PLAN_ENOMEM;
    pool->hash = hash;
    return PLAN_OK;
}

plan_status_t plani_pool_add(plani_pool_t *pool, const plan_tree_t *tree, size_t *index)
{
    plan_status_t rc;
    uint64_t hash = plani_tree_hash(tree);
    for (size_t i = 0; i < pool->n; i++)
        if (pool->hash[i] == hash && plani_tree_equal(pool->tree[i], tree)) {
            *index = i;
            return PLAN_OK;
        }
    if ((rc = grow(pool)) != PLAN_OK) return rc;
    if ((rc = plani_tree_copy(tree, &pool->tree[pool->n])) != PLAN_OK) return rc;
    pool->hash[pool->n] = hash;
    *index = pool->n++;
    return PLAN_OK;
}

void plani_pool_clear(plani_pool_t *pool)
{
    for (size_t i = 0; i < pool->n; i++) plan_tree_destroy(&pool->tree[i]);
    free(pool->tree);
    free(pool->hash);
    *pool = (plani_pool_t){0};
}
