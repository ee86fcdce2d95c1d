/* Memory: BW_MP(N), the rate of N messages at once inside a host (Thune et al. 2023, Algorithm 1: pairs of ranks, both
 * directions). Measured on one host with the most ranks; the others are taken to be like it. */
#include "lib/mpi/measure_study.h"
#include <math.h>

static int fullest_host(const plani_study_t *s)
{
    int best = 0;

    for (int h = 1; h < s->hosts; h++)
        if (plani_ranks_on(s, h) > plani_ranks_on(s, best)) best = h;
    return best;
}

/* Step k: messages[k] of them, the first one way, the second back, the third between the next pair, ... */
static plan_status_t add_messages(const plani_study_t *s, int host, int step, int messages, double seconds,
                                  plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int i = 0; i < messages && rc == PLAN_OK; i++) {
        int a = s->rank_at[s->host_first[host] + i / 2 * 2], b = s->rank_at[s->host_first[host] + i / 2 * 2 + 1];
        rc = plani_tasks_add(tasks, plani_flow_task(step, i % 2 ? b : a, i % 2 ? a : b, seconds, 0));
    }
    return rc;
}

static int count_messages(int ranks, int *messages)
{
    int steps = 0;

    for (int n = 1; n <= ranks / 2 * 2 && steps < 7; n *= 2) messages[steps++] = n;
    if (steps > 0 && messages[steps - 1] < ranks / 2 * 2) messages[steps++] = ranks / 2 * 2;
    return steps;
}

int plani_study_memory(plani_study_t *s)
{
    plani_tasks_t tasks = {0};
    int host = fullest_host(s);

    s->memory_steps = count_messages(plani_ranks_on(s, host), s->memory_n);
    if (s->memory_steps == 0) return PLAN_OK;
    int rc = plani_study_phase(s, "memory");
    double slot = plani_study_slot(s, 0.83, s->memory_steps, 2e-3, 20e-3);
    for (int k = 0; k < s->memory_steps && rc == PLAN_OK; k++)
        rc = add_messages(s, host, k, s->memory_n[k], slot, &tasks);
    if (rc == PLAN_OK) rc = plani_study_run(s, &tasks);
    for (size_t i = 0, k = 0; i < tasks.n && rc == PLAN_OK; i += (size_t)s->memory_n[k++])
        rc = plani_flows_rate(tasks.task + i, tasks.result + i, (size_t)s->memory_n[k], &s->memory_rate[k]);
    plani_tasks_clear(&tasks);
    int last = s->memory_steps - 1;
    s->memory_shared = last > 0 && s->memory_rate[last] > 0 &&
                       plani_together(s->memory_n[last] * s->memory_rate[0], s->memory_rate[last]);
    return rc;
}
