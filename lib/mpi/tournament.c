#include "lib/mpi/time.h"
#include "lib/base/base.h"
#include "lib/mpi/agree.h"
#include "lib/mpi/race.h"
#include "planner/choose.h"
#include "planner/plan_private.h"
#include "planner/scoreboard.h"
#include "planner/units.h"
#include <math.h>
#include <planbcast/score.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VARIANTS = 5, /* of the winner: other slice sizes and windows */
    MOST = 64     /* runners in one race */
};
/* Shapes of broadcasts, told apart because models err alike within each. */
enum { CHAIN, FLAT, BUSHY, MANY, ROUNDS, SHAPES };
static const double near = 1.3;           /* of MPI_Bcast's time: so near, variants of a tree may still win */
static const double hopeless = 3;         /* times as long as the best at a quarter of the size: not tried again */
static const size_t steady_bytes = 65536; /* from here on, who is slow stays slow at larger sizes */
static const double unlikely = 4;         /* times as long predicted: another shape, too, is not worth a run */

/* What rank 0 has the others do next. */
typedef struct {
    int go; /* 0: no more */
    int rc; /* then: how it ended */
} order_t;

/* The runners of a race, and the candidates of the scoreboard that they stand for. */
typedef struct {
    plani_runner_t *runner; /* [MOST] */
    size_t of[MOST];
    int n;
} field_t;

typedef struct {
    MPI_Comm comm;
    int root;
    const plan_options_t *options;
    const plan_platform_t *pf;
    plani_match_t *match;
    plan_error_t *err;
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
    return m->time_s * (fmin(finalists, (double)candidates) + 1 + VARIANTS);
}

/* ---- who enters ---- */

static int shape_of(const plan_candidate_t *c)
{
    if (c->run == PLAN_RUN_ROUNDS) return ROUNDS;
    if (c->ntrees > 1) return MANY;
    int height = plan_tree_height(c->tree[0]), ranks = plan_tree_ranks(c->tree[0]);
    if (height <= 1) return FLAT;
    return 2 * height >= ranks ? CHAIN : BUSHY;
}

/* Two heuristics often find the same tree: it is timed once. */
static bool entered(const field_t *f, const plan_scoreboard_t *sb, size_t i)
{
    for (int r = 0; r < f->n; r++)
        if (plani_same_broadcast(&sb->candidate[f->of[r]], &sb->candidate[i])) return true;
    return false;
}

static void enter(field_t *f, const plan_scoreboard_t *sb, size_t i)
{
    if (f->n == MOST || entered(f, sb, i)) return;
    f->of[f->n] = i;
    f->runner[f->n++] =
        (plani_runner_t){.c = &sb->candidate[i], .stays = sb->candidate[i].run == PLAN_RUN_NATIVE, .median = NAN};
}

/* Was it far behind at the size before, which was not much smaller? */
static bool is_hopeless(const plan_scoreboard_t *before, const plan_scoreboard_t *sb, const char *name)
{
    if (before == NULL || before->bytes < steady_bytes || sb->bytes / 4 > before->bytes) return false;
    for (size_t i = 0; i < before->ncandidates; i++)
        if (strcmp(before->candidate[i].name, name) == 0)
            return before->candidate[i].measured_s > hopeless * before->candidate[0].measured_s;
    return false;
}

/*
 * MPI_Bcast and those predicted fastest; beside them the best of each other shape, unless it is far off: where the
 * model errs, it errs for a whole shape.
 */
