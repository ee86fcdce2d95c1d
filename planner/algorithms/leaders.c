#include "planner/algorithms/leaders.h"
#include "graphs/platform/part.h"
#include "planner/cost/parameters.h"
#include <math.h>
#include <stdlib.h>

enum { INSIDE = 4 }; /* ranks that a rank feeds inside its host */

static void find_leaders(const plan_platform_data_t *d, int root, int *leader)
{
    for (int r = d->ranks - 1; r >= 0; r--) leader[d->host[r]] = r;
    leader[d->host[root]] = root;
}

/*
 * Where all ranks share processors, spreading a slice inside its host occupies them as well. The time was measured in
 * all hosts at once, so one host takes its part of it. To use it for messages of any size, a line: the least time of
 * small messages, and the time per byte up to the largest slice.
 */
static void add_spreading(const plan_platform_data_t *d, plan_resource_t *r)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < d->nshared && d->shared_bytes[i] <= PLANI_MOST_INSIDE; i++) {
        least = fmin(least, d->shared_s[i]);
        if (d->shared_bytes[i] > 0) most = fmax(0, d->shared_s[i] - least) / d->shared_bytes[i];
    }
    if (r->s_per_message <= 0 || r->nlinks < d->nlinks || !isfinite(least)) return;
    r->s_per_message += least / d->hosts;
    r->s_per_byte += most / d->hosts;
}

plan_status_t plani_leaders_create(const plan_platform_t *pf, int root, int *leader, plan_platform_t **out,
                                   plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t hosts = (size_t)d->hosts;
    plan_resource_t *resource = malloc((d->nresources + 1) * sizeof *resource);
    int *host = malloc(hosts * sizeof *host), *site = malloc(hosts * sizeof *site);
    int *rank = malloc((size_t)d->ranks * sizeof *rank);
    plan_status_t rc = PLAN_ENOMEM;

    if (resource == NULL || host == NULL || site == NULL || rank == NULL) goto done;
    find_leaders(d, root, leader);
    for (size_t h = 0; h < hosts; h++) host[h] = (int)h, site[h] = d->site[leader[h]];
    for (int r = 0; r < d->ranks; r++) rank[r] = leader[d->host[r]] == r ? d->host[r] : -1;
    for (size_t i = 0; i < d->nresources; i++) {
        resource[i] = d->resource[i];
        add_spreading(d, &resource[i]);
    }
    plan_platform_data_t part = *d;
    part.ranks = (int)hosts;
    part.resource = resource;
    part.host = host, part.site = site;
    part.nshared = 0;
    part.send_s = part.send_s_per_byte = part.receive_s = part.receive_s_per_byte = NULL;
    rc = plani_part_create(d, rank, NULL, part, out, err);
done:
    free(resource);
    free(host);
    free(site);
    free(rank);
    return rc;
}

void plani_spread_inside(const int *member, int n, int *parent)
{
    for (int i = 1; i < n; i++) parent[member[i]] = member[(i - 1) / INSIDE];
}

plan_status_t plani_leaders_expand(const plan_platform_data_t *d, const int *leader, const plan_tree_t *tree,
                                   plan_tree_t **out)
{
    const plan_tree_data_t *t = plan_tree_data(tree);
    size_t ranks = (size_t)d->ranks;
    int *parent = malloc(ranks * sizeof *parent), *order = calloc(ranks, sizeof *order);
    int *member = calloc(ranks, sizeof *member), *end = calloc((size_t)d->hosts + 1, sizeof *end);
    plan_status_t rc = PLAN_ENOMEM;

    if (parent == NULL || order == NULL || member == NULL || end == NULL) goto done;
    for (int h = 0; h < d->hosts; h++) {
        int above = t->parent[h], place = 0;
        parent[leader[h]] = above < 0 ? -1 : leader[above];
        if (above < 0) continue;
        int children;
        const int *child = plan_tree_children(tree, above, &children);
        while (child[place] != h) place++;
        order[leader[h]] = place - children; /* before the ranks of the host */
    }
    for (int r = 0; r < d->ranks; r++) end[d->host[r] + 1]++;
    for (int h = 0; h < d->hosts; h++) end[h + 1] += end[h]; /* where host h begins; with its members it moves on */
    for (int h = 0; h < d->hosts; h++) member[end[h]++] = leader[h];
    for (int r = 0; r < d->ranks; r++)
        if (leader[d->host[r]] != r) member[end[d->host[r]]++] = r;
    for (int h = 0, begin = 0; h < d->hosts; begin = end[h++])
        plani_spread_inside(member + begin, end[h] - begin, parent);
    rc = plan_tree_create(d->ranks, parent, order, out);
done:
    free(parent);
    free(order);
    free(member);
    free(end);
    return rc;
}
