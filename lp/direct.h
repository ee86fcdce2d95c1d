/*
 * The program as printed, with all variables x_w^{uv}, for small platforms: an oracle for the tests, and `planbcast
 * solve --method direct`. It is an archive of its own, not part of the library.
 */
#ifndef PLANI_DIRECT_H
#define PLANI_DIRECT_H

#include "lp/lp.h"

/** Program (2) of Beaumont, Marchal, Robert 2004. The arrays of `answer` are the caller's. */
plani_method_t plani_direct;
/** As plani_steady_solve, by the direct program; of the options only time_limit_s and pack_trees are used. */
plani_solver_t plani_steady_direct;

#endif
