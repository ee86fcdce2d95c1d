/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether MPI is over, without asking MPI before each broadcast: a short one takes no longer than that. Private. */
#ifndef PLANI_OVER_H
#define PLANI_OVER_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

extern atomic_bool plani_may_be_over; /* only for this header and over.c */

/** From now on MPI is only asked once it has begun to end. Without MPI_COMM_WORLD (MPI sessions) it is asked always.
 * Local; to be called while MPI is not over. */
void plani_watch_for_end(void);

/** Whether MPI_Finalize has returned. */
static inline bool plani_is_over(void)
{
    int over = 0;
    if (atomic_load_explicit(&plani_may_be_over, memory_order_relaxed)) MPI_Finalized(&over);
    return over != 0;
}

#endif
