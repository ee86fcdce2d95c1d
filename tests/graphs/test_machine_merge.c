/* Merging machines: parts of one machine, each as somebody would have measured it, give their own platforms afterwards.
 */
#include "graphs/machine/machine.h"
#include "suite.h"
#include "alloc.h"
#include "lib/base/base.h"
#include "lib/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES = 3, RACKS = 6, HOSTS = 24, KINDS = 3, LEVELS = 3 };

/* A machine of racks in sites, which the parts are cut out of. Host h is in rack h / 4, and rack r in site r / 2. */
typedef struct {
    int kind[HOSTS];
    double trunk[RACKS + SITES];                                   /* [B/s] of racks, then of sites */
    double flow[RACKS][KINDS][RACKS][KINDS], single[HOSTS][HOSTS]; /* [B/s] of one flow; 0: as the cards */
    bool own_memory[KINDS];
} truth_t;

static truth_t draw(plani_rng_t *rng)
{
    truth_t t;
    for (int h = 0; h < HOSTS; h++) t.kind[h] = (int)plani_rng_below(rng, KINDS);
    for (int g = 0; g < RACKS + SITES; g++) t.trunk[g] = 1e7 * (double)(1 + plani_rng_below(rng, 50));
    for (int i = 0; i < RACKS * KINDS * RACKS * KINDS; i++)
        (&t.flow[0][0][0][0])[i] = plani_rng_below(rng, 3) == 0 ? 1e6 * (double)(1 + plani_rng_below(rng, 9)) : 0;
    for (int a = 0; a < HOSTS; a++) /* between hosts of which a part has both or not the second */
        for (int b = 0; b < HOSTS; b++)
            t.single[a][b] =
                a == b / 4 * 4 && plani_rng_below(rng, 4) == 0 ? 1e5 * (double)(1 + plani_rng_below(rng, 9)) : 0;
    for (int k = 0; k < KINDS; k++) t.own_memory[k] = plani_rng_below(rng, 2) == 0;
    return t;
}

/* Some racks, and in each some hosts. The first host of a rack and the first rack of a site are always among them, and
 * so is host 0: no part has to guess which groups are the same. */
static void choose(plani_rng_t *rng, bool in[HOSTS])
{
    for (int h = 0; h < HOSTS; h++) in[h] = false;
    for (int r = 0; r < RACKS; r++) {
        if (r > 0 && plani_rng_below(rng, 2) == 0) continue;
        in[4 * (r - r % 2)] = in[4 * r] = true;
        for (int h = 4 * r; h < 4 * r + 4; h++) in[h] = in[h] || plani_rng_below(rng, 2) == 0;
    }
}

static plani_capacity_t rate(double bytes_per_s)
{
    return (plani_capacity_t){.bytes_per_s = bytes_per_s};
}

static int level(int a, int b)
{
    return a / 4 == b / 4 ? 0 : a / 8 == b / 8 ? 1 : 2;
}

static char *name_of(plani_machine_t *m, const char *what, int number)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, number);
    char *copy = plani_machine_text(m, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(copy);
    return copy;
}

static void put_channels(plani_machine_t *m)
{
    m->channel = plani_machine_room(m, LEVELS + 1, sizeof *m->channel);
    for (int c = 0; c <= LEVELS; c++)
        m->channel[c] = (plani_machine_channel_t){.ladder = {.name = name_of(m, "channel ", c), .network = c < LEVELS},
                                                  .latency_s = 1e-6 * (c + 1),
                                                  .s_per_byte = 1e-9,
                                                  .delay_s = 1e-5 * c};
    m->nchannels = LEVELS + 1;
    m->inside.channel[PLANI_SAME_HOST] = LEVELS;
    m->inside.memory = rate(4e9), m->inside.memory_shared = true;
}

/* Kinds and groups have names of their own in each part: numbers in the order of its hosts. */
static void put_hosts(plani_machine_t *m, const truth_t *t, const bool in[HOSTS])
{
    int kind[KINDS], rack[RACKS], site[SITES];

    memset(kind, -1, sizeof kind), memset(rack, -1, sizeof rack), memset(site, -1, sizeof site);
    m->kind = plani_machine_room(m, KINDS, sizeof *m->kind);
    m->group = plani_machine_room(m, RACKS + SITES, sizeof *m->group);
    for (int h = 0; h < HOSTS; h++) {
        int k = t->kind[h], r = h / 4, s = h / 8;
        char host[32];
        if (!in[h]) continue;
        if (site[s] < 0) {
            m->group[site[s] = m->ngroups] = (plani_machine_group_t){
                .name = name_of(m, "group ", m->ngroups), .above = -1, .out = rate(t->trunk[RACKS + s])};
            m->ngroups++;
        }
        if (rack[r] < 0) {
            m->group[rack[r] = m->ngroups] = (plani_machine_group_t){
                .name = name_of(m, "group ", m->ngroups), .above = site[s], .in = rate(t->trunk[r])};
            m->ngroups++;
        }
        if (kind[k] < 0) {
            plani_machine_inside_t *own = plani_machine_room(m, 1, sizeof *own);
            *own = (plani_machine_inside_t){.channel = {-1, -1, -1, -1}, .memory = rate(1e9 * (k + 1))};
            m->kind[kind[k] = m->nkinds] = (plani_machine_kind_t){.name = name_of(m, "kind ", m->nkinds),
                                                                  .signature = name_of(m, "sort ", k),
                                                                  .out = rate(1e8 * (k + 1)),
                                                                  .in = rate(2e8),
                                                                  .inside = t->own_memory[k] ? own : NULL};
            m->nkinds++;
        }
        snprintf(host, sizeof host, "n%d", h);
        CU_ASSERT_EQUAL_FATAL(plani_machine_add_host(m, host, rack[r], kind[k]), PLAN_OK);
    }
}

