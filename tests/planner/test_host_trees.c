/* host-trees: spanning, within the bound and near it, and plans on machines of any size. */
#include "suite.h"
#include "spec_text.h"
#include "alloc.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "graphs/generate/sites.h"
#include "graphs/trees/trees.h"
#include "lib/base/rng.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/algorithms/described.h"
#include "planner/algorithms/host_routing.h"
#include "planner/cost/cost_cache.h"
#include "planner/select/decide.h"
#include "planner/taulop/score.h"

static void begin(void)
{
    length = 0;
    put("{\"format\": \"planbcast-cluster\", \"version\": 1, \"memory\": {\"bytes_per_s\": 1e12}, ", 0, 0, 0);
}

static plani_cluster_t *finish(void)
{
    put("}", 0, 0, 0);
    return parse_text();
}

static double rate_of(plani_rng_t *rng)
{
    static const double rate[] = {1, 2, 3, 5, 10, 20, 60};
    return rate[plani_rng_below(rng, 7)];
}

static void put_trunk(plani_rng_t *rng, double times)
{
    double in = times * rate_of(rng), out = times * rate_of(rng);
    if (plani_rng_below(rng, 3) > 0)
        put("\"trunk\": {\"in_bytes_per_s\": %ge6, \"out_bytes_per_s\": %ge6}, ", in, out, 0);
}

/* Up to `most` hosts of one kind each, with so many ranks. */
static void put_kinds(plani_rng_t *rng, int kinds, int most, int ranks)
{
    put("\"hosts\": [", 0, 0, 0);
    for (int k = kinds; k > 0; k--) {
        double in = rate_of(rng), out = rate_of(rng);
        put("{\"count\": %.0f, \"ranks\": %.0f, ", 1 + (double)plani_rng_below(rng, (uint64_t)most),
            1 + (double)plani_rng_below(rng, (uint64_t)ranks), 0);
        put("\"in_bytes_per_s\": %ge6, \"out_bytes_per_s\": %ge6}", in, out, 0);
        put(k > 1 ? ", " : "]", 0, 0, 0);
    }
}

/* Sites of hosts of some kinds, some of them with racks in them. */
static plani_cluster_t *random_cluster(uint64_t seed)
{
    plani_rng_t rng;
    plani_rng_seed(&rng, seed);
    int sites = 1 + (int)plani_rng_below(&rng, 4), most = 1 + (int)plani_rng_below(&rng, 12);
    begin();
    put("\"sites\": [", 0, 0, 0);
    for (int s = 0; s < sites; s++) {
        put(s > 0 ? ", {" : "{", 0, 0, 0);
        put_trunk(&rng, 1 + (double)plani_rng_below(&rng, 4));
        put_kinds(&rng, 1 + (int)plani_rng_below(&rng, 3), most, 3);
        if (plani_rng_below(&rng, 2)) {
            put(", \"groups\": [{", 0, 0, 0);
            put_trunk(&rng, 1);
            put_kinds(&rng, 1 + (int)plani_rng_below(&rng, 2), most, 3);
            put("}]", 0, 0, 0);
        }
        put("}", 0, 0, 0);
    }
    put("], \"placement\": \"cyclic\"", 0, 0, 0);
    return finish();
}

/* One site of equal hosts. */
static plani_cluster_t *equal_hosts(int hosts, int ranks, double in, double out)
{
    begin();
    put("\"sites\": [{\"hosts\": [{\"count\": %.0f, \"ranks\": %.0f, ", hosts, ranks, 0);
    put("\"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": 2e-6}]}]", in, out, 0);
    return finish();
}

static double bound_of(const plani_cluster_t *c, int root)
{
    plani_cluster_bound_t b;
    CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(c, root, &b, NULL), PLAN_OK);
    double rate = b.rate;
    plani_cluster_bound_clear(&b);
    return rate;
}

static plani_host_trees_t *trees_of(const plani_cluster_t *c, int root)
{
    plani_host_trees_t *trees = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_host_trees_create(c, root, bound_of(c, root), &trees), PLAN_OK);
    return trees;
}

