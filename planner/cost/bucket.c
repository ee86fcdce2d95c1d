/* Resources that let a burst pass: token buckets, counted in seconds at the rate of the resource. */
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/cost/cost.h"

double plani_burst_time(const plan_resource_t *r)
{
    return r->burst_bytes * r->s_per_byte;
}

plan_status_t plani_buckets_create(size_t room, plani_buckets_t *b)
{
    double *memory = calloc(3 * room + 1, sizeof *memory);
    *b = (plani_buckets_t){0};
    if (memory == NULL) return PLAN_ENOMEM;
    *b = (plani_buckets_t){.burst = memory, .left = memory + room, .load = memory + 2 * room};
    return PLAN_OK;
}

void plani_buckets_clear(plani_buckets_t *b)
{
    free(b->burst);
    *b = (plani_buckets_t){0};
}

size_t plani_buckets_add(plani_buckets_t *b, const plan_resource_t *r)
{
    b->burst[b->n] = plani_burst_time(r);
    return b->n++;
}

void plani_buckets_rest(plani_buckets_t *b)
{
    if (b->n == 0) return;
    memcpy(b->left, b->burst, b->n * sizeof *b->left);
    memset(b->load, 0, b->n * sizeof *b->load);
}

double plani_most_beyond(size_t n, double times, const double *load, const double *less, double least)
{
    enum { SIDE = 4 }; /* by side: one largest after the other would wait for the last */
    double most[SIDE] = {least, least, least, least};
    size_t i = 0;

    for (; i + SIDE <= n; i += SIDE)
        for (size_t k = 0; k < SIDE; k++) most[k] = plani_max(most[k], times * load[i + k] - less[i + k]);
    for (; i < n; i++) most[0] = plani_max(most[0], times * load[i] - less[i]);
    return plani_max(plani_max(most[0], most[1]), plani_max(most[2], most[3]));
}

double plani_buckets_pass(plani_buckets_t *b, double least, double stages)
{
    const double *restrict load = b->load, *restrict burst = b->burst;
    double *restrict left = b->left, all = plani_most_beyond(b->n, stages, load, left, stages * least);

    for (size_t i = 0; i < b->n; i++) left[i] = plani_min(plani_max(left[i] + (all - stages * load[i]), 0), burst[i]);
    return all;
}
