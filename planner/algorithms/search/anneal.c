/*
 * Fix a target period tau, and move ranks to other parents until no port, resource or link is held longer than that.
 *
 * A move that raises the excess is accepted while the rise is below a threshold that sinks to 0 (threshold accepting,
 * Dueck and Scheuer 1990: as good as annealing, and without exp()). A rank may also move below its own subtree:
 *
 *        p              p
 *        |              |            v moves below q; the path from v to q is cut above some x on it, and x
 *        v      ==>     x            hangs on v's old parent, or on another rank outside v's subtree
 *        x              q
 *        q              v
 */
#include "planner/algorithms/search/anneal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/splitmix.h"
#include "planner/algorithms/search/period_bound.h"

#define SLACK 1e-9 /* of tau: loads are sums and differences in any order */

/*
 * One tree: with these values 4,000 moves per rank miss the optimum by 2% on 5 of 200 platforms, 20,000 with those of
 * several trees on 20 (bench/single-tree: 30 to 100 ranks, one port and several). Several trees: with those of one,
 * a search takes up to twice as long, and reaches no higher throughput (bench_few_trees).
 */
#define HOT 1.0             /* first threshold, of tau */
#define DRAWS 2             /* links that a move is the best of */
#define HOT_OF_SEVERAL 0.6  /* of several trees */
#define FOCUS_OF_SEVERAL 60 /* of 100 moves reduce a load above tau; the others are drawn from all ranks */

typedef struct {
    double hot;
    uint32_t focus; /* of 100 moves */
    int draws;
} walk_t;
static const walk_t one_tree = {HOT, 100, DRAWS}, several_trees = {HOT_OF_SEVERAL, FOCUS_OF_SEVERAL, 1};

plan_status_t plani_anneal_create(const plani_problem_t *problem, int trees, uint64_t seed, plani_anneal_t *a)
{
    const plan_platform_data_t *d = problem->d;
    plan_status_t rc = PLAN_OK;
    *a = (plani_anneal_t){.in = malloc(2 * (d->nlinks + 1) * sizeof *a->in),
                          .fit = malloc((size_t)trees * (size_t)d->ranks * sizeof *a->fit),
                          .path = malloc((size_t)d->ranks * sizeof *a->path),
                          .random = seed};
    if (a->in == NULL || a->fit == NULL || a->path == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plani_loads_create(problem, trees, &a->loads);
    if (rc != PLAN_OK) {
        plani_anneal_clear(a);
        return rc;
    }
    for (size_t k = 0; k < d->nlinks; k++)
        a->in[k] = (plani_keyed_t){plani_held(problem, d->in_link[k]), d->in_link[k]};
    for (int v = 0; v < d->ranks; v++)
        plani_sort_by_key(a->in + d->in_first[v], d->in_first[v + 1] - d->in_first[v], a->in + d->nlinks + 1);
    return PLAN_OK;
}

void plani_anneal_clear(plani_anneal_t *a)
{
    plani_loads_clear(&a->loads);
    free(a->in);
    free(a->fit);
    free(a->path);
    *a = (plani_anneal_t){0};
}

bool plani_draw_up_to(plani_anneal_t *a, double tau)
{
    const plan_platform_data_t *d = a->loads.d;
    for (int node = 0; node < (int)a->loads.nodes; node++) {
        int t = plani_tree_of(&a->loads, node), v = node - plani_node(&a->loads, t, 0);
        size_t low = d->in_first[v], high = d->in_first[v + 1];
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (a->in[mid].key * a->loads.weight[t] <= tau)
                low = mid + 1;
            else
                high = mid;
        }
        a->fit[node] = low - d->in_first[v];
        if (a->fit[node] == 0 && v != a->loads.problem->root) return false;
    }
    return true;
}

static bool is_root(const plani_loads_t *s, int node)
{
    return s->via[node] == PLANI_NO_LINK;
}

/* With several trees the cheaper links are drawn more often, for some of them always have capacity left. */
static size_t random_link_into(plani_anneal_t *a, int node)
{
    const plani_loads_t *s = &a->loads;
    int v = node - plani_node(s, plani_tree_of(s, node), 0);
    uint32_t i = plani_random_below(&a->random, (uint32_t)a->fit[node]);
    if (s->trees > 1) i = plani_random_below(&a->random, i + 1);
    return a->in[s->d->in_first[v] + i].link;
}

/* The node in the same tree that a link comes from. */
static int sender(const plani_loads_t *s, int node, size_t link)
{
    return plani_node(s, plani_tree_of(s, node), s->d->link[link].from);
}

/* Is x in the subtree of v? If so, path[0..*steps) goes from x up to v's child. */
static bool below(plani_anneal_t *a, int x, int v, int *steps)
{
    *steps = 0;
    for (; x != v; x = plani_parent(&a->loads, x)) {
        if (is_root(&a->loads, x)) return false;
        a->path[(*steps)++] = x;
    }
    return true;
}

/* The new parent is below the node that is moved, at the end of path[]. Find a link that moves a node of the path out
 * of the subtree. */
static bool draw_lift_from(plani_anneal_t *a, int steps, plani_move_t *m)
{
    const plani_loads_t *s = &a->loads;
    const plani_problem_t *problem = s->problem;
    int x = a->path[plani_random_below(&a->random, (uint32_t)steps)], unused;
    int t = plani_tree_of(s, x), first = plani_node(s, t, 0);
    size_t l = plan_platform_find_link(problem->pf, plani_parent(s, m->node) - first, x - first);
    m->lifted = x;
    m->lift = l;
    if (l != PLANI_NO_LINK && plani_held(problem, l) * s->weight[t] <= s->tau) return true;
    m->lift = PLANI_NO_LINK;
    if (a->fit[x] == 0) return false;
    l = random_link_into(a, x);
    /* path[] is not needed any more */
    if (!below(a, sender(s, x, l), m->node, &unused)) m->lift = l;
    return m->lift != PLANI_NO_LINK;
}

