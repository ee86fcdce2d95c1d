/* A platform is a checked, sorted, indexed copy; errors name the invalid member. */
#include "graphs/platform/reach.h"
#include "suite.h"
#include "alloc.h"
#include <planbcast/platform.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Complete graph of n ranks, links in descending order; freed by the caller. */
static plan_link_t *complete(int n, size_t *nlinks)
{
    plan_link_t *link = calloc((size_t)n * (size_t)n, sizeof *link);
    size_t k = 0;
    for (int u = n - 1; u >= 0; u--)
        for (int v = n - 1; v >= 0; v--)
            if (u != v) link[k++] = (plan_link_t){u, v, 1e-6 * (u + 1), 1e-9 * (v + 1), 0, -1};
    *nlinks = k;
    return link;
}

static void links_are_sorted_and_found(void)
{
    enum { N = 23 };
    size_t nlinks;
    plan_link_t *link = complete(N, &nlinks);
    plan_platform_data_t given = {.size = sizeof given, .ranks = N, .nlinks = nlinks, .link = link};
    plan_platform_t *pf = NULL;

    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&given, &pf, NULL), PLAN_OK);
    memset(link, 0x55, nlinks * sizeof *link); /* the platform holds its own */
    free(link);
    const plan_platform_data_t *d = plan_platform_data(pf);
    int wrong = 0;
    size_t k = 0;
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            if (u == v) continue;
            wrong += d->link[k].from != u || d->link[k].to != v || d->link[k].latency_s != 1e-6 * (u + 1);
            wrong += plan_platform_find_link(pf, u, v) != k || k < d->out_first[u] || k >= d->out_first[u + 1];
            k++;
        }
    CU_ASSERT_EQUAL(wrong, 0);
    for (int v = 0; v < N; v++)
        for (size_t i = d->in_first[v]; i < d->in_first[v + 1]; i++) {
            wrong += d->link[d->in_link[i]].to != v;
            wrong += i > d->in_first[v] && d->link[d->in_link[i]].from <= d->link[d->in_link[i - 1]].from;
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(d->in_first[N], nlinks);
    CU_ASSERT_EQUAL(plan_platform_find_link(pf, 3, 3), SIZE_MAX);
    CU_ASSERT_EQUAL(plan_platform_find_link(pf, -1, 3), SIZE_MAX);
    CU_ASSERT_EQUAL(plan_platform_find_link(pf, N, 3), SIZE_MAX);
    CU_ASSERT_EQUAL(plan_platform_find_link(pf, 3, N), SIZE_MAX);
    CU_ASSERT_STRING_EQUAL(d->name, "");
    CU_ASSERT_EQUAL(d->hosts, N);
    CU_ASSERT_EQUAL(d->sites, 1);
    plan_platform_destroy(&pf);
}

static const plan_link_t ring[] = {{2, 0, 1e-6, 3e-9, 0, 0}, {0, 1, 1e-6, 1e-9, 5e-3, 1}, {1, 2, 0, 2e-9, 0, 0}};
static const size_t both[] = {0, 1};
static const plan_resource_t card = {.name = "card", .s_per_byte = 4e-9, .nlinks = 2, .link = both};
static const double sizes[] = {1024, 8192}, overheads[] = {1e-6, 2e-6}, gaps[] = {3e-6, 4e-6}, times[] = {6e-6, 5e-6},
                    gammas[] = {1, 1.5, 2};
static const plan_channel_t channels[] = {{"same host", false, 2, sizes, overheads, gaps, times, 3, gammas, false, 0},
                                          {"network", true, 0, NULL, NULL, NULL, NULL, 0, NULL, true, 65536}};
static const int host[] = {0, 1, 0}, site[] = {1, 0, 1};
static const char *const names[] = {"a", NULL, "ignored"};
static const double send_s[] = {1e-6, 0, 2e-6};

