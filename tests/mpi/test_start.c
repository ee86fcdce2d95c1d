/* plan_start, plan_test, plan_wait. (That every kind of candidate delivers under them, and what wrong arguments do, is
 * tested by the suites of plan_execute, compiled once more: *_started.) */
#include "mpi_suite.h"
#include "cast.h"
#include "types.h"
#include "lib/mpi/execute/binding.h"
#include "planner/plan/plan_private.h"
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KINDS = 11, MOST = 300000 };

/* Trees between hosts, shared memory inside: here all ranks are on one host. */
static plan_t *ring_plan(int root)
{
    double rate = 1;
    plan_tree_t *tree = NULL;
    plan_t *offline = NULL, *plan = NULL;
    plan_candidate_t c = {
        .size = sizeof c, .name = "hosts", .run = PLAN_RUN_HOSTS, .slice = 20000, .window = 4, .ntrees = 1};
    plan_range_t range = {.up_to = SIZE_MAX, .chosen = &c};
    if (plan_tree_topology(PLAN_BINOMIAL, world_size(), root, 0, &tree) != PLAN_OK) abort();
    c.tree = &tree, c.rate = &rate;
    if (plan_from_ranges(world_size(), root, 1, &range, NULL, &offline) != PLAN_OK) abort();
    if (plan_bind(MPI_COMM_WORLD, offline, &plan, NULL) != 0) abort();
    plan_tree_destroy(&tree);
    plan_destroy(&offline);
    return plan;
}

static plan_t *plan_of(int kind, int root)
{
    rng_t r = {(uint64_t)kind + 17};
    plan_tree_t *tree[3];
    double rate[3] = {3, 1, 2};
    switch (kind) {
    case 0: /* whole: one slice */
        return topology_plan(MPI_COMM_WORLD, root, PLAN_BINOMIAL, 0, 0, 1);
    case 1:
        return topology_plan(MPI_COMM_WORLD, root, PLAN_PIPELINE, 0, 4000, 2);
    case 2:
        for (int t = 0; t < 3; t++) tree[t] = random_tree(&r, world_size(), root);
        return trees_plan(MPI_COMM_WORLD, root, 3, tree, rate, 3000, 3);
    case 3:
        return shared_plan(MPI_COMM_WORLD, root);
    case 4:
        return native_plan(MPI_COMM_WORLD, root);
    case 5:
        return ring_plan(root);
    case 6:
        return topology_plan(MPI_COMM_WORLD, root, PLAN_LINEAR, 0, 50000, 2);
    default:
        return rounds_plan(MPI_COMM_WORLD, root, (plan_schedule_kind_t)((kind - 7) % PLAN_SCHEDULES), 3000, 2, &r);
    }
}

static void destroy_all(plan_t **plan, int n)
{
    for (int i = 0; i < n; i++) plan_destroy(&plan[i]);
}

/* A message, as MPI_Bcast leaves it, and room for the plan's. */
typedef struct {
    size_t bytes;
    unsigned char *expected, *data;
} message_t;

