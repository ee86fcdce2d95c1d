#include "planner/literature/calibration.h"
#include "lib/base/base.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

typedef struct {
    double scale, level_s;
} line_t;

static const line_t as_modelled = {1, 0};
static const double least_scale = 0.05, most_scale = 20; /* beyond, the experiments say nothing of the model */

/* Every equation divided by what was measured, so that all sizes weigh alike; without experiment `leave_out`. */
static plan_status_t huber(size_t n, const plani_experiment_t *e, size_t leave_out, size_t unknowns, double *c)
{
    size_t rows = n - (leave_out < n), at = 0;
    plan_status_t rc = PLAN_ENOMEM;
    if (rows <= unknowns) return PLAN_EUNSUPPORTED;
    gsl_matrix *x = gsl_matrix_alloc(rows, unknowns), *covariance = gsl_matrix_alloc(unknowns, unknowns);
    gsl_vector *y = gsl_vector_alloc(rows), *fit = gsl_vector_alloc(unknowns);
    gsl_multifit_robust_workspace *w = gsl_multifit_robust_alloc(gsl_multifit_robust_huber, rows, unknowns);

    if (x == NULL || covariance == NULL || y == NULL || fit == NULL || w == NULL) goto done;
    for (size_t i = 0; i < n; i++) {
        if (i == leave_out) continue;
        gsl_matrix_set(x, at, 0, e[i].modelled_s / e[i].measured_s);
        if (unknowns > 1) gsl_matrix_set(x, at, 1, e[i].levels / e[i].measured_s);
        gsl_vector_set(y, at++, 1);
    }
    int status = gsl_multifit_robust(x, y, fit, covariance, w); /* GSL_EMAXITER leaves the last iterate: good enough */
    rc = status == GSL_SUCCESS || status == GSL_EMAXITER ? PLAN_OK : PLAN_ESOLVER;
    for (size_t k = 0; k < unknowns; k++) c[k] = gsl_vector_get(fit, k);
done:
    if (w != NULL) gsl_multifit_robust_free(w);
    if (fit != NULL) gsl_vector_free(fit);
    if (y != NULL) gsl_vector_free(y);
    if (covariance != NULL) gsl_matrix_free(covariance);
    if (x != NULL) gsl_matrix_free(x);
    return rc;
}

/* Columns in seconds differ by orders of magnitude: GSL scales none, so levels are counted in typical times of one. */
static plan_status_t fit(size_t n, const plani_experiment_t *e, size_t leave_out, line_t *line)
{
    double c[2] = {1, 0}, unit = 0;
    plani_experiment_t scaled[PLANI_EXPERIMENTS];

    for (size_t i = 0; i < n; i++) unit += e[i].measured_s / e[i].levels / (double)n;
    for (size_t i = 0; i < n; i++) {
        scaled[i] = e[i];
        scaled[i].levels *= unit;
    }
    plan_status_t rc = huber(n, scaled, leave_out, 2, c);
    if (rc == PLAN_OK && c[1] < 0) c[1] = 0, rc = huber(n, scaled, leave_out, 1, c);
    if (rc == PLAN_ENOMEM) return rc;
    bool usable = rc == PLAN_OK && isfinite(c[0]) && isfinite(c[1]) && c[0] >= least_scale && c[0] <= most_scale;
    *line = usable ? (line_t){c[0], c[1] * unit} : as_modelled;
    return PLAN_OK;
}

static double error(line_t line, plani_experiment_t e)
{
    return fabs((line.scale * e.modelled_s + line.level_s * e.levels) / e.measured_s - 1);
}

static double median(double *x, size_t n)
{
    gsl_sort(x, 1, n);
    return n > 0 ? gsl_stats_median_from_sorted_data(x, 1, n) : 0;
}

plan_status_t plani_calibration_fit(size_t n, const plani_experiment_t *e, plan_calibration_t *out)
{
    double without[PLANI_EXPERIMENTS], with[PLANI_EXPERIMENTS];
    line_t line = as_modelled;
    plan_status_t rc = PLAN_OK;
    gsl_error_handler_t *before;

    if (n > PLANI_EXPERIMENTS) n = PLANI_EXPERIMENTS;
    plani_lock();                         /* the handler is the whole process's */
    before = gsl_set_error_handler_off(); /* failures come back as codes */
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        without[i] = error(as_modelled, e[i]);
        rc = fit(n, e, i, &line);
        with[i] = error(line, e[i]);
    }
    if (rc == PLAN_OK && n > 0) rc = fit(n, e, n, &line);
    gsl_set_error_handler(before);
    plani_unlock();
    if (rc != PLAN_OK) return rc;
    out->scale = line.scale;
    out->level_s = line.level_s;
    out->error_without = median(without, n);
    out->error_with = median(with, n);
    return PLAN_OK;
}
