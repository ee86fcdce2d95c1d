/* Each allocation fails in turn: while binding a plan, and while packing data that is not contiguous. */
#include "mpi_suite.h"
#include "alloc.h"
#include "cast.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/reduce.h"
#include <string.h>

static void attaching_survives_want_of_memory(void)
{
    int ranks;
    plan_tree_t *tree[2] = {NULL, NULL};
    double rate[2] = {2, 1};
    plan_candidate_t several = {
        .size = sizeof several, .name = "two", .run = PLAN_RUN_TREES, .slice = 9, .window = 3, .ntrees = 2};
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_candidate_t rounds = {.size = sizeof rounds, .name = "rounds", .run = PLAN_RUN_ROUNDS, .window = 2};
    plan_range_t range[3] = {{100, &native}, {1000, &several}, {10000, &rounds}};
    plan_t *plan = NULL;
    MPI_Comm ours;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int t = 0; t < 2; t++)
        CU_ASSERT_EQUAL_FATAL(plan_tree_topology(t ? PLAN_BINARY : PLAN_CHAIN, ranks, 0, 0, &tree[t]), PLAN_OK);
    several.tree = tree;
    several.rate = rate;
    rounds.schedule = PLAN_SCATTER_RING;
    rounds.places = ranks;
    rounds.order = calloc((size_t)ranks, sizeof *rounds.order);
    CU_ASSERT_PTR_NOT_NULL_FATAL(rounds.order);
    for (int v = 0; v < ranks; v++) rounds.order[v] = v;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, 3, range, NULL, &plan), PLAN_OK);
    MPI_Comm_dup(MPI_COMM_WORLD, &ours);
    ALLOC_EACH(plani_attach(plan, ours), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 50, 1));
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 900, 2));
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 5000, 2));
    plan_destroy(&plan);
    free(rounds.order);
    for (int t = 0; t < 2; t++) plan_tree_destroy(&tree[t]);
}

/* Two trees in which ranks stand at different depths. */
static plan_t *star_and_chain(void)
{
    plan_tree_t *tree[2] = {NULL, NULL};
    double rate[2] = {9, 1};
    for (int t = 0; t < 2; t++)
        CU_ASSERT_EQUAL_FATAL(plan_tree_topology(t ? PLAN_PIPELINE : PLAN_LINEAR, world_size(), 0, 0, &tree[t]),
                              PLAN_OK);
    return trees_plan(MPI_COMM_WORLD, 0, 2, tree, rate, 500, 1);
}

/* The k-th allocation of one rank fails while it packs or unpacks. It says so; ranks that it sends to learn that they
 * lack data; the others get theirs; nobody hangs; and the next broadcast is as good as ever. */
static void cast_short_of_memory(plan_t *plan, int poor, bool chain)
{
    enum { BLOCKS = 3000 }; /* of 12 bytes, one every 32 */
    int rank = world_rank(), any = 1;
    MPI_Datatype type, row;
    unsigned char *memory = malloc(BLOCKS * 32);

    MPI_Type_vector(BLOCKS, 1, 2, MPI_DOUBLE_INT, &row); /* large enough to be taken apart */
    MPI_Type_contiguous(1, row, &type);
    MPI_Type_commit(&type);
    for (long k = 1; any; k++) {
        memset(memory, rank == 0 ? 7 : 0, BLOCKS * 32);
        if (rank == poor) alloc_fail(k);
        int rc = plan_execute(plan, memory, 1, type);
        int failed = rank == poor && alloc_failed();
        MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (!any || (chain && rank < poor)) {
            CU_ASSERT_EQUAL(rc, 0);
        } else if (rank == poor) {
            CU_ASSERT_EQUAL(rc, PLAN_ENOMEM);
        } else {
            CU_ASSERT(rc == 0 || rc == PLAN_EDISAGREE); /* 0: it failed on the way to the user's side only */
        }
        if (rc == 0) CU_ASSERT_EQUAL(memory[0], 7);
        if (rc == 0) CU_ASSERT_EQUAL(memory[(BLOCKS - 1) * 32], 7);
    }
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 50000, 1));
    MPI_Type_free(&type);
    MPI_Type_free(&row);
    plan_destroy(&plan);
    free(memory);
}

