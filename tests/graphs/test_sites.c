/* A cluster spec becomes the platform that bench/clusters/README.md describes, or an error that names the place. */
#include "graphs/platform/reach.h"
#include "suite.h"
#include "alloc.h"
#include <planbcast/generate.h>
#include "lib/base/base.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[] = "test_sites.XXXXXX";

/* The platform of a spec given as text. */
static plan_status_t generate(const char *spec, plan_platform_t **pf, plan_error_t *err)
{
    strcpy(strrchr(path, '.'), ".XXXXXX");
    int fd = mkstemp(path);
    if (fd < 0) return PLAN_EIO;
    close(fd);
    plan_status_t rc = plani_write_file(path, spec, strlen(spec), err);
    if (rc == PLAN_OK) rc = plan_generate_sites(path, pf, err);
    unlink(path);
    return rc;
}

#define HEAD "{\"format\":\"planbcast-cluster\",\"version\":1,\"name\":\"test\","
#define RATES(in, out) "\"in_bytes_per_s\":" #in ",\"out_bytes_per_s\":" #out
#define HOST(count, ranks) "{\"count\":" #count ",\"ranks\":" #ranks "," RATES(2e7, 4e7) ",\"latency_s\":1e-5}"

/* Two sites, the first with a rack:  a: a-0 a-1 (2 ranks each), rack: a-2 (1 rank);  b: b-0 (3 ranks), no trunk. */
#define TWO_SITES(placement)                                                                                           \
    HEAD "\"sites\":[{\"name\":\"a\",\"trunk\":{" RATES(1e7, 8e6) ",\"latency_s\":1e-3},\"hosts\":[" HOST(             \
        2, 2) "],\"groups\":[{\"trunk\":{" RATES(5e6,                                                                  \
                                                 6e6) ",\"latency_s\":1e-4},\"hosts\":["                               \
                                                      "{" RATES(3e6, 1e9) "}]}]},{\"name\":\"b\",\"hosts\":[" HOST(    \
                                                          1, 3) "]}]" placement "}"

static const plan_link_t *link_of(const plan_platform_t *pf, int from, int to)
{
    return &plan_platform_data(pf)->link[plan_platform_find_link(pf, from, to)];
}

static void links_cost_what_their_way_allows(void)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;

    CU_ASSERT_EQUAL_FATAL(generate(TWO_SITES(""), &pf, &err), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    static const int host[] = {0, 0, 1, 1, 2, 3, 3, 3}, site[] = {0, 0, 0, 0, 0, 1, 1, 1};
    CU_ASSERT(d->ranks == 8 && d->nlinks == 56 && d->hosts == 4 && d->sites == 2);
    CU_ASSERT_EQUAL(memcmp(d->host, host, sizeof host), 0);
    CU_ASSERT_EQUAL(memcmp(d->site, site, sizeof site), 0);
    CU_ASSERT_STRING_EQUAL(d->host_name[2], "a-2");
    CU_ASSERT_STRING_EQUAL(d->host_name[3], "b-0");
    CU_ASSERT_STRING_EQUAL(d->site_name[1], "b");
    CU_ASSERT_EQUAL(link_of(pf, 0, 1)->s_per_byte, 1 / 5e9); /* memory */
    CU_ASSERT_EQUAL(link_of(pf, 0, 1)->latency_s, 5e-7);
    CU_ASSERT_EQUAL(link_of(pf, 0, 2)->s_per_byte, 1 / 2e7); /* card in */
    CU_ASSERT_DOUBLE_EQUAL(link_of(pf, 0, 2)->delay_s, 2e-5, 1e-18);
    CU_ASSERT_EQUAL(link_of(pf, 0, 2)->latency_s, 1e-6);
    CU_ASSERT_EQUAL(link_of(pf, 0, 4)->s_per_byte, 1 / 3e6); /* card of the rack's host */
    CU_ASSERT_DOUBLE_EQUAL(link_of(pf, 0, 4)->delay_s, 1e-5 + 1e-4, 1e-18);
    CU_ASSERT_EQUAL(link_of(pf, 4, 0)->s_per_byte, 1 / 2e7); /* trunks are resources, */
    CU_ASSERT_EQUAL(link_of(pf, 0, 5)->s_per_byte, 1 / 2e7); /* and leave the ports to others: */
    CU_ASSERT_EQUAL(link_of(pf, 5, 0)->s_per_byte, 1 / 2e7); /* the slower card holds them */
    CU_ASSERT_DOUBLE_EQUAL(link_of(pf, 4, 7)->delay_s, 1e-4 + 1e-3 + 1e-5, 1e-18);
    plan_platform_destroy(&pf);
}

