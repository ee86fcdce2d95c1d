/* Broadcasts in rounds: every schedule, every number of ranks up to the world's, every root, every size. */
#include "mpi_suite.h"
#include "cast.h"
#include <stdbool.h>
#include <string.h>

/* Sizes [B]: 0, less than one per rank, one more or less than a multiple of the blocks, odd, and large. */
static void cast_all_sizes(plan_t *plan, MPI_Comm comm, int root, size_t slice)
{
    int ranks;
    MPI_Comm_size(comm, &ranks);
    size_t p = (size_t)ranks, size[] = {0, 1, p - 1, p, p + 1, 7 * p + 3, slice - 1, slice, slice + 1, 5 * slice - 1};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        int good = casts_bytes(plan, comm, root, size[i], i);
        CU_ASSERT(good);
        if (!good) fprintf(stderr, "rank %d of %d: %zu bytes, slice %zu\n", world_rank(), ranks, size[i], slice);
    }
}

static void every_schedule_carries_every_size_from_every_root(void)
{
    for (int ranks = 1; ranks <= world_size(); ranks++) {
        rng_t r = {(uint64_t)ranks};
        MPI_Comm some;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank() < ranks ? 0 : MPI_UNDEFINED, 0, &some);
        for (int root = 0; root < ranks && some != MPI_COMM_NULL; root++)
            for (int kind = 0; kind < PLAN_SCHEDULES; kind++) {
                size_t slice = (size_t)(1 + rng_below(&r, 2000));
                plan_t *plan = rounds_plan(some, root, (plan_schedule_kind_t)kind, slice, 1 + root % 4, &r);
                cast_all_sizes(plan, some, root, slice);
                plan_destroy(&plan);
            }
        if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
    }
}

/* More than one transfer carries, and more than MPI sends without the receiver. */
static void long_messages_arrive(void)
{
    rng_t r = {3};
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++)
        for (size_t slice = 0; slice <= 100000; slice += 100000) {
            plan_t *plan = rounds_plan(MPI_COMM_WORLD, 0, (plan_schedule_kind_t)kind, slice, 3, &r);
            CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 9999999, slice));
            plan_destroy(&plan);
        }
}

/* No barrier in between, and down a tree every now and then: what belongs to which broadcast is never mistaken. */
static void broadcasts_follow_each_other_without_a_barrier(void)
{
    rng_t r = {99};
    int root = world_size() - 1;
    plan_t *plan[4], *tree = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINARY, 0, 100, 2);
    for (int k = 0; k < PLAN_SCHEDULES; k++)
        plan[k] = rounds_plan(MPI_COMM_WORLD, root, (plan_schedule_kind_t)k, 100, 2, &r);
    for (int i = 0; i < 100; i++) {
        size_t bytes = (size_t)rng_below(&r, 5000);
        CU_ASSERT(casts_bytes(plan[i % PLAN_SCHEDULES], MPI_COMM_WORLD, root, bytes, (uint64_t)i));
        if (i % 5 == 0) CU_ASSERT(casts_bytes(tree, MPI_COMM_WORLD, 0, bytes, (uint64_t)i));
    }
    for (int k = 0; k < PLAN_SCHEDULES; k++) plan_destroy(&plan[k]);
    plan_destroy(&tree);
}

/* A transfer that is too long is an error of MPI's, and MPICH calls the handler of MPI_COMM_WORLD for those. */
static void another_size_is_noticed(void)
{
    char data[4000];
    rng_t r = {8};
    plan_t *plan = rounds_plan(MPI_COMM_WORLD, 0, PLAN_CIRCULANT, 0, 1, &r);
    memset(data, 0, sizeof data);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int rc = plan_execute(plan, data, world_rank() == 0 ? 1000 : 2000, MPI_BYTE);
    CU_ASSERT_EQUAL(rc, world_rank() == 0 ? 0 : PLAN_EDISAGREE);
    rc = plan_execute(plan, data, world_rank() == 0 ? 2000 : 1000, MPI_BYTE);
    CU_ASSERT(world_rank() == 0 ? rc == 0 : rc != 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 3999, 1));
    plan_destroy(&plan);
}

static void orders_that_are_none_are_refused(void)
{
    int ranks = world_size();
    plan_t *plan = NULL;
    plan_candidate_t c = {.size = sizeof c, .name = "rounds", .run = PLAN_RUN_ROUNDS, .window = 1, .places = ranks};
    plan_range_t range = {.up_to = 1, .chosen = &c};
    int *order = c.order = calloc((size_t)ranks + 1, sizeof *order);
    CU_ASSERT_PTR_NOT_NULL_FATAL(order);
    for (int v = 0; v < ranks; v++) order[v] = v;
    CU_ASSERT_EQUAL(plan_from_ranges(ranks, 0, 1, &range, NULL, &plan), PLAN_OK);
    plan_destroy(&plan);
    CU_ASSERT_EQUAL(plan_from_ranges(ranks + 1, 0, 1, &range, NULL, &plan), PLAN_EINVAL);
    order[ranks - 1] = ranks; /* no such rank */
    CU_ASSERT_EQUAL(plan_from_ranges(ranks, 0, 1, &range, NULL, &plan), PLAN_EINVAL);
    order[ranks - 1] = 0; /* rank 0 twice */
    if (ranks > 1) CU_ASSERT_EQUAL(plan_from_ranges(ranks, 0, 1, &range, NULL, &plan), PLAN_EINVAL);
    free(order);
}

MPI_SUITE_MAIN("execute rounds", TEST(every_schedule_carries_every_size_from_every_root), TEST(long_messages_arrive),
               TEST(broadcasts_follow_each_other_without_a_barrier), TEST(another_size_is_noticed),
               TEST(orders_that_are_none_are_refused))
