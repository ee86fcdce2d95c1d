/* Rules as text. */
#include "planner/exports/exports.h"
#include "planner/plan/units.h"
#include <math.h>
#include <stdio.h>

plani_doing_t plani_doing(const plani_rule_t *r)
{
    plani_doing_t t;
    bool halves = r->setting->shape == PLANI_SHAPE_SPLIT || r->setting->shape == PLANI_SHAPE_TWO_TREES;
    if (r->segment == 0)
        snprintf(t.s, sizeof t.s, "%s, %s", r->setting->name, halves ? "in halves" : "whole");
    else
        snprintf(t.s, sizeof t.s, "%s in segments of %s", r->setting->name, plani_bytes((double)r->segment).s);
    return t;
}

plani_costing_t plani_costing(const plani_rule_t *r)
{
    plani_costing_t t;
    plani_quantity_t at = plani_bytes((double)r->at), seconds = plani_seconds(r->seconds);
    if (isfinite(plani_rule_factor(r)))
        snprintf(t.s, sizeof t.s, "%s at %s, %.2f times the plan's time (%s)", seconds.s, at.s, plani_rule_factor(r),
                 r->plan);
    else
        snprintf(t.s, sizeof t.s, "%s at %s", seconds.s, at.s);
    return t;
}