/* A path for every two racks and kinds of which there are two hosts, and those of single hosts. */
static void put_paths(plani_machine_t *m, const truth_t *t, const bool in[HOSTS])
{
    m->path = plani_machine_room(m, 2 * HOSTS * HOSTS, sizeof *m->path);
    for (int a = 0; a < HOSTS; a++)
        for (int b = 0; b < HOSTS; b++) {
            if (a == b || !in[a] || !in[b]) continue;
            char x[32], y[32];
            snprintf(x, sizeof x, "n%d", a), snprintf(y, sizeof y, "n%d", b);
            int u = plani_machine_find(m, x), v = plani_machine_find(m, y);
            const plani_machine_host_t *from = &m->host[u], *to = &m->host[v];
            if (plani_machine_path(m, u, v) < 0)
                m->path[m->npaths++] = (plani_machine_path_t){
                    -1,         -1,       from->group, to->group,
                    from->kind, to->kind, level(a, b), t->flow[a / 4][t->kind[a]][b / 4][t->kind[b]],
                    false,      {0, 0}};
            if (t->single[a][b] > 0)
                m->path[m->npaths++] =
                    (plani_machine_path_t){u, v, -1, -1, -1, -1, level(a, b), t->single[a][b], false, {0, 0}};
        }
}

static plani_machine_t *part(const truth_t *t, const bool in[HOSTS])
{
    plani_machine_t *m = plani_machine_create();
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    m->name = name_of(m, "part ", 0);
    put_channels(m);
    put_hosts(m, t, in);
    put_paths(m, t, in);
    return m;
}

/* ---- platforms of the same placement ---- */

static plan_platform_t *platform(const plani_machine_t *m, const bool in[HOSTS])
{
    plani_place_t place[2 * HOSTS];
    plan_platform_t *pf = NULL;
    plan_error_t err;
    int ranks = 0;

    for (int h = HOSTS; h-- > 0;) {
        char name[32];
        snprintf(name, sizeof name, "n%d", h);
        for (int k = 0; in[h] && k <= h % 2; k++)
            place[ranks++] = (plani_place_t){plani_machine_find(m, name), {-1, -1, -1}};
    }
    for (int r = 0; r < ranks; r++) CU_ASSERT_FATAL(place[r].host >= 0);
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform(m, ranks, place, &pf, &err), PLAN_OK);
    return pf;
}

static bool same_resource(const plan_resource_t *a, const plan_resource_t *b)
{
    return a->s_per_byte == b->s_per_byte && a->nlinks == b->nlinks &&
           memcmp(a->link, b->link, a->nlinks * sizeof *a->link) == 0;
}

static int differences(const plan_platform_data_t *a, const plan_platform_data_t *b)
{
    int n = a->ranks != b->ranks || a->nlinks != b->nlinks || a->nresources != b->nresources || a->sites != b->sites ||
            a->ports != b->ports;
    for (size_t i = 0; n == 0 && i < a->nlinks; i++) {
        const plan_link_t *x = &a->link[i], *y = &b->link[i];
        const char *mine = x->channel < 0 ? "" : a->channel[x->channel].name,
                   *theirs = y->channel < 0 ? "" : b->channel[y->channel].name;
        n += x->latency_s != y->latency_s || x->s_per_byte != y->s_per_byte || x->delay_s != y->delay_s ||
             strcmp(mine, theirs) != 0;
    }
    for (size_t i = 0; n == 0 && i < a->nresources; i++) {
        bool there = false;
        for (size_t k = 0; k < b->nresources; k++) there = there || same_resource(&a->resource[i], &b->resource[k]);
        n += !there;
    }
    return n;
}

static void same_platform(const plani_machine_t *a, const plani_machine_t *b, const bool in[HOSTS])
{
    plan_platform_t *x = platform(a, in), *y = platform(b, in);
    CU_ASSERT_EQUAL(differences(plan_platform_data(x), plan_platform_data(y)), 0);
    plan_platform_destroy(&x);
    plan_platform_destroy(&y);
}

static plani_machine_t *merged(const plani_machine_t *a, const plani_machine_t *b)
{
    plani_machine_t *m = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plani_machine_merge(a, b, &m, &err), PLAN_OK);
    return m;
}

static void same_text(const plani_machine_t *a, const plani_machine_t *b)
{
    char *x = NULL, *y = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(a, &x), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(b, &y), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(x, y);
    free(x);
    free(y);
}

/* Names of hosts, kinds and groups are each used once; it is written and read again as it is. */
static void check_sound(const plani_machine_t *m)
{
    plani_machine_t *again = NULL;
    plani_names_t hosts = {0}, kinds = {0}, groups = {0};
    plan_error_t err;
    char *text = NULL;

    for (int h = 0; h < m->nhosts; h++) CU_ASSERT_EQUAL(plani_names_add(&hosts, m->host[h].name, h), h);
    for (int k = 0; k < m->nkinds; k++) CU_ASSERT_EQUAL(plani_names_add(&kinds, m->kind[k].name, k), k);
    for (int g = 0; g < m->ngroups; g++) {
        CU_ASSERT_EQUAL(plani_names_add(&groups, m->group[g].name, g), g);
        CU_ASSERT(m->group[g].above < g);
    }
    plani_names_clear(&hosts);
    plani_names_clear(&kinds);
    plani_names_clear(&groups);
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(m, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "m.json", &again, &err), PLAN_OK);
    same_text(m, again);
    free(text);
    plani_machine_destroy(&again);
}

