/* The bound of a platform by any solver. */
#ifndef PLANI_BOUND_H
#define PLANI_BOUND_H

#include <planbcast/platform.h>
#include "lp/program.h"

/** By this solver plan_platform_bound, or, with `guesses`, plani_platform_rates. */
plan_status_t plani_platform_bound_by(plani_solver_t *solve, const plan_platform_t *pf, int root, double slice,
                                      bool guesses, const plan_steady_options_t *options, plan_steady_t **out,
                                      plan_error_t *err);
/** Rates for plans: as plan_platform_bound, but guesses limit as well. */
plan_status_t plani_platform_rates(const plan_platform_t *pf, int root, double slice,
                                   const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err);

#endif
