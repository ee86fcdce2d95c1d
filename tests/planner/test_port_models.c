/* One port for both ways, and overheads of receiving: against the enumeration of all trees, a program written down row
 * by row, and closed forms. */
#include "suite.h"
#include "alloc.h"
#include "graphs/platform/transpose.h"
#include "lp/program.h"
#include "oracle/tree_packing.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include <string.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <planbcast/plan.h>
#include <planbcast/steady.h>
#include "planner/algorithms/search/prove.h"
#include "planner/schedule/periodic.h"
#include "planner/cost/cost.h"
#include "planner/simulate/simulation.h"
#include "planner/taulop/score.h"

enum { MOST = 6, SLICE = 2 };

/* The platform of a sample, with turns at one port, or with receivers that are busy. */
static plan_platform_t *variant(const sample_t *s, bool one_way)
{
    uint64_t state = s->seed + 99;
    double receive[MOST];
    sample_t given = *s;
    given.multiport = !one_way;
    plan_platform_t *from = sample_platform(&given), *pf = NULL;
    plan_platform_data_t d = *plan_platform_data(from);
    for (int r = 0; r < d.ranks; r++) receive[r] = 0.25 * sample_below(&state, 16);
    if (one_way)
        d.ports = PLAN_PORTS_ONE_WAY;
    else
        d.receive_s = receive;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_platform_destroy(&from);
    return pf;
}

static sample_t nth(uint64_t seed)
{
    return (sample_t){.ranks = 2 + (int)(seed % 4),
                      .density = seed % 3 == 0 ? 2 : 0.5,
                      .costs = seed % 4 == 0 ? 3 : 0,
                      .resources = (int)(seed % 3),
                      .seed = seed};
}

static bool near(double a, double b, double by)
{
    return fabs(a - b) <= by * fabs(b);
}

/* The bound: for each rank, what it sends and receives; each link; each resource. */
static double bound_by_hand(const plan_platform_data_t *d, int root)
{
    enum { LINKS = MOST * MOST, ROWS = LINKS + 2 * MOST };
    int from[LINKS], to[LINKS];
    size_t first[ROWS + 1] = {0}, link[ROWS * LINKS], rows = 0, n = 0, trees = 0;
    double cost[LINKS], port[LINKS] = {0}, entry[ROWS * LINKS];
    bool turns = d->ports == PLAN_PORTS_ONE_WAY;
    for (size_t l = 0; l < d->nlinks; l++) {
        from[l] = d->link[l].from, to[l] = d->link[l].to;
        cost[l] = d->link[l].latency_s + SLICE * d->link[l].s_per_byte;
        link[n] = l, entry[n++] = cost[l];
        first[++rows] = n;
    }
    for (int u = 0; u < d->ranks; u++) {
        for (size_t l = 0; l < d->nlinks; l++) {
            double held = from[l] == u && to[l] != root ? (turns ? cost[l] : d->send_s[u])
                          : to[l] == u && u != root     ? (turns ? cost[l] : d->receive_s[u])
                                                        : 0;
            if (held > 0) link[n] = l, entry[n++] = held;
        }
        first[++rows] = n;
    }
    for (size_t i = 0; i < d->nresources; i++) {
        for (size_t k = 0; k < d->resource[i].nlinks; k++, n++) {
            link[n] = d->resource[i].link[k];
            entry[n] = d->resource[i].s_per_message + SLICE * d->resource[i].s_per_byte;
        }
        first[++rows] = n;
    }
    const plani_steady_problem_t p = {.ranks = d->ranks,
                                      .root = root,
                                      .nlinks = d->nlinks,
                                      .from = from,
                                      .to = to,
                                      .cost = cost,
                                      .port = port,
                                      .nresources = rows,
                                      .resource_first = first,
                                      .resource_link = link,
                                      .entry_cost = entry};
    return oracle_tree_packing(&p, &trees);
}

