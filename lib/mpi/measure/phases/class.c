/* Channel classes: inside hosts by the closest level that two ranks share, between hosts by rate and latency. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

static const double RATES_ALIKE = 0.12, LATENCIES_ALIKE = 0.5;

int plani_class_between(const plani_findings_t *s, int a, int b)
{
    int u = s->place[a].host, v = s->place[b].host;

    return u == v ? s->level_class[plani_level(&s->place[a], &s->place[b])] : s->class_of[u * s->hosts + v];
}

double plani_host_rate(const plani_findings_t *s, int u, int v)
{
    double cards = plani_cards_allow(s, u, v), r = s->rate[u * s->hosts + v];

    if (s->site[u] != s->site[v]) return fmin(cards, s->site_rate[s->site[u] * s->sites + s->site[v]]);
    bool less = s->alone[u * s->hosts + v] && r > 0 && r < 0.9 * cards;
    return less ? r : cards; /* alone and clearly below the cards: limited by something else */
}

plani_ends_t plani_host_ends(const plani_findings_t *s, int u, int v)
{
    double rate = plani_host_rate(s, u, v);

    if (rate == s->card_out[u]) return s->card_ends[2 * u];
    if (rate == s->card_in[v]) return s->card_ends[2 * v + 1];
    return s->site[u] != s->site[v] ? s->site_ends[s->site[u] * s->sites + s->site[v]] : s->rate_ends[u * s->hosts + v];
}

/* [B/s] The slowest trunk between two hosts that is a resource of the platform, INFINITY if there is none. */
static double narrowest_trunk(const plani_findings_t *s, int u, int v)
{
    int a = s->site[u], b = s->site[v];
    double least = INFINITY;

    if (a != b && s->trunk != NULL) {
        if (s->trunk[a].out > 0) least = fmin(least, s->trunk[a].out);
        if (s->trunk[b].in > 0) least = fmin(least, s->trunk[b].in);
    }
    if (s->areas > 0 && s->area[a] != s->area[b]) {
        if (s->area_trunk[s->area[a]].out > 0) least = fmin(least, s->area_trunk[s->area[a]].out);
        if (s->area_trunk[s->area[b]].in > 0) least = fmin(least, s->area_trunk[s->area[b]].in);
    }
    return least;
}

double plani_port_rate(const plani_findings_t *s, int u, int v)
{
    double cards = plani_cards_allow(s, u, v), alone = plani_host_rate(s, u, v);

    return alone >= 0.85 * fmin(cards, narrowest_trunk(s, u, v)) ? cards : alone;
}

static plan_status_t add_class(plani_findings_t *s, plani_class_t c)
{
    plani_class_t *more = plani_grown(s->class_, (size_t)s->nclasses, &s->class_room, sizeof *more);

    if (more == NULL) return PLAN_ENOMEM;
    s->class_ = more;
    s->class_[s->nclasses++] = c;
    return PLAN_OK;
}

/* A class for each level that two ranks of some host share, represented by the first such pair. O(ranks^2). */
static plan_status_t find_levels(plani_findings_t *s)
{
    for (int l = 0; l < PLANI_LEVELS; l++) s->level_class[l] = -1;
    for (int a = 0; a < s->ranks; a++)
        for (int b = a + 1; b < s->ranks; b++) {
            if (s->place[a].host != s->place[b].host) continue;
            int l = (int)plani_level(&s->place[a], &s->place[b]);
            if (s->level_class[l] >= 0) continue;
            plani_class_t c = {.from = a, .to = b};
            snprintf(c.name, sizeof c.name, "%s", plani_level_name[l]);
            if (add_class(s, c) != PLAN_OK) return PLAN_ENOMEM;
            s->level_class[l] = s->nclasses - 1;
        }
    return PLAN_OK;
}

/* Add the class of the ordered pairs of hosts labelled (a, b). The first pair of median rate represents it. */
static plan_status_t add_network(plani_findings_t *s, int a, int b, const int *by_rate, const int *by_latency,
                                 double *x)
{
    int n = 0, cells = s->hosts * s->hosts;
    double middle = 0;
    plani_summary_t sum;
    plani_class_t c = {.network = true};

    for (int i = 0; i < cells; i++)
        if (by_rate[i] == a && by_latency[i] == b) x[n++] = plani_host_rate(s, i / s->hosts, i % s->hosts);
    if (n == 0) return PLAN_OK;
    plani_summarize(x, n, &sum);
    middle = x[(n - 1) / 2];
    for (int i = cells; i-- > 0;) {
        if (by_rate[i] != a || by_latency[i] != b) continue;
        s->class_of[i] = s->nclasses;
        if (plani_host_rate(s, i / s->hosts, i % s->hosts) != middle) continue;
        c.from = plani_first_rank(s, i / s->hosts), c.to = plani_first_rank(s, i % s->hosts);
    }
    c.rate = middle;
    c.rate_ends = plani_host_ends(s, s->place[c.from].host, s->place[c.to].host);
    c.port_rate = plani_port_rate(s, s->place[c.from].host, s->place[c.to].host);
    c.latency = s->latency[s->place[c.from].host * s->hosts + s->place[c.to].host];
    snprintf(c.name, sizeof c.name, "network %d", s->nclasses + 1);
    return add_class(s, c);
}

