/* Machines: lists of hosts, files, matching, and the platform of any ranks on them. */
#include "graphs/machine/import.h"
#include "graphs/machine/machine.h"
#include "suite.h"
#include "alloc.h"
#include "graphs/generate/sites.h"
#include "lib/base/base.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NONE ((plani_ends_t){0, 0})

/* ---- lists of hosts ---- */

typedef struct {
    int n;
    char name[32][32];
} names_t;

static plan_status_t note(void *context, const char *name)
{
    names_t *names = context;
    snprintf(names->name[names->n++], sizeof names->name[0], "%s", name);
    return PLAN_OK;
}

static void host_lists_expand_as_resource_managers_write_them(void)
{
    static const char *const expected[] = {"n008", "n009", "n010", "n070", "login", "x1", "x2", "n-3"};
    names_t names = {0};
    const char *why = NULL;

    CU_ASSERT_EQUAL(plani_host_list("n[008-010,070],login,x[1-2],n-3", note, &names, &why), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(names.n, 8);
    for (int i = 0; i < names.n; i++) CU_ASSERT_STRING_EQUAL(names.name[i], expected[i]);
}

/* Slurm takes several brackets, if one of them is at the end. */
static void names_may_have_several_brackets(void)
{
    static const char *const expected[] = {"r1-n08", "r1-n09", "r1-n11", "r2-n08", "r2-n09", "r2-n11", "x", "17", "18"};
    names_t names = {0};
    const char *why = NULL;

    CU_ASSERT_EQUAL(plani_host_list("r[1-2]-n[08-09,11],x,[1][7-8]", note, &names, &why), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(names.n, 9);
    for (int i = 0; i < names.n; i++) CU_ASSERT_STRING_EQUAL(names.name[i], expected[i]);
}

static void host_lists_that_are_none_are_refused(void)
{
    static const char *const bad[] = {"",       ",",     "n[",    "n[]",      "n[1",     "n[1-]",
                                      "n[2-1]", "n[a]",  "n]",    "n[1]x",    "a,,b",    "n[0000000001]",
                                      "n[1-2",  "n[1,]", "n[1][", "n[1][2]x", "n[1[2]]", "n[1]]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        names_t names = {0};
        const char *why = NULL;
        CU_ASSERT_EQUAL(plani_host_list(bad[i], note, &names, &why), PLAN_EFORMAT);
        CU_ASSERT_PTR_NOT_NULL(why);
    }
}

static void names_become_the_list_that_expands_to_them(void)
{
    static const struct {
        const char *list;
        int n;
        const char *name[6];
    } known[] = {{"n[001-003,007],login", 5, {"n001", "n002", "n003", "n007", "login"}},
                 {"n[1-2,2,1]", 4, {"n1", "n2", "n2", "n1"}},
                 {"a-0,b-0,a-1", 3, {"a-0", "b-0", "a-1"}},
                 {"n[8-9],n[10-11]", 4, {"n8", "n9", "n10", "n11"}},
                 {"x", 1, {"x"}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *list = plani_host_list_of((size_t)known[i].n, known[i].name);
        names_t names = {0};
        const char *why = NULL;
        CU_ASSERT_PTR_NOT_NULL_FATAL(list);
        CU_ASSERT_STRING_EQUAL(list, known[i].list);
        CU_ASSERT_EQUAL(plani_host_list(list, note, &names, &why), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(names.n, known[i].n);
        for (int k = 0; k < names.n; k++) CU_ASSERT_STRING_EQUAL(names.name[k], known[i].name[k]);
        free(list);
    }
}

/* ---- the platform of a cluster spec, against what the spec says of each pair of ranks and each card and trunk ---- */

static bool same_resource(const plan_resource_t *a, const plan_resource_t *b)
{
    return a->s_per_byte == b->s_per_byte && a->s_per_message == b->s_per_message && a->burst_bytes == b->burst_bytes &&
           a->nlinks == b->nlinks && memcmp(a->link, b->link, a->nlinks * sizeof *a->link) == 0;
}

static int count(const plan_platform_data_t *d, const plan_resource_t *r)
{
    int n = 0;
    for (size_t i = 0; i < d->nresources; i++) n += same_resource(&d->resource[i], r);
    return n;
}

static bool same_link(const plan_link_t *a, const plan_link_t *b)
{
    return a->from == b->from && a->to == b->to && a->latency_s == b->latency_s && a->s_per_byte == b->s_per_byte &&
           fabs(a->delay_s - b->delay_s) <= 1e-15 && a->channel == b->channel;
}

/* What a spec should become; see expected_platform. */
typedef struct {
    plan_link_t *link;
    size_t nlinks, nresources;
    plan_resource_t *resource;
} expected_t;

static bool holds(const plani_cluster_t *c, bool group, int which, int rank)
{
    int h = c->host_of[rank], g = c->host[h].group;
    while (g >= 0 && g != which) g = c->group[g].above;
    return group ? g == which : h == which;
}

/* Cards of both hosts, and trunks of the groups that hold one of them. */
static double delay_between(const plani_cluster_t *c, int u, int v)
{
    double delay = c->host[c->host_of[u]].card.latency_s + c->host[c->host_of[v]].card.latency_s;
    for (int g = 0; g < c->ngroups; g++)
        if (holds(c, true, g, u) != holds(c, true, g, v)) delay += c->group[g].trunk.latency_s;
    return delay;
}

static plan_link_t expected_link(const plani_cluster_t *c, int u, int v)
{
    const plani_gate_t *from = &c->host[c->host_of[u]].card, *to = &c->host[c->host_of[v]].card;
    if (c->host_of[u] == c->host_of[v])
        return (plan_link_t){.from = u,
                             .to = v,
                             .latency_s = c->memory_latency_s,
                             .s_per_byte = 1 / c->memory_bytes_per_s,
                             .channel = -1};
    return (plan_link_t){.from = u,
                         .to = v,
                         .latency_s = PLANI_SLICE_S,
                         .s_per_byte = fmax(1 / from->out_bytes_per_s, 1 / to->in_bytes_per_s),
                         .delay_s = delay_between(c, u, v),
                         .channel = -1};
}

/* Of a host or group: what leaves it ('o'), enters it ('i') or stays in it ('m', memory). */
static void expect_resource(expected_t *e, const plani_cluster_t *c, char way, bool group, int which, double rate)
{
    size_t *member = malloc(e->nlinks * sizeof *member + 1), n = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(member);
    for (size_t l = 0; l < e->nlinks; l++) {
        bool from = holds(c, group, which, e->link[l].from), to = holds(c, group, which, e->link[l].to);
        if (way == 'm' ? from && to : way == 'o' ? from && !to : to && !from) member[n++] = l;
    }
    if (n == 0 || !(rate > 0)) {
        free(member);
        return;
    }
    e->resource[e->nresources++] =
        (plan_resource_t){.s_per_byte = 1 / rate,
                          .burst_bytes = way == 'm' ? 0 : fmax(c->burst_bytes, c->burst_s * rate),
                          .nlinks = n,
                          .link = member};
}

static expected_t expected_platform(const plani_cluster_t *c)
{
    size_t ranks = (size_t)c->ranks, most = 3 * (size_t)c->nhosts + 2 * (size_t)c->ngroups;
    expected_t e = {.link = malloc(ranks * ranks * sizeof *e.link), .resource = malloc(most * sizeof *e.resource)};

    CU_ASSERT_FATAL(e.link != NULL && e.resource != NULL);
    for (int u = 0; u < c->ranks; u++)
        for (int v = 0; v < c->ranks; v++)
            if (u != v) e.link[e.nlinks++] = expected_link(c, u, v);
    for (int h = 0; h < c->nhosts; h++) {
        expect_resource(&e, c, 'o', false, h, c->host[h].card.out_bytes_per_s);
        expect_resource(&e, c, 'i', false, h, c->host[h].card.in_bytes_per_s);
        expect_resource(&e, c, 'm', false, h, c->memory_bytes_per_s);
    }
    for (int g = 0; g < c->ngroups; g++) {
        expect_resource(&e, c, 'o', true, g, c->group[g].trunk.out_bytes_per_s);
        expect_resource(&e, c, 'i', true, g, c->group[g].trunk.in_bytes_per_s);
    }
    return e;
}

static void release_expected(expected_t *e)
{
    for (size_t i = 0; i < e->nresources; i++) free((size_t *)(uintptr_t)e->resource[i].link);
    free(e->link);
    free(e->resource);
}

/* \param described as the spec numbers hosts; else by their lowest rank, and ranks of one host have ports */
static void compare(const plan_platform_t *pf, const plani_cluster_t *c, const expected_t *e, bool described)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    const plan_platform_data_t wanted = {.nresources = e->nresources, .resource = e->resource};
    size_t equal = 0, as_often = 0;

    CU_ASSERT_FATAL(d->ranks == c->ranks && d->nlinks == e->nlinks && d->nresources == e->nresources);
    CU_ASSERT(d->hosts == c->nhosts && d->sites == c->nsites);
    CU_ASSERT_EQUAL(d->ports, described || c->nhosts > 1 ? PLAN_PORTS_NONE : PLAN_PORTS_ONE);
    for (int r = 0; r < c->ranks; r++) CU_ASSERT_STRING_EQUAL(d->host_name[d->host[r]], c->host[c->host_of[r]].name);
    if (described) CU_ASSERT_EQUAL(memcmp(d->host, c->host_of, (size_t)c->ranks * sizeof *d->host), 0);
    for (size_t i = 0; i < e->nlinks; i++) equal += same_link(&d->link[i], &e->link[i]);
    for (size_t i = 0; i < e->nresources; i++) as_often += count(d, &e->resource[i]) == count(&wanted, &e->resource[i]);
    CU_ASSERT_EQUAL(equal, e->nlinks);
    CU_ASSERT_EQUAL(as_often, e->nresources);
}

static plani_place_t *places(const plani_cluster_t *c)
{
    plani_place_t *place = malloc((size_t)c->ranks * sizeof *place);
    CU_ASSERT_PTR_NOT_NULL_FATAL(place);
    for (int r = 0; r < c->ranks; r++) place[r] = (plani_place_t){.host = c->host_of[r], .place = {-1, -1, -1}};
    return place;
}

/* The spec, and its machine, written and read again, have the platform that the spec describes. */
static void check_spec(const char *path)
{
    plani_cluster_t *c = NULL;
    plani_machine_t *m = NULL, *again = NULL;
    plan_platform_t *described = NULL, *pf = NULL;
    plan_error_t err;
    char *text = NULL, *second = NULL;

    CU_ASSERT_EQUAL_FATAL(plani_cluster_load(path, &c, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_load(path, &m, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(m, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "machine", &again, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(again, &second), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, second);
    plani_place_t *place = places(c);
    for (int r = 0; r < c->ranks; r++) place[r].host = plani_machine_find(again, c->host[c->host_of[r]].name);
    expected_t expected = expected_platform(c);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &described, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(again, c->ranks, place, &pf, &err), PLAN_OK);
    compare(described, c, &expected, true);
    compare(pf, c, &expected, false);
    release_expected(&expected);
    free(place);
    free(text);
    free(second);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&described);
    plani_machine_destroy(&m);
    plani_machine_destroy(&again);
    plani_cluster_destroy(&c);
}

static void a_spec_is_a_machine_with_the_same_platform(void)
{
    static const char *const folder[] = {PLANBCAST_CLUSTERS, PLANBCAST_CLUSTERS "/uploads"};
    int specs = 0;

    for (int i = 0; i < 2; i++) {
        DIR *dir = opendir(folder[i]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
        for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
            char path[1024];
            if (strstr(e->d_name, ".json") == NULL) continue;
            snprintf(path, sizeof path, "%s/%s", folder[i], e->d_name);
            check_spec(path);
            specs++;
        }
        closedir(dir);
    }
    CU_ASSERT(specs >= 15);
}

/* ---- a machine as measured ---- */

#define LADDER(name, more)                                                                                             \
    "{\"name\": \"" name "\", \"latency_s\": 2e-6, \"s_per_byte\": 1e-9, \"delay_s\": 3e-6, \"bytes\": [8, 64], "      \
    "\"overhead_s\": [1e-6, 2e-6], \"gap_s\": [1e-6, 2e-6], \"p2p_s\": [3e-6, 4e-6], \"gamma\": [1, 1.5]" more "}"

/* Two sites of two kinds; s0 to f1 is slower than others like it; ranks of one L3 are faster. */
static const char measured[] =
    "{\"format\": \"planbcast-machine\", \"version\": 1, \"name\": \"two\", \"kinds\": ["
    "{\"name\": \"fast\", \"signature\": \"big\", \"out\": {\"bytes_per_s\": 1e8, \"burst_bytes\": 5e4, "
    "\"pairs\": [[1024, 2, 5e7]]}, \"in\": {\"bytes_per_s\": 1e8}},"
    "{\"name\": \"slow\", \"signature\": \"small\", \"out\": {\"bytes_per_s\": 1e7}, \"in\": "
    "{\"bytes_per_s\": 2e7}}],"
    "\"groups\": [{\"name\": \"here\", \"out\": {\"bytes_per_s\": 5e7}, \"hosts\": [{\"names\": "
    "\"f[0-1]\", \"kind\": "
    "\"fast\"}, {\"names\": \"s0\", \"kind\": \"slow\"}]}, {\"name\": \"there\", \"hosts\": [{\"names\": "
    "\"s1\", "
    "\"kind\": \"slow\"}]}],"
    "\"channels\": [" LADDER("near", "") ", " LADDER(
        "far",
        ", \"network\": true, \"rendezvous_bytes\": "
        "40000") ", " LADDER("cache",
                             "") "],"
                                 "\"paths\": [{\"channel\": \"far\"}, {\"from\": {\"host\": \"s0\"}, \"to\": "
                                 "{\"host\": \"f1\"}, "
                                 "\"channel\": "
                                 "\"far\", \"flow_bytes_per_s\": 4e6}, {\"from\": {\"group\": \"nothing here\"}}],"
                                 "\"inside\": {\"same host\": \"near\", \"same L3 cache\": \"cache\"},"
                                 "\"memory\": {\"bytes_per_s\": 4e9, \"shared\": true},"
                                 "\"processors\": {\"ranks\": 3, \"s_per_message\": 1e-5},"
                                 "\"shared_memory\": [{\"ranks\": 2, \"bytes\": [8, 64], \"seconds\": [1e-6, 2e-6]}]}";

enum { ROOM = sizeof measured + 400 };

/* Replace a piece of a text of at most ROOM bytes. */
static void replace(char *text, const char *what, const char *by)
{
    char tail[ROOM], *at = strstr(text, what);

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    snprintf(tail, sizeof tail, "%s", at + strlen(what));
    snprintf(at, ROOM - (size_t)(at - text), "%s%s", by, tail);
}

/* The machine above, with one piece of its text replaced. */
static plan_status_t parse(const char *what, const char *by, plani_machine_t **m, plan_error_t *err)
{
    char text[ROOM];

    snprintf(text, sizeof text, "%s", measured);
    replace(text, what, by);
    *m = NULL;
    return plani_machine_parse(text, strlen(text), "m.json", m, err);
}

/* The same without the path to nowhere. */
static plani_machine_t *make_with(const char *what, const char *by)
{
    char text[ROOM];
    plani_machine_t *m = NULL;
    plan_error_t err;

    snprintf(text, sizeof text, "%s", measured);
    replace(text, ", {\"from\": {\"group\": \"nothing here\"}}", "");
    replace(text, what, by);
    CU_ASSERT_EQUAL(plani_machine_parse(text, strlen(text), "m.json", &m, &err), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    return m;
}

static plani_machine_t *make(void)
{
    return make_with("\"two\"", "\"two\"");
}

static plan_link_t link_of(const plan_platform_t *pf, int from, int to)
{
    return plan_platform_data(pf)->link[plan_platform_find_link(pf, from, to)];
}

static const plan_resource_t *named(const plan_platform_t *pf, const char *name)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    for (size_t i = 0; i < d->nresources; i++)
        if (strcmp(d->resource[i].name, name) == 0) return &d->resource[i];
    return NULL;
}

static void any_ranks_on_some_of_its_hosts_get_their_platform(void)
{
    plani_machine_t *m = make();
    plan_platform_t *pf = NULL;
    plan_error_t err;
    int s0 = plani_machine_find(m, "s0"), f1 = plani_machine_find(m, "f1"), s1 = plani_machine_find(m, "s1");
    const plani_place_t place[] = {
        {s1, {-1, -1, -1}}, {s0, {-1, -1, -1}}, {f1, {1, 0, 0}}, {f1, {2, 0, 0}}, {f1, {3, 1, 1}}};

    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, 5, place, &pf, &err), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    static const int host[] = {0, 1, 2, 2, 2}, site[] = {0, 1, 1, 1, 1};
    CU_ASSERT(d->hosts == 3 && d->sites == 2 && memcmp(d->host, host, sizeof host) == 0);
    CU_ASSERT_EQUAL(memcmp(d->site, site, sizeof site), 0);
    CU_ASSERT_STRING_EQUAL(d->host_name[2], "f1");
    CU_ASSERT_EQUAL(link_of(pf, 1, 2).s_per_byte, 1 / 4e6); /* the path of these two hosts comes before */
    CU_ASSERT_EQUAL(link_of(pf, 2, 1).s_per_byte, 1 / 2e7);
    CU_ASSERT_EQUAL(link_of(pf, 0, 1).s_per_byte, 1 / 1e7);
    CU_ASSERT_STRING_EQUAL(d->channel[link_of(pf, 0, 1).channel].name, "far");
    CU_ASSERT_EQUAL(d->channel[link_of(pf, 0, 1).channel].rendezvous_bytes, 40000);
    CU_ASSERT_STRING_EQUAL(d->channel[link_of(pf, 2, 3).channel].name, "cache");
    CU_ASSERT_STRING_EQUAL(d->channel[link_of(pf, 3, 4).channel].name, "near");
    CU_ASSERT_EQUAL(named(pf, "here trunk out")->nlinks, 4); /* of four ranks to the one there */
    CU_ASSERT_PTR_NULL(named(pf, "here trunk in"));
    CU_ASSERT_EQUAL(named(pf, "host 2 out")->npairs, 1);
    CU_ASSERT_EQUAL(named(pf, "host 2 out")->nlinks, 6);
    CU_ASSERT_EQUAL(named(pf, "host 2 memory")->nlinks, 6);
    CU_ASSERT_EQUAL(named(pf, "host 2 processors")->nlinks, 18); /* three ranks: as many as were measured */
    CU_ASSERT_PTR_NULL(named(pf, "host 1 processors"));
    CU_ASSERT(d->nshared == 2 && d->shared_s[1] == 3e-6); /* inside hosts, three ranks on the fullest */
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, 2, place + 2, &pf, &err), PLAN_OK);
    CU_ASSERT(plan_platform_data(pf)->nshared == 2 && plan_platform_data(pf)->shared_s[1] == 2e-6);
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, 3, place + 2, &pf, &err), PLAN_OK);
    CU_ASSERT(plan_platform_data(pf)->nshared == 2 && plan_platform_data(pf)->shared_s[1] == 3e-6);
    plan_platform_destroy(&pf);
    plani_machine_destroy(&m);
}

