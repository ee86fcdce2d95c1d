/* Contention of messages: points computed by hand, Table I of Thune et al. 2023, a simulation in small time steps. */
#include "suite.h"
#include "alloc.h"
#include "oracle/fair_share.h"
#include "planner/literature/contention_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6 };

static const int one_pair[] = {1}, some[] = {1, 2, 4, 8, 16, 32};
/* Table I, ThunderX2 CN9980. */
static const double intra[] = {7.5e9, 14.6e9, 25.5e9, 32.5e9, 45.0e9, 54.0e9};
static const double inter[] = {6.5e9, 13.7e9, 17.8e9, 18.3e9, 19.7e9, 22.7e9};
static const lit_bandwidth_t thunderx2[LIT_LEVELS] = {{2.3e-6, 6, some, intra}, {4.4e-6, 6, some, inter}};

/* Numbers to reckon with. */
static const double fast[] = {10, 16}, slow[] = {4, 6}, card[] = {2};
static const lit_bandwidth_t small[LIT_LEVELS] = {{1, 2, some, fast}, {2, 2, some, slow}, {3, 1, one_pair, card}};

static const int here[64] = {0};

static void predict(lit_contention_t model, const lit_bandwidth_t *table, int n, const int *socket, const int *host,
                    size_t nmessages, const lit_message_t *m, double *t)
{
    memset(t, -1, (size_t)n * sizeof *t);
    CU_ASSERT_EQUAL_FATAL(lit_predict_messages(model, table, n, socket, host, nmessages, m, t), PLAN_OK);
}

/* Section III-C: pairs exchange 2 s, s and s / 2. With 6, 4 and 2 receivers at 29.0, 25.5 and 14.6 GB/s. */
static void three_pairs_on_thunderx2(void)
{
    lit_message_t m[N];
    double t[N], s = 1e6;
    for (int i = 0; i < N; i++) m[i] = (lit_message_t){i, i ^ 1, i < 2 ? 2 * s : i < 4 ? s : s / 2};
    predict(LIT_STAIRCASE, thunderx2, N, here, here, N, m, t);
    CU_ASSERT_DOUBLE_EQUAL(t[4], 2.3e-6 + 103.4482759e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[2], 2.3e-6 + 103.4482759e-6 + 78.4313725e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[0], 2.3e-6 + 103.4482759e-6 + 78.4313725e-6 + 136.9863014e-6, 1e-12);
    for (int i = 0; i < N; i += 2) CU_ASSERT_EQUAL(t[i], t[i + 1]);
    predict(LIT_POSTAL, thunderx2, N, here, here, N, m, t);
    CU_ASSERT_DOUBLE_EQUAL(t[0], 2.3e-6 + 2e6 / 7.5e9, 1e-15);
    predict(LIT_MAX_RATE, thunderx2, N, here, here, N, m, t);
    CU_ASSERT_DOUBLE_EQUAL(t[0], 2.3e-6 + 2e6 / 7.5e9, 1e-15); /* 7 s / 54 GB/s is less */
}

static void equal_sizes_reduce_to_equation_2(void)
{
    for (int n = 2; n <= 64; n *= 2) {
        lit_message_t m[64];
        double t[64], table_n = n > 32 ? 54e9 : intra[(int)lround(log2(n))];
        for (int i = 0; i < n; i++) m[i] = (lit_message_t){i, (i + 1) % n, 3e5};
        predict(LIT_STAIRCASE, thunderx2, n, here, here, (size_t)n, m, t);
        for (int i = 0; i < n; i++) CU_ASSERT_DOUBLE_EQUAL(t[i], 2.3e-6 + n * 3e5 / table_n, 1e-15);
        predict(LIT_MAX_RATE, thunderx2, n, here, here, (size_t)n, m, t);
        for (int i = 0; i < n; i++)
            CU_ASSERT_DOUBLE_EQUAL(t[i], 2.3e-6 + n * 3e5 / fmin(n * 7.5e9, 54e9), 1e-15); /* with (3) */
    }
}

