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

/* The first host of each site, then the second of each, ...: into order[nhosts]. nth[h] is h's number in its site, and
 * first[nhosts + 1], zeros, is room to count in. */
static void interleave(const plani_cluster_t *c, const int *nth, int *first, int *order)
{
    for (int h = 0; h < c->nhosts; h++) first[nth[h] + 1]++;
    for (int turn = 0; turn < c->nhosts; turn++) first[turn + 1] += first[turn];
    for (int h = 0; h < c->nhosts; h++) order[first[nth[h]]++] = h; /* ascending hosts are ascending sites */
}

static plan_status_t place_cyclic(plani_cluster_t *c)
{
    plan_status_t rc = PLAN_OK;
    size_t n = (size_t)c->nhosts;
    int *nth = calloc(n, sizeof *nth), *order = calloc(n, sizeof *order), *first = calloc(n + 1, sizeof *first);
    int r = 0;

    if (nth == NULL || order == NULL || first == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (int h = 1; h < c->nhosts; h++)
        nth[h] = c->group[c->host[h].group].site == c->group[c->host[h - 1].group].site ? nth[h - 1] + 1 : 0;
    interleave(c, nth, first, order);
    for (int round = 0, left = c->nhosts; r < c->ranks; round++) {
        int places = left;
        left = 0;
        for (int i = 0; i < places; i++)
            if (c->host[order[i]].ranks > round) order[left++] = order[i], c->host_of[r++] = order[left - 1];
    }
done:
    free(nth);
    free(order);
    free(first);
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
