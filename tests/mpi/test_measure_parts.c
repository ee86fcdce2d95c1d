/* The parts of measuring that need no ranks: fits, rounds, clusters, and what rates say about cards, sites and trunks.
 */
#include "suite.h"
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "lib/mpi/measure_study.h"

/* splitmix64 (Steele, Lea, Flood 2014), to [0, 1) */
static double uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* ---- rounds ---- */

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
    CU_ASSERT_EQUAL(s.kept, 5);
    CU_ASSERT_DOUBLE_EQUAL(s.mean, 3, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(s.half, 2.776445105 * sqrt(2.5 / 5), 1e-8); /* t(0.975, 4) */
    CU_ASSERT_FALSE(plani_converged(&s));
}

static void an_outlier_does_not_move_the_mean(void)
{
    double x[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.00, 50};
    plani_summary_t s;

    plani_summarize(x, 7, &s);
    CU_ASSERT_EQUAL(s.kept, 6);
    CU_ASSERT_DOUBLE_EQUAL(s.mean, 1, 1e-9);
    CU_ASSERT_TRUE(plani_converged(&s));
}

static void equal_samples_have_no_spread_and_few_have_no_interval(void)
{
    double x[] = {2, 2, 2, 2};
    plani_summary_t s;

    plani_summarize(x, 4, &s);
    CU_ASSERT_EQUAL(s.half, 0);
    CU_ASSERT_TRUE(plani_converged(&s));
    plani_summarize(x, 2, &s);
    CU_ASSERT_TRUE(isinf(s.half));
    CU_ASSERT_FALSE(plani_converged(&s));
    plani_summarize(x, 0, &s);
    CU_ASSERT_EQUAL(s.n, 0);
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
                         STEEPER = {2, {{8, 1e-6, 1e-10}, {32768, -2e-6, 4e-10}}};

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
    plani_runs_add(&runs, 25);
    CU_ASSERT_FALSE(plani_runs_agree(&runs));
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 25); /* the first was disturbed */
    plani_runs_add(&runs, 24.5);
    CU_ASSERT_TRUE(plani_runs_agree(&runs));
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 24.75);
    plani_runs_add(&runs, 3);
    CU_ASSERT_EQUAL(plani_runs_rate(&runs), 24.75);
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

/* ---- clusters ---- */

static void values_group_within_tolerance(void)
{
    double x[] = {25e6, 6.2e6, 24.5e6, 12e6, 6.3e6, 12.4e6};
    size_t scratch[6];
    int label[6], expected[] = {2, 0, 2, 1, 0, 1};

    CU_ASSERT_EQUAL(plani_group_values(x, 6, 0.12, scratch, label), 3);
    for (int i = 0; i < 6; i++) CU_ASSERT_EQUAL(label[i], expected[i]);
    CU_ASSERT_EQUAL(plani_group_values(x, 0, 0.12, scratch, label), 0);
    CU_ASSERT_EQUAL(plani_group_values(x, 1, 0.12, scratch, label), 1);
}

/* Oracle: average linkage by the definition, over all pairs of clusters each time. */
static int slow_cluster(int n, const double *dist, double limit, int *label)
{
    for (int i = 0; i < n; i++) label[i] = i;
    for (;;) {
        double best = INFINITY;
        int ba = -1, bb = -1;
        for (int a = 0; a < n; a++)
            for (int b = a + 1; b < n; b++) {
                double sum = 0;
                int pairs = 0;
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        if (label[i] == a && label[j] == b) sum += dist[i * n + j], pairs++;
                if (pairs > 0 && sum / pairs < best) best = sum / pairs, ba = a, bb = b;
            }
        if (ba < 0 || best > limit) break;
        for (int i = 0; i < n; i++)
            if (label[i] == bb) label[i] = ba;
    }
    int map[16] = {0}, labels = 0;
    for (int i = 0; i < n; i++) {
        if (label[i] == i) map[i] = labels++;
        label[i] = map[label[i]];
    }
    return labels;
}

