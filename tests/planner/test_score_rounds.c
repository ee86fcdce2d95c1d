/* The makespan of schedules of rounds: closed forms on equal links, resources, and the sum over all rounds. */
#include "graphs/trees/rounds.h"
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include "planner/plan/rounds.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <string.h>

enum { MOST = 64 };

/* Complete, T(L) = 1e-5 + L 1e-8 s, 2e-6 s in flight; with a resource over all links if s_per_byte > 0. */
static plan_platform_t *equal_with(int ranks, double s_per_byte, double burst)
{
    static plan_link_t link[MOST * MOST];
    static size_t all[MOST * MOST];
    plan_platform_t *pf = NULL;
    size_t n = 0;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++) {
            if (u == v) continue;
            all[n] = n;
            link[n++] = (plan_link_t){u, v, 1e-5, 1e-8, 2e-6, -1};
        }
    plan_resource_t wire = {.name = "wire", .s_per_byte = s_per_byte, .burst_bytes = burst, .nlinks = n, .link = all};
    plan_platform_data_t d = {
        .size = sizeof d, .ranks = ranks, .nlinks = n, .link = link, .nresources = s_per_byte > 0, .resource = &wire};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static plan_platform_t *equal(int ranks, double s_per_byte)
{
    return equal_with(ranks, s_per_byte, 0);
}

static const int *in_order(void)
{
    static int order[MOST];
    for (int v = 0; v < MOST; v++) order[v] = v;
    return order;
}

static double score(const plan_platform_t *pf, plan_schedule_kind_t kind, size_t bytes, size_t slice)
{
    double s = NAN;
    CU_ASSERT_EQUAL(plani_score_rounds(pf, kind, in_order(), bytes, slice, &s), PLAN_OK);
    return s;
}

static double link_time(double bytes)
{
    return 1e-5 + 2e-6 + bytes * 1e-8;
}

static void on_equal_links_every_round_takes_a_block(void)
{
    for (int p = 2; p <= MOST; p++) {
        plan_platform_t *pf = equal(p, 0);
        int q = (int)ceil(log2(p));
        for (size_t n = 1; n <= 5000; n = 3 * n + 2) {
            double t = (double)(n - 1 + (size_t)q) * link_time(700);
            CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_CIRCULANT, 700 * n, 700), t, 1e-12 * t);
        }
        CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_CIRCULANT, 12345, 0), q * link_time(12345), 1e-12);
        if (p == 1 << q) {
            double scatter = 0, doubling = 0;
            for (int k = 0; k < q; k++) scatter += link_time(100.0 * (1 << k));
            for (int k = 0; k < q; k++) doubling += link_time(100.0 * (1 << k));
            double ring = (p - 1) * link_time(100);
            CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_SCATTER_RING, 100 * (size_t)p, 0), scatter + ring, 1e-12);
            CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_SCATTER_DOUBLING, 100 * (size_t)p, 0), scatter + doubling, 1e-12);
        }
        plan_platform_destroy(&pf);
    }
}

/* All p - 1 places receive every byte once, whatever the schedule: a wire that all share is held for so long, but for
 * what passes as a burst. */
static void a_shared_wire_carries_every_byte_once_per_place(void)
{
    for (int p = 2; p <= 33; p += 3)
        for (int i = 0; i < 2 * PLAN_SCHEDULES; i++) {
            int kind = i / 2;
            double burst = i % 2 ? 1500 : 0;
            plan_platform_t *pf = equal_with(p, 1e-3, burst); /* so slow that nothing else counts */
            size_t bytes = 997 * (size_t)p;
            double t = score(pf, (plan_schedule_kind_t)kind, bytes, 997);
            double least = ((double)bytes * (p - 1) - burst) * 1e-3;
            CU_ASSERT(t >= least * (1 - 1e-12));
            CU_ASSERT(t <= least + 2e-6 * 100); /* flights, of fewer than 100 rounds */
            plan_platform_destroy(&pf);
        }
}

/* Two ranks: n blocks one behind the other over one link behind a wire. A round lasts until the wire is through and
 * the block has flown; what the wire had saved up passes at once, as fast as the link lets it. */
static void a_burst_passes_while_blocks_fly(void)
{
    const double s_per_byte = 1e-6; /* a hundred times the link's */
    for (int n = 1; n <= 5000; n = 3 * n + 1)
        for (double burst = 0; burst < 4000; burst += 1300) {
            plan_platform_t *pf = equal_with(2, s_per_byte, burst);
            double each = 700 * s_per_byte + 2e-6;
            double t = fmax(n * each - burst * s_per_byte, n * link_time(700));
            CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_CIRCULANT, 700 * (size_t)n, 700), t, 1e-12 * t);
            plan_platform_destroy(&pf);
        }
}

