/* Which host holds which rank. */
#include "graphs/machine/cluster.h"
#include "lib/base/rng.h"
#include <stdlib.h>
#include <string.h>

static void place_block(plani_cluster_t *c)
{
    int r = 0;
    for (int h = 0; h < c->nhosts; h++)
        for (int k = 0; k < c->host[h].ranks; k++) c->host_of[r++] = h;
}

/* Fisher and Yates, from the end. */
static void shuffle(plani_cluster_t *c, uint64_t seed)
{
    plani_rng_t rng;

    plani_rng_seed(&rng, seed);
    for (int i = c->ranks - 1; i > 0; i--) {
        int j = (int)plani_rng_below(&rng, (uint64_t)i + 1), swap = c->host_of[i];
        c->host_of[i] = c->host_of[j];
        c->host_of[j] = swap;
    }
}

/* The first host of each site, then the second of each, ...: into order[nhosts]. nth[h] is h's number in its site. */
static void interleave(const plani_cluster_t *c, const int *nth, int *order)
{
    int n = 0;
    for (int turn = 0; n < c->nhosts; turn++)
        for (int h = 0; h < c->nhosts; h++) /* ascending hosts are ascending sites */
            if (nth[h] == turn) order[n++] = h;
}

static plan_status_t place_cyclic(plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    int *nth = calloc((size_t)c->nhosts, sizeof *nth), *order = calloc((size_t)c->nhosts, sizeof *order);
    int r = 0;

    if (nth == NULL || order == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (int h = 1; h < c->nhosts; h++)
        nth[h] = c->group[c->host[h].group].site == c->group[c->host[h - 1].group].site ? nth[h - 1] + 1 : 0;
    interleave(c, nth, order);
    for (int round = 0; r < c->ranks; round++)
        for (int i = 0; i < c->nhosts; i++)
            if (c->host[order[i]].ranks > round) c->host_of[r++] = order[i];
done:
    free(nth);
    free(order);
    return rc;
}

plan_status_t plani_cluster_place(plani_cluster_t *c, const char *placement, uint64_t seed)
{
    bool cyclic = strcmp(placement, "cyclic") == 0, shuffled = strcmp(placement, "shuffled") == 0;

    if (!cyclic && !shuffled && strcmp(placement, "block") != 0) return PLAN_EINVAL;
    if ((c->host_of = calloc((size_t)c->ranks, sizeof *c->host_of)) == NULL) return PLAN_ENOMEM;
    if (cyclic) return place_cyclic(c);
    place_block(c);
    if (shuffled) shuffle(c, seed);
    return PLAN_OK;
}
