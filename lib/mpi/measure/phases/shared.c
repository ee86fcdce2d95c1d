/*
 * Shared memory: broadcasts through it, timed like candidates, at sizes from a few bytes to larger than caches. No
 * other measurement includes scheduling on shared cores and the effect of caches.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

enum { PASSES = 3 }; /* over all sizes: the speed of a machine may drop for seconds, and the best pass counts */
static const int shared_size[PLANI_SHARED_SIZES] = {8, 1024, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20};

/* Time the i-th size. best[i] [s] of its runs; NAN: none. */
static int run_size(plani_findings_t *s, int i, double seconds, double *best)
{
    plani_tasks_t tasks = {0};
    int rc = plani_tasks_add(&tasks, (plani_task_t){.kind = PLANI_SHARED_CAST,
                                                    .step = i,
                                                    .from = s->rank_at[0],
                                                    .to = s->rank_at[1],
                                                    .bytes = shared_size[i],
                                                    .seconds = seconds});

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK && tasks.result[0].n > 0) best[i] = fmin(best[i], tasks.result[0].a[0]);
    plani_tasks_clear(&tasks);
    return rc;
}

/* All sizes, for interpolation needs them; but none, in the first pass, that would take long and end after the budget.
 * It takes as many times as long as the one before as it is larger: where there are many ranks, most of the time is for
 * memory for their messages. */
static int run_pass(plani_findings_t *s, bool first, int *sizes, double seconds, double *best)
{
    static const double LONG = 0.05; /* part of the budget */
    double took = 0;
    int rc = PLAN_OK;

    for (int i = 0; i < *sizes && rc == PLAN_OK; i++) {
        double begun = s->engine->now(), expected = i > 1 ? took * shared_size[i] / shared_size[i - 1] : 0;
        if (first && expected > LONG * s->budget && begun + expected > s->start + s->budget) {
            *sizes = i;
            break;
        }
        rc = run_size(s, i, seconds, best);
        took = s->engine->now() - begun;
    }
    return rc;
}

/* The sizes that ran. Fewer bytes take no longer: where they did, other ranks had the processors. */
static void note(plani_findings_t *s, const double *best)
{
    s->nshared = 0;
    for (int i = 0; i < PLANI_SHARED_SIZES; i++)
        if (!isnan(best[i])) s->shared_bytes[s->nshared] = shared_size[i], s->shared_s[s->nshared++] = best[i];
    for (int i = s->nshared - 2; i >= 0; i--) s->shared_s[i] = fmin(s->shared_s[i], s->shared_s[i + 1]);
}

int plani_measure_shared(plani_findings_t *s)
{
    if (!PLANI_CAN_SHARE_MEMORY || s->hosts == s->ranks) return PLAN_OK;
    int rc = plani_phase_begin(s, PLANI_PHASE_SHARED);
    double slot = plani_phase_slot(s, 1, PASSES * PLANI_SHARED_SIZES, 2e-3, 15e-3);
    int sizes = PLANI_SHARED_SIZES;
    double best[PLANI_SHARED_SIZES];

    for (int i = 0; i < PLANI_SHARED_SIZES; i++) best[i] = NAN;
    for (int pass = 0; pass < PASSES && rc == PLAN_OK && (pass == 0 || plani_phase_time_left(s, 1)); pass++)
        rc = run_pass(s, pass == 0, &sizes, slot, best);
    note(s, best);
    return rc;
}