static void choose_entrants(const tournament_t *t, const plan_scoreboard_t *before, const plan_scoreboard_t *sb,
                            field_t *f)
{
    bool seen[SHAPES] = {false};
    int trees = 0;
    double least = INFINITY;
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (plani_is_planned(&sb->candidate[i])) least = fmin(least, sb->candidate[i].predicted_s);
    if (t->match->finalists > (int)sb->ncandidates) before = NULL; /* all are to be timed */
    for (size_t i = 0; i < sb->ncandidates; i++) {
        const plan_candidate_t *c = &sb->candidate[i];
        if (!plani_is_planned(c) || entered(f, sb, i) || is_hopeless(before, sb, c->name)) continue;
        bool other = t->match->finalists > 0 && !seen[shape_of(c)] && c->predicted_s < unlikely * least;
        if (trees >= t->match->finalists && !other) continue;
        enter(f, sb, i);
        seen[shape_of(c)] = true;
        trees++;
    }
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (sb->candidate[i].run == PLAN_RUN_NATIVE && !is_hopeless(before, sb, sb->candidate[i].name)) enter(f, sb, i);
}

/* ---- races ---- */

static int race(tournament_t *t, size_t bytes, double budget_s, field_t *f)
{
    order_t order = {.go = 1};
    int rc = plani_hear(t->comm, &order, sizeof order, t->err);
    if (rc == 0) rc = plani_race(t->comm, t->root, bytes, 0, budget_s, f->runner, f->n, t->err);
    for (int i = 0; rc == 0 && i < f->n; i++) {
        const plani_runner_t *r = &f->runner[i];
        if (r->n > 0)
            plani_report(t->options, 1, "timing %s: %s in slices of %s, window %d: %s", plani_bytes((double)bytes).s,
                         r->c->name, r->c->slice ? plani_bytes((double)r->c->slice).s : "all", r->c->window,
                         plani_seconds(r->median).s);
    }
    return rc;
}

static plani_runner_t *fastest(const field_t *f, bool planned)
{
    plani_runner_t *best = NULL;
    for (int i = 0; i < f->n; i++)
        if (plani_is_planned(f->runner[i].c) == planned && f->runner[i].n > 0 &&
            (best == NULL || f->runner[i].median < best->median))
            best = &f->runner[i];
    return best;
}

/* Half and double the slice, half and double the window, whole. */
static int variants_of(const tournament_t *t, const plan_candidate_t *c, size_t bytes, plan_candidate_t *v)
{
    const struct {
        size_t slice;
        int window;
    } how[VARIANTS] = {{c->slice ? c->slice / 2 : bytes / 2, c->window},
                       {c->slice * 2, c->window},
                       {0, c->window},
                       {c->slice, c->window * 2},
                       {c->slice, c->window / 2}};
    int n = 0;
    for (int i = 0; i < VARIANTS; i++) {
        size_t slice = how[i].slice < bytes ? how[i].slice : 0;
        size_t pieces = slice > 0 ? (bytes + slice - 1) / slice : 1;
        bool fixed = (slice != c->slice && t->options->choice.slice != 0) ||
                     (how[i].window != c->window && t->options->choice.window != 0);
        fixed |= slice != c->slice && c->run == PLAN_RUN_ROUNDS && c->schedule != PLAN_CIRCULANT;
        if (fixed || (slice > 0 && slice < 512) || how[i].window < 1 || how[i].window > 64) continue;
        if (how[i].window != c->window && pieces <= (size_t)(how[i].window < c->window ? how[i].window : c->window))
            continue;
        v[n] = *c; /* borrows the trees */
        v[n].slice = slice;
        v[n].window = how[i].window;
        bool known = plani_same_broadcast(&v[n], c);
        for (int k = 0; k < n && !known; k++) known = plani_same_broadcast(&v[n], &v[k]);
        if (known) continue;
        double then = NAN, now = NAN; /* calibrated like c itself */
        if (c->run == PLAN_RUN_ROUNDS) {
            plan_score_rounds(t->pf, c->schedule, c->order, bytes, slice, &v[n].predicted_s);
        } else {
            plan_score_trees(t->pf, c->ntrees, c->tree, c->rate, bytes, c->slice, c->window, &then);
            plan_score_trees(t->pf, c->ntrees, c->tree, c->rate, bytes, slice, how[i].window, &now);
            v[n].predicted_s = c->predicted_s * now / then;
        }
        n++;
    }
    return n;
}

/*
 * The best tree beside variants of its own and MPI_Bcast, as far as the time goes. *c takes over what is better. Its
 * measured time stays comparable with the others': the first race's, by the ratio of the two in this one.
 */
