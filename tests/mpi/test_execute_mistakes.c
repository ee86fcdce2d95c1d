/*
 * Wrong arguments of one rank. No rank with wrong bytes returns PLAN_OK, no rank hangs, the other ranks receive the
 * message, and later broadcasts are right.
 */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/execute/binding.h"
#include "planner/plan/plan_private.h"
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 300000, PLANS = 9, SIZES = 5 };

/* Ranges served in all ways: what ranks with different sizes run may differ in kind. */
static plan_t *mixed_plan(int root)
{
    int n = world_size();
    plan_tree_t *tree[3] = {NULL};
    double rate[3] = {3, 1, 2};
    rng_t r = {8};
    for (int t = 0; t < 3; t++) tree[t] = random_tree(&r, n, root);
    plan_candidate_t whole = {.size = sizeof whole, .name = "whole", .run = PLAN_RUN_TREES, .window = 1, .ntrees = 1};
    plan_candidate_t shared = {.size = sizeof shared, .name = "shared", .run = PLAN_RUN_SHARED, .window = 1};
    plan_candidate_t several = {
        .size = sizeof several, .name = "several", .run = PLAN_RUN_TREES, .slice = 3000, .window = 2, .ntrees = 3};
    plan_candidate_t rounds = {
        .size = sizeof rounds, .name = "rounds", .run = PLAN_RUN_ROUNDS, .window = 2, .schedule = PLAN_SCATTER_RING};
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    whole.tree = several.tree = tree;
    whole.rate = several.rate = rate;
    rounds.places = n;
    rounds.order = calloc((size_t)n, sizeof *rounds.order);
    for (int v = 0; v < n; v++) rounds.order[v] = (root + v) % n;
    plan_range_t range[] = {{1000, &whole}, {5000, &shared}, {20000, &several}, {40000, &rounds}, {SIZE_MAX, &native}};
    plan_t *offline = NULL, *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(n, root, 5, range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, offline, &plan, NULL), 0);
    plan_destroy(&offline);
    free(rounds.order);
    for (int t = 0; t < 3; t++) plan_tree_destroy(&tree[t]);
    return plan;
}

static plan_t *several_trees_plan(int root)
{
    plan_tree_t *tree[4];
    double rate[4] = {4, 3, 2, 1};
    rng_t r = {5};
    for (int t = 0; t < 4; t++) tree[t] = random_tree(&r, world_size(), root);
    return trees_plan(MPI_COMM_WORLD, root, 4, tree, rate, 7000, 3);
}

enum { MANY_TREES = -1 };

static plan_t *many_trees_plan(int root)
{
    plan_tree_t *tree[64];
    double rate[64];
    rng_t r = {6};
    for (int t = 0; t < 64; t++) {
        tree[t] = random_tree(&r, world_size(), root);
        rate[t] = 1;
    }
    return trees_plan(MPI_COMM_WORLD, root, 64, tree, rate, 300, 2);
}

static plan_t *plan_of(int kind, int root)
{
    rng_t r = {17};
    switch (kind) {
    case MANY_TREES:
        return many_trees_plan(root);
    case 0:
        return topology_plan(MPI_COMM_WORLD, root, PLAN_BINOMIAL, 0, 0, 1);
    case 1:
        return topology_plan(MPI_COMM_WORLD, root, PLAN_PIPELINE, 0, 4000, 2);
    case 2:
        return several_trees_plan(root);
    case 3:
        return shared_plan(MPI_COMM_WORLD, root);
    case 4:
        return native_plan(MPI_COMM_WORLD, root);
    case 5:
        return mixed_plan(root);
    default:
        return rounds_plan(MPI_COMM_WORLD, root, (plan_schedule_kind_t)((kind - 6) % PLAN_SCHEDULES), 3000, 2, &r);
    }
}

