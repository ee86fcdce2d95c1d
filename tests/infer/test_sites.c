/* The parts of measuring that need no ranks: clustering of hosts, and rates of network cards, sites and areas. */
#include "infer_suite.h"

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

/* Oracle: one value after another, each the least that is left. */
static void values_of_any_order_group_alike(void)
{
    uint64_t seed = 3;

    for (int n = 2; n <= 40; n++) {
        double x[40];
        size_t scratch[40];
        int label[40], group = -1, left = n;
        for (int i = 0; i < n; i++) x[i] = exp(4 * uniform(&seed));
        int groups = plani_group_values(x, (size_t)n, 0.1, scratch, label);
        for (double last = 0; left > 0; left--) {
            int least = -1;
            for (int i = 0; i < n; i++)
                if (x[i] > last && (least < 0 || x[i] < x[least])) least = i;
            group += group < 0 || x[least] > last * 1.1;
            CU_ASSERT_EQUAL(label[least], group);
            last = x[least];
        }
        CU_ASSERT_EQUAL(groups, group + 1);
    }
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

/* Oracle: the largest of every row and column, looked up one by one. */
static void a_card_is_as_fast_as_its_fastest_flow(void)
{
    uint64_t seed = 7;

    for (int hosts = 2; hosts <= 5; hosts++)
        for (int round = 0; round < 40; round++) {
            double rate[25], out[5], in[5];
            plani_meetings_t m = {.hosts = hosts, .rate = rate, .slowest = rate};
            for (int i = 0; i < hosts * hosts; i++) rate[i] = i % (hosts + 1) == 0 ? 0 : uniform(&seed);
            plani_card_rates(&m, out, in);
            for (int h = 0; h < hosts; h++) {
                int row = 0, column = 0; /* where the largest are reached */
                for (int other = 0; other < hosts; other++) {
                    CU_ASSERT(rate[h * hosts + other] <= out[h] && rate[other * hosts + h] <= in[h]);
                    row += rate[h * hosts + other] == out[h], column += rate[other * hosts + h] == in[h];
                }
                CU_ASSERT(row > 0 && column > 0);
            }
        }
}

/* Hosts 0, 1 and 1, 2 meet at full rate. What 0 and 2 have is a tenth, seen one way alone: on average with the full
 * rate that is too little for one site. Where it was not seen there is nothing to part them. */
static void a_flow_seen_one_way_counts(void)
{
    for (int seen = 0; seen < 3; seen++) {
        double rate[] = {0, 10, 0, 10, 0, 10, 0, 10, 0}, latency[9] = {0}, scratch[9];
        const double card[] = {10, 10, 10};
        const plani_meetings_t m = {.hosts = 3, .rate = rate, .slowest = rate, .latency = latency};
        int iscratch[6], site[3];

        if (seen > 0) rate[seen == 1 ? 2 : 6] = 1;
        CU_ASSERT_EQUAL(plani_sites(&m, card, card, scratch, iscratch, site), seen > 0 ? 2 : 1);
        CU_ASSERT(site[0] == 0 && site[1] == 0 && site[2] == (seen > 0));
    }
}

/* Host 0 is beside a rack of four behind a thin trunk: it meets host 3 while nobody else crosses, and loses beside the
 * others. Clustering joins it to the rack by way of host 3; on average it loses too much to stay. Host 5 is far. */
static void a_host_that_loses_to_most_of_its_site_leaves(void)
{
    enum { N = 6 };
    static const double lost[N] = {0, 0.19, 0.27, 0, 0.13, 0.9};
    double rate[N * N], latency[N * N] = {0}, scratch[N * N], card[N];
    const plani_meetings_t m = {N, rate, rate, latency, 0};
    int iscratch[2 * N], site[N];

    for (int i = 0; i < N * N; i++) {
        int u = i / N, v = i % N, other = u == 0 || v == 5 ? v : v == 0 || u == 5 ? u : 0;
        rate[i] = u == v ? 0 : 10 * (1 - lost[other]);
    }
    for (int h = 0; h < N; h++) card[h] = 10;
    CU_ASSERT_EQUAL(plani_sites(&m, card, card, scratch, iscratch, site), 3);
    CU_ASSERT_EQUAL(site[0], 0);
    for (int h = 1; h < 5; h++) CU_ASSERT_EQUAL(site[h], 1);
    CU_ASSERT_EQUAL(site[5], 2);
}

/* What a pair was left beside some others counts, not what it had beside different ones. */
static void the_slowest_meeting_tells_of_trunks(void)
{
    double rate[] = {0, 10, 10, 0}, slowest[] = {0, 5, 10, 0}, latency[4] = {0}, scratch[4];
    const double card[] = {10, 10};
    plani_meetings_t m = {2, rate, rate, latency, 0};
    int iscratch[4], site[2];

    CU_ASSERT_EQUAL(plani_sites(&m, card, card, scratch, iscratch, site), 1);
    m.slowest = slowest;
    CU_ASSERT_EQUAL(plani_sites(&m, card, card, scratch, iscratch, site), 2);
}

/* A server at 44 us from the hosts of a rack that are at 23 us from each other; latencies 0 are unknown. */
static void a_server_beside_a_rack_is_a_site_of_its_own(void)
{
    enum { N = 4 };
    double latency[N * N];
    plani_meetings_t m = {N, NULL, NULL, latency, 0};
    int scratch[N];

    for (int i = 0; i < N * N; i++) latency[i] = i / N == i % N ? 0 : i / N == 2 || i % N == 2 ? 44e-6 : 23e-6;
    int site[N] = {0};
    CU_ASSERT_EQUAL(plani_part_aside(&m, 1, scratch, site), 2);
    for (int h = 0; h < N; h++) CU_ASSERT_EQUAL(site[h], h == 2);

    m.noise = 4e-6;
    int noisy[N] = {0};
    CU_ASSERT_EQUAL(plani_part_aside(&m, 1, scratch, noisy), 1);

    m.noise = 0;
    int pairs[N] = {0, 1, 0, 1}; /* of two, neither is aside */
    CU_ASSERT_EQUAL(plani_part_aside(&m, 2, scratch, pairs), 2);
    CU_ASSERT(pairs[0] == 0 && pairs[1] == 1 && pairs[2] == 0 && pairs[3] == 1);

    int alike[N] = {0};
    for (int i = 0; i < N * N; i++) latency[i] = i == 1 || i == 4 ? 0 : 23e-6;
    CU_ASSERT_EQUAL(plani_part_aside(&m, 1, scratch, alike), 1);
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

/* All rounds, every host with every other, both directions at once, with noise. */
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
    plani_meetings_t m = {c->hosts, rate, rate, latency, 0};

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

/* Measured [MB/s]: a host that sends fast and three that do not, and four of another site behind 10 MB/s out. What
 * comes back keeps the first one's flows waiting, and it met the fifth and the sixth while few others crossed: as near
 * as hosts of its own site, of which there are more. */
static void hosts_go_where_they_are_near_to_most(void)
{
    static const double met[8][8] = {
        {0.00, 5.07, 5.24, 5.24, 6.35, 6.15, 3.49, 4.46}, {3.92, 0.00, 3.97, 3.99, 3.99, 2.78, 3.50, 3.92},
        {3.94, 3.95, 0.00, 3.99, 2.87, 2.65, 3.92, 4.10}, {3.92, 3.98, 3.93, 0.00, 2.91, 4.15, 3.91, 2.69},
        {5.71, 4.21, 2.68, 3.36, 0.00, 5.88, 5.90, 5.83}, {5.71, 2.69, 3.32, 5.03, 5.92, 0.00, 5.91, 5.86},
        {2.88, 2.70, 4.24, 4.40, 5.77, 5.94, 0.00, 5.88}, {4.09, 4.07, 4.33, 3.26, 6.01, 5.86, 5.89, 0.00}};
    double rate[64], latency[64], out[8], in[8], scratch[64];
    int site[8], iscratch[16];
    plani_meetings_t m = {8, rate, rate, latency, 0};

    for (int i = 0; i < 64; i++) rate[i] = 1e6 * met[i / 8][i % 8], latency[i] = 1e-4;
    plani_card_rates(&m, out, in);
    CU_ASSERT_EQUAL(plani_sites(&m, out, in, scratch, iscratch, site), 2);
    for (int h = 0; h < 8; h++) CU_ASSERT_EQUAL(site[h], h / 4);
}

static void distant_hosts_are_another_site_even_at_full_rate(void)
{
    double rate[36], latency[36], out[6], in[6], scratch[36];
    int site[6], iscratch[12];
    plani_meetings_t m = {6, rate, rate, latency, 0};

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
    plani_meetings_t m = {N, rate, rate, NULL, 0};

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

/* Oracle: all pairs, each looked up by itself. What was not seen (0) is nothing to look at again. */
static void doubtful_flows_are_those_below_their_cards_least_first(void)
{
    uint64_t seed = 11;

    for (int round = 0; round < 50; round++) {
        enum { HOSTS = 5 };
        double rate[HOSTS * HOSTS], cap[2 * HOSTS], last = 0;
        const plani_meetings_t m = {.hosts = HOSTS, .rate = rate, .slowest = rate};
        int site[HOSTS], pair[HOSTS * HOSTS], expected = 0;
        bool listed[HOSTS * HOSTS] = {false};
        for (int i = 0; i < HOSTS * HOSTS; i++) rate[i] = uniform(&seed) < 0.3 ? 0 : uniform(&seed);
        for (int i = 0; i < 2 * HOSTS; i++) cap[i] = 0.5 + 0.5 * uniform(&seed);
        for (int h = 0; h < HOSTS; h++) site[h] = uniform(&seed) < 0.3;
        int n = plani_doubtful(&m, site, cap, pair);
        for (int i = 0; i < n; i++) {
            int u = pair[i] / HOSTS, v = pair[i] % HOSTS;
            double part = rate[pair[i]] / fmin(cap[2 * u], cap[2 * v + 1]);
            CU_ASSERT(!listed[pair[i]] && part >= last && part < 0.9);
            listed[pair[i]] = true, last = part;
        }
        for (int u = 0; u < HOSTS; u++)
            for (int v = 0; v < HOSTS; v++)
                expected += u != v && site[u] == site[v] && rate[u * HOSTS + v] > 0 &&
                            rate[u * HOSTS + v] < 0.9 * fmin(cap[2 * u], cap[2 * v + 1]);
        CU_ASSERT_EQUAL(n, expected);
    }
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

    CU_ASSERT_EQUAL(plani_areas(4, NULL, 0, racks, scratch, iscratch, area), 2);
    CU_ASSERT_TRUE(area[0] == 0 && area[1] == 0 && area[2] == 1 && area[3] == 1);
    CU_ASSERT_EQUAL(plani_areas(3, NULL, 0, equal, scratch, iscratch, area), 1);
}

/* Racks of 20 and 30 MB/s in one place, of 40 and 50 in the other; 10 and 15 MB/s between the places. */
static void racks_of_a_slow_place_are_an_area_too(void)
{
    double a = 20e6, b = 40e6, ab = 10e6, ba = 15e6, scratch[16];
    double racks[] = {INFINITY, ab, a, ab, ba, INFINITY, ba, b, a, ab, INFINITY, ab, ba, b, ba, INFINITY};
    int area[4], iscratch[8];

    CU_ASSERT_EQUAL(plani_areas(4, NULL, 0, racks, scratch, iscratch, area), 2);
    CU_ASSERT_TRUE(area[0] == 0 && area[1] == 1 && area[2] == 0 && area[3] == 1);
}

static void pairs_of_a_round_are_all_of_it_in_turn(void)
{
    for (int n = 2; n < 10; n++)
        for (int round = 0; round < plani_rounds(n); round++) {
            bool seen[10] = {false};
            for (int nth = 0; nth < n / 2; nth++) {
                int low = -1, high = -1, next_low, next_high;
                plani_pair(n, round, nth, &low, &high);
                CU_ASSERT_TRUE(low < high && high == plani_partner(n, round, low) && !seen[low] && !seen[high]);
                plani_pair(n, round, nth + n / 2, &next_low, &next_high); /* round and round */
                CU_ASSERT_TRUE(next_low == low && next_high == high);
                seen[low] = seen[high] = true;
            }
        }
}

/* Sites behind trunks, some of them behind a further one together. */
typedef struct {
    int sites, area[8];
    double out[8], in[8], area_out[3], area_in[3]; /* [B/s]; no limit: INFINITY */
} nested_t;

/* Does a flow from site u to site v pass resource r: out and in of sites, then of areas? Its rate in *rate. */
static bool passes(const nested_t *c, int r, int u, int v, double *rate)
{
    int group = (r % 16) / 2, at_u = r < 16 ? u : c->area[u], at_v = r < 16 ? v : c->area[v];
    const double *out = r < 16 ? c->out : c->area_out, *in = r < 16 ? c->in : c->area_in;

    *rate = r % 2 ? in[group] : out[group];
    return at_u != at_v && (r % 2 ? at_v : at_u) == group;
}

/* Oracle: max-min fair rates of flows. The resource with the least for each of those that are not yet fixed fixes them.
 */
static void share_fairly(const nested_t *c, int n, const int *u, const int *v, double *rate)
{
    enum { RESOURCES = 22 };
    bool fixed[8] = {0};

    for (int done = 0; done < n;) {
        int narrowest = 0;
        double least = INFINITY, most;
        for (int r = 0; r < RESOURCES; r++) {
            double left = 0, open = 0;
            for (int i = 0; i < n; i++)
                if (passes(c, r, u[i], v[i], &most)) open += !fixed[i], left -= fixed[i] ? rate[i] : 0;
            passes(c, r, 0, 0, &most);
            if (open > 0 && (left + most) / open < least) least = (left + most) / open, narrowest = r;
        }
        for (int i = 0; i < n; i++)
            if (!fixed[i] && passes(c, narrowest, u[i], v[i], &most)) fixed[i] = true, rate[i] = least, done++;
    }
}

/* Flows of all rounds as the engine runs them, two at a time; 3% of noise. */
static void meet_two_by_two(const nested_t *c, bool turned, uint64_t *seed, double *rate)
{
    for (int k = 0; k < plani_meeting_steps(c->sites, 2); k++) {
        int n = 0, u[2], v[2];
        double got[2];
        for (int nth = 0; nth < c->sites / 2; nth++) {
            int from, to;
            if (plani_meets(c->sites, 2, turned, k, nth, &from, &to)) u[n] = from, v[n++] = to;
        }
        share_fairly(c, n, u, v, got);
        for (int i = 0; i < n; i++) rate[u[i] * c->sites + v[i]] = got[i] * (1 + 0.06 * (uniform(seed) - 0.5));
    }
}

/* Areas as the flows show them. */
static int areas_of(const nested_t *c, uint64_t *seed, int *area)
{
    double straight[64] = {0}, turned[64] = {0}, scratch[64];
    plani_met_t met[128];
    int iscratch[16];

    meet_two_by_two(c, false, seed, straight);
    meet_two_by_two(c, true, seed, turned);
    size_t n = plani_who_met(c->sites, straight, turned, met);
    CU_ASSERT_TRUE(n <= 2 * (size_t)(c->sites * c->sites));
    return plani_areas(c->sites, met, n, straight, scratch, iscratch, area);
}

/* Draws who belongs together: areas of two sites at least, numbered by their first. Returns how many. */
static int draw_areas(nested_t *c, uint64_t *seed)
{
    for (;;) {
        int areas = 0, members[3] = {0};
        bool pairs = true;
        for (int i = 0; i < c->sites; i++) {
            int a = (int)(uniform(seed) * (areas < 3 ? areas + 1 : 3));
            c->area[i] = a, areas += a == areas, members[a]++;
        }
        for (int a = 0; a < areas; a++) pairs = pairs && members[a] > 1;
        if (pairs && areas > 1) return areas;
    }
}

/* However fast the sites of each: no rate of one flow tells who belongs together. */
static void flows_that_met_tell_areas_of_unequal_sites(void)
{
    uint64_t seed = 5;

    for (int times = 0; times < 300; times++) {
        nested_t c = {.sites = 4 + times % 2}; /* of six or seven not all meet: some areas stay together */
        int area[8], areas = draw_areas(&c, &seed);
        for (int i = 0; i < c.sites; i++)
            c.out[i] = 15e6 * (1 + 3 * uniform(&seed)), c.in[i] = 15e6 * (1 + 3 * uniform(&seed));
        for (int a = 0; a < areas; a++)
            c.area_out[a] = 8e6 * (1 + uniform(&seed)), c.area_in[a] = 8e6 * (1 + uniform(&seed));
        CU_ASSERT_EQUAL(areas_of(&c, &seed, area), areas);
        for (int i = 0; i < c.sites; i++) CU_ASSERT_EQUAL(area[i], c.area[i]);
    }
}

/* Each flow that shares one loses an eighth. */
static void trunks_hardly_narrower_than_their_sites_tell_areas(void)
{
    uint64_t seed = 11;

    for (int times = 0; times < 300; times++) {
        nested_t c = {.sites = 4, .area = {0, 1, 1, 0}};
        int area[8];
        for (int i = 0; i < c.sites; i++) c.out[i] = c.in[i] = 20e6;
        for (int a = 0; a < 2; a++) c.area_out[a] = c.area_in[a] = 35e6;
        CU_ASSERT_EQUAL_FATAL(areas_of(&c, &seed, area), 2);
        CU_ASSERT_TRUE(area[0] == 0 && area[1] == 1 && area[2] == 1 && area[3] == 0);
    }
}

static void sites_without_a_further_trunk_are_no_areas(void)
{
    uint64_t seed = 7;

    for (int times = 0; times < 200; times++) {
        nested_t c = {.sites = 4 + times % 3};
        int area[8];
        for (int i = 0; i < c.sites; i++)
            c.area[i] = i % 2, c.out[i] = 3e6 * (1 + 9 * uniform(&seed)), c.in[i] = 3e6 * (1 + 9 * uniform(&seed));
        for (int a = 0; a < 3; a++) c.area_out[a] = c.area_in[a] = INFINITY;
        CU_ASSERT_EQUAL(areas_of(&c, &seed, area), 1);
    }
}

/* Two sites of 40 MB/s with 12 MB/s between them; host 0 gets 6 everywhere, and may be in either. */
static void a_host_slower_than_the_boundary_becomes_a_site_of_its_own(void)
{
    enum { N = 6 };
    double rate[N * N], out[N], in[N];
    int site[N] = {0, 0, 0, 1, 1, 1}, scratch[N];
    plani_meetings_t m = {N, rate, rate, NULL, 0};

    for (int i = 0; i < N * N; i++)
        rate[i] = i / N == i % N ? 0 : i / N == 0 || i % N == 0 ? 6e6 : (i / N < 3) == (i % N < 3) ? 40e6 : 12e6;
    plani_card_rates(&m, out, in);
    CU_ASSERT_EQUAL(plani_part_slow(&m, out, in, 2, 8, scratch, site), 3);
    CU_ASSERT_TRUE(site[0] == 0 && site[1] == 1 && site[2] == 1 && site[3] == 2);
    for (int h = 0; h < N; h++) site[h] = h / 3;
    CU_ASSERT_EQUAL(plani_part_slow(&m, out, in, 2, 2, scratch, site), 2); /* no more */
    rate[0 * N + 1] = out[0] = 30e6; /* its flows inside are faster than the boundary */
    CU_ASSERT_EQUAL(plani_part_slow(&m, out, in, 2, 8, scratch, site), 2);
    int one[N] = {0}; /* a slow host, and no other site */
    rate[0 * N + 1] = out[0] = 6e6;
    CU_ASSERT_EQUAL(plani_part_slow(&m, out, in, 1, 8, scratch, one), 1);
}

/* A server and two peers of 15 MB/s in and 4 out, beside a site of two. When all exchanged, late acknowledgements left
 * flows to the peers 4.6: so slow in both directions, each seemed a site of its own. Alone they get 15. */
static void a_host_that_is_fast_alone_goes_back(void)
{
    enum { N = 5, SITES = 4 };
    static const double rate[N * N] = {0,     4.6e6, 4.6e6, 6.9e6, 6.6e6, 3.9e6, 0,     3.9e6, 3.9e6,
                                       3.9e6, 3.9e6, 3.9e6, 0,     3.9e6, 3.9e6, 5.6e6, 2.5e6, 2.5e6,
                                       0,     5.9e6, 5.6e6, 2.5e6, 2.5e6, 5.9e6, 0};
    static const int whole[N] = {0, 0, 0, 1, 1};
    int site[N] = {0, 0, 0, 1, 1}, scratch[N], label[SITES];
    double out[N], in[N];
    plani_meetings_t m = {N, rate, rate, NULL, 0};

    plani_card_rates(&m, out, in);
    CU_ASSERT_EQUAL_FATAL(plani_part_slow(&m, out, in, 2, 8, scratch, site), SITES);
    CU_ASSERT_TRUE(site[0] == 0 && site[1] == 1 && site[2] == 2 && site[3] == 3 && site[4] == 3);
    CU_ASSERT_EQUAL(plani_rejoin_slow(&m, out, in, whole, site, SITES, scratch, label), SITES); /* nothing new */
    in[1] = 15e6;                                                                               /* one of them */
    CU_ASSERT_EQUAL(plani_rejoin_slow(&m, out, in, whole, site, SITES, scratch, label), 3);
    CU_ASSERT_TRUE(label[0] == 0 && label[1] == 0 && label[2] == 1 && label[3] == 2);
    in[2] = 15e6;
    CU_ASSERT_EQUAL(plani_rejoin_slow(&m, out, in, whole, site, SITES, scratch, label), 2);
    CU_ASSERT_TRUE(label[0] == 0 && label[1] == 0 && label[2] == 0 && label[3] == 1);
}

/* 12 MB/s fill the boundary: 6 more are added from inside, none from outside. */
static void a_flow_that_adds_nothing_crosses_the_boundary(void)
{
    CU_ASSERT_TRUE(plani_crosses(12e6, 12.3e6, 6e6));
    CU_ASSERT_FALSE(plani_crosses(12e6, 17.8e6, 6e6));
    CU_ASSERT_FALSE(plani_crosses(7e6, 11e6, 6e6));    /* there was room */
    CU_ASSERT_FALSE(plani_crosses(12e6, 12e6, 0.5e6)); /* too little to be seen */
}

/* Latencies [us] between hosts 0, 1 of one site, 2, 3 of its rack, 4, 5 of another site; 4 and 5 did not meet. */
static void sites_far_from_each_other_are_not_one(void)
{
    enum { N = 6, SITES = 3 };
    static const double l[N][N] = {{0, 40, 90, 90, 2000, 2100},    {40, 0, 90, 90, 2000, 2000},
                                   {90, 90, 0, 40, 2000, 2000},    {90, 90, 40, 0, 2000, 2000},
                                   {2000, 2000, 2000, 2000, 0, 0}, {2100, 2000, 2000, 2000, 0, 0}};
    static const int site[N] = {0, 0, 1, 1, 2, 2};
    double latency[N * N], between[SITES * SITES];
    plani_meetings_t m = {N, NULL, NULL, latency, 0};

    for (int i = 0; i < N * N; i++) latency[i] = 1e-6 * l[i / N][i % N];
    plani_site_latencies(&m, site, SITES, between);
    CU_ASSERT_DOUBLE_EQUAL(between[0], 40e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(between[1], 90e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(between[2 * SITES + 1], 2000e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(between[2 * SITES + 2], 2000e-6, 1e-12);
    CU_ASSERT_TRUE(plani_far_apart(SITES, between, 0, 0, 1));
    CU_ASSERT_FALSE(plani_far_apart(SITES, between, 10e-6, 0, 1)); /* within the noise */
    CU_ASSERT_FALSE(plani_far_apart(SITES, between, 0, 0, 2));     /* site 2 is as far from everybody */
    double unknown[4] = {40e-6, 0, 0, 40e-6};
    CU_ASSERT_FALSE(plani_far_apart(2, unknown, 0, 0, 1));
}

/* Host 0 beside a rack of hosts 1 and 2, and host 3 far away: to the rack host 0 is far, though near it has nothing
 * nearer. Hosts 0 and 3 are both alone. */
static void one_host_is_no_measure_of_what_is_far(void)
{
    enum { N = 4, SITES = 3 };
    static const double l[N][N] = {{0, 44, 44, 200}, {44, 0, 23, 230}, {44, 23, 0, 230}, {200, 230, 230, 0}};
    static const int site[N] = {0, 1, 1, 2};
    double latency[N * N], between[SITES * SITES];
    plani_meetings_t m = {N, NULL, NULL, latency, 0};

    for (int i = 0; i < N * N; i++) latency[i] = 1e-6 * l[i / N][i % N];
    plani_site_latencies(&m, site, SITES, between);
    CU_ASSERT_DOUBLE_EQUAL(between[0], -44e-6, 1e-12);
    CU_ASSERT_TRUE(plani_far_apart(SITES, between, 0, 0, 1));
    CU_ASSERT_TRUE(plani_far_apart(SITES, between, 0, 1, 0));
    CU_ASSERT_FALSE(plani_far_apart(SITES, between, 0, 0, 2)); /* host 3 has nobody nearer */
}

/* Racks 0 and 2 in one place, 1 and 4 in another, 3 by itself. */
static void near_racks_are_an_area_by_latency(void)
{
    enum { N = 5 };
    static const int place[N] = {0, 1, 0, 2, 1};
    double latency[N * N], scratch[N * N];
    int area[N], iscratch[2 * N];

    for (int i = 0; i < N * N; i++) latency[i] = place[i / N] == place[i % N] ? 1e-4 : 2e-4;
    CU_ASSERT_EQUAL(plani_areas_by_latency(N, latency, 0, scratch, iscratch, area), 3);
    for (int i = 0; i < N; i++) CU_ASSERT_EQUAL(area[i], place[i]);
    CU_ASSERT_EQUAL(plani_areas_by_latency(N, latency, 50e-6, scratch, iscratch, area), 1); /* noise */
    for (int i = 0; i < N * N; i++) latency[i] = 1e-4 + 1e-6 * (i % 3);
    CU_ASSERT_EQUAL(plani_areas_by_latency(N, latency, 0, scratch, iscratch, area), 1);
}

/* Two racks of four hosts at 100 MB/s behind trunks of 200, one of them measured, and a slow site of four. */
static void trunks_that_were_not_measured_are_guessed(void)
{
    enum { N = 4 };
    static const plani_way_seen_t seen[N] = {
        {.alone = 100e6, .cards = 400e6, .hosts = 4, .rate = 200e6, .measured = true},
        {.alone = 95e6, .cards = 400e6, .hosts = 4},
        {.alone = 20e6, .cards = 400e6, .hosts = 4},
        {.alone = 100e6, .cards = 200e6, .hosts = 2}};
    plani_way_seen_t t[N];

    CU_ASSERT_EQUAL(plani_guess_trunk(seen, N, 1), 200e6); /* like the first */
    CU_ASSERT_EQUAL(plani_guess_trunk(seen, N, 2), 20e6);  /* like none */
    CU_ASSERT_EQUAL(plani_guess_trunk(seen, N, 3), 100e6); /* of another size */
    memcpy(t, seen, sizeof t);
    t[0].rate = 0; /* no limit was seen, so the other rack has none either */
    CU_ASSERT_EQUAL(plani_guess_trunk(t, N, 1), 0);
    t[0].measured = false;
    CU_ASSERT_EQUAL(plani_guess_trunk(t, N, 1), 95e6);
    t[2].cards = 20e6; /* as fast as the cards behind it: it limits nothing */
    CU_ASSERT_EQUAL(plani_guess_trunk(t, N, 2), 0);
    t[3].alone = 0; /* nothing is known */
    CU_ASSERT_EQUAL(plani_guess_trunk(t, N, 3), 0);
}

static void slow_trunks_of_each_kind_are_measured_first(void)
{
    enum { N = 7 };
    static const plani_way_seen_t seen[N] = {
        {.alone = 100e6, .cards = 400e6, .hosts = 4}, {.alone = 100e6, .cards = 400e6, .hosts = 4},
        {.alone = 20e6, .cards = 400e6, .hosts = 4},  {.alone = 98e6, .cards = 400e6, .hosts = 4},
        {.alone = 98e6, .cards = 200e6, .hosts = 2},  {.alone = 20e6, .cards = 400e6, .hosts = 4},
        {.alone = 60e6, .cards = 400e6, .hosts = 4}};
    static const int wanted[N] = {2, 6, 3, 4, 5, 0, 1};
    int order[N];

    plani_order_trunks(seen, N, order);
    for (int i = 0; i < N; i++) CU_ASSERT_EQUAL(order[i], wanted[i]);
}

SUITE_MAIN("measuring: sites, without ranks", TEST(values_group_within_tolerance),
           TEST(values_of_any_order_group_alike), TEST(clusters_equal_those_of_the_definition),
           TEST(unknown_distances_count_for_nothing), TEST(a_card_is_as_fast_as_its_fastest_flow),
           TEST(a_flow_seen_one_way_counts), TEST(a_host_that_loses_to_most_of_its_site_leaves),
           TEST(the_slowest_meeting_tells_of_trunks), TEST(a_server_beside_a_rack_is_a_site_of_its_own),
           TEST(one_switch_is_one_site), TEST(fast_and_slow_cards_on_one_switch_are_one_site),
           TEST(thin_trunks_part_the_sites), TEST(a_trunk_fatter_than_a_card_parts_the_sites),
           TEST(a_site_of_two_hosts_is_one), TEST(hosts_go_where_they_are_near_to_most),
           TEST(distant_hosts_are_another_site_even_at_full_rate),
           TEST(every_flow_that_got_less_than_its_cards_is_looked_at_again),
           TEST(doubtful_flows_are_those_below_their_cards_least_first),
           TEST(split_sites_merge_unless_a_boundary_was_seen), TEST(racks_of_one_place_are_an_area),
           TEST(racks_of_a_slow_place_are_an_area_too), TEST(pairs_of_a_round_are_all_of_it_in_turn),
           TEST(flows_that_met_tell_areas_of_unequal_sites), TEST(trunks_hardly_narrower_than_their_sites_tell_areas),
           TEST(sites_without_a_further_trunk_are_no_areas),
           TEST(a_host_slower_than_the_boundary_becomes_a_site_of_its_own), TEST(a_host_that_is_fast_alone_goes_back),
           TEST(a_flow_that_adds_nothing_crosses_the_boundary), TEST(sites_far_from_each_other_are_not_one),
           TEST(one_host_is_no_measure_of_what_is_far), TEST(near_racks_are_an_area_by_latency),
           TEST(trunks_that_were_not_measured_are_guessed), TEST(slow_trunks_of_each_kind_are_measured_first))
