#include "lib/mpi/autotune/race.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/comm/wait.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <stdlib.h>

static const double nap_s = 1e-3; /* of everybody before a round, see run_round */
enum { GREETING = 16384 /* [B] */ };

typedef struct {
    MPI_Comm comm;
    int rank, root;
    size_t bytes;
    double rest_s;
    plan_t *plan;          /* a range for each runner, bound */
    bool met[PLANI_FIELD]; /* the runner has run: connections stand */
    void *buffer;
    plan_error_t *err;
} track_t;

/* ---- the track: all ranks ---- */

static int prepare(track_t *t, const plani_runner_t *runner, int n)
{
    plan_range_t *range = NULL;
    plan_t *offline = NULL;
    int rc = 0, ranks = 0;

    MPI_Comm_size(t->comm, &ranks);
    if (t->rank == 0 && (range = calloc((size_t)n, sizeof *range)) == NULL)
        rc = plani_fail(t->err, PLAN_ENOMEM, "out of memory for timing %d candidates", n);
    for (int i = 0; range != NULL && i < n; i++)
        range[i] = (plan_range_t){.up_to = (size_t)i + 1, .chosen = runner[i].c};
    if (range != NULL && (rc = plan_from_ranges(ranks, t->root, (size_t)n, range, NULL, &offline)) != PLAN_OK)
        plani_fail(t->err, rc, "the candidates cannot be run: %s", plan_status_string((plan_status_t)rc));
    if ((t->buffer = plani_pool_create(t->bytes + 1)) == NULL && rc == 0)
        rc = plani_fail(t->err, PLAN_ENOMEM, "out of memory for a broadcast of %zu bytes", t->bytes);
    rc = plani_agree(t->comm, rc, t->err);
    if (rc == 0) rc = plani_bind(t->comm, offline, &t->plan, t->err);
    plan_destroy(&offline);
    free(range);
    return rc;
}

/* Before its first long broadcast, which may remain the only one, a runner makes its connections with a short one. */
static int meet(track_t *t, int who)
{
    bool met = t->met[who];
    t->met[who] = true;
    if (met || t->bytes <= GREETING || PLANI_SIMULATED) return MPI_SUCCESS;
    return plani_execute_range(t->plan, (size_t)who, t->buffer, GREETING);
}

/* One broadcast by runner `who`, which all begin at once. */
static int run_once(track_t *t, int who, double offset, plan_span_t *span)
{
    int rc = plan_line_up(t->comm, offset);
    double start = plan_clock();
    if (rc == MPI_SUCCESS) rc = plani_execute_range(t->plan, (size_t)who, t->buffer, t->bytes);
    *span = plan_span(t->rank == t->root, start, plan_clock(), offset);
    return rc;
}

/* Every runner of the round once; slow[] at rank 0. A failure ends the round on all ranks alike, at its end. Where the
 * network is given no time to come to rest, asking the time before each broadcast lets it. Ranks that share processors
 * stay where they are for seconds, and one tree or another looks faster for it: after a nap they are dealt again. */
static int run_round(track_t *t, const plani_round_t *round, double *slow)
{
    plan_span_t mine[PLANI_FIELD] = {{0, 0}}, all[PLANI_FIELD];
    double offset = 0;
    int first = 0;

    if (!PLANI_SIMULATED && !(t->rest_s > 0)) plani_sleep(nap_s);
    for (int i = 0; i < round->n; i++) {
        int rc = meet(t, round->who[i]);
        if (first == 0) first = rc;
        if (!PLANI_SIMULATED) plani_sleep(t->rest_s);
        bool ask = i == 0 || (t->bytes >= PLANI_RESTLESS && !(t->rest_s > 0));
        if (first == 0 && ask) first = plan_clock_sync(t->comm, &offset);
        rc = run_once(t, round->who[i], offset, &mine[i]);
        if (first == 0) first = rc;
    }
    int reduced = MPI_Reduce(mine, all, 2 * round->n, MPI_DOUBLE, MPI_MAX, 0, t->comm);
    for (int i = 0; i < round->n && t->rank == 0; i++) slow[i] = plan_span_seconds(all[i]);
    return plani_agree(t->comm, first != 0 ? first : reduced, t->err);
}

static int follow(track_t *t)
{
    plani_round_t round;
    double unused[PLANI_FIELD];
    for (;;) {
        int rc = PMPI_Bcast(&round, (int)sizeof round, MPI_BYTE, 0, t->comm);
        if (rc != MPI_SUCCESS) return plani_mpi_fail(t->err, rc, "timing candidates");
        if (round.n == 0) return 0;
        if ((rc = run_round(t, &round, unused)) != 0) return rc;
    }
}

/* ---- the judge: rank 0 ---- */

static int judge(track_t *t, plani_heat_t *heat, plani_runner_t *runner, int n)
{
    double slow[PLANI_FIELD] = {0}, start = MPI_Wtime();
    plani_judge_t judge = {.heat = heat};
    plani_round_t round;

    plani_rng_seed(&judge.rng, t->bytes);
    for (;;) {
        judge.spent_s = MPI_Wtime() - start;
        plani_judge_draw(&judge, runner, n, &round);
        int rc = PMPI_Bcast(&round, (int)sizeof round, MPI_BYTE, 0, t->comm);
        if (rc != MPI_SUCCESS) return plani_mpi_fail(t->err, rc, "timing candidates");
        if (round.n == 0) break;
        if ((rc = run_round(t, &round, slow)) != 0) return rc;
        plani_judge_note(&judge, runner, &round, slow);
    }
    if (judge.runs > 0) heat->aside_s = plani_judge_aside(&judge);
    return 0;
}

int plani_race(MPI_Comm comm, int root, plani_heat_t *heat, plani_runner_t *runner, int n, plan_error_t *err)
{
    track_t t = {.comm = comm, .root = root, .err = err};
    plani_heat_t task = {.bytes = 0};
    int rc;

    MPI_Comm_rank(comm, &t.rank);
    if (n > PLANI_FIELD) n = PLANI_FIELD;
    if (t.rank == 0) task = *heat;
    if ((rc = PMPI_Bcast(&task, (int)sizeof task, MPI_BYTE, 0, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "timing candidates");
    t.bytes = task.bytes, t.rest_s = task.rest_s;
    for (int i = 0; t.rank == 0 && i < n; i++) plani_runner_sum_up(&runner[i]);
    if ((rc = prepare(&t, runner, n)) == 0) rc = t.rank == 0 ? judge(&t, heat, runner, n) : follow(&t);
    plani_detach(t.plan);
    plan_destroy(&t.plan);
    plani_pool_destroy(t.buffer);
    return rc;
}
