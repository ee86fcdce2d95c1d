/* How many slices are sent ahead of a late rank: the window. */
#include "mpi_suite.h"
#include "cast.h"
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { TREES = 2 };

/* In memory that both ranks see. */
typedef struct {
    atomic_int sent[TREES], posted[TREES];
} ledger_t;

static ledger_t *ledger; /* NULL: nobody counts */
static int trees_used;
static int most_ahead; /* slices of a tree sent, less receives posted for them */

/* See lib/mpi/execute/tag.h: above the lowest bit, as many as two trees need. */
static int tree_of(int tag)
{
    return trees_used > 1 ? tag >> 1 & 1 : 0;
}

static void count_send(int tag)
{
    if (ledger == NULL) return;
    int t = tree_of(tag), ahead = atomic_fetch_add(&ledger->sent[t], 1) + 1 - atomic_load(&ledger->posted[t]);
    if (ahead > most_ahead) most_ahead = ahead;
}

/* In place of MPI's own, as a tool would. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_send(tag);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_send(tag);
    return PMPI_Issend(data, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (ledger != NULL) atomic_fetch_add(&ledger->posted[tree_of(tag)], 1);
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
}

/* Comes when the root has sent all that the windows allow; what it sends beyond, it sends in the time that follows. */
static void come_late(int trees, int window)
{
    const struct timespec nap = {0, 20000000};
    for (int t = 0; t < trees; t++)
        while (atomic_load(&ledger->sent[t]) < window) sched_yield();
    nanosleep(&nap, NULL);
}

/* Small slices, which MPI takes off the sender's hands at once. */
static void wait_for_a_late_rank(int trees, size_t slice, int window)
{
    MPI_Win shared;
    MPI_Aint size;
    int unit;
    rng_t r = {7};
    plan_tree_t *tree[TREES];
    const double rate[TREES] = {1, 1};
    void *base = NULL;

    MPI_Win_allocate_shared(world_rank() == 0 ? sizeof(ledger_t) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared);
    MPI_Win_shared_query(shared, 0, &size, &unit, &base);
    for (int t = 0; t < trees; t++) tree[t] = random_tree(&r, world_size(), 0);
    if (world_rank() == 0) *(ledger_t *)base = (ledger_t){{0}, {0}};
    plan_t *plan = trees_plan(MPI_COMM_WORLD, 0, (size_t)trees, tree, rate, slice, window);
    MPI_Barrier(MPI_COMM_WORLD);
    most_ahead = 0;
    trees_used = trees;
    ledger = base;
    if (world_rank() == 1) come_late(trees, window);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, slice * (size_t)(8 * trees * window), 3));
    ledger = NULL;
    CU_ASSERT(world_rank() != 0 || most_ahead >= window);
    CU_ASSERT(most_ahead <= window + (window - 1) / 2); /* what has arrived is known by half windows */
    plan_destroy(&plan);
    MPI_Win_free(&shared);
}

static void several_trees_wait_for_a_rank_that_is_late(void)
{
    wait_for_a_late_rank(TREES, 64, 4);
    wait_for_a_late_rank(TREES, 64, 1);
}

static void a_wide_window_of_a_single_tree_holds(void)
{
    wait_for_a_late_rank(1, 256, 256);
}

MPI_SUITE_MAIN("windows", TEST(several_trees_wait_for_a_rank_that_is_late), TEST(a_wide_window_of_a_single_tree_holds))