/* The node of a random tree in which some child of u hangs, or -1; u's children are looked for from there on. */
static int sender_of_some(plani_anneal_t *a, int u)
{
    const plani_loads_t *s = &a->loads;
    int t = s->trees == 1 ? 0 : (int)plani_random_below(&a->random, (uint32_t)s->trees);
    for (int i = 0; i < s->trees; i++, t = t + 1 == s->trees ? 0 : t + 1)
        if (s->first[plani_node(s, t, u)] >= 0) return plani_node(s, t, u);
    return -1;
}

/* Whether the node's link adds to the load `at` (a receiver, a link or a resource). */
static bool holds(const plani_loads_t *s, int node, size_t at)
{
    size_t n = (size_t)s->d->ranks, l = s->via[node];
    if (l == PLANI_NO_LINK) return false;
    if (at < n + s->ins) return at < 2 * n ? at - n == (size_t)s->d->link[l].to : at - 2 * n == l;
    for (size_t k = s->d->use_first[l]; k < s->d->use_first[l + 1]; k++)
        if (s->d->use[k] == at - n - s->ins) return true;
    return false;
}

/* A node whose link adds to a load above tau; -1 if none is found quickly. */
static int node_to_relieve(plani_anneal_t *a)
{
    const plani_loads_t *s = &a->loads;
    size_t n = (size_t)s->d->ranks, at = s->over[plani_random_below(&a->random, (uint32_t)s->overs)];
    if (at < n) {
        int u = sender_of_some(a, (int)at);
        if (u < 0) return -1; /* a load of rounding alone */
        int v = s->first[u];
        for (uint32_t skip = plani_random_below(&a->random, 8); skip > 0; skip--)
            v = s->next[v] >= 0 ? s->next[v] : s->first[u];
        return v;
    }
    if (at < n + s->ins) {
        int v = at < 2 * n ? (int)(at - n) : s->d->link[at - 2 * n].to;
        int t = s->trees == 1 ? 0 : (int)plani_random_below(&a->random, (uint32_t)s->trees);
        return holds(s, plani_node(s, t, v), at) ? plani_node(s, t, v) : -1;
    }
    for (int tries = 0; tries < 32; tries++) {
        int v = (int)plani_random_below(&a->random, (uint32_t)s->nodes);
        if (holds(s, v, at)) return v;
    }
    return -1;
}

bool plani_draw_link(plani_anneal_t *a, int node, plani_move_t *m)
{
    *m = (plani_move_t){node, PLANI_NO_LINK, -1, PLANI_NO_LINK};
    if (is_root(&a->loads, node)) return false;
    m->link = random_link_into(a, node);
    return m->link != a->loads.via[node];
}

bool plani_draw_lift(plani_anneal_t *a, plani_move_t *m)
{
    int steps = 0;
    if (a->loads.first[m->node] < 0 || !below(a, sender(&a->loads, m->node, m->link), m->node, &steps)) return true;
    return draw_lift_from(a, steps, m);
}

/* The link, of those drawn, by which the node raises the excess least; false: they came to nothing. */
static bool draw_best_link(plani_anneal_t *a, int node, int draws, plani_move_t *m)
{
    if (draws == 1) return plani_draw_link(a, node, m);
    plani_move_t drawn;
    double least = INFINITY;
    for (int i = 0; i < draws; i++) {
        if (!plani_draw_link(a, node, &drawn) || (i > 0 && least < INFINITY && drawn.link == m->link)) continue;
        double change = plani_loads_try(&a->loads, node, drawn.link);
        plani_loads_back(&a->loads);
        if (change >= least) continue;
        least = change;
        *m = drawn;
    }
    return least < INFINITY;
}

/* Try a move, and make it if the excess rises by no more than `threshold`. */
static void step(plani_anneal_t *a, const walk_t *walk, double threshold)
{
    plani_loads_t *s = &a->loads;
    plani_move_t m;
    int v = -1;
    if (plani_random_below(&a->random, 100) < walk->focus) v = node_to_relieve(a);
    if (v < 0) v = (int)plani_random_below(&a->random, (uint32_t)s->nodes);
    if (!draw_best_link(a, v, walk->draws, &m)) return;
    double change = plani_loads_try(s, v, m.link);
    if (change > threshold || !plani_draw_lift(a, &m)) goto back; /* a lift seldom makes up for the link */
    if (m.lift != PLANI_NO_LINK) {
        change += plani_loads_try(s, m.lifted, m.lift);
        if (change > threshold) goto back;
        plani_loads_hang(s, m.lifted, m.lift);
    }
    plani_loads_hang(s, v, m.link);
    plani_loads_keep(s);
    return;
back:
    plani_loads_back(s);
}

bool plani_anneal(plani_anneal_t *a, size_t *via, double tau, long moves)
{
    plani_loads_t *s = &a->loads;
    tau *= 1 + SLACK;
    if (!plani_draw_up_to(a, tau)) return false;
    plani_loads_set(s, via, tau);
    const walk_t *walk = s->trees == 1 ? &one_tree : &several_trees;
    double hot = walk->hot * tau / s->trees; /* a move shifts a share of the slices */
    for (long i = 0; i < moves && s->overs > 0; i++) step(a, walk, hot * (double)(moves - i) / (double)moves);
    memcpy(via, s->via, s->nodes * sizeof *via);
    return s->overs == 0;
}
