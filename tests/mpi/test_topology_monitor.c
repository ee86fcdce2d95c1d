/* The topologies equal what Open MPI sends. One run of 20 ranks broadcasts on communicators of 2..20 ranks from every
 * root with every algorithm and several fan-outs. Open MPI's message monitor reports each message; each rank compares
 * those that it sent with its children in our tree, in their order. Algorithms and fan-outs are set
 * through MPI_T control variables, which Open MPI reads whenever a communicator is made. Exits with 77, "skipped",
 * where MPI is not Open MPI. */
#include "graphs/trees/trees.h"
#include <planbcast/tree.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 4

enum { MAX_RANKS = 64, HALVES = 2 };

typedef struct {
    int algorithm; /* coll_tuned_bcast_algorithm */
    plan_topology_t kind;
    int chains, radix; /* 0: Open MPI's default */
    int tree_fanout;
} case_t;

static const case_t cases[] = {
    {1, PLAN_LINEAR, 0, 0, 0},   {2, PLAN_CHAIN, 0, 0, 0},        {2, PLAN_CHAIN, 1, 0, 0},
    {2, PLAN_CHAIN, 2, 0, 0},    {2, PLAN_CHAIN, 3, 0, 0},        {2, PLAN_CHAIN, 5, 0, 0},
    {2, PLAN_CHAIN, 8, 0, 0},    {2, PLAN_CHAIN, 18, 0, 0},       {2, PLAN_CHAIN, 40, 0, 0},
    {3, PLAN_PIPELINE, 0, 0, 0}, {4, PLAN_SPLIT_BINARY, 0, 0, 0}, {5, PLAN_BINARY, 0, 0, 0},
    {5, PLAN_BINARY, 0, 0, 3},   {6, PLAN_BINOMIAL, 0, 0, 0},     {6, PLAN_BINOMIAL, 0, 0, 3},
    {7, PLAN_KNOMIAL, 0, 0, 0},  {7, PLAN_KNOMIAL, 0, 2, 0},      {7, PLAN_KNOMIAL, 0, 3, 0},
    {7, PLAN_KNOMIAL, 0, 5, 0},  {7, PLAN_KNOMIAL, 0, 19, 0},
};

static int world_rank, world_size;

/* What this rank sends, in order: the peers. */
static struct {
    int n, peer[4 * MAX_RANKS];
    long total;
} sent;

/* Stands before the function of the same name in Open MPI's monitor, which its pml/monitoring calls for each message.
 */
__attribute__((visibility("default"))) void mca_common_monitoring_record_pml(int peer, size_t bytes, int tag);
void mca_common_monitoring_record_pml(int peer, size_t bytes, int tag)
{
    (void)bytes, (void)tag;
    if (sent.n < (int)(sizeof sent.peer / sizeof *sent.peer)) sent.peer[sent.n++] = peer;
    sent.total++;
}

static void give_up(const char *why)
{
    if (world_rank == 0) fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void set_control(const char *name, int value)
{
    int index, count;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS)
        give_up("coll/tuned's variables are missing (set OMPI_MCA_coll_tuned_use_dynamic_rules=1)");
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) give_up("Open MPI does not let its algorithms be chosen");
    MPI_T_cvar_handle_free(&handle);
}

/* peer[]: to whom we send, in order. Returns how many. */
static int expect(const case_t *c, int size, int root, int *peer)
{
    plan_tree_t *tree = NULL;
    int n, partner[MAX_RANKS], fanout = c->kind == PLAN_CHAIN ? c->chains : c->radix;
    if (plan_tree_topology(c->kind, size, root, fanout, &tree) != PLAN_OK) give_up("no tree");
    const int *child = plan_tree_children(tree, world_rank, &n);
    for (int i = 0; i < n; i++) peer[i] = child[i];
    plan_tree_destroy(&tree);
    if (c->kind != PLAN_SPLIT_BINARY) return n;
    if (plani_split_binary_partners(size, root, partner) != PLAN_OK) give_up("no partners");
    int mate = partner[world_rank];
    if (mate != -1 && mate != root) peer[n++] = mate; /* the root gives and does not take */
    return n;
}

static void show(const char *what, const int *peer, int n)
{
    fprintf(stderr, " %s", what);
    for (int i = 0; i < n; i++) fprintf(stderr, " %d", peer[i]);
}

static int broadcast_and_compare(const case_t *c, MPI_Comm comm, int size, int root)
{
    int data[HALVES] = {0, 0}, expected[2 * MAX_RANKS];

    if (world_rank == root) data[0] = 100 + root, data[1] = size;
    sent.n = 0;
    MPI_Bcast(data, HALVES, MPI_INT, root, comm);
    int nsent = sent.n, n = expect(c, size, root, expected);
    if (n == nsent && memcmp(expected, sent.peer, (size_t)n * sizeof *expected) == 0)
        return data[0] != 100 + root || data[1] != size;
    fprintf(stderr, "%s, %d ranks, root %d, chains %d, radix %d: %d sends", plan_topology_name(c->kind), size, root,
            c->chains, c->radix, world_rank);
    show("to", sent.peer, nsent);
    show("and not to", expected, n);
    fprintf(stderr, "\n");
    return 1;
}

static int run_case(const case_t *c)
{
    int wrong = 0;

    set_control("coll_tuned_bcast_algorithm", c->algorithm);
    set_control("coll_tuned_bcast_algorithm_chain_fanout", c->chains ? c->chains : 4);
    set_control("coll_tuned_bcast_algorithm_tree_fanout", c->tree_fanout ? c->tree_fanout : 4);
    set_control("coll_tuned_bcast_algorithm_knomial_radix", c->radix ? c->radix : 4);
    for (int size = 2; size <= world_size; size++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank < size ? 0 : MPI_UNDEFINED, world_rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        for (int root = 0; root < size; root++) wrong += broadcast_and_compare(c, comm, size, root);
        MPI_Comm_free(&comm);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int provided, count[2] = {0, 0}; /* differences, ranks that sent nothing at all */

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (world_size > MAX_RANKS) give_up("too many ranks");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) count[0] += run_case(&cases[i]);
    count[1] = sent.total == 0;
    MPI_Allreduce(MPI_IN_PLACE, count, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0) printf("%zu cases, %d differences\n", sizeof cases / sizeof *cases, count[0]);
    if (count[1] > 0) give_up("the monitor saw nothing (set OMPI_MCA_pml_monitoring_enable=1)");
    MPI_T_finalize();
    MPI_Finalize();
    return count[0] ? EXIT_FAILURE : EXIT_SUCCESS;
}

#else

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 77;
}

#endif
