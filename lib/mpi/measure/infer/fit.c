/* Statistics of samples, robust lines, and steady-state rates of flows. */
#include "lib/mpi/measure/infer/infer.h"
#include <math.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

void plani_summarize(double *x, int n, plani_summary_t *out)
{
    *out = (plani_summary_t){.n = n};
    if (n == 0) return;
    plani_interval_t i = plani_interval(x, n);
    out->median = i.median;
    out->min = x[0];
    out->converged = plani_is_narrow(&i);
}

/* Weighted least squares of 1 = a/t + b m/t: errors relative to t. False if all sizes are alike. */
static bool fit_weighted(const double *m, const double *t, const double *weight, int n, double *a, double *b)
{
    double s11 = 0, s12 = 0, s22 = 0, r1 = 0, r2 = 0;

    for (int i = 0; i < n; i++) {
        double w = weight[i], x = 1 / t[i], y = m[i] / t[i];
        s11 += w * x * x, s12 += w * x * y, s22 += w * y * y, r1 += w * x, r2 += w * y;
    }
    double det = s11 * s22 - s12 * s12;
    if (!(det > 1e-12 * s11 * s22)) return false;
    *a = (r1 * s22 - r2 * s12) / det;
    *b = (s11 * r2 - s12 * r1) / det;
    return true;
}

/* Least absolute relative errors, by iteratively reweighted least squares. */
static bool fit_absolute(const double *m, const double *t, double *weight, int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) weight[i] = 1;
    for (int k = 0; k < 40; k++) {
        if (!fit_weighted(m, t, weight, n, a, b)) return false;
        for (int i = 0; i < n; i++) weight[i] = 1 / fmax(1e-6, fabs(1 - (*a + *b * m[i]) / t[i]));
    }
    return true;
}

/* Weight 0 for errors above 3.5 scaled median absolute errors, 1 for the others. */
static void drop_outliers(const double *m, const double *t, double a, double b, double *weight, int n)
{
    double error[PLANI_LOG] = {0};

    for (int i = 0; i < n; i++) error[i] = fabs(1 - (a + b * m[i]) / t[i]);
    gsl_sort(error, 1, (size_t)n);
    double reach = fmax(1e-6, 3.5 * 1.4826 * gsl_stats_median_from_sorted_data(error, 1, (size_t)n));
    for (int i = 0; i < n; i++) weight[i] = fabs(1 - (a + b * m[i]) / t[i]) <= reach;
}

void plani_fit_line(const double *m, const double *t, int n, double *a, double *b)
{
    double weight[PLANI_LOG], plain_a, plain_b;

    if (n > PLANI_LOG) n = PLANI_LOG;
    *a = t[0], *b = 0;
    if (fit_absolute(m, t, weight, n, a, b)) {
        drop_outliers(m, t, *a, *b, weight, n);
        if (fit_weighted(m, t, weight, n, &plain_a, &plain_b)) *a = plain_a, *b = plain_b;
    } else {
        for (int i = 0; i < n; i++) weight[i] = 1;
    }
    double s1 = 0, s2 = 0, s11 = 0, s22 = 0;
    for (int i = 0; i < n; i++) {
        double x = 1 / t[i], y = m[i] / t[i];
        s1 += weight[i] * x, s2 += weight[i] * y, s11 += weight[i] * x * x, s22 += weight[i] * y * y;
    }
    if (*b < 0)
        *a = s1 / s11, *b = 0; /* larger messages are not cheaper: a constant */
    else if (*a < 0)
        *a = 0, *b = s2 / s22;
}

/* ---- rates of flows ---- */

/* An arrival is noted when its rank is scheduled: never too early, often late, then several together. So the line of
 * the steady rate supports all arrivals of the window from the left: through the least late arrival near each end. */

/* [s] How late arrival i is, up to a constant, at a steady `rate` [B/s]. */
static double lateness(const double *t, const double *bytes, int i, double rate)
{
    return t[i] - bytes[i] / rate;
}

static int least_late(const double *t, const double *bytes, int first, int last, double rate)
{
    int best = first;

    for (int i = first + 1; i <= last; i++)
        if (lateness(t, bytes, i, rate) < lateness(t, bytes, best, rate)) best = i;
    return best;
}

/* [B/s] Rate of the line that supports arrivals [first, last] from the left; a few iterations from the rate between the
 * ends, with the least late arrival of the first and last third. */
static double support(const double *t, const double *bytes, int first, int last)
{
    int third = (last - first) / 3;
    double rate = (bytes[last] - bytes[first]) / (t[last] - t[first]);

    for (int k = 0; k < 4 && third > 0; k++) {
        int i = least_late(t, bytes, first, first + third, rate);
        int j = least_late(t, bytes, last - third, last, rate);
        if (!(t[j] - t[i] > 0.3 * (t[last] - t[first]))) break;
        rate = (bytes[j] - bytes[i]) / (t[j] - t[i]);
    }
    return rate;
}

