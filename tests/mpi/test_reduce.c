/* Reductions along the reversed trees of plans, against MPI_Reduce. */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/execute/reduce.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST = 5000, KINDS = 6, TYPES = 9 };

/* ---- plans ---- */

static plan_t *reducing(plan_t *plan)
{
    CU_ASSERT_EQUAL_FATAL(plani_attach_reduce(plan, NULL), 0);
    return plan;
}

static plan_t *several_trees_plan(int root)
{
    plan_tree_t *tree[3];
    double rate[3] = {4, 2, 1};
    rng_t r = {5};
    for (int t = 0; t < 3; t++) tree[t] = random_tree(&r, world_size(), root);
    return trees_plan(MPI_COMM_WORLD, root, 3, tree, rate, 700, 3);
}

/* Trees, MPI_Reduce and other trees by size. */
static plan_t *mixed_plan(int root)
{
    rng_t r = {8};
    double one[2] = {1, 3};
    plan_tree_t *tree[2] = {random_tree(&r, world_size(), root), random_tree(&r, world_size(), root)};
    plan_candidate_t whole = {.size = sizeof whole, .name = "whole", .run = PLAN_RUN_TREES, .window = 1, .ntrees = 1};
    plan_candidate_t native = {.size = sizeof native, .name = "native", .run = PLAN_RUN_NATIVE, .window = 1};
    plan_candidate_t two = {
        .size = sizeof two, .name = "two", .run = PLAN_RUN_TREES, .slice = 500, .window = 4, .ntrees = 2};
    plan_t *offline = NULL, *plan = NULL;

    whole.tree = two.tree = tree;
    whole.rate = two.rate = one;
    plan_range_t range[] = {{300, &whole}, {9000, &two}, {12000, &native}, {SIZE_MAX, &whole}};
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(world_size(), root, 4, range, NULL, &offline), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, offline, &plan, NULL), 0);
    plan_destroy(&offline);
    for (int t = 0; t < 2; t++) plan_tree_destroy(&tree[t]);
    return plan;
}

static plan_t *plan_of(int kind, int root)
{
    switch (kind) {
    case 0:
        return reducing(topology_plan(MPI_COMM_WORLD, root, PLAN_BINOMIAL, 0, 0, 1));
    case 1:
        return reducing(topology_plan(MPI_COMM_WORLD, root, PLAN_PIPELINE, 0, 40, 2));
    case 2:
        return reducing(topology_plan(MPI_COMM_WORLD, root, PLAN_LINEAR, 0, 999, 5));
    case 3:
        return reducing(several_trees_plan(root));
    case 4:
        return reducing(mixed_plan(root));
    default:
        return reducing(native_plan(MPI_COMM_WORLD, root));
    }
}

/* ---- data ---- */

/* Integers with a gap before, between and after. */
typedef struct {
    int before, a, between, b[2], after;
} gappy_t;

/* A double behind a gap of half its size, which the datatype leaves out. */
typedef struct {
    int before, a;
    double b;
} late_t;

/* [x -> a x + b] modulo 2^32 */
typedef struct {
    uint32_t a, b;
} affine_t;

static void add_gappy(void *in, void *inout, int *n, MPI_Datatype *type)
{
    gappy_t *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *n; i++) y[i].a += x[i].a, y[i].b[0] ^= x[i].b[0], y[i].b[1] += x[i].b[1];
}

static bool watched; /* Open MPI gives users' operations memory that is not aligned, and none for gaps at the ends */
static int misaligned;

static void add_late(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    misaligned += watched && ((uintptr_t)in % _Alignof(late_t) != 0 || (uintptr_t)inout % _Alignof(late_t) != 0);
    for (int i = 0; i < *n; i++) {
        const char *x = (char *)in + (size_t)i * sizeof(late_t);
        char *y = (char *)inout + (size_t)i * sizeof(late_t);
        late_t u, v;
        memcpy(&u.a, x + offsetof(late_t, a), sizeof u.a), memcpy(&u.b, x + offsetof(late_t, b), sizeof u.b);
        memcpy(&v.a, y + offsetof(late_t, a), sizeof v.a), memcpy(&v.b, y + offsetof(late_t, b), sizeof v.b);
        v.a += u.a, v.b += u.b;
        memcpy(y + offsetof(late_t, a), &v.a, sizeof v.a), memcpy(y + offsetof(late_t, b), &v.b, sizeof v.b);
    }
}

