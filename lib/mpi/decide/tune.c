/* Autotuning: how the time is divided among message sizes, and which candidates are timed at each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lib/mpi/comm/report.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/decide/decide.h"
#include "planner/plan/plan_private.h"
#include "planner/select/timed_shortlist.h"

enum {
    DUEL_ROUNDS = 4, /* rounds of a pass in a duel */
    ROUNDS = 32      /* rounds of a pass in measure mode */
};
static const double likely = 1.5;                 /* candidates expected to take up to this times the best may win */
static const double brief_s = 5e-3;               /* shorter broadcasts are sampled in passes over all sizes */
static const size_t duel_most = (size_t)16 << 20; /* [B] largest message of a duel, for its memory and time */

typedef struct {
    plan_ranking_t *ranking;
    plani_arm_t *arm; /* [room] NULL: this size is not timed */
    int n, room, passes;
    double weight;  /* for dividing the time, see weigh */
    double share_s; /* [s] of a size with brief broadcasts: for all its passes */
    bool done;
} tuned_t;

typedef struct {
    plani_tuner_t base;
    const plani_tuning_t *how;
    const plan_options_t *options;
    plani_sampler_t *sampler;
    plani_decision_t *d;
    tuned_t *size; /* [d->n] */
    double end;    /* [s] sampler->now() */
} tune_t;

static double left_s(const tune_t *t)
{
    return t->end - t->sampler->now();
}

static plani_timed_t timed_so_far(const tune_t *t)
{
    return (plani_timed_t){t->d->n, t->d->ranking};
}

/* ---- arms ---- */

static bool runs(const tuned_t *z, const plan_candidate_t *c)
{
    for (int i = 0; i < z->n; i++)
        if (plani_same_broadcast(&z->arm[i].c, c)) return true;
    return false;
}

static void enter(tuned_t *z, const plan_candidate_t *c, size_t of, double expected_s)
{
    if (z->n == z->room || runs(z, c)) return;
    plani_arm_t *arm = &z->arm[z->n++];
    memset(arm, 0, offsetof(plani_arm_t, sample));
    arm->c = *c; /* borrows the trees */
    arm->of = of;
    arm->predicted_s = plani_is_planned(c) ? plani_weighed(c) : 0;
    arm->expected_s = isfinite(expected_s) ? expected_s : 0; /* 0: unknown */
    arm->median = arm->low = arm->high = NAN;
}

/* The leading arm; -1: no plan has run. */
static int winner_of(const tuned_t *z)
{
    return z->arm != NULL ? plani_winner(z->arm, z->n) : -1;
}

/* Enter the plan that won at the next smaller size, with its slice size and window there. */
static void enter_winner_before(const tune_t *t, tuned_t *z)
{
    const plani_timed_t timed = timed_so_far(t);
    const plan_candidate_t *won = NULL;
    for (const tuned_t *s = t->size; s < z; s++) {
        int best = winner_of(s);
        if (best >= 0 && plani_is_planned(&s->arm[best].c)) won = &s->arm[best].c;
    }
    for (size_t i = 0; won != NULL && i < z->ranking->ncandidates; i++) {
        const plan_candidate_t *c = &z->ranking->candidate[i];
        plan_candidate_t v;
        if (c->instance == won->instance && plani_variant(t->d->ctx, c, z->ranking->bytes, won->slice, won->window, &v))
            enter(z, &v, i, plani_expected(&timed, &v, z->ranking->bytes));
    }
}

/* Start a size with the first `most` of the shortlist. */
static int begin(tune_t *t, tuned_t *z, size_t most)
{
    const plani_timed_t timed = timed_so_far(t);
    const plan_ranking_t *ranking = z->ranking;
    size_t pick[PLANI_ARMS], n;

    if (most > PLANI_ARMS) most = PLANI_ARMS;
    z->room = (int)most + PLANI_VARIANTS * PLANI_PASSES + 1 < PLANI_ARMS ? (int)most + PLANI_VARIANTS * PLANI_PASSES + 1
                                                                         : PLANI_ARMS;
    z->n = 0;
    if ((z->arm = malloc((size_t)z->room * sizeof *z->arm)) == NULL)
        return plani_fail(t->sampler->err, PLAN_ENOMEM, "out of memory for timing candidates");
    n = plani_timed_shortlist(&timed, ranking, most, pick);
    for (size_t k = 0; k < n && t->how->candidates > 0; k++)
        enter(z, &ranking->candidate[pick[k]], pick[k],
              plani_expected(&timed, &ranking->candidate[pick[k]], ranking->bytes));
    for (size_t i = 0; i < ranking->ncandidates && t->how->candidates == 0; i++)
        if (ranking->candidate[i].run == PLAN_RUN_NATIVE)
            enter(z, &ranking->candidate[i], i, plani_expected(&timed, &ranking->candidate[i], ranking->bytes));
    if (most > 2 && t->how->candidates > 0) enter_winner_before(t, z);
    return 0;
}