/* Paths of single hosts may leave one end open; of several that fit, the first one counts. Hosts without a rank do not
 * matter. */
static void the_first_path_of_single_hosts_counts(void)
{
    plani_machine_t *m =
        make_with("\"paths\": [", "\"paths\": [{\"to\": {\"host\": \"f0\"}, \"flow_bytes_per_s\": 1e6}, "
                                  "{\"from\": {\"host\": \"s0\"}, \"flow_bytes_per_s\": 2e6}, ");
    static const char *const name[] = {"f1", "s0", "s1", "f0"};
    static const double flow[][4] = {{0, 0, 0, 1e6}, {2e6, 0, 2e6, 1e6}, {0, 0, 0, 1e6}, {0, 0, 0, 0}};
    plani_place_t place[4];
    plan_error_t err;

    for (int r = 0; r < 4; r++) place[r] = (plani_place_t){plani_machine_find(m, name[r]), {-1, -1, -1}};
    for (int ranks = 3; ranks <= 4; ranks++) {
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, ranks, place, &pf, &err), PLAN_OK);
        for (int u = 0; u < ranks; u++)
            for (int v = 0; v < ranks; v++) {
                double rate = u != v ? 1 / link_of(pf, u, v).s_per_byte : 0;
                if (u != v) CU_ASSERT(flow[u][v] > 0 ? fabs(rate / flow[u][v] - 1) < 1e-12 : rate > 5e6);
            }
        plan_platform_destroy(&pf);
    }
    plani_machine_destroy(&m);
}