/* in, then inout: depends on the order of ranks. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    affine_t *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *n; i++) y[i].b = y[i].a * x[i].b + y[i].b, y[i].a *= x[i].a;
}

typedef struct {
    MPI_Datatype type;
    MPI_Op op;
    size_t extent; /* [B] */
    bool own_type, own_op;
} sort_t;

static MPI_Datatype gappy_type(void)
{
    MPI_Datatype plain, type;
    int lengths[2] = {1, 2};
    MPI_Aint at[2] = {offsetof(gappy_t, a), offsetof(gappy_t, b)};
    MPI_Datatype of[2] = {MPI_INT, MPI_INT};
    MPI_Type_create_struct(2, lengths, at, of, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(gappy_t), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&plain);
    return type;
}

static MPI_Datatype late_type(void)
{
    MPI_Datatype plain, type;
    int lengths[2] = {1, 1};
    MPI_Aint at[2] = {offsetof(late_t, a), offsetof(late_t, b)};
    MPI_Datatype of[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, at, of, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(late_t), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&plain);
    return type;
}

static sort_t sort_of(int which)
{
    sort_t s = {MPI_INT, MPI_SUM, sizeof(int), false, false};
    if (which == 1) s = (sort_t){MPI_UNSIGNED_CHAR, MPI_BXOR, 1, false, false};
    if (which == 2) s = (sort_t){MPI_DOUBLE, MPI_MAX, sizeof(double), false, false};
    if (which == 3) s = (sort_t){MPI_DOUBLE_INT, MPI_MINLOC, 16, false, false};
    if (which == 4) s = (sort_t){MPI_LONG_LONG, MPI_PROD, 8, false, false};
    if (which == 5) {
        s = (sort_t){gappy_type(), MPI_OP_NULL, sizeof(gappy_t), true, true};
        MPI_Op_create(add_gappy, 1, &s.op);
    }
    if (which == 6) {
        s = (sort_t){MPI_DATATYPE_NULL, MPI_OP_NULL, sizeof(affine_t), true, true};
        MPI_Type_contiguous(2, MPI_UINT32_T, &s.type);
        MPI_Type_commit(&s.type);
        MPI_Op_create(compose, 0, &s.op);
    }
    if (which == 7) {
        s = (sort_t){late_type(), MPI_OP_NULL, sizeof(late_t), true, true};
        MPI_Op_create(add_late, 1, &s.op);
    }
    if (which == 8) s = (sort_t){MPI_SHORT, MPI_MIN, sizeof(short), false, false};
    return s;
}

static void drop(sort_t *s)
{
    if (s->own_type) MPI_Type_free(&s->type);
    if (s->own_op) MPI_Op_free(&s->op);
}

/* Small values, so that doubles are exact; gaps have values, too. */
static void fill(int which, unsigned char *data, size_t count, int rank)
{
    rng_t r = {(uint64_t)(77 + rank)};
    for (size_t i = 0; i < count; i++) {
        int x = rng_below(&r, 1000);
        if (which == 0) ((int *)(void *)data)[i] = x;
        if (which == 1) data[i] = (unsigned char)x;
        if (which == 2) ((double *)(void *)data)[i] = x - 500;
        if (which == 3) {
            double value = x % 7;
            memset(data + 16 * i, 0, 16);
            memcpy(data + 16 * i, &value, sizeof value);
            memcpy(data + 16 * i + sizeof value, &rank, sizeof rank);
        }
        if (which == 4) ((long long *)(void *)data)[i] = x | 1;
        if (which == 5) ((gappy_t *)(void *)data)[i] = (gappy_t){7, x, 8, {x + 1, x * 3}, 9};
        if (which == 7) ((late_t *)(void *)data)[i] = (late_t){3, x, x / 2.0};
        if (which == 8) ((short *)(void *)data)[i] = (short)(x - 300);
        if (which == 6) ((affine_t *)(void *)data)[i] = (affine_t){(uint32_t)x | 1, (uint32_t)rank};
    }
}