/* Whatever the order of merging, each part has the platform that it had; what is known adds nothing. */
static void every_part_keeps_its_platform(void)
{
    plani_rng_t rng;
    plani_rng_seed(&rng, 7);

    for (int round = 0; round < 200; round++) {
        truth_t t = draw(&rng);
        bool in[3][HOSTS];
        plani_machine_t *p[3], *two, *left, *others, *right, *again;
        for (int i = 0; i < 3; i++) choose(&rng, in[i]), p[i] = part(&t, in[i]);
        two = merged(p[0], p[1]), left = merged(two, p[2]);
        others = merged(p[1], p[2]), right = merged(p[0], others);
        again = merged(left, p[1]);
        for (int i = 0; i < 3; i++) {
            same_platform(left, p[i], in[i]);
            same_platform(right, p[i], in[i]);
        }
        CU_ASSERT(left->nhosts == right->nhosts && left->nkinds == right->nkinds && left->ngroups == right->ngroups);
        same_text(left, again);
        check_sound(left);
        check_sound(right);
        plani_machine_t *all[] = {p[0], p[1], p[2], two, left, others, right, again};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) plani_machine_destroy(&all[i]);
    }
}

/* ---- single cases ---- */

#define KIND(name, signature, rate)                                                                                    \
    "{\"name\": \"" name "\", \"signature\": \"" signature "\", \"out\": {\"bytes_per_s\": " rate                      \
    "}, \"in\": {\"bytes_per_s\": " rate "}}"
#define HOSTLIST(names, kind) "{\"names\": \"" names "\", \"kind\": \"" kind "\"}"

static plani_machine_t *parse(const char *kinds, const char *groups, const char *more)
{
    char text[2000];
    plani_machine_t *m = NULL;
    plan_error_t err = {.text = ""};
    int len = snprintf(text, sizeof text,
                       "{\"format\": \"planbcast-machine\", \"version\": 1, \"name\": \"m\", \"kinds\": [%s], "
                       "\"groups\": [%s]%s}",
                       kinds, groups, more);
    CU_ASSERT_EQUAL(plani_machine_parse(text, (size_t)len, "m.json", &m, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    return m;
}

static plani_machine_t *merge_and_free(plani_machine_t *a, plani_machine_t *b)
{
    plani_machine_t *m = merged(a, b);
    check_sound(m);
    plani_machine_destroy(&a);
    plani_machine_destroy(&b);
    return m;
}

static const plani_machine_host_t *host(const plani_machine_t *m, const char *name)
{
    int h = plani_machine_find(m, name);
    CU_ASSERT_FATAL(h >= 0);
    return &m->host[h];
}

/* A new host goes where the known hosts are that it shares a group with; its kind is a known one, up to noise. */
static void new_hosts_join_the_groups_of_known_ones(void)
{
    plani_machine_t *m = merge_and_free(
        parse(KIND("slow", "s", "1e7") ", " KIND("fast", "f", "1e8"),
              "{\"name\": \"here\", \"hosts\": [" HOSTLIST("a,b", "slow") "]}, {\"name\": \"there\", "
                                                                          "\"hosts\": [" HOSTLIST("c", "fast") "]}",
              ""),
        parse(
            KIND("kind 0", "f", "1.02e8") ", " KIND("kind 1", "s", "2e7"),
            "{\"name\": \"site 0\", \"hosts\": [" HOSTLIST("x,c", "kind 0") "]}, {\"name\": \"there\", "
                                                                            "\"hosts\": [" HOSTLIST("y", "kind 1") "]}",
            ""));
    CU_ASSERT(m->nhosts == 5 && m->nkinds == 3 && m->ngroups == 3);
    CU_ASSERT_EQUAL(host(m, "x")->group, host(m, "c")->group);
    CU_ASSERT_STRING_EQUAL(m->kind[host(m, "x")->kind].name, "fast");
    CU_ASSERT_EQUAL(m->kind[host(m, "c")->kind].out.bytes_per_s, 1e8); /* what is known stays */
    CU_ASSERT_STRING_EQUAL(m->kind[host(m, "y")->kind].name, "kind 1");
    CU_ASSERT_STRING_EQUAL(m->group[host(m, "y")->group].name, "there (2)");
    CU_ASSERT_EQUAL(m->group[host(m, "y")->group].part, m->group[host(m, "a")->group].part);
    plani_machine_destroy(&m);
}

static void a_host_that_has_changed_is_another_one(void)
{
    plani_machine_t *m =
        merge_and_free(parse(KIND("k", "old", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") "]}", ""),
                       parse(KIND("k", "new", "1e8"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a", "k") "]}", ""));
    CU_ASSERT(m->nhosts == 2 && m->nkinds == 2 && m->ngroups == 1);
    CU_ASSERT_STRING_EQUAL(m->kind[host(m, "a")->kind].signature, "new");
    CU_ASSERT_EQUAL(m->kind[host(m, "a")->kind].out.bytes_per_s, 1e8);
    CU_ASSERT_STRING_EQUAL(m->kind[host(m, "b")->kind].signature, "old");
    plani_machine_destroy(&m);
}

/* Nobody knows what is between them, until a third machine has hosts of both. */
static void machines_without_a_common_host_are_parts(void)
{
    static const char *const name[] = {"a", "c"}, *const signature[] = {"", ""};
    int number[2], admitted;
    plan_error_t err;
    plani_machine_t *m =
        merge_and_free(parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") "]}", ""),
                       parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("c,d", "k") "]}", ""));
    CU_ASSERT(m->nkinds == 1 && m->ngroups == 2 && m->group[0].part == 0 && m->group[1].part == 1);
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, name, signature, false, number, &admitted, &err), PLAN_EMISMATCH);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "between host a and host c"));
    m = merge_and_free(m, parse(KIND("k", "s", "1e7"),
                                "{\"name\": \"g\", \"hosts\": [" HOSTLIST("b", "k") "]}, {\"name\": \"h\", \"hosts\": "
                                                                                    "[" HOSTLIST("c,e", "k") "]}",
                                ""));
    CU_ASSERT(m->nhosts == 5 && m->ngroups == 2 && m->group[1].part == 0);
    CU_ASSERT_EQUAL(plani_machine_match(m, 2, name, signature, false, number, &admitted, &err), PLAN_OK);
    plani_machine_destroy(&m);
}