/* The slow kind has a memory of its own, and, with it, nothing of what the other hosts have inside. */
static void a_kind_may_differ_inside(void)
{
    plani_machine_t *m = NULL, *again = NULL;
    plan_platform_t *pf = NULL;
    plan_error_t err;
    char *text = NULL;

    CU_ASSERT_EQUAL_FATAL(parse("\"in\": {\"bytes_per_s\": 2e7}}",
                                "\"in\": {\"bytes_per_s\": 2e7}, \"memory\": "
                                "{\"bytes_per_s\": 1e9}, \"shared_memory\": [{\"ranks\": 2, \"bytes\": [8], "
                                "\"seconds\": [7e-6]}]}",
                                &m, &err),
                          PLAN_EFORMAT); /* nothing but the path to nowhere is wrong */
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "nothing here"));
    m = make();
    plani_machine_inside_t own = {.channel = {-1, -1, -1, -1}, .memory = {.bytes_per_s = 1e9}, .memory_shared = true};
    m->kind[1].inside = &own;
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(m, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "m.json", &again, &err), PLAN_OK);
    int s1 = plani_machine_find(again, "s1"), f0 = plani_machine_find(again, "f0");
    const plani_place_t place[] = {{s1, {0, 0, 0}}, {s1, {1, 0, 0}}, {f0, {0, 0, 0}}, {f0, {1, 0, 0}}};
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(again, 4, place, &pf, &err), PLAN_OK);
    CU_ASSERT_EQUAL(link_of(pf, 0, 1).s_per_byte, 1e-9);
    CU_ASSERT_EQUAL(link_of(pf, 0, 1).channel, -1);
    CU_ASSERT_STRING_EQUAL(plan_platform_data(pf)->channel[link_of(pf, 2, 3).channel].name, "cache");
    CU_ASSERT_EQUAL(named(pf, "host 0 memory")->s_per_byte, 1e-9);
    CU_ASSERT_EQUAL(named(pf, "host 1 memory")->s_per_byte, 1 / 4e9);
    plan_platform_destroy(&pf);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(again, 2, place, &pf, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_platform_data(pf)->nshared, 0);
    plan_platform_destroy(&pf);
    free(text);
    plani_machine_destroy(&again);
    plani_machine_destroy(&m);
}

