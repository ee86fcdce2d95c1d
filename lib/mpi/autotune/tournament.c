#include "lib/mpi/autotune/contest.h"
#include "lib/mpi/autotune/time.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "planner/select/choose.h"
#include "planner/algorithms/context.h"
#include "planner/plan/plan_private.h"
#include "planner/select/ranking.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAPS = 4, LAST_LAPS = 2 };   /* encores of each brief size at least; of these after the largest size */
static const double trifle = 0.01;  /* of the budget: broadcasts that take less are run, whatever is left */
static const double dearer = 0.125; /* power of a broadcast's time by which sizes share the budget; */
static const double beginning = 2;  /* the first gets more: nobody is known, and connections are made */
static const double kept = 0.4;     /* of a brief size's share, for encores */
static const double worth = 4;      /* broadcasts there must be time for, or a race tells nothing */

typedef struct {
    plani_arena_t arena;
    plani_match_t *match;
    plani_encore_t *encore; /* [match->n] */
    double kept_s;          /* for encores [s] */
    int laps;               /* of encores so far */
} tournament_t;

void plani_report(const plan_options_t *options, int level, const char *format, ...)
{
    char line[512];
    va_list args;
    if (options->report == NULL) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    options->report(options->report_context, level, line);
}

double plani_match_time(const plani_match_t *m, size_t candidates)
{
    double finalists = m->finalists < 0 ? 0 : m->finalists;
    return m->time_s * (fmin(finalists, (double)candidates) + 1 + PLANI_VARIANTS);
}

/* ---- all sizes ---- */

/* The model's best [s]; INFINITY: there is none. */
static double least_of(const plan_ranking_t *ranking)
{
    double least = INFINITY;
    for (size_t c = 0; c < ranking->ncandidates; c++)
        if (plani_is_planned(&ranking->candidate[c])) least = fmin(least, ranking->candidate[c].predicted_s);
    return least;
}

static double weight_of(const plani_match_t *m, size_t i)
{
    double least = least_of(m->ranking[i]);
    return (least > 0 && isfinite(least) ? pow(least, dearer) : 1) * (i == 0 ? beginning : 1);
}

/* The largest, whose share would not do for a race, leave theirs to the others. */
double plani_match_share(const plani_match_t *m, size_t i, double left_s)
{
    double sum = 0;
    size_t n = m->n;
    for (size_t k = i; k < n; k++) sum += weight_of(m, k);
    for (; n > i + 1; n--) {
        double least = least_of(m->ranking[n - 1]), last = weight_of(m, n - 1);
        if (!isfinite(least) || left_s * last / sum >= worth * least) break;
        sum -= last;
    }
    return fmax(0, left_s) * weight_of(m, i) / sum;
}

/* The brief size that has been played and was looked at again least often, of those not `done` yet; -1: none. */
static int next_encore(const tournament_t *t, const bool *done)
{
    int next = -1;
    for (int i = 0; i < (int)t->match->n; i++)
        if (t->encore[i].ranking != NULL && !done[i] && (next < 0 || t->encore[i].laps < t->encore[next].laps))
            next = i;
    return next;
}

/* Encores of the sizes that have been played and are brief, with the n-th part of the time that is kept for them. Few
 * runs tell nothing: sizes for which the time does not do have their turn in the next lap. */
static int run_lap(tournament_t *t, int n)
{
    bool done[PLANI_MATCH_SIZES] = {false};
    double start = MPI_Wtime(), most_s = t->kept_s / n;
    int rc = 0, sizes = 0, i;

    for (size_t k = 0; k < t->match->n; k++) sizes += t->encore[k].ranking != NULL;
    for (; rc == 0 && (i = next_encore(t, done)) >= 0; sizes--) {
        double left_s = most_s - (MPI_Wtime() - start), least_s = plani_encore_time(&t->arena, &t->encore[i]);
        done[i] = true;
        if (left_s >= least_s) rc = plani_encore_run(&t->arena, &t->encore[i], fmax(least_s, left_s / sizes));
    }
    t->kept_s = fmax(0, t->kept_s - (MPI_Wtime() - start));
    t->laps++;
    return rc;
}

