/* Processors: the message rate of disjoint pairs of ranks, one pair alone and many at once. If many pairs together are
 * slower than that many times one, ranks share cores, on one host or (containers, emulated clusters) across hosts. Then
 * each message occupies the processors for a time. */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

enum { PAIRS_MOST = 32, RUNS = 3, BYTES = 8 };

/* The nth rank that takes part, of one host, or (host -1) of all ranks sorted by host. Odd n are in the second half, so
 * that the two ranks of a pair are on different hosts as far as possible. */
static int nth_rank(const plani_findings_t *s, int host, int pairs, int nth)
{
    int at = nth / 2 + (nth % 2) * pairs;

    return s->rank_at[host < 0 ? at : s->host_first[host] + at];
}

/* Step k: one pair for even k, all pairs for odd k. */
static plan_status_t add_pairs(const plani_findings_t *s, int host, int pairs, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < 2 * RUNS; k++)
        for (int i = 0; i < (k % 2 ? pairs : 1) && rc == PLAN_OK; i++)
            rc = plani_tasks_add(tasks, (plani_task_t){.kind = PLANI_FLOW,
                                                       .step = k,
                                                       .from = nth_rank(s, host, pairs, 2 * i),
                                                       .to = nth_rank(s, host, pairs, 2 * i + 1),
                                                       .bytes = BYTES,
                                                       .window = PLANI_WINDOW_MAX,
                                                       .seconds = seconds});
    return rc;
}

/* *message_s [s]: time per message of all pairs together; 0 if each pair is about as fast as alone. */
static int try_pairs(plani_findings_t *s, int host, int pairs, double *message_s)
{
    plani_tasks_t tasks = {.optional = true};
    plani_runs_t one = {0}, all = {0};
    int rc = add_pairs(s, host, pairs, plani_phase_slot(s, 1, 2 * RUNS, 2e-3, 15e-3), &tasks);

    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t first = 0, end = 0; first < tasks.n && rc == PLAN_OK; first = end) {
        double rate;
        rc = plani_step_rate(&tasks, first, &end, &rate);
        plani_runs_add(tasks.task[first].step % 2 ? &all : &one, rate / BYTES);
    }
    plani_tasks_clear(&tasks);
    *message_s = plani_message_time(pairs, plani_runs_rate(&one), plani_runs_rate(&all));
    return rc;
}

int plani_measure_processors(plani_findings_t *s)
{
    if (PLANI_OWN_PROCESSOR) return PLAN_OK;
    int host = plani_fullest_host(s), rc = s->ranks > 3 ? plani_phase_begin(s, PLANI_PHASE_PROCESSORS) : PLAN_OK;
    int all = s->ranks / 2 < PAIRS_MOST ? s->ranks / 2 : PAIRS_MOST;
    int inside = plani_ranks_on(s, host) / 2 < PAIRS_MOST ? plani_ranks_on(s, host) / 2 : PAIRS_MOST;

    if (rc == PLAN_OK && s->hosts > 1 && all > 1) rc = try_pairs(s, -1, all, &s->message_s);
    if (rc == PLAN_OK && s->message_s <= 0 && inside > 1) rc = try_pairs(s, host, inside, &s->message_in_host_s);
    return rc;
}