/* Groups of rounds cost what the rounds cost: all rounds one by one, on a platform where every link differs. */
static void groups_cost_what_their_rounds_cost(void)
{
    uint64_t state = 5;
    for (int p = 2; p <= 24; p++) {
        plan_platform_t *pf =
            sample_platform(&(sample_t){.ranks = p, .density = 1, .resources = 3, .seed = (uint64_t)p});
        const plan_platform_data_t *d = plan_platform_data(pf);
        for (int kind = 0; kind < PLAN_SCHEDULES; kind++) {
            size_t slice = 1 + (size_t)sample_below(&state, 100);
            size_t n = kind == PLAN_CIRCULANT ? 1 + (size_t)sample_below(&state, 90) : (size_t)p, bytes = n * slice;
            plani_schedule_t part[24];
            double sum = 0;
            for (int v = 0; v < p; v++) plani_schedule_init((plan_schedule_kind_t)kind, p, v, &part[v]);
            for (size_t k = 0; k < plani_schedule_rounds(&part[0], n); k++) {
                double longest = 0, load[3] = {0};
                for (int v = 0; v < p; v++) {
                    plani_blocks_t out = plani_schedule_round(&part[v], n, k).out;
                    if (out.count == 0) continue;
                    size_t l = plan_platform_find_link(pf, v, out.place);
                    longest = fmax(longest, plan_link_cost(&d->link[l], (double)(out.count * slice)));
                    for (size_t i = d->use_first[l]; i < d->use_first[l + 1]; i++)
                        load[d->use[i]] += plan_resource_cost(&d->resource[d->use[i]], (double)(out.count * slice));
                }
                for (int i = 0; i < 3; i++) longest = fmax(longest, load[i]);
                sum += longest;
            }
            CU_ASSERT_DOUBLE_EQUAL(score(pf, (plan_schedule_kind_t)kind, bytes, slice), sum, 1e-9 * sum);
        }
        plan_platform_destroy(&pf);
    }
}

/* Ports, links and resources held by all rounds, one by one. */
static void what_is_held_longest_holds_the_rounds_up(void)
{
    uint64_t state = 9;
    int links = 0;
    for (int p = 2; p <= 24; p++)
        for (int kind = 0; kind < PLAN_SCHEDULES; kind++) {
            const sample_t sample = {
                .ranks = p, .density = 1, .resources = p % 4, .multiport = p % 3 == 0, .seed = (uint64_t)p};
            plan_platform_t *pf = sample_platform(&sample);
            const plan_platform_data_t *d = plan_platform_data(pf);
            plani_rounds_t *rounds = NULL;
            double held[4][24 * 24] = {{0}}, most = 0;
            size_t slice = 1 + (size_t)sample_below(&state, 100), all = (size_t)p * slice;
            CU_ASSERT_EQUAL_FATAL(plani_rounds_create(pf, (plan_schedule_kind_t)kind, in_order(), NULL, &rounds),
                                  PLAN_OK);
            for (int v = 0; v < p; v++) {
                plani_schedule_t part;
                plani_schedule_init((plan_schedule_kind_t)kind, p, v, &part);
                for (size_t k = 0; k < plani_schedule_rounds(&part, (size_t)p); k++) {
                    plani_blocks_t out = plani_schedule_round(&part, (size_t)p, k).out;
                    double bytes = (double)(out.count * slice);
                    if (out.count == 0) continue;
                    size_t l = plan_platform_find_link(pf, v, out.place);
                    held[0][v] += sample.multiport ? d->send_s[v] : plan_link_cost(&d->link[l], bytes);
                    if (!sample.multiport) held[1][out.place] += plan_link_cost(&d->link[l], bytes);
                    if (sample.multiport) held[3][l] += plan_link_cost(&d->link[l], bytes);
                    for (size_t i = d->use_first[l]; i < d->use_first[l + 1]; i++)
                        held[2][d->use[i]] += plan_resource_cost(&d->resource[d->use[i]], bytes);
                }
            }
            for (int at = 0; at < 4; at++)
                for (int i = 0; i < p * p; i++) most = fmax(most, held[at][i]);
            plan_bottleneck_t b = plani_rounds_bottleneck(rounds, all, slice);
            int at = b.at == PLAN_AT_SEND_PORT ? 0 : b.at == PLAN_AT_RECV_PORT ? 1 : b.at == PLAN_AT_RESOURCE ? 2 : 3;
            links += b.at == PLAN_AT_LINK;
            CU_ASSERT_DOUBLE_EQUAL(b.seconds * p, most, 1e-9 * most);
            CU_ASSERT_DOUBLE_EQUAL(held[at][b.index], most, 1e-9 * most);
            CU_ASSERT(p * b.seconds <= score(pf, (plan_schedule_kind_t)kind, all, slice) * (1 + 1e-9));
            plani_rounds_destroy(&rounds);
            plan_platform_destroy(&pf);
        }
    CU_ASSERT(links > 0);
}

static void what_cannot_be_scored_is_refused(void)
{
    plan_platform_t *pf = equal(3, 0), *one = equal(1, 0), *path = NULL;
    const plan_link_t link[] = {{0, 1, 1, 1, 0, -1}, {1, 2, 1, 1, 0, -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 2, .link = link};
    const int twice[] = {0, 1, 1}, none[] = {0, 1, 3};
    double s = 7;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &path, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, twice, 10, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, none, 10, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_SCHEDULES, in_order(), 10, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_rounds(pf, PLAN_CIRCULANT, NULL, 10, 0, &s), PLAN_EINVAL);
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++)
        CU_ASSERT_EQUAL(plani_score_rounds(path, (plan_schedule_kind_t)kind, in_order(), 10, 0, &s), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(s, 7);
    CU_ASSERT_EQUAL(score(pf, PLAN_SCATTER_RING, 0, 0), 0);
    CU_ASSERT_EQUAL(score(one, PLAN_CIRCULANT, 1000, 10), 0);
    ALLOC_EACH(plani_score_rounds(pf, PLAN_CIRCULANT, in_order(), 10, 0, &s), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_platform_destroy(&pf);
    plan_platform_destroy(&one);
    plan_platform_destroy(&path);
}

SUITE_MAIN("score rounds", TEST(on_equal_links_every_round_takes_a_block),
           TEST(a_shared_wire_carries_every_byte_once_per_place), TEST(a_burst_passes_while_blocks_fly),
           TEST(groups_cost_what_their_rounds_cost), TEST(what_is_held_longest_holds_the_rounds_up),
           TEST(what_cannot_be_scored_is_refused))
