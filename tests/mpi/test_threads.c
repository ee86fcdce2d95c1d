/*
 * Two threads, each with its own communicator and plans, plan and broadcast at the same time. A plan is also destroyed
 * after MPI_Finalize. Skipped where MPI has no MPI_THREAD_MULTIPLE.
 */
#include <planbcast/mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, ROUNDS = 200, MOST = 40000, SKIP = 77 };

static atomic_int failures;

static void check(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "%s\n", what);
    atomic_fetch_add(&failures, 1);
}

typedef struct {
    MPI_Comm comm;
    int number;
    plan_t *plan;
} worker_t;

static void plan_chain(worker_t *w, int ranks, int root)
{
    plan_tree_t *tree = NULL;
    plan_t *offline = NULL;
    double rate = 1;
    check(plan_tree_topology(PLAN_BINARY, ranks, root, 0, &tree) == PLAN_OK, "no tree");
    plan_candidate_t c = {
        .size = sizeof c, .name = "mine", .run = PLAN_RUN_TREES, .slice = 1500, .window = 2, .ntrees = 1};
    c.tree = &tree;
    c.rate = &rate;
    plan_range_t range = {.up_to = MOST, .chosen = &c};
    check(plan_from_ranges(ranks, root, 1, &range, NULL, &offline) == PLAN_OK, "no plan");
    check(plan_bind(w->comm, offline, &w->plan, NULL) == 0, "the plan is not bound");
    plan_tree_destroy(&tree);
    plan_destroy(&offline);
}

/* One after the other in all ways. Each thread also moves on what the other has started. */
static int cast(plan_t *plan, void *data, size_t bytes, int round)
{
    bool done = false;
    if (round % 3 == 0) return plan_execute(plan, data, (MPI_Count)bytes, MPI_BYTE);
    int rc = plan_start(plan, data, (MPI_Count)bytes, MPI_BYTE);
    if (rc != 0 || round % 3 == 1) return rc != 0 ? rc : plan_wait(plan);
    while (!done && (rc = plan_test(plan, &done)) == 0) sched_yield();
    return rc;
}

static void *work(void *arg)
{
    worker_t *w = arg;
    int rank, ranks;
    unsigned char *data = malloc(MOST);
    MPI_Comm_rank(w->comm, &rank);
    MPI_Comm_size(w->comm, &ranks);
    for (int round = 0; round < ROUNDS; round++) {
        int root = round / 50 % ranks, good = 1;
        if (round % 50 == 0) {
            plan_destroy(&w->plan);
            plan_chain(w, ranks, root);
        }
        size_t bytes = (size_t)(round * 197 % MOST) + 1;
        int value = (round * 2 + w->number) % 251;
        memset(data, rank == root ? value : 255, bytes);
        check(cast(w->plan, data, bytes, round) == 0, "a broadcast failed");
        for (size_t i = 0; i < bytes; i++) good &= data[i] == value;
        check(good, "a broadcast of another thread arrived");
    }
    free(data);
    return NULL;
}

int main(int argc, char **argv)
{
    int given = 0, ranks, failed;
    worker_t worker[THREADS];
    pthread_t thread[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    if (given < MPI_THREAD_MULTIPLE) {
        MPI_Finalize();
        return SKIP;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < THREADS; i++) {
        worker[i] = (worker_t){.number = i};
        MPI_Comm_dup(MPI_COMM_WORLD, &worker[i].comm);
    }
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work, &worker[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    plan_destroy(&worker[0].plan);
    for (int i = 0; i < THREADS; i++) MPI_Comm_free(&worker[i].comm);
    failed = atomic_load(&failures);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    check(plan_data(worker[1].plan)->ranks == ranks, "a plan went with MPI");
    check(plan_execute(worker[1].plan, &failed, 1, MPI_INT) == PLAN_EINVAL, "a broadcast after MPI has ended");
    check(plan_start(worker[1].plan, &failed, 1, MPI_INT) == PLAN_EINVAL, "a start after MPI has ended");
    check(plan_wait(worker[1].plan) == PLAN_EINVAL, "a wait after MPI has ended");
    plan_destroy(&worker[1].plan); /* memory alone is left to free */
    return failed + atomic_load(&failures) ? EXIT_FAILURE : EXIT_SUCCESS;
}