/* Oracle: what all trees together sustain, card by card and trunk by trunk. */
static double sustained(const plani_cluster_t *c, const plani_host_set_t *set)
{
    double worst = 0;
    for (int g = -c->nhosts; g < c->ngroups; g++) { /* hosts are -1, -2, ... */
        const plani_gate_t *gate = g < 0 ? &c->host[-1 - g].card : &c->group[g].trunk;
        double out = 0, in = 0;
        for (int t = 0; t < set->ntrees; t++)
            for (int h = 0; h < c->nhosts; h++) {
                int from = set->parent[t * c->nhosts + h], x = from < 0 ? -1 : c->host[from].group,
                    y = c->host[h].group;
                if (from < 0) continue;
                while (g >= 0 && x > g) x = c->group[x].above;
                while (g >= 0 && y > g) y = c->group[y].above;
                bool a = g < 0 ? from == -1 - g : x == g, b = g < 0 ? h == -1 - g : y == g;
                if (a && !b) out += set->share[t];
                if (b && !a) in += set->share[t];
            }
        if (gate->out_bytes_per_s > 0) worst = fmax(worst, out / gate->out_bytes_per_s);
        if (gate->in_bytes_per_s > 0) worst = fmax(worst, in / gate->in_bytes_per_s);
    }
    return 1 / worst;
}

/* Trees over all ranks from the root; every host but the root's is entered once. */
static void check_tree(const plani_host_trees_t *trees, const plani_host_set_t *set, int t)
{
    const plani_cluster_t *c = trees->c;
    plan_tree_t *tree = NULL;
    int entries = 0;
    CU_ASSERT_EQUAL_FATAL(plani_host_trees_expand(trees, set, t, &tree), PLAN_OK);
    const plan_tree_data_t *d = plan_tree_data(tree);
    CU_ASSERT(d->ranks == c->ranks && d->root == trees->root);
    for (int r = 0; r < c->ranks; r++) entries += d->parent[r] >= 0 && c->host_of[d->parent[r]] != c->host_of[r];
    CU_ASSERT_EQUAL(entries, c->nhosts - 1);
    plan_tree_destroy(&tree);
}

static void random_machines_are_used_to_nearly_their_bound(void)
{
    int machines = 0, near = 0;
    double least = 1;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        plani_cluster_t *c = random_cluster(seed);
        int root = (int)(seed % (uint64_t)c->ranks);
        plani_host_trees_t *trees = trees_of(c, root);
        double best = 0;
        for (int i = 0; i < trees->nsets; i++) {
            const plani_host_set_t *set = &trees->set[i];
            for (int t = 0; t < set->ntrees; t++) check_tree(trees, set, t);
            if (i == 0) continue;
            CU_ASSERT(set->rate <= trees->bound * (1 + 1e-9));
            CU_ASSERT(set->rate <= sustained(c, set) * (1 + 1e-6));
            best = fmax(best, set->rate);
        }
        if (c->nhosts > 1 && isfinite(trees->bound)) {
            double share = best / trees->bound;
            machines++;
            near += share >= 0.95;
            least = fmin(least, share);
        }
        plani_host_trees_destroy(&trees);
        plani_cluster_destroy(&c);
    }
    printf("%d machines, least %.3f ", machines, least);
    CU_ASSERT(machines > 900);
    CU_ASSERT_EQUAL(near, machines);
}

/* Part of the bound that the best set of trees sustains where four sites of ten hosts, whose ways out are scarce, have
 * so many ranks on each. */