/* The bound, the best tree, and the proof that it is. */
static void bound_and_best_tree_are_those_of_all_trees(void)
{
    int wrong = 0, equal = 0, all = 0;
    for (uint64_t seed = 1; seed <= 240; seed++) {
        sample_t s = nth(seed);
        plan_platform_t *pf = variant(&s, seed % 2 == 0);
        const plan_platform_data_t *d = plan_platform_data(pf);
        int root = (int)(seed / 7 % (uint64_t)s.ranks);
        const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8, .pack_trees = true};
        plan_steady_t *bound = NULL;
        plan_tree_t *t = NULL;
        plani_proved_t proved;
        double tp = 0, least = by_hand_best_period(d, root, SLICE);
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, root, SLICE, &o, &bound, NULL), PLAN_OK);
        wrong += !near(plan_steady_data(bound)->throughput, bound_by_hand(d, root), 1e-7);
        CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("best-tree", pf, root, SLICE, 0, NULL, &t, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, SLICE, &tp, NULL), PLAN_OK);
        wrong += !near(1 / tp, by_hand_period(d, plan_tree_data(t)->parent, SLICE), 1e-12);
        wrong += 1 / tp < least * (1 - 1e-12) || tp > plan_steady_data(bound)->upper * (1 + 1e-12);
        equal += near(1 / tp, least, 1e-12);
        all++;
        plan_tree_destroy(&t);
        CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("fef", pf, root, SLICE, 0, NULL, &t, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_prove_from(pf, t, SLICE, 60, &proved, NULL), PLAN_OK);
        wrong += !near(1 / proved.throughput, least, 2e-6) || proved.upper != proved.throughput;
        plan_tree_destroy(&proved.tree);
        plan_tree_destroy(&t);
        plan_steady_destroy(&bound);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(equal >= all * 99 / 100);
}