/* MPI_Reduce of MPICH 4.0 does, on other roots than 0 (its issue 6540). */
static bool crashes_in_place(const plan_t *plan, int root, size_t bytes)
{
#ifdef MPICH_NUMVERSION
    return root > 0 && plan_chosen(plan, bytes)->run == PLAN_RUN_NATIVE;
#else
    (void)plan, (void)root, (void)bytes;
    return false;
#endif
}

/* Reduce by the plan and by MPI_Reduce; 1 if all is as it should be on this rank. */
static bool reduces(plan_t *plan, int root, int which, size_t count, bool in_place)
{
    enum { GUARD = 64 };
    static _Alignas(16) unsigned char mine[MOST * 24], kept[MOST * 24], got[MOST * 24 + 2 * GUARD],
        expected[sizeof got];
    int rank = world_rank();
    sort_t s = sort_of(which);
    size_t bytes = count * s.extent;

    fill(which, mine, count, rank);
    memcpy(kept, mine, bytes);
    memset(got, 0xa5, bytes + 2 * GUARD);
    if (in_place && rank == root) memcpy(got + GUARD, mine, bytes);
    memcpy(expected, got, bytes + 2 * GUARD);
    const void *send = in_place && rank == root ? MPI_IN_PLACE : mine;
    if (crashes_in_place(plan, root, bytes)) send = mine;
    watched = plan_chosen(plan, bytes)->run == PLAN_RUN_TREES;
    int rc = plan_reduce_execute(plan, send, got + GUARD, (MPI_Count)count, s.type, s.op);
    watched = false;
    MPI_Reduce(mine, expected + GUARD, (int)count, s.type, s.op, root, MPI_COMM_WORLD);
    drop(&s);
    return rc == 0 && memcmp(got, expected, bytes + 2 * GUARD) == 0 && memcmp(mine, kept, bytes) == 0;
}

/* ---- results ---- */

/* All trees, roots, datatypes and operations, among them a user's, and one that does not commute. */
static void results_are_those_of_mpi_reduce(void)
{
    static const size_t counts[] = {0, 1, 2, 9, 10, 11, 350, 1001, MOST};
    for (int root = 0; root < world_size(); root++)
        for (int kind = 0; kind < KINDS; kind++) {
            plan_t *plan = plan_of(kind, root);
            int wrong = 0;
            for (int which = 0; which < TYPES; which++)
                for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                    wrong += !reduces(plan, root, which, counts[i], (i + (size_t)which) % 2 == 0);
            CU_ASSERT_EQUAL(wrong, 0);
            plan_destroy(&plan);
        }
    CU_ASSERT_EQUAL(misaligned, 0);
}

/* Numbers of broadcasts in tags repeat; there are barriers between. */
static void thousands_follow_each_other(void)
{
    plan_t *plan = plan_of(3, world_size() - 1);
    int wrong = 0;
    for (int i = 0; i < 1500; i++) wrong += !reduces(plan, world_size() - 1, 0, (size_t)(i % 300), i % 2);
    CU_ASSERT_EQUAL(wrong, 0);
    plan_destroy(&plan);
}

/* Sums of doubles depend on the order; it does not depend on what arrives first. */
static void sums_are_the_same_each_time(void)
{
    enum { N = 1000 };
    static double mine[N], first[N], again[N];
    rng_t r = {(uint64_t)(3 + world_rank())};
    plan_t *plan = plan_of(3, 0);

    for (int i = 0; i < N; i++) mine[i] = 1.0 / (1 + rng_below(&r, 1000000));
    CU_ASSERT_EQUAL(plan_reduce_execute(plan, mine, first, N, MPI_DOUBLE, MPI_SUM), 0);
    for (int i = 0; i < 10; i++) {
        if (i % (world_size() + 1) == world_rank()) MPI_Wtick(); /* some rank is later than others */
        memcpy(again, mine, sizeof again);
        const void *send = world_rank() == 0 && i % 2 ? MPI_IN_PLACE : mine;
        CU_ASSERT_EQUAL(plan_reduce_execute(plan, send, again, N, MPI_DOUBLE, MPI_SUM), 0);
        if (world_rank() == 0) CU_ASSERT_EQUAL(memcmp(again, first, sizeof first), 0);
    }
    plan_destroy(&plan);
}

