/* The bound of platforms that machines were made into: the small program over hosts against links and cuts. */
#include "suite.h"
#include "alloc.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <planbcast/plan.h>
#include "graphs/generate/sites.h"
#include "graphs/machine/machine.h"
#include "lib/base/rng.h"
#include "lp/program.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/algorithms/resource_bound.h"
#include "planner/cost/cost.h"
#include "planner/cost/parameters.h"

enum { RANKS = 8, LENGTH = 8192 };

typedef struct {
    char text[LENGTH];
    size_t length;
    plani_rng_t rng;
} writer_t;

__attribute__((format(printf, 2, 3))) static void put(writer_t *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, LENGTH - w->length, format, args);
    va_end(args);
}

static int below(writer_t *w, int n)
{
    return (int)plani_rng_below(&w->rng, (uint64_t)n);
}

static double rate(writer_t *w)
{
    static const double level[] = {1e6, 2e6, 3e6, 5e6, 10e6, 20e6, 60e6};
    return level[below(w, 7)] * (0.5 + plani_rng_unit(&w->rng));
}

static void put_gate(writer_t *w, bool needed)
{
    if (needed || below(w, 2))
        put(w, ", \"out\": {\"bytes_per_s\": %g}, \"in\": {\"bytes_per_s\": %g}", rate(w), rate(w));
}

/* One to three groups, one of which may be in another, of three kinds; limits of flows, memory, times per message.
 * `singly`: some hosts have paths of their own. */
static writer_t random_text(uint64_t seed, bool singly)
{
    writer_t w = {.length = 0};
    plani_rng_seed(&w.rng, seed);
    put(&w, "{\"format\": \"planbcast-machine\", \"version\": 1, \"kinds\": [");
    for (int k = 0; k < 3; k++) {
        put(&w, "%s{\"name\": \"k%d\"", k > 0 ? ", " : "", k);
        put_gate(&w, true);
        put(&w, "%s}", below(&w, 4) == 0 ? ", \"half_duplex\": true" : "");
    }
    put(&w, "], \"groups\": [");
    int groups = 1 + below(&w, 3);
    for (int g = 0; g < groups; g++) {
        put(&w, "%s{\"name\": \"g%d\"", g > 0 ? ", " : "", g);
        put_gate(&w, false);
        put(&w, ", \"hosts\": [{\"names\": \"a%d-[0-%d]\", \"kind\": \"k%d\"}]", g, below(&w, 2), below(&w, 3));
        if (g == 0 && below(&w, 2)) {
            put(&w, ", \"groups\": [{\"name\": \"inner\"");
            put_gate(&w, false);
            put(&w, ", \"hosts\": [{\"names\": \"i[0-1]\", \"kind\": \"k0\"}]}]");
        }
        put(&w, "}");
    }
    put(&w, "], \"paths\": [");
    for (int i = 0; i < 4; i++)
        put(&w, "%s{\"from\": {\"kind\": \"k%d\"}, \"to\": {\"kind\": \"k%d\"}, \"flow_bytes_per_s\": %g}",
            i > 0 ? ", " : "", below(&w, 3), below(&w, 3), rate(&w) / (1 + 8 * below(&w, 2)));
    if (singly)
        put(&w,
            ", {\"from\": {\"host\": \"a0-0\"}, \"flow_bytes_per_s\": %g}, "
            "{\"from\": {\"kind\": \"k0\"}, \"to\": {\"host\": \"a0-0\"}, \"flow_bytes_per_s\": %g}",
            rate(&w), rate(&w));
    put(&w, "], \"memory\": {\"bytes_per_s\": %g, \"shared\": true}", 10 * rate(&w));
    if (below(&w, 3) == 0)
        put(&w, ", \"processors\": {\"ranks\": 2, \"s_per_message\": %g}", 1e-2 * plani_rng_unit(&w.rng));
    else if (below(&w, 3) == 0)
        put(&w, ", \"processors\": {\"all_s_per_message\": %g}", 1e-2 * plani_rng_unit(&w.rng));
    put(&w, "}");
    return w;
}