/* A trunk and a level above that nobody had seen, and ranks that share a host. */
static void what_was_not_known_is_added(void)
{
    plani_machine_t *m =
        merge_and_free(parse(KIND("k", "s", "1e7"),
                             "{\"name\": \"g\", \"in\": {\"bytes_per_s\": 5e6}, \"hosts\": [" HOSTLIST("a,b", "k") "]}",
                             ", \"shared_memory\": [{\"ranks\": 4, \"bytes\": [8], \"seconds\": [4]}]"),
                       parse(KIND("k", "s", "1e7"),
                             "{\"name\": \"s\", \"out\": {\"bytes_per_s\": 2e6}, \"groups\": [{\"name\": \"r\", "
                             "\"out\": {\"bytes_per_s\": "
                             "3e6}, \"in\": {\"bytes_per_s\": 9e6}, \"hosts\": [" HOSTLIST(
                                 "a", "k") "]}, {\"name\": \"g\", \"hosts\": "
                                           "[" HOSTLIST("c", "k") "]}]}",
                             ", \"memory\": {\"bytes_per_s\": 3e9}, \"shared_memory\": [{\"ranks\": 4, \"bytes\": [8], "
                             "\"seconds\": [5]}, "
                             "{\"ranks\": 2, \"bytes\": [8], \"seconds\": [2]}]"));
    const plani_machine_group_t *g = &m->group[host(m, "b")->group];
    CU_ASSERT_FATAL(m->ngroups == 3 && g->above == 0);
    CU_ASSERT(g->out.bytes_per_s == 3e6 && g->in.bytes_per_s == 5e6 && m->group[0].out.bytes_per_s == 2e6);
    CU_ASSERT_EQUAL(m->group[host(m, "c")->group].above, 0);
    CU_ASSERT(m->nkinds == 1 && m->inside.memory.bytes_per_s == 3e9 && m->inside.nshared == 2);
    CU_ASSERT(m->inside.shared[0].ranks == 2 && m->inside.shared[0].seconds[0] == 2);
    CU_ASSERT(m->inside.shared[1].ranks == 4 && m->inside.shared[1].seconds[0] == 4);
    plani_machine_destroy(&m);
}

/* What was measured replaces a guess, in either order, and is no contradiction of it. */
static void what_was_measured_replaces_a_guess(void)
{
#define TRUNK(more) "{\"name\": \"g\", \"out\": {\"bytes_per_s\": " more "}, \"hosts\": [" HOSTLIST("a,b", "k") "]}"
    static const char *const groups[2] = {TRUNK("4e6, \"guess\": true"), TRUNK("6e6")};

    for (int i = 0; i < 2; i++) {
        plani_machine_t *known = parse(KIND("k", "s", "1e7"), groups[i], ""),
                        *more = parse(KIND("k", "s", "1e7"), groups[!i], ""), *all = merged(known, more);
        char *kept = NULL;
        CU_ASSERT(all->group[0].out.bytes_per_s == 6e6 && !all->group[0].out.guess);
        CU_ASSERT_EQUAL(plani_machine_kept(all, more, &kept), PLAN_OK);
        CU_ASSERT_PTR_NULL(kept);
        plani_machine_destroy(&known);
        plani_machine_destroy(&more);
        plani_machine_destroy(&all);
    }
}

/* A group of hosts that are known to be in two says nothing of the trunk of one, in whatever order it lists them. */
static void a_wider_group_says_nothing_of_the_groups_within(void)
{
    static const char *const wider[] = {
        "{\"name\": \"w\", \"out\": {\"bytes_per_s\": 6e6}, \"hosts\": [" HOSTLIST("a,b", "k") "]}",
        "{\"name\": \"w\", \"out\": {\"bytes_per_s\": 6e6}, \"hosts\": [" HOSTLIST("b,a", "k") "]}"};

    for (int i = 0; i < 2; i++) {
        plani_machine_t *m =
            merge_and_free(parse(KIND("k", "s", "1e7"),
                                 "{\"name\": \"g\", \"hosts\": [" HOSTLIST(
                                     "a", "k") "]}, {\"name\": \"h\", \"hosts\": [" HOSTLIST("b", "k") "]}",
                                 ""),
                           parse(KIND("k", "s", "1e7"), wider[i], ""));
        CU_ASSERT(m->group[m->host[plani_machine_find(m, "a")].group].out.bytes_per_s == 0);
        CU_ASSERT(m->group[m->host[plani_machine_find(m, "b")].group].out.bytes_per_s == 0);
        plani_machine_destroy(&m);
    }
}

