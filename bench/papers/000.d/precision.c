#include "precision.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

precision_t precision_of(const double *x, int n)
{
    double mean = gsl_stats_mean(x, 1, (size_t)n);

    if (n < 2) return (precision_t){mean, INFINITY};
    double half = gsl_cdf_tdist_Pinv(0.975, n - 1) * gsl_stats_sd(x, 1, (size_t)n) / sqrt(n);
    return (precision_t){mean, half > 0 ? half / mean : 0};
}
