/* Waiting for others. */
#ifndef PLANI_WAIT_H
#define PLANI_WAIT_H

#include <mpi.h>
#include <stddef.h>

/** Whether time is simulated: then whoever waits must block, for a clock stands still while a rank asks again and
 * again; and no rank takes a processor from another. SimGrid 3.32 keeps lists that it walks from end to end for every
 * message, and which must stay short:
 * - one of each rank, from which MPI_Wait and MPI_Waitany take what they complete, but MPI_Test and MPI_Waitsome do
 *   not: nobody may ask at all;
 * - one of all ranks, with every short message on its way that was sent by MPI_Send or MPI_Isend: what may be many at
 *   once is sent by MPI_Issend, which arrives no later. */
#ifdef PLANBCAST_SIMULATED
enum { PLANI_SIMULATED = 1 };
#else
enum { PLANI_SIMULATED = 0 };
#endif

/** Nothing where it is not positive; in simulated time, of that. */
void plani_sleep(double seconds);
/** A request's completion awaited with sleeps that grow to 0.3 ms: ranks may share a core. */
int plani_calm_wait(MPI_Request *request);
/** After the n-th look (from 0) in vain for what others bring: with more ranks than cores these need a processor, so
 * who looks long lets them have it. */
void plani_give_way(int look);

/** Memory for messages whose bytes nobody looks at, touched; NULL: none. In simulated time all ranks share it, and
 * nothing is copied. */
void *plani_pool_create(size_t size);
void plani_pool_destroy(void *pool);

#endif