static double best_part(uint64_t seed, int ranks)
{
    plani_rng_t rng;
    double best = 0;
    plani_rng_seed(&rng, seed);
    begin();
    for (int h = 0; h < 40; h++) {
        double out = h == 0 ? 6e9 : 1e8 * exp(3.5 * plani_rng_unit(&rng));
        if (h % 10 == 0) {
            double up = 1e9 * (0.3 + 3 * plani_rng_unit(&rng)), down = 1e9 * (0.6 + 3 * plani_rng_unit(&rng));
            put(h > 0 ? "]}, {" : "\"sites\": [{", 0, 0, 0);
            put("\"trunk\": {\"out_bytes_per_s\": %g, \"in_bytes_per_s\": %g}, \"hosts\": [", up, down, 0);
        }
        put(h % 10 > 0 ? ", {\"ranks\": %.0f, \"in_bytes_per_s\": 3e9, \"out_bytes_per_s\": %g}"
                       : "{\"ranks\": %.0f, \"in_bytes_per_s\": 3e9, \"out_bytes_per_s\": %g}",
            ranks, out, 0);
    }
    put("]}]", 0, 0, 0);
    plani_cluster_t *c = finish();
    plani_host_trees_t *trees = trees_of(c, 0);
    for (int i = 0; i < trees->nsets; i++) best = fmax(best, trees->set[i].rate / trees->bound);
    plani_host_trees_destroy(&trees);
    plani_cluster_destroy(&c);
    return best;
}

/* Of very many ranks not all trees are kept, but those that there is room for are. */
static void many_ranks_keep_good_trees(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) CU_ASSERT(best_part(seed, 1024) > 0.95 * best_part(seed, 1));
}

static void the_same_machine_has_the_same_trees(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        plani_cluster_t *c = random_cluster(seed);
        plani_host_trees_t *a = trees_of(c, 0), *b = trees_of(c, 0);
        CU_ASSERT_EQUAL_FATAL(a->nsets, b->nsets);
        for (int i = 0; i < a->nsets; i++) {
            size_t n = (size_t)a->set[i].ntrees;
            CU_ASSERT_EQUAL_FATAL(a->set[i].ntrees, b->set[i].ntrees);
            CU_ASSERT_EQUAL(memcmp(a->set[i].parent, b->set[i].parent, n * (size_t)c->nhosts * sizeof(int)), 0);
            CU_ASSERT_EQUAL(memcmp(a->set[i].share, b->set[i].share, n * sizeof(double)), 0);
        }
        plani_host_trees_destroy(&a);
        plani_host_trees_destroy(&b);
        plani_cluster_destroy(&c);
    }
}

static plan_ranking_t *rank(const plani_cluster_t *c, int root, size_t bytes)
{
    plani_described_t on = {.hosts = NULL};
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(plani_described_create(c, root, &on, &err), PLAN_OK);
    plani_request_t request = {
        .pf = on.pf, .root = root, .n = 1, .bytes = {bytes}, .complete = 1, .hosts = on.hosts, .sparse = on.sparse};
    plani_decision_t decision;
    CU_ASSERT_EQUAL_FATAL(plani_decide(&request, &decision, &err), PLAN_OK);
    plan_ranking_t *ranking = decision.ranking[0];
    decision.ranking[0] = NULL;
    plani_decision_clear(&decision);
    plani_described_clear(&on);
    return ranking;
}

static const plan_candidate_t *find(const plan_ranking_t *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (strcmp(ranking->candidate[i].name, name) == 0) return &ranking->candidate[i];
    return NULL;
}

