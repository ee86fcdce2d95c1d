/* GOAL schedules, read and replayed by an independent reader (tests/oracle/goal.h): the same messages in the same order
 * as plans have them. */
#include "suite.h"
#include "alloc.h"
#include "plans.h"
#include "sample.h"
#include "../oracle/goal.h"
#include "planner/exports/exports.h"

enum { RANKS = 7 };

static const int chain[] = {-1, 0, 1, 2, 3, 4, 5}, star[] = {-1, 0, 0, 0, 0, 0, 0}, pair[] = {1, -1};

static char *goal_of(const plan_candidate_t *c, int ranks, int root, size_t bytes)
{
    plani_text_t to = {0};
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_put_goal(c, ranks, root, bytes, &to, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&to, &text), PLAN_OK);
    return text;
}

static void two_ranks_read_as_they_would_by_hand(void)
{
    plan_candidate_t c = one_tree("t", 2, pair, NULL, 4, 1);
    char *text = goal_of(&c, 2, 1, 10);
    CU_ASSERT_STRING_EQUAL(text, "// t, in slices of 4 B, window 1, from rank 1, by planbcast\nnum_ranks 2\n\n"
                                 "rank 0 {\nr0: recv 4b from 1 tag 0\nr1: recv 4b from 1 tag 1\n"
                                 "r2: recv 2b from 1 tag 2\n}\n\n"
                                 "rank 1 {\ns0_0: send 4b to 0 tag 0\ns1_0: send 4b to 0 tag 1\ns1_0 requires s0_0\n"
                                 "s1_0 irequires s0_0\ns2_0: send 2b to 0 tag 2\ns2_0 requires s1_0\n"
                                 "s2_0 irequires s1_0\n}\n");
    free(text);
    plani_candidate_clear(&c);
}

/* Sainte-Lague, once more: the tree that is furthest behind its rate. */
static int tree_for(const plan_candidate_t *c, int *assigned)
{
    int best = 0;
    for (int t = 1; t < (int)c->ntrees; t++)
        if ((2 * assigned[t] + 1) / c->rate[t] < (2 * assigned[best] + 1) / c->rate[best]) best = t;
    assigned[best]++;
    return best;
}

/* The next send of a rank in the replay, from *at on. */
static const goal_op_t *next_send(const goal_replay_t *r, int rank, size_t *at)
{
    while (*at < r->n && !(r->op[*at].send && r->op[*at].rank == rank)) ++*at;
    return *at < r->n ? &r->op[(*at)++] : NULL;
}

/* What a rank sends, slice by slice, to its children in their order; and that it had it. */
static void check_sends(const plan_candidate_t *c, const goal_replay_t *r, int rank, int root, size_t bytes)
{
    int assigned[2] = {0, 0};
    size_t at = 0, k = 0;
    for (size_t from = 0; from < bytes; from += c->slice, k++) {
        int t = tree_for(c, assigned), n = 0;
        size_t length = bytes - from < c->slice ? bytes - from : c->slice;
        const int *child = plan_tree_children(c->tree[t], rank, &n);
        for (int i = 0; i < n; i++) {
            const goal_op_t *s = next_send(r, rank, &at);
            bool had = rank == root;
            CU_ASSERT_PTR_NOT_NULL_FATAL(s);
            CU_ASSERT_EQUAL(s->peer, child[i]);
            CU_ASSERT_EQUAL(s->bytes, length);
            CU_ASSERT_EQUAL(s->tag, k);
            for (size_t j = 0; j + 1 < at; j++)
                had = had || (!r->op[j].send && r->op[j].rank == rank && r->op[j].tag == k);
            CU_ASSERT(had);
        }
    }
    CU_ASSERT_PTR_NULL(next_send(r, rank, &at));
}

static void check_received(const goal_replay_t *r, int root, size_t bytes)
{
    for (int v = 0; v < r->ranks; v++) {
        size_t got = 0;
        for (size_t i = 0; i < r->n; i++) got += !r->op[i].send && r->op[i].rank == v ? r->op[i].bytes : 0;
        CU_ASSERT_EQUAL(got, v == root ? 0 : bytes);
    }
}

static void check_trees(const plan_candidate_t *c, int root, size_t bytes)
{
    char *text = goal_of(c, RANKS, root, bytes);
    goal_replay_t r = goal_replay(text);
    CU_ASSERT_STRING_EQUAL(r.fault, "");
    CU_ASSERT_EQUAL(r.ranks, RANKS);
    for (int v = 0; v < RANKS && r.fault[0] == '\0'; v++) check_sends(c, &r, v, root, bytes);
    check_received(&r, root, bytes);
    goal_replay_clear(&r);
    free(text);
}