static plani_machine_t *random_machine(uint64_t seed)
{
    writer_t w = random_text(seed, false);
    plani_machine_t *m = NULL;
    plan_error_t err = {PLAN_OK, ""};
    if (plani_machine_parse(w.text, w.length, "random", &m, &err) != PLAN_OK) printf("%s\n%s\n", err.text, w.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    return m;
}

/* Two to eight ranks on its hosts. */
static plan_platform_t *place(const plani_machine_t *m, uint64_t seed)
{
    plani_place_t where[RANKS];
    plan_platform_t *pf = NULL;
    plan_error_t err = {PLAN_OK, ""};
    plani_rng_t rng;
    int ranks = 2 + (int)(seed % (RANKS - 1));
    plani_rng_seed(&rng, seed);
    for (int r = 0; r < ranks; r++)
        where[r] = (plani_place_t){(int)plani_rng_below(&rng, (uint64_t)m->nhosts), {-1, -1, -1}};
    if (plani_machine_platform(m, ranks, where, &pf, &err) != PLAN_OK) printf("%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(pf);
    return pf;
}

/* Whether something that was measured limits a link between hosts to its rate. */
static bool is_carried(const plan_platform_data_t *d, size_t l)
{
    bool carried = false;
    for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
        carried = carried || (!d->resource[d->use[k]].guess &&
                              d->resource[d->use[k]].s_per_byte >= d->link[l].s_per_byte * (1 - PLANI_MISSED));
    return carried;
}

/* The general program over links: no ports, but a resource for each link that is slower than all it passes; without
 * guesses. Links inside hosts that no resource lists get one, for the program wants one, that limits nothing. [B/s] */
static double by_links(const plan_platform_data_t *d, int root, double slice)
{
    enum { LINKS = RANKS * RANKS, MOST = 64 };
    int from[LINKS], to[LINKS];
    bool listed[LINKS] = {false};
    double cost[LINKS], port[LINKS] = {0}, resource_cost[LINKS + MOST];
    size_t first[LINKS + MOST + 1], *member = malloc((MOST + 1) * LINKS * sizeof *member), n = 0, at = 0;
    plan_steady_options_t options = {.size = sizeof options, .gap = 1e-9};
    plan_steady_t *s = NULL;
    for (size_t i = 0; i < d->nresources; i++) {
        if (d->resource[i].guess) continue;
        first[n] = at;
        resource_cost[n++] = plan_resource_cost(&d->resource[i], slice);
        for (size_t k = 0; k < d->resource[i].nlinks; k++) {
            member[at++] = d->resource[i].link[k];
            listed[d->resource[i].link[k]] = true;
        }
    }
    for (size_t l = 0; l < d->nlinks; l++) {
        from[l] = d->link[l].from, to[l] = d->link[l].to;
        cost[l] = plan_link_cost(&d->link[l], slice);
        bool inside = d->host[from[l]] == d->host[to[l]];
        if (inside ? listed[l] : is_carried(d, l)) continue;
        first[n] = at;
        resource_cost[n++] = inside ? 1e-6 * cost[l] : cost[l];
        member[at++] = l;
    }
    first[n] = at;
    const plani_steady_problem_t problem = {.ranks = d->ranks,
                                            .root = root,
                                            .nlinks = d->nlinks,
                                            .from = from,
                                            .to = to,
                                            .cost = cost,
                                            .port = port,
                                            .nresources = n,
                                            .resource_first = first,
                                            .resource_link = member,
                                            .resource_cost = resource_cost};
    plan_error_t err = {PLAN_OK, ""};
    if (plani_steady_solve(&problem, &options, &s, &err) != PLAN_OK) printf("%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    double found = plan_steady_data(s)->upper * slice;
    plan_steady_destroy(&s);
    free(member);
    return found;
}

static void equals_the_program_of_links_and_cuts(void)
{
    int compared = 0, slow = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        plani_machine_t *m = random_machine(seed);
        plan_platform_t *pf = place(m, seed);
        plan_platform_data_t messages = *plan_platform_data(pf), *d = &messages;
        plani_resource_bound_t *b = NULL;
        int root = (int)(seed / 7 % (uint64_t)d->ranks);
        double slice = 4096 << seed % 9, found = NAN;
        d->nshared = 0; /* what goes through shared memory has no links */
        CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(d, root, &b), PLAN_OK);
        CU_ASSERT_EQUAL(b != NULL, d->hosts > 1);
        if (b != NULL) {
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, slice, &found, NULL), PLAN_OK);
            double wanted = by_links(d, root, slice);
            bool same = fabs(found / wanted - 1) < 1e-6;
            CU_ASSERT(same);
            if (!same) printf("seed %d: %.9g, by links %.9g\n", (int)seed, found, wanted);
            compared++;
            for (size_t l = 0; l < d->nlinks; l++)
                if (d->host[d->link[l].from] != d->host[d->link[l].to] && !is_carried(d, l)) {
                    slow++;
                    break;
                }
        }
        plani_resource_bound_destroy(&b);
        plan_platform_destroy(&pf);
        plani_machine_destroy(&m);
    }
    CU_ASSERT(compared > 1000 && slow > 500);
}

