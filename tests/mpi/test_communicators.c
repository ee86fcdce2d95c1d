/* Communicators: created, overlapping, freed before the plan, very many, and with the caller's error handlers. */
#include "mpi_suite.h"
#include "cast.h"
#include <stdlib.h>
#include <string.h>

/* Complete, all links equal, all ranks on one host. */
static plan_platform_t *equal_links(int ranks)
{
    plan_link_t *link = calloc((size_t)ranks * (size_t)ranks, sizeof *link);
    int *host = calloc((size_t)ranks, sizeof *host);
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link, .host = host, .hosts = 1};
    plan_platform_t *pf = NULL;
    CU_ASSERT_FATAL(link != NULL && host != NULL);
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, 1e-6, 1e-9, 0, -1};
    CU_ASSERT_EQUAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    free(link);
    free(host);
    return pf;
}

static int planned(MPI_Comm comm, int root, plan_t **plan)
{
    plan_error_t err;
    plan_options_t options;
    plan_platform_t *pf = equal_links(ranks_of(comm));
    CU_ASSERT_EQUAL(plan_options_init(&options, NULL), PLAN_OK);
    options.platform = pf;
    options.error = &err;
    int rc = plan_bcast(comm, root, 1 << 20, &options, plan);
    CU_ASSERT_EQUAL(err.status, rc);
    plan_platform_destroy(&pf);
    return rc;
}

static void alone_a_rank_keeps_its_message(void)
{
    plan_t *plan = NULL;
    char data[5] = "abcd";
    CU_ASSERT_EQUAL(planned(MPI_COMM_SELF, 0, &plan), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    CU_ASSERT(plan_data(plan)->ranks == 1 && plan_data(plan)->root == 0);
    CU_ASSERT_EQUAL(plan_execute(plan, data, 5, MPI_CHAR), 0);
    CU_ASSERT_STRING_EQUAL(data, "abcd");
    CU_ASSERT(casts_bytes(plan, MPI_COMM_SELF, 0, 100000, 3));
    plan_destroy(&plan);
    CU_ASSERT_EQUAL(planned(MPI_COMM_SELF, 1, &plan), PLAN_EINVAL);
}

/* Plans of the world, of its mirror image and of its halves, used in turns, destroyed in another order than made, their
 * communicators freed long before. */
static void plans_outlive_their_communicators(void)
{
    enum { COMMS = 4 };
    MPI_Comm comm[COMMS], mine;
    plan_t *plan[COMMS] = {NULL};
    int root[COMMS];
    MPI_Comm_dup(MPI_COMM_WORLD, &mine);
    MPI_Comm_dup(mine, &comm[0]);
    MPI_Comm_split(mine, 0, -world_rank(), &comm[1]);
    MPI_Comm_split(mine, world_rank() % 2, world_rank(), &comm[2]);
    MPI_Comm_split(mine, world_rank() < world_size() / 2, -world_rank(), &comm[3]);
    MPI_Comm copy[COMMS]; /* of which only the test knows: to compare with MPI_Bcast */
    for (int i = 0; i < COMMS; i++) {
        root[i] = ranks_of(comm[i]) - 1;
        MPI_Comm_dup(comm[i], &copy[i]);
        CU_ASSERT_EQUAL(planned(comm[i], root[i], &plan[i]), 0);
    }
    for (int i = 0; i < COMMS; i++) MPI_Comm_free(&comm[(i + 2) % COMMS]);
    MPI_Comm_free(&mine);
    static const int destroyed[COMMS] = {1, 3, 0, 2};
    for (int round = 0; round < COMMS; round++) {
        for (int i = 0; i < COMMS; i++) {
            if (plan[i] == NULL) continue;
            CU_ASSERT_EQUAL(plan_data(plan[i])->ranks, ranks_of(copy[i]));
            for (size_t bytes = 1; bytes < 1000000; bytes *= 31)
                CU_ASSERT(casts_bytes(plan[i], copy[i], root[i], bytes, (uint64_t)(world_size() * round + i)));
        }
        plan_destroy(&plan[destroyed[round]]);
    }
    for (int i = 0; i < COMMS; i++) MPI_Comm_free(&copy[i]);
}

/* MPI libraries have some thousands of communicators to give, MPICH 2,048. (Of one rank each: no time goes into waiting
 * for others.) */
static void plans_leave_no_communicator_behind(void)
{
    enum { PLANS = 3000 };
    int bad = 0;
    plan_t *offline = NULL;
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_range_t range = {.up_to = 1, .chosen = &native};
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(1, 0, 1, &range, NULL, &offline), PLAN_OK);
    for (int i = 0; i < PLANS && !bad; i++) {
        plan_t *plan = NULL;
        bad = plan_bind(MPI_COMM_SELF, i % 2 == 0 ? offline : NULL, &plan, NULL) != (i % 2 == 0 ? 0 : PLAN_EINVAL);
        if (i % 2 == 0 && !bad) bad = plan_execute(plan, &bad, 0, MPI_INT) != 0;
        plan_destroy(&plan);
    }
    CU_ASSERT_EQUAL(bad, 0);
    plan_destroy(&offline);
}

static int copies;                          /* of an attribute that goes with communicators */
static int made, mark = MPI_KEYVAL_INVALID; /* communicators of the library that are not freed; they are marked */

__attribute__((visibility("default"))) int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    int rc = PMPI_Comm_create(comm, group, out);
    if (rc == MPI_SUCCESS && mark != MPI_KEYVAL_INVALID) {
        made++;
        MPI_Comm_set_attr(*out, mark, NULL);
    }
    return rc;
}

