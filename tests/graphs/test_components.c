/* Components against the definition: which vertices reach each other, by the closure of the relation. */
#include "alloc.h"
#include "suite.h"
#include "graphs/platform/components.h"
#include "lib/base/splitmix.h"

enum { N = 12 };

static size_t draw(uint64_t *seed, int n, size_t nlinks, plan_link_t *link)
{
    for (size_t l = 0; l < nlinks; l++)
        link[l] = (plan_link_t){.from = (int)plani_random_below(seed, (uint32_t)n),
                                .to = (int)plani_random_below(seed, (uint32_t)n)};
    return nlinks;
}

/* \return how many; expected [n] by the lowest vertex */
static int by_definition(int n, const plan_link_t *link, size_t nlinks, plani_connected_t how, int *expected)
{
    bool to[N][N] = {{false}};
    int count = 0;

    for (int v = 0; v < n; v++) to[v][v] = true;
    for (size_t l = 0; l < nlinks; l++) {
        to[link[l].from][link[l].to] = true;
        if (how == PLANI_WEAK) to[link[l].to][link[l].from] = true;
    }
    for (int k = 0; k < n; k++)
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++) to[u][v] = to[u][v] || (to[u][k] && to[k][v]);
    for (int v = 0; v < n; v++) {
        int first = 0;
        while (!to[first][v] || !to[v][first]) first++;
        expected[v] = first == v ? count++ : expected[first];
    }
    return count;
}

static void components_are_those_of_the_definition(void)
{
    uint64_t seed = 5;
    int wrong = 0, several = 0;

    for (int trial = 0; trial < 400; trial++) {
        plani_connected_t how = trial % 2 ? PLANI_STRONG : PLANI_WEAK;
        plan_link_t link[2 * N];
        int n = 1 + trial % N, component[N], expected[N], count = 0;
        size_t nlinks = draw(&seed, n, (size_t)plani_random_below(&seed, 2 * (uint32_t)n), link);
        CU_ASSERT_EQUAL_FATAL(plani_components(n, link, nlinks, how, component, &count), PLAN_OK);
        wrong += count != by_definition(n, link, nlinks, how, expected);
        for (int v = 0; v < n; v++) wrong += component[v] != expected[v];
        several += count > 1 && count < n;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(several > 100);
}

static void memory_that_runs_out_is_reported(void)
{
    static const plan_link_t link[] = {{.from = 2, .to = 1}, {.from = 1, .to = 2}};
    int component[3], count = 0;

    ALLOC_EACH(plani_components(3, link, 2, PLANI_STRONG, component, &count), (void)0);
    CU_ASSERT(count == 2 && component[0] == 0 && component[1] == 1 && component[2] == 1);
    CU_ASSERT_EQUAL(plani_components(0, NULL, 0, PLANI_WEAK, component, &count), PLAN_OK);
    CU_ASSERT_EQUAL(count, 0);
}

SUITE_MAIN("components", TEST(components_are_those_of_the_definition), TEST(memory_that_runs_out_is_reported))
