/* The parts of measuring that need no ranks: pairwise exchange rounds, fits of lines and of message protocols, and
 * steady rates of flows. */
#include "infer_suite.h"

static void every_pair_meets_exactly_once_in_disjoint_rounds(void)
{
    for (int n = 1; n <= 33; n++) {
        int met[33][33] = {{0}};
        for (int round = 0; round < plani_rounds(n); round++)
            for (int i = 0; i < n; i++) {
                int j = plani_partner(n, round, i);
                if (j < 0) continue;
                CU_ASSERT_TRUE_FATAL(j < n && j != i);
                CU_ASSERT_EQUAL(plani_partner(n, round, j), i); /* mutual, hence disjoint */
                met[i][j]++;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) CU_ASSERT_EQUAL(met[i][j], i != j);
    }
}

/* Each flow once, at most `at_once` of a step, which share no player; turned, the second of two goes the other way. */
static void every_flow_runs_once_beside_few_others(void)
{
    for (int n = 2; n < 12; n++)
        for (int at_once = 1; at_once <= n / 2; at_once++)
            for (int turned = 0; turned < 2; turned++) {
                int seen[12][12] = {{0}}, flows = 0;
                for (int step = 0; step < plani_meeting_steps(n, at_once); step++) {
                    bool busy[12] = {0};
                    int now = 0, from, to;
                    for (int nth = 0; nth < n / 2; nth++) {
                        if (!plani_meets(n, at_once, turned, step, nth, &from, &to)) continue;
                        CU_ASSERT_FALSE(busy[from] || busy[to]);
                        CU_ASSERT_EQUAL(seen[from][to]++, 0);
                        CU_ASSERT_EQUAL(from < to, (step % 2 == 0) != (turned && nth % 2 == 1));
                        busy[from] = busy[to] = true, now++;
                    }
                    CU_ASSERT_TRUE(now > 0 && now <= at_once);
                    flows += now;
                }
                CU_ASSERT_EQUAL(flows, n * (n - 1));
            }
    CU_ASSERT_EQUAL(plani_meeting_steps(1, 2), 0);
}

static void rounds_are_as_few_as_can_be(void)
{
    CU_ASSERT_EQUAL(plani_rounds(0), 0);
    CU_ASSERT_EQUAL(plani_rounds(1), 0);
    CU_ASSERT_EQUAL(plani_rounds(2), 1);
    CU_ASSERT_EQUAL(plani_rounds(7), 7);
    CU_ASSERT_EQUAL(plani_rounds(12), 11);
}

/* ---- fits ---- */

static void summary_of_known_samples(void)
{
    double x[] = {3, 1, 2, 5, 4};
    plani_summary_t s;

    plani_summarize(x, 5, &s);
    CU_ASSERT_EQUAL(s.median, 3);
    CU_ASSERT_EQUAL(s.min, 1);
    CU_ASSERT_EQUAL(s.n, 5);
    CU_ASSERT_FALSE(s.converged);
    plani_summarize(x, 0, &s);
    CU_ASSERT(s.n == 0 && s.median == 0 && !s.converged);
}

/* The middle of x[n], which this sorts. */
static double middle(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
            double t = x[k];
            x[k] = x[k - 1], x[k - 1] = t;
        }
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Oracle: medians and least values of lists that are sorted by itself. */
static void summaries_are_those_of_the_definition(void)
{
    uint64_t seed = 5;

    for (int round = 0; round < 400; round++) {
        double x[12], y[12];
        int n = 1 + round % 12;
        plani_summary_t s;
        for (int i = 0; i < n; i++) x[i] = uniform(&seed) < 0.2 ? 10 * uniform(&seed) : 1 + 0.1 * uniform(&seed);
        memcpy(y, x, sizeof y);
        double median = middle(y, n);
        plani_summarize(x, n, &s);
        CU_ASSERT_DOUBLE_EQUAL(s.median, median, 1e-15);
        CU_ASSERT_EQUAL(s.min, y[0]);
    }
}