/* Enter variants of the leading plan in slice size and window. */
static void let_variants_in(tune_t *t, tuned_t *z)
{
    plan_candidate_t v[PLANI_VARIANTS];
    int best = winner_of(z);
    if (best < 0 || z->arm[best].c.run == PLAN_RUN_NATIVE) return;
    const plani_arm_t *a = &z->arm[best];
    double ratio = a->median / a->c.predicted_s;
    int n = plani_variants(t->d->ctx, &a->c, z->ranking->bytes, v);
    for (int i = 0; i < n; i++)
        if (v[i].predicted_s * ratio < likely * a->median) enter(z, &v[i], a->of, v[i].predicted_s * ratio);
}

/* ---- one size ---- */

static void report(const tune_t *t, const tuned_t *z)
{
    for (int i = 0; i < z->n; i++) {
        const plani_arm_t *a = &z->arm[i];
        if (a->n > 0)
            plani_report(t->options, 1, "timing %s, pass %d: %s %s: %s (%s to %s) in %d runs",
                         plani_bytes((double)z->ranking->bytes).s, z->passes, a->c.name,
                         plani_sending(&a->c, z->ranking->bytes).s, plani_seconds(a->median).s, plani_seconds(a->low).s,
                         plani_seconds(a->high).s, a->n);
    }
}

/* Copy times to the ranking, to all equal candidates: heuristics often find the same tree. */
static void note(tuned_t *z)
{
    plan_ranking_t *ranking = z->ranking;
    for (int i = 0; i < z->n; i++)
        for (size_t k = 0; k < ranking->ncandidates && z->arm[i].n > 0; k++)
            if (plani_same_broadcast(&z->arm[i].c, &ranking->candidate[k]))
                ranking->candidate[k].measured_s = z->arm[i].median;
}

static bool somebody_runs(const tuned_t *z)
{
    for (int i = 0; i < z->n; i++)
        if (!z->arm[i].out && z->arm[i].n < PLANI_SAMPLES) return true;
    return false;
}

static int play_pass(tune_t *t, tuned_t *z, double budget_s)
{
    bool all = t->how->candidates >= PLANI_ARMS; /* no arm leaves */
    bool duel = t->how->mode == PLAN_DUEL;
    int rounds = PLANI_REPEATS(duel ? DUEL_ROUNDS : ROUNDS);

    if (!(budget_s > 0) || !somebody_runs(z)) { /* no time, or no arm to run */
        z->done = true;
        return 0;
    }
    int rc = t->sampler->sample(t->sampler, z->ranking->bytes, rounds, budget_s, z->arm, z->n);
    if (rc != 0) return rc;
    z->passes++;
    report(t, z);
    note(z);
    if (!all) plani_halve(z->arm, z->n);
    z->done = z->passes == PLANI_PASSES || (!all && plani_is_decided(z->arm, z->n));
    if (!z->done && !all && z->passes <= (duel ? 1 : 2)) let_variants_in(t, z);
    return 0;
}

/* ---- all sizes ---- */

/* [s] The least expected time of a plan at this size. */
static double least_of(const tune_t *t, const plan_ranking_t *ranking)
{
    const plani_timed_t timed = timed_so_far(t);
    double least = INFINITY;
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (plani_is_planned(&ranking->candidate[i]))
            least = fmin(least, plani_expected(&timed, &ranking->candidate[i], ranking->bytes));
    return least;
}

/* If a rank has no memory for the message, timing of this size ends, and the results so far count. \return rc, but 0
 * for PLAN_ENOMEM */
static int without_memory(tune_t *t, tuned_t *z, int rc)
{
    if (rc != PLAN_ENOMEM) return rc;
    plani_clear(t->sampler->err);
    z->done = true;
    return 0;
}

static bool is_under_way(const tuned_t *z)
{
    return z->arm != NULL && !z->done;
}

/* One pass over the first n sizes that have brief broadcasts and are not done. Each gets 1 / PLANI_PASSES of its share;
 * `last`: all other sizes are done, and each gets an equal part of the time left. */
static int play_brief(tune_t *t, size_t n, bool last)
{
    int rc = 0;
    size_t left = 0;
    for (size_t i = 0; i < n; i++) left += is_under_way(&t->size[i]);
    for (size_t i = 0; i < n && rc == 0; i++) {
        tuned_t *z = &t->size[i];
        if (!is_under_way(z)) continue;
        double budget_s = last ? left_s(t) / (double)left-- : fmin(left_s(t), z->share_s / PLANI_PASSES);
        rc = without_memory(t, z, play_pass(t, z, budget_s));
    }
    return rc;
}

