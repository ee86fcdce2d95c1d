/* Agreement between ranks: all return the same error. Private. */
#ifndef PLANI_AGREE_H
#define PLANI_AGREE_H

#include <mpi.h>
#include <stddef.h>
#include <planbcast/mpi.h>

/** Collective: all ranks return 0 if all came with 0, else the code and the line of the lowest rank that did not. */
int plani_agree(MPI_Comm comm, int rc, plan_error_t *err);
/** Collective: PLAN_EDISAGREE on all ranks, saying which is meant, unless all ranks pass the same value. */
int plani_agree_value(MPI_Comm comm, const char *what, long long value, plan_error_t *err);
/** Collective: rank 0's data on every rank. Who waits sleeps, so that rank 0 has the processor to itself. */
int plani_hear(MPI_Comm comm, void *data, size_t bytes, plan_error_t *err);
/** Fill in err for an MPI error code: its text in one line. Returns rc. */
int plani_mpi_fail(plan_error_t *err, int rc, const char *where);

#endif
