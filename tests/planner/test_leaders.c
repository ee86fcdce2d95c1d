/* Broadcasts in two levels: the platform of the leaders, trees of all ranks, predicted times. */
#include "planner/algorithms/leaders.h"
#include "planner/select/ranking.h"
#include <math.h>
#include <planbcast/plan.h>
#include <string.h>
#include "suite.h"

enum { RANKS = 7, HOSTS = 3 };
static const int host[RANKS] = {0, 1, 2, 0, 1, 2, 0};

/* Links of u and v take 1 us and u + v ns a byte. Resources: the links out of host 1, and all, which share processors.
 */
static plan_platform_t *platform(size_t nshared)
{
    static const double bytes[] = {8, 1000, 100000}, seconds[] = {4e-6, 4e-6, 1e-4};
    plan_link_t link[RANKS * RANKS];
    size_t out[RANKS * RANKS], all[RANKS * RANKS], n = 0;
    plan_resource_t resource[2] = {{.name = "out", .s_per_byte = 5e-9, .link = out},
                                   {.name = "processors", .s_per_message = 1e-6, .link = all}};
    plan_platform_t *pf = NULL;
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++) {
            if (u == v) continue;
            if (host[u] == 1 && host[v] != 1) out[resource[0].nlinks++] = n;
            all[resource[1].nlinks++] = n;
            link[n++] = (plan_link_t){u, v, 1e-6, 1e-9 * (u + v), 0, -1};
        }
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = RANKS,
                              .nlinks = n,
                              .link = link,
                              .nresources = 2,
                              .resource = resource,
                              .host = host,
                              .ports = PLAN_PORTS_NONE,
                              .nshared = nshared,
                              .shared_bytes = bytes,
                              .shared_s = seconds};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static void leaders_keep_their_links_and_what_these_share(void)
{
    plan_platform_t *pf = platform(3), *part = NULL;
    int leader[HOSTS];
    CU_ASSERT_EQUAL_FATAL(plani_leaders_create(pf, 4, leader, &part, NULL), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(part);
    CU_ASSERT(leader[0] == 0 && leader[1] == 4 && leader[2] == 2); /* the root, elsewhere the first */
    CU_ASSERT(d->ranks == HOSTS && d->hosts == HOSTS && d->nlinks == 6 && d->nshared == 0);
    for (size_t l = 0; l < d->nlinks; l++) {
        const plan_link_t *k = &d->link[l];
        CU_ASSERT_DOUBLE_EQUAL(k->s_per_byte, 1e-9 * (leader[k->from] + leader[k->to]), 1e-15);
    }
    CU_ASSERT_EQUAL_FATAL(d->nresources, 2);
    CU_ASSERT(d->resource[0].nlinks == 2 && d->resource[0].s_per_byte == 5e-9);
    CU_ASSERT(d->link[d->resource[0].link[0]].from == 1 && d->link[d->resource[0].link[1]].from == 1);
    /* a third of 4 us, and of (100 - 4) us per 100,000 B, which a message costs inside its host */
    CU_ASSERT(d->resource[1].nlinks == 6);
    CU_ASSERT_DOUBLE_EQUAL(d->resource[1].s_per_message, 1e-6 + 4e-6 / 3, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(d->resource[1].s_per_byte, 96e-6 / 1e5 / 3, 1e-18);
    plan_platform_destroy(&part);
    plan_platform_destroy(&pf);
}

/* Of messages without bytes alone no time per byte follows. */
static void times_without_bytes_tell_of_no_rate(void)
{
    static const double bytes[] = {0, 1e6}, seconds[] = {4e-6, 1e-3};
    plan_platform_t *all = platform(3), *pf = NULL, *part = NULL;
    plan_platform_data_t d = *plan_platform_data(all);
    int leader[HOSTS];
    d.nshared = 2, d.shared_bytes = bytes, d.shared_s = seconds;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_leaders_create(pf, 4, leader, &part, NULL), PLAN_OK);
    const plan_resource_t *processors = &plan_platform_data(part)->resource[1];
    CU_ASSERT_DOUBLE_EQUAL(processors->s_per_message, 1e-6 + 4e-6 / 3, 1e-12);
    CU_ASSERT_EQUAL(processors->s_per_byte, 0);
    plan_platform_destroy(&part);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&all);
}

static void trees_of_leaders_become_trees_of_all_ranks(void)
{
    plan_platform_t *pf = platform(3), *part = NULL;
    int leader[HOSTS], n;
    const int parent[HOSTS] = {1, -1, 1}, order[HOSTS] = {2, 0, 1};
    plan_tree_t *tree = NULL, *all = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_leaders_create(pf, 4, leader, &part, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(HOSTS, parent, order, &tree), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_leaders_expand(plan_platform_data(pf), leader, tree, &all), PLAN_OK);
    const int want[RANKS] = {4, 4, 4, 0, -1, 2, 0};
    for (int r = 0; r < RANKS; r++) CU_ASSERT_EQUAL(plan_tree_data(all)->parent[r], want[r]);
    const int *child = plan_tree_children(all, 4, &n);
    CU_ASSERT(n == 3 && child[0] == 2 && child[1] == 0 && child[2] == 1); /* other hosts first, in their order */
    plan_tree_destroy(&tree);
    plan_tree_destroy(&all);
    plan_platform_destroy(&part);
    plan_platform_destroy(&pf);
}

