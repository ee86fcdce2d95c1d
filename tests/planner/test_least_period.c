/* The optimum of single trees by branch and bound: against the enumeration of all trees on small platforms, and as the
 * reference of best-tree on larger ones. */
#include "suite.h"
#include "oracle/least_period.h"
#include "oracle/trees_by_hand.h"
#include "sample.h"
#include <math.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include "planner/algorithms/search/period_bound.h"
#include "planner/algorithms/search/prove.h"
#include "planner/algorithms/search/start_trees.h"
#include "planner/cost/parameters.h"

static double period_of(const char *name, const plan_platform_t *pf, int root, double slice)
{
    plan_tree_t *t = NULL;
    double tp = 0;
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree(name, pf, root, slice, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, slice, &tp, NULL), PLAN_OK);
    plan_tree_destroy(&t);
    return 1 / tp;
}

/* From a poor tree on, so that it has to find the optimum and not only to prove it. */
static void branch_and_bound_is_the_least_of_all_trees(void)
{
    int wrong = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const sample_t s = {.ranks = 2 + (int)(seed % 5),
                            .density = seed % 3 == 0 ? 2 : 0.5,
                            .costs = seed % 4 == 0 ? 3 : 0,
                            .resources = (int)(seed % 4),
                            .multiport = seed % 7 == 0,
                            .seed = seed};
        plan_platform_t *pf = sample_platform(&s);
        const plan_platform_data_t *d = plan_platform_data(pf);
        int root = (int)(seed / 7 % (uint64_t)s.ranks);
        double least = by_hand_best_period(d, root, 2);
        oracle_least_t found;
        CU_ASSERT_EQUAL_FATAL(oracle_least_period(d, root, 2, 1.5 * period_of("fef", pf, root, 2), 60, &found), 0);
        asked += found.asked;
        wrong += !(fabs(found.period - least) <= 1e-11 * least) || found.proven != found.period;
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(asked > 100);
}

/* On 10 to 30 ranks, with resources that a third of the links share each. The optimum is proven within 20 s. */
static void best_tree_comes_within_a_percent_of_the_optimum(int resources, int all, int most)
{
    int near = 0, below = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)all; seed++) {
        const sample_t s = {
            .ranks = 10 + (int)(seed % 3) * 10, .density = 0.12, .resources = resources, .seed = 100 + seed};
        plan_platform_t *pf = sample_platform(&s);
        double mine = period_of("best-tree", pf, 0, 2);
        oracle_least_t optimum;
        CU_ASSERT_EQUAL_FATAL(oracle_least_period(plan_platform_data(pf), 0, 2, mine, 20, &optimum), 0);
        near += mine <= 1.01 * optimum.proven;
        below += mine < optimum.proven * (1 - 1e-9);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(below, 0);
    CU_ASSERT(near >= most);
}

static void best_tree_is_near_the_optimum_of_ports(void)
{
    best_tree_comes_within_a_percent_of_the_optimum(0, 20, 18);
}

static void best_tree_is_near_the_optimum_of_resources(void)
{
    best_tree_comes_within_a_percent_of_the_optimum(3, 20, 18);
}

/* From a poor tree on; `limit` [s] is far more than it takes. */
static plani_proved_t proved_from(const char *name, const plan_platform_t *pf, int root, double slice, double limit)
{
    plan_tree_t *t = NULL;
    plani_proved_t proved;
    CU_ASSERT_EQUAL_FATAL(plan_heuristic_tree(name, pf, root, slice, 0, NULL, &t, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_prove_from(pf, t, slice, limit, &proved, NULL), PLAN_OK);
    plan_tree_destroy(&t);
    return proved;
}

static void what_is_proved_is_the_least_of_all_trees(void)
{
    int wrong = 0, programs = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const sample_t s = {.ranks = 2 + (int)(seed % 5),
                            .density = seed % 3 == 0 ? 2 : 0.5,
                            .costs = seed % 4 == 0 ? 3 : 0,
                            .resources = (int)(seed % 4),
                            .multiport = seed % 7 == 0,
                            .seed = 1000 + seed};
        plan_platform_t *pf = sample_platform(&s);
        int root = (int)(seed / 7 % (uint64_t)s.ranks);
        double least = by_hand_best_period(plan_platform_data(pf), root, 2);
        plani_proved_t proved = proved_from("fef", pf, root, 2, 60);
        programs += proved.programs;
        wrong += !(fabs(1 / proved.throughput - least) <= 2e-6 * least) || proved.upper != proved.throughput;
        plan_tree_destroy(&proved.tree);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(programs > 20);
}

enum { CARDS = 4 };

/* As many hosts of one rank, whose cards carry all bytes: ports are held for the latency alone. */
static plan_platform_t *without_ports(uint64_t seed)
{
    const double missed = 1 + PLANI_MISSED / 2 * (double)(seed % 2);
    plan_link_t link[CARDS * CARDS];
    size_t way[2 * CARDS][CARDS], n = 0;
    plan_resource_t card[2 * CARDS];
    plan_platform_t *pf = NULL;
    for (int i = 0; i < 2 * CARDS; i++)
        card[i] = (plan_resource_t){.name = "card", .s_per_byte = 1 + sample_below(&seed, 5), .link = way[i]};
    for (int u = 0; u < CARDS; u++)
        for (int v = 0; v < CARDS; v++) {
            plan_resource_t *out = &card[u], *in = &card[CARDS + v];
            if (u == v) continue;
            way[u][out->nlinks++] = way[CARDS + v][in->nlinks++] = n;
            link[n++] =
                (plan_link_t){u, v, 1 + sample_below(&seed, 12), missed * fmax(out->s_per_byte, in->s_per_byte), 0, -1};
        }
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = CARDS,
                                    .nlinks = n,
                                    .link = link,
                                    .nresources = 2 * CARDS,
                                    .resource = card,
                                    .ports = PLAN_PORTS_NONE};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* [s] The least period of all trees from rank 0, by the throughput that plans are rated by. */
static double least_by_throughput(const plan_platform_t *pf, double slice)
{
    double most = 0;
    for (int choice = 0; choice < CARDS * CARDS * CARDS; choice++) {
        const int parent[CARDS] = {-1, choice % CARDS, choice / CARDS % CARDS, choice / CARDS / CARDS};
        plan_tree_t *t = NULL;
        double tp = 0;
        if (plan_tree_create(CARDS, parent, NULL, &t) != PLAN_OK) continue;
        CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, slice, &tp, NULL), PLAN_OK);
        most = fmax(most, tp);
        plan_tree_destroy(&t);
    }
    return 1 / most;
}