/* Nobody hangs in MPI_Bcast for a rank that has no memory for a short message: it has had it since it was bound. */
static void short_messages_need_no_memory(void)
{
    enum { SHORT = 8000 };
    plan_t *plan = native_plan(MPI_COMM_WORLD, 0);
    char *data = malloc(SHORT);

    memset(data, world_rank() == 0 ? 7 : 0, SHORT);
    if (world_rank() > 0) alloc_fail(1);
    int rc = plan_execute(plan, data, SHORT, MPI_BYTE);
    alloc_failed();
    CU_ASSERT_EQUAL(rc, 0);
    CU_ASSERT(data[0] == 7 && data[SHORT - 1] == 7);
    free(data);
    plan_destroy(&plan);
}

/* Of a rank that has no memory at all for long slices, but a small stage for short messages. */
static void no_slice_is_longer_than_its_stage(void)
{
    enum { N = 200000, SHORT = 8000 };
    plan_tree_t *chain = NULL;
    double rate = 1;
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_candidate_t tree = {.size = sizeof tree,
                             .name = "chain",
                             .run = PLAN_RUN_TREES,
                             .window = 2,
                             .ntrees = 1,
                             .tree = &chain,
                             .rate = &rate};
    plan_range_t range[2] = {{SHORT, &native}, {SIZE_MAX, &tree}};
    plan_t *offline = NULL, *plan = NULL;
    MPI_Datatype type;
    double *data = calloc(2 * N, sizeof *data);

    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_PIPELINE, world_size(), 0, 0, &chain), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(world_size(), 0, 2, range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, offline, &plan, NULL), 0);
    MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    for (int poor = 1; poor < world_size(); poor++)
        for (long k = 1; k < 4; k++) {
            if (world_rank() == poor) alloc_fail_from(k);
            int rc = plan_execute(plan, data, 1, type);
            if (world_rank() == poor && alloc_failed() && k == 1) CU_ASSERT_NOT_EQUAL(rc, 0);
            if (world_rank() < poor) CU_ASSERT_EQUAL(rc, 0);
            CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, SHORT, (uint64_t)k));
            CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 90000, (uint64_t)k));
        }
    MPI_Type_free(&type);
    plan_destroy(&plan);
    plan_destroy(&offline);
    plan_tree_destroy(&chain);
    free(data);
}

static void a_rank_short_of_memory_hangs_nobody(void)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int poor = 0; poor < ranks; poor++) {
        cast_short_of_memory(topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 5000, 2), poor, true);
        cast_short_of_memory(topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 1000000, 2), poor, true);
        cast_short_of_memory(star_and_chain(), poor, false);
        cast_short_of_memory(shared_plan(MPI_COMM_WORLD, 0), poor, false);
        if (poor == 0) cast_short_of_memory(native_plan(MPI_COMM_WORLD, 0), poor, false);
        for (int kind = 0; kind < PLAN_SCHEDULES; kind++) {
            rng_t r = {7};
            plan_t *plan = rounds_plan(MPI_COMM_WORLD, 0, (plan_schedule_kind_t)kind, 5000, 2, &r);
            cast_short_of_memory(plan, poor, false);
        }
    }
}

/* The rank says so, and so does the root: its sum lacks that rank's part. The next reduction is right. */
static void a_reduction_short_of_memory_fails(void)
{
    enum { N = 50000 };
    double *mine = malloc(N * sizeof *mine), *sum = malloc(N * sizeof *sum);
    for (int i = 0; i < N; i++) mine[i] = i;
    for (int poor = 0; poor < world_size(); poor++) {
        plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINOMIAL, 0, 20000, 2);
        CU_ASSERT_EQUAL_FATAL(plani_attach_reduce(plan, NULL), 0);
        int any = 1;
        for (long k = 1; any; k++) {
            if (world_rank() == poor) alloc_fail(k);
            int rc = plan_reduce_execute(plan, world_rank() == 0 ? MPI_IN_PLACE : mine,
                                         world_rank() == 0 ? memcpy(sum, mine, N * sizeof *sum) : NULL, N, MPI_DOUBLE,
                                         MPI_SUM);
            int failed = world_rank() == poor && alloc_failed();
            MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (world_rank() == poor) CU_ASSERT_EQUAL(rc, any ? PLAN_ENOMEM : 0);
            if (world_rank() == 0 && any) CU_ASSERT_NOT_EQUAL(rc, 0);
            if (world_rank() == 0 && !any) CU_ASSERT_EQUAL(sum[N - 1], world_size() * (N - 1.0));
        }
        plan_destroy(&plan);
    }
    free(mine);
    free(sum);
}