/* Every heuristic builds a tree, whose throughput is what its ports say; several trees stay below the bound. */
static void heuristics_and_several_trees_keep_to_the_bound(void)
{
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        sample_t s = {.ranks = MOST, .density = 0.7, .seed = seed};
        plan_platform_t *pf = variant(&s, seed % 2 == 0);
        const plan_platform_data_t *d = plan_platform_data(pf);
        const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8, .pack_trees = true};
        plan_steady_t *bound = NULL;
        plan_tree_t *tree[3] = {NULL};
        double share[3], tp = 0, one = 0;
        size_t n = 0;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, SLICE, &o, &bound, NULL), PLAN_OK);
        double most = plan_steady_data(bound)->upper * (1 + 1e-9);
        size_t heuristics = 0;
        const plan_heuristic_t *h = plan_heuristics(&heuristics);
        for (size_t i = 0; i < heuristics; i++) {
            plan_tree_t *t = NULL;
            plan_status_t rc = plan_heuristic_tree(h[i].name, pf, 0, SLICE, 0, plan_steady_data(bound)->rate, &t, NULL);
            if (rc == PLAN_EUNSUPPORTED) continue;
            CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
            CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, SLICE, &tp, NULL), PLAN_OK);
            wrong += !near(1 / tp, by_hand_period(d, plan_tree_data(t)->parent, SLICE), 1e-12) || tp > most;
            one = fmax(one, tp);
            plan_tree_destroy(&t);
        }
        CU_ASSERT_EQUAL_FATAL(plan_few_trees(pf, 0, SLICE, 3, bound, 1, 0, tree, share, &n, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plan_throughput(pf, n, tree, share, SLICE, &tp, NULL), PLAN_OK);
        wrong += tp > most || tp < one * (1 - 1e-9);
        while (n > 0) plan_tree_destroy(&tree[--n]);
        plan_steady_destroy(&bound);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Ranks 0 -> 1 -> 2 -> ... or 0 -> all, each link 1 s per byte, and back. */
static plan_platform_t *line(int ranks, bool star, plan_ports_t ports, double send, double receive)
{
    plan_link_t link[2 * MOST];
    double sends[MOST], receives[MOST];
    plan_platform_t *pf = NULL;
    size_t n = 0;
    for (int v = 1; v < ranks; v++) {
        link[n++] = (plan_link_t){star ? 0 : v - 1, v, 0, 1, 0, -1};
        link[n++] = (plan_link_t){v, star ? 0 : v - 1, 0, 1, 0, -1};
    }
    for (int v = 0; v < ranks; v++) sends[v] = send, receives[v] = receive;
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = ranks,
                                    .nlinks = n,
                                    .link = link,
                                    .ports = ports,
                                    .send_s = ports == PLAN_PORTS_MULTI ? sends : NULL,
                                    .receive_s = ports == PLAN_PORTS_MULTI ? receives : NULL};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* Throughput of the only tree and the bound, which is no more [s per slice of 1 B]; what is busiest. */
static plan_bottleneck_t period(plan_platform_t *pf, double *seconds)
{
    const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-9};
    plan_steady_t *bound = NULL;
    plan_tree_t *t = NULL;
    plan_bottleneck_t at = {.seconds = 0};
    double tp = 0;
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 1, &o, &bound, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("grow", pf, 0, 1, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_throughput(pf, 1, &t, NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(plan_steady_data(bound)->throughput / tp, 1, 1e-8);
    *seconds = 1 / tp;
    plan_tree_destroy(&t);
    plan_steady_destroy(&bound);
    plan_platform_destroy(&pf);
    return at;
}

/* A relay of a chain receives each slice and sends it on; the root of a star sends alone. */
static void chains_and_stars_take_their_closed_forms(void)
{
    double seconds = 0;
    plan_bottleneck_t at = period(line(5, false, PLAN_PORTS_ONE_WAY, 0, 0), &seconds);
    CU_ASSERT(seconds == 2 && at.at == PLAN_AT_PORT && at.index == 1 && at.seconds == 2);
    at = period(line(2, false, PLAN_PORTS_ONE_WAY, 0, 0), &seconds);
    CU_ASSERT(seconds == 1 && at.index == 0);
    at = period(line(5, true, PLAN_PORTS_ONE_WAY, 0, 0), &seconds);
    CU_ASSERT(seconds == 4 && at.at == PLAN_AT_PORT && at.index == 0);
    at = period(line(5, false, PLAN_PORTS_MULTI, 0.7, 0.4), &seconds);
    CU_ASSERT(fabs(seconds - 1.1) < 1e-15 && at.at == PLAN_AT_PORT && at.index == 1);
    at = period(line(5, false, PLAN_PORTS_MULTI, 0.6, 0.3), &seconds); /* the link is slower */
    CU_ASSERT(seconds == 1 && at.at == PLAN_AT_LINK);
    at = period(line(5, true, PLAN_PORTS_MULTI, 0.7, 0.4), &seconds); /* the root receives nothing */
    CU_ASSERT(fabs(seconds - 2.8) < 1e-15 && at.at == PLAN_AT_PORT && at.index == 0);
}

/* m slices down a chain: the first relay receives and sends each, 2 m s. The ranks behind it add a second each, of
 * which the stages count those that overlap with nothing. */
static void scores_count_what_relays_receive(void)
{
    plan_platform_t *pf = line(3, false, PLAN_PORTS_ONE_WAY, 0, 0);
    plan_platform_t *two = line(3, false, PLAN_PORTS_MULTI, 1, 1);
    plan_tree_t *t = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(3, (int[]){-1, 0, 1}, NULL, &t), PLAN_OK);
    for (size_t m = 1; m <= 40; m++) {
        plani_simulation_t *x = NULL;
        double stages = 0, same = 0, shared = 0, simulated = 0;
        CU_ASSERT_EQUAL(plani_score_taulop(pf, t, m, 1, 0, &stages), PLAN_OK);
        CU_ASSERT_EQUAL(plani_score_taulop(two, t, m, 1, 0, &same), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(stages, 2.0 * (double)m, 1e-12 * (double)m);
        CU_ASSERT_DOUBLE_EQUAL(same, stages, 1e-12 * (double)m);
        plan_tree_t *both[] = {t, t};
        CU_ASSERT_EQUAL(plani_score_trees(pf, 2, both, (double[]){1, 1}, 2 * m, 1, 0, &shared), PLAN_OK);
        CU_ASSERT(shared >= 4.0 * (double)m - 1 - 1e-9 && shared <= 4.0 * (double)m + 2);
        CU_ASSERT_EQUAL_FATAL(plani_simulation_create(pf, NULL, &x), PLAN_OK);
        CU_ASSERT_EQUAL(plani_simulate_trees(x, 1, &t, NULL, (plani_pipeline_t){m, 1, 1}, NULL, &simulated), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(simulated, 2.0 * (double)m, 1e-9 * (double)m);
        plani_simulation_destroy(&x);
    }
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&two);
}

/* Searches may find others, and where nothing is said of senders, the heuristics of several ports take 80% of a link.
 */
static bool same_trees(const plan_candidate_t *a, const plan_candidate_t *b)
{
    bool same = a->ntrees == b->ntrees && a->ntrees < 2;
    for (size_t t = 0; t < a->ntrees && same; t++) {
        const plan_tree_data_t *x = plan_tree_data(a->tree[t]), *y = plan_tree_data(b->tree[t]);
        same = memcmp(x->parent, y->parent, (size_t)x->ranks * sizeof *x->parent) == 0;
    }
    return same;
}

/* send_u = receive_v = T_uv: two words for one model, also for rankings of all candidates. */
static void turns_are_overheads_as_long_as_links(void)
{
    enum { RANKS = 8 };
    plan_link_t link[RANKS * RANKS];
    double whole[RANKS], zero[RANKS] = {0};
    plan_platform_t *pf[2] = {NULL, NULL};
    plan_ranking_t *r[2] = {NULL, NULL};
    size_t n = 0;
    for (int u = 0; u < RANKS; u++) {
        whole[u] = 1e-8;
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[n++] = (plan_link_t){u, v, 0, 1e-8, 0, -1};
    }
    plan_platform_data_t d = {.size = sizeof d, .ranks = RANKS, .nlinks = n, .link = link};
    d.ports = PLAN_PORTS_ONE_WAY;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf[0], NULL), PLAN_OK);
    d.ports = PLAN_PORTS_MULTI;
    d.send_s = d.receive_s = zero, d.send_s_per_byte = d.receive_s_per_byte = whole;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf[1], NULL), PLAN_OK);
    const plan_choice_t choice = {.size = sizeof choice, .model = "taulop", .slice = 1 << 16};
    for (int k = 0; k < 2; k++)
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf[k], 0, 1 << 22, &choice, &r[k], NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(r[0]->bound / r[1]->bound, 1, 1e-5);
    int compared = 0;
    for (size_t i = 0; i < r[0]->ncandidates; i++)
        for (size_t k = 0; k < r[1]->ncandidates; k++) {
            const plan_candidate_t *a = &r[0]->candidate[i], *b = &r[1]->candidate[k];
            if (strcmp(a->name, b->name) != 0 || a->slice != b->slice || a->window != b->window) continue;
            if (isnan(a->predicted_s) && isnan(b->predicted_s)) continue; /* not a tree of links */
            if (!same_trees(a, b)) continue;
            CU_ASSERT_DOUBLE_EQUAL(a->throughput / b->throughput, 1, 1e-9);
            CU_ASSERT_DOUBLE_EQUAL(a->predicted_s / b->predicted_s, 1, 1e-9);
            CU_ASSERT(a->throughput <= r[0]->bound * (1 + 1e-5));
            compared++;
        }
    CU_ASSERT(compared >= 10);
    for (int k = 0; k < 2; k++) {
        plan_ranking_destroy(&r[k]);
        plan_platform_destroy(&pf[k]);
    }
}

