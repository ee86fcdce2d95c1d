/* From parameters and curves to times, and from times to choices. */
#include "planner/selection/known.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

/* ---- one curve ---- */

/* The line between two points is right where costs add up; a power of the size, the line on logarithmic scales, where
 * protocols and concurrency change in between. Their geometric mean predicted best (bench/selection). */
static double between(const sel_point_t *a, const sel_point_t *b, double bytes)
{
    double from = (double)a->bytes, to = (double)b->bytes, rise = b->seconds / a->seconds;
    double line = a->seconds + (b->seconds - a->seconds) * (bytes - from) / (to - from);
    double power = a->seconds * pow(rise, log(bytes / from) / log(to / from));
    return sqrt(line * power);
}

/* Small messages cost what they cost without bytes, and more for each byte: the line through the first two points, but
 * no less than in proportion, and no more than at the first. */
static double below(const sel_curve_t *c, double bytes)
{
    const sel_point_t *p = c->point;
    double missing = (double)p[0].bytes - bytes;
    double slope = c->n > 1 ? (p[1].seconds - p[0].seconds) / (double)(p[1].bytes - p[0].bytes) : 0;
    return plani_max(p[0].seconds - plani_max(slope, 0) * missing, p[0].seconds * bytes / (double)p[0].bytes);
}

/* Every further stage costs the way's overhead, as of further segments, and every further byte the machine's rate. */
static plan_status_t beyond(sel_fit_t *fit, const sel_curve_t *c, size_t bytes, double *seconds)
{
    const sel_point_t *last = &c->point[c->n - 1];
    double stages = 0, serial = 0, stages_before = 0, serial_before = 0;
    plan_status_t rc = sel_known(fit, c->way, c->layout, bytes, &stages, &serial);
    if (rc == PLAN_OK) rc = sel_known(fit, c->way, c->layout, last->bytes, &stages_before, &serial_before);
    *seconds = last->seconds + fit->parameters[c->way].o * plani_max(stages - stages_before, 0) +
               fit->s_per_byte * plani_max(serial - serial_before, 0);
    return rc;
}

static plan_status_t on_curve(sel_fit_t *fit, const sel_curve_t *c, size_t bytes, double *seconds)
{
    size_t i = 0;
    while (i < c->n && c->point[i].bytes < bytes) i++;
    if (i == c->n) return beyond(fit, c, bytes, seconds);
    *seconds = c->point[i].bytes == bytes ? c->point[i].seconds
               : i == 0                   ? below(c, (double)bytes)
                                          : between(&c->point[i - 1], &c->point[i], (double)bytes);
    return PLAN_OK;
}

/* ---- layouts ---- */

static double distance(sel_layout_t a, sel_layout_t b)
{
    return fabs(log((double)a.ranks / b.ranks)) + fabs(log((double)a.per_host / b.per_host));
}

static const sel_curve_t *most_similar(const sel_fit_t *fit, int way, sel_layout_t layout)
{
    const sel_curve_t *best = NULL;
    for (size_t i = 0; i < fit->ncurves; i++) {
        const sel_curve_t *c = &fit->curve[i];
        if (c->way == way && (best == NULL || distance(c->layout, layout) < distance(best->layout, layout))) best = c;
    }
    return best;
}

static plan_status_t by_parameters(sel_fit_t *fit, int way, sel_layout_t layout, size_t bytes, double *seconds)
{
    double stages = 0, serial = 0;
    plan_status_t rc = sel_known(fit, way, layout, bytes, &stages, &serial);
    *seconds = fit->parameters[way].o * stages + fit->parameters[way].L * serial;
    return rc;
}

/* Libraries scatter no message of fewer elements than ranks; elements have up to 8 bytes. Where such a message is
 * timed, it was scattered. */
