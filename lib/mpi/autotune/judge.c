/* Who runs next in a race, by what the runs so far took. */
#include "lib/mpi/autotune/race.h"
#include <math.h>

static const double least_s = 0.1; /* a race does not end before: moods last longer than a broadcast */
enum {
    FULL = 24, /* runs of brief broadcasts in a round, so that its own cost matters less; fewer than PLANI_FIELD, */
    AGAIN = 6  /* and of each runner */
};

double plani_judge_aside(const plani_judge_t *j)
{
    return j->runs > 0 ? (j->spent_s - j->running_s) / j->runs : 0;
}

void plani_judge_note(plani_judge_t *j, plani_runner_t *runner, const plani_round_t *round, const double *seconds)
{
    for (int i = 0; i < round->n; i++) {
        plani_runner_t *r = &runner[round->who[i]];
        if (r->n < PLANI_ROUNDS) r->sample[r->n++] = seconds[i];
        plani_runner_sum_up(r);
        j->running_s += seconds[i];
    }
    j->runs += round->n;
}

/* What a run of r takes, going by the best so far and by what is predicted of both [s]. */
static double foreseen(const plani_runner_t *best, const plani_runner_t *r)
{
    if (best == NULL) return 0;
    if (r->n > 0) return r->median;
    double ratio = r->c->predicted_s / best->c->predicted_s;
    return best->median * (ratio > 1 ? ratio : 1);
}

/* The first from `from` on that has not run yet and for which there is time, and for another run of the best, which may
 * have been lucky; -1: there is none. Who stays is what all others are compared with, and needs no such time. */
static int newcomer(plani_runner_t *runner, int n, int from, double left_s)
{
    const plani_runner_t *best = plani_runners_best(runner, n);
    for (int i = from; i < n; i++) {
        if (runner[i].n > 0 || runner[i].out) continue;
        if (best == NULL) return i;
        double again_s = runner[i].stays ? 0 : best->median;
        if (foreseen(best, &runner[i]) + again_s <= left_s) return i;
        runner[i].out = true;
    }
    return -1;
}

/* Newcomers one by one, so that the time left can be seen; where broadcasts are brief, many in a round. */
static void let_in(plani_runner_t *runner, int n, double left_s, double aside_s, plani_round_t *round)
{
    const plani_runner_t *best = plani_runners_best(runner, n);
    int most = best != NULL && best->median < PLANI_NOISY_S ? FULL : 1, next = -1;

    while (round->n < most && (next = newcomer(runner, n, next + 1, left_s)) >= 0) {
        round->who[round->n++] = next;
        left_s -= foreseen(best, &runner[next]) + aside_s;
    }
}

static bool is_over(const plani_judge_t *j, const plani_runner_t *runner, int n)
{
    const plani_runner_t *best = plani_runners_best(runner, n);
    if (j->spent_s >= j->heat->budget_s || best == NULL || best->n >= PLANI_ROUNDS) return true;
    if (j->heat->runs > 0) return j->laps + 1 >= j->heat->runs;
    return j->spent_s > least_s && plani_runners_known(runner, n);
}

/* Who is in, the fastest first. \return how many */
static int line_up(const plani_runner_t *runner, int n, int in[PLANI_FIELD])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        int k = count;
        if (runner[i].out) continue;
        for (; k > 0 && runner[i].median < runner[in[k - 1]].median; k--) in[k] = in[k - 1];
        in[k] = i;
        count++;
    }
    return count;
}

/* How many of those in line run in the next round: half of the time left is for later rounds, which are for the fastest
 * by then (sequential halving: Karnin, Koren, Somekh 2013, "Almost optimal exploration in multi-armed bandits"). Who is
 * the fastest in a few rounds of brief broadcasts is a matter of moods, and there are rounds enough: all go on. */
static int afforded(const plani_runner_t *runner, const int *in, int count, double left_s, double aside_s)
{
    double most_s = plani_is_brief(runner[in[0]].median) ? left_s : left_s / 2;
    for (int i = 0; i < count; i++)
        if ((most_s -= runner[in[i]].median + aside_s) < 0) return i > 0 ? i : 1;
    return count;
}

static void shuffle(plani_rng_t *rng, int *who, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = (int)plani_rng_below(rng, (uint64_t)i + 1), swap = who[i];
        who[i] = who[k], who[k] = swap;
    }
}

void plani_judge_draw(plani_judge_t *j, plani_runner_t *runner, int n, plani_round_t *round)
{
    double left_s = j->heat->budget_s - j->spent_s, aside_s = plani_judge_aside(j);
    int in[PLANI_FIELD] = {0}, count;

    round->n = 0;
    let_in(runner, n, left_s, aside_s, round);
    if (round->n > 0) return;
    plani_runners_drop(runner, n);
    if (is_over(j, runner, n)) return;
    if ((count = line_up(runner, n, in)) == 0) return; /* the best one is in */
    double each_s = runner[in[count - 1]].median;
    int times = each_s >= PLANI_NOISY_S || count > FULL ? 1 : FULL / count < AGAIN ? FULL / count : AGAIN;
    if (j->heat->runs > 0 && times > j->heat->runs - 1 - j->laps) times = j->heat->runs - 1 - j->laps;
    for (int t = 0; t < times && (left_s > 0 || t == 0); t++, j->laps++) {
        int *who = &round->who[round->n];
        count = afforded(runner, in, count, left_s, aside_s);
        for (int i = 0; i < count; i++) {
            who[i] = in[i];
            left_s -= runner[in[i]].median + aside_s;
        }
        shuffle(&j->rng, who, count);
        round->n += count;
    }
}