/* Who cannot win is not listed. */
static void leaving_out_who_cannot_win_does_not_change_who_wins(void)
{
    size_t left_out = 0;
    for (int hosts = 9; hosts <= 140; hosts += 131) { /* 72 ranks are simulated, 1,120 are not */
        plani_cluster_t *c = equal_hosts(hosts, 8, 12e6, 9e6);
        plani_described_t on = {.hosts = NULL};
        CU_ASSERT_EQUAL_FATAL(plani_described_create(c, 3, &on, NULL), PLAN_OK);
        plani_request_t request = {.pf = on.pf, .root = 3, .hosts = on.hosts, .sparse = on.sparse};
        plani_decision_t few, all;
        CU_ASSERT_FATAL(on.sparse);
        request.n = plani_ladder(1 << 20, request.bytes);
        CU_ASSERT_EQUAL_FATAL(plani_decide(&request, &few, NULL), PLAN_OK);
        request.complete = request.n;
        CU_ASSERT_EQUAL_FATAL(plani_decide(&request, &all, NULL), PLAN_OK);
        for (size_t i = 0; i < all.n; i++) {
            const plan_candidate_t *a = &all.ranking[i]->candidate[0], *b = &few.ranking[i]->candidate[0];
            CU_ASSERT(plani_same_broadcast(a, b) && a->predicted_s == b->predicted_s);
            left_out += all.ranking[i]->ncandidates - few.ranking[i]->ncandidates;
        }
        CU_ASSERT_EQUAL(plan_data(all.plan)->hash, plan_data(few.plan)->hash);
        plani_decision_clear(&few);
        plani_decision_clear(&all);
        plani_described_clear(&on);
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(left_out > 0);
}

static void the_smallest_machines_have_plans(void)
{
    static const struct {
        int hosts, ranks;
    } machine[] = {{1, 1}, {1, 2}, {2, 1}, {1, 8}, {3, 1}, {2, 2}, {1, 65}, {65, 1}, {66, 1}, {13, 5}};
    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) {
        plani_cluster_t *c = equal_hosts(machine[i].hosts, machine[i].ranks, 1e9, 1e9);
        plan_ranking_t *ranking = rank(c, c->ranks - 1, 1 << 20);
        CU_ASSERT_FATAL(ranking->ncandidates > 0);
        CU_ASSERT_PTR_NOT_NULL(find(ranking, "host-trees"));
        CU_ASSERT_PTR_NOT_NULL(find(ranking, "ompi-binomial"));
        CU_ASSERT_EQUAL(find(ranking, "shared-memory") != NULL, machine[i].hosts == 1 && machine[i].ranks > 2);
        for (size_t k = 0; k < ranking->ncandidates; k++) CU_ASSERT(!(ranking->candidate[k].lp_ratio > 1 + 1e-6));
        plan_ranking_destroy(&ranking);
        plani_cluster_destroy(&c);
    }
}

/* Two groups of 64 hosts with 8 ranks each; and hosts that send less than they receive. */
static void a_thousand_ranks_get_a_plan_near_the_bound(void)
{
    for (int scarce = 0; scarce < 2; scarce++) {
        begin();
        put("\"sites\": [", 0, 0, 0);
        for (int g = 0; g < 2; g++) {
            put(g ? ", {" : "{", 0, 0, 0);
            put("\"trunk\": {\"in_bytes_per_s\": 4e10, \"out_bytes_per_s\": 4e10, \"latency_s\": 5e-6}, \"hosts\": [",
                0, 0, 0);
            for (int k = 0; k < 2; k++) {
                put("{\"count\": 32, \"ranks\": 8, \"latency_s\": 2e-6, \"in_bytes_per_s\": 1.25e9, ", 0, 0, 0);
                put("\"out_bytes_per_s\": %g}", scarce ? (k ? 2.25e9 : 0.3e9) : 1.25e9, 0, 0);
                put(k ? "]}" : ", ", 0, 0, 0);
            }
        }
        put("]", 0, 0, 0);
        plani_cluster_t *c = finish();
        plan_ranking_t *ranking = rank(c, 0, 16 << 20);
        const plan_candidate_t *first = &ranking->candidate[0];
        double most = ranking->bound * (double)ranking->bound_slice;
        CU_ASSERT_STRING_EQUAL(first->name, "two-level");
        CU_ASSERT_DOUBLE_EQUAL(most / bound_of(c, 0), 1, 1e-9);
        CU_ASSERT(first->lp_ratio >= 0.95 && first->lp_ratio <= 1 + 1e-9);
        printf("%s: %.3f of the bound, %.3f with filling ", scarce ? "scarce" : "equal", first->lp_ratio,
               (16 << 20) / first->predicted_s / most);
        plan_ranking_destroy(&ranking);
        plani_cluster_destroy(&c);
    }
}