static bool is_too_small(const sel_fit_t *fit, const sel_curve_t *c, sel_layout_t layout, size_t bytes)
{
    if (fit->table->way[c->way].setting->shape != PLANI_SHAPE_ROUNDS || bytes >= 8 * (size_t)layout.ranks) return false;
    return !sel_same_layout(c->layout, layout) || bytes < c->point[0].bytes;
}

plan_status_t sel_predict(sel_fit_t *fit, int way, sel_layout_t layout, size_t bytes, double *seconds)
{
    const sel_curve_t *c = most_similar(fit, way, layout);
    double here = 0, there = 0;
    plan_status_t rc = PLAN_OK;

    if (fit->given != NULL) return sel_given_predict(fit->given, way, layout, bytes, seconds);
    *seconds = c != NULL && !is_too_small(fit, c, layout, bytes) ? 0 : INFINITY;
    if (*seconds > 0 || layout.ranks == 1 || bytes == 0) return PLAN_OK;
    if (fit->settings.parameters_alone) {
        rc = by_parameters(fit, way, layout, bytes, seconds);
        if (rc == PLAN_EUNSUPPORTED) *seconds = INFINITY;
        return rc == PLAN_EUNSUPPORTED ? PLAN_OK : rc;
    }
    if ((rc = on_curve(fit, c, bytes, seconds)) != PLAN_OK || sel_same_layout(c->layout, layout)) return rc;
    rc = by_parameters(fit, way, layout, bytes, &here);
    if (rc == PLAN_EUNSUPPORTED) { /* not with so many ranks */
        *seconds = INFINITY;
        return PLAN_OK;
    }
    if (rc == PLAN_OK) rc = by_parameters(fit, way, c->layout, bytes, &there);
    if (there > 0) *seconds *= here / there;
    return rc;
}

plan_status_t sel_choose(sel_fit_t *fit, sel_layout_t layout, size_t bytes, int *way, double *seconds)
{
    *way = -1;
    *seconds = INFINITY;
    for (int w = 0; w < fit->table->nways; w++) {
        double t;
        plan_status_t rc = sel_predict(fit, w, layout, bytes, &t);
        if (rc != PLAN_OK) return rc;
        if (t < *seconds) *way = w, *seconds = t;
    }
    return PLAN_OK;
}

/* ---- rules ---- */

static plan_status_t find_communicator(sel_fit_t *fit, sel_layout_t layout, size_t bytes, plani_comm_rules_t *to)
{
    size_t size[PLANI_SIZES], n = plani_ladder(bytes, size);
    *to = (plani_comm_rules_t){.ranks = layout.ranks};
    for (size_t i = 0; i < n; i++) {
        plani_rule_t r = {.at = size[i], .plan_s = NAN};
        int way;
        plan_status_t rc = sel_choose(fit, layout, size[i], &way, &r.seconds);
        if (rc != PLAN_OK) return rc;
        if (way < 0) return PLAN_EINVAL;
        r.setting = fit->table->way[way].setting;
        r.segment = fit->table->way[way].segment;
        plani_rules_add_size(to, i > 0 ? size[i - 1] : 0, &r);
    }
    return PLAN_OK;
}

plan_status_t sel_rules(sel_fit_t *fit, size_t n, const sel_layout_t *layout, size_t bytes, plani_rules_t *out,
                        plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    *out = (plani_rules_t){.target = fit->table->library, .ranks = layout[n - 1].ranks, .bytes = bytes};
    if ((out->comm = calloc(n, sizeof *out->comm)) == NULL) rc = PLAN_ENOMEM;
    for (; out->n < n && rc == PLAN_OK; out->n++)
        rc = find_communicator(fit, layout[out->n], bytes, &out->comm[out->n]);
    if (rc == PLAN_OK) return PLAN_OK;
    plani_rules_clear(out);
    if (rc == PLAN_EINVAL)
        return plani_fail(err, rc, "no timed algorithm broadcasts small messages: time one that sends them whole");
    return plani_fail(err, rc, "out of memory for the rules of %zu communicators", n);
}