static void a_machine_of_single_ranks_knows_no_others(void)
{
    plani_machine_t *m = make();
    plan_platform_t *pf = NULL;
    plan_error_t err;
    const plani_place_t place[] = {{0, {-1, -1, -1}}, {0, {-1, -1, -1}}};

    for (int l = 0; l < PLANI_LEVELS; l++) m->inside.channel[l] = -1;
    m->inside.memory.bytes_per_s = 0;
    CU_ASSERT_EQUAL(plani_machine_platform(m, 2, place, &pf, &err), PLAN_EMISMATCH);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "f0"));
    plani_machine_destroy(&m);
}

static bool lies_in(plani_ends_t ends, double low, double high)
{
    return ends.low == low && ends.high == high;
}

/* Written and read again, every interval is where it was; those that the file does not give are not known. */
static void intervals_are_read_and_written(void)
{
    static const char *const change[][2] = {
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [9e7, 1.1e8], \"burst"},
        {"{\"bytes_per_s\": 5e7}", "{\"bytes_per_s\": 5e7, \"bytes_per_s_interval\": [5e7, 5e7]}"},
        {"\"latency_s\": 2e-6", "\"latency_s\": 2e-6, \"latency_s_interval\": [0, 3e-6]"},
        {"\"s_per_byte\": 1e-9", "\"s_per_byte\": 1e-9, \"s_per_byte_interval\": [9e-10, 1.2e-9]"},
        {"4e6}", "4e6, \"flow_bytes_per_s_interval\": [3e6, 5e6]}"},
        {"4e9, \"shared", "4e9, \"bytes_per_s_interval\": [3e9, 4e9], \"shared"},
        {"\"delay_s\": 3e-6", "\"delay_s\": 3e-6, \"delay_s_interval\": [2e-6, 3e-6]"},
        {"{\"name\": \"fast\"",
         "{\"relay_bytes_per_s\": 6e7, \"relay_bytes_per_s_interval\": [5e7, 7e7], \"name\": \"fast\""},
    };
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        plani_machine_t *m = NULL, *again = NULL;
        plan_error_t err = {.text = ""};
        char *text = NULL;
        m = make_with(change[i][0], change[i][1]);
        CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(m, &text), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "m.json", &again, &err), PLAN_OK);
        CU_ASSERT_EQUAL(lies_in(again->kind[0].out.interval, 9e7, 1.1e8), i == 0);
        CU_ASSERT_EQUAL(lies_in(again->group[0].out.interval, 5e7, 5e7), i == 1);
        CU_ASSERT_EQUAL(lies_in(again->channel[0].latency_interval, 0, 3e-6), i == 2);
        CU_ASSERT_EQUAL(lies_in(again->channel[0].byte_interval, 9e-10, 1.2e-9), i == 3);
        CU_ASSERT_EQUAL(lies_in(again->path[1].flow_interval, 3e6, 5e6), i == 4);
        CU_ASSERT_EQUAL(lies_in(again->inside.memory.interval, 3e9, 4e9), i == 5);
        CU_ASSERT_EQUAL(lies_in(again->channel[0].delay_interval, 2e-6, 3e-6), i == 6);
        CU_ASSERT_EQUAL(lies_in(again->kind[0].relay_interval, 5e7, 7e7), i == 7);
        CU_ASSERT(lies_in(again->kind[0].in.interval, 0, 0) && lies_in(again->channel[1].byte_interval, 0, 0));
        free(text);
        plani_machine_destroy(&again);
        plani_machine_destroy(&m);
    }
}

/* A guess is one in the file, in the platform, and in the platform's file, until the trunk is measured. */
static void guesses_are_read_and_written(void)
{
    plani_machine_t *m = make_with("{\"bytes_per_s\": 5e7}", "{\"bytes_per_s\": 5e7, \"guess\": true}"), *again = NULL;
    const plani_place_t place[2] = {{plani_machine_find(m, "f0"), {-1, -1, -1}},
                                    {plani_machine_find(m, "s1"), {-1, -1, -1}}};
    plan_platform_t *pf = NULL, *read = NULL;
    plan_error_t err;
    char *text = NULL;
    int guesses = 0;

    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(m, &again), PLAN_OK);
    CU_ASSERT(again->group[0].out.guess && !again->group[0].in.guess && !again->kind[0].out.guess);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(again, 2, place, &pf, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(pf, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_platform_parse(text, strlen(text), "p.json", &read, &err), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(read);
    for (size_t i = 0; i < d->nresources; i++) {
        CU_ASSERT_EQUAL(d->resource[i].guess, strcmp(d->resource[i].name, "here trunk out") == 0);
        guesses += d->resource[i].guess;
    }
    CU_ASSERT_EQUAL(guesses, 1);
    CU_ASSERT_EQUAL(
        plani_machine_set_rate(m, (plani_machine_part_t){PLANI_PART_OUT, true, 0}, 3e7, (plani_ends_t){0, 0}), PLAN_OK);
    CU_ASSERT(!m->group[0].out.guess);
    free(text);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&read);
    plani_machine_destroy(&m);
    plani_machine_destroy(&again);
    CU_ASSERT_EQUAL(parse("{\"bytes_per_s\": 5e7}", "{\"bytes_per_s\": 5e7, \"guess\": 1}", &m, &err), PLAN_EFORMAT);
}