/* Let the k-th allocation of one rank fail for each k. `make` is collective, and all ranks get PLAN_ENOMEM. */
static void make_short_of_memory(int (*make)(plan_t **plan, plan_error_t *err))
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int poor = 0; poor<ranks; poor += ranks> 1 ? ranks - 1 : 1) {
        int any = 1;
        for (long k = 1; any; k++) {
            plan_t *plan = NULL;
            plan_error_t err;
            if (world_rank() == poor) alloc_fail(k);
            int rc = make(&plan, &err), failed = world_rank() == poor && alloc_failed();
            MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            CU_ASSERT_EQUAL(rc, any ? PLAN_ENOMEM : 0); /* the same on all ranks */
            CU_ASSERT_EQUAL(err.status, rc);
            CU_ASSERT_EQUAL(plan == NULL, any);
            if (rc == 0) CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 3000, 1));
            plan_destroy(&plan);
        }
    }
}

static plan_t *offline;

static int bind_offline(plan_t **plan, plan_error_t *err)
{
    return plan_bind(MPI_COMM_WORLD, offline, plan, err);
}

static void binding_survives_want_of_memory(void)
{
    int ranks;
    double rate[2] = {2, 1};
    plan_tree_t *tree[2] = {NULL, NULL};
    plan_candidate_t several = {
        .size = sizeof several, .name = "two", .run = PLAN_RUN_TREES, .slice = 9, .window = 3, .ntrees = 2};
    plan_candidate_t shared = {.size = sizeof shared, .name = "shared", .run = PLAN_RUN_SHARED, .window = 1};
    plan_range_t range[2] = {{1000, &several}, {2000, &shared}};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int t = 0; t < 2; t++)
        CU_ASSERT_EQUAL_FATAL(plan_tree_topology(t ? PLAN_BINARY : PLAN_CHAIN, ranks, 0, 0, &tree[t]), PLAN_OK);
    several.tree = tree;
    several.rate = rate;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, 2, range, NULL, &offline), PLAN_OK);
    make_short_of_memory(bind_offline);
    setenv("PLANBCAST_CHECK", "1", 1);
    make_short_of_memory(bind_offline);
    unsetenv("PLANBCAST_CHECK");
    plan_destroy(&offline);
    for (int t = 0; t < 2; t++) plan_tree_destroy(&tree[t]);
}

static plan_options_t options;

static int plan_for_platform(plan_t **plan, plan_error_t *err)
{
    options.error = err;
    return plan_bcast(MPI_COMM_WORLD, 0, 5000, &options, plan);
}

static void planning_survives_want_of_memory(void)
{
    enum { MOST = 4 };
    int ranks, n = 0, host[MOST] = {0};
    plan_platform_t *platform = NULL;
    plan_link_t link[MOST * MOST];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CU_ASSERT_FATAL(ranks <= MOST);
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v)
                link[n++] = (plan_link_t){.from = u, .to = v, .latency_s = 1e-6, .s_per_byte = 1e-9, .channel = -1};
    plan_platform_data_t data = {.size = sizeof data, .ranks = ranks, .nlinks = (size_t)n, .link = link, .host = host};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&data, &platform, NULL), PLAN_OK);
    options = (plan_options_t){.size = sizeof(plan_options_t),
                               .platform = platform,
                               .budget_s = 1,
                               .choice = {.size = sizeof(plan_choice_t), .only = "ompi-chain", .slice = 1000}};
    make_short_of_memory(plan_for_platform);
    plan_platform_destroy(&platform);
}

MPI_SUITE_MAIN("execute memory", TEST(attaching_survives_want_of_memory), TEST(short_messages_need_no_memory),
               TEST(no_slice_is_longer_than_its_stage), TEST(a_rank_short_of_memory_hangs_nobody),
               TEST(a_reduction_short_of_memory_fails), TEST(binding_survives_want_of_memory),
               TEST(planning_survives_want_of_memory))