/* What is kept of a brief size's time is spent while larger ones are played. */
static int play_one(tournament_t *t, size_t i, double left_s)
{
    const plan_ranking_t *before = i > 0 ? t->match->ranking[i - 1] : NULL;
    plan_ranking_t *ranking = t->match->ranking[i];
    double share_s = plani_match_share(t->match, i, left_s - t->kept_s);
    double keep_s = plani_is_brief(least_of(ranking)) ? kept * share_s : 0;
    int rc = plani_contest_play(&t->arena, before, ranking, share_s - keep_s, &t->encore[i]);
    if (t->encore[i].ranking != NULL) {
        t->kept_s += keep_s;
        return rc;
    }
    return rc == 0 ? run_lap(t, LAPS) : rc;
}

/* Sizes in turn, from small to large; who was slow at one is not tried again at the next. */
static int play_all(tournament_t *t)
{
    plani_match_t *m = t->match;
    double start = MPI_Wtime(), budget_s = 0;
    int rc = 0;

    for (size_t i = 0; i < m->n; i++) budget_s += plani_match_time(m, m->ranking[i]->ncandidates);
    for (size_t i = 0; i < m->n && rc == 0; i++) {
        const plan_ranking_t *before = i > 0 ? m->ranking[i - 1] : NULL;
        double left = budget_s - (MPI_Wtime() - start), once = INFINITY;
        for (size_t c = 0; c < m->ranking[i]->ncandidates; c++)
            if (plani_is_planned(&m->ranking[i]->candidate[c]))
                once = fmin(once, plani_expected(before, &m->ranking[i]->candidate[c]));
        if (isfinite(once) && once > trifle * budget_s && worth * once > left - t->kept_s)
            plani_contest_expect(&t->arena, before, m->ranking[i]);
        else
            rc = play_one(t, i, left);
    }
    t->kept_s = fmax(0, fmin(t->kept_s, budget_s - (MPI_Wtime() - start)));
    for (int n = t->laps + LAST_LAPS < LAPS ? LAPS - t->laps : LAST_LAPS; n > 0 && rc == 0; n--) rc = run_lap(t, n);
    for (size_t i = 0; i < m->n && rc == 0; i++)
        if (t->encore[i].ranking != NULL) plani_encore_settle(&t->arena, &t->encore[i]);
    return rc;
}

/* What is to be known of each size before anything is timed. */
static int rank_all(const tournament_t *t, plani_context_t *ctx)
{
    plani_match_t *m = t->match;
    size_t step = m->duel_s > 0 ? 4 : 2; /* trees made for one size serve its neighbours */
    int rc = plani_context_build(ctx, m->bytes[m->n - 1], t->arena.err);

    for (size_t i = 0; i < m->n && rc == 0; i += step)
        if (ctx->d->ranks <= PLANI_MOST_REFINED) rc = plani_context_refine(ctx, m->bytes[i], t->arena.err);
    ctx->winners = m->winners;
    if (rc == 0 && m->winners) return plani_rank_sizes(ctx, &m->n, m->bytes, m->ranking, t->arena.err);
    for (size_t i = 0; i < m->n && rc == 0; i++) rc = plani_rank(ctx, m->bytes[i], &m->ranking[i], t->arena.err);
    return rc;
}

/* Winners may have changed their slices; and the sizes up to which they serve. */
static int rate(const tournament_t *t, plani_context_t *ctx)
{
    plani_match_t *m = t->match;
    int rc = 0;

    for (size_t i = 0; i < m->n && rc == 0 && (m->finalists > 0 || m->duel_s > 0); i++)
        rc = m->winners ? plani_ranking_rate_first(ctx, m->ranking[i], t->arena.err)
                        : plani_ranking_restate(ctx, m->ranking[i], t->arena.err);
    for (size_t i = 0; i + 1 < m->n && rc == 0 && m->duel_s > 0; i++)
        rc = plani_border(ctx, m->ranking[i], m->ranking[i + 1], &m->border[i]);
    return rc;
}

