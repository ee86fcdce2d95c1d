/* Measuring one card or trunk again: which flows, and what they say. */
#include <stdlib.h>
#include <string.h>
#include "lib/base/statistics.h"
#include "lib/mpi/decide/decide.h"
#include "lib/mpi/measure/phases/findings.h"

enum { RUNS = 3, MOST = 16 };      /* flows at once */
static const double SECONDS = 0.1; /* of a run through a fast resource; a slow one takes up to four times as long */

/* A rank, and how many hosts of its group come before its own. */
typedef struct {
    int rank, nth;
    bool far; /* behind other trunks than the card that is measured */
} end_t;

static int by_preference(const void *a, const void *b)
{
    const end_t *x = a, *y = b;
    if (x->far != y->far) return x->far - y->far;
    if (x->nth != y->nth) return x->nth - y->nth;
    return x->rank - y->rank;
}

/* The first rank of each host inside or outside the part. Near ones first, then by turns of all groups.
 * count [hosts + groups]: scratch. O(ranks log ranks) */
static int list_ends(const plani_again_t *w, int ranks, bool inside, int *count, end_t *end)
{
    const plani_machine_t *m = w->machine;
    int *in_group = count + m->nhosts, n = 0;

    memset(count, 0, (size_t)(m->nhosts + m->ngroups) * sizeof *count);
    for (int r = 0; r < ranks; r++) {
        int host = w->host[r], group = m->host[host].group;
        if (plani_machine_part_holds(m, w->part, host) != inside || count[host]++ > 0) continue;
        end[n++] = (end_t){
            .rank = r, .nth = in_group[group]++, .far = !w->part.trunk && group != m->host[w->part.which].group};
    }
    qsort(end, (size_t)n, sizeof *end, by_preference);
    return n;
}

/* As many flows as there are hosts on the larger side; those of a card end at different hosts. A rank has PLANI_FLOWS
 * at most. */
static plan_status_t list_flows(const plani_again_t *w, int ranks, plani_tasks_t *tasks)
{
    end_t *in = malloc((size_t)ranks * sizeof *in), *out = malloc((size_t)ranks * sizeof *out);
    int *count = malloc((size_t)(w->machine->nhosts + w->machine->ngroups) * sizeof *count);
    plan_status_t rc = in != NULL && out != NULL && count != NULL ? PLAN_OK : PLAN_ENOMEM;
    int inside = rc == PLAN_OK ? list_ends(w, ranks, true, count, in) : 0,
        outside = rc == PLAN_OK ? list_ends(w, ranks, false, count, out) : 0,
        least = inside < outside ? inside : outside, n = inside > outside ? inside : outside;

    if (n > MOST) n = MOST;
    if (n > PLANI_FLOWS * least) n = PLANI_FLOWS * least; /* 0 where a side is empty */
    for (int i = 0; n > 0 && i < RUNS * n && rc == PLAN_OK; i++) {
        int a = in[i % n % inside].rank, b = out[i % n % outside].rank;
        bool into = w->part.direction == PLANI_PART_IN;
        rc = plani_tasks_add(tasks, plani_flow_task(i / n, into ? b : a, into ? a : b,
                                                    plani_long_enough(SECONDS, w->rate), PLANI_FLOWS - 1));
    }
    free(count);
    free(in);
    free(out);
    return rc;
}

/* What else may have limited the flows. */
static plan_status_t compare(const plani_again_t *w, const plani_tasks_t *tasks, plani_again_found_t *found)
{
    size_t n = plani_step_end(tasks, 0);
    plani_host_flow_t *flow = malloc(n * sizeof *flow);
    plan_status_t rc = flow != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (size_t i = 0; i < n && rc == PLAN_OK; i++)
        flow[i] = (plani_host_flow_t){w->host[tasks->task[i].from], w->host[tasks->task[i].to]};
    if (rc == PLAN_OK) rc = plani_machine_flows_without(w->machine, w->part, n, flow, &found->without);
    found->at_least = rc == PLAN_OK && plani_together(found->without, found->rate) == PLANI_SHARED_NOT;
    free(flow);
    return rc;
}

int plani_run_again(plani_engine_t *engine, const plani_again_t *w, plani_again_found_t *found)
{
    plani_tasks_t tasks = {0};
    double runs[RUNS];
    int n = 0, rc = list_flows(w, engine->ranks, &tasks);

    if (rc == PLAN_OK && tasks.n > 0) {
        tasks.result = calloc(tasks.n, sizeof *tasks.result);
        rc = tasks.result != NULL ? engine->run(engine, tasks.task, tasks.n, tasks.result) : PLAN_ENOMEM;
    }
    for (size_t first = 0, end; first < tasks.n && rc == PLAN_OK; first = end) {
        double together = 0;
        rc = plani_step_rate(&tasks, first, &end, &together);
        runs[n++] = together;
    }
    if (n > 0) {
        plani_interval_t i = plani_interval(runs, n);
        found->rate = i.median;
        if (n > 1) found->ends = (plani_ends_t){i.low, i.high};
        if (rc == PLAN_OK) rc = compare(w, &tasks, found);
    }
    plani_tasks_clear(&tasks);
    return rc;
}