/* Three messages of 1, 2 and 3 bytes to one process, 10 B/s: with 3, 5 and 6 bytes received they are complete. */
static void one_receiver_is_the_postal_model(void)
{
    const lit_message_t m[] = {{2, 0, 2}, {1, 0, 1}, {3, 0, 3}};
    double t[5], postal[5];
    predict(LIT_STAIRCASE, small, 5, here, here, 3, m, t);
    CU_ASSERT_DOUBLE_EQUAL(t[0], 3 * 1 + 0.6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[1], 0.3, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[2], 0.5, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[3], 0.6, 1e-12);
    CU_ASSERT_EQUAL(t[4], 0); /* nothing to do */
    predict(LIT_POSTAL, small, 5, here, here, 3, m, postal);
    CU_ASSERT_DOUBLE_EQUAL(postal[0], t[0], 1e-12);
    for (int i = 1; i < 5; i++) CU_ASSERT_EQUAL(postal[i], 0); /* receives nothing */
}

/* Eq. (12): rank 0 takes 24 B on and 24 B off the socket at (16 + 6) / 4, then (10 + 4) / 2 B/s; rank 1 16 B at 8. */
static void two_levels_mix_by_their_parts(void)
{
    const int socket[] = {7, 7, 3, 3};
    const lit_message_t m[] = {{1, 0, 24}, {2, 0, 24}, {0, 1, 16}};
    double t[4], both = 2 + (48 - 2 * 5.5) / 7;
    predict(LIT_STAIRCASE, small, 4, socket, here, 3, m, t);
    CU_ASSERT_DOUBLE_EQUAL(t[0], 1 + 2 + both, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[1], 1 + both, 1e-12); /* its message is not received before */
    CU_ASSERT_DOUBLE_EQUAL(t[2], both, 1e-12);
    CU_ASSERT_EQUAL(t[3], 0);
}

/* Eq. (18): 20 B at 10 B/s from the host, and 6 B at 2 B/s from another. */
static void messages_between_hosts_come_on_top(void)
{
    const int host[] = {0, 0, 1, 1};
    const lit_message_t m[] = {{1, 0, 20}, {2, 0, 6}};
    double t[4];
    for (lit_contention_t model = LIT_POSTAL; model <= LIT_STAIRCASE; model++) {
        predict(model, small, 4, host, host, 2, m, t);
        CU_ASSERT_DOUBLE_EQUAL(t[0], 1 + 2 + 3 + 3, 1e-12);
    }
    CU_ASSERT_DOUBLE_EQUAL(t[1], 2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[2], 3, 1e-12);
}

/* Eq. (10): 1, 2 and 3 bytes for three, at most 12 B/s together; who receives nothing does not count. */
static void max_rate_by_hand(void)
{
    static const double rate[] = {10, 12};
    const lit_bandwidth_t table[LIT_LEVELS] = {{0.5, 2, some, rate}};
    const lit_message_t m[] = {{4, 0, 1}, {4, 1, 2}, {4, 2, 1.5}, {3, 2, 1.5}};
    double t[5];
    predict(LIT_MAX_RATE, table, 5, here, here, 4, m, t);
    CU_ASSERT_DOUBLE_EQUAL(t[0], 0.5 + 3 / 12., 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[1], 0.5 + 6 / 12., 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(t[2], 1 + 6 / 12., 1e-12);
    CU_ASSERT_EQUAL(t[3], 0);
    CU_ASSERT_EQUAL(t[4], 0);
}

static void bandwidth_is_linear_between_entries(void)
{
    CU_ASSERT_EQUAL(lit_bandwidth(&thunderx2[0], 1), 7.5e9);
    CU_ASSERT_EQUAL(lit_bandwidth(&thunderx2[0], 8), 32.5e9);
    CU_ASSERT_DOUBLE_EQUAL(lit_bandwidth(&thunderx2[0], 6), 29.0e9, 1);
    CU_ASSERT_EQUAL(lit_bandwidth(&thunderx2[0], 1000), 54e9);
    CU_ASSERT_EQUAL(lit_bandwidth(&small[2], 5), 2);
    CU_ASSERT(isnan(lit_bandwidth(&thunderx2[0], 0)));
    CU_ASSERT(isnan(lit_bandwidth(&thunderx2[LIT_OFF_HOST], 1))); /* is empty */
    CU_ASSERT(isnan(lit_bandwidth(NULL, 1)));
}

static double drawn(unsigned *state, double below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) / 16777216. * below;
}