/* Of a host that only one machine knows and one that only the other knows: as others of their groups. */
static void likely_paths_lead_between_what_neither_knows(void)
{
#define FAR                                                                                                            \
    ", \"channels\": [{\"name\": \"far\", \"network\": true, \"latency_s\": 1e-4}, {\"name\": \"near\", "              \
    "\"latency_s\": 1e-6}], \"paths\": "
    plani_machine_t *m =
        merge_and_free(parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") "]}",
                             FAR "[{\"from\": {\"group\": \"g\"}, \"to\": {\"group\": \"g\"}, \"channel\": \"near\"}]"),
                       parse(KIND("k", "s", "1e7"),
                             "{\"name\": \"g\", \"hosts\": [" HOSTLIST(
                                 "a", "k") "]}, {\"name\": \"h\", \"hosts\": [" HOSTLIST("c,d", "k") "]}",
                             FAR "[{\"from\": {\"group\": \"h\"}, \"to\": {\"group\": \"h\"}, \"channel\": \"near\"}, "
                                 "{\"channel\": \"far\"}]"));
    static const char *const pair[][3] = {{"b", "c", "far"}, {"d", "b", "far"}, {"a", "b", "near"}, {"c", "d", "near"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        int path = plani_machine_path(m, plani_machine_find(m, pair[i][0]), plani_machine_find(m, pair[i][1]));
        CU_ASSERT_FATAL(path >= 0);
        CU_ASSERT_STRING_EQUAL(m->channel[m->path[path].channel].ladder.name, pair[i][2]);
    }
    plani_machine_destroy(&m);
}

/* Channels that differ by their rendezvous alone are two. */
static void each_path_keeps_the_rendezvous_of_its_channel(void)
{
#define NEAR(group, bytes)                                                                                             \
    ", \"channels\": [{\"name\": \"near\", \"network\": true, \"latency_s\": 1e-6, \"rendezvous_bytes\": " bytes       \
    "}], \"paths\": [{\"from\": {\"group\": \"" group "\"}, \"to\": {\"group\": \"" group                              \
    "\"}, \"channel\": \"near\"}]"
    plani_machine_t *m = merge_and_free(
        parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") "]}", NEAR("g", "4000")),
        parse(KIND("k", "s", "1e7"), "{\"name\": \"h\", \"hosts\": [" HOSTLIST("c,d", "k") "]}", NEAR("h", "8000")));
    static const char *const pair[][2] = {{"a", "b"}, {"c", "d"}};
    for (int i = 0; i < 2; i++) {
        int path = plani_machine_path(m, plani_machine_find(m, pair[i][0]), plani_machine_find(m, pair[i][1]));
        CU_ASSERT_FATAL(path >= 0);
        CU_ASSERT_EQUAL(m->channel[m->path[path].channel].ladder.rendezvous_bytes, i == 0 ? 4000 : 8000);
    }
    plani_machine_destroy(&m);
}

