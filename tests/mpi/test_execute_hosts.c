/* Broadcasts down trees between hosts and through shared memory inside them. */
#include "mpi_suite.h"
#include "cast.h"
#include "types.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/binding.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

static int hosts = 1; /* that the ranks seem to be on, */
static bool cyclic;   /* dealt out, or in blocks */

static int host_of(int rank, int ranks)
{
    return cyclic ? rank % hosts : rank * hosts / ranks;
}

/* Takes the place of MPI's. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    int rank, ranks;
    (void)type, (void)info;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    return PMPI_Comm_split(comm, host_of(rank, ranks), key, out);
}

static bool no_memory; /* the system has none to share */

int posix_fallocate(int file, off_t from, off_t size)
{
    return no_memory ? ENOSPC : ftruncate(file, from + size);
}

/* A random tree that enters each host once, at a random rank of it. */
static plan_tree_t *host_tree(rng_t *r, int ranks, int root)
{
    int parent[MOST], order[MOST] = {0}, entry[MOST], placed[MOST], n = 0;
    plan_tree_t *tree = NULL;

    for (int h = 0; h < hosts; h++) entry[h] = -1;
    for (int h = 0; h < hosts; h++) {
        int here[MOST], m = 0;
        for (int v = 0; v < ranks; v++)
            if (host_of(v, ranks) == h) here[m++] = v;
        if (m > 0) entry[h] = h == host_of(root, ranks) ? root : here[rng_below(r, m)];
    }
    for (int i = 0; i < hosts; i++) { /* the root's first */
        int h = (host_of(root, ranks) + i) % hosts;
        if (entry[h] < 0) continue;
        parent[entry[h]] = n == 0 ? -1 : placed[rng_below(r, n)];
        int first = n;
        placed[n++] = entry[h];
        for (int v = 0; v < ranks; v++) {
            if (host_of(v, ranks) != h || v == entry[h]) continue;
            parent[v] = placed[first + rng_below(r, n - first)];
            placed[n++] = v;
        }
    }
    if (plan_tree_create(ranks, parent, order, &tree) != PLAN_OK) abort();
    return tree;
}

/* A plan of one range. */
static plan_t *hosts_plan(MPI_Comm comm, int root, size_t ntrees, size_t slice, int window, rng_t *r)
{
    plan_candidate_t c = {
        .size = sizeof c, .name = "test", .run = PLAN_RUN_HOSTS, .slice = slice, .window = window, .ntrees = ntrees};
    const plan_range_t range = {.up_to = 1 << 20, .chosen = &c};
    plan_tree_t *tree[8];
    double rate[8];
    int ranks = ranks_of(comm);
    plan_t *offline = NULL, *plan = NULL;

    for (size_t t = 0; t < ntrees; t++) tree[t] = host_tree(r, ranks, root), rate[t] = 1 + rng_below(r, 3);
    c.tree = tree, c.rate = rate;
    if (plan_from_ranges(ranks, root, 1, &range, NULL, &offline) != PLAN_OK) abort();
    if (plan_bind(comm, offline, &plan, NULL) != 0) abort();
    plan_destroy(&offline);
    for (size_t t = 0; t < ntrees; t++) plan_tree_destroy(&tree[t]);
    return plan;
}

/* Of this rank's part: whether slices reach it, or leave it, through shared memory. */
static bool shares(const plan_t *plan)
{
    const plani_binding_t *b = plan->binding;
    return b->part[0].hosts && b->ring->size > 0;
}

/* A communicator for which no memory has been shared yet. */
static MPI_Comm fresh(int ranks)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() < ranks ? 0 : MPI_UNDEFINED, world_rank(), &comm);
    return comm;
}

static void every_size_arrives_whatever_trees_hosts_and_roots(void)
{
    static const size_t size[] = {0, 1, 4999, 5000, 5001, 65536, 1000003, 3456789};
    rng_t r = {7};

    for (int turn = 0; turn < 40; turn++) {
        int ranks = 1 + rng_below(&r, world_size());
        hosts = 1 + rng_below(&r, ranks);
        cyclic = rng_below(&r, 2);
        int root = rng_below(&r, ranks), window = 1 + rng_below(&r, 8);
        size_t ntrees = 1 + (size_t)rng_below(&r, 5), slice = (size_t)1 << (10 + rng_below(&r, 9));
        MPI_Comm comm = fresh(ranks);
        rng_t same = {rng_next(&r)};
        if (comm == MPI_COMM_NULL) continue;
        plan_t *plan = hosts_plan(comm, root, ntrees, slice, window, &same);
        if (hosts == 1) CU_ASSERT_EQUAL(shares(plan), ranks > 1);
        for (size_t i = 0; i < sizeof size / sizeof *size; i++) CU_ASSERT(casts_bytes(plan, comm, root, size[i], i));
        plan_destroy(&plan);
        MPI_Comm_free(&comm);
    }
}

