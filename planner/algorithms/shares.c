/* How a few trees share the slices best on a platform. */
#include "lp/shares.h"
#include <stdlib.h>
#include "planner/cost/cost.h"
#include "planner/taulop/score.h"
#include "planner/algorithms/context.h"

/* Rows: send ports, receive ports, resources and, where some are occupied alone, links. As plan_throughput counts. */
static void hold(const plan_platform_t *pf, const plan_tree_t *tree, double slice, double *row)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    const int *parent = plan_tree_data(tree)->parent;
    double *resource = row + 2 * (size_t)d->ranks, *link = resource + d->nresources;

    for (int v = 0; v < d->ranks; v++) {
        if (parent[v] < 0) continue;
        size_t l = plan_platform_find_link(pf, parent[v], v);
        row[parent[v]] += plani_send_time(d, l, slice);
        row[plani_receive_port(d, v)] += plani_receive_time(d, l, slice);
        if (plani_own_cost(d, l, slice) > 0) link[l] = plani_own_cost(d, l, slice);
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
            resource[d->use[k]] += plan_resource_cost(&d->resource[d->use[k]], slice);
    }
}

/* Rows of links: none if no link is occupied by itself. */
static size_t link_rows(const plan_platform_data_t *d, double slice)
{
    for (size_t l = 0; l < d->nlinks; l++)
        if (plani_own_cost(d, l, slice) > 0) return d->nlinks;
    return 0;
}

plan_status_t plani_share(const plan_platform_t *pf, double slice, size_t *ntrees, plan_tree_t **tree, double *share)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t rows = 2 * (size_t)d->ranks + d->nresources + link_rows(d, slice), kept = 0;
    double *load = calloc(*ntrees * rows, sizeof *load), total = 0;
    plan_status_t rc = PLAN_ENOMEM;

    if (load == NULL) return rc;
    for (size_t t = 0; t < *ntrees; t++) hold(pf, tree[t], slice, load + t * rows);
    rc = plani_share_rows(*ntrees, rows, load, share);
    free(load);
    if (rc == PLAN_ESOLVER) rc = PLAN_OK; /* the shares given are not bad */
    if (rc != PLAN_OK) return rc;
    for (size_t t = 0; t < *ntrees; t++) total += share[t];
    for (size_t t = 0; t < *ntrees; t++) {
        if (share[t] <= 1e-6 * total) {
            plan_tree_destroy(&tree[t]);
            continue;
        }
        tree[kept] = tree[t];
        share[kept++] = share[t];
    }
    for (size_t t = kept; t < *ntrees; t++) tree[t] = NULL;
    *ntrees = kept;
    total = 0;
    for (size_t t = 0; t < kept; t++) total += share[t];
    for (size_t t = 0; t < kept; t++) share[t] /= total;
    return PLAN_OK;
}