static void what_is_no_machine_is_refused(void)
{
    static const char *const change[][3] = {
        {"nothing here", "nothing here", "which no group is called"},
        {"{\"from\": {\"group\": \"nothing here\"}}", "{\"channel\": \"no\"}", "which no entry of \"channels\""},
        {"{\"from\": {\"group\": \"nothing here\"}}", "{\"to\": {\"host\": \"f9\"}}", "which no host is called"},
        {"\"kind\": \"slow\"}]}]", "\"kind\": \"odd\"}]}]", "which no entry of \"kinds\""},
        {"{\"name\": \"there\"", "{\"name\": \"nothing here\"}, {\"name\": \"nothing here\"",
         "which several groups are called"},
        {"{\"name\": \"near\"", "{\"name\": \"far\"", "which several entries of \"channels\""},
        {"f[0-1]", "f[0-1", "a bracket"},
        {"\"version\": 1", "\"version\": 2", "version"},
        {"1e8, \"burst", "-1, \"burst", "give bytes per second"},
        {"\"latency_s\": 2e-6, \"s_per_byte\": 1e-9", "\"latency_s\": 0", "costs nothing"},
        {"\"bytes\": [8, 64]", "\"bytes\": [64, 64]", "sizes ascend"},
        {"\"gap_s\": [1e-6, 2e-6]", "\"gap_s\": [1e-6, -2e-6]", "give a number >= 0"},
        {"[1024, 2, 5e7]", "[1024, 2, 5e7], [1024, 2, 5e7]", "out of order"},
        {"[1024, 2, 5e7]", "[1024, 2]", "should be [bytes, messages, bytes_per_s]"},
        {"\"overhead_s\": [1e-6, 2e-6]", "\"overhead_s\": [1e-6]", "give one for each size"},
        {"{\"name\": \"slow\"", "{\"name\": \"fast\"", "name of another kind"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [9e7], \"burst",
         "kinds[0].out.bytes_per_s_interval should be two"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": 9e7, \"burst", "bytes_per_s_interval"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [9e7, \"b\"], \"burst", "bytes_per_s_interval[1]"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [2e8, 9e7], \"burst", "give the lowest first"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [-1, 2e8], \"burst", "at least 0"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [0, 0], \"burst", "give the lowest first"},
        {"1e8, \"burst", "1e8, \"bytes_per_s_interval\": [2e8, 3e8], \"burst", "bytes_per_s should lie in it"},
        {"4e6}", "4e6, \"flow_bytes_per_s_interval\": [5e6, 6e6]}", "paths[1].flow_bytes_per_s_interval is"},
        {"\"latency_s\": 2e-6", "\"latency_s\": 2e-6, \"latency_s_interval\": [3e-6, 4e-6]",
         "latency_s should lie in it"},
        {"\"s_per_byte\": 1e-9", "\"s_per_byte\": 1e-9, \"s_per_byte_interval\": [0, 9e-10]", "s_per_byte should lie"},
        {"\"delay_s\": 3e-6", "\"delay_s\": 3e-6, \"delay_s_interval\": [4e-6, 5e-6]", "delay_s should lie in it"},
        {"{\"name\": \"slow\"",
         "{\"relay_bytes_per_s\": 6e7, \"relay_bytes_per_s_interval\": [5e7, 5.5e7], \"name\": \"slow\"",
         "relay_bytes_per_s should lie"},
    };
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        plani_machine_t *m = NULL;
        plan_error_t err;
        CU_ASSERT_EQUAL(parse(change[i][0], change[i][1], &m, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL(m);
        CU_ASSERT(strstr(err.text, "m.json: ") == err.text && strstr(err.text, change[i][2]) != NULL);
        CU_ASSERT_PTR_NULL(strchr(err.text, '\n'));
    }
}

/* Groups in different places may have one name, and so may channels, as long as nobody refers to it. */
/* Of hosts whose memory alone is described; a host of two ranks has no use for it. */
static void broadcasts_through_described_memory_are_guessed(void)
{
    for (int shared = 0; shared < 2; shared++) {
        char text[512];
        int n =
            snprintf(text, sizeof text,
                     "{\"format\": \"planbcast-machine\", \"version\": 1, \"kinds\": [{\"name\": \"k\"}], \"groups\": "
                     "[{\"name\": "
                     "\"g\", \"hosts\": [{\"names\": \"h\", \"kind\": \"k\"}]}], \"memory\": {\"bytes_per_s\": 4e9, "
                     "\"latency_s\": 1e-6, \"shared\": %s}}",
                     shared ? "true" : "false");
        const plani_place_t place[] = {{0, {0, 0, 0}}, {0, {1, 1, 0}}, {0, {2, 2, 0}}, {0, {3, 3, 0}}};
        plani_machine_t *m = NULL;
        plan_error_t err = {PLAN_OK, ""};
        plan_status_t rc = plani_machine_parse(text, (size_t)n, "m.json", &m, &err);
        if (rc != PLAN_OK) printf("%s\n", err.text);
        CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
        for (int ranks = 2; ranks <= 4; ranks++) {
            plan_platform_t *pf = NULL;
            CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, ranks, place, &pf, &err), PLAN_OK);
            const plan_platform_data_t *d = plan_platform_data(pf);
            CU_ASSERT_EQUAL_FATAL(d->nshared, ranks > 2 ? 3 : 0);
            for (size_t i = 0; i < d->nshared; i++)
                CU_ASSERT_DOUBLE_EQUAL(d->shared_s[i], 1e-6 + d->shared_bytes[i] * (shared ? ranks / 2.0 : 1) / 4e9,
                                       1e-12);
            plan_platform_destroy(&pf);
        }
        plani_machine_destroy(&m);
    }
}

static void names_that_nobody_refers_to_may_be_shared(void)
{
    plani_machine_t *groups = make_with("\"there\"", "\"here\""), *copy = NULL;
    plani_machine_t *channels =
        make_with("\"channels\": [", "\"channels\": [" LADDER("x", "") ", {\"name\": \"x\", \"latency_s\": 1}, ");
    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(groups, &copy), PLAN_OK);
    CU_ASSERT_EQUAL(copy->ngroups, 2);
    CU_ASSERT_STRING_EQUAL(copy->group[1].name, "here");
    CU_ASSERT_EQUAL(channels->nchannels, 5);
    plani_machine_destroy(&groups);
    plani_machine_destroy(&channels);
    plani_machine_destroy(&copy);
}

/* A text cannot say which of two hosts of one name a path means: it is left out, so that the text can be read. */
static void paths_of_hosts_that_share_a_name_are_left_out(void)
{
    plani_machine_t *m = make(), *copy = NULL;

    CU_ASSERT_EQUAL(m->npaths, 2);
    CU_ASSERT_EQUAL_FATAL(plani_machine_add_host(m, "f1", 0, 0), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(m, &copy), PLAN_OK);
    CU_ASSERT(copy->nhosts == 5 && copy->npaths == 1 && copy->path[0].from_host < 0 && copy->path[0].to_host < 0);
    plani_machine_destroy(&m);
    plani_machine_destroy(&copy);
}

static void hosts_are_found_by_name_or_admitted_by_kind(void)
{
    static const char *const known[] = {"s1", "f0"}, *const theirs[] = {"small", "big"}, *const none[] = {"", ""};
    static const char *const changed[] = {"small", "bigger"}, *const other[] = {"s1", "s7"},
                             *const twice[] = {"f0", "f0"};
    plani_machine_t *m = make();
    plan_error_t err;
    int host[2], admitted = 9;

    CU_ASSERT_EQUAL(plani_machine_match(m, 2, known, theirs, true, host, &admitted, &err), PLAN_OK);
    CU_ASSERT(host[0] == plani_machine_find(m, "s1") && host[1] == plani_machine_find(m, "f0") && admitted == 0);
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, known, none, true, host, &admitted, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, known, changed, true, host, &admitted, &err), PLAN_EMISMATCH);
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, twice, theirs, true, host, &admitted, &err), PLAN_EMISMATCH);
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, other, theirs, true, host, &admitted, &err), PLAN_EMISMATCH);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "s7")); /* in which site? */
    for (int h = 0; h < m->nhosts; h++) m->host[h].group = 0;
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, other, none, true, host, &admitted, &err), PLAN_EMISMATCH);
    static const char *const alike[] = {"small", "small"};
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, other, alike, true, host, &admitted, &err), PLAN_OK);
    CU_ASSERT(admitted == 1 && m->nhosts == 5 && m->host[4].admitted && host[1] == 4 &&
              m->host[4].kind == m->host[host[0]].kind);
    plani_machine_destroy(&m);
}

/* A host that a job took for others of its kind is no more than that in copies and files, until its card is measured.
 */