static plan_platform_data_t full(void)
{
    return (plan_platform_data_t){.size = sizeof(plan_platform_data_t),
                                  .name = "ring",
                                  .ranks = 3,
                                  .nlinks = 3,
                                  .link = ring,
                                  .nresources = 1,
                                  .resource = &card,
                                  .host = host,
                                  .site = site,
                                  .host_name = names,
                                  .hosts = 3,
                                  .ports = PLAN_PORTS_MULTI,
                                  .send_s = send_s,
                                  .nchannels = 2,
                                  .channel = channels};
}

static void everything_given_is_kept(void)
{
    plan_platform_data_t given = full();
    plan_platform_t *pf = NULL;

    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&given, &pf, NULL), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_STRING_EQUAL(d->name, "ring");
    CU_ASSERT(d->link[0].delay_s == 5e-3 && d->link[0].channel == 1 && d->link[2].from == 2);
    CU_ASSERT_STRING_EQUAL(d->resource[0].name, "card");
    CU_ASSERT(d->resource[0].nlinks == 2 && d->resource[0].link[0] == 0 && d->resource[0].link[1] == 2);
    CU_ASSERT(d->hosts == 2 && d->sites == 2 && d->host[1] == 1 && d->site[2] == 1);
    CU_ASSERT_STRING_EQUAL(d->host_name[0], "a");
    CU_ASSERT_STRING_EQUAL(d->host_name[1], "");
    CU_ASSERT_PTR_NULL(d->site_name);
    CU_ASSERT(d->send_s[2] == 2e-6 && d->send_s != send_s);
    CU_ASSERT_STRING_EQUAL(d->channel[0].name, "same host");
    CU_ASSERT(d->channel[0].bytes[1] == 8192 && d->channel[0].overhead_s[1] == 2e-6 && d->channel[0].gamma[2] == 2);
    CU_ASSERT(d->channel[0].gap_s[0] == 3e-6 && d->channel[0].p2p_s[0] == 6e-6 && d->channel[0].p2p_s[1] == 5e-6);
    CU_ASSERT(d->channel[1].network && d->channel[1].nsizes == 0);
    CU_ASSERT(d->channel[1].fluid && d->channel[1].rendezvous_bytes == 65536 && !d->channel[0].fluid);
    plan_platform_t *again = NULL; /* what was read can be given */
    CU_ASSERT_EQUAL(plan_platform_create(d, &again, NULL), PLAN_OK);
    plan_platform_destroy(&again);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&pf);
    plan_platform_destroy(NULL);
}

/* Each case spoils one thing of the ring; the error names the place. */
typedef struct {
    plan_platform_data_t d;
    plan_link_t link[3];
    plan_resource_t resource;
    size_t member[2];
    plan_channel_t channel[2];
    double number[2], send_s[3];
    int host[3], site[3];
} spoilt_t;

