/* Waiting for others. */
#ifndef PLANI_WAIT_H
#define PLANI_WAIT_H

#include "lib/mpi/comm/simulator.h"
#include <mpi.h>

/** Nothing where it is not positive. */
void plani_sleep(double seconds);
/** A request's completion awaited with sleeps that grow to 0.3 ms: ranks may share a core. */
int plani_calm_wait(MPI_Request *request);
/** After the n-th look (from 0) in vain for what others bring: with more ranks than cores these need a processor, so
 * who looks long lets them have it. */
void plani_give_way(int look);

#endif
