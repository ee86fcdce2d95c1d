#include "lib/mpi/autotune/contest.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/wait.h"
#include "planner/select/choose.h"
#include "planner/plan/plan_private.h"
#include "planner/select/ranking.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORMS = 12,                              /* finalists in other slices */
    MOST = PLANI_FINALISTS + 2 + FORMS,      /* runners in one race: finalists, MPI_Bcast, an heir and forms */
    AGAIN = 3,                               /* plans are looked at again in any case */
    REMATCHES = 3,                           /* of the best with variants of its slice and window, and who is close */
    CLOSE = 3,                               /* of these at most */
    RAN = MOST + REMATCHES * PLANI_VARIANTS, /* what can have run */
    RUNS = 8,                                /* until it is known who is fast */
    KEPT = 8,                                /* runs that count in the next race, too; */
    KEPT_BRIEF = 32                          /* of brief ones, in encores, from each of two races */
};
static const double near = 1.3;    /* of MPI_Bcast's time: so near, variants of a plan may still win */
static const double hopeless = 3;  /* times as long: not in the rematch */
static const double alike = 1.08;  /* of the best plan's time: may turn out to be better */
static const double likely = 1.7;  /* times as long predicted as the best: worth a run in other slices */
static const double opening = 0.5; /* of the time goes to the race of all, if it does for so many broadcasts */
static const double ample = 10;    /* of the best; else all of it; */
static const double rematch = 0.6; /* of the rest goes to each rematch */
static const double again = 1.35;  /* of the best: may be looked at again */

/* The runners of a race, and the candidates of the ranking that they stand for. */
typedef struct {
    plani_runner_t *runner; /* [MOST] */
    size_t of[MOST];
    int n;
} field_t;

/* A slice and window that the candidate `of` has run with. */
typedef struct {
    size_t of, slice;
    int window;
    double seconds; /* on the first race's footing */
    int n;
    double sample[2 * KEPT_BRIEF]; /* [n] the last ones, on the same footing [s] */
} ran_t;

typedef struct {
    plani_arena_t *arena;
    plan_ranking_t *ranking;
    double end; /* by MPI_Wtime */
    ran_t ran[RAN];
    int nran;
    size_t best; /* in the ranking */
    bool wins;   /* the best plan beats MPI_Bcast, where that ran */
} contest_t;

/* ---- who enters ---- */

static void enter(field_t *f, const plan_candidate_t *c, size_t of)
{
    if (f->n == MOST) return;
    for (int i = 0; i < f->n; i++)
        if (plani_same_broadcast(f->runner[i].c, c)) return;
    f->of[f->n] = of;
    f->runner[f->n++] = (plani_runner_t){.c = c, .stays = c->run == PLAN_RUN_NATIVE, .median = NAN};
}

static const plan_candidate_t *native_of(const plan_ranking_t *ranking)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (ranking->candidate[i].run == PLAN_RUN_NATIVE) return &ranking->candidate[i];
    return NULL;
}

size_t plani_contest_heir(const plani_arena_t *a, const plan_ranking_t *before, const plan_ranking_t *ranking,
                          plan_candidate_t *heir)
{
    const plan_candidate_t *won = NULL;
    for (size_t i = 0; before != NULL && i < before->ncandidates && won == NULL; i++)
        if (plani_is_planned(&before->candidate[i])) won = &before->candidate[i];
    for (size_t i = 0; won != NULL && i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (strcmp(c->name, won->name) != 0 || c->run != won->run) continue;
        *heir = *c; /* borrows the trees */
        if ((c->slice == won->slice && c->window == won->window) ||
            plani_variant(a->pf, &a->options->choice, c, ranking->bytes, won->slice, won->window, heir))
            return i;
    }
    return ranking->ncandidates;
}

/* Finalists sent whole, and in slices four times as large, where that is predicted to be not much slower and there is
 * time: what a slice costs is what models are least sure of. */
