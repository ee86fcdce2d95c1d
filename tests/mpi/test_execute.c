/* Broadcasts of bytes: every tree, several at once, every size, byte by byte. */
#include "mpi_suite.h"
#include "cast.h"
#include <stdbool.h>
#include <string.h>

/* Addresses of the requests that were started, by MPI's profiling interface. `overwritten` counts starts of a request
 * into a variable that still held an active one. */
static struct {
    MPI_Request *at[4096];
    int n, overwritten;
    bool watched;
} started;

static void note_start(MPI_Request *request)
{
    if (!started.watched) return;
    started.overwritten += *request != MPI_REQUEST_NULL;
    for (int i = 0; i < started.n; i++)
        if (started.at[i] == request) return;
    if (started.n < 4096) started.at[started.n++] = request;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    note_start(request);
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Issend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    note_start(request);
    return PMPI_Issend(data, n, type, to, tag, comm, request);
}

static int receives_left = -1; /* -1: any number */

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    note_start(request);
    if (receives_left == 0) return MPI_ERR_INTERN;
    receives_left -= receives_left > 0;
    return PMPI_Irecv(data, n, type, from, tag, comm, request);
}

static void watch_requests(void)
{
    started.n = started.overwritten = 0;
    started.watched = true;
}

/* After a broadcast nothing is under way, and nothing has been lost sight of, whatever came out of it. */
static void check_requests(void)
{
    int left = 0;
    for (int i = 0; i < started.n; i++) left += *started.at[i] != MPI_REQUEST_NULL;
    CU_ASSERT_EQUAL(left, 0);
    CU_ASSERT_EQUAL(started.overwritten, 0);
    started.watched = false;
}

/* Sizes around every boundary: nothing, less than a slice, slices, one more than the window holds, and odd. */
static void cast_all_sizes(plan_t *plan, int root, size_t slice, int window)
{
    size_t w = slice * (size_t)window;
    size_t size[] = {0, 1, 2, slice - 1, slice, slice + 1, 2 * slice, w - 1, w, w + 1, 3 * w + slice / 2 + 1};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        watch_requests();
        int good = casts_bytes(plan, MPI_COMM_WORLD, root, size[i], i);
        CU_ASSERT(good);
        check_requests();
        if (!good) fprintf(stderr, "rank %d: %zu bytes, slice %zu, window %d\n", world_rank(), size[i], slice, window);
    }
}

static void every_topology_carries_every_size(void)
{
    static const size_t slice[] = {1, 7, 64, 5000};
    static const int window[] = {1, 2, 5};
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++)
        for (int root = 0; root<world_size(); root += world_size()> 1 ? world_size() - 1 : 1)
            for (int s = 0; s < 4; s++)
                for (int w = 0; w < 3; w++) {
                    plan_t *plan = topology_plan(MPI_COMM_WORLD, root, (plan_topology_t)kind, 0, slice[s], window[w]);
                    cast_all_sizes(plan, root, slice[s], window[w]);
                    plan_destroy(&plan);
                }
}

static void several_random_trees_share_the_slices(void)
{
    rng_t r = {4711};
    int seen = 0;
    for (int trial = 0; trial < 60; trial++) {
        plan_tree_t *tree[6];
        double rate[6];
        int n = 1 + rng_below(&r, 6), root = rng_below(&r, world_size()), window = 1 + rng_below(&r, 4);
        size_t slice = (size_t)(1 + rng_below(&r, 3000));
        for (int t = 0; t < n; t++) {
            tree[t] = random_tree(&r, world_size(), root);
            rate[t] = (1 + rng_below(&r, 1000)) / 7.0;
        }
        plan_t *plan = trees_plan(MPI_COMM_WORLD, root, (size_t)n, tree, rate, slice, window);
        cast_all_sizes(plan, root, slice, window);
        watch_requests();
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, root, (size_t)rng_below(&r, 200000), (uint64_t)trial));
        seen += started.n;
        check_requests();
        plan_destroy(&plan);
    }
    CU_ASSERT(seen > 0 || world_size() == 1); /* it is these that the executor calls */
}

