/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement between ranks: all return the same error. Private. */
#ifndef PLANI_AGREE_H
#define PLANI_AGREE_H

#include "lib/base/base.h"
#include <mpi.h>
#include <stddef.h>
#include <planbcast/mpi.h>

/** Collective: all ranks return 0 if all pass 0, else the code and the error of the lowest rank that does not. */
int plani_agree(MPI_Comm comm, int rc, plan_error_t *err);
/** Collective: PLAN_EDISAGREE on all ranks, with an error that names `what`, unless all pass the same value. */
int plani_agree_value(MPI_Comm comm, const char *what, long long value, plan_error_t *err);
/** Collective: broadcast rank 0's data. Waiting ranks sleep, so that rank 0 has the processor to itself. */
int plani_hear(MPI_Comm comm, void *data, size_t bytes, plan_error_t *err);
/** Fill in err with the text of an MPI error code. Returns rc. */
PLANI_COLD int plani_mpi_fail(plan_error_t *err, int rc, const char *where);

#endif
