/* The method of cuts. The program has the variables n_uv and TP only, and a row for every cut found so far between the
 * root and some rank (Edmonds 1973: rates whose cuts all reach TP can be packed into arborescences of that total). Cuts
 * are separated not only at the program's optimum, which oscillates, but also between it and the best feasible rates
 * known (in-out separation, Ben-Ameur and Neto 2007): every round finds a cut or improves the lower end. */
#include "lp/lp.h"
#include "lp/master.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Weight of the mean load in the objective, which breaks ties (plani_master_avert), if the gap is above FAR at first.
 */
static const double AVERSION = 1e-2;
static const double FAR = 0.02;
static const double LONG = 1e5; /* simplex steps * rows of the program: about 0.01 s */

typedef struct {
    const plani_lp_t *lp;
    plani_answer_t *best;
    plani_sifting_t *sift;
    plani_master_t *master;
    plani_flow_t *flow;
    double *load;          /* [rows] */
    double *between;       /* [m] rates at which cuts are separated */
    unsigned char *inside; /* [n] */
    plan_status_t failed;  /* error of a callback */
} cuts_t;

static void destroy(cuts_t *c)
{
    plani_master_destroy(&c->master);
    plani_flow_destroy(&c->flow);
    free(c->load);
    free(c->between);
    free(c->inside);
}

static plan_status_t create(cuts_t *c, double deadline)
{
    const plani_lp_t *lp = c->lp;
    plan_status_t rc;

    c->load = calloc(lp->rows, sizeof *c->load);
    c->between = calloc(lp->m, sizeof *c->between);
    c->inside = calloc((size_t)lp->n, 1);
    if (c->load == NULL || c->between == NULL || c->inside == NULL) return PLAN_ENOMEM;
    if ((rc = plani_flow_create(lp->n, lp->m, &c->flow)) != PLAN_OK) return rc;
    plani_flow_until(c->flow, deadline);
    return plani_master_create(lp, c->sift, c->best->upper, deadline, &c->master);
}

/* The cuts around single ranks and the one around the root. */
static plan_status_t first_cuts(cuts_t *c)
{
    const plani_lp_t *lp = c->lp;
    plan_status_t rc = PLAN_OK;

    memset(c->inside, 0, (size_t)lp->n);
    for (int v = 0; v < lp->n && rc == PLAN_OK; v++) {
        if (v == lp->root) continue;
        c->inside[v] = 1;
        rc = plani_master_add_cut(c->master, c->inside);
        c->inside[v] = 0;
    }
    for (int v = 0; v < lp->n; v++) c->inside[v] = v != lp->root;
    return rc == PLAN_OK ? plani_master_add_cut(c->master, c->inside) : rc;
}

/* Add the violated cuts of the laminar family that proves the value of the minimum-cost arborescence at the best
 * prices. With all cuts of the family, the program's optimum does not exceed the upper end. */
static plan_status_t family_cuts(cuts_t *c)
{
    const plani_lp_t *lp = c->lp;
    const double *rate = c->master->rate;
    plan_status_t rc = PLAN_OK;
    const int *up;
    const double *z;
    int nodes;

    plani_sifting_solve(c->sift, c->best->price);
    plani_arb_family(c->sift->arb, &up, &z, &nodes);
    for (int i = lp->n; i < nodes && rc == PLAN_OK; i++) {
        double across = 0;
        if (z[i] <= 0) continue;
        for (int v = 0; v < lp->n; v++) {
            int j = v;
            while (j >= 0 && j != i) j = up[j];
            c->inside[v] = j == i;
        }
        for (size_t k = 0; k < c->sift->count; k++) {
            size_t l = c->sift->link[k];
            if (c->inside[lp->to[l]] && !c->inside[lp->from[l]]) across += rate[l];
        }
        if (across < c->master->tp * (1 - 1e-9)) rc = plani_master_add_cut(c->master, c->inside);
    }
    return rc;
}

static int note_cut(void *context, const unsigned char *inside, double value)
{
    cuts_t *c = context;

    (void)value;
    c->failed = plani_master_add_cut(c->master, inside);
    return c->failed != PLAN_OK;
}