static void admitted_hosts_stay_admitted_in_copies_and_files(void)
{
    static const char *const other[] = {"s1", "s0a"}, *const alike[] = {"small", "small"};
    plani_machine_t *m = make(), *copy = NULL;
    plan_error_t err;
    int host[2], admitted = 0;

    for (int h = 0; h < m->nhosts; h++) m->host[h].group = 0;
    CU_ASSERT_EQUAL_FATAL(plani_machine_match(m, 2, other, alike, true, host, &admitted, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(m, &copy), PLAN_OK);
    CU_ASSERT_EQUAL(copy->nhosts, m->nhosts);
    for (int h = 0; h < copy->nhosts; h++)
        CU_ASSERT_EQUAL(copy->host[h].admitted, (strcmp(copy->host[h].name, "s0a") == 0));
    CU_ASSERT_EQUAL(plani_machine_match(copy, 2, other, alike, true, host, &admitted, &err), PLAN_OK);
    CU_ASSERT(admitted == 1 && host[1] == plani_machine_find(copy, "s0a"));
    plani_machine_part_t card = {PLANI_PART_OUT, false, host[0]};
    CU_ASSERT_EQUAL(plani_machine_set_rate(copy, card, 2e6, (plani_ends_t){0, 0}), PLAN_OK);
    CU_ASSERT(copy->host[host[1]].admitted);
    card.which = host[1];
    CU_ASSERT_EQUAL(plani_machine_set_rate(copy, card, 1e6, (plani_ends_t){0, 0}), PLAN_OK);
    CU_ASSERT(!copy->host[host[1]].admitted);
    plani_machine_destroy(&copy);
    plani_machine_destroy(&m);
    CU_ASSERT_EQUAL(parse("\"kind\": \"slow\"}]}]", "\"kind\": \"slow\", \"admitted\": 1}]}]", &m, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "admitted"));
    m = make_with("\"kind\": \"slow\"}]}]", "\"kind\": \"slow\", \"admitted\": true}]}]");
    CU_ASSERT(m->host[3].admitted && !m->host[0].admitted);
    plani_machine_destroy(&m);
}

/* 10,000 hosts of two racks in an order of their own: each is found by its name, and a name that two have is found by
 * neither. */
static void hosts_may_all_be_of_kinds_of_their_own(void)
{
    enum { HOSTS = 5000, ENTRY = 100 };
    char *text = malloc(HOSTS * ENTRY + ENTRY);
    size_t n = 0;
    plani_machine_t *m = NULL;
    plan_error_t err = {PLAN_OK, ""};
    int wrong = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    n += (size_t)sprintf(text + n, "{\"format\": \"planbcast-machine\", \"version\": 1, \"kinds\": [");
    for (int k = 0; k < HOSTS; k++)
        n += (size_t)sprintf(text + n, "%s{\"name\": \"k%d\", \"out\": {\"bytes_per_s\": %d}}", k ? "," : "", k, 1 + k);
    n += (size_t)sprintf(text + n, "], \"groups\": [{\"name\": \"g\", \"hosts\": [");
    for (int h = 0; h < HOSTS; h++)
        n += (size_t)sprintf(text + n, "%s{\"names\": \"n%d\", \"kind\": \"k%d\"}", h ? "," : "", h, HOSTS - 1 - h);
    n += (size_t)sprintf(text + n, "]}]}");
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, n, "m.json", &m, &err), PLAN_OK);
    for (int h = 0; h < HOSTS; h++) wrong += m->kind[m->host[h].kind].out.bytes_per_s != HOSTS - h;
    CU_ASSERT_EQUAL(wrong, 0);
    plani_machine_destroy(&m);
    free(text);
}

static void many_hosts_are_found_by_their_names(void)
{
    enum { HOSTS = 10000, STEP = 7919 }; /* coprime: every host once */
    static const char text[] = "{\"format\": \"planbcast-machine\", \"version\": 1, \"kinds\": [{\"name\": \"k\"}], "
                               "\"groups\": [{\"name\": \"a\", \"hosts\": [{\"names\": \"n[0000-4999]\", \"kind\": "
                               "\"k\"}]}, {\"name\": \"b\", \"hosts\": [{\"names\": \"n[5000-9999],d,d\", \"kind\": "
                               "\"k\"}]}]}";
    static char name[HOSTS][8];
    static const char *names[HOSTS], *signature[HOSTS];
    static int host[HOSTS];
    plani_machine_t *m = NULL;
    plan_error_t err;
    int admitted = 9, wrong = 0;

    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "m.json", &m, &err), PLAN_OK);
    for (int i = 0; i < HOSTS; i++) {
        snprintf(name[i], sizeof name[i], "n%04d", i * STEP % HOSTS);
        names[i] = name[i], signature[i] = "";
    }
    CU_ASSERT_EQUAL_FATAL(plani_machine_match(m, HOSTS, names, signature, false, host, &admitted, &err), PLAN_OK);
    for (int i = 0; i < HOSTS; i++) wrong += strcmp(m->host[host[i]].name, name[i]) != 0;
    CU_ASSERT(wrong == 0 && admitted == 0);
    CU_ASSERT(plani_machine_find(m, "d") == -1 && plani_machine_find(m, "n10000") == -1);
    names[HOSTS - 1] = names[17];
    CU_ASSERT_EQUAL(plani_machine_match(m, HOSTS, names, signature, false, host, &admitted, &err), PLAN_EMISMATCH);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "two hosts are called"));
    plani_machine_destroy(&m);
}

/* ---- Slurm ---- */

static const plani_import_t how = {
    .out_bytes_per_s = 1e9, .in_bytes_per_s = 2e9, .speed_unit = 1e6, .latency_s = 1e-6, .memory_bytes_per_s = 4e9};

