/* SPDX-License-Identifier: BSD-3-Clause */
/* Timed runs of candidates, in batches that rank 0 orders. */
#include "lib/mpi/autotune/sampler.h"
#include <math.h>
#include <stdlib.h>
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/execute/reduce.h"
#include "planner/plan/plan_private.h"

enum {
    GREETING = 16384, /* [B] most of an arm's untimed first broadcast, which sets up connections */
    RESTLESS = 1024,  /* [B] smaller messages leave no queues in the network */
    PAGE = 4096       /* [B] */
};
static const double rest_s = 1e-3;  /* pause before a broadcast: about the time of 10 kB at 100 Mbit/s */
static const double nap_s = 1e-3;   /* pause of all ranks before a batch, see run_batch */
static const double batch_s = 0.02; /* longest expected time of a batch's broadcasts, unless it is a single one */

/* The next pass, as rank 0 broadcasts it. */
typedef struct {
    int go; /* 0: no more passes */
    int rc; /* then: the final status */
    size_t bytes;
    double rest_s; /* pause before each broadcast */
    int arms;
} order_t;

/* Untimed broadcasts. */
typedef struct {
    int n;
    size_t bytes;
} warm_t;

/* The arms that broadcast, in this order. */
typedef struct {
    int n; /* 0: the pass is over */
    int who[PLANI_ARMS];
    warm_t before[PLANI_ARMS];
} batch_t;

typedef struct {
    plani_sampler_t *s;
    order_t order;
    plan_t *plan; /* bound; range i is arm i */
    char *buffer;
    size_t sum; /* where the root of a reduction receives, in the buffer [B] */
} pass_t;

/* ---- all ranks ---- */

static int prepare(pass_t *p, const plani_arm_t *arm)
{
    plani_sampler_t *s = p->s;
    size_t n = (size_t)p->order.arms;
    plan_range_t *range = NULL;
    plan_t *offline = NULL;
    int rc = 0, ranks = 0;

    MPI_Comm_size(s->comm, &ranks);
    if (s->rank == 0 && (range = calloc(n, sizeof *range)) == NULL)
        rc = plani_fail(s->err, PLAN_ENOMEM, "out of memory for timing %zu candidates", n);
    for (size_t i = 0; range != NULL && i < n; i++) range[i] = (plan_range_t){.up_to = i + 1, .chosen = &arm[i].c};
    if (range != NULL && (rc = plan_from_ranges(ranks, s->root, n, range, NULL, &offline)) != PLAN_OK)
        plani_fail(s->err, rc, "the candidates are not executable: %s", plan_status_string((plan_status_t)rc));
    if (offline != NULL && s->reduces) plani_plan_let_reduce(offline);
    p->sum = s->reduces && s->rank == s->root ? (p->order.bytes / PAGE + 1) * PAGE : 0;
    if ((p->buffer = plani_pool_create(p->sum + p->order.bytes + 1)) == NULL && rc == 0)
        rc = plani_fail(s->err, PLAN_ENOMEM, "out of memory for a broadcast of %zu bytes", p->order.bytes);
    rc = plani_agree(s->comm, rc, s->err);
    if (rc == 0) rc = plani_bind(s->comm, offline, &p->plan, s->err);
    plan_destroy(&offline);
    free(range);
    return rc;
}

static void dismiss(pass_t *p)
{
    plani_detach(p->plan);
    plan_destroy(&p->plan);
    plani_pool_destroy(p->buffer);
}

/* A broadcast or a reduction by arm `who`. */
static int execute(pass_t *p, int who, size_t bytes)
{
    return p->s->reduces ? plani_reduce_range(p->plan, (size_t)who, p->buffer, p->buffer + p->sum, bytes)
                         : plani_execute_range(p->plan, (size_t)who, p->buffer, bytes);
}