static void clusters_equal_those_of_the_definition(void)
{
    uint64_t seed = 3;

    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + trial % 14, label[16], slow[16], scratch[32];
        double dist[196] = {0}, copy[196];
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) dist[i * n + j] = dist[j * n + i] = uniform(&seed);
        memcpy(copy, dist, sizeof copy);
        int expected = slow_cluster(n, dist, 0.4, slow);
        CU_ASSERT_EQUAL(plani_cluster(n, copy, 0.4, scratch, label), expected);
        CU_ASSERT_EQUAL(memcmp(label, slow, (size_t)n * sizeof *label), 0);
    }
}

static void unknown_distances_count_for_nothing(void)
{
    double dist[] = {0, .1, -1, .9, .1, 0, .1, -1, -1, .1, 0, .8, .9, -1, .8, 0};
    int label[4], scratch[8];

    CU_ASSERT_EQUAL(plani_cluster(4, dist, 0.4, scratch, label), 2);
    CU_ASSERT_TRUE(label[0] == 0 && label[1] == 0 && label[2] == 0 && label[3] == 1);
    double apart[] = {0, -1, -1, 0};
    CU_ASSERT_EQUAL(plani_cluster(2, apart, 0.4, scratch, label), 2);
}

/* ---- inference on a simulated cluster ---- */

enum { MOST = 16 };
typedef struct {
    int hosts, sites, site[MOST];
    double out[MOST], in[MOST];             /* cards [B/s] */
    double trunk_out[MOST], trunk_in[MOST]; /* [B/s] */
} cluster_t;

/* Max-min fair rates by progressive filling, of flows u[k] -> v[k]. */
static void fair(const cluster_t *c, int n, const int *u, const int *v, double *rate)
{
    bool frozen[2 * MOST] = {false};
    double free_[4][MOST];

    memcpy(free_[0], c->out, sizeof c->out);
    memcpy(free_[1], c->in, sizeof c->in);
    memcpy(free_[2], c->trunk_out, sizeof c->trunk_out);
    memcpy(free_[3], c->trunk_in, sizeof c->trunk_in);
    for (int left = n; left > 0;) {
        double worst = INFINITY;
        int kind = 0, which = 0;
        for (int q = 0; q < 4; q++)
            for (int i = 0; i < MOST; i++) {
                int users = 0;
                for (int k = 0; k < n; k++) {
                    int at[] = {u[k], v[k], c->site[u[k]], c->site[v[k]]};
                    bool crosses = c->site[u[k]] != c->site[v[k]];
                    users += !frozen[k] && at[q] == i && (q < 2 || crosses);
                }
                if (users > 0 && free_[q][i] / users < worst) worst = free_[q][i] / users, kind = q, which = i;
            }
        for (int k = 0; k < n; k++) {
            int at[] = {u[k], v[k], c->site[u[k]], c->site[v[k]]};
            bool crosses = c->site[u[k]] != c->site[v[k]];
            if (frozen[k] || at[kind] != which || (kind >= 2 && !crosses)) continue;
            frozen[k] = true, rate[k] = worst, left--;
            for (int q = 0; q < (crosses ? 4 : 2); q++) free_[q][at[q]] -= worst;
        }
    }
}

/* All rounds of the tournament, both directions at once, with noise. */
static void meet(const cluster_t *c, double noise, double *rate, double *latency)
{
    uint64_t seed = 11;
    int n = c->hosts;

    for (int i = 0; i < n * n; i++) rate[i] = 0, latency[i] = 50e-6 * (1 + uniform(&seed));
    for (int round = 0; round < plani_rounds(n); round++) {
        int u[MOST], v[MOST], flows = 0;
        double r[MOST];
        for (int i = 0; i < n; i++)
            if (plani_partner(n, round, i) >= 0) u[flows] = i, v[flows++] = plani_partner(n, round, i);
        fair(c, flows, u, v, r);
        for (int k = 0; k < flows; k++) rate[u[k] * n + v[k]] = r[k] * (1 + noise * (uniform(&seed) - 0.5));
    }
}

