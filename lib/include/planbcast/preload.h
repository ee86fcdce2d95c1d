/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs may ask a preloaded libplanbcast-preload.so. */
#ifndef PLANBCAST_PRELOAD_H
#define PLANBCAST_PRELOAD_H

#include <planbcast/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experimental ---- */

/**
 * Number of broadcasts and reductions that this process has run by a plan. Planned ones for which the plan says
 * MPI_Bcast or MPI_Reduce count, too.
 *
 * libplanbcast-preload.so alone defines it. A program that also runs without that library finds it by
 * dlsym(RTLD_DEFAULT, "plan_preload_count"), which returns NULL there; others link the library.
 */
PLAN_API long plan_preload_count(void);

#ifdef __cplusplus
}
#endif
#endif