/* Any messages among 12 processes on two hosts of two sockets each. */
static void equals_a_simulation_in_small_steps(void)
{
    static const double wide[] = {10, 19, 24, 31, 32, 33}, narrow[] = {6, 11, 11.5, 12, 9, 9},
                        out[] = {3, 3, 3, 4, 4, 4};
    const lit_bandwidth_t table[LIT_LEVELS] = {{0.1, 6, some, wide}, {0.2, 6, some, narrow}, {0.3, 6, some, out}};
    static const int socket[] = {0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3}, host[] = {5, 5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9};
    unsigned state = 1;
    for (int round = 0; round < 40; round++) {
        lit_message_t m[40];
        double t[12], slow_t[12];
        size_t n = 0, most = 1 + (size_t)drawn(&state, 40);
        while (n < most) {
            int from = (int)drawn(&state, 12), to = (int)drawn(&state, 12);
            double bytes = drawn(&state, 5) < 1 ? 0 : drawn(&state, 30); /* some are empty */
            if (from != to) m[n++] = (lit_message_t){from, to, bytes};
        }
        predict(LIT_STAIRCASE, table, 12, socket, host, n, m, t);
        fair_share(table, 12, socket, host, n, m, 1e-3, slow_t);
        for (int i = 0; i < 12; i++) CU_ASSERT_DOUBLE_EQUAL(t[i], slow_t[i], 0.02);
    }
}

/* Eq. (11). */
static void total_relative_error_by_hand(void)
{
    const double actual[] = {1, 2, 5}, predicted[] = {1.5, 2, 4}, none[] = {0};
    CU_ASSERT_DOUBLE_EQUAL(lit_total_relative_error(3, actual, predicted), 1.5 / 8, 1e-15);
    CU_ASSERT_EQUAL(lit_total_relative_error(3, actual, actual), 0);
    CU_ASSERT(isnan(lit_total_relative_error(1, none, actual)));
    CU_ASSERT(isnan(lit_total_relative_error(0, NULL, NULL)));
}

static void refused(const lit_bandwidth_t *table, const int *socket, const int *host, lit_message_t m)
{
    double t[4] = {7, 7, 7, 7};
    CU_ASSERT_EQUAL(lit_predict_messages(LIT_STAIRCASE, table, 4, socket, host, 1, &m, t), PLAN_EINVAL);
    for (int i = 0; i < 4; i++) CU_ASSERT_EQUAL(t[i], 7);
}

