/*
 * Copying: what slices take inside a host while its ranks pass them on.
 *
 * The rate of memory (phases/memory.c) is that of flows between pairs, many slices under way, one or two sizes. In a
 * broadcast ranks receive, send and wait, and where they share cores each slice also takes its time for waking the next
 * rank and for the protocol: 32 KiB slices were passed on at half the rate of flows, 512 KiB ones at nearly all of it.
 * So chains through all ranks of the host run slices of every size, and the processors' table is what they get. Beside
 * it stands what a pair gets alone. With several hosts, passing on (phases/passing.c) tells what processors take.
 */
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/comm/simulator.h"
#include "planner/cost/cost.h"

enum { SLICES = 32, FIRST = 4096 }; /* [B]: smaller ones cost by the message */
enum { PASSES = 3 };                /* over all sizes: the machine changes its level for a while, and the best counts */
enum { EVERY = 4 };                 /* where time is short: only each fourth size */

static plan_status_t add_chain(const plani_findings_t *s, int bytes, plani_tasks_t *tasks)
{
    plani_adding_t adding = {tasks,
                             {.kind = PLANI_CHAIN,
                              .bytes = bytes,
                              .window = plani_narrow_window((size_t)bytes, true), /* as plans have */
                              .seconds = plani_phase_left(s, 1)}};

    adding.task.slices = PLANI_POOL / bytes < SLICES ? PLANI_POOL / bytes : SLICES;
    tasks->n = 0;
    return plani_findings_walk(s, (plani_way_t){.rate = 0}, &adding, plani_add_link);
}

/* What `links` slices at once get, besides what each message takes. */
static void note(plani_findings_t *s, int bytes, size_t links, double slice_s)
{
    double seconds = slice_s - (double)links * s->message_in_host_s;

    if (seconds > 0) plani_table_add(&s->copying, bytes, (int)links, (double)links * bytes / seconds);
}

static int run_pass(plani_findings_t *s, plani_tasks_t *tasks)
{
    int rc = PLAN_OK, pair = plani_class_between(s, s->rank_at[0], s->rank_at[1]);

    for (int i = 0; i < PLANI_SIZES && rc == PLAN_OK; i++) {
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