static void expect_sites(const cluster_t *c, double noise)
{
    double rate[MOST * MOST], latency[MOST * MOST], out[MOST], in[MOST], scratch[MOST * MOST];
    int site[MOST], iscratch[2 * MOST];
    plani_meetings_t m = {c->hosts, rate, latency, 0};

    meet(c, noise, rate, latency);
    plani_card_rates(&m, out, in);
    CU_ASSERT_EQUAL(plani_sites(&m, out, in, scratch, iscratch, site), c->sites);
    for (int h = 0; h < c->hosts; h++) CU_ASSERT_EQUAL(site[h], c->site[h]);
}

static cluster_t equal_hosts(int hosts, int sites, double card, double trunk)
{
    cluster_t c = {.hosts = hosts, .sites = sites};

    for (int h = 0; h < MOST; h++) {
        c.site[h] = h % sites; /* dealt cyclically */
        c.out[h] = c.in[h] = card;
        c.trunk_out[h] = c.trunk_in[h] = trunk;
    }
    return c;
}

static void one_switch_is_one_site(void)
{
    cluster_t c = equal_hosts(8, 1, 25e6, 1e9);

    expect_sites(&c, 0.08);
    c = equal_hosts(2, 1, 25e6, 1e9);
    expect_sites(&c, 0.08);
    c = equal_hosts(1, 1, 25e6, 1e9);
    expect_sites(&c, 0);
}

static void fast_and_slow_cards_on_one_switch_are_one_site(void)
{
    cluster_t c = equal_hosts(6, 1, 25e6, 1e9);

    c.out[0] = c.in[0] = 50e6;
    c.out[2] = c.in[2] = 12.5e6;
    c.out[4] = 6e6;
    expect_sites(&c, 0.08);
}

static void thin_trunks_part_the_sites(void)
{
    cluster_t c = equal_hosts(12, 3, 25e6, 12.5e6);

    c.trunk_out[1] = c.trunk_in[1] = 6.25e6;
    expect_sites(&c, 0.1);
}

/* The trunk carries two of the four cards: a single flow never notices it. */
static void a_trunk_fatter_than_a_card_parts_the_sites(void)
{
    cluster_t c = equal_hosts(12, 3, 25e6, 40e6);

    expect_sites(&c, 0.05);
}

/* The third site has two hosts: each meets only one other at full rate. */
static void a_site_of_two_hosts_is_one(void)
{
    cluster_t c = equal_hosts(8, 3, 40e6, 15e6);

    c.trunk_in[2] = 10e6;
    expect_sites(&c, 0.05);
}

static void distant_hosts_are_another_site_even_at_full_rate(void)
{
    double rate[36], latency[36], out[6], in[6], scratch[36];
    int site[6], iscratch[12];
    plani_meetings_t m = {6, rate, latency, 0};

    for (int u = 0; u < 6; u++)
        for (int v = 0; v < 6; v++)
            rate[u * 6 + v] = u == v ? 0 : 1e8, latency[u * 6 + v] = u / 3 == v / 3 ? 2e-5 : 2e-3;
    plani_card_rates(&m, out, in);
    CU_ASSERT_EQUAL(plani_sites(&m, out, in, scratch, iscratch, site), 2);
    for (int h = 0; h < 6; h++) CU_ASSERT_EQUAL(site[h], h / 3);
}

/* A server whose five peers have slow ways out: met both ways at once, each of its flows waits for acknowledgements. */
static void every_flow_that_got_less_than_its_cards_is_looked_at_again(void)
{
    enum { N = 6 };
    double rate[N * N], cap[2 * N] = {40e6, 8e6};
    int site[N] = {0}, pair[N * N];
    plani_meetings_t m = {N, rate, NULL, 0};

    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) rate[u * N + v] = u == v ? 0 : u == 0 ? 11e6 + 1e3 * v : 8e6;
    for (int h = 1; h < N; h++) cap[2 * h] = 8e6, cap[2 * h + 1] = 40e6;
    CU_ASSERT_EQUAL_FATAL(plani_doubtful(&m, site, cap, pair), 5);
    for (int k = 0; k < 5; k++) CU_ASSERT_EQUAL(pair[k], k + 1);
    rate[4 * N + 2] = 2e6; /* disturbed */
    CU_ASSERT_EQUAL_FATAL(plani_doubtful(&m, site, cap, pair), 6);
    CU_ASSERT_EQUAL(pair[0], 4 * N + 2);
    site[2] = 1; /* between sites other things hold flows up; what was not seen is not doubted */
    rate[3] = 0;
    CU_ASSERT_EQUAL(plani_doubtful(&m, site, cap, pair), 3);
}