/* ---- mistakes ---- */

typedef enum {
    NO_OP,
    WRONG_OP,
    NO_BUFFER,
    NEGATIVE,
    NO_TYPE,
    NOT_COMMITTED,
    OTHER_OP,
    NOTHING,
    SHORTER,
    LONGER,
    MUCH_LONGER,
    USER_OP,
    OTHER_SIZE,
    MISTAKES
} mistake_t;

static int reduce_with(plan_t *plan, mistake_t m, int count, const double *mine, double *sum)
{
    MPI_Datatype type = MPI_DOUBLE, uncommitted;
    MPI_Op op = MPI_SUM, users;
    MPI_Count n = count;
    const void *send = mine;

    MPI_Type_contiguous(1, MPI_DOUBLE, &uncommitted);
    MPI_Op_create(compose, 0, &users);
    if (m == NO_OP) op = MPI_OP_NULL;
    if (m == WRONG_OP) op = MPI_BAND;
    if (m == NO_BUFFER) send = NULL;
    if (m == NEGATIVE) n = -1;
    if (m == NO_TYPE) type = MPI_DATATYPE_NULL;
    if (m == NOT_COMMITTED) type = uncommitted;
    if (m == OTHER_OP) op = MPI_MAX;
    if (m == NOTHING) n = 0;
    if (m == SHORTER) n = count - count / 3 - 1;
    if (m == LONGER) n = count + 1;
    if (m == MUCH_LONGER) n = 2 * count + 1500;
    if (m == USER_OP) op = users;
    if (m == OTHER_SIZE) type = MPI_FLOAT, n = 2 * count;
    int rc = plan_reduce_execute(plan, send, sum, n, type, op);
    MPI_Type_free(&uncommitted);
    MPI_Op_free(&users);
    return rc;
}

/* The rank that makes it and the root, at least, return an error; nobody hangs; the next one is right. What the root
 * passes is what the others are compared with: if that is nothing, nothing is sent. */
static void mistakes_end_in_errors(void)
{
    static double mine[8000], sum[8000];
    static const int counts[] = {30, 1400, 1900};
    int root = world_size() / 2;

    for (int kind = 0; kind < KINDS - 1; kind++) {
        plan_t *plan = plan_of(kind, root);
        for (int who = 0; who < world_size(); who++)
            for (mistake_t m = 0; m < MISTAKES; m++)
                for (int i = 0; i < 3; i++) {
                    for (int k = 0; k < counts[i]; k++) mine[k] = 1;
                    bool errs = world_rank() == who;
                    int rc = reduce_with(plan, errs ? m : MISTAKES, counts[i], mine, sum);
                    bool found = world_size() > 1 ? !(m == NOTHING && who == root) : m <= NOT_COMMITTED;
                    if (found && (errs || world_rank() == root)) CU_ASSERT_NOT_EQUAL(rc, 0);
                    if (m == NOTHING && who == root && !errs) CU_ASSERT_EQUAL(rc, PLAN_EDISAGREE);
                    CU_ASSERT_NOT_EQUAL(rc, PLAN_EBROKEN);
                    if (errs) CU_ASSERT_EQUAL(rc != 0, plan_execute_error(plan)[0] != '\0');
                    CU_ASSERT_TRUE(reduces(plan, root, 0, (size_t)counts[i], false));
                }
        plan_destroy(&plan);
    }
}

static void buffers_are_checked_as_by_mpi_reduce(void)
{
    double mine[2] = {1, 2}, sum[2];
    plan_t *plan = plan_of(0, 0);
    int bad = world_rank() == 0;
    /* one buffer for both at the root; in place elsewhere */
    int rc = plan_reduce_execute(plan, mine, bad ? mine : sum, 2, MPI_DOUBLE, MPI_SUM);
    CU_ASSERT_EQUAL(rc, bad ? MPI_ERR_BUFFER : PLAN_EDISAGREE);
    bad = world_rank() == world_size() - 1 && world_size() > 1;
    rc = plan_reduce_execute(plan, bad ? MPI_IN_PLACE : mine, sum, 2, MPI_DOUBLE, MPI_SUM);
    if (bad) CU_ASSERT_EQUAL(rc, MPI_ERR_BUFFER);
    if (world_rank() == 0) CU_ASSERT_EQUAL(rc, world_size() > 1 ? PLAN_EDISAGREE : 0);
    plan_destroy(&plan);
}