/* Of twelve values those of ranks 2 and 11 enclose the median with 95%: the largest does not count. */
static void an_outlier_does_not_keep_samples_from_converging(void)
{
    double x[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 50, 1.01, 0.99, 1.00, 1.00, 1.01},
           wide[] = {1, 2, 1, 2, 1, 2, 1, 2, 1};
    plani_summary_t s;

    plani_summarize(x, 12, &s);
    CU_ASSERT_EQUAL(s.median, 1);
    CU_ASSERT_TRUE(s.converged);
    plani_summarize(wide, 9, &s);
    CU_ASSERT_FALSE(s.converged);
}

static void equal_samples_have_converged_but_few_have_not(void)
{
    double x[] = {2, 2, 2, 2, 2, 2, 2, 2};
    plani_summary_t s;

    plani_summarize(x, 8, &s);
    CU_ASSERT_TRUE(s.converged);
    plani_summarize(x, 7, &s);
    CU_ASSERT_FALSE(s.converged);
}

static void a_line_is_recovered_exactly(void)
{
    double m[11], t[11], a, b;

    for (int i = 0; i < 11; i++) m[i] = 1024 << i, t[i] = 30e-6 + 4e-8 * m[i];
    plani_fit_line(m, t, 11, &a, &b);
    CU_ASSERT_DOUBLE_EQUAL(a, 30e-6, 1e-10);
    CU_ASSERT_DOUBLE_EQUAL(b, 4e-8, 1e-13);
}

static void a_line_survives_noise_and_two_wild_points(void)
{
    double m[11], t[11], a, b;
    uint64_t seed = 7;

    for (int i = 0; i < 11; i++) m[i] = 1024 << i, t[i] = (30e-6 + 4e-8 * m[i]) * (1 + 0.02 * (uniform(&seed) - 0.5));
    t[3] *= 4, t[7] *= 3;
    plani_fit_line(m, t, 11, &a, &b);
    CU_ASSERT_DOUBLE_EQUAL(a, 30e-6, 3e-6);
    CU_ASSERT_DOUBLE_EQUAL(b, 4e-8, 0.02 * 4e-8);
}

static void a_fitted_line_is_never_negative(void)
{
    double m[] = {1000, 2000, 4000, 8000}, falling[] = {4e-6, 3e-6, 2e-6, 1e-6}, steep[] = {1e-9, 1e-6, 3e-6, 8e-6};
    double a, b;

    plani_fit_line(m, falling, 4, &a, &b);
    CU_ASSERT_TRUE(a > 0 && b == 0);
    plani_fit_line(m, steep, 4, &a, &b);
    CU_ASSERT_TRUE(a >= 0 && b > 0);
}

/* ---- protocols ---- */

enum { LADDER = 13 };
typedef struct {
    int n;
    plani_protocol_t piece[PLANI_PIECES];
} protocols_t;
static const protocols_t ONE = {1, {{8, 30e-6, 4e-8}}}, EAGER = {2, {{8, 0.5e-6, 3e-10}, {4096, 2e-6, 1e-10}}},
                         THREE = {3, {{8, 1e-6, 5e-10}, {4096, 4e-6, 2e-10}, {65536, 20e-6, 0.8e-10}}},
                         STEEPER = {2, {{8, 1e-6, 1e-10}, {32768, 0, 3.4e-10}}};

/* Times of messages of 8 B, 128 B, then 1 KiB to 1 MiB, up to `noise` too long or too short. */
static void ladder(const protocols_t *p, double noise, uint64_t *seed, double *m, double *t)
{
    for (int i = 0; i < LADDER; i++) {
        int k = p->n - 1;
        m[i] = i == 0 ? 8 : i == 1 ? 128 : 256 << i;
        while (p->piece[k].from_bytes > m[i]) k--;
        t[i] = (p->piece[k].latency_s + p->piece[k].s_per_byte * m[i]) * (1 + 2 * noise * (uniform(seed) - 0.5));
    }
}

