#include "lib/mpi/race.h"
#include "lib/base/base.h"
#include "lib/base/rng.h"
#include "lib/mpi/agree.h"
#include "lib/mpi/bind.h"
#include "lib/mpi/execute.h"
#include "lib/mpi/time.h"
#include "planner/plan_private.h"
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 /* runners */, TAG = 77 };

/* A runner is dropped after `runs` if its fastest is more than `factor` times the best median: so far behind, noise
 * does not bring it back. Long broadcasts scatter little, and cost much. */
typedef struct {
    int runs;
    double factor;
} drop_t;
enum { DROPS = 4 };
static const drop_t drop_brief[DROPS] = {{2, 2}, {5, 1.5}, {12, 1.2}, {12, 1.2}},
                    drop_short[DROPS] = {{1, 3}, {2, 2}, {5, 1.5}, {12, 1.2}},
                    drop_long[DROPS] = {{1, 2}, {2, 1.4}, {3, 1.2}, {5, 1.1}};
static const double brief_s = 2e-3; /* below, a first run says nothing: connections, sleeping ranks */
static const double long_s = 2e-2;
static const double least_s =
    0.1; /* a race does not end before: a machine has moods that last longer than a broadcast */
static const unsigned long long restless = 1024; /* [B] smaller messages leave nothing behind */
static const double margin = 0.025;              /* what two medians may differ by without meaning it */
static const double tie = 0.01;                  /* of the best median: as good, the steadier one is taken */
static const double certain = 0.025;             /* nothing is lost by more than this, of the time: known well enough */
enum {
    FEW = 12,   /* runs, before intervals decide */
    FULL = 24,  /* runs of brief broadcasts in a round, so that its own cost matters less; fewer than MOST, */
    AGAIN = 6,  /* and of each runner */
    SETTLED = 6 /* runs at least until the race ends early */
};

typedef struct {
    MPI_Comm comm;
    int rank, root;
    unsigned long long bytes, gather;
    plan_t *plan; /* a range for each runner, bound */
    void *buffer;
    plan_error_t *err;
} track_t;

/* What rank 0 lets the others do in one round. */
typedef struct {
    int n; /* 0: the race is over */
    int who[MOST];
} round_t;

/* The first run sets connections up: it counts only where it is alone, or long enough not to be changed by that. */
static int first_that_counts(const plani_runner_t *r)
{
    return r->n > 1 && r->sample[0] < 10 * brief_s;
}

void plani_runner_sum_up(plani_runner_t *r)
{
    double x[PLANI_ROUNDS];
    int first = first_that_counts(r), n = r->n - first;

    r->median = r->low = r->high = NAN;
    if (n < 1) return;
    memcpy(x, r->sample + first, (size_t)n * sizeof *x);
    plani_interval_t i = plani_interval(x, n);
    r->median = i.median;
    r->low = i.low;
    r->high = i.high;
    r->quarter[0] = gsl_stats_quantile_from_sorted_data(x, 1, (size_t)n, 0.25);
    r->quarter[1] = gsl_stats_quantile_from_sorted_data(x, 1, (size_t)n, 0.75);
}

bool plani_runner_beats(const plani_runner_t *a, const plani_runner_t *b)
{
    if (!(a->median < b->median * (1 - margin))) return false;
    return a->high < b->median || a->median < b->low || a->median < 0.5 * b->median;
}

static double spread(const plani_runner_t *r)
{
    return r->quarter[1] - r->quarter[0];
}

plani_runner_t *plani_runners_pick(plani_runner_t *runner, int n)
{
    plani_runner_t *best = NULL, *pick = NULL;
    for (int i = 0; i < n; i++)
        if (plani_is_planned(runner[i].c) && runner[i].n > 0 && (best == NULL || runner[i].median < best->median))
            best = &runner[i];
    for (int i = 0; i < n && best != NULL; i++) {
        if (!plani_is_planned(runner[i].c) || !(runner[i].median <= best->median * (1 + tie))) continue;
        if (pick == NULL || spread(&runner[i]) < spread(pick)) pick = &runner[i];
    }
    return pick;
}

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
    if ((t->buffer = calloc((t->bytes > t->gather ? t->bytes : t->gather) + 1, 1)) == NULL && rc == 0)
        rc = plani_fail(t->err, PLAN_ENOMEM, "out of memory for a broadcast of %llu bytes", t->bytes);
    rc = plani_agree(t->comm, rc, t->err);
    if (rc == 0) rc = plani_bind(t->comm, offline, &t->plan, t->err);
    plan_destroy(&offline);
    free(range);
    return rc;
}

