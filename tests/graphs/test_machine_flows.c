/* What flows get of cards and trunks, apart from one of these. */
#include "graphs/machine/machine.h"
#include "suite.h"
#include "alloc.h"
#include <math.h>
#include <string.h>

/* Hosts a and b, with cards of 10 MB/s, are behind a trunk of 4 MB/s out and 9 MB/s in; c receives 3 MB/s and d 30
 * MB/s; the card of e is half-duplex, and that of f is not known. One flow from b to d gets 2 MB/s. */
static plani_machine_t *make(void)
{
    static const char text[] =
        "{\"format\": \"planbcast-machine\", \"version\": 1, \"name\": \"m\", \"kinds\": ["
        "{\"name\": \"k\", \"out\": {\"bytes_per_s\": 1e7}, \"in\": {\"bytes_per_s\": 1e7}}, "
        "{\"name\": \"weak\", \"out\": {\"bytes_per_s\": 1e7}, \"in\": {\"bytes_per_s\": 3e6}}, "
        "{\"name\": \"strong\", \"out\": {\"bytes_per_s\": 3e7}, \"in\": {\"bytes_per_s\": 3e7}}, "
        "{\"name\": \"half\", \"half_duplex\": true, \"out\": {\"bytes_per_s\": 6e6}, \"in\": {\"bytes_per_s\": 4e6}}, "
        "{\"name\": \"any\"}], \"groups\": ["
        "{\"name\": \"g\", \"out\": {\"bytes_per_s\": 4e6}, \"in\": {\"bytes_per_s\": 9e6}, "
        "\"hosts\": [{\"names\": \"a,b\", \"kind\": \"k\"}]}, "
        "{\"name\": \"h\", \"hosts\": [{\"names\": \"c\", \"kind\": \"weak\"}, {\"names\": \"d\", \"kind\": "
        "\"strong\"}, "
        "{\"names\": \"e\", \"kind\": \"half\"}, {\"names\": \"f\", \"kind\": \"any\"}]}], "
        "\"channels\": [{\"name\": \"net\", \"network\": true, \"latency_s\": 1e-5}], \"paths\": ["
        "{\"from\": {\"host\": \"b\"}, \"to\": {\"host\": \"d\"}, \"channel\": \"net\", \"flow_bytes_per_s\": 2e6}, "
        "{\"channel\": \"net\"}]}";
    plani_machine_t *m = NULL;
    plan_error_t err = {.text = ""};
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "m.json", &m, &err), PLAN_OK);
    return m;
}

static plani_machine_part_t trunk_of(const plani_machine_t *m, const char *host, plani_direction_t direction)
{
    return (plani_machine_part_t){direction, true, m->host[plani_machine_find(m, host)].group};
}

static plani_machine_part_t card_of(const plani_machine_t *m, const char *host, plani_direction_t direction)
{
    return (plani_machine_part_t){direction, false, plani_machine_find(m, host)};
}

/* "ac bd": from a to c, and from b to d. */
static double total(const plani_machine_t *m, plani_machine_part_t part, const char *flows)
{
    plani_host_flow_t flow[8];
    size_t n = 0;
    double sum = -1;

    for (const char *at = flows; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        const char from[] = {at[0], '\0'}, to[] = {at[1], '\0'};
        flow[n++] = (plani_host_flow_t){plani_machine_find(m, from), plani_machine_find(m, to)};
    }
    CU_ASSERT_EQUAL(plani_machine_flows_without(m, part, n, flow, &sum), PLAN_OK);
    return sum;
}

static void cards_at_both_ends_limit_flows(void)
{
    plani_machine_t *m = make();
    const struct {
        const char *flows;
        double rate;
    } known[] = {{"ad", 1e7},       {"ac", 3e6},        {"ac ad", 1e7}, /* 3 and 7 */
                 {"ac ad ad", 1e7}, {"ac bc", 3e6},     {"bd", 2e6},    /* its path */
                 {"ad bd", 1.2e7},  {"ae", 5e6},        {"ae ad", 1e7}, {"ad ad bd bd", 1.4e7},
                 {"af", 1e7},       {"ad bd ac", 1.2e7}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CU_ASSERT_DOUBLE_EQUAL(total(m, trunk_of(m, "a", PLANI_PART_OUT), known[i].flows), known[i].rate, 1);
    plani_machine_destroy(&m);
}

static void other_trunks_limit_them_and_the_part_does_not(void)
{
    plani_machine_t *m = make();

    CU_ASSERT_DOUBLE_EQUAL(total(m, trunk_of(m, "c", PLANI_PART_IN), "ad bd"), 4e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(total(m, card_of(m, "a", PLANI_PART_OUT), "ad ac"), 4e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(total(m, card_of(m, "c", PLANI_PART_IN), "dc ec"), 3.5e7, 1);
    CU_ASSERT_DOUBLE_EQUAL(total(m, trunk_of(m, "a", PLANI_PART_OUT), "da db"), 9e6, 1); /* not the way in */
    CU_ASSERT_DOUBLE_EQUAL(total(m, card_of(m, "e", PLANI_PART_BOTH), "ed"), 3e7, 1);
    CU_ASSERT(isinf(total(m, card_of(m, "d", PLANI_PART_OUT), "df")));
    plani_machine_destroy(&m);
}

static void every_allocation_may_fail(void)
{
    plani_machine_t *m = make();
    const plani_host_flow_t flow[] = {{0, 2}, {1, 3}};
    double sum;

    ALLOC_EACH(plani_machine_flows_without(m, card_of(m, "a", PLANI_PART_OUT), 2, flow, &sum),
               CU_ASSERT(status == PLAN_ENOMEM));
    plani_machine_destroy(&m);
}

SUITE_MAIN("machine flows", TEST(cards_at_both_ends_limit_flows), TEST(other_trunks_limit_them_and_the_part_does_not),
           TEST(every_allocation_may_fail))
