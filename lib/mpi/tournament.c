#include "lib/mpi/time.h"
#include "lib/base/base.h"
#include "lib/mpi/agree.h"
#include "lib/mpi/race.h"
#include "planner/choose.h"
#include "planner/finalists.h"
#include "planner/plan_private.h"
#include "planner/scoreboard.h"
#include "planner/units.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = PLANI_FINALISTS + 2, /* runners in one race: finalists, MPI_Bcast and an heir */
    REMATCHES = 3,              /* of the best with variants of its slice and window, and with who is close to it */
    CLOSE = 3,                  /* of these at most */
    TRIED = 1 + REMATCHES * PLANI_VARIANTS
};
static const double near = 1.3;     /* of MPI_Bcast's time: so near, variants of a plan may still win */
static const double hopeless = 3;   /* times as long: not in the rematch */
static const double alike = 1.08;   /* of the best plan's time: may turn out to be better */
static const double trifle = 0.01;  /* of the budget: a broadcast that takes less is run, whatever is left */
static const double opening = 0.5;  /* of the time goes to the race of all, */
static const double rematch = 0.6;  /* and of the rest to each rematch */
static const double dearer = 0.125; /* power of a broadcast's time by which sizes share the budget; */
static const double beginning = 2;  /* the first gets more: nobody is known, and connections are made */

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

/* A slice and window that the candidate `of` has run with. */
typedef struct {
    size_t of, slice;
    int window;
} tried_t;

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
    return m->time_s * (fmin(finalists, (double)candidates) + 1 + PLANI_VARIANTS);
}

/* ---- who enters ---- */

static void enter(field_t *f, const plan_candidate_t *c, size_t of)
{
    if (f->n == MOST) return;
    f->of[f->n] = of;
    f->runner[f->n++] = (plani_runner_t){.c = c, .stays = c->run == PLAN_RUN_NATIVE, .median = NAN};
}

static const plan_candidate_t *native_of(const plan_scoreboard_t *sb)
{
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (sb->candidate[i].run == PLAN_RUN_NATIVE) return &sb->candidate[i];
    return NULL;
}

/* The plan that won at the size before, with the slice and window that were found for it there. */
static void enter_heir(const tournament_t *t, const plan_scoreboard_t *before, const plan_scoreboard_t *sb,
                       plan_candidate_t *heir, field_t *f)
{
    const plan_candidate_t *won = NULL;
    for (size_t i = 0; before != NULL && i < before->ncandidates && won == NULL; i++)
        if (plani_is_planned(&before->candidate[i])) won = &before->candidate[i];
    for (size_t i = 0; won != NULL && i < sb->ncandidates; i++) {
        const plan_candidate_t *c = &sb->candidate[i];
        if (strcmp(c->name, won->name) != 0 || c->run != won->run) continue;
        if (plani_variant(t->pf, &t->options->choice, c, sb->bytes, won->slice, won->window, heir)) enter(f, heir, i);
    }
}

/* Who is expected fastest, MPI_Bcast, the heir, and the others. */
static void choose_entrants(const tournament_t *t, const plan_scoreboard_t *before, const plan_scoreboard_t *sb,
                            double budget_s, plan_candidate_t *heir, field_t *f)
{
    const plani_finals_t how = {.least = t->match->finalists, .budget_s = budget_s, .before = before};
    const plan_candidate_t *native = native_of(sb);
    size_t pick[PLANI_FINALISTS], n = plani_finalists(sb, &how, pick);

    f->n = 0;
    if (n > 0) enter(f, &sb->candidate[pick[0]], pick[0]);
    if (native != NULL && !plani_is_hopeless(before, sb, native->name))
        enter(f, native, (size_t)(native - sb->candidate));
    if (n > 0) enter_heir(t, before, sb, heir, f);
    for (size_t i = 1; i < n; i++) enter(f, &sb->candidate[pick[i]], pick[i]);
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

static plani_runner_t *native_in(const field_t *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->runner[i].c->run == PLAN_RUN_NATIVE && f->runner[i].n > 0) return &f->runner[i];
    return NULL;
}

/* What was timed goes to the board, times `scale`; of heuristics that found the same tree, to all. */
static void enter_times(const field_t *f, double scale, plan_scoreboard_t *sb)
{
    for (int r = 0; r < f->n; r++)
        for (size_t i = 0; i < sb->ncandidates; i++)
            if (f->runner[r].n > 0 && plani_same_broadcast(f->runner[r].c, &sb->candidate[i]))
                sb->candidate[i].measured_s = f->runner[r].median * scale;
}

static bool is_new(const tried_t *tried, int n, size_t of, const plan_candidate_t *v)
{
    for (int i = 0; i < n; i++)
        if (tried[i].of == of && tried[i].slice == v->slice && tried[i].window == v->window) return false;
    return true;
}