/* Plans of different roots, trees and slices, and shared memory's slots of different sizes, in turns, while ranks run
 * ahead and fall behind. */
static void broadcasts_follow_each_other_without_a_barrier(void)
{
    enum { PLANS = 4 };
    int ranks = world_size();
    rng_t r = {99};
    plan_t *plan[PLANS];
    hosts = ranks > 2 ? 2 : 1;
    MPI_Comm comm = fresh(ranks);
    for (int i = 0; i < PLANS; i++)
        plan[i] = hosts_plan(comm, i % ranks, 1 + (size_t)i, (size_t)3000 << (2 * i), 1 + 2 * i, &r);
    for (int i = 0; i < 400; i++) {
        int which = rng_below(&r, PLANS);
        size_t bytes = (size_t)rng_below(&r, i % 10 == 0 ? 2000000 : 20000);
        CU_ASSERT(casts_bytes(plan[which], comm, which % ranks, bytes, (uint64_t)i));
    }
    for (int i = 0; i < PLANS; i++) plan_destroy(&plan[i]);
    MPI_Comm_free(&comm);
}

static void every_datatype_arrives(void)
{
    int ranks = world_size();
    rng_t r = {5};
    cyclic = true;
    hosts = ranks > 2 ? 2 : 1;
    MPI_Comm comm = fresh(ranks);
    for (int i = 0; i < 30; i++) {
        plan_t *plan = hosts_plan(comm, i % ranks, 1 + (size_t)(i % 3), (size_t)64 << (i % 8), 1 + i % 5, &r);
        MPI_Datatype type;
        enum { N = 700 };
        MPI_Type_vector(N, 3, 3 + i % 4, MPI_INT, &type);
        MPI_Type_commit(&type);
        size_t size = (size_t)N * 7 * sizeof(int);
        layout_t layout = {.type = type, .count = 1, .origin = 16, .size = size + 32, .memory = calloc(1, size + 32)};
        CU_ASSERT(casts_layout(plan, comm, i % ranks, &layout, (uint64_t)i));
        free(layout.memory);
        MPI_Type_free(&type);
        plan_destroy(&plan);
    }
    MPI_Comm_free(&comm);
    cyclic = false;
}

/* Some rank passes another size than the root: it reports that, and all others get their data, then and later. */
static void another_size_is_noticed_and_does_no_harm(void)
{
    static const size_t size[][2] = {{1000, 2000}, {2000, 1000}, {1000, 300000}, {300000, 1000}};
    int ranks = world_size();
    unsigned char *data = malloc(300001);
    rng_t r = {3};

    hosts = ranks > 2 ? 2 : 1;
    MPI_Comm comm = fresh(ranks);
    plan_t *plan = hosts_plan(comm, 0, 3, 4096, 4, &r);
    for (int who = 1; who < ranks; who++)
        for (int i = 0; i < 4; i++) {
            bool odd = world_rank() == who;
            size_t mine = size[i][odd ? 1 : 0];
            memset(data, world_rank() == 0 ? 1 : 2, 300001);
            CU_ASSERT_EQUAL(plan_execute(plan, data, (MPI_Count)mine, MPI_BYTE), odd ? PLAN_EDISAGREE : 0);
            CU_ASSERT(odd || (data[0] == 1 && data[mine - 1] == 1));
            if (world_rank() != 0) CU_ASSERT(data[mine] == 2);
            CU_ASSERT(casts_bytes(plan, comm, 0, 99999, (uint64_t)i));
        }
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
    free(data);
}