static void protocols_are_found(const protocols_t *p)
{
    double m[LADDER], t[LADDER];
    uint64_t seed = 3;

    for (int trial = 0; trial < 200; trial++) {
        plani_protocol_t piece[PLANI_PIECES];
        double noise = trial == 0 ? 0 : 0.04;
        ladder(p, noise, &seed, m, t);
        CU_ASSERT_EQUAL_FATAL(plani_fit_pieces(m, t, LADDER, piece), p->n);
        for (int k = 0; k < p->n; k++) { /* the noise of its points, and what it does to a line through three */
            double first = p->piece[k].from_bytes, last = k + 1 < p->n ? p->piece[k + 1].from_bytes / 2 : m[LADDER - 1];
            CU_ASSERT_EQUAL(piece[k].from_bytes, first);
            for (int end = 0; end < 2; end++) {
                double x = end ? last : first, was = p->piece[k].latency_s + p->piece[k].s_per_byte * x;
                CU_ASSERT_DOUBLE_EQUAL(piece[k].latency_s + piece[k].s_per_byte * x, was, (1e-9 + 2 * noise) * was);
            }
        }
    }
}

static void one_protocol_is_one_piece(void)
{
    protocols_are_found(&ONE);
}

static void eager_and_rendezvous_are_two_pieces(void)
{
    protocols_are_found(&EAGER);
    protocols_are_found(&STEEPER);
}

static void three_protocols_are_three_pieces(void)
{
    protocols_are_found(&THREE);
}

/* Times that bend upwards, as where larger messages leave a cache, put the intercept of a line below nothing. */
static void no_latency_of_a_piece_is_negative(void)
{
    for (int bend = 1; bend <= 8; bend++) {
        double m[12], t[12];
        plani_protocol_t piece[PLANI_PIECES];
        for (int i = 0; i < 12; i++) {
            m[i] = 64 << i;
            t[i] = i < bend ? 2e-6 + 1e-10 * m[i] : 2e-6 + 1e-12 * m[i] * sqrt(m[i]) + 1e-10 * m[i];
        }
        int n = plani_fit_pieces(m, t, 12, piece);
        CU_ASSERT_TRUE(n >= 1);
        for (int k = 0; k < n; k++) CU_ASSERT_TRUE(piece[k].latency_s >= 0 && piece[k].s_per_byte >= 0);
    }
    double m[] = {1024, 2048, 4096}, t[] = {1e-6, 4e-6, 16e-6}, back[] = {16e-6, 4e-6, 1e-6};
    plani_protocol_t piece[PLANI_PIECES];
    CU_ASSERT_EQUAL_FATAL(plani_fit_pieces(m, t, 3, piece), 1);
    CU_ASSERT_EQUAL(piece[0].latency_s, 0);
    CU_ASSERT_TRUE(piece[0].s_per_byte > 1e-9 && piece[0].s_per_byte < 4e-9);
    CU_ASSERT_EQUAL_FATAL(plani_fit_pieces(m, back, 3, piece), 1);
    CU_ASSERT_EQUAL(piece[0].s_per_byte, 0);
    CU_ASSERT_TRUE(piece[0].latency_s > 1e-6 && piece[0].latency_s < 16e-6);
}

/* As noisy as no machine in its senses: pieces are made up in fewer than one of twenty ladders. */
static void noise_alone_is_no_protocol(void)
{
    double m[LADDER], t[LADDER];
    uint64_t seed = 5;
    int made_up = 0;

    for (int trial = 0; trial < 1000; trial++) {
        plani_protocol_t piece[PLANI_PIECES];
        ladder(&ONE, 0.15, &seed, m, t);
        made_up += plani_fit_pieces(m, t, LADDER, piece) > 1;
    }
    CU_ASSERT_TRUE(made_up < 50);
}

static void short_ladders_have_few_pieces(void)
{
    double m[LADDER], t[LADDER];
    plani_protocol_t piece[PLANI_PIECES];
    uint64_t seed = 7;

    ladder(&EAGER, 0, &seed, m, t);
    CU_ASSERT_EQUAL(plani_fit_pieces(m, t, 0, piece), 0);
    CU_ASSERT_EQUAL(plani_fit_pieces(m, t, 2, piece), 0);
    CU_ASSERT_EQUAL(plani_fit_pieces(m, t, 3, piece), 1);
    CU_ASSERT_EQUAL(plani_fit_pieces(m, t, 5, piece), 1); /* one point of the other protocol speaks for nothing */
}