static void slurm_switches_become_groups(void)
{
    plani_machine_t *m = NULL;
    plan_error_t err;
    char *text = NULL;
    size_t len;

    CU_ASSERT_EQUAL_FATAL(plani_read_file(PLANBCAST_TOPOLOGY, 1 << 16, &text, &len, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_import_slurm(text, "topology.conf", &how, &m, &err), PLAN_OK);
    CU_ASSERT_FATAL(m->ngroups == 3 && m->nhosts == 6);
    CU_ASSERT_STRING_EQUAL(m->group[0].name, "spine");
    CU_ASSERT(m->group[0].above == -1 && m->group[0].out.bytes_per_s == 0);
    CU_ASSERT(m->group[1].above == 0 && m->group[2].above == 0);
    CU_ASSERT(m->group[1].out.bytes_per_s == 1e7 && m->group[2].in.bytes_per_s == 4e7);
    CU_ASSERT_EQUAL(m->host[plani_machine_find(m, "n002")].group, 1);
    CU_ASSERT_EQUAL(m->host[plani_machine_find(m, "gpu2")].group, 2);
    CU_ASSERT(m->kind[0].out.bytes_per_s == 1e9 && m->kind[0].in.bytes_per_s == 2e9);
    free(text);
    plani_machine_destroy(&m);
}

/* As Slurm's own parser reads them. */
static void topologies_are_read_as_slurm_reads_them(void)
{
    char text[] = "# an old switch: SwitchName=old Nodes=x \\\n"
                  "SWITCHNAME = leaf0 nodes=n[1-2] \\  \r\n"
                  "LinkSpeed=10\r\n"
                  "SwitchName=leaf1 Nodes=n3,\\\n"
                  "n4 LinkSpeed=2 \\ # each\n"
                  " Comment=\"two of them\"\n"
                  "BlockName=b Nodes=\"r[0-1]-[5-6]\"\n"
                  "BlockSizes=2,4\n"
                  "SwitchName=top Switches=leaf[0-1]";
    static const char *const host[] = {"n1", "n2", "n3", "n4", "r0-5", "r0-6", "r1-5", "r1-6"};
    plani_machine_t *m = NULL;
    plan_error_t err = {.text = ""};

    CU_ASSERT_EQUAL_FATAL(plani_import_slurm(text, "topology.conf", &how, &m, &err), PLAN_OK);
    CU_ASSERT_FATAL(m->ngroups == 4 && m->nhosts == 8);
    for (int h = 0; h < m->nhosts; h++) {
        int at = plani_machine_find(m, host[h]);
        CU_ASSERT_FATAL(at >= 0);
        CU_ASSERT_STRING_EQUAL(m->group[m->host[at].group].name, h < 2 ? "leaf0" : h < 4 ? "leaf1" : "b");
    }
    for (int g = 0; g < m->ngroups; g++) {
        const char *name = m->group[g].name;
        double rate = strcmp(name, "leaf0") == 0 ? 1e7 : strcmp(name, "leaf1") == 0 ? 2e6 : 0;
        CU_ASSERT_EQUAL(m->group[g].out.bytes_per_s, rate);
    }
    plani_machine_destroy(&m);
}

static void what_is_no_topology_is_refused(void)
{
    static const char *const bad[][2] = {
        {"", "no switch has Nodes"},
        {"hello", "line 1: give Key=value"},
        {"SwitchName=a Nodes=n[", "a bracket"},
        {"SwitchName=a", "line 1: give Switches or Nodes"},
        {"SwitchName=a Nodes=n1 Switches=b", "give Switches or Nodes"},
        {"Nodes=n1", "no SwitchName"},
        {"\nSwitchName=a Switches=b", "line 2: there is no switch b"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a", "in a circle"},
        {"SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=n", "two switches are above c"},
        {"SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2", "another switch"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Nodes=n1", "n1 is at two switches"},
        {"SwitchName=a Nodes=n1 LinkSpeed=fast", "LinkSpeed"},
        {"SwitchName=a Nodes=\"n1", "line 1: a quotation mark is missing"},
        {"\\\n# \\\nSwitchName=a =n1", "line 3: give Key=value"},

        {"SwitchName=a Nodes=n[1-70000]\nSwitchName=b Nodes=m[0-999999999]", "line 2: too many hosts"},
        {"SwitchName=a Switches=b\nSwitchName=b Nodes=n1 LinkSpeed=1e306", "line 2: LinkSpeed is inf B/s"},
        {"SwitchName=a Switches=b\nSwitchName=b Nodes=n1 LinkSpeed=1e10", "line 2: LinkSpeed is 1e+16 B/s"},
        {"SwitchName=a Switches=b\nSwitchName=b Nodes=n1 LinkSpeed=1e-300", "line 2: LinkSpeed is"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        plani_machine_t *m = NULL;
        plan_error_t err;
        snprintf(text, sizeof text, "%s", bad[i][0]);
        CU_ASSERT_EQUAL(plani_import_slurm(text, "t.conf", &how, &m, &err), PLAN_EFORMAT);
        CU_ASSERT(m == NULL && strstr(err.text, "t.conf: ") == err.text && strstr(err.text, bad[i][1]) != NULL);
    }
}

/* ---- changes ---- */

/* The rate [B/s] of a resource of all hosts' platform, a rank on each; 0: there is no such resource. */
static double rate_of(const plani_machine_t *m, const char *name)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;
    plani_place_t place[4];
    for (int r = 0; r < 4; r++) place[r] = (plani_place_t){r, {-1, -1, -1}};
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, m->nhosts, place, &pf, &err), PLAN_OK);
    double rate = named(pf, name) != NULL ? 1 / named(pf, name)->s_per_byte : 0;
    plan_platform_destroy(&pf);
    return rate;
}

static void a_card_that_changes_leaves_others_of_its_kind_alone(void)
{
    plani_machine_t *m = make(), *copy = NULL;
    int f0 = plani_machine_find(m, "f0"), f1 = plani_machine_find(m, "f1");
    plani_machine_part_t card = {PLANI_PART_OUT, false, f1};

    CU_ASSERT_EQUAL(plani_machine_set_rate(m, card, 4e7, (plani_ends_t){3.9e7, 4.1e7}), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(m, &copy), PLAN_OK);                          /* by its file */
    f0 = plani_machine_find(copy, "f0"), f1 = card.which = plani_machine_find(copy, "f1"); /* the file sorts hosts */
    CU_ASSERT_EQUAL(copy->nkinds, 3);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(copy, f1 == 1 ? "host 1 out" : "host 2 out"), 4e7, 1);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(copy, f1 == 1 ? "host 1 in" : "host 2 in"), 1e8, 1);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(copy, "host 0 out"), 1e8, 1);
    CU_ASSERT_DOUBLE_EQUAL(copy->kind[copy->host[f1].kind].out.pairs[0].bytes_per_s, 2e7, 1);
    CU_ASSERT_DOUBLE_EQUAL(copy->kind[copy->host[f1].kind].out.interval.low, 3.9e7, 1);
    CU_ASSERT_DOUBLE_EQUAL(copy->kind[copy->host[f1].kind].out.interval.high, 4.1e7, 1);
    CU_ASSERT_EQUAL(copy->kind[copy->host[f0].kind].out.interval.high, 0);
    CU_ASSERT_DOUBLE_EQUAL(copy->kind[copy->host[f0].kind].out.pairs[0].bytes_per_s, 5e7, 1);
    CU_ASSERT_EQUAL(plani_machine_set_rate(copy, card, 5e7, NONE), PLAN_OK); /* of its own kind already */
    CU_ASSERT_EQUAL(copy->nkinds, 3);
    CU_ASSERT_EQUAL(copy->kind[copy->host[f1].kind].out.interval.high, 0); /* that was of another rate */
    plani_machine_destroy(&copy);
    plani_machine_destroy(&m);
}

/* The hardware of a kind is let go once by each kind that has it. */
static void a_card_that_changes_keeps_the_hardware_of_its_kind(void)
{
    plani_machine_t *m = make_with("{\"name\": \"fast\"", "{\"hardware\": {\"cores\": 2}, \"name\": \"fast\"");
    plani_machine_part_t card = {PLANI_PART_OUT, false, plani_machine_find(m, "f1")};
    json_t *hardware = json_incref(json_incref(m->kind[0].hardware));

    CU_ASSERT_EQUAL(plani_machine_set_rate(m, card, 4e7, NONE), PLAN_OK);
    CU_ASSERT_PTR_EQUAL(m->kind[2].hardware, hardware);
    plani_machine_destroy(&m);
    CU_ASSERT_EQUAL(hardware->refcount, 2);
    json_decref(hardware);
    json_decref(hardware);
}

static void paths_of_a_kind_hold_for_a_card_that_changes(void)
{
    plani_machine_t *m = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(parse("{\"from\": {\"group\": \"nothing here\"}}",
                                "{\"from\": {\"kind\": \"fast\"}, \"to\": {\"kind\": \"fast\"}, \"channel\": \"near\"}",
                                &m, &err),
                          PLAN_OK);
    int before = m->npaths;
    CU_ASSERT_EQUAL(plani_machine_set_rate(m, (plani_machine_part_t){PLANI_PART_IN, false, 0}, 4e7, NONE), PLAN_OK);
    CU_ASSERT_EQUAL(m->npaths, before + 3); /* from the new kind, to it, and both */
    int seen = 0;
    for (int i = 0; i < m->npaths; i++) seen |= m->path[i].from_kind == 2 ? 1 << (m->path[i].to_kind == 2) : 0;
    CU_ASSERT_EQUAL(seen, 3);
    plani_machine_destroy(&m);
}