static int vary(tournament_t *t, plan_candidate_t *c, const plan_candidate_t *native, size_t bytes, double budget_s,
                field_t *f)
{
    plan_candidate_t v[VARIANTS];
    int n = variants_of(t, c, bytes, v);
    f->n = 0;
    f->runner[f->n++] = (plani_runner_t){.c = c, .stays = true};
    if (native != NULL) f->runner[f->n++] = (plani_runner_t){.c = native, .stays = true};
    for (int i = 0; i < n; i++) f->runner[f->n++] = (plani_runner_t){.c = &v[i]};
    int rc = race(t, bytes, budget_s, f);
    if (rc != 0) return rc;
    double scale = isfinite(c->measured_s) ? c->measured_s / f->runner[0].median : 1;
    plani_runner_t *best = fastest(f, true);
    if (best != NULL && best->c != c && plani_runner_beats(best, &f->runner[0])) {
        c->slice = best->c->slice;
        c->window = best->c->window;
        c->predicted_s = best->c->predicted_s;
        f->runner[0] = *best;
        f->runner[0].c = c;
    }
    c->measured_s = f->runner[0].median * (isfinite(scale) ? scale : 1);
    return 0;
}

static void move_to_front(plan_scoreboard_t *sb, bool planned)
{
    size_t i = 0;
    while (i < sb->ncandidates && plani_is_planned(&sb->candidate[i]) != planned) i++;
    if (i == sb->ncandidates) return;
    plan_candidate_t first = sb->candidate[i];
    memmove(&sb->candidate[1], &sb->candidate[0], i * sizeof first);
    sb->candidate[0] = first;
}

/* What was timed goes to the board; of heuristics that found the same tree, to all. */
static void enter_times(const field_t *f, plan_scoreboard_t *sb)
{
    for (int r = 0; r < f->n; r++) {
        const plan_candidate_t *c = f->runner[r].c;
        for (size_t i = 0; i < sb->ncandidates; i++)
            if (f->runner[r].n > 0 && plani_same_broadcast(c, &sb->candidate[i]))
                sb->candidate[i].measured_s = f->runner[r].median;
    }
}

/*
 * The finalists of one size: a race of all, then one of the best tree, its variants and MPI_Bcast. MPI_Bcast keeps its
 * place unless a tree beats it beyond noise.
 */
static int play(tournament_t *t, const plan_scoreboard_t *before, plan_scoreboard_t *sb, double budget_s)
{
    field_t f = {.runner = calloc(MOST, sizeof *f.runner)};
    double start = MPI_Wtime();
    int rc = 0;

    if (f.runner == NULL) return plani_fail(t->err, PLAN_ENOMEM, "out of memory for timing candidates");
    choose_entrants(t, before, sb, &f);
    if (f.n > 0) rc = race(t, sb->bytes, 0.6 * budget_s, &f);
    if (rc != 0) goto done;
    plani_runner_t *tree = fastest(&f, true), *native = fastest(&f, false);
    enter_times(&f, sb);
    plan_scoreboard_sort(sb);
    double rest = budget_s - (MPI_Wtime() - start);
    bool wins = tree != NULL && (native == NULL || plani_runner_beats(tree, native));
    bool close = tree != NULL && (native == NULL || tree->median < near * native->median);
    if (close && 4 * tree->median < rest) {
        plan_candidate_t *best = &sb->candidate[0], *theirs = NULL;
        if (native != NULL && native->median > hopeless * tree->median) native = NULL;
        for (size_t i = 0; i < sb->ncandidates; i++)
            if (sb->candidate[i].run == PLAN_RUN_NATIVE && native != NULL) theirs = &sb->candidate[i];
        while (!plani_is_planned(best)) best++;
        if ((rc = vary(t, best, theirs, sb->bytes, rest, &f)) != 0) goto done;
        if (theirs != NULL && f.runner[0].n > 0 && f.runner[1].n > 0)
            wins = plani_runner_beats(&f.runner[0], &f.runner[1]);
    }
    move_to_front(sb, wins);
done:
    free(f.runner);
    return rc;
}