/* Separate cuts at best + step * (optimum - best); the rates there become the best if they are better. */
static plan_status_t separate(cuts_t *c, double step, double gap)
{
    const plani_lp_t *lp = c->lp;
    double most = 1, target = c->best->lower + step * (c->master->tp - c->best->lower);

    for (size_t l = 0; l < lp->m; l++)
        c->between[l] = c->best->rate[l] + step * (c->master->rate[l] - c->best->rate[l]);
    plani_lp_loads(lp, c->between, c->load);
    for (size_t i = 0; i < lp->rows; i++)
        if (c->load[i] > most) most = c->load[i];
    double value =
        plani_flow_cuts(c->flow, lp, c->sift->link, c->sift->count, c->between, target * (1 - 0.1 * gap), note_cut, c);
    if (c->failed == PLAN_OK && isinf(value)) c->failed = PLAN_ETIME;
    if (c->failed == PLAN_OK && value / most > c->best->lower) {
        c->best->lower = value / (most * (1 + 1e-14));
        for (size_t l = 0; l < lp->m; l++) c->best->rate[l] = c->between[l] / (most * (1 + 1e-14));
    }
    return c->failed;
}

static void bound_above(cuts_t *c)
{
    double upper = plani_sifting_upper(c->sift, c->master->price);

    if (!(upper < c->best->upper)) return;
    c->best->upper = upper;
    memcpy(c->best->price, c->master->price, c->lp->rows * sizeof *c->best->price);
}

static int close_enough(const cuts_t *c, double gap)
{
    return plani_close_enough(c->best, gap);
}

static int done(const cuts_t *c, plani_goal_t goal)
{
    return close_enough(c, goal.gap) || (close_enough(c, goal.enough) && c->master->work > LONG);
}

/* Cuts at the optimum and half-way to it. */
static plan_status_t separate_both(cuts_t *c, double gap)
{
    plan_status_t rc = separate(c, 0.5, gap);
    return rc != PLAN_OK || close_enough(c, gap) ? rc : separate(c, 1, gap);
}

static plan_status_t improve(cuts_t *c, plani_goal_t goal)
{
    plan_status_t rc;
    double gap = goal.gap;
    int links = 1; /* whether further links can raise the optimum by more than 0.3 of the gap */
    double aversion = close_enough(c, FAR) ? 0 : AVERSION, old = INFINITY;

    while (!done(c, goal)) {
        plani_master_avert(c->master, aversion);
        if ((rc = plani_master_solve(c->master, links)) != PLAN_OK) return rc;
        c->best->rounds++;
        bound_above(c);
        links = c->best->upper - c->master->tp > 0.3 * gap * c->best->upper;
        if (done(c, goal)) break;
        if (c->master->tp < old * (1 - 1e-9) && (rc = plani_master_purge(c->master, 6)) != PLAN_OK) return rc;
        if (old == INFINITY && c->master->tp > c->best->upper && (rc = family_cuts(c)) != PLAN_OK) return rc;
        old = c->master->tp;
        if ((rc = separate_both(c, gap)) != PLAN_OK) return rc;
        if (aversion > 0 && (c->master->pending == 0 || close_enough(c, 3 * aversion)))
            aversion = aversion > gap ? fmax(aversion / 30, gap) : 0; /* its error matters: reduce it */
        else if (c->master->pending == 0 && !(links && c->sift->count > c->master->columns))
            break; /* no violated cut: the limit of arithmetic */
    }
    return PLAN_OK;
}

plan_status_t plani_cuts(plani_sifting_t *sift, plani_goal_t goal, double deadline, plani_answer_t *answer)
{
    plan_status_t rc;
    cuts_t c = {.lp = sift->lp, .sift = sift, .best = answer};

    if ((rc = create(&c, deadline)) == PLAN_OK && (rc = first_cuts(&c)) == PLAN_OK) rc = improve(&c, goal);
    destroy(&c);
    return rc;
}