/* As many trees as plans have, from every root. */
static void sixty_four_trees_share_the_slices(void)
{
    enum { TREES = 64, SLICE = 100, WINDOW = 2 };
    rng_t r = {64};
    for (int root = 0; root < world_size(); root++) {
        plan_tree_t *tree[TREES];
        double rate[TREES];
        for (int t = 0; t < TREES; t++) {
            tree[t] = random_tree(&r, world_size(), root);
            rate[t] = 1 + rng_below(&r, 3);
        }
        plan_t *plan = trees_plan(MPI_COMM_WORLD, root, TREES, tree, rate, SLICE, WINDOW);
        cast_all_sizes(plan, root, SLICE, WINDOW);
        for (size_t slices = TREES / 2; slices <= 8 * TREES; slices *= 2)
            CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, root, slices * SLICE + (size_t)root, slices));
        plan_destroy(&plan);
    }
}

static void a_whole_message_is_one_slice(void)
{
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINOMIAL, 0, 0, 1);
    size_t size[] = {1, 4096, 4097, 1000003};
    for (int i = 0; i < 4; i++) CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, size[i], 5));
    plan_destroy(&plan);
}

static void native_plans_call_the_library(void)
{
    plan_t *plan = native_plan(MPI_COMM_WORLD, world_size() - 1);
    size_t size[] = {0, 1, 4096, 1000003};
    for (int i = 0; i < 4; i++) CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, world_size() - 1, size[i], 5));
    plan_destroy(&plan);
}

/* No barrier in between: the next broadcast's first slices come in while ranks are still in the last one. */
static void broadcasts_follow_each_other_without_a_barrier(void)
{
    rng_t r = {99};
    plan_tree_t *a[3], *b[2];
    double rate_a[3] = {3, 2, 1}, rate_b[2] = {1, 10};
    int root = world_size() - 1;
    for (int t = 0; t < 3; t++) a[t] = random_tree(&r, world_size(), 0);
    for (int t = 0; t < 2; t++) b[t] = random_tree(&r, world_size(), root);
    plan_t *first = trees_plan(MPI_COMM_WORLD, 0, 3, a, rate_a, 512, 3);
    plan_t *second = trees_plan(MPI_COMM_WORLD, root, 2, b, rate_b, 100, 2);
    for (int i = 0; i < 100; i++) {
        CU_ASSERT(casts_bytes(first, MPI_COMM_WORLD, 0, (size_t)rng_below(&r, 20000), (uint64_t)i));
        if (i % 3 == 0) CU_ASSERT(casts_bytes(second, MPI_COMM_WORLD, root, (size_t)rng_below(&r, 9000), (uint64_t)i));
    }
    plan_destroy(&first);
    plan_destroy(&second);
}

static void halves_of_the_world_broadcast_at_the_same_time(void)
{
    MPI_Comm half;
    int ranks;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);
    MPI_Comm_size(half, &ranks);
    plan_t *plan = topology_plan(half, ranks - 1, PLAN_CHAIN, 2, 1000, 2);
    for (int i = 0; i < 20; i++)
        CU_ASSERT(casts_bytes(plan, half, ranks - 1, (size_t)(i * 777), (uint64_t)(world_rank() % 2 + i)));
    MPI_Comm_free(&half); /* the plan has its own */
    plan_destroy(&plan);
}

/* One rank allows itself less in flight than the others where it has very many children; here: it merely must work. */
static void a_wide_window_works(void)
{
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_LINEAR, 0, 10, 1024);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 50000, 1));
    plan_destroy(&plan);
}