/* Everybody's `gather` bytes to the root, who takes them rank by rank; nobody is told to begin. */
static int gather(const track_t *t)
{
    int ranks = 0, rc = MPI_SUCCESS;
    if (t->rank != t->root) return MPI_Send(t->buffer, (int)t->gather, MPI_BYTE, t->root, TAG, t->comm);
    MPI_Comm_size(t->comm, &ranks);
    for (int r = 0; r < ranks && rc == MPI_SUCCESS; r++)
        if (r != t->root) rc = MPI_Recv(t->buffer, (int)t->gather, MPI_BYTE, r, TAG, t->comm, MPI_STATUS_IGNORE);
    return rc;
}

/* Every runner of the round once; slow[] at rank 0. A failure ends the round on all ranks alike, at its end. Asking the
 * time before each broadcast also lets the network come to rest: bytes that still wait on a slow card, or have used up
 * what it lets pass in a burst, would be charged to the next. */
static int run_round(track_t *t, const round_t *round, double *slow)
{
    plan_span_t mine[MOST] = {{0, 0}}, all[MOST];
    double offset = 0;
    int first = plan_clock_sync(t->comm, &offset);

    for (int i = 0; i < round->n; i++) {
        if (i > 0 && t->bytes >= restless && first == 0) first = plan_clock_sync(t->comm, &offset);
        int rc = MPI_Barrier(t->comm);
        double start = plan_clock();
        if (rc == MPI_SUCCESS) rc = plani_execute_range(t->plan, (size_t)round->who[i], t->buffer, (size_t)t->bytes);
        if (rc == MPI_SUCCESS && t->gather > 0) rc = gather(t);
        mine[i] = plan_span(t->rank == t->root, start, plan_clock(), offset);
        if (first == 0) first = rc;
    }
    int rc = MPI_Reduce(mine, all, 2 * round->n, MPI_DOUBLE, MPI_MAX, 0, t->comm);
    for (int i = 0; i < round->n && t->rank == 0; i++) slow[i] = plan_span_seconds(all[i]);
    return plani_agree(t->comm, first != 0 ? first : rc, t->err);
}

static int follow(track_t *t)
{
    round_t round;
    double unused[MOST];
    for (;;) {
        int rc = PMPI_Bcast(&round, (int)sizeof round, MPI_BYTE, 0, t->comm);
        if (rc != MPI_SUCCESS) return plani_mpi_fail(t->err, rc, "timing candidates");
        if (round.n == 0) return 0;
        if ((rc = run_round(t, &round, unused)) != 0) return rc;
    }
}

/* ---- the judge: rank 0 ---- */

static const plani_runner_t *best_of(const plani_runner_t *runner, int n)
{
    const plani_runner_t *best = NULL;
    for (int i = 0; i < n; i++)
        if (runner[i].n > 0 && (best == NULL || runner[i].median < best->median)) best = &runner[i];
    return best;
}

static double fastest_of(const plani_runner_t *r)
{
    double fastest = INFINITY;
    for (int k = 0; k < r->n; k++) fastest = fmin(fastest, r->sample[k]);
    return fastest;
}

void plani_runners_drop(plani_runner_t *runner, int n)
{
    const plani_runner_t *best = best_of(runner, n);
    for (int i = 0; i < n && best != NULL; i++) {
        plani_runner_t *r = &runner[i];
        double fastest = fastest_of(r);
        const drop_t *drop = fastest < brief_s ? drop_brief : best->median < long_s ? drop_short : drop_long;
        if (r == best) continue;
        if (r->stays && r->n >= 2 && fastest > 3 * best->median) r->out = true; /* nobody needs to know better */
        for (int d = 0; d < DROPS && !r->stays; d++)
            if (r->n >= drop[d].runs && fastest > drop[d].factor * best->median) r->out = true;
        if (!r->stays && r->n >= FEW && best->n >= FEW && r->low > best->high) r->out = true;
    }
}

/* Whoever were the fastest in truth, within the intervals, the best of the medians would be as good. */
bool plani_runners_known(const plani_runner_t *runner, int n)
{
    const plani_runner_t *best = best_of(runner, n);
    for (int i = 0; i < n; i++) {
        const plani_runner_t *r = &runner[i];
        if (r->out) continue;
        if (r->n < SETTLED || (r != best && best->high > r->low * (1 + certain))) return false;
    }
    return true;
}