typedef enum { NO_BUFFER, NEGATIVE, NO_TYPE, NOT_COMMITTED, NOTHING, SHORTER, LONGER, MUCH_LONGER, MISTAKES } mistake_t;

/* What a rank passes that makes the mistake. */
typedef struct {
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    bool other_size; /* its arguments are good, but of another number of bytes */
} call_t;

static call_t call_with(mistake_t m, void *data, size_t bytes, MPI_Datatype uncommitted)
{
    call_t c = {.buffer = data, .count = (MPI_Count)bytes, .type = MPI_BYTE, .other_size = m >= NOTHING};
    if (m == NO_BUFFER) c.buffer = NULL;
    if (m == NEGATIVE) c.count = -1;
    if (m == NO_TYPE) c.type = MPI_DATATYPE_NULL;
    if (m == NOT_COMMITTED) c.type = uncommitted;
    if (m == NOTHING) c.count = 0;
    if (m == SHORTER) c.count = (MPI_Count)(bytes - bytes / 3 - 1);
    if (m == LONGER) c.count = (MPI_Count)bytes + 1;
    if (m == MUCH_LONGER) c.count = (MPI_Count)bytes * 2 + 9000;
    return c;
}

static bool all_are(const unsigned char *data, size_t bytes, unsigned char value)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != value) return false;
    return true;
}

static const plani_binding_t *binding_of(const plan_t *plan)
{
    return plan->binding;
}

/* No message is left that a later communicator could find. */
static void nothing_lies_about(const plan_t *plan)
{
    int flag = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, binding_of(plan)->comm, &flag, MPI_STATUS_IGNORE);
    CU_ASSERT(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One broadcast in which rank `who` makes the mistake. */
static void cast_wrongly(plan_t *plan, int root, int who, mistake_t m, size_t bytes, MPI_Datatype uncommitted)
{
    static unsigned char data[2 * LONGEST + 10000];
    bool me = world_rank() == who;
    call_t c = {.buffer = data, .count = (MPI_Count)bytes, .type = MPI_BYTE};
    if (me) c = call_with(m, data, bytes, uncommitted);
    memset(data, world_rank() == root ? 7 : 0, sizeof data);
    int rc = plan_execute(plan, c.buffer, c.count, c.type);
    bool good = rc != 0 || all_are(data, me && who != root ? 0 : bytes, 7);
    if (who != root && !me) good = good && rc == 0; /* all others get theirs */
    if (who != root && me) good = good && rc != 0;
    if (who == root && me && !c.other_size) good = good && rc != 0;
    if (who == root && !me) good = good && rc != 0; /* they expect another size, or hear that the root has failed */
    if (rc != 0) good = good && plan_execute_error(plan)[0] != '\0';
    CU_ASSERT(good);
    if (!good)
        fprintf(stderr, "rank %d: broadcast %lu from %d, mistake %d by %d, %zu bytes: %d\n", world_rank(),
                binding_of(plan)->number, root, (int)m, who, bytes, rc);
    for (int i = 0; i < 3; i++) CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, root, bytes + (size_t)i, (uint64_t)i));
}

/* MPI_Bcast's own way with other sizes is not ours, where short ones go by it alone. */
static bool is_excluded(int kind, mistake_t m, size_t bytes)
{
    enum { ALONE = 8192 };
    size_t other = (size_t)call_with(m, NULL, bytes, MPI_BYTE).count;
    if (kind != 4) return false;
    if (m == NEGATIVE || m == NO_TYPE) return bytes <= ALONE; /* no size is known */
    return m >= NOTHING && (bytes <= ALONE || (other > 0 && other <= ALONE));
}

