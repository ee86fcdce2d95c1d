/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planbcast: plan and run broadcasts on heterogeneous machines. This header is free of MPI; see planbcast/mpi.h.
 *
 * What holds for all functions:
 *
 * - Times are in seconds, sizes in bytes, rates in bytes or slices per second; ranks count from 0.
 * - The caller owns what `T **out` returns and destroys it with T's _destroy; on error it is untouched, unless a
 *   function says otherwise. A returned pointer to const is lent, and lives as long as the object it came from.
 *   Arguments are borrowed for the call.
 * - Any function that returns a status may return PLAN_ENOMEM, and PLAN_EINVAL for a NULL where none is allowed; other
 *   errors are listed per function. A _destroy accepts NULL, and the address of NULL.
 * - On error `err`, if it is not NULL, holds one line that says what is wrong, where, and how to fix it.
 * - A struct that the caller fills in begins with its size: `plan_choice_t c = {.size = sizeof c, .only = "grow"};`.
 *   A library of another version thus detects a different layout: any size that it does not know, including 0, is
 *   PLAN_EINVAL. The size also stands for the layout of what the struct points to (links, resources, ...).
 *   plan_options_init sets the sizes of plan_options_t. Structs that the library lends may grow at their ends; others
 *   never change.
 * - Headers have sections. Stable functions and types keep name, arguments and meaning from one minor version to the
 *   next; if one has to change, the old version is kept beside the new for one minor version. Experimental ones may
 *   change or disappear with any version. Before 1.0, programs must be recompiled for each minor version in any case.
 * - Threads may call at the same time, as long as none changes or destroys what another one uses; objects that are
 *   immutable once made (platforms, trees, plans, profiles) may be read by many. igraph has global state: the library
 *   serialises its own calls of it, and a program that calls it itself must not do so while another thread plans.
 *   GLPK's state is per thread, and a caller's own is left alone. planbcast/mpi.h says more about its functions.
 * - Nothing is printed, and nothing exits or aborts. Only functions of planbcast/mpi.h and the library to preload read
 *   the environment; plan_options_init says which variables.
 * - libplanbcast has planbcast/mpi.h, and plans in memory and in files. All other functions are in
 *   libplanbcast-planner, which it opens when there is something to plan.
 */
#ifndef PLANBCAST_H
#define PLANBCAST_H

#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <planbcast/plan.h>
#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/status.h>
#include <planbcast/steady.h>
#include <planbcast/tree.h>
#include <planbcast/version.h>

#endif