static void plans_serve_one_of_both(void)
{
    int mine = 1, sum = 0;
    plan_review_t review = {.size = sizeof review};
    plan_t *reduce = plan_of(0, 0), *cast = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINOMIAL, 0, 0, 1);

    CU_ASSERT_EQUAL(plan_execute(reduce, &mine, 1, MPI_INT), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_start(reduce, &mine, 1, MPI_INT), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_wait(reduce), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_review(&reduce, NULL, false, &review), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_reduce_execute(cast, &mine, &sum, 1, MPI_INT, MPI_SUM), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_reduce_execute(NULL, &mine, &sum, 1, MPI_INT, MPI_SUM), PLAN_EINVAL);
    plan_destroy(&reduce);
    CU_ASSERT_EQUAL(plan_reduce_execute(reduce, &mine, &sum, 1, MPI_INT, MPI_SUM), PLAN_EINVAL);
    plan_destroy(&cast);
}

/* ---- planning ---- */

static plan_platform_t *equal_links(void)
{
    int n = world_size(), k = 0, *host = calloc((size_t)n, sizeof *host); /* all on one */
    plan_link_t *link = calloc((size_t)(n * n), sizeof *link);
    plan_platform_t *pf = NULL;
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++)
            if (u != v) link[k++] = (plan_link_t){.from = u, .to = v, .latency_s = 1e-6, .s_per_byte = 1e-9};
    plan_platform_data_t d = {.size = sizeof d, .ranks = n, .nlinks = (size_t)k, .link = link, .host = host};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    free(link);
    free(host);
    return pf;
}

static void plans_reduce_to_every_root(void)
{
    plan_platform_t *pf = equal_links();
    for (int root = 0; root < world_size(); root++) {
        plan_t *plan = NULL;
        plan_options_t o;
        plan_options_init(&o, NULL);
        o.platform = pf;
        CU_ASSERT_EQUAL_FATAL(plan_reduce(MPI_COMM_WORLD, root, 40000, &o, &plan), 0);
        for (size_t i = 0; i < plan_data(plan)->nranges; i++)
            CU_ASSERT_EQUAL(plan_data(plan)->range[i].chosen->run, PLAN_RUN_TREES);
        for (int which = 0; which < TYPES; which++) {
            CU_ASSERT_TRUE(reduces(plan, root, which, 3, false));
            CU_ASSERT_TRUE(reduces(plan, root, which, MOST, true));
        }
        plan_destroy(&plan);
    }
    plan_platform_destroy(&pf);
}

/* A plan's file keeps that it reduces. */
static void loaded_plans_reduce_again(void)
{
    plan_platform_t *pf = equal_links();
    plan_t *plan = NULL, *offline = NULL, *back = NULL;
    plan_options_t o;
    char *text = NULL;
    int root = world_size() - 1, data = 1;

    plan_options_init(&o, NULL);
    o.platform = pf;
    CU_ASSERT_EQUAL_FATAL(plan_reduce(MPI_COMM_WORLD, root, 40000, &o, &plan), 0);
    CU_ASSERT_TRUE(plan_data(plan)->reduces);
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_parse(text, strlen(text), "plan", &offline, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_bind(MPI_COMM_WORLD, world_rank() == 0 ? offline : NULL, &back, NULL), 0);
    CU_ASSERT_EQUAL(plan_data(back)->hash, plan_data(plan)->hash);
    CU_ASSERT_EQUAL(plan_execute(back, &data, 1, MPI_INT), PLAN_EINVAL);
    CU_ASSERT_EQUAL(data, 1);
    for (int which = 0; which < TYPES; which++) CU_ASSERT_TRUE(reduces(back, root, which, 1001, false));
    free(text);
    plan_destroy(&offline);
    plan_destroy(&back);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* Measured and timed against MPI_Reduce; the second plan is that of an equal communicator. */
static void the_default_measures_and_times(void)
{
    plan_options_t o;
    plan_options_init(&o, NULL);
    o.budget_s = 0.3;
    int root = world_size() - 1;
    for (int i = 0; i < 2; i++) {
        plan_t *plan = NULL, *cast = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_reduce(MPI_COMM_WORLD, root, 40000, &o, &plan), 0);
        CU_ASSERT_EQUAL_FATAL(plan_bcast(MPI_COMM_WORLD, root, 40000, &o, &cast), 0);
        CU_ASSERT_TRUE(reduces(plan, root, 0, MOST, false));
        CU_ASSERT_EQUAL(plan_reduce_execute(cast, &i, NULL, 1, MPI_INT, MPI_SUM), PLAN_EINVAL);
        int data = i;
        CU_ASSERT_EQUAL(plan_execute(cast, &data, 1, MPI_INT), 0);
        plan_destroy(&plan);
        plan_destroy(&cast);
    }
}

