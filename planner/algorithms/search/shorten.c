/*
 * Threshold accepting (Dueck and Scheuer 1990) on the makespan. A move changes need[] only on the ways from the ranks
 * involved to the root; the period is read off all loads.
 */
#include "planner/algorithms/search/shorten.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/splitmix.h"

#define HOT 0.01 /* first threshold, of the makespan */
#define READ 16  /* loads read per elementary step */

/* Make a move in tree and loads, and compute need[] from where children have changed, the lowest first. */
static void make(plani_loads_t *s, plani_fill_time_t *f, const plani_move_t *m)
{
    int left = plani_parent(s, m->node), joined = s->d->link[m->link].from;
    if (m->lift != PLANI_NO_LINK) {
        int x = m->lifted, lost = plani_parent(s, x);
        plani_loads_try(s, x, m->lift);
        plani_loads_hang(s, x, m->lift);
        plani_loads_try(s, m->node, m->link);
        plani_loads_hang(s, m->node, m->link);
        plani_fill_time_update(f, lost);
        plani_fill_time_update(f, joined);
        plani_fill_time_update(f, s->d->link[m->lift].from);
    } else {
        plani_loads_try(s, m->node, m->link);
        plani_loads_hang(s, m->node, m->link);
        plani_fill_time_update(f, joined);
    }
    plani_fill_time_update(f, left);
}

void plani_shorten(plani_anneal_t *a, plani_fill_time_t *f, size_t *via, long wanted)
{
    plani_loads_t *s = &a->loads;
    size_t n = (size_t)s->d->ranks;
    long moves = wanted / (1 + (long)(s->loads / READ));
    plani_loads_set(s, via, INFINITY);
    plani_fill_time_set(f);
    plani_draw_up_to(a, INFINITY);
    double now = plani_makespan(f), best = now, hot = HOT * now;
    for (long i = 0; i < moves; i++) {
        plani_move_t m;
        if (!plani_draw_link(a, (int)plani_random_below(&a->random, (uint32_t)n), &m) || !plani_draw_lift(a, &m))
            continue;
        int x = m.lift != PLANI_NO_LINK ? m.lifted : -1;
        size_t old = s->via[m.node], lift_old = x >= 0 ? s->via[x] : PLANI_NO_LINK;
        make(s, f, &m);
        double then = plani_makespan(f);
        if (then <= now + hot * (double)(moves - i) / (double)moves) {
            plani_loads_keep(s);
            plani_fill_time_keep(f);
            now = then;
            if (now < best * (1 - 1e-12)) {
                best = now;
                memcpy(via, s->via, n * sizeof *via);
            }
            continue;
        }
        plani_loads_hang(s, m.node, old);
        if (x >= 0) plani_loads_hang(s, x, lift_old);
        plani_loads_back(s);
        plani_fill_time_back(f);
    }
}
