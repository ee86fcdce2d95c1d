/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads: two of them broadcast at the same time, each on a communicator and by a plan of its own.
 *
 *     mpicc -pthread threads.c -o threads $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 4 ./threads
 */
#include <planbcast/mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, COUNT = 1 << 16, TIMES = 10 };

typedef struct {
    MPI_Comm comm;
    plan_t *plan;
    int rank, number, x[COUNT];
    int rc, wrong;
} work_t;

static void *broadcast(void *argument)
{
    work_t *w = argument;

    for (int t = 0; t < TIMES && w->rc == 0; t++) {
        for (int i = 0; i < COUNT && w->rank == 0; i++) w->x[i] = w->number + t + i;
        w->rc = plan_execute(w->plan, w->x, COUNT, MPI_INT);
        for (int i = 0; i < COUNT; i++) w->wrong |= w->x[i] != w->number + t + i;
    }
    return NULL;
}

static void check(int rc)
{
    if (rc == 0) return;
    fprintf(stderr, "threads: error %d: %s\n", rc, rc < 0 ? plan_status_string((plan_status_t)rc) : "of MPI");
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static work_t work[THREADS];
    pthread_t thread[THREADS];
    plan_options_t options;
    int provided, rank, wrong = 0, wrongs = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0) printf("this MPI library has no MPI_THREAD_MULTIPLE; nothing broadcast: all right\n");
        MPI_Finalize();
        return 0;
    }
    check(plan_options_init(&options, NULL));
    options.budget_s = 1;

    /* One thread makes all plans. As with MPI_Bcast, broadcasts in one communicator are one after the other. */
    for (int k = 0; k < THREADS; k++) {
        work[k].rank = rank;
        work[k].number = 1000 * k;
        MPI_Comm_dup(MPI_COMM_WORLD, &work[k].comm);
        check(plan_bcast(work[k].comm, 0, sizeof work[k].x, &options, &work[k].plan));
    }
    for (int k = 0; k < THREADS; k++)
        if (pthread_create(&thread[k], NULL, broadcast, &work[k]) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        check(work[k].rc);
        wrong |= work[k].wrong;
        plan_destroy(&work[k].plan);
        MPI_Comm_free(&work[k].comm);
    }

    MPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d threads, %d broadcasts each: %s\n", THREADS, TIMES, wrongs ? "WRONG" : "all right");
    MPI_Finalize();
    return rank == 0 && wrongs ? 1 : 0;
}