/* One broadcast, which all ranks begin at the same time. */
static int run_once(pass_t *p, int who, double offset, plan_span_t *span)
{
    int rc = plan_line_up(p->s->comm, offset);
    double start = plan_clock();
    if (rc == MPI_SUCCESS) rc = execute(p, who, p->order.bytes);
    *span = plan_span(p->s->rank == p->s->root, start, plan_clock(), offset);
    return rc;
}

/* slow[] at rank 0: [s] of each broadcast. A failure takes effect at the end of the batch, on all ranks. If there is no
 * pause before broadcasts, the clock is synchronised before each, which lets the network drain. Ranks that share
 * processors keep their places for seconds, which favours some trees; after a nap the scheduler places them again. */
static int run_batch(pass_t *p, const batch_t *batch, double *slow)
{
    plan_span_t mine[PLANI_ARMS] = {{0, 0}}, all[PLANI_ARMS];
    double offset = 0;
    int first = 0;

    if (!PLANI_NO_NOISE && !(p->order.rest_s > 0)) plani_sleep(nap_s);
    for (int i = 0; i < batch->n; i++) {
        int rc = MPI_SUCCESS;
        for (int k = 0; k < batch->before[i].n; k++) {
            rc = execute(p, batch->who[i], batch->before[i].bytes);
            if (first == 0) first = rc; /* go on, for other ranks do */
        }
        if (!PLANI_NO_NOISE) plani_sleep(p->order.rest_s);
        bool ask = i == 0 || (p->order.bytes >= RESTLESS && !(p->order.rest_s > 0));
        if (ask) rc = plan_clock_sync(p->s->comm, &offset);
        if (first == 0) first = rc;
        rc = run_once(p, batch->who[i], offset, &mine[i]);
        if (first == 0) first = rc;
    }
    int reduced = MPI_Reduce(mine, all, 2 * batch->n, MPI_DOUBLE, MPI_MAX, 0, p->s->comm);
    for (int i = 0; i < batch->n && p->s->rank == 0; i++) slow[i] = plan_span_seconds(all[i]);
    return plani_agree(p->s->comm, first != 0 ? first : reduced, p->s->err);
}

static int follow_pass(pass_t *p)
{
    batch_t batch;
    double unused[PLANI_ARMS];
    int rc = prepare(p, NULL);
    while (rc == 0) {
        rc = PMPI_Bcast(&batch, (int)sizeof batch, MPI_BYTE, 0, p->s->comm);
        if (rc != MPI_SUCCESS) return plani_mpi_fail(p->s->err, rc, "timing candidates");
        if (batch.n == 0) break;
        rc = run_batch(p, &batch, unused);
    }
    return rc;
}

/* ---- rank 0 ---- */

typedef struct {
    pass_t pass;
    plani_arm_t *arm;
    double start, budget_s, running_s;
    int runs;
    batch_t batch;
    double batch_s; /* the expected time of its broadcasts */
} lead_t;

/* Run the batch, if it has any broadcast; `over`: also tell the others that the pass is over. */
static int flush(lead_t *l, bool over)
{
    double slow[PLANI_ARMS] = {0};
    if (l->batch.n == 0 && !over) return 0;
    int rc = PMPI_Bcast(&l->batch, (int)sizeof l->batch, MPI_BYTE, 0, l->pass.s->comm);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(l->pass.s->err, rc, "timing candidates");
    if (l->batch.n > 0) rc = run_batch(&l->pass, &l->batch, slow);
    for (int i = 0; i < l->batch.n && rc == 0; i++) {
        plani_arm_add(&l->arm[l->batch.who[i]], slow[i]);
        l->running_s += slow[i];
    }
    l->runs += l->batch.n;
    if (l->runs > 0) l->pass.s->aside_s = (MPI_Wtime() - l->start - l->running_s) / l->runs;
    l->batch.n = 0;
    l->batch_s = 0;
    return rc;
}

static bool is_in(const batch_t *batch, int who)
{
    for (int i = 0; i < batch->n; i++)
        if (batch->who[i] == who) return true;
    return false;
}

