#include "cast.h"
#include "lib/mpi/execute/bind.h"
#include <stdlib.h>
#include <string.h>

uint64_t rng_next(rng_t *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * UINT64_C(2685821657736338717);
}

int rng_below(rng_t *r, int n)
{
    return (int)((rng_next(r) >> 33) % (uint64_t)n);
}

/* The root, and the others in random order. */
static void shuffle(rng_t *r, int ranks, int root, int *at)
{
    for (int i = 0; i < ranks; i++) at[i] = i;
    at[0] = root, at[root] = 0;
    for (int i = ranks - 1; i > 1; i--) {
        int j = 1 + rng_below(r, i), swap = at[i];
        at[i] = at[j], at[j] = swap;
    }
}

plan_tree_t *random_tree(rng_t *r, int ranks, int root)
{
    plan_tree_t *tree = NULL;
    int *at = calloc((size_t)ranks, sizeof *at), *parent = calloc((size_t)ranks, sizeof *parent);
    int *order = calloc((size_t)ranks, sizeof *order);
    if (at == NULL || parent == NULL || order == NULL) abort();
    shuffle(r, ranks, root, at);
    parent[root] = -1;
    for (int i = 1; i < ranks; i++) parent[at[i]] = at[rng_below(r, i)];
    for (int i = 0; i < ranks; i++) order[i] = rng_below(r, ranks);
    if (plan_tree_create(ranks, parent, order, &tree) != PLAN_OK) abort();
    free(at);
    free(parent);
    free(order);
    return tree;
}

plan_copies_t copies_of(const plan_t *plan, MPI_Comm comm)
{
    plan_copies_t mine = {.size = sizeof mine}, all = {.size = sizeof all};
    if (plan_copies(plan, &mine) != 0) abort();
    uint64_t each[] = {mine.sent, mine.received, mine.written, mine.read, mine.single, mine.packed, mine.native},
             sum[7];
    MPI_Allreduce(each, sum, 7, MPI_UINT64_T, MPI_SUM, comm);
    all.sent = sum[0], all.received = sum[1], all.written = sum[2], all.read = sum[3];
    all.single = sum[4], all.packed = sum[5], all.native = sum[6];
    return all;
}

static plan_t *attached(MPI_Comm comm, int root, const plan_candidate_t *c)
{
    int ranks;
    plan_t *plan = NULL;
    MPI_Comm ours;
    plan_range_t range = {.up_to = SIZE_MAX, .chosen = c};
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_dup(comm, &ours);
    MPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN);
    if (plan_from_ranges(ranks, root, 1, &range, NULL, &plan) != PLAN_OK) abort();
    if (plani_attach(plan, ours) != PLAN_OK) abort();
    return plan;
}

plan_t *trees_plan(MPI_Comm comm, int root, size_t ntrees, plan_tree_t **tree, const double *rate, size_t slice,
                   int window)
{
    static double one[1] = {1};
    plan_candidate_t c = {
        .size = sizeof c, .name = "test", .run = PLAN_RUN_TREES, .slice = slice, .window = window, .ntrees = ntrees};
    double *rates = malloc(ntrees * sizeof *rates);
    if (rates == NULL) abort();
    memcpy(rates, rate ? rate : one, ntrees * sizeof *rates);
    c.tree = tree;
    c.rate = rates;
    plan_t *plan = attached(comm, root, &c);
    free(rates);
    for (size_t t = 0; t < ntrees; t++) plan_tree_destroy(&tree[t]);
    return plan;
}

plan_t *topology_plan(MPI_Comm comm, int root, plan_topology_t kind, int fanout, size_t slice, int window)
{
    int ranks;
    plan_tree_t *tree = NULL;
    MPI_Comm_size(comm, &ranks);
    if (plan_tree_topology(kind, ranks, root, fanout, &tree) != PLAN_OK) abort();
    return trees_plan(comm, root, 1, &tree, NULL, slice, window);
}

plan_t *rounds_plan(MPI_Comm comm, int root, plan_schedule_kind_t kind, size_t slice, int window, rng_t *r)
{
    plan_candidate_t c = {
        .size = sizeof c, .name = "test", .run = PLAN_RUN_ROUNDS, .slice = slice, .window = window, .schedule = kind};
    MPI_Comm_size(comm, &c.places);
    if ((c.order = calloc((size_t)c.places, sizeof *c.order)) == NULL) abort();
    shuffle(r, c.places, root, c.order);
    plan_t *plan = attached(comm, root, &c);
    free(c.order);
    return plan;
}

plan_t *native_plan(MPI_Comm comm, int root)
{
    plan_candidate_t c = {.size = sizeof c, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    return attached(comm, root, &c);
}

plan_t *shared_plan(MPI_Comm comm, int root)
{
    plan_candidate_t c = {.size = sizeof c, .name = "shared-memory", .run = PLAN_RUN_SHARED, .window = 1};
    plan_t *plan = attached(comm, root, &c);
    if (plani_attach_shared(plan, NULL) != 0) abort();
    return plan;
}

unsigned char message_byte(uint64_t seed, size_t i)
{
    uint64_t x = (seed + i) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned char)(x >> 56);
}

int casts_bytes(plan_t *plan, MPI_Comm comm, int root, size_t bytes, uint64_t seed)
{
    enum { GUARD = 16 };
    int rank, good = 1;
    MPI_Comm_rank(comm, &rank);
    unsigned char *memory = malloc(bytes + 2 * GUARD), *data = memory + GUARD;
    if (memory == NULL) abort();
    memset(memory, 0xa5, bytes + 2 * GUARD);
    for (size_t i = 0; rank == root && i < bytes; i++) data[i] = message_byte(seed, i);
    if (plan_execute(plan, data, (MPI_Count)bytes, MPI_BYTE) != 0) good = 0;
    for (size_t i = 0; i < bytes; i++) good &= data[i] == message_byte(seed, i);
    for (size_t i = 0; i < GUARD; i++) good &= memory[i] == 0xa5 && data[bytes + i] == 0xa5;
    free(memory);
    return good;
}

static void fill(const layout_t *layout, uint64_t seed)
{
    for (size_t i = 0; i < layout->size; i++) layout->memory[i] = message_byte(seed, i);
}

int casts_layout(plan_t *plan, MPI_Comm comm, int root, const layout_t *layout, uint64_t seed)
{
    int rank, good = 1;
    void *buffer = layout->absolute ? MPI_BOTTOM : layout->memory + layout->origin;
    unsigned char *expected = malloc(layout->size + 1);
    MPI_Comm_rank(comm, &rank);
    if (expected == NULL) abort();
    fill(layout, seed + (rank == root ? 0 : 1));
    MPI_Bcast(buffer, layout->count, layout->type, root, comm);
    memcpy(expected, layout->memory, layout->size);
    fill(layout, seed + (rank == root ? 0 : 1));
    if (plan_execute(plan, buffer, layout->count, layout->type) != 0) good = 0;
    good &= memcmp(expected, layout->memory, layout->size) == 0;
    free(expected);
    return good;
}