/* A file gets what it lacks; one that is no machine stays as it is. */
static void machines_are_added_to_files(void)
{
    static const char path[] = "test-machine-merge.json";
    plani_machine_t *a = parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") "]}", ""),
                    *b = parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("b,c", "k") "]}", ""),
                    *m = NULL;
    plan_error_t err;
    char *text = NULL;
    size_t len = 0;

    remove(path);
    CU_ASSERT_EQUAL(plani_machine_add_to_file(a, path, NULL, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plani_machine_add_to_file(b, path, NULL, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_load(path, &m, &err), PLAN_OK);
    CU_ASSERT(m->nhosts == 3 && m->ngroups == 1 && m->nkinds == 1);
    CU_ASSERT_EQUAL(plani_write_file(path, "hello", 5, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plani_machine_add_to_file(a, path, NULL, &err), PLAN_EFORMAT);
    CU_ASSERT(strstr(err.text, path) == err.text);
    CU_ASSERT_EQUAL(plani_read_file(path, 100, &text, &len, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, "hello");
    free(text);
    remove(path);
    plani_machine_destroy(&a);
    plani_machine_destroy(&b);
    plani_machine_destroy(&m);
}

/* Three racks in a file. */
#define RACK(name, out, hosts)                                                                                         \
    "{\"name\": \"" name "\", \"out\": {\"bytes_per_s\": " out "}, \"hosts\": [" HOSTLIST(hosts, "k") "]}"
#define RACKS(out) RACK("r 0", out, "a,b") ", " RACK("r 1", out, "c,d") ", " RACK("r 2", out, "e")

static char *text_of(const plani_machine_t *m)
{
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_machine_to_json(m, &text), PLAN_OK);
    return text;
}

static plani_machine_part_t part_of(const plani_machine_t *m, const char *host, bool trunk)
{
    int h = plani_machine_find(m, host);
    return (plani_machine_part_t){PLANI_PART_OUT, trunk, trunk ? m->host[h].group : h};
}

/* Renew a part of m in a file, where it is, or is not, that of this host: all else stays. */
static void renew_in(const char *path, const plani_machine_t *m, plani_machine_part_t part, const char *host)
{
    plani_machine_t *file = NULL, *now = NULL;
    plan_error_t err = {.text = ""};

    CU_ASSERT_EQUAL_FATAL(plani_machine_load(path, &file, &err), PLAN_OK);
    plan_status_t rc = plani_machine_renew_file(m, part, 7e6, (plani_ends_t){6e6, 8e6}, path, &err);
    CU_ASSERT_EQUAL(rc, host != NULL ? PLAN_OK : PLAN_EMISMATCH);
    if (rc != PLAN_OK) CU_ASSERT(strstr(err.text, path) == err.text);
    if (host != NULL) {
        plani_machine_part_t same = part_of(file, host, part.trunk);
        CU_ASSERT_EQUAL_FATAL(plani_machine_set_rate(file, same, 7e6, (plani_ends_t){6e6, 8e6}), PLAN_OK);
    }
    CU_ASSERT_EQUAL_FATAL(plani_machine_load(path, &now, &err), PLAN_OK);
    char *expected = text_of(file), *found = text_of(now);
    CU_ASSERT_STRING_EQUAL(found, expected);
    free(expected);
    free(found);
    plani_machine_destroy(&file);
    plani_machine_destroy(&now);
}

/* What a job knows of some hosts is older than the file: other rates, other names of groups, fewer hosts. */
static void a_rate_is_renewed_in_a_file_and_all_else_stays(void)
{
    static const char path[] = "test-machine-renew.json";
    plani_machine_t *file = parse(KIND("k", "s", "1e7"), RACKS("4e6"), ""),
                    *job = parse(KIND("k", "s", "2e7"),
                                 RACK("site 0", "9e6", "c") ", " RACK("r 0", "9e6", "a,b") ", " RACK("z", "9e6", "new"),
                                 ""),
                    *other = parse(KIND("k", "s", "2e7"), RACK("r 0", "9e6", "a,b,c") ", " RACK("r 1", "9e6", "d"), "");
    plan_error_t err;

    remove(path);
    CU_ASSERT_EQUAL(plani_machine_add_to_file(file, path, NULL, &err), PLAN_OK);
    renew_in(path, job, part_of(job, "a", true), "a");
    renew_in(path, job, part_of(job, "c", true), "c");
    renew_in(path, job, part_of(job, "b", false), "b");
    renew_in(path, job, part_of(job, "new", true), NULL);
    renew_in(path, job, part_of(job, "new", false), NULL);
    renew_in(path, other, part_of(other, "a", true), NULL); /* there, c is in another group */
    remove(path);
    CU_ASSERT_EQUAL(plani_machine_renew_file(job, part_of(job, "a", false), 7e6, (plani_ends_t){0, 0}, path, &err),
                    PLAN_OK); /* there is no file yet */
    renew_in(path, job, part_of(job, "new", true), "new");
    remove(path);
    plani_machine_t *twins = parse(KIND("k", "s", "1e7"), RACK("r", "4e6", "a,b,b"), "");
    CU_ASSERT_EQUAL(plani_machine_renew_file(twins, part_of(twins, "a", false), 7e6, (plani_ends_t){0, 0}, path, &err),
                    PLAN_EMISMATCH);
    CU_ASSERT_STRING_EQUAL(err.text, "test-machine-renew.json: two hosts are called b; give one another name");
    plani_machine_destroy(&twins);
    CU_ASSERT_EQUAL(plani_write_file(path, "hello", 5, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plani_machine_renew_file(job, part_of(job, "a", false), 7e6, (plani_ends_t){0, 0}, path, &err),
                    PLAN_EFORMAT);
    remove(path);
    plani_machine_destroy(&file);
    plani_machine_destroy(&job);
    plani_machine_destroy(&other);
}

/* A rack and its site have the same hosts as far as a job knows them: their names tell which is meant. */
static void groups_of_the_same_hosts_are_told_apart_by_name(void)
{
#define SITE(name, rack)                                                                                               \
    "{\"name\": \"" name "\", \"out\": {\"bytes_per_s\": 5e6}, \"groups\": [" RACK(rack, "4e6", "a,b") ", " RACK(      \
        "far", "4e6", "x") "]}, " RACK("else", "4e6", "c")
    static const char path[] = "test-machine-names.json";
    plani_machine_t *file = parse(KIND("k", "s", "1e7"), SITE("here", "r 0"), ""), *now = NULL;
    static const char *const name[] = {"here", "r 0", "mine"};
    plan_error_t err;

    for (int i = 0; i < 3; i++) {
        plani_machine_t *job =
            parse(KIND("k", "s", "1e7"), RACK("r 0", "9e6", "a,b") ", " RACK("else", "9e6", "c"), "");
        job->group[0].name = plani_machine_text(job, name[i]);
        remove(path);
        CU_ASSERT_EQUAL(plani_machine_add_to_file(file, path, NULL, &err), PLAN_OK);
        CU_ASSERT_EQUAL(plani_machine_renew_file(job, part_of(job, "a", true), 7e6, (plani_ends_t){0, 0}, path, &err),
                        i < 2 ? PLAN_OK : PLAN_EMISMATCH);
        CU_ASSERT_EQUAL_FATAL(plani_machine_load(path, &now, &err), PLAN_OK);
        for (int g = 0; g < now->ngroups; g++)
            CU_ASSERT_EQUAL((now->group[g].out.bytes_per_s == 7e6), (strcmp(now->group[g].name, name[i]) == 0));
        plani_machine_destroy(&now);
        plani_machine_destroy(&job);
    }
    remove(path);
    plani_machine_destroy(&file);
}

#define MEASURED_KIND(rate, ends)                                                                                      \
    "{\"name\": \"k\", \"out\": {\"bytes_per_s\": " rate ", \"bytes_per_s_interval\": " ends                           \
    "}, \"in\": {\"bytes_per_s\": 1e7}}"
#define OF(names) "{\"name\": \"g\", \"hosts\": [" HOSTLIST(names, "k") "]}"

/* The rate of a kind stays; its interval spans new hosts of the kind, but not what is said again of known ones. */
static void intervals_span_the_hosts_of_a_kind(void)
{
    static const struct {
        const char *kind, *more, *hosts;
        double low, high;
    } known[] = {
        {MEASURED_KIND("1e7", "[9.9e6, 1.01e7]"), MEASURED_KIND("1.02e7", "[1e7, 1.03e7]"), OF("a,c"), 9.9e6, 1.03e7},
        {MEASURED_KIND("1e7", "[9.9e6, 1.01e7]"), MEASURED_KIND("1.02e7", "[1e7, 1.03e7]"), OF("a,b"), 9.9e6, 1.01e7},
        {MEASURED_KIND("1e7", "[9.9e6, 1.01e7]"), KIND("k", "", "9.8e6"), OF("a,c"), 9.8e6, 1.01e7},
        {KIND("k", "", "1e7"), MEASURED_KIND("1.02e7", "[1e7, 1.03e7]"), OF("a,c"), 0, 0},
        {MEASURED_KIND("1e7", "[9.9e6, 1.01e7]"), MEASURED_KIND("2e7", "[1e7, 3e7]"), OF("a,c"), 9.9e6, 1.01e7},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        plani_machine_t *m =
            merge_and_free(parse(known[i].kind, OF("a,b"), ""), parse(known[i].more, known[i].hosts, ""));
        CU_ASSERT_EQUAL(m->nkinds, i == 4 ? 2 : 1);
        CU_ASSERT_EQUAL(m->kind[0].out.bytes_per_s, 1e7);
        CU_ASSERT(m->kind[0].out.interval.low == known[i].low && m->kind[0].out.interval.high == known[i].high);
        if (m->nkinds == 2) CU_ASSERT_EQUAL(m->kind[1].out.interval.high, 3e7);
        check_sound(m);
        plani_machine_destroy(&m);
    }
}

/* One line about cards, trunks and groups that are not as the newer machine says; nothing where both agree to 3%. */
static void what_is_kept_is_told(void)
{
#define IN_TWO(rate)                                                                                                   \
    "{\"name\": \"g\", \"out\": {\"bytes_per_s\": " rate                                                               \
    "}, \"hosts\": [" HOSTLIST("a,b", "k") "]}, {\"name\": \"h\", \"hosts\": [" HOSTLIST("c", "k") "]}"
    static const struct {
        const char *kind, *groups, *kept;
    } newer[] = {
        {KIND("k", "s", "1.02e7"), IN_TWO("4e6"), NULL},
        {KIND("k", "s", "2e7"), IN_TWO("4e6"), "the cards of a,b,c"},
        {KIND("k", "t", "2e7"), IN_TWO("4e6"), NULL}, /* other hosts: the newer one counts */
        {KIND("k", "s", "1e7"), IN_TWO("5e6"), "the trunks of g"},
        {KIND("k", "s", "1e7"), IN_TWO("0"), NULL}, /* no limit was seen */
        {KIND("k", "s", "1e7"), OF("a,b,c"), "the groups of c"},
        {KIND("k", "s", "2e7"), OF("d"), NULL},
        {KIND("k", "s", "1e7"), OF("a,c"), "the groups of c"},
    };
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        plani_machine_t *old = parse(KIND("k", "s", "1e7"), IN_TWO("4e6"), ""),
                        *more = parse(newer[i].kind, newer[i].groups, ""), *all = NULL;
        plan_error_t err;
        char *kept = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_machine_merge(old, more, &all, &err), PLAN_OK);
        CU_ASSERT_EQUAL(plani_machine_kept(all, more, &kept), PLAN_OK);
        CU_ASSERT_EQUAL((kept == NULL), (newer[i].kept == NULL));
        if (kept != NULL && newer[i].kept != NULL) CU_ASSERT_STRING_EQUAL(kept, newer[i].kept);
        free(kept);
        kept = NULL;
        if (i == 1) ALLOC_EACH(plani_machine_kept(all, more, &kept), CU_ASSERT(status == PLAN_ENOMEM && kept == NULL));
        free(kept);
        plani_machine_destroy(&old);
        plani_machine_destroy(&more);
        plani_machine_destroy(&all);
    }
}

static void hosts_without_names_of_their_own_are_refused(void)
{
    plani_machine_t *a = parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b,a", "k") "]}", ""),
                    *b = parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a", "k") "]}", ""),
                    *m = NULL;
    plan_error_t err;

    CU_ASSERT_EQUAL(plani_machine_merge(a, b, &m, &err), PLAN_EMISMATCH);
    CU_ASSERT(m == NULL && strstr(err.text, "two hosts are called a") != NULL);
    CU_ASSERT_EQUAL(plani_machine_merge(b, a, &m, &err), PLAN_EMISMATCH);
    CU_ASSERT_EQUAL(plani_machine_add_to_file(a, "test-no-names.json", NULL, &err), PLAN_EMISMATCH);
    CU_ASSERT_STRING_EQUAL(err.text, "test-no-names.json: two hosts are called a; give one another name");
    CU_ASSERT_NOT_EQUAL(remove("test-no-names.json"), 0);
    CU_ASSERT_EQUAL_FATAL(plani_machine_add_host(b, "c[1-2]", 0, 0), PLAN_OK);
    CU_ASSERT_EQUAL(plani_machine_add_to_file(b, "test-no-names.json", NULL, &err), PLAN_EMISMATCH);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "c[1-2], reads as a list"));
    plani_machine_destroy(&a);
    plani_machine_destroy(&b);
}