/* Where the quick bound of a link is not the time until a slice is through. */
static void what_is_proved_without_ports_is_the_least_of_all_trees(void)
{
    int wrong = 0, above = 0, tight = 0, far = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        plan_platform_t *pf = without_ports(seed);
        plani_problem_t problem;
        double bound = 0, least = least_by_throughput(pf, 2);
        plani_proved_t proved = proved_from("fef", pf, 0, 2, 60);
        wrong += !(fabs(1 / proved.throughput - least) <= 2e-6 * least) || proved.upper != proved.throughput;
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 2, 0, NULL, &problem, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plani_period_bound(&problem, &bound), PLAN_OK);
        above += bound > least * (1 + 1e-12);
        tight += bound > least * (1 - 1e-12);
        far += period_of("best-tree", pf, 0, 2) > least * (1 + 1e-9);
        plani_problem_clear(&problem);
        plan_tree_destroy(&proved.tree);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(above, 0);
    CU_ASSERT(tight > 10);
    CU_ASSERT(far < 5); /* of the search, which proves nothing */
}

/* [s] The period of a reduction in which rank v sends to to[v]: what it receives takes turns, and so does combining. */
static double reduction_period(const plan_platform_data_t *d, const int *to, double slice, double combine)
{
    double worst = 0;
    for (int v = 0; v < d->ranks; v++) {
        double in = 0, out = 0, combines = 0;
        for (size_t l = 0; l < d->nlinks; l++) {
            if (to[d->link[l].from] != d->link[l].to) continue;
            double cost = plan_link_cost(&d->link[l], slice);
            if (d->link[l].from == v) out = cost;
            in += d->link[l].to == v ? cost : 0;
            combines += d->link[l].to == v ? slice * combine : 0;
        }
        worst = fmax(fmax(worst, combines), d->ports == PLAN_PORTS_ONE_WAY ? in + out : fmax(in, out));
    }
    for (size_t i = 0; i < d->nresources; i++) {
        double held = 0;
        for (size_t k = 0; k < d->resource[i].nlinks; k++) {
            const plan_link_t *l = &d->link[d->resource[i].link[k]];
            if (to[l->from] == l->to) held += plan_resource_cost(&d->resource[i], slice);
        }
        worst = fmax(worst, held);
    }
    return worst;
}

static bool all_reach(const int *to, int ranks, int root)
{
    for (int v = 0; v < ranks; v++) {
        int x = v;
        for (int steps = 0; x != root && steps < ranks; steps++) x = to[x];
        if (x != root) return false;
    }
    return true;
}

/* [s] The least of all trees towards the root: every choice of one link out of each other rank. */
static double least_reduction(const plan_platform_data_t *d, int root, double slice, double combine)
{
    double least = INFINITY;
    size_t choices = 1;
    for (int v = 0; v < d->ranks; v++)
        if (v != root) choices *= d->out_first[v + 1] - d->out_first[v];
    for (size_t choice = 0; choice < choices; choice++) {
        size_t rest = choice;
        int to[5];
        for (int v = 0; v < d->ranks; v++) {
            size_t n = d->out_first[v + 1] - d->out_first[v];
            to[v] = v == root ? -1 : d->link[d->out_first[v] + rest % n].to;
            if (v != root) rest /= n;
        }
        if (all_reach(to, d->ranks, root)) least = fmin(least, reduction_period(d, to, slice, combine));
    }
    return least;
}