static void trees_replay_to_the_plans_messages(void)
{
    plan_candidate_t c = two_trees("lp-trees", RANKS, chain, star, 300, 100),
                     d = one_tree("x", RANKS, chain, NULL, 9, 3);
    c.slice = 1000;
    check_trees(&c, 0, 20001);
    check_trees(&c, 0, 1);
    give_link_windows(&c);
    check_trees(&c, 0, 40000);
    check_trees(&d, 0, 100);
    plani_candidate_clear(&c);
    plani_candidate_clear(&d);
}

static void random_trees_replay_to_the_plans_messages(void)
{
    uint64_t state = 18;
    for (int i = 0; i < 100; i++) {
        int order[RANKS], parent[2][RANKS];
        for (int v = 0; v < RANKS; v++) order[v] = v;
        for (int v = RANKS - 1; v > 0; v--) {
            int j = sample_below(&state, v + 1), swap = order[v];
            order[v] = order[j], order[j] = swap;
        }
        for (int t = 0; t < 2; t++) {
            parent[t][order[0]] = -1;
            for (int v = 1; v < RANKS; v++) parent[t][order[v]] = order[sample_below(&state, v)];
        }
        plan_candidate_t c = two_trees("r", RANKS, parent[0], parent[1], 1 + sample_below(&state, 1000003) / 49999.0,
                                       1 + sample_below(&state, 1000003) / 49999.0);
        c.slice = (size_t)(1 + sample_below(&state, 5000));
        c.window = 1 + sample_below(&state, 5);
        check_trees(&c, order[0],
                    1 + (size_t)sample_below(&state, 100) * c.slice + (size_t)sample_below(&state, 5000) % c.slice);
        plani_candidate_clear(&c);
    }
}

/* A window of one slice: the next goes to a child when the last is over. In the replay that is at once, so that it
 * shows in the text. */
static void a_slice_waits_for_the_one_a_window_before(void)
{
    plan_candidate_t c = one_tree("t", 2, pair, NULL, 1, 3);
    char *text = goal_of(&c, 2, 1, 5);
    CU_ASSERT_PTR_NULL(strstr(text, "s2_0 requires"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "s3_0 requires s0_0\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "s4_0 requires s1_0\n"));
    free(text);
    plani_candidate_clear(&c);
}

/* Its tag is beyond those of the data. */
static bool is_record(const goal_replay_t *r, size_t i)
{
    for (size_t k = 0; k < r->n; k++)
        if (r->op[k].tag > r->op[i].tag) return false;
    return true;
}

/* A record down a binomial tree over ranks goes before the data. */
static void rounds_of_two_read_as_they_would_by_hand(void)
{
    static const int order[] = {1, 0};
    plan_candidate_t c = in_rounds("r", PLAN_CIRCULANT, 2, order, 4, 1);
    char *text = goal_of(&c, 2, 1, 6);
    CU_ASSERT_STRING_EQUAL(text, "// r, in slices of 4 B, window 1, from rank 1, by planbcast\nnum_ranks 2\n\n"
                                 "rank 1 {\nh0: send 24b to 0 tag 6\ns0: send 4b to 0 tag 0\ns0 requires h0\n"
                                 "s1: send 2b to 0 tag 3\ns1 irequires s0\n}\n\n"
                                 "rank 0 {\nh: recv 24b from 1 tag 6\nr0: recv 4b from 1 tag 0\n"
                                 "r1: recv 2b from 1 tag 3\n}\n");
    free(text);
    plani_candidate_clear(&c);
}

/* No rank but the root sends before it has received, and none receives a byte twice, or sends data before the record.
 */
static void rounds_replay_and_deliver_every_byte(void)
{
    static const int order[] = {3, 1, 0, 2, 6, 5, 4};
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++)
        for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 7 + 3) {
            plan_candidate_t c = in_rounds("r", (plan_schedule_kind_t)kind, RANKS, order, 8192, 4);
            char *text = goal_of(&c, RANKS, 3, bytes);
            goal_replay_t r = goal_replay(text);
            CU_ASSERT_STRING_EQUAL(r.fault, "");
            for (int v = 0; v < RANKS; v++) {
                size_t first = 0, records = 0;
                while (first < r.n && r.op[first].rank != v) first++;
                if (first < r.n) CU_ASSERT(v == 3 ? r.op[first].send : !r.op[first].send);
                for (size_t i = 0; i < r.n; i++) {
                    if (r.op[i].rank != v) continue;
                    if (is_record(&r, i))
                        records += !r.op[i].send, r.op[i].bytes = 0;
                    else
                        CU_ASSERT(v == 3 || !r.op[i].send || records == 1);
                }
                CU_ASSERT_EQUAL(records, v != 3);
            }
            check_received(&r, 3, bytes);
            goal_replay_clear(&r);
            free(text);
            plani_candidate_clear(&c);
        }
}

