/* Memory: BW_MP(N), the total rate of N messages at once inside a host (Thune et al. 2023, Algorithm 1: pairs of ranks,
 * both directions). Measured on one host with the most ranks; the other hosts are assumed to be equal. */
#include "lib/mpi/measure/phases/findings.h"
#include <math.h>

/* The speed of a machine may drop for seconds: of PASSES passes the best counts. */
enum { STEPS = 8, PASSES = PLANI_REPEATS(3) };

/* `messages` at once: the first from a to b, the second from b to a, the third between the next pair, ... */
static plan_status_t add_messages(const plani_findings_t *s, int host, int step, int messages, int bytes,
                                  double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int i = 0; i < messages && rc == PLAN_OK; i++) {
        int a = s->rank_at[s->host_first[host] + i / 2 * 2], b = s->rank_at[s->host_first[host] + i / 2 * 2 + 1];
        plani_task_t t = plani_flow_task(step, i % 2 ? b : a, i % 2 ? a : b, seconds, 0);
        if (bytes < PLANI_LARGE) t.bytes = bytes, t.window = PLANI_WINDOW_MAX;
        t.label = bytes;
        t.inside = true;
        rc = plani_tasks_add(tasks, t);
    }
    return rc;
}

/* 1, 2, 4, ... and two for each pair of ranks. Returns how many numbers. */
static int count_messages(int ranks, int *messages)
{
    int steps = 0;

    for (int n = 1; n <= ranks / 2 * 2 && steps < STEPS - 1; n *= 2) messages[steps++] = n;
    if (steps > 0 && messages[steps - 1] < ranks / 2 * 2) messages[steps++] = ranks / 2 * 2;
    return steps;
}

/* runs [steps]: of large messages, for each number of them. */
static plan_status_t note_rates(plani_findings_t *s, const plani_tasks_t *tasks, int steps, plani_runs_t *runs)
{
    for (size_t first = 0, end = 0; first < tasks->n; first = end) {
        double rate;
        if (plani_step_rate(tasks, first, &end, &rate) != PLAN_OK) return PLAN_ENOMEM;
        plani_table_add(&s->memory, tasks->task[first].label, (int)(end - first), rate);
        if (tasks->task[first].label == PLANI_LARGE) plani_runs_add(&runs[tasks->task[first].step % steps], rate);
    }
    return PLAN_OK;
}

/* Memory is a resource if large messages at once are slower in total than their number times one alone. Its rate is the
 * largest total of any number of messages: where ranks share cores, most messages need not be fastest. */
static void keep_rate(plani_findings_t *s, int most)
{
    double one = 0;

    for (size_t i = 0; i < s->memory.n; i++) {
        const plan_pairs_t *p = &s->memory.at[i];
        if (p->bytes == PLANI_LARGE && p->messages == 1) one = p->bytes_per_s;
        if (p->bytes == PLANI_LARGE) s->memory_rate = fmax(s->memory_rate, p->bytes_per_s);
    }
    s->memory_shared = most > 1 && s->memory_rate > 0 && plani_together(most * one, s->memory_rate) == PLANI_SHARED;
}

int plani_measure_memory(plani_findings_t *s)
{
    static const int regime[] = {1024, PLANI_LARGE}; /* [B] eager, rendezvous */
    plani_tasks_t tasks = {.optional = true};
    plani_runs_t runs[STEPS] = {{0}};
    int host = plani_fullest_host(s), messages[STEPS], steps = count_messages(plani_ranks_on(s, host), messages);

    if (steps == 0) return PLAN_OK;
    int rc = plani_phase_begin(s, PLANI_PHASE_MEMORY);
    double slot = plani_phase_slot(s, 1, PASSES * 2 * steps, 2e-3, 15e-3);
    for (int k = 0; k < PASSES * 2 * steps && rc == PLAN_OK; k++)
        rc = add_messages(s, host, k, messages[k % steps], regime[k / steps % 2], slot, &tasks);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    if (rc == PLAN_OK) rc = note_rates(s, &tasks, steps, runs);
    if (rc == PLAN_OK) keep_rate(s, messages[steps - 1]);
    for (int k = 0; k < steps && rc == PLAN_OK; k++)
        if (runs[k].best == s->memory_rate) s->memory_ends = plani_runs_ends(&runs[k]);
    plani_tasks_clear(&tasks);
    return rc;
}
