/* Rank 0's decisions in a race: who is worth timing, who drops out, and when enough is known. Other than in Hunold and
 * Carpen-Amarie 2016, baselines that are far behind drop out, so that the time goes to those that matter. */
#include "baselines.h"
#include "lib/base/splitmix.h"
#include <math.h>
#include <stdio.h>

enum { DROPS = 4, LEAST_ROUNDS = 3, FEW = 2 };
enum { LONG = 1 << 16, VERY_LONG = 1 << 20, LONGEST = 1 << 22 }; /* [B] below, times scatter and cost nothing */

/* A setting drops out after `samples` if its fastest is more than `factor` times the median of the best of its kind. */
typedef struct {
    int samples;
    double factor;
} drop_t;
static const drop_t drop_short[DROPS] = {{2, 5}, {5, 2}, {9, 1.3}, {30, 1.15}},
                    drop_long[DROPS] = {{1, 3}, {2, 1.6}, {4, 1.25}, {9, 1.1}},
                    drop_very_long[DROPS] = {{1, 2}, {2, 1.3}, {3, 1.12}, {6, 1.05}};
/* The default is asked for at every size. */
static const drop_t drop_default[DROPS] = {{3, 2}}, drop_longest_default[DROPS] = {{1, 4}, {2, 2.5}, {3, 2}};

static const double first_rounds = 0.7; /* of a size's time, for all that is tried; the rest, for what is good */

static const drop_t *drops(kind_t kind, size_t bytes)
{
    if (kind == KIND_DEFAULT) return bytes < LONGEST ? drop_default : drop_longest_default;
    return bytes < LONG ? drop_short : bytes < VERY_LONG ? drop_long : drop_very_long;
}

static bool optional(const setting_t *s)
{
    return s->kind == KIND_BASELINE || s->kind == KIND_CANDIDATE;
}

/* --- before the rounds ----------------------------------------------------------------------------------------------
 */

/* Why a setting need not be timed, whatever time there is; "": it may. */
static void refuse(const setting_t *s, entry_t *e, size_t bytes)
{
    if (guard_broken(s->name, bytes))
        snprintf(e->skipped, sizeof e->skipped, "broke");
    else if (s->kind == KIND_BASELINE && s->segment >= bytes)
        snprintf(e->skipped, sizeof e->skipped, "segment as long as the message");
}

static bool admitted(const settings_t *s, const cell_t *c, int i)
{
    return c->entry[i].skipped[0] == '\0' && s->at[i].same_as < 0;
}

/* What is known of it is its place behind the best: twice as far is as much as can be guessed of one that was never
 * timed. */
static double foreseen(const setting_t *s, const before_t *before, size_t bytes)
{
    double then = before_scaled(before, s, bytes);
    if (isnan(then)) then = 2 * before_best(before, s->kind, bytes);
    if (isnan(then)) then = 2 * before_best(before, KIND_PLAN, bytes);
    return then;
}

/* What it is held against between the rounds, too: baselines, the best of them; all else, the best that a plan can do.
 */
static double yardstick(const before_t *before, kind_t kind, size_t bytes)
{
    double plan = before_best(before, KIND_PLAN, bytes);
    if (kind == KIND_BASELINE) return before_best(before, kind, bytes);
    return kind == KIND_CANDIDATE ? fmin(plan, before_best(before, kind, bytes)) : plan;
}

/* What it takes until a setting is known well enough or has dropped out [s]. */
static double cost_of(const setting_t *s, const before_t *before, size_t bytes)
{
    double then = foreseen(s, before, bytes), behind = then / yardstick(before, s->kind, bytes);
    const drop_t *drop = drops(s->kind, bytes);
    for (int d = 0; d < DROPS && s->kind != KIND_PLAN; d++)
        if (drop[d].samples > 0 && drop[d].samples < LEAST_ROUNDS && behind > drop[d].factor)
            return drop[d].samples * then;
    return LEAST_ROUNDS * then;
}

/* The slowest of the optional ones that are still to be timed; -1: all kinds are down to a few. */
static int slowest(const settings_t *s, const before_t *before, const cell_t *c)
{
    int which = -1, left[KINDS] = {0};
    double most = 0;
    for (int i = 0; i < s->n; i++) left[s->at[i].kind] += admitted(s, c, i);
    for (int i = 0; i < s->n; i++) {
        double then = foreseen(&s->at[i], before, c->bytes);
        if (optional(&s->at[i]) && admitted(s, c, i) && left[s->at[i].kind] > FEW && then > most)
            most = then, which = i;
    }
    return which;
}

