/*
 * Shared memory: broadcasts through it, timed like candidates, at sizes from a few bytes to larger than caches. No
 * other measurement includes scheduling on shared cores and the effect of caches.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

enum { PASSES = 3 }; /* over all sizes: the speed of a machine may drop for seconds, and the best pass counts */
static const int shared_size[PLANI_SHARED_SIZES] = {8, 1024, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20};

static void note(plani_findings_t *s, const plani_tasks_t *tasks)
{
    s->nshared = 0;
    for (size_t i = 0; i < tasks->n; i++) {
        double *least = &s->shared_s[s->nshared], seconds = tasks->result[i].a[0];
        if (tasks->result[i].n == 0) continue;
        if (s->shared_bytes[s->nshared] != tasks->task[i].bytes || seconds < *least) *least = seconds;
        s->shared_bytes[s->nshared++] = tasks->task[i].bytes;
    }
}

/* Fewer bytes take no longer: where they did, other ranks had the processors. */
static void straighten(plani_findings_t *s)
{
    for (int i = s->nshared - 2; i >= 0; i--) s->shared_s[i] = fmin(s->shared_s[i], s->shared_s[i + 1]);
}

int plani_measure_shared(plani_findings_t *s)
{
    plani_tasks_t tasks = {0};

    if (!PLANI_CAN_SHARE_MEMORY || s->hosts == s->ranks) return PLAN_OK;
    int rc = plani_phase_begin(s, PLANI_PHASE_SHARED);
    double slot = plani_phase_slot(s, 1, PASSES * PLANI_SHARED_SIZES, 2e-3, 15e-3);
    for (int i = 0; i < PLANI_SHARED_SIZES && rc == PLAN_OK; i++)
        rc = plani_tasks_add(&tasks, (plani_task_t){.kind = PLANI_SHARED_CAST,
                                                    .step = i,
                                                    .from = s->rank_at[0],
                                                    .to = s->rank_at[1],
                                                    .bytes = shared_size[i],
                                                    .seconds = slot});
    /* the first pass in any case, and all sizes of it: interpolation needs them */
    for (int pass = 0; pass < PASSES && rc == PLAN_OK && (pass == 0 || plani_phase_time_left(s, 1)); pass++)
        if ((rc = plani_experiments_run(s, &tasks)) == PLAN_OK) note(s, &tasks);
    straighten(s);
    plani_tasks_clear(&tasks);
    return rc;
}