/* Before an arm's first timed broadcast, a short one sets up connections. Through shared memory so many try the ways to
 * copy, if the time left allows it: else the times of all ways would be taken for its own. */
static warm_t warm_up(const lead_t *l, int who, double left_s)
{
    const plani_arm_t *arm = &l->arm[who];
    const size_t bytes = l->pass.order.bytes;

    if (PLANI_NO_NOISE || arm->n > 0 || is_in(&l->batch, who)) return (warm_t){0, 0};
    int trials = arm->c.run == PLAN_RUN_SHARED && !l->pass.s->reduces ? plani_shared_trials(l->pass.plan, bytes) : 0;
    if (trials > 0 && trials * plani_arm_expected(arm) < left_s) return (warm_t){trials, bytes};
    return (warm_t){1, bytes < GREETING ? bytes : GREETING};
}

/* One round; *more: there was time for some arm. */
static int lead_round(lead_t *l, plani_rng_t *rng, bool *more)
{
    int who[PLANI_ARMS], n = plani_draw_round(rng, l->arm, l->pass.order.arms, who), rc = 0;
    *more = false;
    for (int i = 0; i < n && rc == 0; i++) {
        double bcast_s = plani_arm_expected(&l->arm[who[i]]), aside_s = l->pass.s->aside_s;
        if (l->batch.n > 0 && (l->batch_s + bcast_s > batch_s || l->batch.n == PLANI_ARMS)) rc = flush(l, false);
        double left_s = l->budget_s - (MPI_Wtime() - l->start) - l->batch_s - (l->batch.n + 1) * aside_s - bcast_s;
        if (left_s < 0) continue; /* a faster one may still fit */
        *more = true;
        l->batch.before[l->batch.n] = warm_up(l, who[i], left_s);
        l->batch.who[l->batch.n++] = who[i];
        l->batch_s += bcast_s;
    }
    return rc;
}

/* Whether messages of this size leave queues in the network between hosts. */
static bool needs_rest(const plani_sampler_t *s, size_t bytes)
{
    const plan_platform_data_t *d = plan_platform_data(s->pf);
    for (int r = 1; r < d->ranks && bytes >= RESTLESS; r++)
        if (d->host == NULL || d->host[r] != d->host[0]) return true;
    return false;
}

int plani_sample(plani_sampler_t *s, size_t bytes, int rounds, double budget_s, plani_arm_t *arm, int n)
{
    lead_t l = {.pass = {.s = s, .order = {.go = 1, .bytes = bytes, .arms = n}}, .arm = arm, .budget_s = budget_s};
    plani_rng_t rng;
    bool more = true;

    l.pass.order.rest_s = needs_rest(s, bytes) ? rest_s : 0;
    int rc = plani_hear(s->comm, &l.pass.order, sizeof l.pass.order, s->err);
    if (rc == 0) rc = prepare(&l.pass, arm);
    if (rc == 0) {
        l.start = MPI_Wtime();
        plani_rng_seed(&rng, ++s->passes);
        for (int k = 0; k < rounds && more && rc == 0; k++) rc = lead_round(&l, &rng, &more);
        if (rc == 0) rc = flush(&l, false);
        if (rc == 0) rc = flush(&l, true);
    }
    dismiss(&l.pass);
    return rc;
}

int plani_sampler_close(const plani_sampler_t *s, int rc)
{
    order_t end = {.rc = rc};
    int told = plani_hear(s->comm, &end, sizeof end, s->err);
    return rc != 0 ? rc : told;
}

/* A pass that fails does so on all ranks; rank 0 then ends with its status. */
int plani_sampler_follow(plani_sampler_t *s)
{
    for (;;) {
        pass_t p = {.s = s};
        int rc = plani_hear(s->comm, &p.order, sizeof p.order, s->err);
        if (rc != 0) return rc;
        if (!p.order.go) return p.order.rc;
        follow_pass(&p);
        dismiss(&p);
    }
}
