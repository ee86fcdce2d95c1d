/* Resources that let a burst pass: token buckets, counted in seconds of their work. */
#include "planner/stages.h"

plani_bucket_t plani_bucket(const plan_resource_t *r)
{
    double burst = r->burst_bytes * r->s_per_byte;
    return (plani_bucket_t){.burst = burst, .left = burst};
}

double plani_buckets_pass(size_t n, plani_bucket_t *bucket, double least, double stages)
{
    double all = stages * least;

    for (size_t i = 0; i < n; i++) {
        double needed = stages * bucket[i].load - bucket[i].left;
        if (needed > all) all = needed;
    }
    for (size_t i = 0; i < n; i++) { /* by comparisons, which are faster than fmin() and fmax() */
        plani_bucket_t *b = &bucket[i];
        double left = b->left + (all - stages * b->load);
        left = left > 0 ? left : 0;
        b->left = left < b->burst ? left : b->burst;
    }
    return all;
}