/*
 * The field of a rematch: candidate `of`, MPI_Bcast unless it is hopeless, who came close in the race before, and
 * variants v[] of the candidate that have not run yet. \return how many of these
 */
static int choose_rematch(const tournament_t *t, const plan_scoreboard_t *sb, size_t of, tried_t tried[TRIED],
                          int *ntried, plan_candidate_t v[PLANI_VARIANTS], field_t *f)
{
    const plan_candidate_t *c = &sb->candidate[of], *native = native_of(sb);
    plan_candidate_t every[PLANI_VARIANTS];
    int n = plani_variants(t->pf, &t->options->choice, c, sb->bytes, every), fresh = 0, rivals = 0;

    f->n = 0;
    enter(f, c, of);
    if (native != NULL && native->measured_s < hopeless * c->measured_s)
        enter(f, native, (size_t)(native - sb->candidate));
    for (size_t i = 0; i < sb->ncandidates && rivals < CLOSE; i++) {
        const plan_candidate_t *other = &sb->candidate[i];
        bool twin = !plani_is_planned(other) || !(other->measured_s < alike * c->measured_s);
        for (int k = 0; k < f->n && !twin; k++) twin = plani_same_broadcast(f->runner[k].c, other);
        if (twin) continue;
        enter(f, other, i);
        rivals++;
    }
    if (is_new(tried, *ntried, of, c) && *ntried < TRIED) tried[(*ntried)++] = (tried_t){of, c->slice, c->window};
    for (int i = 0; i < n && *ntried < TRIED; i++) {
        if (!is_new(tried, *ntried, of, &every[i])) continue;
        tried[(*ntried)++] = (tried_t){of, every[i].slice, every[i].window};
        v[fresh] = every[i];
        enter(f, &v[fresh++], of);
    }
    return fresh;
}

/* What ran goes to the board, and the winner takes over what is better in the variant that won. Times stay comparable
 * with the first race's, by the ratio of those of the candidate that ran in both. \return whether a variant won */
static bool settle(plan_scoreboard_t *sb, const field_t *f, const plani_runner_t *winner, size_t *of)
{
    double known = sb->candidate[f->of[0]].measured_s, scale = isfinite(known) ? known / f->runner[0].median : 1;
    const plan_candidate_t *c = winner->c;
    bool varied = c != &sb->candidate[f->of[winner - f->runner]];

    enter_times(f, scale, sb);
    *of = f->of[winner - f->runner];
    if (!varied) return false;
    sb->candidate[*of].slice = c->slice;
    sb->candidate[*of].window = c->window;
    sb->candidate[*of].predicted_s = c->predicted_s;
    sb->candidate[*of].measured_s = winner->median * scale;
    return true;
}

/*
 * The best plan beside variants of its own, who came close, and MPI_Bcast; again, where a variant has won, with that
 * one's. *wins: whether the plan beats MPI_Bcast, where that ran.
 */
static int play_rematches(tournament_t *t, plan_scoreboard_t *sb, double end, size_t *of, bool *wins)
{
    field_t f = {.runner = calloc(MOST, sizeof *f.runner)};
    plan_candidate_t v[PLANI_VARIANTS];
    tried_t tried[TRIED];
    int ntried = 0, rc = 0;
    bool more = true;

    if (f.runner == NULL) return plani_fail(t->err, PLAN_ENOMEM, "out of memory for timing candidates");
    for (int turn = 0; turn < REMATCHES && more && rc == 0; turn++) {
        double rest = end - MPI_Wtime();
        if (4 * sb->candidate[*of].measured_s > rest) break;
        more = choose_rematch(t, sb, *of, tried, &ntried, v, &f) > 0;
        if (!more && turn > 0) break;
        if ((rc = race(t, sb->bytes, turn + 1 < REMATCHES ? rematch * rest : rest, &f)) != 0) break;
        plani_runner_t *winner = plani_runners_pick(f.runner, f.n), *native = native_in(&f);
        if (winner == NULL || f.runner[0].n == 0) break;
        if (native != NULL) *wins = plani_runner_beats(winner, native);
        more = settle(sb, &f, winner, of);
    }
    free(f.runner);
    return rc;
}

static void move_to_front(plan_scoreboard_t *sb, size_t i)
{
    plan_candidate_t first = sb->candidate[i];
    memmove(&sb->candidate[1], &sb->candidate[0], i * sizeof first);
    sb->candidate[0] = first;
}