/* With options.check arguments are compared before anything is sent, those of short messages, too. */
static void checked_plans_compare_arguments_first(void)
{
    plan_platform_t *pf = equal_links();
    plan_t *plan = NULL;
    plan_options_t o;
    double mine[2] = {1, 2}, sum[3] = {0, 0, 0};
    plan_options_init(&o, NULL);
    o.platform = pf;
    o.check = true;
    CU_ASSERT_EQUAL_FATAL(plan_reduce(MPI_COMM_WORLD, 0, 4000, &o, &plan), 0);
    for (int who = 0; who < world_size() && world_size() > 1; who++) {
        int count = world_rank() == who ? 1 : 2;
        CU_ASSERT_EQUAL(plan_reduce_execute(plan, mine, sum, count, MPI_DOUBLE, MPI_SUM), PLAN_EDISAGREE);
        MPI_Op op = world_rank() == who ? MPI_MAX : MPI_SUM;
        CU_ASSERT_EQUAL(plan_reduce_execute(plan, mine, sum, 2, MPI_DOUBLE, op), PLAN_EDISAGREE);
        CU_ASSERT_EQUAL(sum[0], 0);
    }
    CU_ASSERT_TRUE(reduces(plan, 0, 0, MOST, false));
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

static void wrong_requests_are_refused(void)
{
    plan_platform_t *pf = equal_links();
    plan_t *plan = NULL;
    plan_error_t err;
    plan_options_t o;
    plan_options_init(&o, NULL);
    o.platform = pf;
    o.error = &err;
    CU_ASSERT_EQUAL(plan_reduce(MPI_COMM_WORLD, -1, 100, &o, &plan), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(plan);
    if (world_size() > 1) {
        CU_ASSERT_EQUAL(plan_reduce(MPI_COMM_WORLD, world_rank() == 1, 100, &o, &plan), PLAN_EDISAGREE);
        int rc = world_rank() == 1 ? plan_bcast(MPI_COMM_WORLD, 0, 100, &o, &plan)
                                   : plan_reduce(MPI_COMM_WORLD, 0, 100, &o, &plan);
        CU_ASSERT_EQUAL(rc, PLAN_EDISAGREE);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "kind of plan"));
    }
    o.choice.only = "scatter-ring,shared-memory";
    CU_ASSERT_EQUAL(plan_reduce(MPI_COMM_WORLD, 0, 100, &o, &plan), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NULL(plan);
    plan_platform_destroy(&pf);
}

MPI_SUITE_MAIN("reduce", TEST(results_are_those_of_mpi_reduce), TEST(thousands_follow_each_other),
               TEST(sums_are_the_same_each_time), TEST(mistakes_end_in_errors),
               TEST(buffers_are_checked_as_by_mpi_reduce), TEST(plans_serve_one_of_both),
               TEST(plans_reduce_to_every_root), TEST(loaded_plans_reduce_again), TEST(the_default_measures_and_times),
               TEST(checked_plans_compare_arguments_first), TEST(wrong_requests_are_refused))
