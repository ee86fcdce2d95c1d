/*
 * Times the barriers, reductions and all-to-all of Figures 2 to 4 of Pjesivac-Grbovic et al. 2007, as Open MPI's
 * coll/tuned has them.
 *
 *     mpirun --mca coll_tuned_use_dynamic_rules 1 paper_004_collectives
 *
 * Prints, as paper_004 figures does, tab-separated: collective, algorithm, segment, "measured", ranks, bytes, seconds.
 * Times are from rank 0's start to the last rank's end, all begin at the same time, medians. Sums are of MPI_DOUBLE.
 */
#include "bench/baselines/forced.h"
#include <gsl/gsl_statistics_double.h>
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 15, LEAST_RUNS = 5, LARGEST = 1 << 20, PARTS = 48 };
static const double most_s = 1.5; /* for one point */

typedef enum { BARRIER, REDUCE, ALLTOALL } collective_t;
static const char *const called[] = {"barrier", "reduce", "alltoall"};

typedef struct {
    collective_t collective;
    const char *name;
    int algorithm, segment; /* of coll/tuned; [B] */
} method_t;
static const method_t methods[] = {{BARRIER, "bruck", 4, 0},      {BARRIER, "recursive_doubling", 3, 0},
                                   {BARRIER, "linear", 1, 0},     {REDUCE, "binomial", 5, 0},
                                   {REDUCE, "binomial", 5, 1024}, {REDUCE, "pipeline", 3, 0},
                                   {REDUCE, "pipeline", 3, 1024}, {ALLTOALL, "pairwise", 2, 0}};

static double sent[LARGEST / sizeof(double)], received[LARGEST / sizeof(double)];

static MPI_Comm communicator(MPI_Comm of, const method_t *m)
{
    MPI_Comm made = forced_algorithm(of, called[m->collective], m->algorithm, (size_t)m->segment);
    if (made != MPI_COMM_NULL) return made;
    fprintf(stderr, "paper_004_collectives: this MPI has no coll/tuned, or coll_tuned_use_dynamic_rules is not set\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

static void call(const method_t *m, MPI_Comm comm, int ranks, size_t bytes)
{
    if (m->collective == BARRIER)
        MPI_Barrier(comm);
    else if (m->collective == REDUCE)
        MPI_Reduce(sent, received, (int)(bytes / sizeof *sent), MPI_DOUBLE, MPI_SUM, 0, comm);
    else
        MPI_Alltoall(sent, (int)bytes / ranks, MPI_BYTE, received, (int)bytes / ranks, MPI_BYTE, comm);
}

static void point(const method_t *m, MPI_Comm comm, int rank, int ranks, size_t bytes)
{
    double sample[RUNS], offset = 0, spent = 0;
    int n = 0;

    call(m, comm, ranks, bytes); /* connects */
    while (n < RUNS && (n < LEAST_RUNS || spent < most_s)) {
        plan_span_t mine, all;
        plan_clock_sync(comm, &offset);
        plan_line_up(comm, offset);
        double start = plan_clock();
        call(m, comm, ranks, bytes);
        mine = plan_span(rank == 0, start, plan_clock(), offset);
        MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, comm);
        sample[n] = plan_span_seconds(all);
        spent += sample[n++];
    }
    if (rank == 0)
        printf("%s\t%s\t%d\tmeasured\t%d\t%zu\t%.6g\n", called[m->collective], m->name, m->segment, ranks, bytes,
               gsl_stats_median(sample, 1, (size_t)n));
}

/* All points of a method on these ranks. */
static void measure(const method_t *m, MPI_Comm of, int rank, int ranks)
{
    MPI_Comm comm = communicator(of, m);
    if (m->collective == BARRIER) point(m, comm, rank, ranks, 0);
    for (size_t bytes = sizeof *sent; bytes <= LARGEST && m->collective == REDUCE;
         bytes *= bytes == LARGEST / 2 ? 2 : 4)
        point(m, comm, rank, ranks, bytes);
    for (size_t bytes = PARTS; bytes <= LARGEST && m->collective == ALLTOALL; bytes *= 4)
        point(m, comm, rank, ranks, bytes);
    MPI_Comm_free(&comm);
}

/* Until the others have come, without taking their processor. */
static void wait_for_all(void)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
    int rank, all, provided;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    for (int ranks = 2; ranks <= all; ranks++) {
        MPI_Comm some;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &some);
        for (size_t i = 0; i < sizeof methods / sizeof *methods && some != MPI_COMM_NULL; i++)
            if (ranks == all || methods[i].collective == BARRIER) measure(&methods[i], some, rank, ranks);
        if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
        wait_for_all();
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
