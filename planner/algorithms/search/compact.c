/*
 * Trees that meet a target period after random moves are often as deep as a chain, deeper than necessary. Each node is
 * moved up wherever loads allow it. A node that has the slice earlier is never below one that has it later, so that
 * such a move closes no cycle.
 */
#include "planner/algorithms/search/compact.h"
#include <math.h>
#include <string.h>
#include "lib/base/splitmix.h"

/* The subtree of a node has moved: compute when its nodes have the slice, as if children did not wait for each other.
 */
static void set_arrivals(const plani_loads_t *s, int top, double *arrival)
{
    int v = top;
    for (;;) {
        size_t l = s->via[v];
        arrival[v] = l == PLANI_NO_LINK ? 0 : arrival[plani_parent(s, v)] + plani_flight(s->problem, l);
        if (s->first[v] >= 0) {
            v = s->first[v];
            continue;
        }
        while (v != top && s->next[v] < 0) v = plani_parent(s, v);
        if (v == top) return;
        v = s->next[v];
    }
}

void plani_compact(plani_anneal_t *a, size_t *via, double tau, long moves, double *arrival)
{
    plani_loads_t *s = &a->loads;
    plani_move_t m;
    if (!plani_draw_up_to(a, tau)) return;
    plani_loads_set(s, via, tau);
    for (int t = 0; t < s->trees; t++) set_arrivals(s, plani_node(s, t, s->problem->root), arrival);
    for (long i = 0; i < moves; i++) {
        int v = (int)plani_random_below(&a->random, (uint32_t)s->nodes);
        if (!plani_draw_link(a, v, &m)) continue;
        int u = plani_node(s, plani_tree_of(s, v), s->d->link[m.link].from);
        if (arrival[u] + plani_flight(s->problem, m.link) >= arrival[v]) continue;
        if (plani_loads_try(s, v, m.link) > 0) {
            plani_loads_back(s);
            continue;
        }
        plani_loads_keep(s);
        plani_loads_hang(s, v, m.link);
        set_arrivals(s, v, arrival);
    }
    memcpy(via, s->via, s->nodes * sizeof *via);
}
