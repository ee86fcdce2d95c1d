/* Rank 0's decisions in an elimination: which settings are timed, which drop out, and when it ends. Unlike in Hunold
 * and Carpen-Amarie 2016, baselines that are much slower than the best drop out, to spend the time on the fast ones. */
#include "baselines.h"
#include "lib/base/splitmix.h"
#include <math.h>
#include <stdio.h>

enum { DROPS = 4, LEAST_ROUNDS = 3, FEW = 2 };
enum { LONG = 1 << 16, VERY_LONG = 1 << 20, LONGEST = 1 << 22 }; /* [B] below LONG, times scatter but are short */

/* A setting drops out after `samples` if its least time exceeds `factor` times the median that it is compared with. */
typedef struct {
    int samples;
    double factor;
} drop_t;
static const drop_t drop_short[DROPS] = {{2, 5}, {5, 2}, {9, 1.3}, {30, 1.15}},
                    drop_long[DROPS] = {{1, 3}, {2, 1.6}, {4, 1.25}, {9, 1.1}},
                    drop_very_long[DROPS] = {{1, 2}, {2, 1.3}, {3, 1.12}, {6, 1.05}};
/* The default's ratio to the plan is reported at every size, so it drops out later. */
static const drop_t drop_default[DROPS] = {{3, 2}}, drop_longest_default[DROPS] = {{1, 4}, {2, 2.5}, {3, 2}};

static const double first_rounds = 0.7; /* share of a size's time for the first rounds of all settings */

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

/* Set `skipped` of a setting that is not timed however much time there is. */
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

/* The predicted time of a setting [s]. One that was never timed is assumed to take twice the best of its kind, or twice
 * the best plan. */
static double foreseen(const setting_t *s, const before_t *before, size_t bytes)
{
    double then = before_scaled(before, s, bytes);
    if (isnan(then)) then = 2 * before_best(before, s->kind, bytes);
    if (isnan(then)) then = 2 * before_best(before, KIND_PLAN, bytes);
    return then;
}

/* The predicted time that settings of a kind are compared with [s], by the rule of drop_slow: for baselines, the best
 * baseline; for all others, the best plan (for candidates, the best plan or candidate). */
static double yardstick(const before_t *before, kind_t kind, size_t bytes)
{
    double plan = before_best(before, KIND_PLAN, bytes);
    if (kind == KIND_BASELINE) return before_best(before, kind, bytes);
    return kind == KIND_CANDIDATE ? fmin(plan, before_best(before, kind, bytes)) : plan;
}

/* The predicted time of a setting until it drops out or has taken part in LEAST_ROUNDS rounds [s]. */
static double cost_of(const setting_t *s, const before_t *before, size_t bytes)
{
    double then = foreseen(s, before, bytes), behind = then / yardstick(before, s->kind, bytes);
    const drop_t *drop = drops(s->kind, bytes);
    for (int d = 0; d < DROPS && s->kind != KIND_PLAN; d++)
        if (drop[d].samples > 0 && drop[d].samples < LEAST_ROUNDS && behind > drop[d].factor)
            return drop[d].samples * then;
    return LEAST_ROUNDS * then;
}

/* The slowest optional setting that is still admitted, of kinds with more than FEW of them; -1: none. */
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

void sampling_admit(const settings_t *s, const before_t *before, double budget_s, cell_t *cell)
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

double sampling_least(const settings_t *s, const before_t *before, bool regret, size_t bytes)
{
    double plan = before_best(before, KIND_PLAN, bytes), baseline = before_best(before, KIND_BASELINE, bytes);
    double sum = regret ? FEW * LEAST_ROUNDS * plan : 0;
    for (int i = 0; i < s->n; i++)
        if (!optional(&s->at[i]) && s->at[i].same_as < 0) sum += cost_of(&s->at[i], before, bytes);
    return sum + FEW * LEAST_ROUNDS * (isnan(baseline) ? plan : baseline);
}

/* --- between the rounds ---------------------------------------------------------------------------------------------
 */

static bool takes_part(const sampling_t *j, int i)
{
    return admitted(j->s, j->cell, i) && !j->cell->entry[i].dropped;
}

/* Baselines are compared with the best baseline; default and candidates with the best plan, default or candidate. */
static void drop_slow(sampling_t *j)
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

/* Whether the 95% intervals of plans, default, best baseline and best candidate are within 2.5% of the medians. */
static bool certain(const sampling_t *j)
{
    int baseline = cell_best(j->s, j->cell, KIND_BASELINE), candidate = cell_best(j->s, j->cell, KIND_CANDIDATE);
    for (int i = 0; i < j->s->n; i++) {
        const entry_t *e = &j->cell->entry[i];
        if ((optional(&j->s->at[i]) && i != baseline && i != candidate) || !takes_part(j, i)) continue;
        if (e->n < 8 || (e->high - e->low) / 2 > 0.025 * e->median) return false;
    }
    return true;
}

/* The predicted time of the next round: the sum of the medians so far [s]. */
static double next_round(const sampling_t *j)
{
    double sum = 0;
    for (int i = 0; i < j->s->n; i++)
        if (takes_part(j, i)) sum += j->cell->entry[i].median;
    return sum;
}

static bool enough(const sampling_t *j, int round, double spent_s)
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

int sampling_draw(sampling_t *j, int round, double spent_s, int *order)
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
