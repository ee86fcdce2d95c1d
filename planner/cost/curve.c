/* Curves over the message size, and the parameters that are such curves. */
#include "planner/cost/curve.h"
#include <gsl/gsl_interp.h>

double plani_curve(size_t n, const double *bytes, const double *y, double at)
{
    if (n == 1 || at <= bytes[0]) return y[0];
    size_t low = gsl_interp_bsearch(bytes, at, 0, n - 1);
    double slope = (y[low + 1] - y[low]) / (bytes[low + 1] - bytes[low]);
    if (at > bytes[n - 1]) return y[n - 1] + (slope > 0 ? slope : 0) * (at - bytes[n - 1]);
    return y[low] + slope * (at - bytes[low]);
}