/* ---- flows ---- */

/* Arrivals of slices through a token bucket: `burst` bytes at once, the rest at `rate`. */
static int bucket(double rate, double burst, double slice, double seconds, double *t, double *bytes)
{
    int n = 0;

    for (double sum = slice; n < PLANI_LOG && (sum - burst) / rate < seconds; sum += slice, n++) {
        t[n] = fmax(sum * 1e-10, (sum - burst) / rate);
        bytes[n] = sum;
    }
    return n;
}

static void the_burst_of_a_token_bucket_does_not_count(void)
{
    double t[PLANI_LOG], bytes[PLANI_LOG], err;
    int n = bucket(25e6, 131072, 16384, 0.03, t, bytes);

    CU_ASSERT_DOUBLE_EQUAL(plani_steady_rate(t, bytes, n, 0.03, 0, &err), 25e6, 1e3);
    CU_ASSERT_TRUE(err < 0.01);
}

static void arrivals_after_the_time_do_not_count(void)
{
    double t[60], bytes[60], err;

    for (int i = 0; i < 60; i++) { /* the others stop after 40 slices, and this flow doubles its pace */
        t[i] = i < 40 ? i * 1e-3 : 0.039 + (i - 39) * 0.5e-3;
        bytes[i] = (i + 1) * 1e4;
    }
    CU_ASSERT_DOUBLE_EQUAL(plani_steady_rate(t, bytes, 60, 0.039, 0, &err), 1e7, 1e-2);
}

/* A rank that shares its core notes arrivals late, several at once; the link carried on meanwhile. */
static void arrivals_noted_late_and_in_clumps_do_not_mislead(void)
{
    double t[50], bytes[50], err;
    uint64_t seed = 5;

    for (int i = 0; i < 50; i++) {
        double wake = 4e-3 * (1 + (int)(i * 0.8e-3 / 4e-3)); /* runs every 4 ms, and some time later than that */
        t[i] = wake + (i % 5 == 4 ? 1e-3 * uniform(&seed) : 1e-3);
        bytes[i] = (i + 1) * 20000;
        if (i > 0 && t[i] < t[i - 1]) t[i] = t[i - 1];
    }
    CU_ASSERT_DOUBLE_EQUAL(plani_steady_rate(t, bytes, 50, 0.04, 0, &err), 25e6, 0.05 * 25e6);
}

/* The receiver sleeps for the first 15 ms of 30, then catches up and reads on as slices come: by its own clock the line
 * through the late and the timely ones is 40% too steep. */
static void a_receiver_that_starts_late_does_not_make_a_flow_fast(void)
{
    double t[46], bytes[46], err;

    for (int i = 0; i < 46; i++) {
        bytes[i] = (i + 1) * 16384;
        t[i] = fmax(15e-3 + i * 0.05e-3, bytes[i] / 25e6);
    }
    double rate = plani_steady_rate(t, bytes, 46, 0.03, 20e-6, &err);
    CU_ASSERT_TRUE(rate > 0.98 * 25e6 && rate < 1.08 * 25e6);
}

/* After a pause of 8 ms in the middle the flow goes on: less than its rate is seen, and never more. */
static void a_pause_does_not_make_a_flow_fast(void)
{
    double t[46], bytes[46], err;

    for (int i = 0; i < 46; i++) {
        bytes[i] = (i + 1) * 16384;
        t[i] = bytes[i] / 25e6 + (i > 20 ? 8e-3 : 0);
    }
    double rate = plani_steady_rate(t, bytes, 46, 0.038, 20e-6, &err);
    CU_ASSERT_TRUE(rate > 0.7 * 25e6 && rate < 1.02 * 25e6);
}

/* Slices of four flows arrive by fours, some of them noted late: no line fits well. What passed in all, during 60 ms,
 * is 2% too much because of a burst at first, and what had passed after 30 ms twice as much. */