typedef struct {
    size_t n;
    plan_resource_t resource[4 * RANKS];
    size_t *member; /* [4 * RANKS * RANKS^2] */
} resources_t;

/* A resource of the links that leave a host (`from`), enter it (`to`) or both, `some` of them at random. */
static void add_resource(resources_t *r, writer_t *w, const plan_platform_data_t *d, int from, int to, bool some)
{
    size_t *member = r->member + r->n * RANKS * RANKS, n = 0;
    for (size_t l = 0; l < d->nlinks; l++) {
        int a = d->host[d->link[l].from], b = d->host[d->link[l].to];
        bool in = from == to ? from < 0 || (a == from && b == from) : a != b && (a == from || b == to);
        if (in && !(some && below(w, 3) == 0)) member[n++] = l;
    }
    if (n == 0) return;
    r->resource[r->n++] = (plan_resource_t){
        .name = "r", .s_per_byte = 1 / rate(w), .nlinks = n, .link = member, .guess = below(w, 4) == 0};
}

/* Every link with costs of its own; cards, and resources of all links or of some links inside a host. */
static plan_platform_t *random_links(uint64_t seed)
{
    writer_t w = {.length = 0};
    plan_link_t link[RANKS * RANKS];
    int ranks, host[RANKS];
    resources_t r = {.member = malloc(4 * RANKS * RANKS * RANKS * sizeof *r.member)};
    plan_platform_data_t d = {.size = sizeof d, .link = link, .host = host, .resource = r.resource};
    plan_platform_t *pf = NULL;
    CU_ASSERT_PTR_NOT_NULL_FATAL(r.member);
    plani_rng_seed(&w.rng, seed);
    d.ports = PLAN_PORTS_NONE;
    d.ranks = ranks = 3 + below(&w, RANKS - 2);
    int hosts = 2 + below(&w, ranks < 5 ? ranks - 1 : 4);
    for (int i = 0; i < ranks; i++) host[i] = i < hosts ? i : below(&w, hosts);
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v)
                link[d.nlinks++] = (plan_link_t){
                    .from = u, .to = v, .latency_s = 1e-6 * below(&w, 100), .s_per_byte = 1 / rate(&w), .channel = -1};
    for (int h = 0; h < hosts; h++) {
        if (below(&w, 4)) add_resource(&r, &w, &d, h, -1, false);
        if (below(&w, 4)) add_resource(&r, &w, &d, -1, h, false);
        if (below(&w, 2)) add_resource(&r, &w, &d, h, h, below(&w, 2));
    }
    if (below(&w, 3) == 0) add_resource(&r, &w, &d, -1, -1, false);
    d.nresources = r.n;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    free(r.member);
    return pf;
}

