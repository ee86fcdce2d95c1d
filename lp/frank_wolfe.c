/* A first approximation without a linear program: a convex combination of arborescences with a small largest load
 * (Frank and Wolfe 1956). The largest load is smoothed to a soft maximum, (1/s) log sum exp(s load). Its gradient gives
 * the prices of the rows. The minimum-cost arborescence at these prices enters the combination with the step that
 * reduces the soft maximum most. The hardness s grows as the gap shrinks. */
#include "lp/lp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    plani_sifting_t *sift;
    double *rate; /* [m] the combination, of total rate 1 */
    double *load; /* [rows] its loads */
    double *tree; /* [rows] loads of the current arborescence */
    double *y;    /* [rows] prices; their sum is 1 */
    double most;  /* the largest load */
    double upper; /* upper bound of TP */
} frank_wolfe_t;

static void destroy(frank_wolfe_t *x)
{
    free(x->rate);
    free(x->load);
    free(x->tree);
    free(x->y);
}

static plan_status_t create(frank_wolfe_t *x)
{
    const plani_lp_t *lp = x->sift->lp;

    x->rate = calloc(lp->m, sizeof *x->rate);
    x->load = calloc(lp->rows, sizeof *x->load);
    x->tree = calloc(lp->rows, sizeof *x->tree);
    x->y = calloc(lp->rows, sizeof *x->y);
    return x->rate && x->load && x->tree && x->y ? PLAN_OK : PLAN_ENOMEM;
}

/* Add the arborescence just found to the trees, and compute its loads. */
static plan_status_t take_tree(frank_wolfe_t *x, plani_trees_t *trees)
{
    plan_status_t rc = plani_trees_add(trees, x->sift->lp, x->sift->pick);

    if (rc == PLAN_OK) plani_trees_load(trees, x->sift->lp, trees->count - 1, x->tree);
    return rc;
}

/* Slope of the soft maximum of load + step * (tree - load). */
static double slope(const frank_wolfe_t *x, double hardness, double step)
{
    const plani_lp_t *lp = x->sift->lp;
    double most = 0, sum = 0;

    for (size_t i = 0; i < lp->rows; i++) {
        double at = x->load[i] + step * (x->tree[i] - x->load[i]);
        if (at > most) most = at;
    }
    for (size_t i = 0; i < lp->rows; i++) {
        double at = x->load[i] + step * (x->tree[i] - x->load[i]), e = hardness * (at - most);
        if (e > -40) sum += exp(e) * (x->tree[i] - x->load[i]);
    }
    return sum;
}

static void mix_in(frank_wolfe_t *x, double step)
{
    const plani_lp_t *lp = x->sift->lp;

    for (size_t k = 0; k < x->sift->count; k++) x->rate[x->sift->link[k]] *= 1 - step;
    for (int v = 0; v < lp->n; v++)
        if (v != lp->root) x->rate[x->sift->pick[v]] += step;
    x->most = 0;
    for (size_t i = 0; i < lp->rows; i++) {
        x->load[i] += step * (x->tree[i] - x->load[i]);
        if (x->load[i] > x->most) x->most = x->load[i];
    }
}

/* The step in [0, 1] with the least soft maximum, by bisection. */
static double best_step(const frank_wolfe_t *x, double hardness)
{
    double low = 0, high = 1;

    for (int i = 0; i < 12; i++) {
        double mid = i == 0 ? 0.05 : (low + high) / 2;
        if (slope(x, hardness, mid) > 0)
            high = mid;
        else
            low = mid;
    }
    return (low + high) / 2;
}

static void set_prices(frank_wolfe_t *x, double hardness)
{
    const plani_lp_t *lp = x->sift->lp;
    double sum = 0;

    for (size_t i = 0; i < lp->rows; i++) sum += x->y[i] = exp(hardness * (x->load[i] - x->most));
    for (size_t i = 0; i < lp->rows; i++) x->y[i] /= sum;
}

static plan_status_t improve(frank_wolfe_t *x, double gap, int patience, double deadline, plani_answer_t *answer,
                             double *y, plani_trees_t *trees)
{
    const plani_lp_t *lp = x->sift->lp;
    const int dense = lp->m > 40 * (size_t)lp->n;
    double best = INFINITY; /* least upper end by prices */
    double last = INFINITY; /* gap at the last progress */
    plan_status_t rc = PLAN_OK;

    for (int i = 0, since = 0; since < patience && plani_left(deadline) > 0; i++, since++) {
        double now = 1 - 1 / (x->most * x->upper);
        double hardness = 2 * log((double)lp->rows) / (fmax(now, 1e-4) * x->most);
        set_prices(x, hardness);
        int whole = !dense || i % 10 == 0;
        double value = whole ? plani_sifting_solve(x->sift, x->y) : plani_sifting_solve_near(x->sift, x->y);
        if (whole && 1 / value < best) { /* note these prices even if answer->upper is lower */
            best = 1 / value;
            x->upper = fmin(x->upper, best);
            memcpy(y, x->y, lp->rows * sizeof *y);
        }
        if ((rc = take_tree(x, trees)) != PLAN_OK) return rc;
        mix_in(x, best_step(x, hardness));
        answer->rounds++;
        now = 1 - 1 / (x->most * x->upper);
        if (now <= gap) break;
        if (now < 0.9 * last) last = now, since = 0;
    }
    return rc;
}

plan_status_t plani_frank_wolfe(plani_sifting_t *sift, double gap, int patience, double deadline,
                                plani_answer_t *answer, double *y, plani_trees_t *trees)
{
    frank_wolfe_t x = {.sift = sift, .upper = answer->upper};
    const plani_lp_t *lp = sift->lp;
    plan_status_t rc;

    if ((rc = create(&x)) != PLAN_OK) goto done;
    for (size_t i = 0; i < lp->rows; i++) y[i] = 1 / (double)lp->rows;
    x.upper = fmin(x.upper, 1 / plani_sifting_solve(sift, y));
    if ((rc = take_tree(&x, trees)) != PLAN_OK) goto done;
    mix_in(&x, 1);
    if ((rc = improve(&x, gap, patience, deadline, answer, y, trees)) != PLAN_OK) goto done;
    for (size_t l = 0; l < lp->m; l++) answer->rate[l] = x.rate[l];
    if (x.upper < answer->upper) answer->upper = x.upper;
    rc = plani_certify_lower(lp, answer->rate, deadline, &answer->lower);
    /* No time left to compute cuts: each tree crosses each cut, so a combination of total 1 has no smaller cut. */
    if (rc == PLAN_OK && answer->lower == 0 && plani_left(deadline) <= 0)
        answer->lower = (1 - 1e-15 * (10 + answer->rounds)) / x.most;
done:
    destroy(&x);
    return rc;
}
