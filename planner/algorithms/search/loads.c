#include "planner/algorithms/search/loads.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/cost/cost.h"

/* How many loads two moves can change. */
static size_t most_changes(const plan_platform_data_t *d)
{
    size_t most = 0;
    for (size_t l = 0; l < d->nlinks; l++)
        if (d->use_first[l + 1] - d->use_first[l] > most) most = d->use_first[l + 1] - d->use_first[l];
    return 4 * (most + 4);
}

/* Whether some link is occupied by itself. */
static bool has_own(const plani_problem_t *problem)
{
    for (size_t l = 0; l < problem->d->nlinks; l++)
        if (problem->own[l] > 0) return true;
    return false;
}

plan_status_t plani_loads_create(const plani_problem_t *problem, int trees, plani_loads_t *s)
{
    const plan_platform_data_t *d = problem->d;
    size_t nodes = (size_t)trees * (size_t)d->ranks;
    /* A rank of one tree has one link in, whose load needs no place of its own. */
    size_t ins = (size_t)d->ranks + (trees > 1 && has_own(problem) ? d->nlinks : 0);
    size_t loads = (size_t)d->ranks + ins + d->nresources;
    *s = (plani_loads_t){.problem = problem,
                         .d = d,
                         .trees = trees,
                         .nodes = nodes,
                         .weight = malloc((size_t)trees * sizeof *s->weight),
                         .via = malloc(nodes * sizeof *s->via),
                         .first = malloc(nodes * sizeof *s->first),
                         .next = malloc(nodes * sizeof *s->next),
                         .previous = malloc(nodes * sizeof *s->previous),
                         .ins = ins,
                         .loads = loads,
                         .load = malloc(loads * sizeof *s->load),
                         .hold = malloc((d->nresources + 1) * sizeof *s->hold),
                         .over = malloc(loads * sizeof *s->over),
                         .place = malloc(loads * sizeof *s->place),
                         .before = malloc(most_changes(d) * sizeof *s->before)};
    if (s->weight == NULL || s->via == NULL || s->first == NULL || s->next == NULL || s->previous == NULL ||
        s->load == NULL || s->hold == NULL || s->over == NULL || s->place == NULL || s->before == NULL) {
        plani_loads_clear(s);
        return PLAN_ENOMEM;
    }
    for (int t = 0; t < trees; t++) s->weight[t] = 1.0 / trees;
    for (size_t i = 0; i < d->nresources; i++) s->hold[i] = plan_resource_cost(&d->resource[i], problem->slice);
    return PLAN_OK;
}

void plani_loads_clear(plani_loads_t *s)
{
    free(s->weight);
    free(s->via);
    free(s->first);
    free(s->next);
    free(s->previous);
    free(s->load);
    free(s->hold);
    free(s->over);
    free(s->place);
    free(s->before);
    *s = (plani_loads_t){0};
}

static double beyond(double load, double tau)
{
    return load > tau ? load - tau : 0;
}

/* Set one load, and list it in over[] if it is above tau. */
static void set_load(plani_loads_t *s, size_t at, double load)
{
    s->load[at] = load;
    if (load > s->tau && s->place[at] == PLANI_NO_LINK) {
        s->place[at] = s->overs;
        s->over[s->overs++] = at;
    } else if (load <= s->tau && s->place[at] != PLANI_NO_LINK) {
        size_t last = s->over[--s->overs];
        s->over[s->place[at]] = last;
        s->place[last] = s->place[at];
        s->place[at] = PLANI_NO_LINK;
    }
}

/* Add `seconds` to one load; returns the change of excess. */
static double put(plani_loads_t *s, size_t at, double seconds)
{
    double old = s->load[at];
    s->before[s->changes++] = (plani_before_t){at, old};
    set_load(s, at, old + seconds);
    return beyond(old + seconds, s->tau) - beyond(old, s->tau);
}

/* Add a share of the slices to link l; a negative share removes it. */
static double put_link(plani_loads_t *s, size_t l, double share)
{
    const plan_platform_data_t *d = s->d;
    size_t n = (size_t)d->ranks, to = (size_t)d->link[l].to;
    double own = s->problem->own[l],
           port = d->send_s == NULL && d->ports != PLAN_PORTS_ONE_WAY ? s->problem->port[l] : 0;
    double change = put(s, (size_t)d->link[l].from, share * plani_port(s->problem, l));
    change += put(s, n + to, share * (s->ins > n ? port : fmax(port, own)));
    if (s->ins > n && own > 0) change += put(s, 2 * n + l, share * own);
    if (plani_takes_turns(d)) change += put(s, (size_t)d->link[l].to, share * plani_receives(s->problem, l));
    for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
        change += put(s, n + s->ins + d->use[k], share * s->hold[d->use[k]]);
    return change;
}

static void link_child(plani_loads_t *s, int u, int v)
{
    s->previous[v] = -1;
    s->next[v] = s->first[u];
    if (s->first[u] >= 0) s->previous[s->first[u]] = v;
    s->first[u] = v;
}

static void unlink_child(plani_loads_t *s, int u, int v)
{
    if (s->previous[v] >= 0)
        s->next[s->previous[v]] = s->next[v];
    else
        s->first[u] = s->next[v];
    if (s->next[v] >= 0) s->previous[s->next[v]] = s->previous[v];
}

void plani_loads_set(plani_loads_t *s, const size_t *via, double tau)
{
    if (via != s->via) memcpy(s->via, via, s->nodes * sizeof *via);
    for (size_t i = 0; i < s->loads; i++) {
        s->load[i] = 0;
        s->place[i] = PLANI_NO_LINK;
    }
    for (size_t v = 0; v < s->nodes; v++) s->first[v] = -1;
    s->tau = tau;
    s->overs = 0;
    for (size_t v = 0; v < s->nodes; v++) {
        if (s->via[v] == PLANI_NO_LINK) continue;
        put_link(s, s->via[v], s->weight[plani_tree_of(s, (int)v)]);
        s->changes = 0;
        link_child(s, plani_parent(s, (int)v), (int)v);
    }
}

double plani_loads_period(const plani_loads_t *s)
{
    double worst[4] = {0}; /* side by side: each would wait for the one before */
    size_t i = 0;
    for (; i + 4 <= s->loads; i += 4)
        for (size_t k = 0; k < 4; k++) worst[k] = plani_max(worst[k], s->load[i + k]);
    for (; i < s->loads; i++) worst[0] = plani_max(worst[0], s->load[i]);
    return plani_max(plani_max(worst[0], worst[1]), plani_max(worst[2], worst[3]));
}

double plani_loads_try(plani_loads_t *s, int node, size_t l)
{
    double share = s->weight[plani_tree_of(s, node)];
    double change = put_link(s, s->via[node], -share);
    return change + put_link(s, l, share);
}

void plani_loads_hang(plani_loads_t *s, int node, size_t l)
{
    unlink_child(s, plani_parent(s, node), node);
    s->via[node] = l;
    link_child(s, plani_parent(s, node), node);
}

void plani_loads_keep(plani_loads_t *s)
{
    s->changes = 0;
}

void plani_loads_back(plani_loads_t *s)
{
    while (s->changes > 0) {
        s->changes--;
        set_load(s, s->before[s->changes].at, s->before[s->changes].load);
    }
}
