/* Broadcasts of datatypes: with gaps, out of order, by address, different ones on different ranks. */
#include "mpi_suite.h"
#include "types.h"
#include <stdint.h>
#include <string.h>

static plan_t *random_plan(rng_t *r, int root, int longest)
{
    plan_tree_t *tree[3];
    double rate[3];
    int n = 1 + rng_below(r, 3), kind = rng_below(r, 2 * PLAN_SCHEDULES + 1);
    if (kind == 2 * PLAN_SCHEDULES) return shared_plan(MPI_COMM_WORLD, root);
    if (kind < PLAN_SCHEDULES)
        return rounds_plan(MPI_COMM_WORLD, root, (plan_schedule_kind_t)kind, (size_t)(1 + rng_below(r, longest)),
                           1 + rng_below(r, 4), r);
    for (int t = 0; t < n; t++) {
        tree[t] = random_tree(r, world_size(), root);
        rate[t] = 1 + rng_below(r, 10);
    }
    size_t slice = (size_t)(1 + rng_below(r, longest));
    return trees_plan(MPI_COMM_WORLD, root, (size_t)n, tree, rate, slice, 1 + rng_below(r, 4));
}

/* As MPI_Bcast would leave it, gaps included. */
static void random_types_arrive(void)
{
    rng_t r = {31};
    for (int trial = 0; trial < 200; trial++) {
        int size, root = rng_below(&r, world_size());
        MPI_Datatype type = random_type(&r, 1 + rng_below(&r, 4), trial % 2);
        MPI_Type_size(type, &size);
        layout_t l = layout_of(type, size > 100000 ? 1 : 1 + rng_below(&r, 9));
        plan_t *plan = random_plan(&r, root, size > 10000 ? 20000 : 1000);
        CU_ASSERT(casts_layout(plan, MPI_COMM_WORLD, root, &l, (uint64_t)trial));
        plan_destroy(&plan);
        layout_free(&l);
    }
}

/* Types that hold addresses, from MPI_BOTTOM. */
static void absolute_addresses_arrive(void)
{
    enum { N = 3000 };
    layout_t l = {.count = 1, .absolute = 1, .size = 4 * N * sizeof(int)};
    MPI_Aint at[2];
    int length[2] = {N, N};
    MPI_Datatype part[2] = {MPI_INT, MPI_INT};
    l.memory = calloc(1, l.size);
    MPI_Get_address(l.memory + 2 * N * sizeof(int), &at[0]);
    MPI_Get_address(l.memory, &at[1]);
    MPI_Type_create_struct(2, length, at, part, &l.type);
    MPI_Type_commit(&l.type);
    for (size_t slice = 1000; slice < 100000; slice *= 10) {
        plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINARY, 0, slice, 2);
        CU_ASSERT(casts_layout(plan, MPI_COMM_WORLD, 0, &l, slice));
        plan_destroy(&plan);
    }
    layout_free(&l);
}

/* N ints in the way of this rank: plain, one long element, every second, backwards, in pairs with gaps. */
static layout_t ints_my_way(int n, int way)
{
    MPI_Datatype type = MPI_DATATYPE_NULL, pair;
    if (way == 0) {
        MPI_Type_dup(MPI_INT, &type);
    } else if (way == 1) {
        MPI_Type_contiguous(n, MPI_INT, &type);
    } else if (way == 2) {
        MPI_Type_vector(n, 1, 2, MPI_INT, &type);
    } else if (way == 3) {
        MPI_Type_vector(n, 1, -1, MPI_INT, &type);
    } else {
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_create_resized(pair, -4, 20, &type);
        MPI_Type_free(&pair);
    }
    MPI_Type_commit(&type);
    return layout_of(type, way == 0 ? n : way == 4 ? n / 2 : 1);
}

static int cast_ints(plan_t *plan, int root, int n, int way)
{
    layout_t l = ints_my_way(n, way);
    void *base = l.memory + l.origin;
    int *value = malloc((size_t)n * sizeof *value), position = 0, good = 1, bytes = n * (int)sizeof(int);
    for (int i = 0; i < n; i++) value[i] = world_rank() == root ? 7 * i + n : -1;
    MPI_Unpack(value, bytes, &position, base, l.count, l.type, MPI_COMM_WORLD);
    if (plan_execute(plan, base, l.count, l.type) != 0) good = 0;
    position = 0;
    MPI_Pack(base, l.count, l.type, value, bytes, &position, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) good &= value[i] == 7 * i + n;
    free(value);
    layout_free(&l);
    return good;
}

static void ranks_may_describe_the_same_data_differently(void)
{
    rng_t r = {5};
    plan_t *native = native_plan(MPI_COMM_WORLD, 0);
    for (int trial = 0; trial < 60; trial++) {
        int root = rng_below(&r, world_size()), n = 2 + 2 * rng_below(&r, trial % 2 ? 20 : 9000);
        plan_t *plan = random_plan(&r, root, 3000);
        CU_ASSERT(cast_ints(plan, root, n, (world_rank() + trial) % 5));
        CU_ASSERT(cast_ints(native, 0, n, (world_rank() + trial) % 5));
        plan_destroy(&plan);
    }
    plan_destroy(&native);
}

