#include "fit.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>

/* Of T / s = tau / s + N / BW, so that long and short messages count alike; p = 1: tau is 0. */
static bool solve(size_t n, size_t p, const double *bytes, const double *seconds, double c[2])
{
    gsl_matrix *x = gsl_matrix_alloc(n, p), *covariance = gsl_matrix_alloc(p, p);
    gsl_vector *y = gsl_vector_alloc(n), *found = gsl_vector_alloc(p);
    gsl_multifit_robust_workspace *w = gsl_multifit_robust_alloc(gsl_multifit_robust_huber, n, p);
    bool ok = x != NULL && covariance != NULL && y != NULL && found != NULL && w != NULL;

    for (size_t i = 0; i < n && ok; i++) {
        gsl_matrix_set(x, i, 0, 1);
        if (p == 2) gsl_matrix_set(x, i, 1, bytes[0] / bytes[i]); /* of the order of 1 */
        gsl_vector_set(y, i, seconds[i] / bytes[i]);
    }
    if (ok) {
        int status = gsl_multifit_robust(x, y, found, covariance, w);
        c[0] = gsl_vector_get(found, 0);
        c[1] = p == 2 ? gsl_vector_get(found, 1) * bytes[0] : 0;
        ok = (status == GSL_SUCCESS || status == GSL_EMAXITER) && isfinite(c[0]) && isfinite(c[1]);
    }
    gsl_matrix_free(x);
    gsl_matrix_free(covariance);
    gsl_vector_free(y);
    gsl_vector_free(found);
    gsl_multifit_robust_free(w);
    return ok;
}

bool pairs_fit(size_t n, const double *bytes, const double *seconds, int receivers, double *tau_s, double *bytes_per_s)
{
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    double c[2] = {0, 0};
    bool ok = n > 2 && solve(n, 2, bytes, seconds, c);

    if (ok && (c[1] < 0 || c[0] <= 0)) ok = solve(n, 1, bytes, seconds, c) && c[0] > 0;
    gsl_set_error_handler(before);
    if (!ok) return false;
    *tau_s = c[1];
    *bytes_per_s = receivers / c[0];
    return true;
}