/* On all pairs of ranks or on few links, trees are predicted to take as long. */
static void links_that_are_left_out_change_no_prediction(void)
{
    plani_cluster_t *c = random_cluster(4);
    plani_host_trees_t *trees = trees_of(c, 0);
    plan_platform_t *all = NULL, *few = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &all, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_host_trees_platform(trees, &few, NULL), PLAN_OK);
    CU_ASSERT(plan_platform_data(few)->nlinks < plan_platform_data(all)->nlinks);
    for (int i = 0; i < trees->nsets; i++) {
        plan_tree_t *tree = NULL;
        double a = 0, b = 0;
        CU_ASSERT_EQUAL_FATAL(plani_host_trees_expand(trees, &trees->set[i], 0, &tree), PLAN_OK);
        CU_ASSERT_EQUAL(plani_score_taulop(all, tree, 1 << 20, 8192, 8, &a), PLAN_OK);
        CU_ASSERT_EQUAL(plani_score_taulop(few, tree, 1 << 20, 8192, 8, &b), PLAN_OK);
        CU_ASSERT(a > 0);
        CU_ASSERT_EQUAL(a, b);
        plan_tree_destroy(&tree);
    }
    plan_platform_destroy(&all);
    plan_platform_destroy(&few);
    plani_host_trees_destroy(&trees);
    plani_cluster_destroy(&c);
}

/* Times that are kept by kinds of links, and transfers that are counted once, give the same to the last bit. */
static void what_is_worked_out_once_changes_no_prediction(void)
{
    plani_cluster_t *c = equal_hosts(200, 32, 1e9, 0.7e9);
    plani_host_trees_t *trees = trees_of(c, 5);
    plan_platform_t *pf = NULL;
    plani_cost_cache_t *costs = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_host_trees_platform(trees, &pf, NULL), PLAN_OK);
    CU_ASSERT_FATAL(plan_platform_data(pf)->nlinks > 20000);
    CU_ASSERT_EQUAL_FATAL(plani_cost_cache_create(plan_platform_data(pf), 4, &costs), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(costs);
    for (int i = 0; i < trees->nsets; i++) {
        plan_tree_t *tree = NULL;
        plani_stages_t *once = NULL, *each = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_host_trees_expand(trees, &trees->set[i], 0, &tree), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_stages_create(pf, tree, costs, &once), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_stages_create(pf, tree, NULL, &each), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_stages_look(each, pf, NULL), PLAN_OK); /* which counts nothing */
        for (size_t bytes = 1000; bytes < 1 << 24; bytes = 7 * bytes + 1)
            CU_ASSERT_EQUAL(plani_stages_score(once, plani_cut(bytes, 4096), 8, INFINITY),
                            plani_stages_score(each, plani_cut(bytes, 4096), 8, INFINITY));
        plani_stages_destroy(&once);
        plani_stages_destroy(&each);
        plan_tree_destroy(&tree);
    }
    plani_cost_cache_destroy(&costs);
    plan_platform_destroy(&pf);
    plani_host_trees_destroy(&trees);
    plani_cluster_destroy(&c);
}

/* From the links that share resources alone: the same hosts, and the same bound. */
static void a_platform_tells_of_its_machine(void)
{
    int machines = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        plani_cluster_t *c = random_cluster(seed), *known = NULL;
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_cluster_infer(plan_platform_data(pf), &known), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(known != NULL, c->nhosts > 1);
        for (int root = 0; root < c->ranks && known != NULL; root += 7, machines++) {
            CU_ASSERT_DOUBLE_EQUAL(bound_of(known, root) / bound_of(c, root), 1, 1e-7);
            CU_ASSERT_EQUAL(memcmp(known->host_of, c->host_of, (size_t)c->ranks * sizeof(int)), 0);
        }
        plani_cluster_destroy(&known);
        plan_platform_destroy(&pf);
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(machines > 100);
}

