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
#include "planner/search/anneal.h"
#include <stdlib.h>
#include <string.h>
#include "planner/search/random.h"

#define SLACK 1e-9 /* of tau: loads are sums and differences in any order */

/* Chosen on random platforms of 30 to 50 ranks: with them, 20,000 moves per rank come as far as 600,000 without focus.
 */
#define HOT 0.6  /* first threshold, of tau */
#define FOCUS 60 /* of 100 moves relieve something that is held too long; the others are drawn from all ranks */

plan_status_t plani_anneal_create(const plani_task_t *task, uint64_t seed, plani_anneal_t *a)
{
    const plan_platform_data_t *d = task->d;
    plan_status_t rc = PLAN_OK;
    *a = (plani_anneal_t){.in = malloc((d->nlinks + 1) * sizeof *a->in),
                          .fit = malloc((size_t)d->ranks * sizeof *a->fit),
                          .path = malloc((size_t)d->ranks * sizeof *a->path),
                          .random = seed};
    if (a->in == NULL || a->fit == NULL || a->path == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plani_loads_create(task, &a->loads);
    if (rc != PLAN_OK) {
        plani_anneal_clear(a);
        return rc;
    }
    for (size_t k = 0; k < d->nlinks; k++) a->in[k] = (plani_keyed_t){task->cost[d->in_link[k]], d->in_link[k]};
    for (int v = 0; v < d->ranks; v++)
        qsort(a->in + d->in_first[v], d->in_first[v + 1] - d->in_first[v], sizeof *a->in, plani_by_key);
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
    for (int v = 0; v < d->ranks; v++) {
        size_t low = d->in_first[v], high = d->in_first[v + 1];
        while (low < high) {
            size_t mid = low + (high - low) / 2;
            if (a->in[mid].key <= tau)
                low = mid + 1;
            else
                high = mid;
        }
        a->fit[v] = low - d->in_first[v];
        if (a->fit[v] == 0 && v != a->loads.task->root) return false;
    }
    return true;
}

static size_t random_link_into(plani_anneal_t *a, int v)
{
    return a->in[a->loads.d->in_first[v] + plani_random_below(&a->random, (uint32_t)a->fit[v])].link;
}

/* Is `x` in the subtree of v? If so, path[0..*steps) goes from x up to v's child. */
static bool below(plani_anneal_t *a, int x, int v, int *steps)
{
    *steps = 0;
    for (; x != v; x = plani_parent(&a->loads, x)) {
        if (x == a->loads.task->root) return false;
        a->path[(*steps)++] = x;
    }
    return true;
}

/* v wants to hang on a rank below itself, at the foot of path[]. Find a link that lifts a rank of the path out. */
static size_t link_to_lift(plani_anneal_t *a, int v, int steps)
{
    const plani_task_t *task = a->loads.task;
    int x = a->path[plani_random_below(&a->random, (uint32_t)steps)], unused;
    size_t l = plan_platform_find_link(task->pf, plani_parent(&a->loads, v), x);
    if (l != PLANI_NO_LINK && task->cost[l] <= a->loads.tau) return l;
    if (x == task->root || a->fit[x] == 0) return PLANI_NO_LINK;
    l = random_link_into(a, x);
    /* path[] is not needed any more */
    return below(a, a->loads.d->link[l].from, v, &unused) ? PLANI_NO_LINK : l;
}

/* A rank whose link holds something that is held too long; -1 if none is found quickly. */
static int rank_to_relieve(plani_anneal_t *a)
{
    const plani_loads_t *s = &a->loads;
    size_t n = (size_t)s->d->ranks, at = s->over[plani_random_below(&a->random, (uint32_t)s->overs)];
    if (at < n) {
        int v = s->first[at];
        for (uint32_t skip = plani_random_below(&a->random, 8); skip > 0; skip--)
            v = s->next[v] >= 0 ? s->next[v] : s->first[at];
        return v;
    }
    if (at < 2 * n) return (int)(at - n);
    for (int tries = 0; tries < 32; tries++) {
        int v = (int)plani_random_below(&a->random, (uint32_t)n);
        if (v == s->task->root) continue;
        for (size_t k = s->d->use_first[s->via[v]]; k < s->d->use_first[s->via[v] + 1]; k++)
            if (s->d->use[k] == at - 2 * n) return v;
    }
    return -1;
}

bool plani_draw_link(plani_anneal_t *a, int rank, plani_move_t *m)
{
    *m = (plani_move_t){rank, PLANI_NO_LINK, PLANI_NO_LINK};
    if (rank == a->loads.task->root) return false;
    m->link = random_link_into(a, rank);
    return m->link != a->loads.via[rank];
}

bool plani_draw_lift(plani_anneal_t *a, plani_move_t *m)
{
    int steps = 0;
    if (a->loads.first[m->rank] < 0 || !below(a, a->loads.d->link[m->link].from, m->rank, &steps)) return true;
    m->lift = link_to_lift(a, m->rank, steps);
    return m->lift != PLANI_NO_LINK;
}

/* Try a move, and make it if the excess rises by no more than `threshold`. */
static void step(plani_anneal_t *a, double threshold)
{
    plani_loads_t *s = &a->loads;
    plani_move_t m;
    int v = -1;
    if (plani_random_below(&a->random, 100) < FOCUS) v = rank_to_relieve(a);
    if (v < 0) v = (int)plani_random_below(&a->random, (uint32_t)s->d->ranks);
    if (!plani_draw_link(a, v, &m)) return;
    double change = plani_loads_try(s, v, m.link);
    if (change > threshold || !plani_draw_lift(a, &m)) goto back; /* a lift seldom makes up for the link */
    if (m.lift != PLANI_NO_LINK) {
        change += plani_loads_try(s, s->d->link[m.lift].to, m.lift);
        if (change > threshold) goto back;
        plani_loads_hang(s, s->d->link[m.lift].to, m.lift);
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
    for (long i = 0; i < moves && s->overs > 0; i++) step(a, HOT * tau * (double)(moves - i) / (double)moves);
    if (s->overs > 0) return false;
    memcpy(via, s->via, (size_t)s->d->ranks * sizeof *via);
    return true;
}