static void split_sites_merge_unless_a_boundary_was_seen(void)
{
    double far = INFINITY;
    int label[4];
    double one[] = {0, .1, .2, .1, 0, .1, .2, .1, 0}; /* three parts of one site */
    CU_ASSERT_EQUAL(plani_merge_sites(3, one, label), 1);
    CU_ASSERT_TRUE(label[0] == 0 && label[1] == 0 && label[2] == 0);
    /* 0 and 2 are one; a lone host 3 sees no boundary to anyone, and goes where it loses least */
    double two[] = {0, far, .1, .3, far, 0, far, .05, .1, far, 0, .3, .3, .05, .3, 0};
    CU_ASSERT_EQUAL(plani_merge_sites(4, two, label), 2);
    CU_ASSERT_TRUE(label[0] == 0 && label[1] == 1 && label[2] == 0 && label[3] == 1);
    double apart[] = {0, far, far, 0};
    CU_ASSERT_EQUAL(plani_merge_sites(2, apart, label), 2);
    CU_ASSERT_EQUAL(plani_merge_sites(1, one, label), 1);
}

static void racks_of_one_place_are_an_area(void)
{
    double far = 12.5e6, near = 25e6, scratch[16];
    double racks[] = {INFINITY, near, far, far, near, INFINITY, far, far, far, far, 0, near, far, far, near, 0};
    double equal[] = {0, far, far, far, 0, far, far, far, 0};
    int area[4], iscratch[8];

    CU_ASSERT_EQUAL(plani_areas(4, racks, scratch, iscratch, area), 2);
    CU_ASSERT_TRUE(area[0] == 0 && area[1] == 0 && area[2] == 1 && area[3] == 1);
    CU_ASSERT_EQUAL(plani_areas(3, equal, scratch, iscratch, area), 1);
}

/* Racks of 20 and 30 MB/s in one place, of 40 and 50 in the other; 10 and 15 MB/s between the places. */
static void racks_of_a_slow_place_are_an_area_too(void)
{
    double a = 20e6, b = 40e6, ab = 10e6, ba = 15e6, scratch[16];
    double racks[] = {INFINITY, ab, a, ab, ba, INFINITY, ba, b, a, ab, INFINITY, ab, ba, b, ba, INFINITY};
    int area[4], iscratch[8];

    CU_ASSERT_EQUAL(plani_areas(4, racks, scratch, iscratch, area), 2);
    CU_ASSERT_TRUE(area[0] == 0 && area[1] == 1 && area[2] == 0 && area[3] == 1);
}

/* Sites of two hosts and of three: 40 MB/s inside, 8 and 15 MB/s between them. Too thin a trunk shows nothing. */
static void cards_of_two_hosts_are_told_apart_by_a_third(void)
{
    double card[] = {40e6, 40e6, 40e6, 40e6, 40e6}, rate[25], site_rate[] = {0, 8e6, 15e6, 0};
    int site[] = {0, 1, 0, 1, 1};
    plani_study_t s = {.hosts = 5, .sites = 2, .site = site, .rate = rate, .site_rate = site_rate};

    s.card_out = s.card_in = card;
    for (int i = 0; i < 25; i++) rate[i] = site[i / 5] == site[i % 5] ? 40e6 : 5e6;
    CU_ASSERT_EQUAL(plani_beyond(&s, 0, false), 1);
    CU_ASSERT_EQUAL(plani_beyond(&s, 2, false), 1);
    CU_ASSERT_EQUAL(plani_beyond(&s, 2, true), -1);
    CU_ASSERT_EQUAL(plani_beyond(&s, 1, false), -1);
    card[3] = 60e6, site_rate[1] = 60e6;
    CU_ASSERT_EQUAL(plani_beyond(&s, 0, true), 1); /* no faster than its own card */
    card[0] = 60e6, rate[2] = 60e6, card[2] = 60e6;
    CU_ASSERT_EQUAL(plani_beyond(&s, 0, true), 3);
}

