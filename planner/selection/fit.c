/*
 * From times to parameters. A way takes T = o A + L C on a layout, for A stages and C serial bytes (work.c); so two
 * parameters are found for each way, as the paper does for each algorithm (eqs (16) to (20)). The paper's shares of
 * shared memory, o^0 and L^0, cannot be told from one layout; transfers inside hosts count as others here, but that
 * they pass no card.
 */
#include "planner/selection/known.h"
#include "lib/base/base.h"
#include "lib/base/statistics.h"
#include <math.h>
#include <stdlib.h>

enum { PARAMETERS = 2, ENOUGH = 5 /* rows, for an outlier to be told */ };

plan_status_t sel_known(sel_fit_t *fit, int way, sel_layout_t layout, size_t bytes, double *stages, double *serial)
{
    struct sel_known_work *k = NULL;
    for (size_t i = 0; i < fit->nknown && k == NULL; i++)
        if (fit->known[i].way == way && sel_same_layout(fit->known[i].layout, layout)) k = &fit->known[i];
    if (k == NULL) {
        struct sel_known_work *more = plani_grown(fit->known, fit->nknown, &fit->room, sizeof *more);
        if (more == NULL) return PLAN_ENOMEM;
        fit->known = more;
        k = &fit->known[fit->nknown];
        *k = (struct sel_known_work){.way = way, .layout = layout};
        plan_status_t rc =
            sel_work_create(&fit->table->way[way], layout, fit->settings.ngamma, fit->settings.gamma, &k->work);
        if (rc != PLAN_OK) return rc;
        fit->nknown++;
    }
    sel_work_count(k->work, bytes, stages, serial);
    return PLAN_OK;
}

/* ---- curves ---- */

static bool counts(const sel_fit_t *fit, size_t i)
{
    return fit->table->timing[i].way >= 0 && (fit->settings.use == NULL || fit->settings.use[i]);
}

/* Rows of one way, layout and size are neighbours, ascending in their times: their median. */
static plan_status_t add_row(sel_fit_t *fit, size_t i, size_t same)
{
    const sel_timing_t *t = &fit->table->timing[i];
    double median = (t[(same - 1) / 2].seconds + t[same / 2].seconds) / 2;
    sel_curve_t *c = fit->ncurves > 0 ? &fit->curve[fit->ncurves - 1] : NULL;
    if (c == NULL || c->way != t->way || !sel_same_layout(c->layout, t->layout)) {
        c = &fit->curve[fit->ncurves++];
        *c = (sel_curve_t){.way = t->way, .layout = t->layout};
    }
    sel_point_t *point = plani_grown(c->point, c->n, &c->room, sizeof *point);
    if (point == NULL) return PLAN_ENOMEM;
    c->point = point;
    c->point[c->n++] = (sel_point_t){t->bytes, median};
    return PLAN_OK;
}

static plan_status_t make_curves(sel_fit_t *fit)
{
    const sel_timing_t *t = fit->table->timing;
    fit->curve = calloc(fit->table->n + 1, sizeof *fit->curve);
    if (fit->curve == NULL) return PLAN_ENOMEM;
    for (size_t i = 0, same; i < fit->table->n; i += same) {
        for (same = 1; i + same < fit->table->n && t[i + same].bytes == t[i].bytes && t[i + same].way == t[i].way &&
                       sel_same_layout(t[i + same].layout, t[i].layout);)
            same++;
        plan_status_t rc = counts(fit, i) ? add_row(fit, i, same) : PLAN_OK;
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* ---- parameters ---- */

/* Rows [n] of stages and serial bytes, divided by the time. */
typedef struct {
    size_t n;
    double *x, *y, *one; /* [n][PARAMETERS], [n], [n] one column */
} rows_t;

static bool regress(const rows_t *r, size_t p, const double *x, double *c)
{
    return (r->n >= ENOUGH && sel_huber(r->n, p, x, r->y, c)) || sel_least_squares(r->n, p, x, r->y, c);
}

/* The sum of relative errors. */
static double loss(const rows_t *r, const double c[PARAMETERS])
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++) sum += fabs(r->x[2 * i] * c[0] + r->x[2 * i + 1] * c[1] - r->y[i]);
    return sum;
}

/* No parameter is negative: where one would be, that of the two which serves better alone. */
static void solve(const rows_t *r, double c[PARAMETERS])
{
    double least = INFINITY;
    if (r->n >= PARAMETERS && regress(r, PARAMETERS, r->x, c) && c[0] >= 0 && c[1] >= 0) return;
    c[0] = c[1] = 0;
    for (int k = PARAMETERS - 1; k >= 0; k--) {
        double alone[PARAMETERS] = {0, 0};
        for (size_t i = 0; i < r->n; i++) r->one[i] = r->x[2 * i + (size_t)k];
        if (!regress(r, 1, r->one, &alone[k]) || !(alone[k] > 0) || !(loss(r, alone) < least)) continue;
        least = loss(r, alone);
        c[0] = alone[0], c[1] = alone[1];
    }
}

