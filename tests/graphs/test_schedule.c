/* Schedules of rounds, simulated among all places by an oracle that does not depend on their kinds. */
#include "graphs/trees/rounds.h"
#include "suite.h"
#include "oracle/schedule_check.h"
#include <stdio.h>
#include <string.h>

static void every_place_receives_every_block_once(plan_schedule_kind_t kind, int places, size_t blocks)
{
    const char *fault = schedule_fault(kind, places, blocks);
    CU_ASSERT_PTR_NULL(fault);
    if (fault != NULL) printf("\n    %s, %d places, %zu blocks: %s", plan_schedule_name(kind), places, blocks, fault);
}

static void scattered_blocks_come_to_all(void)
{
    for (int p = 1; p <= 140; p++) {
        every_place_receives_every_block_once(PLAN_SCATTER_RING, p, (size_t)p);
        every_place_receives_every_block_once(PLAN_SCATTER_DOUBLING, p, (size_t)p);
    }
    every_place_receives_every_block_once(PLAN_SCATTER_RING, 777, 777);
    every_place_receives_every_block_once(PLAN_SCATTER_DOUBLING, 1025, 1025);
}

static void circulant_blocks_come_to_all(void)
{
    for (int p = 1; p <= 40; p++)
        for (size_t n = 1; n <= 40; n++) every_place_receives_every_block_once(PLAN_CIRCULANT, p, n);
    for (int p = 41; p <= 400; p += 7) every_place_receives_every_block_once(PLAN_CIRCULANT, p, 1 + (size_t)p % 37);
    for (int p = 401; p <= 2000; p += 271) every_place_receives_every_block_once(PLAN_CIRCULANT, p, 29);
    every_place_receives_every_block_once(PLAN_CIRCULANT, 1 << 13, 3);
    every_place_receives_every_block_once(PLAN_CIRCULANT, (1 << 13) + 1, 20);
}

static size_t rounds(plan_schedule_kind_t kind, int places, size_t blocks)
{
    plani_schedule_t s;
    return plani_schedule_init(kind, places, 0, &s) == PLAN_OK ? plani_schedule_rounds(&s, blocks) : (size_t)-1;
}

static void rounds_are_those_of_the_closed_forms(void)
{
    for (int p = 2, q = 1; p <= 3000; p++) {
        while (1 << q < p) q++;
        for (size_t n = 1; n < 1000000; n = 3 * n + 1) CU_ASSERT_EQUAL(rounds(PLAN_CIRCULANT, p, n), n - 1 + (size_t)q);
        CU_ASSERT_EQUAL(rounds(PLAN_SCATTER_RING, p, (size_t)p), (size_t)(q + p - 1));
        CU_ASSERT_EQUAL(rounds(PLAN_SCATTER_DOUBLING, p, (size_t)p), (size_t)(2 * q));
    }
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++) CU_ASSERT_EQUAL(rounds((plan_schedule_kind_t)kind, 1, 1), 0);
}

static void what_a_place_receives_follows_from_its_number_alone_also_among_millions(void)
{
    const int many[] = {1 << 22, (1 << 22) - 1, 3000017, 2147483647};
    for (int i = 0; i < 4; i++)
        for (long long v = 1; v < many[i]; v += many[i] / 97) {
            plani_schedule_t s, from;
            unsigned seen = 0;
            CU_ASSERT_EQUAL_FATAL(plani_schedule_init(PLAN_CIRCULANT, many[i], (int)v, &s), PLAN_OK);
            for (int k = 0; k < s.steps; k++) { /* all blocks of a phase, each of them sent by whom it comes from */
                int source = (int)((v - s.skip[k] + many[i]) % many[i]);
                seen |= 1U << (s.brings[k] + s.steps) % s.steps;
                CU_ASSERT_EQUAL_FATAL(plani_schedule_init(PLAN_CIRCULANT, many[i], source, &from), PLAN_OK);
                CU_ASSERT_EQUAL(from.sends[k], s.brings[k]);
                int has = source == 0 ? s.brings[k] == k : 0;
                for (int j = 0; source != 0 && j < s.steps; j++)
                    has |= from.brings[j] == s.brings[k] ? j < k : from.brings[j] - s.steps == s.brings[k];
                CU_ASSERT(has);
            }
            CU_ASSERT_EQUAL(seen, (1U << s.steps) - 1);
        }
}

static void blocks_follow_the_slices_or_the_places(void)
{
    CU_ASSERT_EQUAL(plani_schedule_blocks(PLAN_CIRCULANT, 9, 1000, 300), 4);
    CU_ASSERT_EQUAL(plani_schedule_blocks(PLAN_CIRCULANT, 9, 1000, 0), 1);
    CU_ASSERT_EQUAL(plani_schedule_blocks(PLAN_CIRCULANT, 9, 0, 10), 1);
    CU_ASSERT_EQUAL(plani_schedule_blocks(PLAN_SCATTER_RING, 9, 1000, 0), 9);
    CU_ASSERT_EQUAL(plani_schedule_blocks(PLAN_SCATTER_DOUBLING, 5, 3, 0), 5);
}

static void names_lead_back_to_kinds_and_bad_requests_are_refused(void)
{
    plan_schedule_kind_t kind;
    plani_schedule_t s;
    for (int k = 0; k < PLAN_SCHEDULES; k++) {
        CU_ASSERT_EQUAL(plani_schedule_from_name(plan_schedule_name((plan_schedule_kind_t)k), &kind), PLAN_OK);
        CU_ASSERT_EQUAL((int)kind, k);
    }
    CU_ASSERT_EQUAL(plani_schedule_from_name("ring", &kind), PLAN_EINVAL);
    CU_ASSERT_STRING_EQUAL(plan_schedule_name(PLAN_SCHEDULES), "?");
    CU_ASSERT_EQUAL(plani_schedule_init(PLAN_CIRCULANT, 0, 0, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_schedule_init(PLAN_CIRCULANT, 3, 3, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_schedule_init(PLAN_CIRCULANT, 3, -1, &s), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_schedule_init(PLAN_SCHEDULES, 3, 0, &s), PLAN_EINVAL);
}

SUITE_MAIN("schedule", TEST(scattered_blocks_come_to_all), TEST(circulant_blocks_come_to_all),
           TEST(rounds_are_those_of_the_closed_forms),
           TEST(what_a_place_receives_follows_from_its_number_alone_also_among_millions),
           TEST(blocks_follow_the_slices_or_the_places), TEST(names_lead_back_to_kinds_and_bad_requests_are_refused))