/* 375 kB, but no longer than four times what is usual. */
static void flows_through_slow_trunks_last_longer(void)
{
    CU_ASSERT_EQUAL(plani_long_enough(0.025, 25e6), 0.025);
    CU_ASSERT_DOUBLE_EQUAL(plani_long_enough(0.025, 6.25e6), 0.06, 1e-12);
    CU_ASSERT_EQUAL(plani_long_enough(0.025, 1e6), 0.1);
    CU_ASSERT_EQUAL(plani_long_enough(0.025, 0), 0.025);
    CU_ASSERT_EQUAL(plani_long_enough(0.025, INFINITY), 0.025);
}

static void flows_that_get_half_share_something(void)
{
    CU_ASSERT_EQUAL(plani_together(50e6, 25e6), PLANI_SHARED);
    CU_ASSERT_EQUAL(plani_together(50e6, 47e6), PLANI_SHARED_NOT);
}

static void pairs_that_get_no_more_than_one_share_processors(void)
{
    CU_ASSERT_DOUBLE_EQUAL(plani_message_time(4, 1e6, 1e6), 1e-6, 1e-18);   /* one core for all */
    CU_ASSERT_DOUBLE_EQUAL(plani_message_time(4, 1e6, 2e6), 0.5e-6, 1e-18); /* two cores */
    CU_ASSERT_EQUAL(plani_message_time(4, 1e6, 3.9e6), 0);                  /* as many as there are */
    CU_ASSERT_EQUAL(plani_message_time(4, 1e6, 0), 0);
    CU_ASSERT_EQUAL(plani_message_time(4, 0, 1e6), 0);
}