/* Rank 0's part. */
static int lead(tournament_t *t)
{
    plani_match_t *m = t->match;
    plan_choice_t choice = t->arena.options->choice;
    plani_context_t context;
    double start = MPI_Wtime();
    int rc;

    choice.include_native = m->finalists >= 0;
    if ((t->encore = calloc(m->n + 1, sizeof *t->encore)) == NULL)
        return plani_fail(t->arena.err, PLAN_ENOMEM, "out of memory for timing candidates");
    if ((rc = plani_context_open(t->arena.pf, t->arena.root, &choice, &context, t->arena.err)) != PLAN_OK) return rc;
    context.gap = PLANI_COARSE_GAP;
    rc = rank_all(t, &context);
    double drawn = MPI_Wtime();
    if (rc == 0 && m->finalists >= 0) rc = m->duel_s > 0 ? plani_duel(&t->arena, m) : play_all(t);
    double played = MPI_Wtime();
    if (rc == 0) rc = rate(t, &context);
    plani_context_clear(&context);
    m->planning_s = drawn - start + (MPI_Wtime() - played);
    m->timing_s = played - drawn;
    return rc;
}

void plani_match_clear(plani_match_t *m)
{
    for (size_t i = 0; i < m->n; i++) plan_ranking_destroy(&m->ranking[i]);
}

int plani_tournament(MPI_Comm comm, const plan_platform_t *pf, int root, const plan_options_t *options,
                     plani_match_t *match, plan_error_t *err)
{
    tournament_t t = {
        .match = match,
        .arena = {.comm = comm, .root = root, .options = options, .pf = pf, .finalists = match->finalists, .err = err}};
    int rank = 0;

    MPI_Comm_rank(comm, &rank);
    int rc = rank == 0 ? plani_arena_close(&t.arena, lead(&t)) : plani_arena_follow(&t.arena);
    free(t.encore);
    return plani_agree(comm, rc, err);
}

/* 8 and 512 bytes, where MPI_Bcast may change its mind but times hardly depend on the size, and from 4 KiB on in steps
 * of four, up to max_bytes. In a duel, steps of two: there is nothing else to say where one choice ends. */
static void ladder(size_t max_bytes, plani_match_t *m)
{
    for (size_t s = 8; s < max_bytes && m->n < PLANI_MATCH_SIZES - 1;) {
        m->bytes[m->n++] = s;
        s *= m->duel_s > 0 ? s < 512 ? 8 : 2 : s < 512 ? 64 : s < 4096 ? 8 : 4;
    }
    m->bytes[m->n++] = max_bytes > 0 ? max_bytes : 1;
}

int plani_plan_by_clock(MPI_Comm comm, const plan_platform_t *pf, int root, size_t max_bytes,
                        const plan_options_t *options, plan_t **out, plan_error_t *err)
{
    plani_match_t m = {.finalists = options->finalists < 0 ? 0 : options->finalists};

    if (options->mode == PLAN_DUEL) m.duel_s = PLANI_DUEL_PART * options->budget_s;
    m.winners = m.duel_s > 0 && pf != NULL && plan_platform_data(pf)->ranks > PLANI_MOST_REFINED;
    ladder(max_bytes, &m);
    m.time_s = 1;
    m.time_s = options->budget_s / (double)m.n / plani_match_time(&m, SIZE_MAX);
    int rc = plani_tournament(comm, pf, root, options, &m, err);
    if (rc == 0 && pf != NULL)
        rc = plani_plan_from_rankings(m.n, (const plan_ranking_t *const *)m.ranking, m.duel_s > 0 ? m.border : NULL,
                                      plan_platform_data(pf)->host, out, err);
    plani_match_clear(&m);
    return plani_agree(comm, rc, err);
}