/* ---- reductions ---- */

static char *goal_of_reduction(const plan_candidate_t *c, int ranks, int root, size_t bytes, double combine)
{
    plani_text_t to = {0};
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_put_goal_reduction(c, ranks, root, bytes, combine, &to, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_text_take(&to, &text), PLAN_OK);
    return text;
}

static void a_reduction_reads_as_it_would_by_hand(void)
{
    static const int row[] = {-1, 0, 1};
    plan_candidate_t c = one_tree("t", 3, row, NULL, 4, 1);
    char *text = goal_of_reduction(&c, 3, 0, 6, 1e-6);
    CU_ASSERT_STRING_EQUAL(text, "// t, in slices of 4 B, window 1, reduced to rank 0, by planbcast\nnum_ranks 3\n\n"
                                 "rank 0 {\nr0_0: recv 4b from 1 tag 0\nc0_0: calc 4000\nc0_0 requires r0_0\n"
                                 "r1_0: recv 2b from 1 tag 1\nr1_0 requires c0_0\nc1_0: calc 2000\n"
                                 "c1_0 requires r1_0\nc1_0 requires c0_0\n}\n\n"
                                 "rank 1 {\nr0_0: recv 4b from 2 tag 0\nc0_0: calc 4000\nc0_0 requires r0_0\n"
                                 "s0: send 4b to 0 tag 0\ns0 requires c0_0\n"
                                 "r1_0: recv 2b from 2 tag 1\nr1_0 requires c0_0\nc1_0: calc 2000\n"
                                 "c1_0 requires r1_0\nc1_0 requires c0_0\n"
                                 "s1: send 2b to 0 tag 1\ns1 requires c1_0\ns1 requires s0\ns1 irequires s0\n}\n\n"
                                 "rank 2 {\ns0: send 4b to 1 tag 0\ns1: send 2b to 1 tag 1\ns1 requires s0\n"
                                 "s1 irequires s0\n}\n");
    free(text);
    plani_candidate_clear(&c);
}

/* Who has contributed to a rank's slices, in the order of the replay: what it sends has all below it, each once. */
static void check_reduction(const plan_candidate_t *c, int root, size_t bytes)
{
    enum { SLICES = 128 };
    unsigned has[RANKS][SLICES], sent[RANKS][SLICES] = {{0}};
    size_t slices = (bytes + c->slice - 1) / c->slice, got[RANKS] = {0}, combined[RANKS] = {0}, received[RANKS] = {0};
    char *text = goal_of_reduction(c, RANKS, root, bytes, 1e-9);
    goal_replay_t r = goal_replay(text);

    CU_ASSERT_STRING_EQUAL(r.fault, "");
    CU_ASSERT_FATAL(slices <= SLICES);
    for (int v = 0; v < RANKS; v++)
        for (size_t k = 0; k < slices; k++) has[v][k] = 1U << v;
    for (size_t i = 0; i < r.n; i++) {
        const goal_op_t *o = &r.op[i];
        if (o->peer < 0) {
            combined[o->rank] += o->bytes;
            CU_ASSERT(combined[o->rank] <= got[o->rank]); /* 1 ns per byte */
        } else if (o->send) {
            sent[o->rank][o->tag] = has[o->rank][o->tag];
        } else {
            CU_ASSERT_EQUAL(has[o->rank][o->tag] & sent[o->peer][o->tag], 0);
            has[o->rank][o->tag] |= sent[o->peer][o->tag];
            got[o->rank] += o->bytes;
            received[o->peer] += o->bytes;
        }
    }
    for (size_t k = 0; k < slices; k++) CU_ASSERT_EQUAL(has[root][k], (1U << RANKS) - 1);
    for (int v = 0; v < RANKS; v++) {
        CU_ASSERT_EQUAL(received[v], v == root ? 0 : bytes);
        CU_ASSERT_EQUAL(combined[v], got[v]);
    }
    goal_replay_clear(&r);
    free(text);
}