static void record(plani_runner_t *runner, const round_t *round, const double *slow)
{
    for (int i = 0; i < round->n; i++) {
        plani_runner_t *r = &runner[round->who[i]];
        if (r->n < PLANI_ROUNDS) r->sample[r->n++] = slow[i];
        plani_runner_sum_up(r);
    }
}

/* What a run of r takes, going by the best so far and by what is predicted of both [s]. */
static double foreseen(const plani_runner_t *best, const plani_runner_t *r)
{
    if (best == NULL) return 0;
    if (r->n > 0) return r->median;
    double ratio = r->c->predicted_s / best->c->predicted_s;
    return best->median * (ratio > 1 ? ratio : 1);
}

/* The first that has not run yet and for which there is time; -1: there is none. */
static int newcomer(plani_runner_t *runner, int n, double left_s)
{
    const plani_runner_t *best = best_of(runner, n);
    for (int i = 0; i < n; i++) {
        if (runner[i].n > 0 || runner[i].out) continue;
        if (foreseen(best, &runner[i]) <= left_s || best == NULL) return i;
        runner[i].out = true;
    }
    return -1;
}

static void shuffle(plani_rng_t *rng, int *who, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)plani_rng_below(rng, (uint64_t)i + 1), swap = who[i];
        who[i] = who[j], who[j] = swap;
    }
}

/* The next round: at first one after the other, so that the time left can be seen; then all that are in, shuffled,
 * brief ones several times, as far as the time goes. */
static void draw(plani_runner_t *runner, int n, double spent_s, double left_s, plani_rng_t *rng, round_t *round)
{
    int in[MOST], count = 0, next = newcomer(runner, n, left_s);
    double each_s = 0;

    round->n = 0;
    if (next >= 0) {
        round->who[round->n++] = next;
        return;
    }
    plani_runners_drop(runner, n);
    const plani_runner_t *best = best_of(runner, n);
    if (left_s <= 0 || best == NULL || best->n >= PLANI_ROUNDS) return;
    if (spent_s > least_s && plani_runners_known(runner, n)) return;
    for (int i = 0; i < n; i++)
        if (!runner[i].out) in[count++] = i, each_s = fmax(each_s, runner[i].median);
    if (count == 0) return; /* the best one is in */
    int times = each_s >= brief_s || count > FULL ? 1 : FULL / count < AGAIN ? FULL / count : AGAIN;
    for (int t = 0; t < times; t++) {
        shuffle(rng, in, count);
        for (int i = 0; i < count && (left_s > 0 || round->n == 0); i++) {
            round->who[round->n++] = in[i];
            left_s -= runner[in[i]].median;
        }
    }
}

static int judge(track_t *t, double budget_s, plani_runner_t *runner, int n)
{
    double slow[MOST] = {0}, start = MPI_Wtime();
    plani_rng_t rng;
    round_t round;

    plani_rng_seed(&rng, t->bytes);
    for (;;) {
        double spent_s = MPI_Wtime() - start;
        draw(runner, n, spent_s, budget_s - spent_s, &rng, &round);
        int rc = PMPI_Bcast(&round, (int)sizeof round, MPI_BYTE, 0, t->comm);
        if (rc != MPI_SUCCESS) return plani_mpi_fail(t->err, rc, "timing candidates");
        if (round.n == 0) return 0;
        if ((rc = run_round(t, &round, slow)) != 0) return rc;
        record(runner, &round, slow);
    }
}

int plani_race(MPI_Comm comm, int root, size_t bytes, size_t gather_bytes, double budget_s, plani_runner_t *runner,
               int n, plan_error_t *err)
{
    track_t t = {.comm = comm, .root = root, .err = err};
    unsigned long long task[2] = {bytes, gather_bytes};
    int rc;

    MPI_Comm_rank(comm, &t.rank);
    if (n > MOST) n = MOST;
    for (int i = 0; t.rank == 0 && i < n; i++) runner[i].median = runner[i].low = runner[i].high = NAN;
    if ((rc = PMPI_Bcast(task, 2, MPI_UNSIGNED_LONG_LONG, 0, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "timing candidates");
    t.bytes = task[0], t.gather = task[1];
    if ((rc = prepare(&t, runner, n)) == 0) rc = t.rank == 0 ? judge(&t, budget_s, runner, n) : follow(&t);
    plani_detach(t.plan);
    plan_destroy(&t.plan);
    free(t.buffer);
    return rc;
}
