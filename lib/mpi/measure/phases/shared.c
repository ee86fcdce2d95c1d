/*
 * Shared memory: broadcasts through it, timed like candidates, at sizes from a few bytes to larger than caches. No
 * other measurement includes scheduling on shared cores and the effect of caches.
 */
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/autotune/time.h"
#include "lib/mpi/comm/simulator.h"

enum { PASSES = 3 }; /* over all sizes: the speed of a machine may drop for seconds, and the best pass counts */
static const int shared_size[PLANI_SHARED_SIZES] = {8, 1024, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20};

/* All ranks. No result where memory cannot be shared. */
int plani_do_shared(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine)
{
    const plan_candidate_t c = {.size = sizeof c, .name = "shared-memory", .run = PLAN_RUN_SHARED, .window = 1};
    plan_error_t unused;
    int rc = plani_time(engine->comm, task->from, &c, (size_t)task->bytes, task->seconds, &mine->a[0], NULL, &unused);

    mine->b[0] = 0;
    mine->n = rc == 0;
    return rc == PLAN_EUNSUPPORTED ? 0 : rc;
}

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

int plani_measure_shared(plani_findings_t *s)
{
    plani_tasks_t tasks = {0};

    if (!PLANI_CAN_SHARE_MEMORY || s->hosts > 1 || s->ranks < 2) return PLAN_OK;
    int rc = plani_phase_begin(s, PLANI_PHASE_SHARED);
    if (!plani_phase_time_left(s, 1)) return rc; /* all sizes or none: interpolation needs all */
    double slot = plani_phase_slot(s, 1, PASSES * PLANI_SHARED_SIZES, 2e-3, 15e-3);
    for (int i = 0; i < PLANI_SHARED_SIZES && rc == PLAN_OK; i++)
        rc = plani_tasks_add(&tasks, (plani_task_t){.kind = PLANI_SHARED_CAST,
                                                    .step = i,
                                                    .from = s->rank_at[0],
                                                    .to = s->rank_at[1],
                                                    .bytes = shared_size[i],
                                                    .seconds = slot});
    for (int pass = 0; pass < PASSES && rc == PLAN_OK && (pass == 0 || plani_phase_time_left(s, 1)); pass++)
        if ((rc = plani_experiments_run(s, &tasks)) == PLAN_OK) note(s, &tasks);
    plani_tasks_clear(&tasks);
    return rc;
}