/* Of platforms that are given link by link it knows less, but is a bound nevertheless. */
static void bounds_the_program_of_links_that_differ(void)
{
    int compared = 0, equal = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        plan_platform_t *pf = random_links(seed);
        const plan_platform_data_t *d = plan_platform_data(pf);
        plani_resource_bound_t *b = NULL;
        int root = (int)(seed % (uint64_t)d->ranks);
        double slice = 4096 << seed % 9, found = NAN;
        CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(d, root, &b), PLAN_OK);
        if (b != NULL) {
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, slice, &found, NULL), PLAN_OK);
            double wanted = by_links(d, root, slice);
            CU_ASSERT(found >= wanted * (1 - 1e-6));
            if (!(found >= wanted * (1 - 1e-6))) printf("seed %d: %.9g, by links %.9g\n", (int)seed, found, wanted);
            equal += found <= wanted * (1 + 1e-6);
            compared++;
        }
        plani_resource_bound_destroy(&b);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(compared > 1000 && equal > 200);
}

/* [B/s] What `planbcast solve` prints of a platform. */
static double solved(const plan_platform_t *pf, int root, double slice)
{
    plan_steady_options_t options = {.size = sizeof options, .gap = 1e-8};
    plan_steady_t *s = NULL;
    plan_error_t err = {PLAN_OK, ""};
    if (plan_platform_bound(pf, root, slice, &options, &s, &err) != PLAN_OK) printf("%s\n", err.text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    double rate = plan_steady_data(s)->upper * slice;
    plan_steady_destroy(&s);
    return rate;
}

/* Of many hosts, all flows into one count together, or its card. */
static void flows_of_many_hosts_count_together(void)
{
    enum { KINDS = 20, EACH = 5, HOSTS = KINDS * EACH };
    static const double flow[] = {1e6, 1e8}, wanted[] = {(HOSTS - 1) * 1e6, 1e9};
    for (int i = 0; i < 2; i++) {
        writer_t w = {.length = 0};
        plani_cluster_t *c = NULL;
        plani_cluster_bound_t told = {0};
        put(&w, "{\"format\": \"planbcast-machine\", \"version\": 1, \"kinds\": [");
        for (int k = 0; k < KINDS; k++)
            put(&w, "%s{\"name\": \"k%d\", \"out\": {\"bytes_per_s\": %g}, \"in\": {\"bytes_per_s\": %g}}",
                k ? ", " : "", k, 1e9 + 1e6 * k, 1e9 + 1e6 * k);
        put(&w, "], \"groups\": [{\"name\": \"all\", \"hosts\": [");
        for (int k = 0; k < KINDS; k++)
            put(&w, "%s{\"names\": \"n%d-[1-%d]\", \"kind\": \"k%d\"}", k ? ", " : "", k, EACH, k);
        put(&w, "]}], \"paths\": [{\"flow_bytes_per_s\": %g}]}", flow[i]);
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "many", &c, NULL), PLAN_OK);
        CU_ASSERT_EQUAL(plani_cluster_bound(c, HOSTS - 1, &told, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(told.rate, wanted[i], 1e-6 * wanted[i]);
        plani_cluster_bound_clear(&told);
        plani_cluster_destroy(&c);
    }
}

/* Single flows that are slower than cards limit it, and leave the ranks at their ends free for others. */
static void the_platform_s_program_has_the_bound_of_its_machine(void)
{
    const double slice = 1 << 30;
    int compared = 0, less = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        writer_t w = random_text(seed, seed % 2 == 0);
        plani_cluster_t *c = NULL;
        plan_platform_t *pf = NULL;
        plani_resource_bound_t *b = NULL;
        double wanted = NAN;
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &c, NULL), PLAN_OK);
        int root = (int)(seed / 7 % (uint64_t)c->ranks);
        if (c->ranks > 1) {
            for (int guesses = 0; guesses < 2; guesses++) {
                double before = wanted;
                for (int k = 0; k < c->machine->nkinds && guesses; k++) {
                    c->machine->kind[k].out.guess = below(&w, 2) == 0;
                    c->machine->kind[k].in.guess = below(&w, 2) == 0;
                }
                CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
                CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(plan_platform_data(pf), root, &b), PLAN_OK);
                CU_ASSERT_PTR_NOT_NULL_FATAL(b);
                CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, slice, &wanted, NULL), PLAN_OK);
                double found = solved(pf, root, slice);
                bool same = wanted > 1e13 ? found > 1e13 : fabs(found / wanted - 1) < 1e-6;
                CU_ASSERT(same);
                if (!same) printf("seed %d: %.9g, of the machine %.9g\n", (int)seed, found, wanted);
                compared++;
                less += guesses && before < 0.99 * wanted;
                plani_resource_bound_destroy(&b);
                plan_platform_destroy(&pf);
            }
        }
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(compared > 400 && less > 50);
}

