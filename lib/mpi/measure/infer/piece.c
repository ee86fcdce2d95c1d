/* Message protocols (eager, rendezvous, beyond a buffer) from the times of single messages: a piecewise linear function
 * of the size. The number of pieces minimises a penalised criterion. */
#include "lib/mpi/measure/infer/infer.h"
#include <math.h>
#include <gsl/gsl_fit.h>

/* Fewest points of a piece: a line through two has no error. */
enum { LEAST = 3 };

/* Relative deviations up to this are not worth a further piece. */
static const double FLAT = 0.03;

/* The line through points [first, last) by least squares of relative errors, with latency and time per byte >= 0.
 * Returns the sum of squared errors. */
static double fit(const double *m, const double *t, int first, int last, plani_protocol_t *out)
{
    double weight[PLANI_LOG] = {0}, cov[3], squares, a, b;
    size_t n = (size_t)(last - first);

    for (int i = first; i < last; i++) weight[i - first] = 1 / (t[i] * t[i]);
    gsl_fit_wlinear(m + first, 1, weight, 1, t + first, 1, n, &a, &b, &cov[0], &cov[1], &cov[2], &squares);
    if (a < 0 || b < 0) { /* then the best feasible line has 0 there */
        double y = 0, yy = 0;
        for (int i = first; i < last; i++)
            y += (a < 0 ? m[i] : 1) / t[i], yy += (a < 0 ? m[i] * m[i] : 1) / (t[i] * t[i]);
        b = a < 0 ? y / yy : 0;
        a = a < 0 ? 0 : y / yy;
        squares = 0;
        for (int i = first; i < last; i++) squares += pow(1 - (a + b * m[i]) / t[i], 2);
    }
    *out = (plani_protocol_t){.from_bytes = m[first], .latency_s = a, .s_per_byte = b};
    return squares;
}

/* The best `count` pieces for points [first, n), by enumeration: O(n^(count - 1)) fits, count <= PLANI_PIECES. Returns
 * the sum of squared relative errors, INFINITY if there are too few points. */
static double split(const double *m, const double *t, int first, int n, int count, plani_protocol_t *out)
{
    double best = INFINITY;

    if (n - first < count * LEAST) return INFINITY;
    if (count == 1) return fit(m, t, first, n, out);
    for (int at = first + LEAST; at + (count - 1) * LEAST <= n; at++) {
        plani_protocol_t trial[PLANI_PIECES];
        double squares = fit(m, t, first, at, trial) + split(m, t, at, n, count - 1, trial + 1);
        if (squares < best) {
            best = squares;
            for (int k = 0; k < count; k++) out[k] = trial[k];
        }
    }
    return best;
}

/* Schwarz' criterion (BIC) with a stronger penalty: a further piece counts as six parameters. Its line has two, its
 * place one, and each counts twice because all places are tried. */
static double criterion(double squares, int n, int count)
{
    return n * log(squares / n + FLAT * FLAT) + 6 * (count - 1) * log(n);
}

int plani_fit_pieces(const double *m, const double *t, int n, plani_protocol_t *piece)
{
    int best = 0;
    double least = INFINITY;

    if (n > PLANI_LOG) n = PLANI_LOG;
    for (int count = 1; count <= PLANI_PIECES; count++) {
        plani_protocol_t trial[PLANI_PIECES];
        double squares = split(m, t, 0, n, count, trial), cost = criterion(squares, n, count);
        if (!isfinite(squares) || !(cost < least)) continue;
        least = cost, best = count;
        for (int k = 0; k < count; k++) piece[k] = trial[k];
    }
    return best;
}
