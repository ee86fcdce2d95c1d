/* How the seconds of a run are dealt among message sizes. */
#include "baselines.h"
#include <math.h>
#include <stdio.h>

/* What a size costs at least, in times of one broadcast at the rate of the bottleneck ingress: three rounds of three
 * plans, two baselines and two candidates, and the default decision once, which takes three times as long. */
static const double LEAST = 3 * (3 + 2 + 2) + 3;
/* What is worth spending on a small size, to know some 30 broadcasts of less than a millisecond to 2.5% [s]; what it
 * gets at least, of all time if that is short. */
static const double SMALL_S = 6, LEAST_S = 3, LEAST_SHARE = 0.06;

static double ingress(const limits_t *l, size_t bytes)
{
    return l->ingress_s_per_byte > 0 ? (double)bytes * l->ingress_s_per_byte : 0;
}

/* Up to 1 MiB, nearly all baselines are tried. */
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
