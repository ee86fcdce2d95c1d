/* Regressions, by the GNU Scientific Library, whose error handler would abort. */
#include "planner/selection/known.h"
#include "lib/base/base.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>

typedef int solver_t(const gsl_matrix *x, const gsl_vector *y, gsl_vector *c, gsl_matrix *covariance);

static int robust(const gsl_matrix *x, const gsl_vector *y, gsl_vector *c, gsl_matrix *covariance)
{
    enum { MOST = 10000 };
    gsl_multifit_robust_workspace *w = gsl_multifit_robust_alloc(gsl_multifit_robust_huber, x->size1, x->size2);
    int status = GSL_ENOMEM;
    if (w != NULL) {
        gsl_multifit_robust_maxiter(MOST, w);
        status = gsl_multifit_robust(x, y, c, covariance, w);
        gsl_multifit_robust_free(w);
    }
    return status;
}

static int least_squares(const gsl_matrix *x, const gsl_vector *y, gsl_vector *c, gsl_matrix *covariance)
{
    gsl_multifit_linear_workspace *w = gsl_multifit_linear_alloc(x->size1, x->size2);
    double rest = 0;
    int status = GSL_ENOMEM;
    if (w != NULL) {
        status = gsl_multifit_linear(x, y, c, covariance, &rest, w);
        gsl_multifit_linear_free(w);
    }
    return status;
}

static bool solve(solver_t *solver, size_t n, size_t p, const double *x, const double *y, double *c)
{
    gsl_matrix_const_view rows = gsl_matrix_const_view_array(x, n, p);
    gsl_vector_const_view values = gsl_vector_const_view_array(y, n);
    gsl_vector_view found = gsl_vector_view_array(c, p);
    int status = GSL_ENOMEM;

    plani_lock();
    gsl_error_handler_t *before = gsl_set_error_handler_off();
    gsl_matrix *covariance = gsl_matrix_alloc(p, p);
    if (covariance != NULL) {
        status = solver(&rows.matrix, &values.vector, &found.vector, covariance);
        gsl_matrix_free(covariance);
    }
    gsl_set_error_handler(before);
    plani_unlock();
    return status == GSL_SUCCESS;
}

bool sel_huber(size_t n, size_t p, const double *x, const double *y, double *c)
{
    return solve(robust, n, p, x, y, c);
}

bool sel_least_squares(size_t n, size_t p, const double *x, const double *y, double *c)
{
    return solve(least_squares, n, p, x, y, c);
}