static int count_freed(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    made--;
    return MPI_SUCCESS;
}

static int count_copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *taken)
{
    (void)comm, (void)keyval, (void)extra;
    memcpy(out, &in, sizeof in);
    *taken = 1;
    copies++;
    return MPI_SUCCESS;
}

static int count_end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    copies--;
    return MPI_SUCCESS;
}

static void a_plan_that_failed_keeps_no_communicator(void)
{
    MPI_Comm comm;
    int keyval;
    plan_t *plan = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(count_copy, count_end, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_freed, &mark, NULL);
    CU_ASSERT_EQUAL(planned(comm, world_size(), &plan), PLAN_EINVAL);
    CU_ASSERT_EQUAL(made, 0);
    CU_ASSERT_EQUAL(planned(comm, 0, &plan), 0);
    CU_ASSERT(made > 0); /* they are counted */
    CU_ASSERT_EQUAL(copies, 0);
    plan_destroy(&plan);
    CU_ASSERT_EQUAL(made, 0);
    CU_ASSERT_EQUAL(copies, 0);
    if (world_size() > 1) { /* one of two groups is refused */
        MPI_Comm half, inter;
        int low = world_rank() < world_size() / 2;
        MPI_Comm_split(comm, low, world_rank(), &half);
        MPI_Intercomm_create(half, 0, comm, low ? world_size() / 2 : 0, 5, &inter);
        CU_ASSERT_EQUAL(planned(inter, 0, &plan), PLAN_EINVAL);
        CU_ASSERT_EQUAL(made, 0);
        MPI_Comm_free(&inter);
        MPI_Comm_free(&half);
    }
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free_keyval(&mark);
}

static int handled;

static void count_errors(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    handled++;
}

/* The caller's handler is for the caller's calls. A plan keeps to codes, and what it was made on keeps its handler. */
static void errors_come_back_as_codes(void)
{
    MPI_Comm comm;
    MPI_Errhandler count, kept;
    plan_t *plan = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count_errors, &count);
    MPI_Comm_set_errhandler(comm, count);
    CU_ASSERT_EQUAL(planned(comm, world_size(), &plan), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_EQUAL(planned(comm, 0, &plan), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(plan);
    int rc = plan_execute(plan, NULL, 1 << 20, MPI_INT), size = -1;
    if (world_size() > 1) CU_ASSERT_EQUAL(rc, MPI_ERR_BUFFER);
    CU_ASSERT_EQUAL(plan_execute(plan, &size, -1, MPI_INT), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_execute(plan, &size, 1, MPI_DATATYPE_NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(handled, 0);
    MPI_Comm_get_errhandler(comm, &kept);
    CU_ASSERT_EQUAL(kept, count);
    CU_ASSERT(casts_bytes(plan, comm, 0, 100000, 1));
    MPI_Errhandler_free(&kept);
    MPI_Errhandler_free(&count);
    MPI_Comm_free(&comm);
    plan_destroy(&plan);
}

/* A plan is neither copied with its communicator nor does it hinder attributes on it. */
static void what_happens_to_the_communicator_does_not_touch_the_plan(void)
{
    MPI_Comm comm, again;
    plan_t *first = NULL, *second = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CU_ASSERT_EQUAL(planned(comm, 0, &first), 0);
    MPI_Comm_dup(comm, &again);
    CU_ASSERT_EQUAL(planned(again, world_size() - 1, &second), 0);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 20; i++) { /* messages of one do not end up in the other */
        CU_ASSERT(casts_bytes(first, again, 0, (size_t)(5000 * i + 1), (uint64_t)i));
        CU_ASSERT(casts_bytes(second, again, world_size() - 1, (size_t)(7000 * i + 1), (uint64_t)i + 100));
    }
    MPI_Comm_free(&again);
    plan_destroy(&first);
    plan_destroy(&second);
    CU_ASSERT_EQUAL(rank_in(MPI_COMM_WORLD), world_rank());
}

/* Through shared memory. */
static plan_t *bound(MPI_Comm comm)
{
    plan_candidate_t c = {.size = sizeof c, .name = "shared-memory", .run = PLAN_RUN_SHARED, .window = 1};
    plan_range_t range = {SIZE_MAX, &c};
    plan_t *offline = NULL, *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks_of(comm), 0, 1, &range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(comm, offline, &plan, NULL), 0);
    plan_destroy(&offline);
    return plan;
}

/* MPI may free a communicator at once on some ranks, and on others with its last request. */
static void communicators_freed_before_their_requests_leave_ranks_alike(void)
{
    MPI_Comm first, second;
    MPI_Request request = MPI_REQUEST_NULL;
    char byte;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &first); /* in an order of which there are no plans yet */
    plan_t *plan = bound(first);
    plan_destroy(&plan);
    if (world_rank() == 0) MPI_Recv_init(&byte, 1, MPI_CHAR, 0, 0, first, &request);
    MPI_Comm_free(&first);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &second);
    plan = bound(second);
    for (size_t bytes = 1; bytes < 1000000; bytes *= 31) CU_ASSERT(casts_bytes(plan, second, 0, bytes, 1));
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    plan_destroy(&plan);
    MPI_Comm_free(&second);
}

MPI_SUITE_MAIN("communicators", TEST(alone_a_rank_keeps_its_message), TEST(plans_outlive_their_communicators),
               TEST(plans_leave_no_communicator_behind), TEST(a_plan_that_failed_keeps_no_communicator),
               TEST(errors_come_back_as_codes), TEST(communicators_freed_before_their_requests_leave_ranks_alike),
               TEST(what_happens_to_the_communicator_does_not_touch_the_plan))
