/* Measuring one card or trunk again: what the rate of the flows says. Without ranks. */
#include "lib/mpi/decide/decide.h"
#include "suite.h"
#include <math.h>
#include <string.h>

/* Of racks of eight hosts whose cards carry 10 MB/s, behind trunks of 60 MB/s, a job has two hosts each. */
static plani_machine_t *make(void)
{
    static const char text[] =
        "{\"format\": \"planbcast-machine\", \"version\": 1, \"name\": \"m\", \"kinds\": "
        "[{\"name\": \"k\", \"out\": {\"bytes_per_s\": 1e7}, \"in\": {\"bytes_per_s\": 1e7}}], \"groups\": ["
        "{\"name\": \"a\", \"out\": {\"bytes_per_s\": 6e7}, \"in\": {\"bytes_per_s\": 6e7}, "
        "\"hosts\": [{\"names\": \"a[0-7]\", \"kind\": \"k\"}]}, "
        "{\"name\": \"b\", \"out\": {\"bytes_per_s\": 6e7}, \"in\": {\"bytes_per_s\": 6e7}, "
        "\"hosts\": [{\"names\": \"b[0-7]\", \"kind\": \"k\"}]}]}";
    plani_machine_t *m = NULL;
    plan_error_t err = {.text = ""};
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "m.json", &m, &err), PLAN_OK);
    return m;
}

static double together; /* [B/s] that the flows of a step get */

static int run(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    (void)engine;
    size_t flows = 0;
    while (flows < n && task[flows].step == task[0].step) flows++;
    for (size_t i = 0; i < n; i++) {
        result[i].n = PLANI_LOG;
        for (int k = 0; k < PLANI_LOG; k++) {
            result[i].a[k] = task[i].seconds * (k + 1) / PLANI_LOG;
            result[i].b[k] = together / (double)flows * result[i].a[k];
        }
    }
    return PLAN_OK;
}

static plani_again_found_t measure(const plani_machine_t *m, plani_direction_t direction, double rate)
{
    const int host[] = {plani_machine_find(m, "a0"), plani_machine_find(m, "b0"), plani_machine_find(m, "a1"),
                        plani_machine_find(m, "b1")};
    const plani_again_t what = {
        .machine = m, .part = {direction, true, m->host[host[0]].group}, .host = host, .rate = rate};
    plani_engine_t engine = {.ranks = 4, .run = run};
    plani_again_found_t found = {.rate = 0};

    together = rate;
    CU_ASSERT_EQUAL(plani_run_again(&engine, &what, &found), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(found.rate, rate, 0.02 * rate);
    CU_ASSERT_DOUBLE_EQUAL(found.without, 2e7, 1);
    return found;
}

/* Two cards on each side let 20 MB/s pass. */
static void a_trunk_that_few_hosts_cannot_fill_is_not_lowered(void)
{
    plani_machine_t *m = make();
    plani_again_found_t found = measure(m, PLANI_PART_OUT, 2e7);

    CU_ASSERT(found.at_least);
    CU_ASSERT(!plani_again_changed(&found, 1e9, 5e6)); /* nearer to these, but no rate of the trunk */
    CU_ASSERT(!plani_again_changed(&found, 6e7, 1.9e7));
    CU_ASSERT(plani_again_changed(&found, 8e6, 1.9e7)); /* but it carries more than the machine says */
    found = measure(m, PLANI_PART_IN, 1.8e7);
    CU_ASSERT(found.at_least && !plani_again_changed(&found, 6e7, 5e6));
    plani_machine_destroy(&m);
}

static void what_is_less_than_the_cards_let_pass_is_the_rate_of_the_trunk(void)
{
    plani_machine_t *m = make();
    plani_again_found_t found = measure(m, PLANI_PART_IN, 6e6);

    CU_ASSERT(!found.at_least);
    CU_ASSERT(plani_again_changed(&found, 6e7, 5e6));
    CU_ASSERT(!plani_again_changed(&found, 6e7, 1e6)); /* nearer to 20 MB/s */
    CU_ASSERT(!plani_again_changed(&found, 6.2e6, 3e6));
    found.rate = 0; /* nobody was on the other side */
    CU_ASSERT(!plani_again_changed(&found, 6e7, 5e6));
    plani_machine_destroy(&m);
}

SUITE_MAIN("again", TEST(a_trunk_that_few_hosts_cannot_fill_is_not_lowered),
           TEST(what_is_less_than_the_cards_let_pass_is_the_rate_of_the_trunk))