/* No time for this size: who is expected to be the fastest, by what was timed at the size before. */
static void expect(const plan_scoreboard_t *before, plan_scoreboard_t *sb)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < sb->ncandidates; i++) {
        double s = plani_is_planned(&sb->candidate[i]) ? plani_expected(before, &sb->candidate[i]) : INFINITY;
        if (s < least) least = s, best = i;
    }
    bool native = before != NULL && before->candidate[0].run == PLAN_RUN_NATIVE;
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (native && sb->candidate[i].run == PLAN_RUN_NATIVE) best = i;
    if (sb->ncandidates > 0) move_to_front(sb, best);
}

/*
 * The finalists of one size: a race of all, then rematches of the best. MPI_Bcast keeps its place unless a plan beats
 * it beyond noise.
 */
static int play(tournament_t *t, const plan_scoreboard_t *before, plan_scoreboard_t *sb, double budget_s)
{
    field_t f = {.runner = calloc(MOST, sizeof *f.runner)};
    double end = MPI_Wtime() + budget_s;
    plan_candidate_t heir;
    bool wins = true;
    int rc = 0;

    if (f.runner == NULL) return plani_fail(t->err, PLAN_ENOMEM, "out of memory for timing candidates");
    choose_entrants(t, before, sb, budget_s, &heir, &f);
    if (f.n > 0) rc = race(t, sb->bytes, opening * budget_s, &f);
    if (rc != 0 || f.n == 0) goto done;
    plani_runner_t *winner = plani_runners_pick(f.runner, f.n), *native = native_in(&f);
    bool in_reach = winner != NULL && (native == NULL || winner->median < near * native->median);
    size_t best = SIZE_MAX;
    if (winner != NULL && native != NULL) wins = plani_runner_beats(winner, native);
    if (winner != NULL)
        settle(sb, &f, winner, &best);
    else
        enter_times(&f, 1, sb);
    if (in_reach) rc = play_rematches(t, sb, end, &best, &wins);
    if (rc != 0) goto done;
    if (!wins || winner == NULL) best = (size_t)(native_of(sb) - sb->candidate);
    move_to_front(sb, best);
    plan_scoreboard_t others = *sb;
    others.candidate++;
    others.ncandidates--;
    plan_scoreboard_sort(&others);
done:
    free(f.runner);
    return rc;
}

/* ---- all sizes ---- */

/* The time for one size: of what is left, by how long broadcasts of this size and of those to come take, as far as they
 * fit in at all. */
static double share_of(const plani_match_t *m, size_t i, double left_s)
{
    double mine = 0, sum = 0;
    for (size_t k = i; k < m->n; k++) {
        double least = INFINITY;
        for (size_t c = 0; c < m->board[k]->ncandidates; c++)
            if (plani_is_planned(&m->board[k]->candidate[c]))
                least = fmin(least, m->board[k]->candidate[c].predicted_s);
        if (k > i && isfinite(least) && least > left_s) break; /* and so for all that are larger */
        double weight = (least > 0 && isfinite(least) ? pow(least, dearer) : 1) * (k == 0 ? beginning : 1);
        sum += weight;
        if (k == i) mine = weight;
    }
    return fmax(0, left_s) * mine / sum;
}

/* Sizes in turn, from small to large; who was slow at one is not tried again at the next. */
static int play_all(tournament_t *t)
{
    plani_match_t *m = t->match;
    double start = MPI_Wtime(), budget_s = 0;
    int rc = 0;

    for (size_t i = 0; i < m->n; i++) budget_s += plani_match_time(m, m->board[i]->ncandidates);
    for (size_t i = 0; i < m->n && rc == 0; i++) {
        const plan_scoreboard_t *before = i > 0 ? m->board[i - 1] : NULL;
        double left = budget_s - (MPI_Wtime() - start), once = INFINITY;
        for (size_t c = 0; c < m->board[i]->ncandidates; c++)
            if (plani_is_planned(&m->board[i]->candidate[c]))
                once = fmin(once, plani_expected(before, &m->board[i]->candidate[c]));
        if (isfinite(once) && once > fmax(left, trifle * budget_s))
            expect(before, m->board[i]);
        else
            rc = play(t, before, m->board[i], share_of(m, i, left));
    }
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
    for (size_t i = 0; i < m->n && rc == 0; i += 2) /* trees made for one size serve its neighbours */
        if (workshop.d->ranks <= PLANI_MOST_REFINED) rc = plani_workshop_refine(&workshop, m->bytes[i], t->err);
    for (size_t i = 0; i < m->n && rc == 0; i++)
        rc = plani_scoreboard_draw(&workshop, m->bytes[i], &m->board[i], t->err);
    plani_workshop_clear(&workshop);
    double drawn = MPI_Wtime();
    if (rc == 0 && m->finalists >= 0) rc = play_all(t);
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
