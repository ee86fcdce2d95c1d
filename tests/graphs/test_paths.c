/* Shortest paths against the Floyd-Warshall algorithm, and the tie-breaking rule. */
#include "suite.h"
#include "graphs/platform/paths.h"
#include "planner/sample.h"
#include <math.h>

enum { N = 12 };

static void floyd_warshall(const plan_platform_data_t *d, double slice, double dist[N][N])
{
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) dist[u][v] = u == v ? 0 : INFINITY;
    for (size_t l = 0; l < d->nlinks; l++) dist[d->link[l].from][d->link[l].to] = plan_link_cost(&d->link[l], slice);
    for (int k = 0; k < N; k++)
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++) dist[u][v] = fmin(dist[u][v], dist[u][k] + dist[k][v]);
}

/* With small integers for costs many paths are equally short: the last link is the lowest that lies on one of them. */
static void paths_are_shortest_and_ties_go_to_the_lowest_link(void)
{
    int wrong = 0, tied = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        plan_platform_t *pf =
            sample_platform(&(sample_t){.ranks = N, .density = 0.25, .costs = (int)(seed % 4), .seed = seed});
        const plan_platform_data_t *d = plan_platform_data(pf);
        plani_paths_t *paths = NULL;
        double dist[N][N];
        size_t via[N];
        floyd_warshall(d, 2, dist);
        CU_ASSERT_EQUAL_FATAL(plani_paths_create(pf, 2, &paths), PLAN_OK);
        for (int u = 0; u < N; u++) {
            CU_ASSERT_EQUAL_FATAL(plani_paths_from(paths, u, via), PLAN_OK);
            wrong += via[u] != (size_t)-1;
            for (int v = 0; v < N; v++) {
                size_t lowest = (size_t)-1;
                int many = 0;
                for (size_t l = d->nlinks; u != v && l-- > 0;) {
                    if (d->link[l].to != v) continue;
                    double over = dist[u][d->link[l].from] + plan_link_cost(&d->link[l], 2) - dist[u][v];
                    if (fabs(over) < 1e-9) lowest = l, many++;
                }
                wrong += via[v] != lowest;
                tied += many > 1;
            }
        }
        plani_paths_destroy(&paths);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(tied > 100);
}

static void ranks_out_of_reach_have_no_link(void)
{
    static const plan_link_t link[] = {{0, 1, 0, 1, 0, -1}, {2, 0, 0, 1, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    plani_paths_t *paths = NULL;
    size_t via[3];
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_paths_create(pf, 1, &paths), PLAN_OK);
    CU_ASSERT_EQUAL(plani_paths_from(paths, 0, via), PLAN_OK);
    CU_ASSERT(via[0] == (size_t)-1 && via[1] == 0 && via[2] == (size_t)-1);
    CU_ASSERT_EQUAL(plani_paths_from(paths, 3, via), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_paths_from(paths, -1, via), PLAN_EINVAL);
    plani_paths_destroy(&paths);
    plani_paths_destroy(&paths);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("paths", TEST(paths_are_shortest_and_ties_go_to_the_lowest_link), TEST(ranks_out_of_reach_have_no_link))