/* What was measured of a host counts before what was assumed of it, in whichever order; of a host that both only admit
 * nothing stays. */
static void what_is_known_of_a_host_counts_before_what_is_assumed(void)
{
#define ADMITTED(names, kind) "{\"names\": \"" names "\", \"kind\": \"" kind "\", \"admitted\": true}"
    for (int i = 0; i < 2; i++) {
        plani_machine_t *known = parse(
                            KIND("k", "s", "1e7") ", " KIND("l", "t", "2e7"),
                            "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") ", " HOSTLIST("c", "l") "]}", ""),
                        *assumed =
                            parse(KIND("k", "s", "1e7"),
                                  "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a", "k") ", " ADMITTED("c,d", "k") "]}",
                                  ", \"paths\": [{\"from\": {\"host\": \"d\"}, \"flow_bytes_per_s\": 1e6}]"),
                        *m = merge_and_free(i == 0 ? known : assumed, i == 0 ? assumed : known);
        CU_ASSERT(m->nhosts == 3 && plani_machine_find(m, "d") < 0 && !host(m, "c")->admitted);
        CU_ASSERT_STRING_EQUAL(m->kind[host(m, "c")->kind].signature, "t");
        for (int p = 0; p < m->npaths; p++) CU_ASSERT_EQUAL(m->path[p].flow_bytes_per_s, 0);
        plani_machine_destroy(&m);
    }
}