/* [s] Time reserved for further passes of the brief sizes before the i-th. */
static double reserved_s(const tune_t *t, size_t i)
{
    double sum = 0;
    for (const tuned_t *z = t->size; z < t->size + i; z++)
        if (is_under_way(z)) sum += z->share_s * (PLANI_PASSES - z->passes) / PLANI_PASSES;
    return sum;
}

static bool is_timed(const tune_t *t, const plan_ranking_t *ranking)
{
    return t->how->mode != PLAN_DUEL || ranking->bytes <= duel_most;
}

/* The expected loss at a size falls with the number of its runs. The sum of the losses is least if the time is divided
 * in proportion to the square roots of the time per run (Neyman 1934, optimum allocation in stratified sampling). */
static void weigh(tune_t *t)
{
    static const double aside_s = 2e-3; /* estimated overhead of a run */
    for (size_t i = 0; i < t->d->n; i++) {
        double least_s = plani_least_predicted(t->d->ranking[i]);
        t->size[i].weight = sqrt(aside_s + (isfinite(least_s) ? least_s : 0));
    }
}

static double weight_from(const tune_t *t, size_t i, size_t n)
{
    double sum = 0;
    for (; i < n; i++) sum += t->size[i].weight;
    return sum;
}

/* [s] The time for the i-th size: of the time left and not reserved, in proportion to its weight among the sizes still
 * to come. Largest sizes whose part is too short for two runs of two arms are left out. */
static double share_of(const tune_t *t, size_t i)
{
    double all_s = left_s(t) - reserved_s(t, i);
    size_t n = t->d->n;
    while (n > i + 1) {
        double least_s = least_of(t, t->d->ranking[n - 1]);
        bool fits = !isfinite(least_s) || all_s * t->size[n - 1].weight / weight_from(t, i, n) >= 4 * least_s;
        if (fits && is_timed(t, t->d->ranking[n - 1])) break;
        n--;
    }
    return all_s * t->size[i].weight / weight_from(t, i, n);
}

/* A size of long broadcasts: all passes, one after the other. */
static int play_long(tune_t *t, tuned_t *z, double share_s, double once_s)
{
    double end = t->sampler->now() + share_s;
    int passes = (int)fmin(PLANI_PASSES, share_s / (2 * once_s)), rc;
    size_t arms = passes > 0 ? (size_t)fmin(PLANI_ARMS, share_s / passes / once_s) : 0;

    if (arms < 2) return 0;
    rc = begin(t, z, arms <= (size_t)t->how->candidates ? arms : (size_t)t->how->candidates + 1);
    for (int k = passes; k > 0 && rc == 0 && !z->done; k--) rc = play_pass(t, z, (end - t->sampler->now()) / k);
    if (rc == 0) z->done = true;
    return rc;
}

/* *enough: ranks have memory for messages of this size; if not, larger ones are not timed. */
static int play_size(tune_t *t, size_t i, bool *enough)
{
    tuned_t *z = &t->size[i];
    double once_s = least_of(t, z->ranking) + t->sampler->aside_s, share_s = share_of(t, i);
    int rc = 0;

    if (!*enough || !(share_s > 0) || !is_timed(t, z->ranking)) return 0;
    if (!isfinite(once_s) && t->how->candidates > 0) once_s = 0; /* MPI_Bcast alone */
    if (once_s < brief_s) {
        rc = begin(t, z, (size_t)t->how->candidates + 1);
        z->share_s = share_s;
        if (rc == 0) rc = play_pass(t, z, share_s / PLANI_PASSES);
    } else {
        rc = play_long(t, z, share_s, once_s);
    }
    *enough = rc != PLAN_ENOMEM;
    rc = without_memory(t, z, rc);
    return rc == 0 && once_s >= brief_s ? play_brief(t, i, false) : rc;
}

/* ---- the choice ---- */

/* Move candidate i of a ranking to the top. */
static void crown(plan_ranking_t *ranking, size_t i)
{
    plan_candidate_t first = ranking->candidate[i];
    plan_ranking_t others = {.ncandidates = ranking->ncandidates - 1, .candidate = ranking->candidate + 1};
    memmove(&ranking->candidate[1], &ranking->candidate[0], i * sizeof first);
    ranking->candidate[0] = first;
    plani_ranking_sort(&others);
}

/* Copy slice size, window and time of the winning variant to its candidate. */
static void take_winner(tuned_t *z, int best)
{
    const plani_arm_t *a = &z->arm[best];
    plan_candidate_t *c = &z->ranking->candidate[a->of];
    c->slice = a->c.slice;
    c->window = a->c.window;
    c->predicted_s = a->c.predicted_s;
    c->measured_s = a->median;
}

