/* Platforms of communicators: the first ranks of a platform, or of a described cluster. */
#include "planner/exports/exports.h"
#include "graphs/generate/sites.h"
#include "graphs/platform/part.h"
#include "lib/base/base.h"
#include <stdlib.h>

plan_status_t plani_source_parse(const char *text, size_t len, const char *file, plani_source_t *out, plan_error_t *err)
{
    plan_status_t rc;
    *out = (plani_source_t){.file = file};
    if (plani_cluster_is_one(text)) {
        rc = plani_cluster_parse(text, len, file, &out->cluster, err);
        if (rc == PLAN_OK) out->ranks = out->cluster->ranks;
    } else {
        rc = plan_platform_parse(text, len, file, &out->pf, err);
        if (rc == PLAN_OK) out->ranks = plan_platform_data(out->pf)->ranks;
    }
    return rc;
}

void plani_source_clear(plani_source_t *source)
{
    plani_cluster_destroy(&source->cluster);
    plan_platform_destroy(&source->pf);
    *source = (plani_source_t){.ranks = 0};
}

/* Numbers without gaps, in the order of ranks. to[]: room for `ranks` of them. */
static void renumber(int ranks, const int *from, int *to)
{
    int n = 0;
    for (int r = 0; r < ranks; r++) {
        int first = 0;
        while (from[first] != from[r]) first++;
        to[r] = first < r ? to[first] : n++;
    }
}

/* Broadcasts through shared memory were timed with all ranks: of fewer they are not known. */
static plan_status_t first_ranks(const plan_platform_data_t *d, int ranks, plan_platform_t **out, plan_error_t *err)
{
    int *place = malloc(2 * (size_t)ranks * sizeof *place), *rank = malloc((size_t)d->ranks * sizeof *rank);
    plan_status_t rc = PLAN_ENOMEM;

    if (place == NULL || rank == NULL) {
        plani_fail(err, rc, "out of memory for the platform of %d ranks", ranks);
        goto done;
    }
    for (int r = 0; r < d->ranks; r++) rank[r] = r < ranks ? r : -1;
    plan_platform_data_t part = *d;
    part.ranks = ranks;
    part.nshared = 0;
    renumber(ranks, d->host, place), part.host = place;
    renumber(ranks, d->site, place + ranks), part.site = place + ranks;
    part.host_name = part.site_name = NULL;
    part.hosts = part.sites = 0;
    rc = plani_part_create(d, rank, NULL, part, out, err);
done:
    free(place);
    free(rank);
    return rc;
}

plan_status_t plani_source_platform(plani_source_t *source, int ranks, int root, plani_described_t *out,
                                    plan_error_t *err)
{
    plani_cluster_t *c = source->cluster;
    plan_status_t rc = PLAN_OK;
    *out = (plani_described_t){.hosts = NULL};
    if (ranks < 1 || ranks > source->ranks || root < 0 || root >= ranks)
        return plani_fail(err, PLAN_EINVAL, "%s: a communicator of %d ranks with root %d; it has %d ranks",
                          source->file, ranks, root, source->ranks);
    if (c != NULL && ranks == c->ranks && !source->reduces) return plani_described_create(c, root, out, err);
    if (c != NULL && ranks < c->ranks && c->ranks > PLANI_PAIRED_RANKS)
        return plani_fail(err, PLAN_EUNSUPPORTED, "%s: communicators of some of more than %d ranks; give all %d",
                          source->file, (int)PLANI_PAIRED_RANKS, c->ranks);
    if (c != NULL && source->pf == NULL) rc = plani_cluster_platform(c, &source->pf, err);
    if (rc != PLAN_OK) return rc;
    const plan_platform_data_t *d = plan_platform_data(source->pf);
    return ranks == d->ranks ? plan_platform_create(d, &out->pf, err) : first_ranks(d, ranks, &out->pf, err);
}