static void bad_arguments_of_one_rank_do_no_harm(void)
{
    int ranks = world_size();
    rng_t r = {3};
    hosts = ranks > 2 ? 2 : 1;
    MPI_Comm comm = fresh(ranks);
    plan_t *plan = hosts_plan(comm, 0, 2, 4096, 4, &r);
    unsigned char data[100000];

    for (int who = 0; who < ranks; who++) {
        int rc = plan_execute(plan, data, world_rank() == who ? -1 : (MPI_Count)sizeof data, MPI_BYTE);
        CU_ASSERT_EQUAL(rc != 0, who == world_rank() || who == 0);
        CU_ASSERT(casts_bytes(plan, comm, 0, 99999, (uint64_t)who));
    }
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

static void without_memory_or_with_other_hosts_the_trees_are_run(void)
{
    int ranks = world_size();
    rng_t r = {11};

    hosts = 1;
    no_memory = true;
    MPI_Comm comm = fresh(ranks);
    plan_t *plan = hosts_plan(comm, 0, 2, 4096, 4, &r);
    CU_ASSERT_EQUAL(shares(plan), 0);
    CU_ASSERT(casts_bytes(plan, comm, 0, 99999, 1));
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
    no_memory = false;
    if (ranks < 3) return;

    /* Three ranks: one host could share, the other not. Long slices are shorter where memory is shared. */
    static const size_t slice[] = {4096, 0, 1 << 20};
    plan_candidate_t c = {
        .size = sizeof c, .name = "chain", .run = PLAN_RUN_HOSTS, .slice = 4096, .window = 4, .ntrees = 1};
    const plan_range_t range = {.up_to = 1 << 20, .chosen = &c};
    plan_tree_t *chain = NULL;
    double rate = 1;
    plan_t *offline = NULL;
    c.tree = &chain, c.rate = &rate;
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_PIPELINE, ranks, 0, 0, &chain), PLAN_OK);
    hosts = 2, cyclic = true; /* which it enters again and again */
    comm = fresh(ranks);
    for (size_t k = 0; k < sizeof slice / sizeof *slice; k++) {
        c.slice = slice[k];
        CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, 1, &range, NULL, &offline), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_bind(comm, offline, &plan, NULL), 0);
        CU_ASSERT_EQUAL(shares(plan), 0);
        CU_ASSERT(casts_bytes(plan, comm, 0, 99999, 1));
        CU_ASSERT(casts_bytes(plan, comm, 0, 999999, 2));
        plan_destroy(&plan);
        plan_destroy(&offline);
    }
    plan_tree_destroy(&chain);
    MPI_Comm_free(&comm);
    cyclic = false;
}

/* Each byte enters each host but the root's once, whatever trees it comes by. There it is written to shared memory once
 * and read by all others. */
static void each_byte_enters_a_host_once(void)
{
    enum { BYTES = 777777 };
    int ranks = world_size();
    rng_t r = {17};

    for (hosts = 1; hosts <= ranks; hosts++)
        for (int turn = 0; turn < 2; turn++) {
            MPI_Comm comm = fresh(ranks), host;
            cyclic = turn;
            plan_t *plan = hosts_plan(comm, ranks - 1, 3, 4096, 4, &r);
            MPI_Comm_split(comm, host_of(world_rank(), ranks), 0, &host);
            const bool roots = host_of(world_rank(), ranks) == host_of(ranks - 1, ranks);
            const uint64_t here = (uint64_t)ranks_of(host);
            CU_ASSERT(casts_bytes(plan, comm, ranks - 1, BYTES, 3));
            plan_copies_t all = copies_of(plan, host);
            CU_ASSERT_EQUAL(all.received, roots ? 0 : BYTES);
            CU_ASSERT_EQUAL(all.written, here == 1 ? 0 : BYTES);
            CU_ASSERT_EQUAL(all.read, (here - 1) * BYTES);
            CU_ASSERT(all.single == 0 && all.packed == 0 && all.native == 0);
            CU_ASSERT_EQUAL(copies_of(plan, comm).sent, (uint64_t)(hosts - 1) * BYTES);
            plan_destroy(&plan);
            MPI_Comm_free(&host);
            MPI_Comm_free(&comm);
        }
    cyclic = false;
}

MPI_SUITE_MAIN("execute hosts", TEST(each_byte_enters_a_host_once),
               TEST(every_size_arrives_whatever_trees_hosts_and_roots),
               TEST(broadcasts_follow_each_other_without_a_barrier), TEST(every_datatype_arrives),
               TEST(another_size_is_noticed_and_does_no_harm), TEST(bad_arguments_of_one_rank_do_no_harm),
               TEST(without_memory_or_with_other_hosts_the_trees_are_run))