/* Links of narrower windows than the others, and than the slices that their tree has. */
static void links_have_windows_of_their_own(void)
{
    int n = world_size(), *window = calloc(2 * (size_t)n, sizeof *window);
    double rate[] = {2, 1};
    plan_tree_t *tree[2] = {NULL};
    plan_candidate_t c = {
        .size = sizeof c, .name = "test", .run = PLAN_RUN_TREES, .slice = 10, .window = 64, .ntrees = 2};
    if (window == NULL || plan_tree_topology(PLAN_BINOMIAL, n, n - 1, 0, &tree[0]) != PLAN_OK) abort();
    if (plan_tree_topology(PLAN_LINEAR, n, n - 1, 0, &tree[1]) != PLAN_OK) abort();
    for (int k = 0; k < 2 * n; k++) window[k] = 1 + k % 5 * 30; /* some are wider than 64: that many are in flight */
    c.tree = tree, c.rate = rate, c.link_window = window;
    plan_range_t range = {SIZE_MAX, &c};
    plan_t *offline = NULL, *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(n, n - 1, 1, &range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, offline, &plan, NULL), 0); /* they travel with the plan */
    const plan_candidate_t *mine = plan_data(plan)->range[0].chosen;
    CU_ASSERT_PTR_NOT_NULL_FATAL(mine->link_window);
    CU_ASSERT_EQUAL(memcmp(mine->link_window, window, 2 * (size_t)n * sizeof *window), 0);
    for (size_t bytes = 1; bytes < 60000; bytes = bytes * 3 + 1)
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, n - 1, bytes, bytes));
    plan_destroy(&plan);
    plan_destroy(&offline);
    for (int t = 0; t < 2; t++) plan_tree_destroy(&tree[t]);
    free(window);
}

static void what_cannot_be_run_is_refused(void)
{
    char byte = 0;
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINOMIAL, 0, 0, 1), *unbound = NULL;
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_range_t range = {.up_to = 1, .chosen = &native};
    CU_ASSERT_EQUAL(plan_execute(NULL, &byte, 1, MPI_BYTE), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_execute(plan, &byte, -1, MPI_BYTE), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_execute(plan, &byte, 1, MPI_DATATYPE_NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_execute(plan, &byte, INT64_MAX, MPI_INT), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_from_ranges(world_size(), 0, 1, &range, NULL, &unbound), PLAN_OK);
    CU_ASSERT_EQUAL(plan_execute(unbound, &byte, 1, MPI_BYTE), PLAN_EINVAL);
    plan_destroy(&unbound);
    plan_destroy(&plan);
}

/* MPI refuses it for every slice; empty slices that told so lay about and spoilt the broadcasts after. */
static void a_broadcast_without_a_buffer_spoils_none_after_it(void)
{
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_CHAIN, 2, 1000, 2);
    MPI_Datatype block;
    char whole[8], *at = whole;
    MPI_Aint there;
    CU_ASSERT_EQUAL(plan_execute(plan, NULL, 3 * 1000, MPI_BYTE), MPI_ERR_BUFFER);
    CU_ASSERT_EQUAL(plan_execute(plan, NULL, 0, MPI_BYTE), 0);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 4 * 1000, 1));
    memset(whole, world_rank() == 0 ? 7 : 0, sizeof whole); /* MPI_BOTTOM is a buffer, where the type says where */
    MPI_Get_address(at, &there);
    MPI_Type_create_hindexed_block(1, sizeof whole, &there, MPI_BYTE, &block);
    MPI_Type_commit(&block);
    CU_ASSERT_EQUAL(plan_execute(plan, MPI_BOTTOM, 1, block), 0);
    CU_ASSERT_EQUAL(whole[0], 7);
    CU_ASSERT_EQUAL(whole[7], 7);
    MPI_Type_free(&block);
    plan_destroy(&plan);
}

/* What MPI takes no more receives for is lost, and those below hear of it. (What was sent to that rank lies about,
 * where later communicators may find it: the last test.) */