static void enter_forms(const contest_t *t, const size_t *pick, size_t n, double room_s, plan_candidate_t form[FORMS],
                        field_t *f)
{
    const plan_choice_t *choice = &t->arena->options->choice;
    double least_s = n > 0 ? t->ranking->candidate[pick[0]].predicted_s : 0;
    int forms = 0;
    for (int i = 0; i < f->n; i++) room_s -= RUNS * (f->runner[i].c->predicted_s + t->arena->aside_s);
    for (size_t k = 1; k < n; k++) least_s = fmin(least_s, t->ranking->candidate[pick[k]].predicted_s);
    for (size_t k = 0; k < 2 * n && forms < FORMS; k++) {
        const plan_candidate_t *c = &t->ranking->candidate[pick[k / 2]];
        plan_candidate_t *v = &form[forms];
        size_t slice = k % 2 == 0 ? 0 : 4 * c->slice;
        if (c->slice == 0 || !plani_variant(t->arena->pf, choice, c, t->ranking->bytes, slice, c->window, v)) continue;
        room_s -= RUNS * (v->predicted_s + t->arena->aside_s);
        if (!(v->predicted_s < likely * least_s) || room_s < 0) continue;
        enter(f, v, pick[k / 2]);
        forms++;
    }
}

/* Who is expected fastest, MPI_Bcast, the heir, and the others. */
static void choose_entrants(const contest_t *t, const plan_ranking_t *before, double budget_s, plan_candidate_t *heir,
                            plan_candidate_t form[FORMS], field_t *f)
{
    const plani_finals_t how = {
        .least = t->arena->finalists, .budget_s = budget_s, .aside_s = t->arena->aside_s, .before = before};
    const plan_candidate_t *native = native_of(t->ranking), *c = t->ranking->candidate;
    size_t pick[PLANI_FINALISTS], n = plani_finalists(t->ranking, &how, pick);

    f->n = 0;
    if (n > 0) enter(f, &c[pick[0]], pick[0]);
    if (native != NULL && !plani_is_hopeless(before, t->ranking, native->name)) enter(f, native, (size_t)(native - c));
    size_t of = n > 0 ? plani_contest_heir(t->arena, before, t->ranking, heir) : t->ranking->ncandidates;
    if (of < t->ranking->ncandidates) enter(f, heir, of);
    for (size_t i = 1; i < n; i++) enter(f, &c[pick[i]], pick[i]);
    enter_forms(t, pick, n, opening * budget_s, form, f);
}

/* ---- races ---- */

static int race(contest_t *t, const char *what, double budget_s, field_t *f)
{
    plani_heat_t heat = {.bytes = t->ranking->bytes, .budget_s = budget_s};
    return plani_arena_race(t->arena, what, &heat, f->runner, f->n);
}

static plani_runner_t *native_in(const field_t *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->runner[i].c->run == PLAN_RUN_NATIVE && f->runner[i].n > 0) return &f->runner[i];
    return NULL;
}

static ran_t *find_ran(contest_t *t, size_t of, const plan_candidate_t *v)
{
    for (int i = 0; i < t->nran; i++)
        if (t->ran[i].of == of && t->ran[i].slice == v->slice && (v->slice == 0 || t->ran[i].window == v->window))
            return &t->ran[i];
    return NULL;
}

/* Runners of long broadcasts have gone on from what is noted already; brief ones start again. */
static void note(ran_t *ran, const plani_runner_t *r, double scale)
{
    bool brief = plani_is_brief(r->median * scale);
    int most = brief ? KEPT_BRIEF : KEPT, fresh = r->n < most ? r->n : most;
    int old = !brief ? 0 : ran->n < KEPT_BRIEF ? ran->n : KEPT_BRIEF;

    memmove(ran->sample, ran->sample + ran->n - old, (size_t)old * sizeof *ran->sample);
    for (int k = 0; k < fresh; k++) ran->sample[old + k] = r->sample[r->n - fresh + k] * scale;
    ran->n = old + fresh;
    ran->seconds = r->median * scale;
}

/* Long broadcasts are run a few times in each race: what they took in the one before counts, too. */
static void resume(contest_t *t, field_t *f)
{
    for (int r = 0; r < f->n; r++) {
        const ran_t *ran = find_ran(t, f->of[r], f->runner[r].c);
        if (ran == NULL || plani_is_brief(ran->seconds)) continue;
        f->runner[r].n = ran->n;
        memcpy(f->runner[r].sample, ran->sample, (size_t)ran->n * sizeof *ran->sample);
    }
}

void plani_contest_enter(plan_ranking_t *ranking, const plan_candidate_t *c, double seconds)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (plani_same_broadcast(c, &ranking->candidate[i])) ranking->candidate[i].measured_s = seconds;
}

void plani_contest_adopt(plan_candidate_t *c, const plan_candidate_t *v)
{
    c->slice = v->slice;
    c->window = v->window;
    c->predicted_s = v->predicted_s;
}