static void expect_refusal(spoilt_t *s, const char *place)
{
    plan_error_t err;
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL(plan_platform_create(&s->d, &pf, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NULL(pf);
    if (strstr(err.text, place) == NULL) printf("\n   wanted \"%s\" in \"%s\"", place, err.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, place));
}

static void fresh(spoilt_t *s)
{
    s->d = full();
    memcpy(s->link, ring, sizeof ring);
    s->resource = card;
    memcpy(s->member, both, sizeof both);
    memcpy(s->channel, channels, sizeof channels);
    memcpy(s->number, sizes, sizeof sizes);
    memcpy(s->send_s, send_s, sizeof send_s);
    memcpy(s->host, host, sizeof host);
    memcpy(s->site, site, sizeof site);
    s->d.link = s->link;
    s->d.resource = &s->resource;
    s->resource.link = s->member;
    s->d.channel = s->channel;
    s->channel[0].bytes = s->number;
    s->d.ports = PLAN_PORTS_MULTI;
    s->d.send_s = s->send_s;
    s->d.host = s->host;
    s->d.site = s->site;
}

#define SPOIL(change, place)                                                                                           \
    do {                                                                                                               \
        spoilt_t s;                                                                                                    \
        fresh(&s);                                                                                                     \
        change;                                                                                                        \
        expect_refusal(&s, place);                                                                                     \
    } while (0)

static void what_cannot_be_trusted_is_refused_by_name(void)
{
    SPOIL(s.d.ranks = 0, "ranks is 0");
    SPOIL(s.d.ranks = -7, "ranks is -7");
    SPOIL(s.d.ranks = (1 << 20) + 1, "ranks is 1048577");
    SPOIL(s.d.link = NULL, "not given");
    SPOIL(s.d.resource = NULL, "not given");
    SPOIL(s.d.channel = NULL, "not given");
    SPOIL(s.d.ranks = 2; s.d.nlinks = 3; s.link[2].from = 3, "links");
    SPOIL(s.link[2].from = 3, "links[2].from is 3; ranks are 0 to 2");
    SPOIL(s.link[2].from = -1, "links[2].from is -1");
    SPOIL(s.link[1].to = 3, "links[1].to is 3; ranks are 0 to 2");
    SPOIL(s.link[1].to = 0, "links[1] goes from rank 0 to itself");
    SPOIL((s.link[2].from = 0, s.link[2].to = 1), "links[1] and links[2] both go from 0 to 1");
    SPOIL(s.link[0].latency_s = -1e-9, "links[0].latency_s is -1e-09");
    SPOIL(s.link[0].latency_s = NAN, "links[0].latency_s");
    SPOIL(s.link[0].s_per_byte = INFINITY, "links[0].s_per_byte is inf");
    SPOIL(s.link[0].latency_s = 1e308, "links[0].latency_s is 1e+308"); /* its sums overflowed, and a search crashed */
    SPOIL((s.link[0].latency_s = 5e-324, s.link[0].s_per_byte = 0),
          "links[0] costs nothing"); /* 1 over it is infinite */
    SPOIL(s.link[0].s_per_byte = 2e9, "at most 1e+09");
    SPOIL(s.link[0].delay_s = -1, "links[0].delay_s");
    SPOIL(s.link[2].s_per_byte = 0, "links[2] costs nothing");
    SPOIL(s.link[0].channel = 2, "links[0].channel is 2");
    SPOIL(s.link[0].channel = -2, "links[0].channel is -2");
    SPOIL(s.resource.s_per_byte = 0, "resources[0] costs nothing");
    SPOIL(s.resource.s_per_message = -1e-9, "resources[0].s_per_message is -1e-09");
    SPOIL(s.resource.s_per_message = NAN, "resources[0].s_per_message");
    SPOIL(s.resource.burst_bytes = -1, "resources[0].burst_bytes is -1");
    SPOIL(s.resource.burst_bytes = INFINITY, "resources[0].burst_bytes");
    SPOIL(s.resource.burst_bytes = NAN, "resources[0].burst_bytes");
    SPOIL(s.resource.s_per_byte = -INFINITY, "resources[0].s_per_byte");
    SPOIL(s.member[0] = 3, "resources[0].links[0] is link 3");
    SPOIL(s.member[1] = 3, "resources[0].links[1] is link 3");
    SPOIL(s.member[1] = 0, "resources[0].links names link 2 -> 0 twice");
    SPOIL(s.resource.link = NULL, "resources[0].links");
    SPOIL(s.number[1] = 1024, "channels[0].bytes[1] is 1024");
    SPOIL(s.number[0] = NAN, "channels[0].bytes[0]");
    SPOIL(s.channel[0].gap_s = NULL, "channels[0].gap_s");
    SPOIL(s.send_s[1] = -1, "send_s[1] is -1");
    SPOIL(s.host[1] = 3, "hosts[1] is 3");
    SPOIL(s.host[1] = -1, "hosts[1] is -1");
    SPOIL(s.host[1] = 2, "host 1");
    SPOIL(s.site[2] = 0, "sites[2] is 0");
    SPOIL(s.site[1] = 9, "sites[1] is 9");
}

/* 0 -> 1 -> 2 -> 0 and nobody sends to 3. */
static void the_lowest_unreachable_rank_is_named(void)
{
    plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 3, .link = ring};
    plan_link_t bare[3];
    plan_platform_t *pf = NULL;
    plan_error_t err;

    memcpy(bare, ring, sizeof ring);
    for (int i = 0; i < 3; i++) bare[i].channel = 0;
    d.link = bare;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->link[0].channel, -1);
    CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 1, &err), PLAN_EUNREACHABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "rank 3"));
    CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 3, &err), PLAN_EUNREACHABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "rank 0"));
    CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 4, &err), PLAN_EINVAL);
    ALLOC_EACH(plani_platform_reaches_all(pf, 0, &err) == PLAN_EUNREACHABLE ? PLAN_OK : PLAN_ENOMEM, (void)0);
    plan_platform_destroy(&pf);
    d.ranks = 3;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    for (int root = 0; root < 3; root++) CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, root, &err), PLAN_OK);
    plan_platform_destroy(&pf);
}

