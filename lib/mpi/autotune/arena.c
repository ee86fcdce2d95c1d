/* Races that rank 0 calls and the others join. */
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/autotune/contest.h"
#include "lib/mpi/autotune/time.h"
#include "planner/plan/plan_private.h"

static const double rest_s = 1e-3; /* about what a card of 100 Mbit/s takes to let 10 kB pass */

/* What rank 0 has the others do next. */
typedef struct {
    int go; /* 0: no more */
    int rc; /* then: how it ended */
} order_t;

void plani_arena_report(const plani_arena_t *a, const char *what, size_t bytes, const plani_runner_t *r)
{
    plani_report(a->options, 1, "timing %s, %s: %s %s: %s (%s to %s) in %d runs", plani_bytes((double)bytes).s, what,
                 r->c->name, plani_manner(r->c, bytes).s, plani_seconds(r->median).s, plani_seconds(r->low).s,
                 plani_seconds(r->high).s, r->n);
}

/* Messages that leave something behind on the links between hosts. */
static bool needs_rest(const plani_arena_t *a, size_t bytes)
{
    const plan_platform_data_t *d = plan_platform_data(a->pf);
    for (int r = 1; r < d->ranks && bytes >= PLANI_RESTLESS; r++)
        if (d->host == NULL || d->host[r] != d->host[0]) return true;
    return false;
}

int plani_arena_race(plani_arena_t *a, const char *what, plani_heat_t *heat, plani_runner_t *runner, int n)
{
    order_t order = {.go = 1};
    int rc = plani_hear(a->comm, &order, sizeof order, a->err);
    heat->aside_s = a->aside_s;
    heat->rest_s = needs_rest(a, heat->bytes) ? rest_s : 0;
    if (rc == 0) rc = plani_race(a->comm, a->root, heat, runner, n, a->err);
    a->aside_s = heat->aside_s;
    for (int i = 0; rc == 0 && i < n; i++)
        if (runner[i].n > 0) plani_arena_report(a, what, heat->bytes, &runner[i]);
    return rc;
}

int plani_arena_close(const plani_arena_t *a, int rc)
{
    order_t end = {.rc = rc};
    int told = plani_hear(a->comm, &end, sizeof end, a->err);
    return rc != 0 ? rc : told;
}

/* A timing that fails does so on all ranks, and rank 0 says how it ended. */
int plani_arena_follow(const plani_arena_t *a)
{
    for (;;) {
        order_t order;
        int rc = plani_hear(a->comm, &order, sizeof order, a->err);
        if (rc != 0) return rc;
        if (!order.go) return order.rc;
        plani_race(a->comm, a->root, NULL, NULL, 0, a->err);
    }
}
