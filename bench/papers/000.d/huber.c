#include "huber.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>

int huber(size_t n, size_t p, const double *x, const double *y, double *c)
{
    gsl_matrix_const_view rows = gsl_matrix_const_view_array(x, n, p);
    gsl_vector_const_view values = gsl_vector_const_view_array(y, n);
    gsl_vector_view found = gsl_vector_view_array(c, p);
    gsl_matrix *covariance = gsl_matrix_alloc(p, p);
    gsl_multifit_robust_workspace *w = gsl_multifit_robust_alloc(gsl_multifit_robust_huber, n, p);
    int status = GSL_ENOMEM;
    if (covariance != NULL && w != NULL) {
        gsl_multifit_robust_maxiter(10000, w);
        status = gsl_multifit_robust(&rows.matrix, &values.vector, &found.vector, covariance, w);
    }
    if (w != NULL) gsl_multifit_robust_free(w);
    if (covariance != NULL) gsl_matrix_free(covariance);
    return status == GSL_SUCCESS;
}
