/* Every figure of a ranking against brute force, on random platforms of all port models: what trees sustain and what
 * holds them up, summed link by link; the bound, over all arborescences; and that no prediction beats it. */
#include "suite.h"
#include "rankings.h"
#include "sample.h"
#include "oracle/tree_packing.h"
#include "planner/select/decide.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5, LINKS = MOST * MOST, RESOURCES = 2 * MOST, PLATFORMS = 240 };

static double unit(uint64_t *state)
{
    return (double)(sample_next(state) >> 11) / 9007199254740992.0;
}

static double between(uint64_t *state, double low, double high)
{
    return low * pow(high / low, unit(state));
}

/* A resource of the links that `takes` says; it is left out if there are none. */
static void add_resource(plan_platform_data_t *d, plan_resource_t *r, size_t *of, double s_per_byte,
                         double s_per_message, const bool *takes)
{
    plan_resource_t *to = &r[d->nresources];
    *to = (plan_resource_t){.name = "shared", .s_per_byte = s_per_byte, .s_per_message = s_per_message, .link = of};
    for (size_t l = 0; l < d->nlinks; l++)
        if (takes[l]) of[to->nlinks++] = l;
    d->nresources += to->nlinks > 0;
}

/* Hosts behind cards, some links slower than these; else any links, and resources of some of them. */
static plan_platform_t *drawn(uint64_t seed)
{
    static const plan_ports_t models[] = {PLAN_PORTS_ONE,   PLAN_PORTS_ONE_WAY, PLAN_PORTS_MULTI,
                                          PLAN_PORTS_MULTI, PLAN_PORTS_NONE,    PLAN_PORTS_NONE};
    uint64_t state = seed;
    plan_link_t link[LINKS];
    plan_resource_t resource[RESOURCES];
    size_t of[RESOURCES][LINKS];
    double send[MOST], receive[MOST], card[2 * MOST], base = between(&state, 1e3, 1e9),
                                                      latency = between(&state, 1e-7, 1);
    int host[MOST], hosts = 0, model = (int)(seed % 6), ranks = 2 + sample_below(&state, MOST - 1);
    bool cards = model == 4, takes[LINKS];
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link, .resource = resource, .host = host};
    plan_platform_t *pf = NULL;

    for (int r = 0; r < ranks; r++) {
        host[r] = r == 0 || sample_below(&state, 3) > 0 ? hosts++ : sample_below(&state, hosts);
        send[r] = latency * unit(&state) + unit(&state) / base, receive[r] = send[r] * unit(&state);
        card[2 * r] = between(&state, base / 5, base * 5), card[2 * r + 1] = between(&state, base / 5, base * 5);
    }
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++) {
            double rate = between(&state, base / 5, base * 5);
            if (u == v || (!cards && (u + 1) % ranks != v && sample_below(&state, 3) == 0)) continue;
            if (cards && sample_below(&state, 2)) rate = fmin(card[2 * host[u]], card[2 * host[v] + 1]);
            link[d.nlinks++] = (plan_link_t){u, v, sample_below(&state, 3) ? latency : 0, 1 / rate, 0, -1};
        }
    for (int i = 0; i < (cards ? 2 * ranks : sample_below(&state, 4)); i++) {
        for (size_t l = 0; l < d.nlinks; l++) {
            int a = host[link[l].from], b = host[link[l].to];
            takes[l] = cards ? a != b && (i % 2 ? b : a) == i / 2 : sample_below(&state, 2) == 0;
        }
        add_resource(&d, resource, of[i], cards ? 1 / card[i] : 1 / between(&state, base / 5, base * 5),
                     cards || i % 2 ? 0 : latency, takes);
    }
    d.ports = models[model];
    if (d.ports == PLAN_PORTS_MULTI) d.send_s = send, d.receive_s = model == 3 ? receive : NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* ---- what a slice over a link holds ---- */

/* Of send ports, receive ports, links and resources. */
static size_t rows_of(const plan_platform_data_t *d)
{
    return 2 * (size_t)d->ranks + d->nlinks + d->nresources;
}

static bool lists(const plan_resource_t *r, size_t link)
{
    for (size_t i = 0; i < r->nlinks; i++)
        if (r->link[i] == link) return true;
    return false;
}

/* Whether nothing that a link between hosts passes is as slow, but for a tenth. */
static bool is_slow(const plan_platform_data_t *d, size_t link)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (lists(&d->resource[i], link) && d->resource[i].s_per_byte >= 0.9 * d->link[link].s_per_byte) return false;
    return true;
}

static void hold(const plan_platform_data_t *d, size_t link, double slice, double times, double *row)
{
    const plan_link_t *l = &d->link[link];
    double whole = times * (l->latency_s + slice * l->s_per_byte);
    double *send = &row[l->from], *receive = &row[d->ranks + l->to], *own = &row[2 * (size_t)d->ranks + link];
    bool apart = d->ports == PLAN_PORTS_NONE && d->host[l->from] != d->host[l->to];

    if (d->ports == PLAN_PORTS_MULTI) {
        *send += times * d->send_s[l->from];
        if (d->receive_s != NULL) row[l->to] += times * d->receive_s[l->to];
        *own += whole;
    } else if (d->ports == PLAN_PORTS_ONE_WAY) {
        *send += whole, row[l->to] += whole;
    } else if (apart) {
        *send += times * l->latency_s, *receive += times * l->latency_s;
        *own += is_slow(d, link) ? whole : 0;
    } else {
        *send += whole, *receive += whole;
    }
    for (size_t i = 0; i < d->nresources; i++)
        if (lists(&d->resource[i], link))
            row[2 * (size_t)d->ranks + d->nlinks + i] +=
                times * (d->resource[i].s_per_message + slice * d->resource[i].s_per_byte);
}

