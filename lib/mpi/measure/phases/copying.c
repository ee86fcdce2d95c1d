/*
 * Copying: the rate of slices inside a host while its ranks forward them.
 *
 * The rate of memory (phases/memory.c) is that of flows between pairs, with many slices in flight, at two sizes. In a
 * broadcast ranks receive, send and wait. Where they share cores, each slice also costs time to wake the next rank and
 * for the protocol: 32 KiB slices were forwarded at half the rate of flows, 512 KiB slices at nearly that rate. So
 * slices of every size run down a chain of all ranks of the host, and the table of the processors is their total rate.
 * For one slice at a time it holds the rate of a pair alone. With several hosts, phases/passing.c measures processors.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/simulator.h"
#include "planner/cost/cost.h"

enum { SLICES = 32, FIRST = 4096 }; /* FIRST [B]: smaller slices cost time per message only */
enum { PASSES = 3 };                /* the speed of a machine may drop for seconds: of PASSES passes the best counts */
enum { EVERY = 4 };                 /* if time is short, only every fourth size is measured */

static plan_status_t add_chain(const plani_findings_t *s, int bytes, plani_tasks_t *tasks)
{
    plani_link_tasks_t adding = {tasks,
                                 {.kind = PLANI_CHAIN,
                                  .bytes = bytes,
                                  .window = plani_narrow_window((size_t)bytes, true), /* as in plans */
                                  .seconds = plani_phase_left(s, 1)}};

    adding.task.slices = PLANI_POOL / bytes < SLICES ? PLANI_POOL / bytes : SLICES;
    tasks->n = 0;
    return plani_findings_walk(s, (plani_chain_ranks_t){.rate = 0}, &adding, plani_add_link);
}

/* Note the total rate of `links` slices at once, without the processor time per message. */
static void note(plani_findings_t *s, int bytes, size_t links, double slice_s)
{
    double seconds = slice_s - (double)links * s->message_in_host_s;

    if (seconds > 0) plani_table_add(&s->copying, bytes, (int)links, (double)links * bytes / seconds);
}

static int run_pass(plani_findings_t *s, plani_tasks_t *tasks)
{
    int rc = PLAN_OK, pair = plani_class_between(s, s->rank_at[0], s->rank_at[1]);

    for (int i = 0; i < PLANI_LADDER && rc == PLAN_OK; i++) {
        if (plani_size[i] < FIRST || (i % EVERY != 0 && !plani_phase_time_left(s, 1))) continue;
        if ((rc = add_chain(s, plani_size[i], tasks)) != PLAN_OK) break;
        if ((rc = plani_experiments_run(s, tasks)) != PLAN_OK) break;
        note(s, plani_size[i], 1, s->class_[pair].gap[i]);
        note(s, plani_size[i], tasks->n, plani_chains_slice(tasks, 0.5));
    }
    return rc;
}

int plani_measure_copying(plani_findings_t *s)
{
    plani_tasks_t tasks = {0};

    if (PLANI_OWN_PROCESSOR || s->hosts > 1 || s->ranks < 3) return PLAN_OK;
    int rc = plani_phase_begin(s, PLANI_PHASE_COPYING);
    for (int pass = 0; pass < PASSES && rc == PLAN_OK && (pass == 0 || plani_phase_time_left(s, 1)); pass++)
        rc = run_pass(s, &tasks);
    plani_tasks_clear(&tasks);
    return rc;
}
