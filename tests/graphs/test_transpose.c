/* The transposed platform: every link reversed, with its costs and resources. */
#include "suite.h"
#include "alloc.h"
#include "graphs/platform/transpose.h"
#include <stdint.h>
#include <string.h>

enum { RANKS = 4 };

/* All links but 3 -> 0, each with costs of its own; a resource on the links out of rank 1, one on a single link. */
static plan_platform_t *uneven(void)
{
    plan_link_t link[RANKS * RANKS];
    size_t n = 0, out_of_1[RANKS], k = 0, one[1] = {5};
    plan_platform_t *pf = NULL;

    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++) {
            if (u == v || (u == 3 && v == 0)) continue;
            if (u == 1) out_of_1[k++] = n;
            link[n++] = (plan_link_t){.from = u, .to = v, .latency_s = 1e-6 * (1 + u), .s_per_byte = 1e-9 * (1 + v)};
        }
    plan_resource_t resource[2] = {{.name = "card of 1 out", .s_per_byte = 2e-9, .nlinks = k, .link = out_of_1},
                                   {.name = "one", .s_per_message = 1e-6, .nlinks = 1, .link = one}};
    plan_platform_data_t d = {.size = sizeof d,
                              .name = "uneven",
                              .ranks = RANKS,
                              .nlinks = n,
                              .link = link,
                              .nresources = 2,
                              .resource = resource,
                              .ports = PLAN_PORTS_NONE};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static bool uses(const plan_platform_data_t *d, size_t resource, size_t link)
{
    for (size_t k = 0; k < d->resource[resource].nlinks; k++)
        if (d->resource[resource].link[k] == link) return true;
    return false;
}

static void links_are_reversed_with_their_resources(void)
{
    plan_platform_t *pf = uneven(), *back = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_platform_transpose(pf, 0, &back, NULL), PLAN_OK);
    const plan_platform_data_t *a = plan_platform_data(pf), *b = plan_platform_data(back);
    CU_ASSERT_EQUAL(a->nlinks, b->nlinks);
    CU_ASSERT_EQUAL(b->nresources, 2);
    CU_ASSERT_EQUAL(b->ports, PLAN_PORTS_NONE);
    CU_ASSERT_STRING_EQUAL(b->name, "uneven");
    CU_ASSERT_EQUAL(plan_platform_find_link(back, 0, 3), SIZE_MAX);
    for (size_t i = 0; i < a->nlinks; i++) {
        size_t j = plan_platform_find_link(back, a->link[i].to, a->link[i].from);
        CU_ASSERT_NOT_EQUAL_FATAL(j, SIZE_MAX);
        CU_ASSERT_EQUAL(a->link[i].latency_s, b->link[j].latency_s);
        CU_ASSERT_EQUAL(a->link[i].s_per_byte, b->link[j].s_per_byte);
        for (size_t r = 0; r < 2; r++) CU_ASSERT_EQUAL(uses(a, r, i), uses(b, r, j));
    }
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
}

/* Who is busy with a slice is as busy with it after the reversal, at the other end, where receiving costs nothing, too.
 */
static void who_was_busy_sending_is_busy_receiving(void)
{
    static const double send_s[RANKS] = {1e-6, 2e-6, 3e-6, 4e-6}, send_s_per_byte[RANKS] = {1e-9, 2e-9, 3e-9, 4e-9},
                        receive_s[RANKS] = {5e-6, 6e-6, 7e-6, 8e-6}, bytes = 1000;
    for (int given = 0; given < 4; given++) {
        plan_platform_t *one = uneven(), *pf = NULL, *back = NULL;
        plan_platform_data_t d = *plan_platform_data(one);
        d.ports = PLAN_PORTS_MULTI;
        d.send_s = send_s;
        d.send_s_per_byte = given & 1 ? send_s_per_byte : NULL;
        d.receive_s = given & 2 ? receive_s : NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_platform_transpose(pf, 0, &back, NULL), PLAN_OK);
        const plan_platform_data_t *a = plan_platform_data(pf), *b = plan_platform_data(back);
        CU_ASSERT_EQUAL(b->ports, PLAN_PORTS_MULTI);
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT_EQUAL(plan_send_cost(b, r, bytes), plan_receive_cost(a, r, bytes));
            CU_ASSERT_EQUAL(plan_receive_cost(b, r, bytes), plan_send_cost(a, r, bytes));
        }
        plan_platform_destroy(&one);
        plan_platform_destroy(&pf);
        plan_platform_destroy(&back);
    }
}

/* The rank that a slice is sent to combines it: reversed, all links out of that rank share its processor. */
static void combining_takes_a_resource_of_each_rank(void)
{
    plan_platform_t *pf = uneven(), *back = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_platform_transpose(pf, 3e-10, &back, NULL), PLAN_OK);
    const plan_platform_data_t *b = plan_platform_data(back);
    CU_ASSERT_EQUAL_FATAL(b->nresources, 2 + RANKS);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(b->resource[2 + r].s_per_byte, 3e-10);
        for (size_t j = 0; j < b->nlinks; j++) CU_ASSERT_EQUAL(uses(b, (size_t)(2 + r), j), b->link[j].from == r);
    }
    CU_ASSERT_STRING_EQUAL(b->resource[3].name, "combining on rank 1");
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
}

static void every_failing_allocation_comes_back(void)
{
    plan_platform_t *pf = uneven(), *back = NULL;
    ALLOC_EACH(plani_platform_transpose(pf, 1e-10, &back, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
}

SUITE_MAIN("transpose", TEST(links_are_reversed_with_their_resources), TEST(who_was_busy_sending_is_busy_receiving),
           TEST(combining_takes_a_resource_of_each_rank), TEST(every_failing_allocation_comes_back))
