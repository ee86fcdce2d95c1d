/*
 * The program as printed, all of x_w^{uv}: the oracle of the tests and of `planbcast solve --method direct`, for small
 * platforms. An archive of its own; no part of the library.
 */
#ifndef PLANI_DIRECT_H
#define PLANI_DIRECT_H

#include "lp/lp.h"

/** Program (2) of Beaumont, Marchal, Robert 2004. The arrays of `answer` are the caller's. */
plani_method_t plani_direct;
/** As plani_steady_solve, by the direct program; of the options time_limit_s and pack_trees count. */
plani_solver_t plani_steady_direct;

#endif