static void trunks_change_and_those_without_a_limit_get_one_that_does_not_limit(void)
{
    plani_machine_t *m = make();
    int there = m->host[plani_machine_find(m, "s1")].group, here = m->host[plani_machine_find(m, "f0")].group;

    CU_ASSERT_EQUAL(plani_machine_set_rate(m, (plani_machine_part_t){PLANI_PART_OUT, true, here}, 3e7, NONE), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(m, "here trunk out"), 3e7, 1);
    CU_ASSERT_EQUAL(rate_of(m, "here trunk in"), 0);
    plani_machine_fill_trunks(m);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(m, "here trunk out"), 3e7, 1);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(m, "here trunk in"), 2.2e8, 1);
    CU_ASSERT_DOUBLE_EQUAL(rate_of(m, "there trunk out"), 1e7, 1);
    CU_ASSERT(plani_machine_part_holds(m, (plani_machine_part_t){PLANI_PART_OUT, true, there}, 3));
    CU_ASSERT(!plani_machine_part_holds(m, (plani_machine_part_t){PLANI_PART_OUT, true, here}, 3));
    CU_ASSERT_EQUAL(plani_machine_set_rate(m, (plani_machine_part_t){PLANI_PART_OTHER, true, here}, 1, NONE),
                    PLAN_EINVAL);
    plani_machine_destroy(&m);
}

static void every_allocation_may_fail(void)
{
    plani_machine_t *m = NULL;
    plan_platform_t *pf = NULL;
    plan_error_t err;
    const plani_place_t place[] = {{0, {-1, -1, -1}}, {1, {-1, -1, -1}}, {1, {-1, -1, -1}}};

    ALLOC_EACH(parse(", {\"from\": {\"group\": \"nothing here\"}}", "", &m, &err),
               CU_ASSERT(status == PLAN_ENOMEM && m == NULL));
    ALLOC_EACH(plani_machine_platform(m, 3, place, &pf, &err), CU_ASSERT(status == PLAN_ENOMEM && pf == NULL));
    plan_platform_destroy(&pf);
    ALLOC_EACH(plani_machine_set_rate(m, (plani_machine_part_t){PLANI_PART_OUT, false, 0}, 1e6, NONE),
               CU_ASSERT(status == PLAN_ENOMEM));
    char *written = NULL;
    ALLOC_EACH(plani_machine_to_json(m, &written), CU_ASSERT(status == PLAN_ENOMEM && written == NULL));
    free(written);
    plani_machine_destroy(&m);
    char text[200];
    ALLOC_EACH((snprintf(text, sizeof text, "SwitchName=a Switches=b\nSwitchName=b Nodes=n[1-9]"),
                plani_import_slurm(text, "t", &how, &m, &err)),
               CU_ASSERT(status == PLAN_ENOMEM && m == NULL));
    plani_machine_destroy(&m);
}

/* What the tool plans on: a machine file keeps what a cluster spec cannot say. With one rank on each host the platform
 * is that of a job there, whether all pairs of ranks are links or only some. */
static void a_machine_is_planned_on_with_all_that_it_says(void)
{
    plani_machine_t *m =
        make_with("\"out\": {\"bytes_per_s\": 1e7}", "\"half_duplex\": true, \"out\": {\"bytes_per_s\": 1e7}");
    const plani_place_t place[] = {{0, {-1, -1, -1}}, {1, {-1, -1, -1}}, {2, {-1, -1, -1}}, {3, {-1, -1, -1}}};
    static const int from[] = {0, 2, 3}, to[] = {2, 1, 0};
    plan_platform_t *pf[3] = {NULL};
    plani_cluster_t *c = NULL;
    char *text = NULL;
    plan_error_t err;

    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(m, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(text, strlen(text), "m.json", &c, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, 4, place, &pf[0], &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf[1], &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform_of(c, 3, from, to, &pf[2], &err), PLAN_OK);
    const plan_platform_data_t *job = plan_platform_data(pf[0]);
    for (int i = 1; i < 3; i++) {
        const plan_platform_data_t *d = plan_platform_data(pf[i]);
        CU_ASSERT_EQUAL(d->nlinks, i == 1 ? 12 : 3);
        CU_ASSERT_EQUAL(d->nchannels, job->nchannels);
        for (size_t l = 0; l < d->nlinks; l++) {
            size_t same = plan_platform_find_link(pf[0], d->link[l].from, d->link[l].to);
            CU_ASSERT_EQUAL(d->link[l].s_per_byte, job->link[same].s_per_byte);
            CU_ASSERT_EQUAL(d->link[l].latency_s, job->link[same].latency_s);
            CU_ASSERT_EQUAL(d->link[l].channel, job->link[same].channel);
            CU_ASSERT_EQUAL(d->use_first[l + 1] - d->use_first[l], job->use_first[same + 1] - job->use_first[same]);
        }
    }
    size_t flow = plan_platform_find_link(pf[1], 2, 1);
    CU_ASSERT_EQUAL(plan_platform_data(pf[1])->link[flow].s_per_byte, 1 / 4e6);
    for (int i = 0; i < 3; i++) plan_platform_destroy(&pf[i]);
    free(text);
    plani_cluster_destroy(&c);
    plani_machine_destroy(&m);
}

/* A spec is one whatever it is called, and no byte behind its text is read. */
static void the_format_tells_specs_from_machines(void)
{
    static const char spec[] =
        "{\"format\": \"planbcast-cluster\", \"version\": 1, \"name\": \"planbcast-machine\", \"sites\": "
        "[{\"hosts\": [{\"ranks\": 3, \"in_bytes_per_s\": 1e9, \"out_bytes_per_s\": 1e9}]}]}";
    plani_cluster_t *c = NULL;
    plan_error_t err;
    char *text = malloc(sizeof spec - 1);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memcpy(text, spec, sizeof spec - 1);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(text, sizeof spec - 1, "s.json", &c, &err), PLAN_OK);
    CU_ASSERT(c->ranks == 3 && c->machine == NULL);
    plani_cluster_destroy(&c);
    free(text);
}

SUITE_MAIN("machine", TEST(host_lists_expand_as_resource_managers_write_them), TEST(names_may_have_several_brackets),
           TEST(host_lists_that_are_none_are_refused), TEST(names_become_the_list_that_expands_to_them),
           TEST(a_spec_is_a_machine_with_the_same_platform), TEST(a_machine_is_planned_on_with_all_that_it_says),
           TEST(the_format_tells_specs_from_machines), TEST(any_ranks_on_some_of_its_hosts_get_their_platform),
           TEST(a_kind_may_differ_inside), TEST(a_machine_of_single_ranks_knows_no_others),
           TEST(intervals_are_read_and_written), TEST(guesses_are_read_and_written),
           TEST(what_is_no_machine_is_refused), TEST(names_that_nobody_refers_to_may_be_shared),
           TEST(broadcasts_through_described_memory_are_guessed), TEST(hosts_are_found_by_name_or_admitted_by_kind),
           TEST(paths_of_hosts_that_share_a_name_are_left_out), TEST(the_first_path_of_single_hosts_counts),
           TEST(admitted_hosts_stay_admitted_in_copies_and_files), TEST(many_hosts_are_found_by_their_names),
           TEST(hosts_may_all_be_of_kinds_of_their_own), TEST(slurm_switches_become_groups),
           TEST(topologies_are_read_as_slurm_reads_them), TEST(what_is_no_topology_is_refused),
           TEST(a_card_that_changes_leaves_others_of_its_kind_alone),
           TEST(a_card_that_changes_keeps_the_hardware_of_its_kind), TEST(paths_of_a_kind_hold_for_a_card_that_changes),
           TEST(trunks_change_and_those_without_a_limit_get_one_that_does_not_limit), TEST(every_allocation_may_fail))
