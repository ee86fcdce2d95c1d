/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing one candidate. */
#include "lib/mpi/autotune/time.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/common.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/comm/wait.h"
#include <math.h>
#include <stdlib.h>

enum { BATCH = 8, MOST = 2000 };

double plani_median(double *x, int n, int *narrow)
{
    plani_interval_t i = plani_interval(x, n);
    *narrow = plani_is_narrow(&i);
    return i.median;
}

/* n broadcasts, which all ranks begin at the same time. slow[] at rank 0: [s] from the root's start to the last rank's
 * end (Hunold, Carpen-Amarie 2016, "MPI benchmarking revisited"). */
static int time_batch(MPI_Comm comm, plan_t *plan, void *buffer, size_t bytes, int n, double *slow)
{
    plan_span_t mine[BATCH] = {{0, 0}}, all[BATCH];
    double offset = 0;
    int first = 0, rank = 0, rc;

    MPI_Comm_rank(comm, &rank);
    if ((rc = plan_clock_sync(comm, &offset)) != MPI_SUCCESS) return rc;
    for (int i = 0; i < n; i++) {
        rc = plan_line_up(comm, offset);
        double start = plan_clock();
        if (rc == MPI_SUCCESS) rc = plan_execute(plan, buffer, (MPI_Count)bytes, MPI_BYTE);
        mine[i] = plan_span(rank == plan_data(plan)->root, start, plan_clock(), offset);
        if (first == 0) first = rc;
    }
    rc = MPI_Reduce(mine, all, 2 * n, MPI_DOUBLE, MPI_MAX, 0, comm);
    for (int i = 0; i < n && rank == 0; i++) slow[i] = plan_span_seconds(all[i]);
    return first != 0 ? first : rc;
}

/* Rank 0: repetitions in the next batch; 0: enough. */
static int next_batch(double *sample, int n, double spent_s, double budget_s)
{
    int narrow = 0, room;
    double each = n > 0 ? plani_median(sample, n, &narrow) : INFINITY;

    if (n == 0) return 1;
    if (narrow || n >= MOST || spent_s >= budget_s) return 0;
    room = each * BATCH < budget_s - spent_s ? BATCH : (int)((budget_s - spent_s) / each);
    return room < 1 ? 1 : room;
}

static int repeat(MPI_Comm comm, plan_t *plan, void *buffer, size_t bytes, double budget_s, double *seconds,
                  double *fastest, plan_error_t *err)
{
    int rank = 0, n = 0, batch = 1, narrow, rc = 0;
    double sample[MOST + BATCH], slow[BATCH] = {0}, start = MPI_Wtime();
    bool warm = false;

    MPI_Comm_rank(comm, &rank);
    for (;;) {
        rc = plani_agree(comm, time_batch(comm, plan, buffer, bytes, batch, slow), err);
        if (rc != 0) return rc;
        double spent = MPI_Wtime() - start;
        /* The first broadcast sets up connections: it counts only if there is time for no other. */
        for (int i = 0; rank == 0 && i < batch && (warm || spent >= budget_s); i++) sample[n++] = slow[i];
        warm = true;
        if (rank == 0) batch = next_batch(sample, n, spent, budget_s);
        if ((rc = PMPI_Bcast(&batch, 1, MPI_INT, 0, comm)) != MPI_SUCCESS) return plani_mpi_fail(err, rc, "timing");
        if (batch == 0) break;
    }
    double found[2] = {0, 0};
    if (rank == 0) found[0] = plani_median(sample, n, &narrow), found[1] = sample[0]; /* sorted now */
    rc = PMPI_Bcast(found, 2, MPI_DOUBLE, 0, comm);
    *seconds = found[0];
    if (fastest != NULL) *fastest = found[1];
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(err, rc, "timing");
}

int plani_time(MPI_Comm comm, int root, const plan_candidate_t *c, size_t bytes, double budget_s, double *seconds,
               double *fastest, plan_error_t *err)
{
    int rank = 0, ranks = 0, rc = 0;
    plan_range_t range = {.up_to = bytes, .chosen = c};
    plan_t *one = NULL, *plan = NULL;
    void *buffer = NULL;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0 && (rc = plan_from_ranges(ranks, root, 1, &range, NULL, &one)) != PLAN_OK)
        plani_fail(err, rc, "the candidate is not executable: %s", plan_status_string(rc));
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = plani_bind(comm, one, &plan, err)) != 0) goto done;
    if ((buffer = plani_pool_create(bytes ? bytes : 1)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for a broadcast of %zu bytes", bytes);
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    rc = repeat(comm, plan, buffer, bytes, budget_s, seconds, fastest, err);
done:
    plani_detach(plan);
    plan_destroy(&plan);
    plan_destroy(&one);
    plani_pool_destroy(buffer);
    return rc;
}