/* What was timed is noted, times `scale`, and goes to the ranking. */
static void enter_times(contest_t *t, const field_t *f, double scale)
{
    for (int r = 0; r < f->n; r++) {
        const plan_candidate_t *c = f->runner[r].c;
        ran_t *ran = find_ran(t, f->of[r], c);
        if (f->runner[r].n == 0) continue;
        if (ran == NULL && t->nran < RAN)
            *(ran = &t->ran[t->nran++]) = (ran_t){.of = f->of[r], .slice = c->slice, .window = c->window};
        if (ran != NULL) note(ran, &f->runner[r], scale);
        plani_contest_enter(t->ranking, c, f->runner[r].median * scale);
    }
}

/*
 * The field of a rematch: the best candidate, MPI_Bcast unless it is hopeless, who came close in the race before, and
 * likely variants v[] of the candidate that have not run yet. \return how many of these
 */
static int choose_rematch(contest_t *t, plan_candidate_t v[PLANI_VARIANTS], field_t *f)
{
    const plan_ranking_t *ranking = t->ranking;
    const plan_candidate_t *c = &ranking->candidate[t->best], *native = native_of(ranking);
    int n = plani_variants(t->arena->pf, &t->arena->options->choice, c, ranking->bytes, v), fresh = 0;

    f->n = 0;
    enter(f, c, t->best);
    if (native != NULL && native->measured_s < hopeless * c->measured_s)
        enter(f, native, (size_t)(native - ranking->candidate));
    for (size_t i = 0, most = (size_t)f->n + CLOSE; i < ranking->ncandidates && (size_t)f->n < most; i++)
        if (plani_is_planned(&ranking->candidate[i]) && ranking->candidate[i].measured_s < alike * c->measured_s)
            enter(f, &ranking->candidate[i], i);
    for (int i = 0; i < n; i++) {
        if (find_ran(t, t->best, &v[i]) != NULL || !(v[i].predicted_s < likely * c->predicted_s)) continue;
        enter(f, &v[i], t->best);
        fresh++;
    }
    return fresh;
}

/* The winner takes over what is better in the variant that won. Times of brief broadcasts stay comparable with the
 * first race's, by the ratio of those of the candidate that ran in both. \return whether a variant won */
static bool settle(contest_t *t, const field_t *f, const plani_runner_t *winner)
{
    double known = t->ranking->candidate[f->of[0]].measured_s;
    double scale = isfinite(known) && plani_is_brief(known) ? known / f->runner[0].median : 1;
    const plan_candidate_t *c = winner->c;
    bool varied = c != &t->ranking->candidate[f->of[winner - f->runner]];

    enter_times(t, f, scale);
    t->best = f->of[winner - f->runner];
    if (!varied) return false;
    plan_candidate_t *best = &t->ranking->candidate[t->best];
    plani_contest_adopt(best, c);
    best->measured_s = winner->median * scale;
    return true;
}

/* The best plan beside variants of its own, who came close, and MPI_Bcast; again, where a variant has won, with that
 * one's. */
static int play_rematches(contest_t *t, field_t *f)
{
    plan_candidate_t v[PLANI_VARIANTS];
    bool more = true;
    int rc = 0;

    for (int turn = 0; turn < REMATCHES && more; turn++) {
        double rest = t->end - MPI_Wtime();
        if (4 * (t->ranking->candidate[t->best].measured_s + t->arena->aside_s) > rest) break;
        more = choose_rematch(t, v, f) > 0;
        if (!more && turn > 0) break;
        resume(t, f);
        if ((rc = race(t, "rematch", turn + 1 < REMATCHES ? rematch * rest : rest, f)) != 0) break;
        plani_runner_t *winner = plani_runners_pick(f->runner, f->n), *native = native_in(f);
        if (winner == NULL || f->runner[0].n == 0) break;
        if (native != NULL) t->wins = plani_runner_beats(winner, native);
        more = settle(t, f, winner);
    }
    return rc;
}

void plani_contest_crown(plan_ranking_t *ranking, size_t i)
{
    plan_candidate_t first = ranking->candidate[i];
    plan_ranking_t others = {.ncandidates = ranking->ncandidates - 1, .candidate = ranking->candidate + 1};
    memmove(&ranking->candidate[1], &ranking->candidate[0], i * sizeof first);
    ranking->candidate[0] = first;
    plani_ranking_sort(&others);
}

/* ---- afterwards ---- */