static message_t message_of(int root, size_t bytes, uint64_t seed)
{
    message_t m = {.bytes = bytes, .expected = malloc(bytes + 1), .data = malloc(bytes + 1)};
    if (m.expected == NULL || m.data == NULL) abort();
    for (size_t i = 0; i < bytes; i++) m.data[i] = world_rank() == root ? message_byte(seed, i) : 0xa5;
    m.data[bytes] = 0x5a;
    memcpy(m.expected, m.data, bytes);
    MPI_Bcast(m.expected, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    return m;
}

static bool arrived(const message_t *m)
{
    return memcmp(m->expected, m->data, m->bytes) == 0 && m->data[m->bytes] == 0x5a;
}

static void message_free(message_t *m)
{
    free(m->expected);
    free(m->data);
}

static int start(plan_t *plan, const message_t *m)
{
    return plan_start(plan, m->data, (MPI_Count)m->bytes, MPI_BYTE);
}

/* Ranks below the root start before it does: there is a barrier in between. */
static void starting_waits_for_no_other_rank(void)
{
    static const size_t size[] = {0, 1, 200, 5000, MOST};
    alarm(120);
    for (int kind = 0; kind < KINDS; kind++) {
        plan_t *plan = plan_of(kind, 0);
        for (int s = 0; s < 5; s++) {
            message_t m = message_of(0, size[s], (uint64_t)s);
            bool done = false;
            if (world_rank() != 0) CU_ASSERT_EQUAL(start(plan, &m), 0);
            if (world_rank() != 0 && size[s] > 0) CU_ASSERT(plan_test(plan, &done) == 0 && !done);
            MPI_Barrier(MPI_COMM_WORLD);
            if (world_rank() == 0) CU_ASSERT_EQUAL(start(plan, &m), 0);
            CU_ASSERT_EQUAL(plan_wait(plan), 0);
            CU_ASSERT(arrived(&m));
            message_free(&m);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        plan_destroy(&plan);
    }
    alarm(0);
}

/* All kinds at once from all roots, awaited by each rank in an order of its own: whichever a rank waits for, it serves
 * the others. */
static void plans_of_all_kinds_are_under_way_at_once(void)
{
    plan_t *plan[KINDS];
    message_t m[KINDS];
    rng_t same = {5}, own = {(uint64_t)world_rank() + 1};
    alarm(240);
    for (int i = 0; i < KINDS; i++) plan[i] = plan_of(i, i % world_size());
    for (int turn = 0; turn < 30; turn++) {
        int order[KINDS];
        for (int i = 0; i < KINDS; i++) {
            size_t bytes = (size_t)rng_below(&same, turn % 3 == 0 ? MOST : 9000);
            m[i] = message_of(i % world_size(), bytes, (uint64_t)(turn + i));
            order[i] = i;
        }
        for (int i = KINDS - 1; i > 0; i--) {
            int j = rng_below(&own, i + 1), swap = order[i];
            order[i] = order[j], order[j] = swap;
        }
        for (int i = 0; i < KINDS; i++) CU_ASSERT_EQUAL(start(plan[(i + turn) % KINDS], &m[(i + turn) % KINDS]), 0);
        for (int i = 0; i < KINDS; i++) {
            bool done = false;
            if (rng_below(&own, 2) == 0) CU_ASSERT_EQUAL(plan_test(plan[order[i]], &done), 0);
            if (!done) CU_ASSERT_EQUAL(plan_wait(plan[order[i]]), 0);
            CU_ASSERT(arrived(&m[order[i]]));
        }
        for (int i = 0; i < KINDS; i++) message_free(&m[i]);
    }
    destroy_all(plan, KINDS);
    alarm(0);
}

/* Some ranks go through plan_execute while the others wait for what has been started before. */
static void executing_serves_what_is_under_way(void)
{
    alarm(240);
    for (int kind = 0; kind < KINDS; kind++) {
        int last = world_size() - 1;
        plan_t *started = plan_of(kind, 0), *executed = topology_plan(MPI_COMM_WORLD, last, PLAN_PIPELINE, 0, 1000, 2);
        plan_t *ring = ring_plan(last);
        for (int turn = 0; turn < 4; turn++) {
            message_t a = message_of(0, MOST, 1), b = message_of(last, 20000, 2);
            plan_t *other = turn % 2 == 0 ? executed : ring;
            CU_ASSERT_EQUAL(start(started, &a), 0);
            if (world_rank() % 2 == 0) CU_ASSERT_EQUAL(plan_wait(started), 0);
            CU_ASSERT_EQUAL(plan_execute(other, b.data, (MPI_Count)b.bytes, MPI_BYTE), 0);
            if (world_rank() % 2 != 0) CU_ASSERT_EQUAL(plan_wait(started), 0);
            CU_ASSERT(arrived(&a));
            CU_ASSERT(arrived(&b));
            message_free(&a);
            message_free(&b);
        }
        plan_destroy(&started);
        plan_destroy(&executed);
        plan_destroy(&ring);
    }
    alarm(0);
}

/* At intervals all ranks wait for each other before tags are used again. */
static void ranks_meet_while_a_broadcast_is_under_way(void)
{
    enum { TURNS = 1100 };
    int last = world_size() - 1;
    plan_t *started = topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 1000, 2),
           *executed = topology_plan(MPI_COMM_WORLD, last, PLAN_BINOMIAL, 0, 1000, 2);
    alarm(240);
    for (int turn = 0; turn < TURNS; turn++) {
        char data[3000];
        message_t m = message_of(0, 5000, (uint64_t)turn);
        memset(data, world_rank() == last ? turn : 0, sizeof data);
        CU_ASSERT_EQUAL(start(started, &m), 0);
        if (world_rank() % 2 == 0) CU_ASSERT_EQUAL(plan_wait(started), 0);
        CU_ASSERT_EQUAL(plan_execute(executed, data, sizeof data, MPI_BYTE), 0);
        if (world_rank() % 2 != 0) CU_ASSERT_EQUAL(plan_wait(started), 0);
        CU_ASSERT(data[sizeof data - 1] == (char)turn);
        CU_ASSERT(arrived(&m));
        message_free(&m);
    }
    alarm(0);
    plan_destroy(&started);
    plan_destroy(&executed);
}

/* Binding a plan synchronises the ring, which is in use. */
static void plans_are_made_while_a_broadcast_is_under_way(void)
{
    static const int kind[] = {1, 3, 4, 5};
    alarm(120);
    for (int k = 0; k < 4; k++) {
        plan_t *plan = plan_of(kind[k], 0);
        for (int turn = 0; turn < 5; turn++) {
            message_t m = message_of(0, MOST, (uint64_t)turn);
            CU_ASSERT_EQUAL(start(plan, &m), 0);
            plan_t *other = ring_plan(world_size() - 1);
            CU_ASSERT(casts_bytes(other, MPI_COMM_WORLD, world_size() - 1, 70000, 7));
            CU_ASSERT_EQUAL(plan_wait(plan), 0);
            CU_ASSERT(arrived(&m));
            message_free(&m);
            plan_destroy(&other);
        }
        plan_destroy(&plan);
    }
    alarm(0);
}

/* As a persistent request: again and again, beyond the numbers that tags have. */
static void a_plan_starts_again_and_again(void)
{
    static const int kind[] = {1, 3, 4, 7};
    alarm(240);
    for (int k = 0; k < 4; k++) {
        plan_t *plan = plan_of(kind[k], 0);
        int bad = 0;
        for (int i = 0; i < 1100; i++) {
            int value[100];
            for (int v = 0; v < 100; v++) value[v] = world_rank() == 0 ? i + v : -1;
            bad += plan_start(plan, value, 100, MPI_INT) != 0;
            bad += plan_wait(plan) != 0;
            for (int v = 0; v < 100; v++) bad += value[v] != i + v;
        }
        CU_ASSERT_EQUAL(bad, 0);
        plan_destroy(&plan);
    }
    alarm(0);
}

/* As MPI allows after MPI_Ibcast. */
static void a_datatype_may_be_freed_while_it_is_under_way(void)
{
    rng_t r = {77};
    alarm(120);
    for (int turn = 0; turn < 40; turn++) {
        int kind = turn % KINDS, rank = world_rank();
        plan_t *plan = plan_of(kind, 0);
        layout_t layout = layout_of(random_type(&r, 3, 0), 30);
        MPI_Datatype type;
        unsigned char *expected = malloc(layout.size), *at = layout.memory + layout.origin;
        for (size_t i = 0; i < layout.size; i++) layout.memory[i] = message_byte(rank == 0 ? 1 : 2, i);
        MPI_Bcast(at, layout.count, layout.type, 0, MPI_COMM_WORLD);
        memcpy(expected, layout.memory, layout.size);
        for (size_t i = 0; i < layout.size; i++) layout.memory[i] = message_byte(rank == 0 ? 1 : 2, i);
        MPI_Type_dup(layout.type, &type);
        CU_ASSERT_EQUAL(plan_start(plan, at, layout.count, type), 0);
        MPI_Type_free(&type);
        CU_ASSERT_EQUAL(plan_wait(plan), 0);
        CU_ASSERT_EQUAL(memcmp(expected, layout.memory, layout.size), 0);
        free(expected);
        layout_free(&layout);
        plan_destroy(&plan);
    }
    alarm(0);
}

static bool says(const plan_t *plan, const char *what)
{
    return strstr(plan_execute_error(plan), what) != NULL;
}

static void ends_without_a_beginning_are_refused(void)
{
    bool done = true;
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINOMIAL, 0, 0, 1), *unbound = NULL;
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_range_t range = {.up_to = 1, .chosen = &native};
    message_t m = message_of(0, 99, 1);
    CU_ASSERT_EQUAL(plan_from_ranges(world_size(), 0, 1, &range, NULL, &unbound), PLAN_OK);
    CU_ASSERT_EQUAL(plan_start(NULL, m.data, 1, MPI_BYTE), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_start(unbound, m.data, 1, MPI_BYTE), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_test(NULL, &done), PLAN_EINVAL);
    CU_ASSERT(!done);
    CU_ASSERT_EQUAL(plan_test(unbound, &done), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_wait(NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_wait(unbound), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_wait(plan), PLAN_EINVAL);
    CU_ASSERT(says(plan, "plan_start"));
    CU_ASSERT_EQUAL(plan_test(plan, &done), PLAN_EINVAL);
    CU_ASSERT(says(plan, "plan_start"));
    CU_ASSERT_EQUAL(start(plan, &m), 0);
    CU_ASSERT_EQUAL(plan_test(plan, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_wait(plan), 0);
    CU_ASSERT_EQUAL(plan_execute_error(plan)[0], '\0');
    CU_ASSERT_EQUAL(plan_wait(plan), PLAN_EINVAL); /* it has ended */
    CU_ASSERT(arrived(&m));
    message_free(&m);
    plan_destroy(&plan);
    plan_destroy(&unbound);
}

/* Refused, and the broadcast under way takes no harm. */
static void a_plan_under_way_does_nothing_else(void)
{
    alarm(120);
    for (int kind = 0; kind < KINDS; kind++) {
        plan_t *plan = plan_of(kind, 0), *same = plan;
        plan_review_t review = {.size = sizeof review};
        message_t m = message_of(0, MOST, 3);
        char other[10];
        CU_ASSERT_EQUAL(start(plan, &m), 0);
        CU_ASSERT_EQUAL(plan_start(plan, other, sizeof other, MPI_BYTE), PLAN_EBUSY);
        CU_ASSERT(says(plan, "plan_wait"));
        CU_ASSERT_EQUAL(plan_execute(plan, other, sizeof other, MPI_BYTE), PLAN_EBUSY);
        plan_destroy(&plan);
        CU_ASSERT_PTR_EQUAL_FATAL(plan, same);
        CU_ASSERT(says(plan, "plan_destroy"));
        CU_ASSERT_EQUAL(plan_review(&plan, NULL, false, &review), PLAN_EBUSY);
        CU_ASSERT_EQUAL(plan_wait(plan), 0);
        CU_ASSERT_EQUAL(plan_execute_error(plan)[0], '\0');
        CU_ASSERT(arrived(&m));
        message_free(&m);
        plan_destroy(&plan);
        CU_ASSERT_PTR_NULL(plan);
    }
    alarm(0);
}

/* What one rank can see is returned by plan_start, and nothing is under way there; what ranks see of each other, at the
 * end. */
static void wrong_arguments_are_returned_where_they_are_found(void)
{
    MPI_Datatype uncommitted;
    int last = world_size() - 1;
    if (last == 0) return;
    MPI_Type_contiguous(1, MPI_BYTE, &uncommitted);
    alarm(120);
    for (int kind = 0; kind < KINDS; kind++) {
        plan_t *plan = plan_of(kind, 0);
        message_t m = message_of(0, MOST, 3), small = message_of(0, 100, 4);
        bool me = world_rank() == last;
        for (int mistake = 0; mistake < 3; mistake++) {
            if (me) {
                int rc = mistake == 0   ? plan_start(plan, m.data, -1, MPI_BYTE)
                         : mistake == 1 ? plan_start(plan, NULL, MOST, MPI_BYTE)
                                        : plan_start(plan, m.data, MOST, uncommitted);
                CU_ASSERT(mistake == 0 ? rc == PLAN_EINVAL : rc > 0);
                CU_ASSERT(plan_execute_error(plan)[0] != '\0');
                CU_ASSERT_EQUAL(plan_wait(plan), PLAN_EINVAL);
            } else {
                CU_ASSERT_EQUAL(start(plan, &m), 0);
                CU_ASSERT_EQUAL(plan_wait(plan), 0);
                CU_ASSERT(arrived(&m));
            }
        }
        if (kind != 4) { /* as of MPI_Bcast, ranks of MPI_Ibcast have to agree on short messages */
            CU_ASSERT_EQUAL(start(plan, me ? &small : &m), 0);
            CU_ASSERT_EQUAL(plan_wait(plan), me ? PLAN_EDISAGREE : 0);
        }
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 5000, 1));
        message_free(&m);
        message_free(&small);
        plan_destroy(&plan);
    }
    alarm(0);
    MPI_Type_free(&uncommitted);
}

