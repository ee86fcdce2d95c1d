/* Platforms of all pairs of many ranks are planned on some of their links: the same bound, the same bottlenecks. */
#include "suite.h"
#include "spec_text.h"
#include "alloc.h"
#include <math.h>
#include <string.h>
#include "graphs/generate/sites.h"
#include "graphs/trees/trees.h"
#include "lib/base/rng.h"
#include "planner/algorithms/described.h"
#include "planner/select/decide.h"

enum { SITES = 3, HOSTS = 24 }; /* of 4 ranks */

static double rate_of(plani_rng_t *rng, int least, uint64_t range)
{
    return least + (double)plani_rng_below(rng, range);
}

/* 3 sites behind trunks, each of two kinds of 4 hosts with 4 ranks. */
static plan_platform_t *random_platform(uint64_t seed)
{
    plani_rng_t rng;
    plan_platform_t *pf = NULL;
    plani_rng_seed(&rng, seed);
    length = 0;
    put("{\"format\": \"planbcast-cluster\", \"version\": 1, \"memory\": {\"bytes_per_s\": 1e10}, \"sites\": [", 0, 0,
        0);
    for (int s = 0; s < SITES; s++) {
        double in = rate_of(&rng, 100, 400), out = rate_of(&rng, 100, 400), latency = 1e-6 * rate_of(&rng, 0, 200);
        put(s > 0 ? ", {" : "{", 0, 0, 0);
        put("\"trunk\": {\"in_bytes_per_s\": %ge6, \"out_bytes_per_s\": %ge6, \"latency_s\": %g}, ", in, out, latency);
        put("\"hosts\": [", 0, 0, 0);
        for (int k = 0; k < 2; k++) {
            in = rate_of(&rng, 100, 200), out = rate_of(&rng, 50, 300);
            put(k > 0 ? ", {" : "{", 0, 0, 0);
            put("\"count\": 4, \"ranks\": 4, \"latency_s\": 2e-6, \"in_bytes_per_s\": %ge6, \"out_bytes_per_s\": %ge6}",
                in, out, 0);
        }
        put("]}", 0, 0, 0);
    }
    put(seed % 2 ? "], \"placement\": \"shuffled\"}" : "]}", 0, 0, 0);
    plani_cluster_t *c = parse_text();
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
    plani_cluster_destroy(&c);
    return pf;
}

static plan_ranking_t *rank(const plan_platform_t *pf, int root, size_t bytes, const char *only)
{
    const plan_choice_t choice = {.size = sizeof choice, .only = only};
    plan_ranking_t *ranking = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, root, bytes, &choice, &ranking, NULL), PLAN_OK);
    return ranking;
}

static const plan_candidate_t *find(const plan_ranking_t *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (strcmp(ranking->candidate[i].name, name) == 0) return &ranking->candidate[i];
    return NULL;
}

/* Does some tree use what the bottleneck is said to be? In reductions, children send. */
static bool is_used(const plan_platform_data_t *d, const plan_candidate_t *c, const plan_bottleneck_t *b, bool reduces)
{
    bool used = false;
    for (size_t l = 0; l < d->nlinks; l++) {
        int from = d->link[l].from, to = d->link[l].to;
        bool edge = false, there = b->at == PLAN_AT_LINK && b->index == l;
        for (size_t t = 0; t < c->ntrees; t++) {
            const int *parent = plan_tree_data(c->tree[t])->parent;
            edge = edge || (reduces ? parent[from] == to : parent[to] == from);
        }
        there = there || (b->at == PLAN_AT_SEND_PORT && b->index == (size_t)from);
        there = there || (b->at == PLAN_AT_RECV_PORT && b->index == (size_t)to);
        for (size_t u = d->use_first[l]; u < d->use_first[l + 1] && b->at == PLAN_AT_RESOURCE; u++)
            there = there || d->use[u] == b->index;
        used = used || (edge && there && d->host[from] != d->host[to]);
    }
    return used;
}