static void look_again_at(const contest_t *t, const ran_t *ran, plani_encore_t *e)
{
    plan_candidate_t *c = &e->c[e->n];
    *c = t->ranking->candidate[ran->of]; /* borrows the trees */
    c->slice = ran->slice;
    c->window = ran->window;
    for (int i = 0; i < e->n; i++)
        if (plani_same_broadcast(&e->c[i], c)) return;
    e->runner[e->n] = (plani_runner_t){.c = c, .n = ran->n, .median = NAN};
    memcpy(e->runner[e->n++].sample, ran->sample, (size_t)ran->n * sizeof *ran->sample);
}

/* MPI_Bcast and the fastest of what ran. */
static void choose_encore(contest_t *t, plani_encore_t *e)
{
    double least = INFINITY;
    *e = (plani_encore_t){.n = 0};
    for (int i = 0; i < t->nran; i++) least = fmin(least, t->ran[i].seconds);
    if (PLANI_SIMULATED || !plani_is_brief(least)) return; /* simulated machines have no moods */
    for (int pass = 0; pass < PLANI_ENCORE; pass++) {
        ran_t *next = NULL;
        for (int i = 0; i < t->nran; i++) {
            bool native = t->ranking->candidate[t->ran[i].of].run == PLAN_RUN_NATIVE;
            double most = (native || e->n <= AGAIN ? hopeless : again) * least;
            if (!(t->ran[i].seconds < most) || (pass == 0 && !native)) continue;
            if (next == NULL || t->ran[i].seconds < next->seconds) next = &t->ran[i];
        }
        if (next == NULL) continue;
        look_again_at(t, next, e);
        next->seconds = INFINITY;
    }
    plani_encore_count(e);
    if (e->n > 1) e->ranking = t->ranking;
}

static void expect_heir(const plani_arena_t *a, const plan_ranking_t *before, plan_ranking_t *ranking)
{
    plan_candidate_t v;
    size_t of = plani_contest_heir(a, before, ranking, &v);
    if (of == ranking->ncandidates) return;
    plani_contest_adopt(&ranking->candidate[of], &v);
    plani_contest_crown(ranking, of);
}

void plani_contest_expect(const plani_arena_t *a, const plan_ranking_t *before, plan_ranking_t *ranking)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        double s = plani_is_planned(&ranking->candidate[i]) ? plani_expected(before, &ranking->candidate[i]) : INFINITY;
        if (s < least) least = s, best = i;
    }
    bool native = before != NULL && before->candidate[0].run == PLAN_RUN_NATIVE;
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (native && ranking->candidate[i].run == PLAN_RUN_NATIVE) best = i;
    if (ranking->ncandidates > 0) plani_contest_crown(ranking, best);
    if (!native) expect_heir(a, before, ranking);
}

static int play(contest_t *t, const plan_ranking_t *before, double budget_s, field_t *f)
{
    plan_candidate_t heir, form[FORMS];
    int rc = 0;

    choose_entrants(t, before, budget_s, &heir, form, f);
    if (f->n > 0) rc = race(t, "race", budget_s * (budget_s > ample * f->runner[0].c->predicted_s ? opening : 1), f);
    if (rc != 0 || f->n == 0) return rc;
    plani_runner_t *winner = plani_runners_pick(f->runner, f->n), *native = native_in(f);
    bool in_reach = winner != NULL && (native == NULL || winner->median < near * native->median);
    if (winner != NULL && native != NULL) t->wins = plani_runner_beats(winner, native);
    if (winner != NULL)
        settle(t, f, winner);
    else
        enter_times(t, f, 1);
    if (in_reach) rc = play_rematches(t, f);
    if (!t->wins || winner == NULL) t->best = (size_t)(native_of(t->ranking) - t->ranking->candidate);
    return rc;
}

int plani_contest_play(plani_arena_t *a, const plan_ranking_t *before, plan_ranking_t *ranking, double budget_s,
                       plani_encore_t *encore)
{
    field_t f = {.runner = calloc(MOST, sizeof *f.runner)};
    contest_t t = {.arena = a, .ranking = ranking, .end = MPI_Wtime() + budget_s, .best = 0, .wins = true};

    if (f.runner == NULL) return plani_fail(a->err, PLAN_ENOMEM, "out of memory for timing candidates");
    int rc = play(&t, before, budget_s, &f);
    if (rc == 0 && t.nran > 0) {
        choose_encore(&t, encore);
        plani_contest_crown(ranking, t.best);
    }
    free(f.runner);
    return rc;
}
