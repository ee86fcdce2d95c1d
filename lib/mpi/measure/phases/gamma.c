/* gamma(P) and Q of each channel class: Nuriyev et al. 2022, section 5.1, eqs (14) and (15). */
#include "lib/mpi/measure/phases/findings.h"
#include <math.h>

enum { SEGMENT = 8192 }; /* [B] the usual segment of Open MPI's tuned broadcasts, and that of the paper */

/* List the ranks that `root` reaches through class c; of each other host, the first rank. Returns their number. */
static int reached(const plani_findings_t *s, int root, int c, int *child)
{
    int n = 0;

    for (int r = 0; r < s->ranks && n < PLANI_FLAT_MOST - 1; r++) {
        if (r == root || plani_class_between(s, root, r) != c) continue;
        if (s->class_[c].network && r != plani_first_rank(s, s->place[r].host)) continue;
        child[n++] = r;
    }
    return n;
}

/* The rank with the most children through class c; ties: the lowest. Between hosts only first ranks count. */
static int best_root(const plani_findings_t *s, int c, int *children)
{
    int best = s->class_[c].from, most = 0, child[PLANI_FLAT_MOST];

    for (int r = 0; r < s->ranks && most < PLANI_FLAT_MOST - 1; r++) {
        if (s->class_[c].network && r != plani_first_rank(s, s->place[r].host)) continue;
        int n = reached(s, r, c, child);
        if (n > most) best = r, most = n;
    }
    *children = most;
    return best;
}

static plan_status_t add_trees(const plani_findings_t *s, int c, int *step, double seconds, plani_tasks_t *tasks)
{
    plan_status_t rc = PLAN_OK;
    int most, root = best_root(s, c, &most), child[PLANI_FLAT_MOST];

    reached(s, root, c, child);
    for (int children = 1; children <= most && most > 1; children++, (*step)++)
        for (int i = 0; i < children && rc == PLAN_OK; i++)
            rc = plani_tasks_add(tasks, (plani_task_t){.kind = PLANI_FLAT,
                                                       .step = *step,
                                                       .from = root,
                                                       .to = child[i],
                                                       .label = c,
                                                       .bytes = SEGMENT,
                                                       .seconds = seconds});
    return rc;
}

static double flat_time(plani_result_t *r)
{
    plani_summary_t full, empty;

    plani_summarize(r->a, r->n, &full);
    plani_summarize(r->b, r->n, &empty);
    return fmax(full.median - 0.5 * empty.median, 0.5 * full.median);
}

/* gamma(P) = T(P) / T(2) with P = children + 1, limited to [1, P - 1] (eq. 8) and not decreasing. *t2: T(2) [s]. */
static void note_tree(plani_class_t *c, int children, double t, double *t2)
{
    if (children == 1) {
        *t2 = t;
        c->gamma[0] = 1;
    } else {
        double g = fmin(fmax(t / *t2, c->gamma[children - 2]), children);
        c->gamma[children - 1] = g;
    }
    c->ngamma = children;
}

/* Q = T_p2p / T_p2p of the fastest class inside hosts (of the fastest of all, if there is none), for one segment. */
static void find_q(plani_findings_t *s)
{
    int at = 0;
    double least = INFINITY;

    while (plani_size[at] < SEGMENT) at++;
    for (int pass = 0; pass < 2 && isinf(least); pass++)
        for (int c = 0; c < s->nclasses; c++)
            if (pass == 1 || !s->class_[c].network) least = fmin(least, s->class_[c].p2p[at]);
    for (int c = 0; c < s->nclasses; c++) s->class_[c].q = s->class_[c].p2p[at] / least;
}

int plani_measure_gamma(plani_findings_t *s)
{
    plani_tasks_t tasks = {.optional = true};
    int step = 0, rc = plani_phase_begin(s, PLANI_PHASE_FLAT_TREES);
    double slot = plani_phase_slot(s, 1, s->nclasses * (PLANI_FLAT_MOST - 1), 1e-3, 15e-3), t2 = 0;

    find_q(s);
    for (int c = 0; c < s->nclasses && rc == PLAN_OK; c++) rc = add_trees(s, c, &step, slot, &tasks);
    if (rc == PLAN_OK) rc = plani_experiments_run(s, &tasks);
    for (size_t i = 0; i < tasks.n && rc == PLAN_OK;) {
        int children = 0, at = tasks.task[i].step;
        size_t first = i;
        while (i < tasks.n && tasks.task[i].step == at) children++, i++;
        if (tasks.result[first].n > 0)
            note_tree(&s->class_[tasks.task[first].label], children, flat_time(&tasks.result[first]), &t2);
    }
    plani_tasks_clear(&tasks);
    return rc;
}