static void one_rank_is_wrong(int kind)
{
    static const size_t size[SIZES] = {900, 3000, 12000, 33000, LONGEST};
    MPI_Datatype uncommitted;
    MPI_Type_contiguous(1, MPI_BYTE, &uncommitted);
    alarm(300); /* a hang ends here */
    for (int root = 0; root < world_size(); root += world_size() - 1) {
        plan_t *plan = plan_of(kind, root);
        for (int who = 0; who<world_size(); who += world_size()> 3 ? 2 : 1)
            for (int m = 0; m < MISTAKES; m++)
                for (int s = 0; s < SIZES; s++)
                    if (!is_excluded(kind, (mistake_t)m, size[s]))
                        cast_wrongly(plan, root, who, (mistake_t)m, size[s], uncommitted);
        nothing_lies_about(plan);
        plan_destroy(&plan);
    }
    alarm(0);
    MPI_Type_free(&uncommitted);
}

static void down_a_binomial_tree(void)
{
    one_rank_is_wrong(0);
}

static void down_a_pipeline(void)
{
    one_rank_is_wrong(1);
}

static void down_several_trees(void)
{
    one_rank_is_wrong(2);
}

static void down_many_trees(void)
{
    one_rank_is_wrong(MANY_TREES);
}

static void through_shared_memory(void)
{
    one_rank_is_wrong(3);
}

static void by_the_library(void)
{
    one_rank_is_wrong(4);
}

static void by_ranges_of_all_kinds(void)
{
    one_rank_is_wrong(5);
}

static void in_rounds(void)
{
    for (int kind = 6; kind < 6 + PLAN_SCHEDULES; kind++) one_rank_is_wrong(kind);
}

/* MPI fails in one rank: the plan is broken there, and says so. */
static int receives_left = -1; /* -1: any number */

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    if (receives_left == 0) return MPI_ERR_INTERN;
    receives_left -= receives_left > 0;
    return PMPI_Irecv(data, n, type, from, tag, comm, request);
}

static void a_plan_that_mpi_has_failed_runs_no_more(void)
{
    char data[1000] = {0};
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 100, 2);
    int last = world_size() - 1;
    if (world_rank() == last) receives_left = 3;
    int rc = plan_execute(plan, data, sizeof data, MPI_BYTE);
    receives_left = -1;
    CU_ASSERT_EQUAL(rc, world_rank() == last ? MPI_ERR_INTERN : 0);
    if (world_rank() == last) CU_ASSERT_EQUAL(plan_execute(plan, data, sizeof data, MPI_BYTE), PLAN_EBROKEN);
    plan_destroy(&plan);
}

/* As another thread would, in the middle of a broadcast. */
static plan_t *again;
static int second = 0;

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    char byte = 0;
    plan_t *plan = again;
    again = NULL;
    if (plan != NULL) second = plan_execute(plan, &byte, 1, MPI_BYTE);
    return PMPI_Send(data, n, type, to, tag, comm);
}

static void a_plan_in_use_is_busy(void)
{
    char byte = 1;
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_LINEAR, 0, 0, 1);
    if (world_rank() == 0) again = plan;
    CU_ASSERT_EQUAL(plan_execute(plan, &byte, 1, MPI_BYTE), 0);
    CU_ASSERT_EQUAL(second, world_rank() == 0 ? PLAN_EBUSY : 0);
    second = 0;
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 5, 1));
    plan_destroy(&plan);
}

static plan_t *bound_shared(const char *name)
{
    plan_candidate_t c = {.size = sizeof c, .run = PLAN_RUN_SHARED, .window = 1};
    snprintf(c.name, sizeof c.name, "%s", name);
    plan_range_t range = {SIZE_MAX, &c};
    plan_t *offline = NULL, *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(world_size(), 0, 1, &range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, offline, &plan, NULL), 0);
    plan_destroy(&offline);
    return plan;
}

/* A root that fails by one plan goes on with another, even an equal one, before the others have begun: its slices were
 * taken for the failed broadcast's, or thrown away. */
