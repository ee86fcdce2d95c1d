/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clock synchronisation. Each rank asks another one, which knows its offset to rank 0 already, for its time:
 *
 *     rank 0 -- 1, 2, 4, 8, ...      rank 1 -- 3, 5, 9, ...      rank 2 -- 6, 10, ...      (r + 2^k, 2^k > r)
 *
 * so P ranks take log2 P steps. The answering rank reads its clock between request and reply, so every round trip
 * confines the offset to an interval. If 0 lies in all intervals the clocks are taken as one, as on one host; else the
 * offset is the middle of their intersection.
 */
#include <planbcast/mpi.h>
#include "lib/base/base.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <math.h>
#include <sched.h>

enum { TRIPS = 3, TAG = 0x10c };

double plan_clock(void)
{
    return PLANI_ONE_CLOCK ? MPI_Wtime() : plani_now();
}

/* [s] Offset to the clock of the answering rank, which answers in rank 0's time. */
static int ask(MPI_Comm comm, int whom, double *offset)
{
    double low = -INFINITY, high = INFINITY, then = 0;

    for (int i = 0; i < TRIPS; i++) {
        double before = plan_clock();
        int rc = PMPI_Send(NULL, 0, MPI_BYTE, whom, TAG, comm);
        if (rc == MPI_SUCCESS) rc = PMPI_Recv(&then, 1, MPI_DOUBLE, whom, TAG, comm, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS) return rc;
        double after = plan_clock();
        low = fmax(low, then - after);
        high = fmin(high, then - before);
    }
    *offset = low <= 0 && high >= 0 ? 0 : (low + high) / 2;
    return MPI_SUCCESS;
}

static int answer(MPI_Comm comm, int whom, double offset)
{
    for (int i = 0; i < TRIPS; i++) {
        int rc = PMPI_Recv(NULL, 0, MPI_BYTE, whom, TAG, comm, MPI_STATUS_IGNORE);
        double now = plan_clock() + offset;
        if (rc == MPI_SUCCESS) rc = PMPI_Send(&now, 1, MPI_DOUBLE, whom, TAG, comm);
        if (rc != MPI_SUCCESS) return rc;
    }
    return MPI_SUCCESS;
}

int plan_clock_sync(MPI_Comm comm, double *offset_s)
{
    int rank = 0, ranks = 0, bit = 1, rc;
    double offset = 0;

    if (comm == MPI_COMM_NULL || offset_s == NULL) return PLAN_EINVAL;
    *offset_s = 0;
    if (PLANI_ONE_CLOCK) return MPI_SUCCESS;
    rc = PMPI_Comm_rank(comm, &rank);
    if (rc == MPI_SUCCESS) rc = PMPI_Comm_size(comm, &ranks);
    while (bit <= rank) bit *= 2; /* above the rank's highest bit; rank - bit / 2 is synchronised first */
    if (rc == MPI_SUCCESS && rank > 0) rc = ask(comm, rank - bit / 2, &offset);
    for (; rc == MPI_SUCCESS && bit < ranks && rank + bit < ranks; bit *= 2) rc = answer(comm, rank + bit, offset);
    if (rc == MPI_SUCCESS) *offset_s = offset;
    return rc;
}

/* Wait, yielding the processor to other ranks. */
static void wait_for(double seconds)
{
    double end = plan_clock() + seconds;

    if (PLANI_MUST_BLOCK) plani_sleep(seconds);
    while (!PLANI_MUST_BLOCK && plan_clock() < end) sched_yield();
}

/*
 * After two all-reduces every rank knows when the last rank arrived, and when the last one left the first all-reduce.
 * The common instant is that departure plus twice the time between the two, so that all ranks have left the second by
 * then. No rank waits longer than twice the time of both all-reduces: a longer wait means that offset_s is wrong.
 */
int plan_line_up(MPI_Comm comm, double offset_s)
{
    double came = plan_clock(), mine = came + offset_s, last = 0, left = 0;

    if (comm == MPI_COMM_NULL) return PLAN_EINVAL;
    int rc = PMPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    mine = plan_clock() + offset_s;
    if (rc == MPI_SUCCESS) rc = PMPI_Allreduce(&mine, &left, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (rc != MPI_SUCCESS) return rc;
    double now = plan_clock();
    wait_for(fmin(left + 2 * (left - last) - (now + offset_s), 2 * (now - came)));
    return MPI_SUCCESS;
}