/* What a job measured of a machine in which it had admitted a host leaves that host out of the file. */
static void admitted_hosts_do_not_become_known_by_a_file(void)
{
    static const char path[] = "test-machine-admitted.json";
    static const char *const name[] = {"a", "c"}, *const signature[] = {"s", "s"};
    plani_machine_t *m = parse(KIND("k", "s", "1e7"), "{\"name\": \"g\", \"hosts\": [" HOSTLIST("a,b", "k") "]}", ""),
                    *copy = NULL, *file = NULL;
    int number[2], admitted = 0;
    plan_error_t err;

    remove(path);
    CU_ASSERT_EQUAL_FATAL(plani_machine_add_to_file(m, path, NULL, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_match(m, 2, name, signature, false, number, &admitted, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(m, &copy), PLAN_OK);
    plani_machine_part_t card = {.direction = PLANI_PART_IN, .which = plani_machine_find(copy, "b")};
    CU_ASSERT_EQUAL_FATAL(plani_machine_set_rate(copy, card, 5e6, (plani_ends_t){4e6, 6e6}), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_renew_file(copy, card, 5e6, (plani_ends_t){4e6, 6e6}, path, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_load(path, &file, &err), PLAN_OK);
    CU_ASSERT(file->nhosts == 2 && plani_machine_find(file, "c") < 0);
    remove(path);
    plani_machine_destroy(&m);
    plani_machine_destroy(&copy);
    plani_machine_destroy(&file);
}

static void every_allocation_may_fail(void)
{
    plani_rng_t rng;
    plani_rng_seed(&rng, 3);
    truth_t t = draw(&rng);
    bool in[2][HOSTS];
    plani_machine_t *m = NULL, *p[2];
    plan_error_t err;

    for (int i = 0; i < 2; i++) choose(&rng, in[i]), p[i] = part(&t, in[i]);
    ALLOC_EACH(plani_machine_merge(p[0], p[1], &m, &err), CU_ASSERT(status == PLAN_ENOMEM && m == NULL));
    plani_machine_destroy(&m);
    for (int i = 0; i < 2; i++) plani_machine_destroy(&p[i]);
}

SUITE_MAIN("machine merge", TEST(every_part_keeps_its_platform), TEST(new_hosts_join_the_groups_of_known_ones),
           TEST(what_was_measured_replaces_a_guess), TEST(a_host_that_has_changed_is_another_one),
           TEST(machines_without_a_common_host_are_parts), TEST(what_was_not_known_is_added),
           TEST(a_wider_group_says_nothing_of_the_groups_within), TEST(likely_paths_lead_between_what_neither_knows),
           TEST(each_path_keeps_the_rendezvous_of_its_channel), TEST(machines_are_added_to_files),
           TEST(a_rate_is_renewed_in_a_file_and_all_else_stays), TEST(groups_of_the_same_hosts_are_told_apart_by_name),
           TEST(hosts_without_names_of_their_own_are_refused),
           TEST(what_is_known_of_a_host_counts_before_what_is_assumed),
           TEST(admitted_hosts_do_not_become_known_by_a_file), TEST(intervals_span_the_hosts_of_a_kind),
           TEST(what_is_kept_is_told), TEST(every_allocation_may_fail))