static void plans_that_share_memory_keep_their_broadcasts_apart(void)
{
    char byte = 1;
    MPI_Datatype uncommitted;
    MPI_Type_contiguous(1, MPI_BYTE, &uncommitted);
    plan_t *plan = bound_shared("one"), *equal = bound_shared("one");
    for (int trial = 0; trial < 10; trial++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (world_rank() != 0) usleep(20000);
        int rc = plan_execute(plan, &byte, 1, world_rank() == 0 ? uncommitted : MPI_BYTE);
        CU_ASSERT_NOT_EQUAL(rc, 0);
        if (world_rank() != 0) CU_ASSERT_EQUAL(rc, PLAN_EDISAGREE);
        CU_ASSERT(casts_bytes(equal, MPI_COMM_WORLD, 0, 100 + (size_t)trial, (uint64_t)trial));
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 1, (uint64_t)trial));
    }
    MPI_Type_free(&uncommitted);
    plan_destroy(&equal);
    plan_destroy(&plan);
}

static void one_rank_takes_plans_in_another_order(void)
{
    enum { BYTES = 200000 };
    char *data = calloc(BYTES, 1);
    bool swaps = world_rank() == world_size() - 1;
    plan_t *a = bound_shared("one"), *b = bound_shared("one");
    for (int trial = 0; trial < 10; trial++) {
        int first = plan_execute(swaps ? b : a, data, BYTES, MPI_BYTE);
        int second_one = plan_execute(swaps ? a : b, data, BYTES, MPI_BYTE);
        CU_ASSERT_EQUAL(first, swaps ? PLAN_EDISAGREE : 0);
        CU_ASSERT_EQUAL(second_one, swaps ? PLAN_EDISAGREE : 0);
        CU_ASSERT(casts_bytes(a, MPI_COMM_WORLD, 0, BYTES, (uint64_t)trial));
    }
    plan_destroy(&a);
    plan_destroy(&b);
    free(data);
}

/* Whatever a rank has missed for a broken plan: the others go on, and all do by other plans and by new ones. */
static void a_broken_plan_holds_up_no_shared_memory(void)
{
    enum { BYTES = 100000 };
    char *data = calloc(BYTES, 1), byte = 0;
    plan_t *other = bound_shared("other");
    for (int broken = 0; broken < world_size(); broken++) {
        bool mine = broken == world_rank();
        plan_t *plan = bound_shared("one");
        if (mine) ((plani_binding_t *)plan->binding)->broken = true;
        for (int i = 0; i < 10; i++) {
            int rc = plan_execute(plan, data, BYTES, MPI_BYTE);
            CU_ASSERT_EQUAL(rc, mine ? PLAN_EBROKEN : broken == 0 ? PLAN_EDISAGREE : 0);
            CU_ASSERT(strlen(plan_execute_error(plan)) > 0 || rc == 0);
        }
        CU_ASSERT(casts_bytes(other, MPI_COMM_WORLD, 0, BYTES, (uint64_t)broken));
        if (broken != 0) plan_execute(plan, mine ? NULL : &byte, 1, MPI_BYTE); /* it cannot know of the slice */
        CU_ASSERT(casts_bytes(other, MPI_COMM_WORLD, 0, BYTES, (uint64_t)broken));
        if (broken != 0) plan_execute(plan, mine ? NULL : &byte, 1, MPI_BYTE);
        plan_destroy(&plan);
        plan = bound_shared("new");
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, BYTES, 7));
        plan_destroy(&plan);
    }
    plan_destroy(&other);
    free(data);
}

/* ---- PLANBCAST_CHECK ---- */

static plan_t *bound(int root, const char *name)
{
    plan_tree_t *tree = NULL;
    double rate = 1;
    plan_candidate_t c = {.size = sizeof c, .run = PLAN_RUN_TREES, .window = 1, .ntrees = 1};
    snprintf(c.name, sizeof c.name, "%s", name);
    plan_range_t range = {SIZE_MAX, &c};
    plan_t *offline = NULL, *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_BINOMIAL, world_size(), root, 0, &tree), PLAN_OK);
    c.tree = &tree;
    c.rate = &rate;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(world_size(), root, 1, &range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, offline, &plan, NULL), 0);
    plan_destroy(&offline);
    plan_tree_destroy(&tree);
    return plan;
}