/* Sizes at which cards were as slow say only what processors do not exceed. */
static void passing_on_is_fitted_where_processors_are_slowest(void)
{
    const double m[] = {128, 1024, 4096, 16384};
    const double t[] = {5e-6 + 128 * 2e-9, 5e-6 + 1024 * 2e-9, 5e-6 + 4096 * 2e-9, 90e-6};
    const double steep[] = {5e-6, 10e-6, 12e-6, 20e-6};
    const bool last[] = {false, false, false, true}, half[] = {false, false, true, true},
               all[] = {true, true, true, true};
    double a, b;

    CU_ASSERT_TRUE(plani_fit_passing(m, t, last, 4, &a, &b));
    CU_ASSERT_DOUBLE_EQUAL(a, 5e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(b, 2e-9, 1e-15);
    CU_ASSERT_TRUE(plani_fit_passing(m, steep, half, 4, &a, &b)); /* through the first two alone: 97 us at last */
    CU_ASSERT_TRUE(a + 16384 * b < 1.3 * 20e-6);
    CU_ASSERT_FALSE(plani_fit_passing(m, t, all, 4, &a, &b));
    CU_ASSERT_FALSE(plani_fit_passing(m, t, all, 0, &a, &b));
}

/* Five links through cards of 8 MB/s, processors take 9 us for each message and next to nothing for a byte: the cards
 * show from 512 B on, and are not taken for processors that copy 50 MB/s. */
static void slow_cards_are_not_taken_for_slow_processors(void)
{
    double m[4], t[4], a, b;
    bool limited[4];

    for (int k = 0; k < 4; k++) {
        double card = fmax(0, 32 * ((128 << k) + 180) - 8600.) / 8e6 / 31, slice = hypot(5 * 9e-6, card);
        double own = plani_beside_cards(slice, card);
        m[k] = 128 << k, limited[k] = own <= 0, t[k] = (limited[k] ? slice : own) / 5;
    }
    CU_ASSERT_FALSE(limited[2]);
    CU_ASSERT_TRUE(limited[3]);
    CU_ASSERT_TRUE(plani_fit_passing(m, t, limited, 4, &a, &b));
    CU_ASSERT_DOUBLE_EQUAL(a, 9e-6, 1e-9);
    CU_ASSERT_TRUE(b < 1e-12);
}

/* Links that follow one another are one chain; it begins anew where they do not, and with each step. */
static void a_chain_begins_where_no_link_leads_to(void)
{
    const plani_task_t task[] = {{.kind = PLANI_FLOW, .step = 0, .from = 3, .to = 0},
                                 {.kind = PLANI_CHAIN, .step = 1, .from = 0, .to = 1},
                                 {.kind = PLANI_CHAIN, .step = 1, .from = 1, .to = 2},
                                 {.kind = PLANI_CHAIN, .step = 1, .from = 4, .to = 5},
                                 {.kind = PLANI_CHAIN, .step = 2, .from = 5, .to = 6}};
    const bool starts[] = {true, false, true, true};

    for (size_t i = 1; i < 5; i++) CU_ASSERT_EQUAL(plani_starts_chain(task, i), starts[i - 1]);
}

/* Tables of what N messages get are kept in order, the best of repeated runs, and never beyond their room. */
static void tables_keep_the_best_run_in_order(void)
{
    plani_table_t table = {0};
    const struct {
        double bytes;
        int messages;
        double rate;
    } run[] = {{262144, 4, 9e6},  {1024, 2, 3e6},    {262144, 1, 8e6}, {1024, 1, 2e6},
               {262144, 4, 11e6}, {262144, 4, 10e6}, {1024, 4, 0},     {1024, 8, NAN}};

    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        plani_table_add(&table, run[i].bytes, run[i].messages, run[i].rate);
    CU_ASSERT_EQUAL_FATAL(table.n, 4);
    const plan_pairs_t *at = table.at;
    CU_ASSERT_TRUE(at[0].bytes == 1024 && at[0].messages == 1 && at[0].bytes_per_s == 2e6);
    CU_ASSERT_TRUE(at[1].bytes == 1024 && at[1].messages == 2 && at[1].bytes_per_s == 3e6);
    CU_ASSERT_TRUE(at[2].bytes == 262144 && at[2].messages == 1 && at[2].bytes_per_s == 8e6);
    CU_ASSERT_TRUE(at[3].bytes == 262144 && at[3].messages == 4 && at[3].bytes_per_s == 11e6);
    for (int n = 100; n < 200; n++) plani_table_add(&table, 1024, n, 1e6);
    CU_ASSERT_EQUAL(table.n, PLANI_TABLE);
    for (size_t i = 1; i < table.n; i++)
        CU_ASSERT_TRUE(at[i - 1].bytes < at[i].bytes ||
                       (at[i - 1].bytes == at[i].bytes && at[i - 1].messages < at[i].messages));
}

/* Three slices of 2 KiB get 65% and 60% of two racks' trunks of 20 MB/s: so 65% of their site's of 10 MB/s. */
static void a_further_trunk_is_as_unkind_to_small_slices_as_the_nearer_ones(void)
{
    plani_table_t rack[2] = {{0}}, site = {0};

    for (int k = 0; k < 2; k++) {
        plani_table_add(&rack[k], 2048, 3, k == 0 ? 13e6 : 12e6);
        plani_table_add(&rack[k], PLANI_LARGE, 1, 11e6); /* one flow alone does not fill it */
        plani_table_add(&rack[k], PLANI_LARGE, 3, 21e6); /* another run's, better than the trunk */
        plani_table_carry_over(&rack[k], 20e6, 10e6, &site);
    }
    plani_table_carry_over(&rack[0], 0, 10e6, &site); /* no trunk was seen there */
    CU_ASSERT_EQUAL_FATAL(site.n, 2);
    CU_ASSERT_TRUE(site.at[0].bytes == 2048 && site.at[0].messages == 3 && site.at[1].messages == 3);
    CU_ASSERT_DOUBLE_EQUAL(site.at[0].bytes_per_s, 6.5e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(site.at[1].bytes_per_s, 10e6, 1);
}

/* Flows of 10, 20 and 30 MB/s on one clock are together as one of 60. */
static void flows_together_are_as_one_flow(void)
{
    static plani_result_t result[3];
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = 16384, .seconds = 30e-3};
    double rate = 0;

    for (int k = 0; k < 3; k++) {
        double alone = (k + 1) * 10e6;
        result[k].n = 0;
        for (int i = 0; i < PLANI_LOG && (i + 1) * 16384 / alone < 31e-3; i++, result[k].n++)
            result[k].b[i] = (i + 1) * 16384.0, result[k].a[i] = result[k].b[i] / alone;
    }
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 3, &rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, 60e6, 3e6);
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 0, &rate), PLAN_OK);
    CU_ASSERT_EQUAL(rate, 0);
}