static void report_trials(const tune_t *t, const tuned_t *z, int best)
{
    for (int i = 0; i < z->n && t->options != NULL && t->options->trial != NULL; i++) {
        const plani_arm_t *a = &z->arm[i];
        const plan_trial_t trial = {.size = sizeof trial,
                                    .bytes = z->ranking->bytes,
                                    .name = a->c.name,
                                    .slice = a->c.slice,
                                    .window = a->c.window,
                                    .runs = (size_t)a->n,
                                    .sample_s = a->sample,
                                    .median_s = a->median,
                                    .low_s = a->low,
                                    .high_s = a->high,
                                    .chosen = i == best};
        if (a->n > 0) t->options->trial(t->options->report_context, &trial);
    }
}

/* Choose the candidate that is expected to be fastest, with the model's slice size and window. How MPI's own grows is
 * not known: it is chosen only if it was at the largest smaller size at which it was timed, and would be fastest even
 * in proportion to the bytes. */
static void take_expected(const tune_t *t, tuned_t *z)
{
    const plani_timed_t timed = timed_so_far(t);
    plan_ranking_t *ranking = z->ranking;
    double least = INFINITY, native_s = NAN;
    size_t best = 0, native = SIZE_MAX;
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        double s = plani_expected(&timed, c, ranking->bytes);
        if (c->run == PLAN_RUN_NATIVE)
            native = i, native_s = plani_native_by_bytes(&timed, ranking->bytes);
        else if (plani_is_planned(c) && s < least)
            least = s, best = i;
    }
    if (native != SIZE_MAX && native_s < least * (1 - PLANI_MARGIN)) best = native;
    crown(ranking, best);
}

/* Whether the fastest arm is much slower than another candidate is expected to be. */
static bool disappoints(const tune_t *t, const tuned_t *z, int best)
{
    return z->arm[best].n > 0 && z->arm[best].median > likely * least_of(t, z->ranking);
}

/* Choose at all sizes. The times of all winners are noted first, for expectations use them. arm.of is valid until the
 * ranking is sorted. */
static void settle(tune_t *t)
{
    for (size_t i = 0; i < t->d->n; i++) {
        tuned_t *z = &t->size[i];
        int best = winner_of(z);
        if (best < 0) continue;
        take_winner(z, best);
    }
    for (size_t i = 0; i < t->d->n; i++) {
        tuned_t *z = &t->size[i];
        int best = winner_of(z);
        if (best >= 0 && disappoints(t, z, best)) best = -1;
        if (z->arm != NULL) report_trials(t, z, best);
        if (best >= 0)
            crown(z->ranking, z->arm[best].of);
        else
            take_expected(t, z);
        if (z->arm != NULL)
            plani_report(t->options, 1, "timing %s, chosen: %s", plani_bytes((double)z->ranking->bytes).s,
                         z->ranking->candidate[0].name);
    }
}

static int tune(plani_tuner_t *base, plani_decision_t *d)
{
    tune_t *t = (tune_t *)base;
    bool enough = true; /* memory */
    double start = t->sampler->now();
    size_t timed = 0;
    int rc = 0;

    t->d = d;
    t->end = start + t->how->budget_s;
    if ((t->size = calloc(d->n, sizeof *t->size)) == NULL)
        return plani_fail(t->sampler->err, PLAN_ENOMEM, "out of memory for timing %zu sizes", d->n);
    for (size_t i = 0; i < d->n; i++) t->size[i].ranking = d->ranking[i];
    weigh(t);
    for (size_t i = 0; i < d->n && rc == 0; i++) rc = play_size(t, i, &enough);
    for (int k = 0; k < PLANI_PASSES && rc == 0; k++) rc = play_brief(t, d->n, true);
    if (rc == 0) settle(t);
    for (size_t i = 0; i < d->n; i++) timed += t->size[i].arm != NULL;
    if (rc == 0)
        plani_report(t->options, 0, "timed %zu sizes in %s", timed, plani_seconds(t->sampler->now() - start).s);
    for (size_t i = 0; i < d->n; i++) free(t->size[i].arm);
    free(t->size);
    return rc;
}

int plani_decide_by_trials(const plani_request_t *request, const plani_tuning_t *tuning, const plan_options_t *options,
                           plani_sampler_t *sampler, plani_decision_t *d, plan_error_t *err)
{
    tune_t t = {.base = {tune}, .how = tuning, .options = options, .sampler = sampler};
    plani_request_t r = *request;
    plan_choice_t choice = r.choice != NULL ? *r.choice : (plan_choice_t){.size = sizeof choice};
    bool timing = tuning->mode != PLAN_ESTIMATE && r.pf != NULL && plan_platform_data(r.pf)->ranks > 1;

    choice.include_native = choice.include_native || timing;
    r.choice = &choice;
    r.tuner = timing ? &t.base : NULL;
    sampler->pf = r.pf;
    return plani_decide(&r, d, err);
}
