/* The bound of a platform by any solver. */
#ifndef PLANI_BOUND_H
#define PLANI_BOUND_H

#include <planbcast/platform.h>
#include "lp/program.h"

/** plan_platform_bound by this solver. */
plan_status_t plani_platform_bound_by(plani_solver_t *solve, const plan_platform_t *pf, int root, double slice,
                                      const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err);

#endif