/* PLANBCAST_CHECK compares the arguments of started broadcasts, too, several at once. */
static void started_broadcasts_are_checked(void)
{
    plan_t *plan[2];
    message_t m[2];
    int last = world_size() - 1;
    if (last == 0) return;
    setenv("PLANBCAST_CHECK", "1", 1);
    alarm(120);
    for (int i = 0; i < 2; i++) plan[i] = ring_plan(i == 0 ? 0 : last);
    for (int turn = 0; turn < 20; turn++) {
        bool wrong = turn % 4 == 1;
        for (int i = 0; i < 2; i++) m[i] = message_of(i == 0 ? 0 : last, 30000, (uint64_t)turn);
        if (wrong && world_rank() == last) m[0].bytes--;
        for (int i = 0; i < 2; i++) CU_ASSERT_EQUAL(start(plan[i], &m[i]), 0);
        for (int i = 0; i < 2; i++) {
            int which = world_rank() % 2 == 0 ? i : 1 - i, rc = plan_wait(plan[which]);
            CU_ASSERT_EQUAL(rc, wrong && which == 0 ? PLAN_EDISAGREE : 0);
            CU_ASSERT(rc == 0 || says(plan[which], "29999 bytes"));
            if (rc == 0) CU_ASSERT_EQUAL(memcmp(m[which].data, m[which].expected, m[which].bytes), 0);
        }
        for (int i = 0; i < 2; i++) message_free(&m[i]);
    }
    unsetenv("PLANBCAST_CHECK");
    destroy_all(plan, 2);
    alarm(0);
}

