#include "precision.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

/* Welford 1962. */
void repeated_add(repeated_t *r, double x)
{
    double before = x - r->mean;
    r->n++;
    r->mean += before / r->n;
    r->squares += before * (x - r->mean);
}

double repeated_precision(const repeated_t *r)
{
    if (r->n < 2) return INFINITY;
    double half = gsl_cdf_tdist_Pinv(0.975, r->n - 1) * sqrt(r->squares / (r->n - 1) / r->n);
    return half > 0 ? half / r->mean : 0;
}