static void checking_names_the_rank_that_differs(void)
{
    char data[200] = {0}, expected[100];
    int last = world_size() - 1;
    setenv("PLANBCAST_CHECK", "1", 1);
    plan_t *first = bound(0, "first"), *other = bound(last, "other");
    unsetenv("PLANBCAST_CHECK");
    CU_ASSERT(casts_bytes(first, MPI_COMM_WORLD, 0, 100, 1));
    CU_ASSERT_STRING_EQUAL(plan_execute_error(first), "");
    CU_ASSERT_EQUAL(plan_execute(first, data, world_rank() == last ? 99 : 100, MPI_BYTE), PLAN_EDISAGREE);
    snprintf(expected, sizeof expected, "rank %d passes 99 bytes and rank 0 100 bytes", last);
    CU_ASSERT_PTR_NOT_NULL(strstr(plan_execute_error(first), expected));
    CU_ASSERT(casts_bytes(first, MPI_COMM_WORLD, 0, 100, 2));
    CU_ASSERT_EQUAL(plan_execute(world_rank() == last ? other : first, data, 100, MPI_BYTE), PLAN_EDISAGREE);
    snprintf(expected, sizeof expected, "rank %d broadcasts from root %d and rank 0 from root 0", last, last);
    CU_ASSERT_PTR_NOT_NULL(strstr(plan_execute_error(world_rank() == last ? other : first), expected));
    CU_ASSERT(casts_bytes(first, MPI_COMM_WORLD, 0, 100, 3)); /* not counted by some ranks alone */
    CU_ASSERT_STRING_EQUAL(plan_execute_error(first), "");
    CU_ASSERT(casts_bytes(other, MPI_COMM_WORLD, last, 100, 4));
    plan_destroy(&first);
    CU_ASSERT_EQUAL(plan_execute(other, world_rank() == last ? NULL : data, 100, MPI_BYTE), PLAN_EDISAGREE);
    CU_ASSERT_PTR_NOT_NULL(strstr(plan_execute_error(other), "arguments that cannot be sent"));
    plan_destroy(&other);
}

/* With few bits to tell sizes apart, a rank could take a shorter message's slices for the first of its longer one. */
static void parts_of_the_world_tell_as_many_sizes_apart(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, 0, &half);
    plan_t *whole = topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 100, 2);
    plan_t *part = topology_plan(half, 0, PLAN_PIPELINE, 0, 100, 2);
    const plani_tags_t *a = &((plani_binding_t *)whole->binding)->tags, *b = &((plani_binding_t *)part->binding)->tags;
    CU_ASSERT(a->check_bits >= 12);
    CU_ASSERT_EQUAL(a->check_bits, b->check_bits);
    CU_ASSERT_EQUAL(a->number_bits, b->number_bits);
    plan_destroy(&whole);
    plan_destroy(&part);
    MPI_Comm_free(&half);
}

MPI_SUITE_MAIN("execute mistakes", TEST(parts_of_the_world_tell_as_many_sizes_apart), TEST(down_a_binomial_tree),
               TEST(down_a_pipeline), TEST(down_several_trees), TEST(down_many_trees), TEST(through_shared_memory),
               TEST(in_rounds), TEST(by_the_library), TEST(by_ranges_of_all_kinds), TEST(a_plan_in_use_is_busy),
               TEST(plans_that_share_memory_keep_their_broadcasts_apart), TEST(one_rank_takes_plans_in_another_order),
               TEST(a_broken_plan_holds_up_no_shared_memory), TEST(checking_names_the_rank_that_differs),
               TEST(a_plan_that_mpi_has_failed_runs_no_more))