/* What is under way when the time is over still fills what flows share, until the first of them ends: from then on the
 * other has twice as much. */
static void flows_count_together_until_the_first_ends(void)
{
    static plani_result_t result[2];
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = 8192, .seconds = 10e-3};
    double rate = 0;

    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 30 + 20 * k; i++) { /* a slice a millisecond each; the first ten noted late, all at once */
            result[k].a[i] = i < 10 ? 9.9e-3 + 1e-6 * i : (i < 30 ? i + 1 : 30 + 0.5 * (i - 29)) * 1e-3;
            result[k].b[i] = (i + 1) * 8192.0;
        }
        result[k].n = 30 + 20 * k;
    }
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 2, &rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, 2 * 8192e3, 0.04 * 2 * 8192e3);
    result[1].n = 30;
    double same = 0;
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 2, &same), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(same, rate, 0.02 * rate);
}

/* 32 KiB at 25 MB/s, of which 12500 B passed at once; and a way without a burst, as well as it is known. */
static void a_message_that_is_there_too_soon_had_a_burst(void)
{
    CU_ASSERT_DOUBLE_EQUAL(plani_burst(32768, 40e-6 + (32768 - 12500) / 25e6, 40e-6, 25e6), 12500, 1e-6);
    CU_ASSERT_EQUAL(plani_burst(32768, 30e-6, 40e-6, 25e6), 32768); /* all of it */
    CU_ASSERT_EQUAL(plani_burst(32768, 40e-6 + 32768 / 25e6, 40e-6, 25e6), 0);
    CU_ASSERT_EQUAL(plani_burst(32768, 40e-6 + 32768 / 25e6 * 0.85, 40e-6, 25e6), 0); /* the rate is not known better */
    CU_ASSERT_EQUAL(plani_burst(32768, 1, 40e-6, 25e6), 0);
}

static void half_duplex_shows_when_both_directions_run(void)
{
    CU_ASSERT_TRUE(plani_half_duplex(25e6, 25e6, 12e6, 13e6));
    CU_ASSERT_FALSE(plani_half_duplex(25e6, 25e6, 24e6, 24e6));
    CU_ASSERT_FALSE(plani_half_duplex(12e6, 50e6, 8e6, 22e6));  /* acknowledgements queue behind a slow way out */
    CU_ASSERT_FALSE(plani_half_duplex(25e6, 25e6, 20e6, 19e6)); /* disturbed */
    CU_ASSERT_FALSE(plani_half_duplex(25e6, 25e6, 0, 0));
}

static void a_fat_trunk_behind_thin_ones_is_not_made_up(void)
{
    double out[] = {12.4e6, 6.2e6, 6.2e6}, in[] = {12.5e6, 6.2e6, 6.3e6};

    plani_explained_trunks(3, in, out); /* site 0 sends as much as the other two can take: its own limit is unknown */
    CU_ASSERT_EQUAL(out[0], 0);
    CU_ASSERT_EQUAL(out[1], 6.2e6);
    CU_ASSERT_EQUAL(out[2], 6.2e6);
    double two_out[] = {6e6, 6e6}, two_in[] = {6e6, 6e6};
    plani_explained_trunks(2, two_in, two_out);
    CU_ASSERT_EQUAL(two_out[0], 6e6);
}