/* ---- figures ---- */

static size_t row_of(const plan_platform_data_t *d, const plan_bottleneck_t *b)
{
    size_t ranks = (size_t)d->ranks;
    return b->index + (b->at == PLAN_AT_SEND_PORT || b->at == PLAN_AT_PORT ? 0
                       : b->at == PLAN_AT_RECV_PORT                        ? ranks
                       : b->at == PLAN_AT_LINK                             ? 2 * ranks
                                                                           : 2 * ranks + d->nlinks);
}

static void check_trees(const plan_platform_t *pf, const plan_candidate_t *c, double slice)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double row[2 * MOST + LINKS + RESOURCES] = {0}, sum = 0, most = 0;
    for (size_t t = 0; t < c->ntrees; t++) sum += c->rate[t];
    for (size_t t = 0; t < c->ntrees; t++)
        for (int v = 0; v < d->ranks; v++) {
            int u = plan_tree_data(c->tree[t])->parent[v];
            size_t link = u < 0 ? 0 : plan_platform_find_link(pf, u, v);
            CU_ASSERT_NOT_EQUAL_FATAL(link, (size_t)-1);
            if (u >= 0) hold(d, link, slice, c->rate[t] / sum, row);
        }
    for (size_t i = 0; i < rows_of(d); i++) most = fmax(most, row[i]);
    CU_ASSERT_DOUBLE_EQUAL(c->throughput * most, 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(sum * most, 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(c->bottleneck.seconds / most, 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(row[row_of(d, &c->bottleneck)] / most, 1, 1e-9);
}

/* [slices/s] Over all arborescences: each row is a resource. */
static double best_of_all(const plan_platform_data_t *d, int root, double slice)
{
    enum { ROWS = 2 * MOST + LINKS + RESOURCES };
    int from[LINKS], to[LINKS];
    double cost[LINKS], none[LINKS] = {0}, *held = calloc(LINKS * ROWS, sizeof *held),
                        *entry = malloc(LINKS * ROWS * sizeof *entry);
    size_t first[ROWS + 1] = {0}, *listed = malloc(LINKS * ROWS * sizeof *listed), trees = 0, n = 0;
    CU_ASSERT_FATAL(held != NULL && entry != NULL && listed != NULL);
    for (size_t l = 0; l < d->nlinks; l++) {
        from[l] = d->link[l].from, to[l] = d->link[l].to, cost[l] = plan_link_cost(&d->link[l], slice);
        hold(d, l, slice, 1, held + l * ROWS);
    }
    for (size_t i = 0; i < rows_of(d); i++) {
        for (size_t l = 0; l < d->nlinks; l++)
            if (held[l * ROWS + i] > 0) listed[n] = l, entry[n++] = held[l * ROWS + i];
        first[i + 1] = n;
    }
    const plani_steady_problem_t p = {.ranks = d->ranks,
                                      .root = root,
                                      .nlinks = d->nlinks,
                                      .from = from,
                                      .to = to,
                                      .cost = cost,
                                      .port = none,
                                      .nresources = rows_of(d),
                                      .resource_first = first,
                                      .resource_link = listed,
                                      .entry_cost = entry};
    double most = oracle_tree_packing(&p, &trees);
    free(held), free(entry), free(listed);
    return most;
}

static void rankings_say_what_brute_force_finds(void)
{
    int machines = 0, links = 0, several = 0;
    for (uint64_t seed = 1; seed <= PLATFORMS; seed++) {
        plan_platform_t *pf = drawn(seed);
        const plan_platform_data_t *d = plan_platform_data(pf);
        int root = (int)(seed % (uint64_t)d->ranks);
        size_t bytes = (size_t)1 << (seed * 7 % 31);
        plan_ranking_t *ranking = ranking_of(pf, root, bytes, NULL);
        double most = best_of_all(d, root, (double)ranking->bound_slice), whole = best_of_all(d, root, (double)bytes);
        double off = ranking->bound / most - 1; /* a machine's leaves ports out */
        CU_ASSERT(off >= -1e-6 && (off <= 1e-6 || ranking->bound_of_machine));
        machines += ranking->bound_of_machine;
        for (size_t i = 0; i < ranking->ncandidates; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            if (c->run == PLAN_RUN_TREES) check_trees(pf, c, (double)(c->slice ? c->slice : bytes));
            CU_ASSERT(c->lp_ratio <= 1 + 1e-6);
            CU_ASSERT(!(c->predicted_s < 1 / whole * (1 - 1e-6)));
            several += c->ntrees > 1;
            links += c->bottleneck.at == PLAN_AT_LINK;
        }
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT(machines > 20 && links > 200 && several > 100); /* the sample has all the cases */
}

SUITE_MAIN("figures", TEST(rankings_say_what_brute_force_finds))