/* The bound that `planbcast solve` prints of a machine, which merges equal hosts, is that of its platform, but for what
 * messages cost: nothing of slices as long as these. */
static void the_machine_s_program_has_the_bound_of_its_platform(void)
{
    enum { MACHINES = 2000 };
    const double slice = 1e12;
    int flows = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        writer_t w = random_text(seed, seed % 2 == 0);
        plani_cluster_t *c = NULL;
        plan_platform_t *pf = NULL;
        plani_resource_bound_t *b = NULL;
        plani_cluster_bound_t told = {0};
        double wanted = NAN, worth = 0;
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &c, NULL), PLAN_OK);
        int root = (int)(seed / 7 % (uint64_t)c->ranks);
        if (c->ranks > 1) {
            CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(plan_platform_data(pf), root, &b), PLAN_OK);
            CU_ASSERT_PTR_NOT_NULL_FATAL(b);
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, slice, &wanted, NULL), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(c, root, &told, NULL), PLAN_OK);
            bool same = fabs(told.rate / wanted - 1) < 1e-6;
            CU_ASSERT(same);
            if (!same) printf("seed %d: %.9g, of the platform %.9g\n", (int)seed, told.rate, wanted);
            for (size_t i = 0; i < told.n; i++) {
                worth += told.limit[i].worth;
                flows += strcmp(told.limit[i].name, "single flows") == 0;
            }
            CU_ASSERT_DOUBLE_EQUAL(worth, 1, 1e-6);
        }
        plani_cluster_bound_clear(&told);
        plani_resource_bound_destroy(&b);
        plan_platform_destroy(&pf);
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(flows > MACHINES / 20);
}

/* [B/s] The bound of a machine's platform. */
static double bound_of(const plani_machine_t *m, uint64_t seed)
{
    plan_platform_t *pf = place(m, seed);
    plani_resource_bound_t *b = NULL;
    double rate = 0;
    CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(plan_platform_data(pf), 0, &b), PLAN_OK);
    if (b != NULL) CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, 65536, &rate, NULL), PLAN_OK);
    plani_resource_bound_destroy(&b);
    plan_platform_destroy(&pf);
    return rate;
}

/* The bound of a machine whose trunks are guesses is that of the machine without trunks; of its file, too. */
static void guesses_bound_nothing(void)
{
    int less = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        writer_t w = random_text(seed, seed % 2 == 0);
        plani_cluster_t *guessed = NULL, *free_of = NULL;
        plani_cluster_bound_t by_guess, without;
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &guessed, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &free_of, NULL), PLAN_OK);
        double known = bound_of(guessed->machine, seed);
        for (int g = 0; g < guessed->ngroups; g++) {
            plani_machine_group_t *a = &guessed->machine->group[g], *b = &free_of->machine->group[g];
            a->out.guess = a->in.guess = true;
            b->out.bytes_per_s = b->in.bytes_per_s = 0;
            free_of->group[g].trunk.out_bytes_per_s = free_of->group[g].trunk.in_bytes_per_s = 0;
        }
        double found = bound_of(guessed->machine, seed), wanted = bound_of(free_of->machine, seed);
        CU_ASSERT(wanted == 0 || fabs(found / wanted - 1) < 1e-9);
        less += known < 0.99 * found;
        if (guessed->ranks > 1) {
            CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(guessed, 0, &by_guess, NULL), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(free_of, 0, &without, NULL), PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(by_guess.rate / without.rate, 1, 1e-9);
            plani_cluster_bound_clear(&by_guess);
            plani_cluster_bound_clear(&without);
        }
        plani_cluster_destroy(&guessed);
        plani_cluster_destroy(&free_of);
    }
    CU_ASSERT(less > 50);
}