/* Group the n listed pairs of hosts by x into at most `most` groups, with a larger tolerance if need be. */
static int group(const double *x, const size_t *cell, size_t n, double tolerance, int most, size_t *scratch, int *label,
                 int *by)
{
    int groups = plani_group_values(x, n, tolerance, scratch, label);

    for (; groups > most; tolerance *= 1.5) groups = plani_group_values(x, n, tolerance, scratch, label);
    for (size_t k = 0; k < n; k++) by[cell[k]] = label[k];
    return groups;
}

/* [s] The median latency between the sites of two hosts: that of one pair is too noisy to separate classes. */
static double site_latency(const plani_findings_t *s, int u, int v, double *x)
{
    plani_summary_t sum;
    int n = 0;

    for (int a = 0; a < s->hosts; a++)
        for (int b = 0; b < s->hosts && s->site[a] == s->site[u]; b++) {
            double l = s->latency[a * s->hosts + b];
            if (s->site[b] == s->site[v] && l > 0) x[n++] = l;
        }
    plani_summarize(x, n, &sum);
    return sum.median;
}

/* x [n]: the latency [s] of each listed pair, plus 50 us. table [sites^2], scratch [hosts^2] */
static void fill_latencies(const plani_findings_t *s, const size_t *cell, size_t n, double *x, double *table,
                           double *scratch)
{
    for (int i = 0; i < s->sites * s->sites; i++) table[i] = -1;
    for (size_t k = 0; k < n; k++) {
        int u = (int)cell[k] / s->hosts, v = (int)cell[k] % s->hosts;
        double *known = &table[s->site[u] * s->sites + s->site[v]];
        if (*known < 0) *known = site_latency(s, u, v, scratch) + 50e-6; /* smaller differences are noise */
        x[k] = *known;
    }
}

typedef struct {
    double *x, *y, *z;      /* [cells] */
    size_t *scratch, *cell; /* [cells] */
    int *by_rate, *by_latency, *label;
} tables_t;

static plan_status_t allocate(tables_t *t, size_t cells)
{
    t->x = calloc(3 * cells, sizeof *t->x);
    t->scratch = malloc(2 * cells * sizeof *t->scratch);
    t->by_rate = malloc(3 * cells * sizeof *t->by_rate);
    if (t->x == NULL || t->scratch == NULL || t->by_rate == NULL) return PLAN_ENOMEM;
    t->y = t->x + cells, t->z = t->y + cells, t->cell = t->scratch + cells, t->by_latency = t->by_rate + cells;
    t->label = t->by_latency + cells;
    return PLAN_OK;
}

/* Group the ordered pairs of hosts by rate, by the rate of their cards, and by latency; fast classes first. */
static plan_status_t find_networks(plani_findings_t *s)
{
    size_t cells = (size_t)s->hosts * (size_t)s->hosts, n = 0;
    tables_t t = {0};
    plan_status_t rc = allocate(&t, cells);

    for (size_t i = 0; i < cells && rc == PLAN_OK; i++) {
        t.by_rate[i] = t.by_latency[i] = -1;
        if (i / (size_t)s->hosts != i % (size_t)s->hosts) t.cell[n++] = i;
    }
    if (rc == PLAN_OK && n > 0) {
        for (size_t k = 0; k < n; k++)
            t.x[k] = plani_host_rate(s, (int)t.cell[k] / s->hosts, (int)t.cell[k] % s->hosts);
        int rates = group(t.x, t.cell, n, RATES_ALIKE, 6, t.scratch, t.label, t.by_rate);
        for (size_t k = 0; k < n; k++) /* pairs of equal rate and different cards are different classes */
            t.x[k] = plani_port_rate(s, (int)t.cell[k] / s->hosts, (int)t.cell[k] % s->hosts);
        int ports = group(t.x, t.cell, n, RATES_ALIKE, 3, t.scratch, t.label, t.by_latency);
        for (size_t k = 0; k < n; k++) t.by_rate[t.cell[k]] = t.by_rate[t.cell[k]] * ports + t.by_latency[t.cell[k]];
        rates *= ports;
        fill_latencies(s, t.cell, n, t.x, t.y, t.z);
        int latencies = group(t.x, t.cell, n, LATENCIES_ALIKE, 3, t.scratch, t.label, t.by_latency);
        for (int a = rates; a-- > 0;)
            for (int b = 0; b < latencies && rc == PLAN_OK; b++)
                rc = add_network(s, a, b, t.by_rate, t.by_latency, t.x);
    }
    free(t.x);
    free(t.scratch);
    free(t.by_rate);
    return rc;
}

int plani_infer_classes(plani_findings_t *s)
{
    plan_status_t rc = find_networks(s);

    return rc != PLAN_OK ? rc : find_levels(s);
}