/* Times of what computing has held up would mislead plan_review. */
static void started_broadcasts_are_not_timed(void)
{
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 40000, 2);
    const plani_binding_t *b = plan->binding;
    message_t m = message_of(0, MOST, 1);
    CU_ASSERT_EQUAL(start(plan, &m), 0);
    CU_ASSERT_EQUAL(plan_wait(plan), 0);
    for (int i = 0; i < PLANI_TIMINGS; i++) CU_ASSERT_EQUAL(b->timings.of[i].number, 0);
    CU_ASSERT_EQUAL(plan_execute(plan, m.data, (MPI_Count)m.bytes, MPI_BYTE), 0);
    CU_ASSERT_EQUAL(b->timings.of[2].number, world_size() > 1 ? 2 : 0);
    message_free(&m);
    plan_destroy(&plan);
}

MPI_SUITE_MAIN("start", TEST(starting_waits_for_no_other_rank), TEST(plans_of_all_kinds_are_under_way_at_once),
               TEST(executing_serves_what_is_under_way), TEST(ranks_meet_while_a_broadcast_is_under_way),
               TEST(plans_are_made_while_a_broadcast_is_under_way), TEST(a_plan_starts_again_and_again),
               TEST(a_datatype_may_be_freed_while_it_is_under_way), TEST(ends_without_a_beginning_are_refused),
               TEST(a_plan_under_way_does_nothing_else), TEST(wrong_arguments_are_returned_where_they_are_found),
               TEST(started_broadcasts_are_checked), TEST(started_broadcasts_are_not_timed))
