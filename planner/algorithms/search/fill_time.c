#include "planner/algorithms/search/fill_time.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

plan_status_t plani_fill_time_create(plani_loads_t *loads, plani_fill_time_t *f)
{
    size_t n = (size_t)loads->d->ranks;
    *f = (plani_fill_time_t){.loads = loads,
                             .bytes = loads->problem->bytes,
                             .need = malloc(n * sizeof *f->need),
                             .child = malloc(n * sizeof *f->child),
                             .queue = malloc(n * sizeof *f->queue),
                             .before = malloc(PLANI_UPDATES * n * sizeof *f->before)};
    if (f->need != NULL && f->child != NULL && f->queue != NULL && f->before != NULL) return PLAN_OK;
    plani_fill_time_clear(f);
    return PLAN_ENOMEM;
}

void plani_fill_time_clear(plani_fill_time_t *f)
{
    free(f->need);
    free(f->child);
    free(f->queue);
    free(f->before);
    *f = (plani_fill_time_t){0};
}

static double need_of(plani_fill_time_t *f, int u)
{
    const plani_loads_t *s = f->loads;
    int n = 0;
    for (int v = s->first[u]; v >= 0; v = s->next[v])
        f->child[n++] = (plani_child_t){f->need[v] + plani_flight(s->problem, s->via[v]) - s->problem->cost[s->via[v]],
                                        v, s->via[v]};
    return plani_feed(s->problem, f->child, n);
}

void plani_fill_time_set(plani_fill_time_t *f)
{
    const plani_loads_t *s = f->loads;
    int tail = 0;
    f->changes = 0;
    f->queue[tail++] = s->problem->root;
    for (int head = 0; head < tail; head++)
        for (int v = s->first[f->queue[head]]; v >= 0; v = s->next[v]) f->queue[tail++] = v;
    while (tail-- > 0) f->need[f->queue[tail]] = need_of(f, f->queue[tail]);
}

void plani_fill_time_update(plani_fill_time_t *f, int u)
{
    for (;;) {
        double need = need_of(f, u);
        if (need == f->need[u]) return;
        f->before[f->changes++] = (plani_before_t){(size_t)u, f->need[u]};
        f->need[u] = need;
        if (u == f->loads->problem->root) return;
        u = plani_parent(f->loads, u);
    }
}

void plani_fill_time_keep(plani_fill_time_t *f)
{
    f->changes = 0;
}

void plani_fill_time_back(plani_fill_time_t *f)
{
    while (f->changes > 0) {
        f->changes--;
        f->need[f->before[f->changes].at] = f->before[f->changes].load;
    }
}

double plani_makespan(const plani_fill_time_t *f)
{
    const plani_problem_t *problem = f->loads->problem;
    double slices = plani_max(1, ceil(f->bytes / problem->slice));
    return f->need[problem->root] + (slices - 1) * plani_loads_period(f->loads);
}