/* The same of cards: below 64 ranks, where it is the platform's, and above, where it is the machine's. */
static void guessed_cards_bound_nothing(void)
{
    enum { MACHINES = 1000 };
    const double slice = 1e12, most = 1e13;
    int less = 0, known = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        writer_t w = random_text(seed, seed % 2 == 0);
        plani_cluster_t *c = NULL;
        plan_platform_t *pf = NULL;
        plani_resource_bound_t *b = NULL;
        plani_cluster_bound_t before, told;
        double wanted = NAN;
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &c, NULL), PLAN_OK);
        int root = (int)(seed / 7 % (uint64_t)c->ranks);
        if (c->ranks > 1) {
            CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(c, root, &before, NULL), PLAN_OK);
            for (int k = 0; k < c->machine->nkinds; k++) {
                c->machine->kind[k].out.guess = below(&w, 2) == 0;
                c->machine->kind[k].in.guess = below(&w, 2) == 0;
            }
            CU_ASSERT_EQUAL_FATAL(plani_cluster_bound(c, root, &told, NULL), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf, NULL), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(plan_platform_data(pf), root, &b), PLAN_OK);
            CU_ASSERT_PTR_NOT_NULL_FATAL(b);
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, slice, &wanted, NULL), PLAN_OK);
            bool same = told.rate > most ? wanted > most : fabs(told.rate / wanted - 1) < 1e-6;
            CU_ASSERT(same);
            if (!same) printf("seed %d: %.9g, of the platform %.9g\n", (int)seed, told.rate, wanted);
            CU_ASSERT(told.rate >= before.rate * (1 - 1e-9));
            less += before.rate < 0.99 * told.rate;
            known += told.rate <= most;
            plani_cluster_bound_clear(&before);
            plani_cluster_bound_clear(&told);
        }
        plani_resource_bound_destroy(&b);
        plan_platform_destroy(&pf);
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(less > MACHINES / 5 && known > MACHINES / 5);
}

/* What does not depend on who measured a rate: costs of links, and what a tree sustains. */
static void plans_keep_to_guesses_as_to_what_was_measured(void)
{
    int several = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        writer_t w = random_text(seed, seed % 2 == 0);
        plani_cluster_t *c = NULL;
        plan_platform_t *pf[2] = {NULL, NULL};
        plan_tree_t *tree = NULL;
        double sustained[2];
        int parent[RANKS];
        CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &c, NULL), PLAN_OK);
        for (int r = 0; r < c->ranks; r++) parent[r] = r == 0 ? -1 : below(&w, r);
        CU_ASSERT_EQUAL_FATAL(plan_tree_create(c->ranks, parent, NULL, &tree), PLAN_OK);
        for (int guesses = 0; guesses < 2; guesses++) {
            for (int k = 0; k < c->machine->nkinds; k++) {
                c->machine->kind[k].half_duplex = false;
                c->machine->kind[k].out.guess = c->machine->kind[k].in.guess = guesses;
            }
            CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(c, &pf[guesses], NULL), PLAN_OK);
            CU_ASSERT_EQUAL(plan_throughput(pf[guesses], 1, &tree, NULL, 65536, &sustained[guesses], NULL), PLAN_OK);
        }
        CU_ASSERT(c->ranks == 1 || sustained[0] == sustained[1]);
        const plan_platform_data_t *a = plan_platform_data(pf[0]), *b = plan_platform_data(pf[1]);
        CU_ASSERT_EQUAL_FATAL(a->nlinks, b->nlinks);
        for (size_t l = 0; l < a->nlinks; l++) {
            plani_time_t x = plani_link_time(a, l, 65536), y = plani_link_time(b, l, 65536);
            CU_ASSERT(x.busy == y.busy && x.flow == y.flow && x.through == y.through);
            CU_ASSERT_EQUAL(plani_port_cost(a, l, 65536), plani_port_cost(b, l, 65536));
        }
        several += c->ranks > 2;
        plan_tree_destroy(&tree);
        for (int i = 0; i < 2; i++) plan_platform_destroy(&pf[i]);
        plani_cluster_destroy(&c);
    }
    CU_ASSERT(several > 100);
}