static void reductions_replay_with_each_contribution_once(void)
{
    uint64_t state = 19;
    plan_candidate_t c = two_trees("lp-trees", RANKS, chain, star, 300, 100);
    c.slice = 1000;
    check_reduction(&c, 0, 20001);
    give_link_windows(&c);
    check_reduction(&c, 0, 40000);
    plani_candidate_clear(&c);
    for (int i = 0; i < 100; i++) {
        int parent[2][RANKS] = {{-1}, {-1}};
        for (int t = 0; t < 2; t++)
            for (int v = 1; v < RANKS; v++) parent[t][v] = sample_below(&state, v);
        c = two_trees("r", RANKS, parent[0], parent[1], 1 + sample_below(&state, 1000), 1 + sample_below(&state, 1000));
        c.slice = (size_t)(1 + sample_below(&state, 5000));
        c.window = 1 + sample_below(&state, 5);
        check_reduction(&c, 0, 1 + (size_t)sample_below(&state, 99) * c.slice);
        plani_candidate_clear(&c);
    }
}

/* The checker itself: what is wrong is found. */
static void wrong_schedules_are_found(void)
{
    static const struct {
        const char *text, *fault;
    } wrong[] = {
        {"num_ranks 2\nrank 0 {\ns0: send 4b to 1 tag 0\n}\nrank 1 {\n}\n", "has no partner"},
        {"num_ranks 2\nrank 0 {\ns0: send 4b to 1 tag 0\n}\nrank 1 {\nr0: recv 5b from 0 tag 0\n}\n",
         "4 B are sent, 5"},
        {"num_ranks 2\nrank 0 {\ns0: send 4b to 2 tag 0\n}\n", "peer 2"},
        {"num_ranks 2\nrank 0 {\ns0: send 4b to 1 tag 0\ns0 requires s1\n}\n", "is called s1"},
        {"num_ranks 2\nrank 0 {\ns0: send 4b to 1 tag 0\nr0: recv 4b from 1 tag 0\ns0 requires r0\n}\n"
         "rank 1 {\ns0: send 4b to 0 tag 0\nr0: recv 4b from 0 tag 0\ns0 requires r0\n}\n",
         "4 of 4 operations wait"},
        {"num_ranks 2\nrank 0 {\ns0: sends 4b to 1 tag 0\n}\n", "rank 0: s0: sends"},
        {"num_ranks 2\nrank 0 {\n", "has no end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        goal_replay_t r = goal_replay(wrong[i].text);
        if (strstr(r.fault, wrong[i].fault) == NULL) CU_FAIL(wrong[i].fault);
        goal_replay_clear(&r);
    }
}

static void messages_that_are_not_known_are_refused(void)
{
    plan_candidate_t native = one_tree("native", RANKS, NULL, NULL, 0, 1), c = one_tree("t", RANKS, star, NULL, 1, 1);
    plani_text_t to = {0};
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL(plani_put_goal(&native, RANKS, 0, 8, &to, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_STRING_EQUAL(err.text,
                           "for 8 B the plan runs MPI_Bcast, whose messages are not known; give another size");
    CU_ASSERT_EQUAL(plani_put_goal_reduction(&native, RANKS, 0, 8, 0, &to, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "runs MPI_Reduce"));
    CU_ASSERT_EQUAL(plani_put_goal(&c, RANKS, 0, (size_t)1 << 40, &to, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NULL(to.at);
    plani_candidate_clear(&native);
    plani_candidate_clear(&c);
}

static plan_status_t make(const plan_candidate_t *c, char **text)
{
    plani_text_t to = {0};
    plan_status_t rc = plani_put_goal(c, RANKS, c->run == PLAN_RUN_ROUNDS ? 3 : 0, 20000, &to, NULL);
    plan_status_t taken = plani_text_take(&to, text);
    if (rc == PLAN_OK) return taken;
    if (taken == PLAN_OK) free(*text);
    return rc;
}

static void a_failed_allocation_leaves_nothing(void)
{
    static const int order[] = {3, 1, 0, 2, 6, 5, 4};
    plan_candidate_t c = two_trees("lp-trees", RANKS, chain, star, 300, 100),
                     d = in_rounds("r", PLAN_CIRCULANT, RANKS, order, 1000, 4);
    char *text = NULL;
    ALLOC_EACH(make(&c, &text), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(text);
    ALLOC_EACH(make(&d, &text), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(text);
    plani_candidate_clear(&c);
    plani_candidate_clear(&d);
}

SUITE_MAIN("goal", TEST(two_ranks_read_as_they_would_by_hand), TEST(trees_replay_to_the_plans_messages),
           TEST(random_trees_replay_to_the_plans_messages), TEST(a_slice_waits_for_the_one_a_window_before),
           TEST(a_reduction_reads_as_it_would_by_hand), TEST(reductions_replay_with_each_contribution_once),
           TEST(rounds_of_two_read_as_they_would_by_hand), TEST(rounds_replay_and_deliver_every_byte),
           TEST(wrong_schedules_are_found), TEST(messages_that_are_not_known_are_refused),
           TEST(a_failed_allocation_leaves_nothing))