static void one_rank_without_links_is_a_platform(void)
{
    const plan_resource_t idle = {.name = "nobody's", .s_per_byte = 1};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 1, .nresources = 1, .resource = &idle};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 0, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->resource[0].nlinks, 0);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_is_reported(void)
{
    plan_platform_data_t given = full();
    plan_platform_t *pf = NULL;
    plan_error_t err;
    ALLOC_EACH(plan_platform_create(&given, &pf, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM); CU_ASSERT_PTR_NULL(pf);
               CU_ASSERT_EQUAL(err.status, PLAN_ENOMEM));
    plan_platform_destroy(&pf);
}

/* Four million links: the index is linear, so this takes a moment and not a coffee break. */
static void two_thousand_ranks_fully_linked_are_no_trouble(void)
{
    size_t nlinks;
    plan_link_t *link = complete(2000, &nlinks);
    plan_platform_data_t given = {.size = sizeof given, .ranks = 2000, .nlinks = nlinks, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&given, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_find_link(pf, 1999, 1998), nlinks - 1);
    CU_ASSERT_EQUAL(plani_platform_reaches_all(pf, 7, NULL), PLAN_OK);
    plan_platform_destroy(&pf);
    free(link);
}

/* use[] turns the resources' lists of links round; the last link, with every resource on it, closes the index. */
static void every_link_knows_its_resources(void)
{
    enum { N = 6, RESOURCES = 5 };
    size_t nlinks, list[RESOURCES][N * N], total = 0;
    plan_link_t *link = complete(N, &nlinks);
    plan_resource_t resource[RESOURCES];
    for (size_t i = 0; i < RESOURCES; i++) { /* resource i holds every (i + 1)-th link */
        size_t n = 0;
        for (size_t l = 0; l < nlinks; l += i + 1) list[i][n++] = l;
        resource[i] = (plan_resource_t){.name = "r", .s_per_byte = 1e-9, .nlinks = n, .link = list[i]};
        total += n;
    }
    plan_platform_data_t given = {.size = sizeof given,
                                  .ranks = N,
                                  .nlinks = nlinks,
                                  .link = link,
                                  .nresources = RESOURCES,
                                  .resource = resource};
    plan_platform_t *pf = NULL;

    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&given, &pf, NULL), PLAN_OK);
    free(link);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_EQUAL(d->use_first[0], 0);
    CU_ASSERT_EQUAL(d->use_first[nlinks], total);
    for (size_t l = 0; l < nlinks; l++) {
        size_t k = d->use_first[l];
        for (size_t i = 0; i < RESOURCES; i++) {
            size_t lists = 0;
            for (size_t j = 0; j < d->resource[i].nlinks; j++) lists += d->resource[i].link[j] == l;
            if (lists == 0) continue;
            CU_ASSERT_FATAL(k < d->use_first[l + 1]);
            CU_ASSERT_EQUAL(d->use[k++], i);
        }
        CU_ASSERT_EQUAL(k, d->use_first[l + 1]);
    }
    plan_platform_destroy(&pf);
}

SUITE_MAIN("platform", TEST(links_are_sorted_and_found), TEST(everything_given_is_kept),
           TEST(what_cannot_be_trusted_is_refused_by_name), TEST(the_lowest_unreachable_rank_is_named),
           TEST(one_rank_without_links_is_a_platform), TEST(every_failing_allocation_is_reported),
           TEST(two_thousand_ranks_fully_linked_are_no_trouble), TEST(every_link_knows_its_resources))