/* Oracle: whether a resource should list u -> v, from its name and where the ranks are. */
static bool should_list(const plan_platform_data_t *d, const char *name, int u, int v)
{
    char what[64] = "";
    bool a = false, b = false; /* u, v inside of it */

    for (int h = 0; h < d->hosts; h++) {
        snprintf(what, sizeof what, "host %s ", d->host_name[h]);
        if (strncmp(name, what, strlen(what)) == 0) a = d->host[u] == h, b = d->host[v] == h;
    }
    if (strncmp(name, "site a ", 7) == 0) a = d->site[u] == 0, b = d->site[v] == 0;
    if (strncmp(name, "group a.0 ", 10) == 0) a = u == 4, b = v == 4;
    if (strstr(name, " memory") != NULL) return a && b;
    return strstr(name, " out") != NULL ? a && !b : b && !a;
}

static void resources_are_shared_by_those_who_pass(void)
{
    static const struct {
        const char *name;
        double rate;
    } expected[] = {{"host a-0 out", 4e7},    {"host a-0 in", 2e7},         {"host a-0 memory", 5e9},
                    {"host a-1 out", 4e7},    {"host a-1 in", 2e7},         {"host a-1 memory", 5e9},
                    {"host a-2 out", 1e9},    {"host a-2 in", 3e6},         {"host b-0 out", 4e7},
                    {"host b-0 in", 2e7},     {"host b-0 memory", 5e9},     {"site a trunk out", 8e6},
                    {"site a trunk in", 1e7}, {"group a.0 trunk out", 6e6}, {"group a.0 trunk in", 5e6}};
    plan_platform_t *pf = NULL;

    CU_ASSERT_EQUAL_FATAL(generate(TWO_SITES(""), &pf, NULL), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_EQUAL_FATAL(d->nresources, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < d->nresources; i++) {
        const plan_resource_t *r = &d->resource[i];
        size_t wrong = 0, listed = 0;
        CU_ASSERT_STRING_EQUAL(r->name, expected[i].name);
        CU_ASSERT_EQUAL(r->s_per_byte, 1 / expected[i].rate);
        for (size_t l = 0; l < d->nlinks; l++) {
            bool in = listed < r->nlinks && r->link[listed] == l;
            listed += in;
            wrong += in != should_list(d, r->name, d->link[l].from, d->link[l].to);
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
    plan_platform_destroy(&pf);
}

/* So much of each card and trunk as it carries in 1 ms, at least 9000 B; of memory and without the member none. */
static void bursts_are_those_of_rates(void)
{
    for (int given = 0; given < 2; given++) {
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(
            generate(given ? TWO_SITES(",\"burst\":{\"seconds\":1e-3,\"bytes\":9000}") : TWO_SITES(""), &pf, NULL),
            PLAN_OK);
        const plan_platform_data_t *d = plan_platform_data(pf);
        for (size_t i = 0; i < d->nresources; i++) {
            const plan_resource_t *r = &d->resource[i];
            double burst = fmax(9000, 1e-3 / r->s_per_byte);
            CU_ASSERT_EQUAL(r->burst_bytes, given && strstr(r->name, " memory") == NULL ? burst : 0);
        }
        plan_platform_destroy(&pf);
    }
}

static void ranks_are_placed_as_described(void)
{
    static const int cyclic[] = {0, 3, 1, 2, 0, 3, 1, 3};
    plan_platform_t *pf = NULL, *again = NULL;

    CU_ASSERT_EQUAL_FATAL(generate(TWO_SITES(",\"placement\":\"cyclic\""), &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(memcmp(plan_platform_data(pf)->host, cyclic, sizeof cyclic), 0);
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(generate(TWO_SITES(",\"placement\":\"shuffled\",\"seed\":3"), &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(generate(TWO_SITES(",\"placement\":\"shuffled\",\"seed\":3"), &again, NULL), PLAN_OK);
    int count[4] = {0};
    for (int r = 0; r < 8; r++) count[plan_platform_data(pf)->host[r]]++;
    CU_ASSERT(count[0] == 2 && count[1] == 2 && count[2] == 1 && count[3] == 3);
    CU_ASSERT_EQUAL(memcmp(plan_platform_data(pf)->host, plan_platform_data(again)->host, 8 * sizeof(int)), 0);
    static const int shuffled[] = {0, 3, 1, 2, 1, 3, 3, 0}; /* as seed 3 has it */
    CU_ASSERT_EQUAL(memcmp(plan_platform_data(pf)->host, shuffled, sizeof shuffled), 0);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&again);
}

/* Names that do not serve as host names, or serve two sites, give way to numbers. */
static void sites_without_a_good_name_are_numbered(void)
{
    static const char *const expected[] = {"site0", "site1", "ok-1", "site3", "site4"};
    plan_platform_t *pf = NULL;
#define SITE(name) "{" name "\"hosts\":[" HOST(1, 1) "]}"
    CU_ASSERT_EQUAL_FATAL(generate(HEAD "\"sites\":[" SITE("\"name\":\"x\",") "," SITE("\"name\":\"x\",") "," SITE(
                                       "\"name\":\"ok-1\",") "," SITE("\"name\":\"1st\",") "," SITE("") "]}",
                                   &pf, NULL),
                          PLAN_OK);
    for (int s = 0; s < 5; s++) CU_ASSERT_STRING_EQUAL(plan_platform_data(pf)->site_name[s], expected[s]);
    CU_ASSERT_STRING_EQUAL(plan_platform_data(pf)->host_name[2], "ok-1-0");
    plan_platform_destroy(&pf);
}

static const struct {
    const char *spec, *place;
} refused[] = {
    {"", "line 1"},
    {"{\"format\":\"planbcast-platform\",\"version\":1}", "format is \"planbcast-platform\""},
    {"{\"format\":\"planbcast-cluster\",\"version\":2}", "version"},
    {HEAD "\"sites\":[]}", "sites holds 0"},
    {HEAD "\"sites\":{}}", "sites should be a list"},
    {HEAD "\"seed\":1}", "sites is missing"},
    {HEAD "\"sites\":[7]}", "sites[0] should be an object"},
    {HEAD "\"sites\":[{}]}", "sites[0] has no hosts"},
    {HEAD "\"sites\":[{\"hosts\":{}}]}", "sites[0].hosts should be a list"},
    {HEAD "\"sites\":[{\"hosts\":[7]}]}", "sites[0].hosts[0] should be an object"},
    {HEAD "\"sites\":[{\"hosts\":[{}]}]}", "sites[0].hosts[0].in_bytes_per_s is missing"},
    {HEAD "\"sites\":[{\"hosts\":[{" RATES(1e6, 0) "}]}]}", "sites[0].hosts[0].out_bytes_per_s is 0"},
    {HEAD "\"sites\":[{\"hosts\":[{" RATES(-1e6, 1e6) "}]}]}", "sites[0].hosts[0].in_bytes_per_s is -1e+06"},
    {HEAD "\"sites\":[{\"hosts\":[{" RATES(1e6, 1e12) "}]}]}", "sites[0].hosts[0].out_bytes_per_s is 1e+12"},
    {HEAD "\"sites\":[{\"hosts\":[{" RATES(1e6, 1e6) ",\"latency_s\":-1}]}]}", "sites[0].hosts[0].latency_s is -1"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(0, 1) "]}]}", "sites[0].hosts[0].count is 0"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1.5, 1) "]}]}", "sites[0].hosts[0].count is 1.5"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 0) "]}]}", "sites[0].hosts[0].ranks is 0"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1048577) "]}]}", "sites[0].hosts[0].ranks is 1048577"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(2, 1048576) "]}]}", "sites[0].hosts[0] is too much"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(16384, 1) "," HOST(1, 1) "]}]}", "sites[0].hosts[1] is too much"},
    {HEAD "\"sites\":[{\"trunk\":{},\"hosts\":[" HOST(1, 1) "]}]}", "sites[0].trunk.in_bytes_per_s is missing"},
    {HEAD "\"sites\":[{\"trunk\":5,\"hosts\":[" HOST(1, 1) "]}]}", "sites[0].trunk should be an object"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "],\"groups\":[{\"groups\":[3]}]}]}", "sites[0].groups[0].groups[0]"},
    {HEAD "\"sites\":[{\"name\":5,\"hosts\":[" HOST(1, 1) "]}]}", "sites[0].name is not a string"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"memory\":{\"bytes_per_s\":0}}", "memory.bytes_per_s is 0"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"memory\":[]}", "memory should be an object"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"burst\":3}", "burst should be an object"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"burst\":{\"seconds\":-1}}", "burst.seconds is -1"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"burst\":{\"bytes\":\"1\"}}", "burst.bytes is not a number"},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"placement\":\"round\"}", "placement is \"round\""},
    {HEAD "\"sites\":[{\"hosts\":[" HOST(1, 1) "]}],\"seed\":-1}", "seed is -1"},
};

static void what_is_wrong_with_a_spec_is_said_in_one_line(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        plan_platform_t *pf = NULL;
        plan_error_t err;
        CU_ASSERT_EQUAL(generate(refused[i].spec, &pf, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL(pf);
        bool named = strncmp(err.text, "test_sites.", 11) == 0 && strstr(err.text, refused[i].place) != NULL;
        if (!named) printf("\n   wanted \"%s\" in \"%s\"", refused[i].place, err.text);
        CU_ASSERT_TRUE(named);
    }
    plan_platform_t *pf = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL(generate(HEAD "\"sites\":[{\"hosts\":[" HOST(2, 4096) "]}]}", &pf, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "each pair of 8192 ranks"));
    CU_ASSERT_EQUAL(plan_generate_sites("no-such-file", &pf, NULL), PLAN_EIO);
}

static void groups_nested_too_deeply_are_refused(void)
{
    char spec[4096] = HEAD "\"sites\":[";
    plan_platform_t *pf = NULL;
    plan_error_t err;
    for (int i = 0; i < 20; i++) strcat(spec, "{\"hosts\":[" HOST(1, 1) "],\"groups\":[");
    for (int i = 0; i < 20; i++) strcat(spec, "]}");
    strcat(spec, "]}");
    CU_ASSERT_EQUAL(generate(spec, &pf, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "nested too deeply"));
}

static void the_clusters_of_the_bench_are_connected(void)
{
    DIR *folder = opendir(PLANBCAST_CLUSTERS);
    int specs = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char spec[512];
        plan_platform_t *pf = NULL;
        plan_error_t err;
        if (strstr(entry->d_name, ".json") == NULL) continue;
        snprintf(spec, sizeof spec, "%s/%s", PLANBCAST_CLUSTERS, entry->d_name);
        CU_ASSERT_EQUAL_FATAL(plan_generate_sites(spec, &pf, &err), PLAN_OK);
        CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 0, &err), PLAN_OK);
        plan_platform_destroy(&pf);
        specs++;
    }
    closedir(folder);
    CU_ASSERT(specs > 0);
}

static void every_failing_allocation_is_reported(void)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;
    ALLOC_EACH(generate(TWO_SITES(",\"placement\":\"cyclic\""), &pf, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
               CU_ASSERT_EQUAL(err.status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(pf));
    plan_platform_destroy(&pf);
}

SUITE_MAIN("sites", TEST(links_cost_what_their_way_allows), TEST(resources_are_shared_by_those_who_pass),
           TEST(bursts_are_those_of_rates), TEST(ranks_are_placed_as_described),
           TEST(sites_without_a_good_name_are_numbered), TEST(what_is_wrong_with_a_spec_is_said_in_one_line),
           TEST(groups_nested_too_deeply_are_refused), TEST(the_clusters_of_the_bench_are_connected),
           TEST(every_failing_allocation_is_reported))
