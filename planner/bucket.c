/* Resources that let a burst pass: token buckets, counted in seconds of their work. */
#include <math.h>
#include "planner/stages.h"

plani_bucket_t plani_bucket(const plan_resource_t *r)
{
    double burst = r->burst_bytes * r->s_per_byte;
    return (plani_bucket_t){.burst = burst, .left = burst};
}

double plani_buckets_pass(size_t n, plani_bucket_t *bucket, double least, double stages)
{
    double all = stages * least;

    for (size_t i = 0; i < n; i++) all = fmax(all, stages * bucket[i].load - bucket[i].left);
    for (size_t i = 0; i < n; i++) {
        plani_bucket_t *b = &bucket[i];
        b->left = fmin(b->burst, fmax(0, b->left + (all - stages * b->load)));
    }
    return all;
}