static void a_burst_before_clumps_makes_no_trunk_wide(void)
{
    double t[48], bytes[48], err;

    for (int i = 0; i < 48; i++) {
        bytes[i] = (i + 1) * 8192;
        t[i] = ((i / 4 + 1) * 4 * 8192 - 9100) / 6.25e6 + (i / 4 * 7 % 5) * 0.5e-3;
    }
    double rate = plani_steady_rate(t, bytes, 48, t[47], 50e-6, &err);
    CU_ASSERT_TRUE(err > 0.03);
    CU_ASSERT_TRUE(rate > 0.95 * 6.25e6 && rate < 1.015 * 6.25e6);
}

static void the_two_fastest_runs_count(void)
{
    plani_runs_t runs = {0};

    CU_ASSERT_FALSE(plani_runs_agree(&runs));
    plani_runs_add(&runs, 20);
    CU_ASSERT_FALSE(plani_runs_agree(&runs));
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 20);
    CU_ASSERT_EQUAL(plani_runs_ends(&runs).high, 0); /* of one run */
    plani_runs_add(&runs, 25);
    CU_ASSERT(plani_runs_ends(&runs).low == 20 && plani_runs_ends(&runs).high == 25);
    CU_ASSERT_FALSE(plani_runs_agree(&runs));
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 25); /* the first was disturbed */
    plani_runs_add(&runs, 24.5);
    CU_ASSERT_TRUE(plani_runs_agree(&runs));
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 24.75);
    plani_runs_add(&runs, 3);
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 24.75);
    CU_ASSERT(plani_runs_ends(&runs).low == 24.5 && plani_runs_ends(&runs).high == 25);
}

static void too_few_arrivals_have_no_rate_or_no_certainty(void)
{
    double t[] = {0, 0.01, 0.01 + 1e-9, 0.01 + 2e-9}, bytes[] = {1000, 2000, 3000, 4000}, err = 0;

    CU_ASSERT_EQUAL(plani_steady_rate(t, bytes, 0, 1, 0, &err), 0);
    CU_ASSERT_EQUAL(plani_steady_rate(t, bytes, 1, 1, 0, &err), 0);
    CU_ASSERT_DOUBLE_EQUAL(plani_steady_rate(t, bytes, 2, 0.02, 0, &err), 1e5, 1e-6);
    CU_ASSERT_TRUE(isinf(err));
    CU_ASSERT_EQUAL(plani_steady_rate(t + 1, bytes + 1, 3, 1, 0, &err), 0); /* all at once: the rate cannot be seen */
}

SUITE_MAIN("measuring: fits, without ranks", TEST(every_pair_meets_exactly_once_in_disjoint_rounds),
           TEST(every_flow_runs_once_beside_few_others), TEST(rounds_are_as_few_as_can_be),
           TEST(summary_of_known_samples), TEST(summaries_are_those_of_the_definition),
           TEST(an_outlier_does_not_keep_samples_from_converging), TEST(equal_samples_have_converged_but_few_have_not),
           TEST(a_line_is_recovered_exactly), TEST(a_line_survives_noise_and_two_wild_points),
           TEST(a_fitted_line_is_never_negative), TEST(one_protocol_is_one_piece),
           TEST(eager_and_rendezvous_are_two_pieces), TEST(three_protocols_are_three_pieces),
           TEST(noise_alone_is_no_protocol), TEST(short_ladders_have_few_pieces),
           TEST(no_latency_of_a_piece_is_negative), TEST(the_burst_of_a_token_bucket_does_not_count),
           TEST(arrivals_after_the_time_do_not_count), TEST(arrivals_noted_late_and_in_clumps_do_not_mislead),
           TEST(a_receiver_that_starts_late_does_not_make_a_flow_fast), TEST(a_pause_does_not_make_a_flow_fast),
           TEST(a_burst_before_clumps_makes_no_trunk_wide), TEST(the_two_fastest_runs_count),
           TEST(too_few_arrivals_have_no_rate_or_no_certainty))