/* Flows of 12 MB/s each; a card of 50 MB/s has room for four, one of 100 for all. */
static void flows_that_add_little_have_filled_their_card(void)
{
    plani_table_t table = {0};
    CU_ASSERT_FALSE(plani_is_full(&table, 2, 23.8e6, 24e6)); /* nothing to compare with */
    CU_ASSERT_TRUE(plani_is_full(&table, 6, 50e6, 72e6));    /* far less than alone */
    plani_table_add(&table, PLANI_LARGE, 1, 12e6);
    plani_table_add(&table, 1024, 4, 1e6); /* another size */
    CU_ASSERT_FALSE(plani_is_full(&table, 5, 55e6, 60e6));
    plani_table_add(&table, PLANI_LARGE, 4, 49e6);
    CU_ASSERT_TRUE(plani_is_full(&table, 5, 54.5e6, 60e6)); /* 5.5 of 12 more */
    CU_ASSERT_FALSE(plani_is_full(&table, 5, 59e6, 60e6));
}

SUITE_MAIN("measuring, without ranks", TEST(a_further_trunk_is_as_unkind_to_small_slices_as_the_nearer_ones),
           TEST(every_pair_meets_exactly_once_in_disjoint_rounds), TEST(flows_that_add_little_have_filled_their_card),
           TEST(rounds_are_as_few_as_can_be), TEST(summary_of_known_samples), TEST(an_outlier_does_not_move_the_mean),
           TEST(equal_samples_have_no_spread_and_few_have_no_interval), TEST(a_line_is_recovered_exactly),
           TEST(a_line_survives_noise_and_two_wild_points), TEST(a_fitted_line_is_never_negative),
           TEST(one_protocol_is_one_piece), TEST(eager_and_rendezvous_are_two_pieces),
           TEST(three_protocols_are_three_pieces), TEST(noise_alone_is_no_protocol),
           TEST(short_ladders_have_few_pieces), TEST(the_burst_of_a_token_bucket_does_not_count),
           TEST(arrivals_after_the_time_do_not_count), TEST(arrivals_noted_late_and_in_clumps_do_not_mislead),
           TEST(too_few_arrivals_have_no_rate_or_no_certainty),
           TEST(a_receiver_that_starts_late_does_not_make_a_flow_fast), TEST(a_pause_does_not_make_a_flow_fast),
           TEST(the_two_fastest_runs_count), TEST(values_group_within_tolerance),
           TEST(clusters_equal_those_of_the_definition), TEST(unknown_distances_count_for_nothing),
           TEST(one_switch_is_one_site), TEST(fast_and_slow_cards_on_one_switch_are_one_site),
           TEST(thin_trunks_part_the_sites), TEST(a_trunk_fatter_than_a_card_parts_the_sites),
           TEST(distant_hosts_are_another_site_even_at_full_rate), TEST(split_sites_merge_unless_a_boundary_was_seen),
           TEST(a_site_of_two_hosts_is_one), TEST(racks_of_one_place_are_an_area),
           TEST(racks_of_a_slow_place_are_an_area_too), TEST(flows_through_slow_trunks_last_longer),
           TEST(cards_of_two_hosts_are_told_apart_by_a_third), TEST(flows_that_get_half_share_something),
           TEST(pairs_that_get_no_more_than_one_share_processors),
           TEST(passing_on_is_fitted_where_processors_are_slowest), TEST(a_chain_begins_where_no_link_leads_to),
           TEST(slow_cards_are_not_taken_for_slow_processors), TEST(tables_keep_the_best_run_in_order),
           TEST(a_burst_before_clumps_makes_no_trunk_wide), TEST(flows_count_together_until_the_first_ends),

           TEST(flows_together_are_as_one_flow), TEST(half_duplex_shows_when_both_directions_run),
           TEST(a_message_that_is_there_too_soon_had_a_burst), TEST(a_fat_trunk_behind_thin_ones_is_not_made_up),
           TEST(every_flow_that_got_less_than_its_cards_is_looked_at_again))