static const plan_candidate_t *find(const plan_ranking_t *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (strcmp(ranking->candidate[i].name, name) == 0) return &ranking->candidate[i];
    return NULL;
}

/* One slice of 1,000 B: 4 us inside hosts after the best way between them. */
static void the_time_inside_hosts_comes_on_top(void)
{
    plan_platform_t *pf = platform(3), *part = NULL;
    int leader[HOSTS];
    plan_ranking_t *all = NULL, *between = NULL;
    const plan_choice_t two = {.size = sizeof two, .only = "two-level", .slice = 1000},
                        trees = {.size = sizeof trees, .slice = 1000};
    CU_ASSERT_EQUAL_FATAL(plani_leaders_create(pf, 4, leader, &part, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 4, 1000, &two, &all, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(part, 1, 1000, &trees, &between, NULL), PLAN_OK);
    const plan_candidate_t *c = find(all, "two-level");
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(c->run, PLAN_RUN_HOSTS);
    CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, between->candidate[0].predicted_s + 4e-6, 1e-12);
    plan_ranking_destroy(&all);
    plan_ranking_destroy(&between);
    plan_platform_destroy(&part);
    plan_platform_destroy(&pf);
}

enum { FOUR = 4 };
static const int pairs[FOUR] = {0, 0, 1, 1}; /* hosts */

/* Rank 3 leads the second host, and the leaders share the second resource alone. */
static void bottlenecks_of_leaders_are_named_as_on_the_whole_platform(void)
{
    static const struct {
        size_t nresources;
        double inside_s;
        plan_bottleneck_t want;
    } at[] = {{0, 4e-6, {PLAN_AT_SEND_PORT, 3, 101e-6}},
              {2, 4e-6, {PLAN_AT_RESOURCE, 1, 200e-6}},
              {2, 1e-3, {.seconds = 0}}}; /* shared memory has no name */
    static const double bytes[] = {1000};
    plan_link_t link[FOUR * FOUR];
    size_t inside[FOUR], between[FOUR * FOUR], n = 0;
    plan_resource_t resource[2] = {{.name = "inside", .s_per_byte = 1e-9, .link = inside},
                                   {.name = "between", .s_per_byte = 2e-7, .link = between}};
    for (int u = 0; u < FOUR; u++)
        for (int v = 0; v < FOUR; v++) {
            if (u == v) continue;
            if (pairs[u] != pairs[v]) between[resource[1].nlinks++] = n;
            if (pairs[u] == 0 && pairs[v] == 0) inside[resource[0].nlinks++] = n;
            link[n++] = (plan_link_t){u, v, 1e-6, 1e-7, 0, -1};
        }
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        const plan_choice_t two = {.size = sizeof two, .only = "two-level", .slice = 1000};
        const plan_platform_data_t d = {.size = sizeof d,
                                        .ranks = FOUR,
                                        .nlinks = n,
                                        .link = link,
                                        .nresources = at[i].nresources,
                                        .resource = resource,
                                        .host = pairs,
                                        .nshared = 1,
                                        .shared_bytes = bytes,
                                        .shared_s = &at[i].inside_s};
        plan_platform_t *pf = NULL;
        plan_ranking_t *ranking = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 3, 1000, &two, &ranking, NULL), PLAN_OK);
        const plan_candidate_t *c = find(ranking, "two-level");
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        CU_ASSERT(c->bottleneck.at == at[i].want.at && c->bottleneck.index == at[i].want.index);
        CU_ASSERT_DOUBLE_EQUAL(c->bottleneck.seconds, at[i].want.seconds, 1e-12);
        CU_ASSERT(isnan(c->lp_ratio)); /* of one port the bound counts messages inside hosts */
        CU_ASSERT(!ranking->bound_of_machine && plani_ranking_shares_memory(ranking));
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
}

static void without_times_of_shared_memory_there_is_one_level(void)
{
    plan_platform_t *pf = platform(0);
    plan_ranking_t *ranking = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 1000, NULL, &ranking, NULL), PLAN_OK);
    CU_ASSERT_PTR_NULL(find(ranking, "two-level"));
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

/* From host to host by ranks that do not lead. */
static void without_ways_between_leaders_there_is_one_level(void)
{
    static const double bytes[] = {8, 1000}, seconds[] = {1e-6, 2e-6};
    static const plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {1, 3, 1e-6, 1e-9, 0, -1}, {3, 2, 1e-6, 1e-9, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = FOUR,
                                    .nlinks = 3,
                                    .link = link,
                                    .host = pairs,
                                    .nshared = 2,
                                    .shared_bytes = bytes,
                                    .shared_s = seconds};
    plan_platform_t *pf = NULL;
    plan_ranking_t *ranking = NULL;
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 1000, NULL, &ranking, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    CU_ASSERT_PTR_NULL(find(ranking, "two-level"));
    CU_ASSERT_PTR_NOT_NULL(find(ranking, "best-tree"));
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("leaders", TEST(leaders_keep_their_links_and_what_these_share), TEST(times_without_bytes_tell_of_no_rate),
           TEST(trees_of_leaders_become_trees_of_all_ranks), TEST(the_time_inside_hosts_comes_on_top),
           TEST(bottlenecks_of_leaders_are_named_as_on_the_whole_platform),
           TEST(without_times_of_shared_memory_there_is_one_level),
           TEST(without_ways_between_leaders_there_is_one_level))