static void a_rank_that_cannot_receive_is_noticed_below(void)
{
    char data[1000] = {0};
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 100, 2);
    watch_requests();
    if (world_rank() == 1) receives_left = 3;
    int rc = plan_execute(plan, data, sizeof data, MPI_BYTE);
    receives_left = -1;
    CU_ASSERT(world_rank() == 0 ? rc == 0 : world_rank() == 1 ? rc == MPI_ERR_INTERN : rc != 0);
    check_requests();
    plan_destroy(&plan);
}

/* By messages each rank but the root receives each byte once; what is not contiguous is packed at the root, and
 * unpacked at all others. */
static void messages_are_counted(void)
{
    enum { BYTES = 200000 };
    const uint64_t others = (uint64_t)world_size() - 1, n = others + 1;
    plan_copies_t all;
    rng_t r = {5};
    MPI_Datatype halves; /* every other byte */
    unsigned char *data = calloc(2, BYTES);
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINARY, 0, 1000, 4);

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, BYTES, 1) && casts_bytes(plan, MPI_COMM_WORLD, 0, 10, 1));
    all = copies_of(plan, MPI_COMM_WORLD);
    CU_ASSERT(all.sent == others * (BYTES + 10) && all.received == all.sent);
    CU_ASSERT(all.packed == 0 && all.native == 0 && all.written == 0 && all.read == 0 && all.single == 0);
    MPI_Type_vector(1, 1, 2, MPI_BYTE, &halves);
    MPI_Type_create_resized(halves, 0, 2, &halves);
    MPI_Type_commit(&halves);
    CU_ASSERT_EQUAL(plan_execute(plan, data, BYTES, halves), 0);
    CU_ASSERT_EQUAL(plan_execute(plan, data, 10, halves), 0);
    all = copies_of(plan, MPI_COMM_WORLD);
    CU_ASSERT_EQUAL(all.received, 2 * others * (BYTES + 10));
    CU_ASSERT_EQUAL(all.packed, n == 1 ? 0 : n * (BYTES + 10));
    plan_destroy(&plan);

    plan = native_plan(MPI_COMM_WORLD, 0);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, BYTES, 2) && casts_bytes(plan, MPI_COMM_WORLD, 0, 10, 2));
    all = copies_of(plan, MPI_COMM_WORLD);
    CU_ASSERT_EQUAL(all.native, n == 1 ? 0 : n * (BYTES + 10));
    CU_ASSERT_EQUAL(all.packed, n == 1 ? 0 : n * 10);
    plan_destroy(&plan);

    plan = rounds_plan(MPI_COMM_WORLD, 0, PLAN_SCATTER_RING, 0, 2, &r);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, BYTES, 3));
    all = copies_of(plan, MPI_COMM_WORLD);
    CU_ASSERT(all.sent == all.received && all.sent >= others * BYTES && all.packed == 0);
    plan_destroy(&plan);
    MPI_Type_free(&halves);
    free(data);
}

static void copies_of_no_bound_plan_are_refused(void)
{
    plan_copies_t copies = {.size = sizeof copies - 1};
    plan_t *plan = native_plan(MPI_COMM_WORLD, 0);
    CU_ASSERT_EQUAL(plan_copies(NULL, &copies), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_copies(plan, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_copies(plan, &copies), PLAN_EINVAL);
    plan_destroy(&plan);
}

MPI_SUITE_MAIN("execute", TEST(messages_are_counted), TEST(copies_of_no_bound_plan_are_refused),
               TEST(every_topology_carries_every_size), TEST(several_random_trees_share_the_slices),
               TEST(sixty_four_trees_share_the_slices), TEST(a_whole_message_is_one_slice),
               TEST(a_broadcast_without_a_buffer_spoils_none_after_it), TEST(native_plans_call_the_library),
               TEST(broadcasts_follow_each_other_without_a_barrier),
               TEST(halves_of_the_world_broadcast_at_the_same_time), TEST(a_wide_window_works),
               TEST(links_have_windows_of_their_own), TEST(what_cannot_be_run_is_refused),
               TEST(a_rank_that_cannot_receive_is_noticed_below))