/* Megabytes out of order, in slices that are staged in rings: more slices than slots. */
static void a_long_message_with_gaps_is_staged_in_pieces(void)
{
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_CHAIN, 2, 10000, 2);
    CU_ASSERT(cast_ints(plan, 0, 1000000, 2 + world_rank() % 3));
    plan_destroy(&plan);
    plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_CHAIN, 2, 0, 2);
    CU_ASSERT(cast_ints(plan, 0, 1000000, 2 + world_rank() % 3));
    plan_destroy(&plan);
    plan = shared_plan(MPI_COMM_WORLD, 0);
    CU_ASSERT(cast_ints(plan, 0, 1000000, 2 + world_rank() % 3));
    plan_destroy(&plan);
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++) { /* transfers of more than 4 MiB are cut, too */
        rng_t r = {17};
        plan = rounds_plan(MPI_COMM_WORLD, 0, (plan_schedule_kind_t)kind, 0, 2, &r);
        CU_ASSERT(cast_ints(plan, 0, 4000000, 2 + world_rank() % 3));
        plan_destroy(&plan);
    }
}

static void elements_of_no_bytes_send_nothing(void)
{
    char byte = 'x';
    MPI_Datatype type;
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINOMIAL, 0, 8, 1);
    MPI_Type_contiguous(0, MPI_INT, &type);
    MPI_Type_commit(&type);
    CU_ASSERT_EQUAL(plan_execute(plan, &byte, 5, type), 0);
    CU_ASSERT_EQUAL(plan_execute(plan, NULL, 0, MPI_INT), 0);
    MPI_Type_free(&type);
    plan_destroy(&plan);
}

/* Cut, packed and sent as they lie. Frees the type. */
static void cast_every_way(MPI_Datatype type, int count)
{
    layout_t l;
    rng_t r = {3};
    MPI_Type_commit(&type);
    l = layout_of(type, count);
    for (int trial = 0; trial < 12; trial++) {
        plan_t *plan = trial < 2    ? shared_plan(MPI_COMM_WORLD, 0)
                       : trial == 2 ? topology_plan(MPI_COMM_WORLD, 0, PLAN_CHAIN, 0, 11752, 2)
                                    : random_plan(&r, 0, 20000);
        CU_ASSERT(casts_layout(plan, MPI_COMM_WORLD, 0, &l, (uint64_t)trial));
        plan_destroy(&plan);
    }
    layout_free(&l);
}

/* Two long doubles at 16, and nothing at 0: elements lie 48 bytes apart, though their data would fit into 32. */
static MPI_Datatype pair_behind_nothing(void)
{
    int length[2] = {1, 1};
    MPI_Aint at[2] = {16, 0};
    MPI_Datatype part[2], type;
    MPI_Type_contiguous(2, MPI_LONG_DOUBLE, &part[0]);
    MPI_Type_contiguous(0, MPI_LONG_DOUBLE, &part[1]);
    MPI_Type_create_struct(2, length, at, part, &type);
    for (int i = 0; i < 2; i++) MPI_Type_free(&part[i]);
    return type;
}

/* Open MPI packs several such elements as if they lay side by side; one datatype of several it packs as it should. */
static void members_of_no_bytes_leave_their_gaps(void)
{
    enum { KINDS = 4 };
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Datatype pair = pair_behind_nothing(), type;
        int length[3] = {700, 1, 300}, at[3] = {400, 0, 1200};
        if (kind == 0)
            MPI_Type_contiguous(3000, pair, &type);
        else if (kind == 1)
            MPI_Type_vector(40, 25, 30, pair, &type);
        else if (kind == 2)
            MPI_Type_indexed(3, length, at, pair, &type);
        else
            MPI_Type_create_resized(pair, 0, 80, &type);
        MPI_Type_free(&pair);
        cast_every_way(type, kind == 3 ? 2000 : 1);
    }
}

/* MPI defines them, and nobody may free them. */
static void types_of_fortran_kinds_arrive(void)
{
    int length[2] = {900, 50};
    MPI_Aint at[2] = {0, 9000};
    MPI_Datatype kind[2], type;
    if (MPI_Type_create_f90_real(15, 307, &kind[0]) != MPI_SUCCESS) return;
    MPI_Type_create_f90_integer(9, &kind[1]);
    MPI_Type_contiguous(3000, kind[0], &type);
    cast_every_way(type, 3);
    MPI_Type_vector(800, 1, 2, kind[1], &type);
    cast_every_way(type, 3);
    MPI_Type_create_struct(2, length, at, kind, &type);
    cast_every_way(type, 3);
    layout_t l = layout_of(kind[0], 5000);
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_CHAIN, 0, 11752, 2);
    CU_ASSERT(casts_layout(plan, MPI_COMM_WORLD, 0, &l, 1));
    plan_destroy(&plan);
    free(l.memory);
}

/* Their constructors take MPI_Counts, which MPI_Type_get_envelope does not know. */
static void types_of_large_counts_arrive(void)
{
#if MPI_VERSION >= 4
    MPI_Datatype type, row;
    MPI_Type_contiguous_c(3000, MPI_INT, &type);
    cast_every_way(type, 3);
    MPI_Type_vector_c(700, 1, 2, MPI_DOUBLE, &type);
    cast_every_way(type, 3);
    MPI_Type_contiguous_c(2500, MPI_DOUBLE, &row);
    MPI_Type_vector(3, 1, 2, row, &type);
    cast_every_way(type, 2);
    MPI_Type_free(&row);
#endif
}

MPI_SUITE_MAIN("execute types", TEST(types_of_fortran_kinds_arrive), TEST(types_of_large_counts_arrive),
               TEST(members_of_no_bytes_leave_their_gaps), TEST(random_types_arrive), TEST(absolute_addresses_arrive),
               TEST(ranks_may_describe_the_same_data_differently), TEST(a_long_message_with_gaps_is_staged_in_pieces),
               TEST(elements_of_no_bytes_send_nothing))