static void what_is_proved_of_reductions_is_the_least_of_all_trees_to_the_root(void)
{
    int wrong = 0, held_up = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        const sample_t s = {.ranks = 2 + (int)(seed % 4),
                            .density = seed % 3 == 0 ? 2 : 0.5,
                            .resources = (int)(seed / 2 % 3),
                            .seed = 2000 + seed};
        plan_platform_t *one = sample_platform(&s), *pf = NULL;
        plan_platform_data_t d = *plan_platform_data(one);
        const int root = (int)(seed / 7 % (uint64_t)s.ranks);
        const double combine = seed % 2 == 0 ? 0 : 2.0 * (double)(1 + seed % 8);
        plani_proved_t proved;
        if (seed % 5 == 0) d.ports = PLAN_PORTS_ONE_WAY;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        const double least = least_reduction(plan_platform_data(pf), root, 2, combine);
        CU_ASSERT_EQUAL_FATAL(plani_prove_reduction(pf, root, combine, 2, 60, &proved, NULL), PLAN_OK);
        wrong += !(fabs(1 / proved.throughput - least) <= 2e-6 * least) || proved.upper != proved.throughput;
        wrong += !(fabs(reduction_period(plan_platform_data(pf), plan_tree_data(proved.tree)->parent, 2, combine) -
                        least) <= 2e-6 * least);
        held_up += least > least_reduction(plan_platform_data(pf), root, 2, 0) * (1 + 1e-9);
        plan_tree_destroy(&proved.tree);
        plan_platform_destroy(&one);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(held_up > 20); /* so that the resource for combining is needed */
}

/* Which enumerates the stars of every rank, and the periods that they allow. */
static void what_is_proved_of_30_ranks_is_what_the_oracle_finds(void)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        plan_platform_t *one = NULL, *several = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_generate_random(30, 0.04 * (double)(1 + seed % 3), seed, &one), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_generate_several_ports(one, &several), PLAN_OK);
        const plan_platform_t *pf = seed % 2 == 0 ? several : one;
        oracle_least_t least;
        plani_proved_t proved = proved_from("grow", pf, 3, 1e6, 60);
        CU_ASSERT_EQUAL_FATAL(
            oracle_least_period(plan_platform_data(pf), 3, 1e6, period_of("best-tree", pf, 3, 1e6), 60, &least), 0);
        CU_ASSERT_EQUAL(least.period, least.proven);
        CU_ASSERT_DOUBLE_EQUAL(proved.throughput * least.period, 1, 2e-6);
        CU_ASSERT_EQUAL(proved.throughput, proved.upper);
        plan_tree_destroy(&proved.tree);
        plan_platform_destroy(&one);
        plan_platform_destroy(&several);
    }
}

static void without_time_nothing_is_claimed_but_what_is_so(void)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(30, 0.12, 1, &pf), PLAN_OK);
    plani_proved_t short_of = proved_from("grow", pf, 0, 1e6, 0), best = proved_from("best-tree", pf, 0, 1e6, 60);
    CU_ASSERT_EQUAL(short_of.throughput, short_of.best_tree);
    CU_ASSERT(short_of.upper >= best.throughput * (1 - 1e-9));
    CU_ASSERT(short_of.upper > short_of.throughput);
    plan_tree_destroy(&short_of.tree);
    plan_tree_destroy(&best.tree);
    plan_platform_destroy(&pf);
}

/* Sparse platforms whose best trees are almost chains: a fortieth of the moves reached 64 to 87% on half of them. */
static void plans_find_the_best_chain(void)
{
    int near = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        plan_platform_t *pf = NULL;
        plani_problem_t problem;
        plani_starts_t *starts = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_generate_random(50, 0.12, seed, &pf), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_problem_create(pf, 0, 1e6, 0, NULL, &problem, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_starts_create(&problem, PLANI_THROUGHPUT_MOVES_PER_RANK * 50L, &starts), PLAN_OK);
        plani_proved_t best = proved_from("best-tree", pf, 0, 1e6, 60);
        near += starts->period <= 1.02 / best.upper;
        plan_tree_destroy(&best.tree);
        plani_starts_destroy(&starts);
        plani_problem_clear(&problem);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(near, 10);
}

SUITE_MAIN("least period", TEST(branch_and_bound_is_the_least_of_all_trees),
           TEST(best_tree_is_near_the_optimum_of_ports), TEST(best_tree_is_near_the_optimum_of_resources),
           TEST(what_is_proved_is_the_least_of_all_trees), TEST(what_is_proved_without_ports_is_the_least_of_all_trees),
           TEST(what_is_proved_of_reductions_is_the_least_of_all_trees_to_the_root),
           TEST(what_is_proved_of_30_ranks_is_what_the_oracle_finds),
           TEST(without_time_nothing_is_claimed_but_what_is_so), TEST(plans_find_the_best_chain))