/* On the whole platform, trees have the same throughput and bottleneck; in two levels they use it between hosts. */
static void check_bottleneck(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes)
{
    size_t slice = c->slice > 0 && c->slice < bytes ? c->slice : bytes;
    plan_bottleneck_t there = {.index = 0};
    double throughput = 0;

    for (size_t t = 0; t < c->ntrees; t++) CU_ASSERT_EQUAL_FATAL(plani_tree_check(c->tree[t], pf, NULL), PLAN_OK);
    if (c->run == PLAN_RUN_TREES) {
        CU_ASSERT_EQUAL_FATAL(plan_throughput(pf, c->ntrees, c->tree, c->rate, (double)slice, &throughput, &there),
                              PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(throughput / c->throughput, 1, 1e-12);
        CU_ASSERT_EQUAL(there.at, c->bottleneck.at);
        CU_ASSERT(is_used(plan_platform_data(pf), c, &c->bottleneck, false));
        CU_ASSERT_DOUBLE_EQUAL(there.seconds / c->bottleneck.seconds, 1, 1e-12); /* of equals, another may be named */
    } else if (c->bottleneck.seconds > 0) {                                      /* else: inside hosts */
        CU_ASSERT(is_used(plan_platform_data(pf), c, &c->bottleneck, false));
    }
}

static void a_part_of_the_links_has_the_bound_and_the_bottlenecks_of_all(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        size_t bytes = (size_t)64 << (4 * seed - 4); /* to 64 MiB */
        int root = (int)(13 * seed);
        plan_platform_t *pf = random_platform(seed);
        plan_ranking_t *part = rank(pf, root, bytes, NULL), *all = rank(pf, root, bytes, "ompi-chain,scatter-ring");
        CU_ASSERT_PTR_NULL(find(part, "scatter-ring"));
        CU_ASSERT_PTR_NOT_NULL(find(all, "scatter-ring"));
        CU_ASSERT_PTR_NOT_NULL(find(part, "host-trees"));
        CU_ASSERT_PTR_NOT_NULL(find(part, "host-postal"));
        CU_ASSERT_PTR_NOT_NULL(find(part, "two-level"));
        CU_ASSERT_PTR_NOT_NULL(find(part, "ecef")); /* among the first ranks of hosts */
        CU_ASSERT(part->bound_slice > 0);
        CU_ASSERT_DOUBLE_EQUAL(part->bound * part->bound_slice / (all->bound * all->bound_slice), 1, 1e-9);
        for (size_t i = 0; i < part->ncandidates; i++) {
            check_bottleneck(pf, &part->candidate[i], bytes);
            CU_ASSERT(!(part->candidate[i].lp_ratio > 1 + 1e-9));
        }
        plan_ranking_destroy(&part);
        plan_ranking_destroy(&all);
        plan_platform_destroy(&pf);
    }
}

static void reductions_are_planned_on_a_part_as_well(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plan_platform_t *pf = random_platform(seed);
        plan_ranking_t *ranking = NULL;
        CU_ASSERT_EQUAL_FATAL(
            plan_reduce_ranking_create(pf, 7, (size_t)64 << (6 * seed - 6), 1e-9, NULL, &ranking, NULL), PLAN_OK);
        CU_ASSERT_PTR_NOT_NULL(find(ranking, "fnf")); /* among the first ranks of hosts */
        CU_ASSERT_PTR_NULL(find(ranking, "two-level"));
        CU_ASSERT_PTR_NOT_NULL(find(ranking, "host-postal"));
        for (size_t i = 0; i < ranking->ncandidates; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            CU_ASSERT(!(c->lp_ratio > 1 + 1e-9));
            CU_ASSERT(is_used(plan_platform_data(pf), c, &c->bottleneck, true));
        }
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
}

/* The best of the links that few candidates use is near the best of all, on all of them. */
static void little_is_lost_with_the_other_links(void)
{
    static const char others[] = "prune-simple,prune-degree,grow,fnf,fef,ecef,host-chain,host-binomial,two-tree";
    double worst = 0;
    for (uint64_t seed = 7; seed <= 12; seed++) {
        size_t bytes = (size_t)64 << (4 * seed - 28);
        plan_platform_t *pf = random_platform(seed);
        plan_ranking_t *part = rank(pf, 5, bytes, NULL), *all = rank(pf, 5, bytes, others);
        worst = fmax(worst, part->candidate[0].predicted_s / all->candidate[0].predicted_s);
        plan_ranking_destroy(&part);
        plan_ranking_destroy(&all);
        plan_platform_destroy(&pf);
    }
    printf("at most %.2f times the others' time ", worst);
    CU_ASSERT(worst > 0 && worst < 1.15);
}

/* Time functions of the caller's may depend on any link. */
static plan_status_t count_edges(void *context, const plan_platform_t *pf, size_t ntrees, plan_tree_t *const *tree,
                                 const double *share, size_t bytes, size_t slice, int window, double *seconds)
{
    size_t *links = context;
    (void)tree, (void)share, (void)bytes, (void)slice, (void)window;
    *links = plan_platform_data(pf)->nlinks;
    *seconds = (double)ntrees;
    return PLAN_OK;
}

static void who_scores_sees_all_links(void)
{
    size_t seen = 0;
    plan_platform_t *pf = random_platform(1);
    const plan_choice_t choice = {
        .size = sizeof choice, .only = "ompi-chain", .scorer = count_edges, .scorer_context = &seen};
    plan_ranking_t *ranking = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 4096, &choice, &ranking, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(seen, (size_t)(4 * HOSTS) * (4 * HOSTS - 1));
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_comes_back(void)
{
    plan_platform_t *pf = random_platform(1);
    plani_described_t on = {.hosts = NULL};
    plan_error_t err = {PLAN_OK, ""};
    ALLOC_EACH(plani_described_infer(pf, 0, &on, &err), {
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
        CU_ASSERT(on.hosts == NULL && on.pf == NULL && on.cluster == NULL && on.resources == NULL);
    });
    CU_ASSERT(on.sparse && on.pf != NULL);
    CU_ASSERT(on.pf != NULL && plan_platform_data(on.pf)->nlinks < plan_platform_data(pf)->nlinks);
    plani_described_clear(&on);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("part of the links", TEST(a_part_of_the_links_has_the_bound_and_the_bottlenecks_of_all),
           TEST(reductions_are_planned_on_a_part_as_well), TEST(little_is_lost_with_the_other_links),
           TEST(who_scores_sees_all_links), TEST(every_failing_allocation_comes_back))