static void bad_arguments_are_refused(void)
{
    static const double zero[] = {10, 0}, endless[] = {INFINITY, INFINITY};
    static const int from_two[] = {2, 4}, falling[] = {1, 1}, split[] = {0, 0, 1, 1}, hosts[] = {0, 1, 2, 2};
    const lit_bandwidth_t bad[] = {{1, 2, some, zero},    {1, 2, some, endless}, {1, 2, from_two, fast},
                                   {1, 2, falling, fast}, {-1, 2, some, fast},   {NAN, 2, some, fast},
                                   {1, 2, NULL, fast},    {1, 2, some, NULL},    {1, 0, some, fast}};
    const lit_message_t good = {0, 1, 5};
    double t[4];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const lit_bandwidth_t table[LIT_LEVELS] = {bad[i], small[1], small[2]};
        refused(table, here, here, good);
    }
    refused(small, here, here, (lit_message_t){0, 4, 5});
    refused(small, here, here, (lit_message_t){-1, 2, 5});
    refused(small, here, here, (lit_message_t){2, 2, 5});
    refused(small, here, here, (lit_message_t){0, 1, -1});
    refused(small, here, here, (lit_message_t){0, 1, NAN});
    refused(small, here, here, (lit_message_t){0, 1, INFINITY});
    refused(small, split, hosts, good); /* a socket in two hosts */
    refused(NULL, here, here, good);
    refused(small, NULL, here, good);
    refused(small, here, NULL, good);
    CU_ASSERT_EQUAL(lit_predict_messages(LIT_POSTAL, small, 0, here, here, 0, NULL, t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_messages(LIT_POSTAL, small, 4, here, here, 1, NULL, t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_messages(LIT_POSTAL, small, 4, here, here, 1, &good, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_messages((lit_contention_t)3, small, 4, here, here, 1, &good, t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_predict_messages(LIT_POSTAL, small, 4, here, here, 0, NULL, t), PLAN_OK);
}

static void names_are_found_again(void)
{
    lit_contention_t model = LIT_POSTAL;
    for (int i = LIT_POSTAL; i <= LIT_STAIRCASE; i++) {
        CU_ASSERT_EQUAL(lit_contention_from_name(lit_contention_name((lit_contention_t)i), &model), PLAN_OK);
        CU_ASSERT_EQUAL((int)model, i);
    }
    CU_ASSERT_EQUAL(lit_contention_from_name("hockney", &model), PLAN_EINVAL);
    CU_ASSERT_EQUAL(lit_contention_from_name(NULL, &model), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(lit_contention_name((lit_contention_t)3));
}

static const char text[] = "{\"intra_socket\": {\"tau\": 1, \"receivers\": [1, 2], \"bytes_per_s\": [10, 16]},"
                           " \"inter_host\": {\"receivers\": [1], \"bytes_per_s\": [2]},"
                           " \"messages\": [[1, 0, 20], [2, 0, 6.5]]}";

static void files_hold_what_they_say(void)
{
    static lit_rates_t r;
    lit_message_t *m = NULL;
    size_t n = 0;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(lit_rates_parse(text, strlen(text), "text", &r, &err), PLAN_OK);
    CU_ASSERT_EQUAL(r.table[LIT_ON_SOCKET].tau_s, 1);
    CU_ASSERT_EQUAL(lit_bandwidth(&r.table[LIT_ON_SOCKET], 1.5), 13);
    CU_ASSERT_EQUAL(r.table[LIT_OFF_SOCKET].n, 0);
    CU_ASSERT_EQUAL(r.table[LIT_OFF_HOST].tau_s, 0);
    CU_ASSERT_EQUAL(lit_bandwidth(&r.table[LIT_OFF_HOST], 7), 2);
    CU_ASSERT_EQUAL_FATAL(lit_messages_parse(text, strlen(text), "text", 3, &m, &n, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(n, 2);
    CU_ASSERT(m[1].from == 2 && m[1].to == 0 && m[1].bytes == 6.5);
    free(m);
    m = NULL;
    CU_ASSERT_EQUAL(lit_messages_parse(text, strlen(text), "text", 2, &m, &n, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NULL(m);
}

static void every_failing_allocation_of_reading_is_reported(void)
{
    static lit_rates_t r;
    lit_message_t *m = NULL;
    size_t n = 0;
    plan_error_t err;
    ALLOC_EACH(lit_rates_parse(text, strlen(text), "text", &r, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    ALLOC_EACH(lit_messages_parse(text, strlen(text), "text", 3, &m, &n, &err),
               CU_ASSERT(status == PLAN_ENOMEM && m == NULL));
    free(m);
}

/* Sizes at the ends of what a double holds: no trap, no endless loop. */
static void extreme_sizes_end(void)
{
    const lit_message_t m[] = {{0, 1, 1e308}, {1, 0, 1e-308}, {2, 0, 0}, {0, 2, 0}};
    static const double tiny[] = {1e-300, 1e-300};
    const lit_bandwidth_t table[LIT_LEVELS] = {{0, 2, some, tiny}};
    double t[3];
    predict(LIT_STAIRCASE, table, 3, here, here, 4, m, t);
    CU_ASSERT(t[1] >= t[0] || t[1] == INFINITY);
    CU_ASSERT_EQUAL(t[2], 0);
}

static void every_failing_allocation_is_reported(void)
{
    const lit_message_t m[] = {{1, 0, 20}, {2, 0, 6}};
    double t[4] = {7, 7, 7, 7};
    ALLOC_EACH(lit_predict_messages(LIT_STAIRCASE, small, 4, here, here, 2, m, t),
               CU_ASSERT(status == PLAN_ENOMEM && t[0] == 7));
}

SUITE_MAIN("contention", TEST(three_pairs_on_thunderx2), TEST(equal_sizes_reduce_to_equation_2),
           TEST(one_receiver_is_the_postal_model), TEST(two_levels_mix_by_their_parts),
           TEST(messages_between_hosts_come_on_top), TEST(max_rate_by_hand), TEST(bandwidth_is_linear_between_entries),
           TEST(equals_a_simulation_in_small_steps), TEST(total_relative_error_by_hand),
           TEST(bad_arguments_are_refused), TEST(names_are_found_again), TEST(files_hold_what_they_say),
           TEST(every_failing_allocation_of_reading_is_reported), TEST(extreme_sizes_end),
           TEST(every_failing_allocation_is_reported))
