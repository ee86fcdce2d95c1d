/*
 * planbcast: plan and run broadcasts on heterogeneous machines. This header is free of MPI; see planbcast/mpi.h.
 *
 * What holds for all functions:
 *
 * - Times are in seconds, sizes in bytes, rates in bytes or slices per second; ranks count from 0.
 * - What comes back through `T **out` is the caller's, for T's _destroy, and stays untouched on error unless a
 *   function says otherwise. What comes back as a pointer to const is lent, and lives as long as the object that
 *   it was asked of. Arguments are borrowed for the call.
 * - PLAN_ENOMEM may come from any function that returns a status, and PLAN_EINVAL for a NULL where none may be; what
 *   else may come is said at each. A _destroy takes NULL, and the address of NULL.
 * - On error `err`, if it is not NULL, holds one line that says what is wrong, where, and what mends it.
 * - Different threads may call at the same time, as long as none changes or destroys what another one uses; what is
 *   immutable once made (platforms, trees, plans, profiles) may be read by many. igraph keeps variables of the
 *   process, and so does GSL, which `calibrate` fits with: there the library's threads take turns, and a program that
 *   calls these two itself does so while none is planning. GLPK's are the thread's: a caller's own are left alone.
 *   planbcast/mpi.h says more of its functions.
 * - Nothing is printed, nothing exits or aborts, and the environment is read by plan_options_init alone (and by the
 *   preloaded library).
 */
#ifndef PLANBCAST_H
#define PLANBCAST_H

#include <planbcast/contention.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <planbcast/models.h>
#include <planbcast/plan.h>
#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/score.h>
#include <planbcast/status.h>
#include <planbcast/steady.h>
#include <planbcast/tree.h>
#include <planbcast/version.h>

#endif
