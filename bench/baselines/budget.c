/* Divides the time of a run among its message sizes. */
#include "baselines.h"
#include <math.h>
#include <stdio.h>

/* The least cost of a size, in units of one broadcast at the rate of the bottleneck ingress: three rounds of three
 * plans, two baselines and two candidates; and the default decision once, which is assumed to take three times as long.
 */
static const double LEAST = 3 * (3 + 2 + 2) + 3;
/* SMALL_S: the time for a size of which some 30 broadcasts take less than a millisecond each, for intervals of 2.5%.
 * LEAST_S, or LEAST_SHARE of the budget if that is less: the least time for a size. */
static const double SMALL_S = 6, LEAST_S = 3, LEAST_SHARE = 0.06;

static double ingress(const limits_t *l, size_t bytes)
{
    return l->ingress_s_per_byte > 0 ? (double)bytes * l->ingress_s_per_byte : 0;
}

/* Relative share of a size. Twice the rounds up to 1 MiB, since nearly all baselines are timed there. */
static double weight(const limits_t *l, size_t bytes)
{
    return SMALL_S + LEAST * ingress(l, bytes) * (bytes <= 1 << 20 ? 2 : 1);
}

void budget_fit(options_t *o, const limits_t *l, double planning_s, bool speak)
{
    for (; o->nsizes > 1; o->nsizes--) {
        double least = planning_s + ingress(l, o->bytes[o->nsizes - 1]);
        for (int i = 0; i < o->nsizes; i++)
            least += fmin(LEAST_S, LEAST_SHARE * o->budget_s) + LEAST * ingress(l, o->bytes[i]);
        if (least <= o->budget_s) return;
        char text[32];
        if (speak)
            fprintf(stderr, "bench_baselines: messages of %s are left out: with them, %.0f s would be needed\n",
                    bytes_text(o->bytes[o->nsizes - 1], text), least);
    }
}

double budget_share(const options_t *o, const limits_t *l, int i, double left_s)
{
    double all = 0;
    for (int k = i; k < o->nsizes; k++) all += weight(l, o->bytes[k]);
    return fmax(left_s, 0) * weight(l, o->bytes[i]) / all;
}