/* The library takes the spread of y for the least scale of residuals, and without signs y would have none. */
static plan_status_t add_point(sel_fit_t *fit, const sel_curve_t *c, size_t i, rows_t *r)
{
    double stages, serial, sign = r->n % 2 ? -1 : 1;
    plan_status_t rc = sel_known(fit, c->way, c->layout, c->point[i].bytes, &stages, &serial);
    if (rc != PLAN_OK) return rc;
    r->x[2 * r->n] = sign * stages / c->point[i].seconds;
    r->x[2 * r->n + 1] = sign * serial / c->point[i].seconds;
    r->y[r->n++] = sign;
    return PLAN_OK;
}

static plan_status_t find_parameters(sel_fit_t *fit, rows_t *r, int way)
{
    double c[PARAMETERS] = {0, 0};
    r->n = 0;
    for (size_t k = 0; k < fit->ncurves; k++)
        for (size_t i = 0; i < fit->curve[k].n && fit->curve[k].way == way; i++) {
            plan_status_t rc = add_point(fit, &fit->curve[k], i, r);
            if (rc != PLAN_OK) return rc;
        }
    if (r->n > 0) solve(r, c);
    fit->parameters[way] = (sel_parameters_t){c[0], c[1], r->n};
    return PLAN_OK;
}

/* ---- the machine ---- */

/* What a serial byte costs between the two largest sizes of a curve; 0: not known. */
static plan_status_t slope_of(sel_fit_t *fit, const sel_curve_t *c, double *slope)
{
    double stages, serial, before = 0;
    const sel_point_t *p = &c->point[c->n - 1];
    *slope = 0;
    if (c->n < 2) return PLAN_OK;
    plan_status_t rc = sel_known(fit, c->way, c->layout, p->bytes, &stages, &serial);
    if (rc == PLAN_OK) rc = sel_known(fit, c->way, c->layout, p[-1].bytes, &stages, &before);
    if (rc == PLAN_OK && serial > before) *slope = (p->seconds - p[-1].seconds) / (serial - before);
    return rc;
}

/* The median over all curves. */
static plan_status_t find_rate(sel_fit_t *fit, double *slope)
{
    size_t n = 0;
    for (size_t k = 0; k < fit->ncurves; k++) {
        plan_status_t rc = slope_of(fit, &fit->curve[k], &slope[n]);
        if (rc != PLAN_OK) return rc;
        n += slope[n] > 0;
    }
    fit->s_per_byte = n > 0 ? plani_interval(slope, (int)n).median : 0;
    return PLAN_OK;
}

/* Of one time for a way, no more than the machine's rate is taken for its bytes; the rest is its stages'. */
static plan_status_t split_single(sel_fit_t *fit, const sel_curve_t *c)
{
    sel_parameters_t *p = &fit->parameters[c->way];
    double stages, serial;
    if (p->rows != 1) return PLAN_OK;
    plan_status_t rc = sel_known(fit, c->way, c->layout, c->point[0].bytes, &stages, &serial);
    if (rc != PLAN_OK || !(stages > 0)) return rc;
    p->L = serial > 0 ? plani_min(fit->s_per_byte, c->point[0].seconds / serial) : 0;
    p->o = (c->point[0].seconds - p->L * serial) / stages;
    return PLAN_OK;
}

static plan_status_t estimate(sel_fit_t *fit)
{
    size_t n = fit->table->n + 1;
    rows_t r = {.n = 0};
    plan_status_t rc = PLAN_ENOMEM;
    r.x = malloc(PARAMETERS * n * sizeof *r.x);
    r.y = malloc(n * sizeof *r.y);
    r.one = malloc(n * sizeof *r.one);
    if (r.x != NULL && r.y != NULL && r.one != NULL) rc = PLAN_OK;
    for (int w = 0; w < fit->table->nways && rc == PLAN_OK; w++) rc = find_parameters(fit, &r, w);
    if (rc == PLAN_OK) rc = find_rate(fit, r.one);
    for (size_t k = 0; k < fit->ncurves && rc == PLAN_OK; k++) rc = split_single(fit, &fit->curve[k]);
    free(r.x);
    free(r.y);
    free(r.one);
    return rc;
}

plan_status_t sel_fit(const sel_table_t *table, const sel_settings_t *settings, sel_fit_t *out, plan_error_t *err)
{
    *out = (sel_fit_t){.table = table, .settings = *settings};
    plan_status_t rc = make_curves(out);
    if (rc == PLAN_OK) rc = estimate(out);
    if (rc == PLAN_OK && out->ncurves == 0)
        rc = plani_fail(err, PLAN_EINVAL, "no timed broadcast counts");
    else if (rc != PLAN_OK)
        plani_fail(err, rc, "out of memory for the parameters of %d algorithms", table->nways);
    if (rc != PLAN_OK) sel_fit_clear(out);
    return rc;
}

void sel_fit_clear(sel_fit_t *fit)
{
    for (size_t i = 0; i < fit->ncurves; i++) free(fit->curve[i].point);
    for (size_t i = 0; i < fit->nknown; i++) sel_work_destroy(&fit->known[i].work);
    free(fit->curve);
    free(fit->known);
    *fit = (sel_fit_t){.ncurves = 0};
}
