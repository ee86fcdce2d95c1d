/* The end of planning by default: at each size the few who are expected to be fastest and MPI_Bcast, some runs each. */
#include "lib/base/base.h"
#include "lib/mpi/autotune/contest.h"
#include "lib/mpi/comm/wait.h"
#include "planner/select/choose.h"
#include "planner/algorithms/registry.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <stdlib.h>

enum {
    PLANS = 3,       /* expected to be fastest, at least, besides the best of other shapes, begin; */
    SMALL_PLANS = 8, /* of small messages, of which the model knows least, and whose runs cost least, */
    SMALL = 16384,   /* [B] which these are */
    ARMS = 12,       /* run at one size, MPI_Bcast among them */
    RUNS = 7,        /* of each in a race, the first to make connections; one in simulated time, the same each time */
    LEAST = 3,       /* of these: of whoever ran less often it tells nothing */
    RACES = 3        /* of a size, with who is expected to be fast by the race before */
};
static const double noise = 0.025; /* part of the time by which medians differ without meaning it */

typedef struct {
    plani_arena_t *arena;
    plan_ranking_t *ranking; /* of this size */
    plani_runner_t *runner;  /* [ARMS] */
    size_t of[ARMS];         /* whose form in the ranking each runs */
    int n, most;
    plan_candidate_t heir, whole; /* forms that the ranking lacks: of who won at the size before, and of the best */
    /* The last size that was timed, with what is to be thought there of who was not; no candidates: nothing was
     * timed. */
    plan_ranking_t known;
    plan_candidate_t told[PLANI_REGISTRY_ROOM];
} duel_t;

static const plan_ranking_t *before(const duel_t *d)
{
    return d->known.ncandidates > 0 ? &d->known : NULL;
}

static const plan_candidate_t *native_on(const plan_ranking_t *ranking)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (ranking->candidate[i].run == PLAN_RUN_NATIVE) return &ranking->candidate[i];
    return NULL;
}

/* ---- one size ---- */

static void enter(duel_t *d, const plan_candidate_t *c, size_t of)
{
    if (of == d->ranking->ncandidates || d->n == d->most) return;
    for (int i = 0; i < d->n; i++)
        if (plani_same_broadcast(d->runner[i].c, c)) return;
    d->of[d->n] = of;
    d->runner[d->n++] = (plani_runner_t){.c = c, .stays = c->run == PLAN_RUN_NATIVE, .median = NAN};
}

/* Who is expected to be fastest, MPI_Bcast, who won at the size before, and others. */
static void begin(duel_t *d)
{
    const plani_finals_t how = {.least = d->ranking->bytes <= SMALL ? SMALL_PLANS : PLANS, .before = before(d)};
    const plan_candidate_t *c = d->ranking->candidate, *native = native_on(d->ranking);
    size_t pick[PLANI_FINALISTS], n = plani_finalists(d->ranking, &how, pick);

    d->n = 0;
    d->whole.run = PLAN_RUN_NOT; /* not tried yet */
    if (n > 0) enter(d, &c[pick[0]], pick[0]);
    if (native != NULL && !plani_is_hopeless(before(d), d->ranking, native->name))
        enter(d, native, (size_t)(native - c));
    enter(d, &d->heir, plani_contest_heir(d->arena, before(d), d->ranking, &d->heir));
    for (size_t i = 1; i < n; i++) enter(d, &c[pick[i]], pick[i]);
}

/* What was timed corrects what is expected of the others: who is expected to be faster than all, then, runs, too,
 * against the best and MPI_Bcast; and the best of small messages sent whole. \return how many those are */
static int enter_others(duel_t *d, const plani_runner_t *best)
{
    const plan_choice_t *choice = &d->arena->options->choice;
    size_t of = d->of[best - d->runner];
    int n = d->n;

    for (int i = 0; i < n; i++) d->runner[i].out = &d->runner[i] != best && !d->runner[i].stays;
    for (size_t i = 0; i < d->ranking->ncandidates; i++) {
        const plan_candidate_t *c = &d->ranking->candidate[i];
        if (!plani_is_planned(c) || isfinite(c->measured_s)) continue;
        if (fmax(plani_expected(d->ranking, c), plani_expected(before(d), c)) < best->median) enter(d, c, i);
    }
    if (d->ranking->bytes <= SMALL && d->whole.run == PLAN_RUN_NOT && best->c->slice != 0 &&
        plani_variant(d->arena->pf, choice, best->c, d->ranking->bytes, 0, best->c->window, &d->whole))
        enter(d, &d->whole, of);
    return d->n - n;
}

static bool is_known(const plani_runner_t *r)
{
    return r->n >= (PLANI_SIMULATED ? 1 : LEAST);
}

/* Times go to the ranking. */
static void note(duel_t *d)
{
    for (int i = 0; i < d->n; i++)
        if (is_known(&d->runner[i])) plani_contest_enter(d->ranking, d->runner[i].c, d->runner[i].median);
}

/* Faster beyond what noise explains? */
static bool displaces(const plani_runner_t *r, const plani_runner_t *first)
{
    if (!is_known(r) || !(r->median < first->median * (1 - noise))) return false;
    return r->high < first->median || r->median < first->low;
}

/* Who was expected to be fastest comes first, or whoever displaces it. */
static void settle(duel_t *d)
{
    int first = 0;
    bool better = true;

    while (better) {
        better = false;
        for (int i = 0; i < d->n; i++)
            if (displaces(&d->runner[i], &d->runner[first])) first = i, better = true;
    }
    plan_candidate_t *won = &d->ranking->candidate[d->of[first]];
    if (d->runner[first].c != won) plani_contest_adopt(won, d->runner[first].c);
    if (is_known(&d->runner[first])) won->measured_s = d->runner[first].median;
    plani_contest_crown(d->ranking, d->of[first]);
}