/* Rank 0's part. */
static int lead(tournament_t *t)
{
    plani_match_t *m = t->match;
    plan_choice_t choice = t->options->choice;
    plani_workshop_t workshop;
    double start = MPI_Wtime();
    int rc;

    choice.include_native = m->finalists >= 0;
    if ((rc = plani_workshop_open(t->pf, t->root, &choice, &workshop, t->err)) != PLAN_OK) return rc;
    workshop.gap = PLANI_COARSE_GAP;
    rc = plani_workshop_build(&workshop, m->bytes[m->n - 1], t->err);
    for (size_t i = 0; i < m->n && rc == 0; i++)
        rc = plani_scoreboard_draw(&workshop, m->bytes[i], &m->board[i], t->err);
    plani_workshop_clear(&workshop);
    double drawn = MPI_Wtime(), budget_s = 0;
    for (size_t i = 0; rc == 0 && i < m->n; i++) budget_s += plani_match_time(m, m->board[i]->ncandidates);
    for (size_t i = 0; i < m->n && rc == 0 && m->finalists >= 0; i++) { /* what one size leaves goes to the others */
        double left = budget_s - (MPI_Wtime() - drawn);
        rc = play(t, i > 0 ? m->board[i - 1] : NULL, m->board[i], fmax(0, left) / (double)(m->n - i));
    }
    m->planning_s = drawn - start;
    m->timing_s = MPI_Wtime() - drawn;
    return rc;
}

/* The other ranks': until rank 0 has done. A timing that fails does so on all ranks, and rank 0 says how it ended. */
static int follow(tournament_t *t)
{
    for (;;) {
        order_t order;
        int rc = plani_hear(t->comm, &order, sizeof order, t->err);
        if (rc != 0) return rc;
        if (!order.go) return order.rc;
        plani_race(t->comm, t->root, 0, 0, 0, NULL, 0, t->err);
    }
}

void plani_match_clear(plani_match_t *m)
{
    for (size_t i = 0; i < m->n; i++) plan_scoreboard_destroy(&m->board[i]);
}

int plani_tournament(MPI_Comm comm, const plan_platform_t *pf, int root, const plan_options_t *options,
                     plani_match_t *match, plan_error_t *err)
{
    tournament_t t = {.comm = comm, .root = root, .options = options, .pf = pf, .match = match, .err = err};
    int rank = 0, rc;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        rc = lead(&t);
        order_t end = {.rc = rc};
        int told = plani_hear(comm, &end, sizeof end, err);
        if (rc == 0) rc = told;
    } else {
        rc = follow(&t);
    }
    return plani_agree(comm, rc, err);
}

/* From 64 bytes in steps of four up to max_bytes. */
static void ladder(size_t max_bytes, plani_match_t *m)
{
    for (size_t s = 64; s < max_bytes && m->n < PLANI_MATCH_SIZES - 1; s *= 4) m->bytes[m->n++] = s;
    m->bytes[m->n++] = max_bytes > 0 ? max_bytes : 1;
}

int plani_plan_by_clock(MPI_Comm comm, const plan_platform_t *pf, int root, size_t max_bytes,
                        const plan_options_t *options, plan_t **out, plan_error_t *err)
{
    plani_match_t m = {.finalists = options->finalists < 0 ? 0 : options->finalists};

    ladder(max_bytes, &m);
    m.time_s = 1;
    m.time_s = options->budget_s / (double)m.n / plani_match_time(&m, SIZE_MAX);
    int rc = plani_tournament(comm, pf, root, options, &m, err);
    if (rc == 0 && pf != NULL)
        rc = plani_plan_from_scoreboards(m.n, (const plan_scoreboard_t *const *)m.board, NULL,
                                         plan_platform_data(pf)->host, out, err);
    plani_match_clear(&m);
    return plani_agree(comm, rc, err);
}