/* Who sends there receives here; a reversed platform turned again is the same. */
static void reductions_swap_the_overheads(void)
{
    plan_platform_t *pf = line(4, false, PLAN_PORTS_MULTI, 0.7, 0.4), *back = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_platform_transpose(pf, 0, &back, NULL), PLAN_OK);
    CU_ASSERT(plan_platform_data(back)->send_s[1] == 0.4 && plan_platform_data(back)->receive_s[1] == 0.7);
    plan_platform_destroy(&back);
    plan_platform_destroy(&pf);
}

static void schedules_are_of_two_ports(void)
{
    plan_platform_t *pf = line(4, false, PLAN_PORTS_ONE_WAY, 0, 0);
    const plan_steady_options_t o = {.size = sizeof o, .pack_trees = true};
    plan_steady_t *s = NULL;
    plani_periodic_t p = {.ranks = 0};
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, 1, &o, &s, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_periodic_create(pf, 0, 1, 5, s, &p, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT(strstr(err.text, "one-way") != NULL);
    plan_steady_destroy(&s);
    plan_platform_destroy(&pf);
}

/* 80% of the shortest link out and 20% of the shortest link in: together never more than a link. */
static void generated_overheads_fit_into_links(void)
{
    plan_platform_t *one = NULL, *pf = NULL, *again = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(20, 0.2, 3, &one), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_generate_ports(one, PLAN_PORTS_MULTI, true, &pf), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    int tight = 0;
    for (size_t l = 0; l < d->nlinks; l++) {
        double both = plan_send_cost(d, d->link[l].from, 1e6) + plan_receive_cost(d, d->link[l].to, 1e6);
        CU_ASSERT(both <= plan_link_cost(&d->link[l], 1e6) * (1 + 1e-12));
    }
    for (int v = 0; v < d->ranks; v++)
        for (size_t k = d->in_first[v]; k < d->in_first[v + 1]; k++)
            tight += near(plan_receive_cost(d, v, 1e6), 0.2 * plan_link_cost(&d->link[d->in_link[k]], 1e6), 1e-12);
    CU_ASSERT_EQUAL(tight, d->ranks);
    ALLOC_EACH(plan_generate_ports(one, PLAN_PORTS_MULTI, true, &again), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_platform_destroy(&again);
    CU_ASSERT_EQUAL(plan_generate_ports(pf, PLAN_PORTS_ONE_WAY, false, &again), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_ports(one, PLAN_PORTS_ONE_WAY, true, &again), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_generate_ports(one, PLAN_PORTS_NONE, false, &again), PLAN_EINVAL);
    CU_ASSERT_EQUAL_FATAL(plan_generate_ports(one, PLAN_PORTS_ONE_WAY, false, &again), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(again)->ports, PLAN_PORTS_ONE_WAY);
    plan_platform_destroy(&again);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&one);
}

static void out_of_memory_is_reported(void)
{
    sample_t s = {.ranks = 4, .density = 2, .resources = 1, .seed = 5};
    for (int one_way = 0; one_way < 2; one_way++) {
        plan_platform_t *pf = variant(&s, one_way != 0);
        plan_steady_t *bound = NULL;
        plani_proved_t proved = {.tree = NULL};
        plan_tree_t *t = NULL;
        ALLOC_EACH(plan_platform_bound(pf, 0, 1, NULL, &bound, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
        plan_steady_destroy(&bound);
        CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree("fef", pf, 0, SLICE, 0, NULL, &t, NULL), PLAN_OK);
        ALLOC_EACH(plani_prove_from(pf, t, SLICE, 60, &proved, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
        plan_tree_destroy(&proved.tree);
        plan_tree_destroy(&t);
        plan_platform_destroy(&pf);
    }
}

SUITE_MAIN("port models", TEST(bound_and_best_tree_are_those_of_all_trees),
           TEST(heuristics_and_several_trees_keep_to_the_bound), TEST(chains_and_stars_take_their_closed_forms),
           TEST(scores_count_what_relays_receive), TEST(turns_are_overheads_as_long_as_links),
           TEST(reductions_swap_the_overheads), TEST(schedules_are_of_two_ports),
           TEST(generated_overheads_fit_into_links), TEST(out_of_memory_is_reported))
