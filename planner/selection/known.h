/* Inside planner/selection alone: works that are made when they are first needed. */
#ifndef PLANI_SELECTION_KNOWN_H
#define PLANI_SELECTION_KNOWN_H

#include "planner/selection/selection.h"

struct sel_known_work {
    int way;
    sel_layout_t layout;
    sel_work_t *work;
};

/** sel_work_count of a way on a layout. */
plan_status_t sel_known(sel_fit_t *fit, int way, sel_layout_t layout, size_t bytes, double *stages, double *serial);
/** Least squares, arguments as sel_huber. */
bool sel_least_squares(size_t n, size_t p, const double *x, const double *y, double *c);
/** The stage models of Nuriyev et al. 2022. */
plan_status_t sel_given_predict(const sel_given_t *given, int way, sel_layout_t layout, size_t bytes, double *seconds);

#endif
