/* How the seconds of a run are dealt among message sizes. */
#include "rivals.h"
#include <math.h>
#include <stdio.h>

/* What a size costs at least, in times of one broadcast at the rate of the narrowest inlet: three rounds of three
 * plans, the default decision (4.5 times as long) and two rivals (3 times each). The largest is timed while planning,
 * too. */
static const double LEAST = 3 * (3 + 4.5 + 2 * 3), PLANNING = 10;
static const double SMALL_S = 0.02; /* a round of some 60 small broadcasts costs no less than this broadcast */

static double inlet(const limits_t *l, size_t bytes)
{
    return l->inlet_s_per_byte > 0 ? (double)bytes * l->inlet_s_per_byte : 0;
}

/* Up to 1 MiB, nearly all rivals are tried. */
static double weight(const limits_t *l, size_t bytes)
{
    return SMALL_S + inlet(l, bytes) * (bytes <= 1 << 20 ? 3 : 1);
}

void budget_fit(options_t *o, const limits_t *l, bool speak)
{
    for (; o->nsizes > 1; o->nsizes--) {
        double least = 2 * o->plan_budget_s + PLANNING * inlet(l, o->bytes[o->nsizes - 1]);
        for (int i = 0; i < o->nsizes; i++) least += LEAST * (SMALL_S + inlet(l, o->bytes[i]));
        if (least <= o->budget_s) return;
        if (speak)
            fprintf(stderr, "bench_rivals: messages of %zu bytes are left out: with them, %.0f s would be needed\n",
                    o->bytes[o->nsizes - 1], least);
    }
}

double budget_share(const options_t *o, const limits_t *l, int i, double left_s)
{
    double all = 0;
    for (int k = i; k < o->nsizes; k++) all += weight(l, o->bytes[k]);
    return fmax(left_s, 0) * weight(l, o->bytes[i]) / all;
}
