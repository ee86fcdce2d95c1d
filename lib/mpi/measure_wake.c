/*
 * Waking: how much later a short message is there while all other ranks wait for one, too, as they do in a broadcast.
 *
 * Ladders are measured between two ranks while the others sleep. Ranks that wait by asking again and again do not
 * disturb each other where each has a processor; where they share some, whoever is sent a message notices it when its
 * turn comes. A tree feels that at each level, a pipeline once.
 */
#include "lib/mpi/measure_study.h"
#include "lib/mpi/wait.h"
#include <math.h>

enum { RUNS = 3, BYTES = 8 };

/* Less than that of a round trip is noise, or others on the machine. */
static const double NOTICED = 0.25;

/* Each run: a pair alone, then the same pair in the crowd. */
static plan_status_t add_pairs(const plani_study_t *s, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;

    for (int k = 0; k < 2 * RUNS * s->nclasses && rc == PLAN_OK; k++) {
        const plani_class_t *c = &s->class_[k / 2 % s->nclasses];
        rc = plani_tasks_add(tasks, (plani_task_t){.kind = PLANI_PINGPONG,
                                                   .step = k,
                                                   .from = c->from,
                                                   .to = c->to,
                                                   .bytes = BYTES,
                                                   .mark = k / 2 % s->nclasses,
                                                   .crowd = k % 2,
                                                   .seconds = seconds});
    }
    return rc;
}

/* The median of the medians of a class's runs, in the crowd or not. */
static double round_trip(const plani_tasks_t *tasks, int class_, bool crowd)
{
    double x[RUNS];
    plani_summary_t s;
    int n = 0;

    for (size_t i = 0; i < tasks->n; i++) {
        const plani_task_t *t = &tasks->task[i];
        if (t->mark != class_ || t->crowd != crowd) continue;
        plani_summarize(tasks->result[i].a, tasks->result[i].n, &s);
        x[n++] = s.median;
    }
    plani_summarize(x, n, &s);
    return s.median;
}

int plani_study_wakes(plani_study_t *s)
{
    plani_tasks_t tasks = {0};

    if (PLANI_SIMULATED || s->ranks < 3) return PLAN_OK; /* every rank has a processor; or there is no crowd */
    int rc = plani_study_phase(s, "waking");
    if (rc == PLAN_OK) rc = add_pairs(s, plani_study_slot(s, 1, 2 * RUNS * s->nclasses, 1e-3, 15e-3), &tasks);
    if (rc == PLAN_OK) rc = plani_study_run(s, &tasks);
    for (int c = 0; c < s->nclasses && rc == PLAN_OK; c++) {
        plani_class_t *k = &s->class_[c];
        double alone = round_trip(&tasks, c, false), beside = round_trip(&tasks, c, true);
        if (beside > (1 + NOTICED) * alone) k->wake_s = 0.5 * (beside - alone); /* there and back */
        for (int i = 0; i < PLANI_SIZES; i++) k->p2p[i] += k->wake_s;
        k->delay_s += k->wake_s;
    }
    plani_tasks_clear(&tasks);
    return rc;
}