void judge_admit(const settings_t *s, const before_t *before, double budget_s, cell_t *cell)
{
    int which;
    for (int i = 0; i < s->n; i++) refuse(&s->at[i], &cell->entry[i], cell->bytes);
    if (cell->bytes <= LONG || before->bytes == 0) return;
    for (;;) {
        double cost = 0;
        for (int i = 0; i < s->n; i++)
            if (admitted(s, cell, i)) cost += cost_of(&s->at[i], before, cell->bytes);
        if (!(cost > first_rounds * budget_s) || (which = slowest(s, before, cell)) < 0) return;
        double then = foreseen(&s->at[which], before, cell->bytes);
        snprintf(cell->entry[which].skipped, sizeof cell->entry[which].skipped, "no time: %.3g s expected, best %.3g s",
                 then, yardstick(before, s->at[which].kind, cell->bytes));
    }
}

double judge_least(const settings_t *s, const before_t *before, bool regret, size_t bytes)
{
    double plan = before_best(before, KIND_PLAN, bytes), baseline = before_best(before, KIND_BASELINE, bytes);
    double sum = regret ? FEW * LEAST_ROUNDS * plan : 0;
    for (int i = 0; i < s->n; i++)
        if (!optional(&s->at[i]) && s->at[i].same_as < 0) sum += cost_of(&s->at[i], before, bytes);
    return sum + FEW * LEAST_ROUNDS * (isnan(baseline) ? plan : baseline);
}

/* --- between the rounds ---------------------------------------------------------------------------------------------
 */

static bool takes_part(const judge_t *j, int i)
{
    return admitted(j->s, j->cell, i) && !j->cell->entry[i].dropped;
}

/* Baselines are held against the best baseline, all else against the best that a plan can do. */
static void drop_slow(judge_t *j)
{
    double target[KINDS], planned = INFINITY;
    for (int k = 0; k < KINDS; k++) {
        int best = cell_best(j->s, j->cell, (kind_t)k);
        target[k] = best < 0 ? INFINITY : j->cell->entry[best].median;
        if (k != KIND_BASELINE) planned = fmin(planned, target[k]);
    }
    target[KIND_DEFAULT] = target[KIND_CANDIDATE] = planned;
    for (int i = 0; i < j->s->n; i++) {
        kind_t kind = j->s->at[i].kind;
        entry_t *e = &j->cell->entry[i];
        const drop_t *drop = drops(kind, j->cell->bytes);
        double fastest = INFINITY;
        for (int k = 0; k < e->n; k++) fastest = fmin(fastest, e->sample[k]);
        if (kind == KIND_PLAN || (kind == KIND_DEFAULT && j->cell->bytes < LONG)) continue;
        for (int d = 0; d < DROPS; d++)
            if (drop[d].samples > 0 && e->n >= drop[d].samples && fastest > drop[d].factor * target[kind])
                e->dropped = true;
    }
}

/* Plans, default, best baseline and best candidate known to 2.5%. */
static bool certain(const judge_t *j)
{
    int baseline = cell_best(j->s, j->cell, KIND_BASELINE), candidate = cell_best(j->s, j->cell, KIND_CANDIDATE);
    for (int i = 0; i < j->s->n; i++) {
        const entry_t *e = &j->cell->entry[i];
        if ((optional(&j->s->at[i]) && i != baseline && i != candidate) || !takes_part(j, i)) continue;
        if (e->n < 8 || (e->high - e->low) / 2 > 0.025 * e->median) return false;
    }
    return true;
}

/* What the next round will take, by the medians so far [s]. */
static double next_round(const judge_t *j)
{
    double sum = 0;
    for (int i = 0; i < j->s->n; i++)
        if (takes_part(j, i)) sum += j->cell->entry[i].median;
    return sum;
}

static bool enough(const judge_t *j, int round, double spent_s)
{
    if (round == 0) return false;
    if (round >= j->rounds || spent_s >= 3 * j->budget_s) return true;
    return round >= LEAST_ROUNDS && (spent_s + next_round(j) / 2 >= j->budget_s || certain(j));
}

void shuffle(uint64_t *random, int *order, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = (int)(plani_random(random) % (uint64_t)(i + 1)), swap = order[i];
        order[i] = order[k], order[k] = swap;
    }
}

int judge_draw(judge_t *j, int round, double spent_s, int *order)
{
    int n = 0;

    for (int i = 0; i < j->s->n; i++) summarise(&j->cell->entry[i]);
    drop_slow(j);
    if (enough(j, round, spent_s)) return 0;
    for (int i = 0; i < j->s->n; i++)
        if (takes_part(j, i)) order[n++] = i;
    shuffle(&j->random, order, n);
    return n;
}