/* MPI_Bcast takes no more than in proportion to the bytes; NAN: it was never timed. */
static double expect_native(const duel_t *d)
{
    const plan_candidate_t *then = native_on(&d->known);
    return then != NULL ? then->measured_s * (double)d->ranking->bytes / (double)d->known.bytes : NAN;
}

/* What is to be thought of a plan that was not timed at this size: what those like it tell that were, or what it told
 * itself at smaller ones, if that is worse. That counts the less, the smaller they are: with a few bytes nothing is
 * seen of rates. */
static double judge_untimed(const duel_t *d, const plan_candidate_t *c)
{
    double now = plani_corrected(d->ranking, c), then = plani_corrected(before(d), c);
    if (isnan(now)) now = plani_expected(d->ranking, c); /* none is like it */
    if (isnan(then)) return now;
    double fades = sqrt((double)d->known.bytes / (double)d->ranking->bytes);
    return fmax(now, c->predicted_s * pow(then / c->predicted_s, fades));
}

/* What this size tells, and those before. */
static void learn(duel_t *d)
{
    plan_candidate_t told[PLANI_REGISTRY_ROOM];
    const plan_ranking_t *ranking = d->ranking;

    for (size_t i = 0; i < ranking->ncandidates; i++) {
        plan_candidate_t *c = &told[i];
        *c = ranking->candidate[i]; /* borrows the trees */
        if (isfinite(c->measured_s)) continue;
        if (plani_is_planned(c)) c->measured_s = judge_untimed(d, c);
        if (c->run == PLAN_RUN_NATIVE) c->measured_s = expect_native(d);
    }
    for (size_t i = 0; i < ranking->ncandidates; i++) d->told[i] = told[i];
    d->known = *ranking;
    d->known.candidate = d->told;
}

static int play(duel_t *d, double budget_s)
{
    plani_heat_t heat = {.bytes = d->ranking->bytes, .runs = PLANI_SIMULATED ? 1 : RUNS};
    double end = MPI_Wtime() + budget_s;
    bool more = true;
    int rc = 0;

    begin(d);
    for (int n = 0; n < RACES && more; n++) {
        heat.budget_s = end - MPI_Wtime();
        if (d->n == 0 || (rc = plani_arena_race(d->arena, "duel", &heat, d->runner, d->n)) != 0) return rc;
        note(d);
        const plani_runner_t *best = plani_runners_pick(d->runner, d->n);
        more = best != NULL && 2 * LEAST * best->median < end - MPI_Wtime() && enter_others(d, best) > 0;
    }
    settle(d);
    learn(d);
    return rc;
}

/* ---- all sizes ---- */

/* The planned candidate that is expected to be fastest, and its time; NULL: there is none. */
static const plan_candidate_t *expect_plan(const duel_t *d, double *least_s)
{
    const plan_candidate_t *best = NULL;
    *least_s = INFINITY;
    for (size_t i = 0; i < d->ranking->ncandidates; i++) {
        const plan_candidate_t *c = &d->ranking->candidate[i];
        if (!plani_is_planned(c)) continue;
        double s = plani_corrected(before(d), c);
        if (isnan(s)) s = plani_expected(before(d), c);
        if (s < *least_s) *least_s = s, best = c;
    }
    return best;
}

/* How many broadcasts that take so long can run often enough in the time? */
static int afforded(const duel_t *d, double once_s, double share_s)
{
    int runs = PLANI_SIMULATED ? 1 : once_s < PLANI_NOISY_S ? RUNS : LEAST;
    return isfinite(once_s) ? (int)fmin(ARMS, share_s / (runs * (once_s + d->arena->aside_s))) : ARMS;
}

/* Not timed: what smaller sizes tell. */
static void expect(duel_t *d)
{
    const plan_candidate_t *native = native_on(d->ranking);
    double least_s;
    const plan_candidate_t *best = expect_plan(d, &least_s);

    if (native != NULL && (best == NULL || expect_native(d) < least_s * (1 - noise))) best = native;
    if (best != NULL) plani_contest_crown(d->ranking, (size_t)(best - d->ranking->candidate));
}

int plani_duel(plani_arena_t *a, plani_match_t *m)
{
    duel_t d = {.arena = a, .runner = calloc(ARMS, sizeof *d.runner)};
    double start = MPI_Wtime();
    bool enough = true; /* memory */
    size_t timed = 0;
    int rc = 0;

    if (d.runner == NULL) return plani_fail(a->err, PLAN_ENOMEM, "out of memory for timing candidates");
    for (size_t i = 0; i < m->n && rc == 0; i++) {
        double once_s, share_s = plani_match_share(m, i, m->duel_s - (MPI_Wtime() - start));
        d.ranking = m->ranking[i];
        expect_plan(&d, &once_s);
        d.most = afforded(&d, once_s, share_s);
        bool fits = enough && d.ranking->bytes <= PLANI_DUEL_MOST && d.most >= 2;
        if (fits) rc = play(&d, share_s);
        enough = rc != PLAN_ENOMEM;
        if (!enough) rc = 0;
        if (!fits || !enough) expect(&d);
        timed += fits && enough;
    }
    plani_report(a->options, 0, "timed %zu sizes in %s", timed, plani_seconds(MPI_Wtime() - start).s);
    free(d.runner);
    return rc;
}