/* Resources that cut through each other, or that ranks hold on both sides, tell of no groups; ports of no machine. */
static void what_is_no_gate_tells_of_nothing(void)
{
    static const int host[] = {0, 1, 2};
    static const size_t out[] = {0, 1}, both[] = {0, 1, 2, 4};
    plan_link_t link[6];
    for (int l = 0; l < 6; l++)
        link[l] = (plan_link_t){.from = l / 2, .to = (l / 2 + 1 + l % 2) % 3, .s_per_byte = 1e-6, .channel = -1};
    const plan_resource_t shared[] = {{.name = "card", .s_per_byte = 2e-6, .nlinks = 2, .link = out},
                                      {.name = "processor", .s_per_byte = 1e-3, .nlinks = 4, .link = both}};
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = 3,
                              .nlinks = 6,
                              .link = link,
                              .nresources = 2,
                              .resource = shared,
                              .host = host,
                              .ports = PLAN_PORTS_NONE};
    for (int ports = 0; ports < 2; ports++) {
        plani_cluster_t *known = NULL;
        plan_platform_t *pf = NULL;
        if (ports) d.ports = PLAN_PORTS_ONE;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plani_cluster_infer(plan_platform_data(pf), &known), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(known == NULL, ports);
        if (known != NULL) {
            CU_ASSERT_EQUAL(known->ngroups, 0);
            CU_ASSERT_DOUBLE_EQUAL(known->host[0].card.out_bytes_per_s, 5e5, 1);
            CU_ASSERT_DOUBLE_EQUAL(known->host[1].card.out_bytes_per_s, 1e6, 1);
        }
        plani_cluster_destroy(&known);
        plan_platform_destroy(&pf);
    }
}

/* Trees over all hosts need links that a platform may lack. */
static void platforms_that_lack_links_between_hosts_have_plans(void)
{
    static const plan_link_t link[] = {{0, 1, 1e-5, 1e-7, 0, -1}, {1, 2, 1e-5, 1e-7, 0, -1}};
    static const size_t out[] = {0, 1};
    const plan_resource_t card[] = {{.name = "host 0 out", .s_per_byte = 1e-7, .nlinks = 1, .link = out},
                                    {.name = "host 1 out", .s_per_byte = 1e-7, .nlinks = 1, .link = out + 1}};
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = 3,
                                    .nlinks = 2,
                                    .link = link,
                                    .nresources = 2,
                                    .resource = card,
                                    .ports = PLAN_PORTS_NONE};
    plan_platform_t *pf = NULL;
    plani_cluster_t *known = NULL;
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_infer(plan_platform_data(pf), &known), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(known);
    CU_ASSERT_EQUAL(plan_create(pf, 0, 1 << 20, NULL, &plan, NULL), PLAN_OK);
    plan_destroy(&plan);
    plani_cluster_destroy(&known);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_of_inferring_comes_back(void)
{
    plani_cluster_t *c = random_cluster(4), *known = NULL;
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
    ALLOC_EACH(plani_cluster_infer(plan_platform_data(pf), &known), {
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
        CU_ASSERT_PTR_NULL(known);
    });
    CU_ASSERT_PTR_NOT_NULL(known);
    plani_cluster_destroy(&known);
    plan_platform_destroy(&pf);
    plani_cluster_destroy(&c);
}

static void every_failing_allocation_comes_back(void)
{
    plani_cluster_t *c = equal_hosts(9, 8, 12e6, 9e6);
    plani_described_t on = {.hosts = NULL};
    plan_error_t err = {PLAN_OK, ""};
    ALLOC_EACH(plani_described_create(c, 0, &on, &err), {
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
        CU_ASSERT(on.hosts == NULL && on.pf == NULL);
    });
    CU_ASSERT(on.sparse);
    plani_described_clear(&on);
    plani_cluster_destroy(&c);
}

SUITE_MAIN("host trees", TEST(random_machines_are_used_to_nearly_their_bound), TEST(many_ranks_keep_good_trees),
           TEST(the_same_machine_has_the_same_trees), TEST(the_smallest_machines_have_plans),
           TEST(leaving_out_who_cannot_win_does_not_change_who_wins), TEST(a_thousand_ranks_get_a_plan_near_the_bound),
           TEST(links_that_are_left_out_change_no_prediction), TEST(what_is_worked_out_once_changes_no_prediction),
           TEST(a_platform_tells_of_its_machine), TEST(what_is_no_gate_tells_of_nothing),
           TEST(platforms_that_lack_links_between_hosts_have_plans),
           TEST(every_failing_allocation_of_inferring_comes_back), TEST(every_failing_allocation_comes_back))