/* What is planned on says of what its bound is, and no candidate sustains more. */
static void rankings_tell_the_machine_s_bound(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        plani_machine_t *m = random_machine(seed);
        plan_platform_t *pf = place(m, seed);
        const plan_platform_data_t *d = plan_platform_data(pf);
        plani_resource_bound_t *b = NULL;
        plan_ranking_t *ranking = NULL;
        double found = NAN;
        CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf, 0, 1 << 20, NULL, &ranking, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_resource_bound_create(d, 0, &b), PLAN_OK);
        CU_ASSERT_EQUAL(ranking->bound_of_machine, d->hosts > 1);
        if (b != NULL) {
            double slice = (double)ranking->bound_slice;
            CU_ASSERT_EQUAL_FATAL(plani_resource_bound_at(b, slice, &found, NULL), PLAN_OK);
            CU_ASSERT_DOUBLE_EQUAL(ranking->bound * slice / found, 1, 1e-9);
            CU_ASSERT_EQUAL(ranking->bound_gap, 0);
        }
        for (size_t i = 0; i < ranking->ncandidates; i++) CU_ASSERT(!(ranking->candidate[i].lp_ratio > 1 + 1e-6));
        plani_resource_bound_destroy(&b);
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
        plani_machine_destroy(&m);
    }
}

static void every_failing_allocation_comes_back(void)
{
    plani_machine_t *m = random_machine(5);
    plan_platform_t *pf = place(m, 5);
    plani_resource_bound_t *b = NULL;
    plan_error_t err = {PLAN_OK, ""};
    double found;
    ALLOC_EACH(plani_resource_bound_create(plan_platform_data(pf), 0, &b), {
        CU_ASSERT_PTR_NULL(b);
        CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
    });
    CU_ASSERT_PTR_NOT_NULL_FATAL(b);
    ALLOC_EACH(plani_resource_bound_at(b, 1e5, &found, &err),
               { CU_ASSERT(status == PLAN_ENOMEM || status == PLAN_ESOLVER); });
    plani_resource_bound_destroy(&b);
    plan_platform_destroy(&pf);
    plani_machine_destroy(&m);
}

static void the_machine_s_program_comes_back_without_memory(void)
{
    writer_t w = random_text(4, true);
    plani_cluster_t *c = NULL;
    plani_cluster_bound_t b;
    plan_error_t err = {PLAN_OK, ""};
    CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(w.text, w.length, "random", &c, NULL), PLAN_OK);
    ALLOC_EACH(plani_cluster_bound(c, 0, &b, &err), {
        CU_ASSERT(status == PLAN_ENOMEM || status == PLAN_ESOLVER);
        CU_ASSERT_PTR_NULL(b.limit);
    });
    plani_cluster_bound_clear(&b);
    plani_cluster_destroy(&c);
}

SUITE_MAIN("resource bound", TEST(equals_the_program_of_links_and_cuts), TEST(bounds_the_program_of_links_that_differ),
           TEST(the_machine_s_program_has_the_bound_of_its_platform), TEST(rankings_tell_the_machine_s_bound),
           TEST(the_platform_s_program_has_the_bound_of_its_machine), TEST(guesses_bound_nothing),
           TEST(flows_of_many_hosts_count_together), TEST(guessed_cards_bound_nothing),
           TEST(plans_keep_to_guesses_as_to_what_was_measured), TEST(every_failing_allocation_comes_back),
           TEST(the_machine_s_program_comes_back_without_memory))