/* Deviation of arrivals from the line, relative to the duration of the window. Of arrivals noted together, the last
 * counts. INFINITY below 4. */
static double doubt(const double *t, const double *bytes, int first, int last, double rate)
{
    double off[PLANI_LOG];
    plani_summary_t s;
    int n = 0;

    for (int i = first; i <= last && n < PLANI_LOG; i++)
        if (i == last || t[i + 1] - t[i] >= 0.5 * (bytes[i + 1] - bytes[i]) / rate)
            off[n++] = lateness(t, bytes, i, rate);
    plani_summarize(off, n, &s);
    return n < 4 ? INFINITY : 2 * (s.median - s.min) / (t[last] - t[first]);
}

double plani_combine(double a, double b)
{
    double larger = fmax(a, b), smaller = fmin(a, b);

    return smaller >= 0.9 * larger ? 0.5 * (a + b) : larger;
}

void plani_runs_add(plani_runs_t *runs, double rate)
{
    runs->n++;
    if (rate > runs->best)
        runs->second = runs->best, runs->best = rate;
    else if (rate > runs->second)
        runs->second = rate;
}

bool plani_runs_agree(const plani_runs_t *runs)
{
    return runs->second > 0.96 * runs->best;
}

double plani_runs_rate(const plani_runs_t *runs)
{
    return plani_combine(runs->best, runs->second);
}

plani_ends_t plani_runs_ends(const plani_runs_t *runs)
{
    return runs->second > 0 ? (plani_ends_t){runs->second, runs->best} : (plani_ends_t){0, 0};
}

bool plani_is_contradicted(double rate, double alone)
{
    static const double KNOWN = 0.9; /* so well rates are */

    return isfinite(alone) && rate < KNOWN * alone;
}

/* [B/s] The largest lower bound on the rate, bytes[i] / t[i], of arrivals [first, last]; *best: its i. */
static double certain_rate(const double *t, const double *bytes, int first, int last, int *best)
{
    double most = 0;

    for (int i = first; i <= last; i++)
        if (t[i] > 0 && bytes[i] / t[i] > most) most = bytes[i] / t[i], *best = i;
    return most;
}

/* Correct the line's rate. If the first arrivals were noted late, the line is too steep: limit it by the lower bound
 * from t = 0 and a margin. If the flow paused, the line is too flat: unless arrivals lie well on it, the mean rate
 * since t = 0 counts if it is larger. */
static double believable(double rate, const double *t, const double *bytes, int first, int last, double latency,
                         double rel_err)
{
    static const double GOES_OFF = 0.04, STARTS_S = 0.5e-3, ON_THE_LINE = 0.03;
    int at = last;
    double certain = certain_rate(t, bytes, first, last, &at);

    if (certain <= 0) return rate;
    double most = certain * (1 + GOES_OFF + (6 * latency + STARTS_S) / t[at]);
    if (rate > most) return most;
    return isfinite(rel_err) && rel_err > ON_THE_LINE ? fmax(rate, bytes[last] / t[last]) : rate;
}

/* The arrivals [first, last] in which a flow of n of them is steady: after 35% of its time, but some at least. False:
 * there are none, or all at once. */
static bool steady(const double *t, int n, double seconds, int *first, int *last)
{
    *first = 0, *last = n - 1;
    while (*last > 1 && t[*last] > t[0] + seconds) --*last; /* later, other flows may have ended */
    while (*first < *last && t[*first] < t[0] + 0.35 * seconds) ++*first;
    while (*first > 0 && (*last - *first < 4 || t[*last] - t[*first] < 0.4 * seconds)) --*first; /* too few, or late */
    return *last >= 1 && t[*last] - t[*first] > 0.1 * seconds;
}

double plani_steady_rate(const double *t, const double *bytes, int n, double seconds, double latency, double *rel_err)
{
    int first, last;

    *rel_err = INFINITY;
    if (!steady(t, n, seconds, &first, &last)) return 0;
    double rate = support(t, bytes, first, last);
    if (last - first >= 4) *rel_err = doubt(t, bytes, first, last, rate);
    return believable(rate, t, bytes, first + (last - first) / 2, last, latency, *rel_err);
}

double plani_steady_total(const double *t, const double *bytes, int n, double seconds, double latency)
{
    int first, last;

    if (!steady(t, n, seconds, &first, &last)) return 0;
    double rate = support(t, bytes, first, last);
    return believable(rate, t, bytes, first + (last - first) / 2, last, latency, INFINITY);
}
