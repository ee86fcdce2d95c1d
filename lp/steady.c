/* The bound: options, known solutions, the solver, and packing into trees. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* With more than SPARSE links per rank, solving starts from the NEAREST cheapest links of each rank. */
enum { SPARSE = 12, NEAREST = 6 };

static const double THIN = 1e-5; /* part of the throughput that packing leaves out at least */

struct plan_steady {
    plan_steady_data_t data; /* what readers see; it points into the arrays below */
    int n;
    size_t nlinks, rows;
    double *rate;  /* [nlinks] in the caller's order */
    double *price; /* [rows] of ports and resources, in that order: they prove the upper end, or nearly */
    plani_packing_t trees;
    const int **tree_parent; /* [trees.count] */
};

static plan_status_t check_options(const plan_steady_options_t *o, plan_error_t *err)
{
    if (!(o->gap >= 0 && o->gap < 1))
        return plani_fail(err, PLAN_EINVAL, "a relative gap is in [0, 1), not %g", o->gap);
    if (!(o->enough >= 0 && o->enough < 1))
        return plani_fail(err, PLAN_EINVAL, "a relative gap that is enough is in [0, 1), not %g", o->enough);
    if (!(o->time_limit_s >= 0)) return plani_fail(err, PLAN_EINVAL, "a time limit of %g s", o->time_limit_s);
    return PLAN_OK;
}

static plan_status_t check_known(const plan_steady_options_t *o, const plani_lp_t *lp, size_t nlinks, plan_error_t *err)
{
    for (size_t i = 0; i < o->nknown; i++)
        if (o->known[i]->n != lp->n || o->known[i]->nlinks != nlinks || o->known[i]->rows != lp->rows)
            return plani_fail(err, PLAN_EINVAL, "known solution %zu is of other ranks, links or resources", i);
    return PLAN_OK;
}

/* The best bounds by known solutions; *enough: they are within the gap. */
static plan_status_t know(plani_sifting_t *sift, const plan_steady_options_t *o, double gap, plani_answer_t *a,
                          bool *enough)
{
    plan_status_t rc = PLAN_OK;
    a->method = "known";
    a->upper = sift->lp->alone;
    for (size_t i = o->nknown; i-- > 0 && rc == PLAN_OK && !*enough;) {
        const plan_steady_t *k = o->known[i];
        rc = plani_transfer_bounds(sift, k->rate, k->data.throughput, k->price, a);
        *enough = rc == PLAN_OK && a->lower > 0 && plani_close_enough(a, gap);
    }
    return rc;
}

/* By known solutions, else by the default method. */
static plan_status_t solve(const plani_lp_t *lp, const plan_steady_options_t *o, plani_goal_t goal, double deadline,
                           plani_answer_t *a, plan_error_t *err)
{
    plani_sifting_t *sift = NULL;
    bool enough = false;
    plan_status_t rc = plani_sifting_create(lp, lp->m > SPARSE * (size_t)lp->n ? NEAREST : 0, &sift);

    if (rc == PLAN_OK) rc = know(sift, o, goal.gap, a, &enough);
    if (rc != PLAN_OK)
        plani_fail(err, rc, "the steady-state program: %s", plan_status_string(rc));
    else if (!enough)
        rc = plani_bound(sift, goal, deadline, a, err);
    plani_sifting_destroy(&sift);
    return rc;
}

/* Convert the answer from units of lp->unit_s to seconds, and to the caller's order of links. */
static plan_status_t take(plan_steady_t *s, const plani_lp_t *lp, const plani_answer_t *a, plan_error_t *err)
{
    for (size_t l = 0; l < lp->m; l++) s->rate[lp->given[l]] = a->rate[l] / lp->unit_s;
    plan_steady_data_t *d = &s->data;
    d->throughput = a->lower / lp->unit_s;
    d->upper = a->upper / lp->unit_s;
    d->rounds = a->rounds;
    d->method = a->method;
    d->rate = s->rate;
    if (!isfinite(d->upper) || !(d->throughput > 0))
        return plani_fail(err, PLAN_ESOLVER, "the costs of links and resources span too many orders of magnitude");
    if (d->upper < d->throughput) d->upper = d->throughput; /* both are certified: the difference is rounding */
    d->gap = (d->upper - d->throughput) / d->upper;
    return PLAN_OK;
}

static plan_status_t pack(plan_steady_t *s, const plani_lp_t *lp, const plani_answer_t *a, double thin, double deadline,
                          plan_error_t *err)
{
    plani_packing_t *trees = &s->trees;
    plan_status_t rc = plani_pack(lp, a->rate, a->lower, thin, deadline, trees);
    if (rc == PLAN_OK && (s->tree_parent = calloc(trees->count + 1, sizeof *s->tree_parent)) == NULL) rc = PLAN_ENOMEM;
    if (rc != PLAN_OK) return plani_fail(err, rc, "packing into trees: %s", plan_status_string(rc));
    for (size_t i = 0; i < trees->count; i++) {
        trees->rate[i] /= lp->unit_s;
        s->tree_parent[i] = trees->parent + i * (size_t)s->n;
    }
    s->data.ntrees = trees->count;
    s->data.tree_rate = trees->rate;
    s->data.tree_parent = s->tree_parent;
    return PLAN_OK;
}

static plan_status_t run(plan_steady_t *s, const plani_lp_t *lp, plani_method_t *method, const plan_steady_options_t *o,
                         double start, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_answer_t a = {.method = "", .rate = calloc(lp->m, sizeof *a.rate), .price = s->price};
    plani_goal_t goal = {.gap = o->gap > 0 ? o->gap : 1e-6, .enough = o->enough};
    double deadline = o->time_limit_s > 0 ? start + o->time_limit_s : 0;

    if (a.rate == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory");
    if (method != NULL)
        rc = method(lp, deadline, &a, err);
    else
        rc = solve(lp, o, goal, deadline, &a, err);
    if (rc == PLAN_OK) rc = take(s, lp, &a, err);
    s->data.seconds = plani_now() - start;
    if (rc == PLAN_OK && o->pack_trees) rc = pack(s, lp, &a, fmax(THIN, goal.gap), deadline, err);
    free(a.rate);
    return rc;
}

plan_status_t plani_steady_solve_by(plani_method_t *method, const plani_steady_problem_t *problem,
                                    const plan_steady_options_t *options, plan_steady_t **out, plan_error_t *err)
{
    static const plan_steady_options_t defaults = {.size = sizeof defaults, .pack_trees = true};
    plan_status_t rc = PLAN_OK;
    plani_lp_t *lp = NULL;
    plan_steady_t *s = NULL;
    double start = plani_now();
    bool begun = plani_glpk_begin();

    plani_clear(err);
    if (options == NULL) options = &defaults;
    if (out == NULL) {
        rc = plani_fail(err, PLAN_EINVAL, "the output argument for the solution is NULL");
        goto done;
    }
    if ((rc = plani_check_size("plan_steady_options_t", options->size, sizeof *options, err)) != PLAN_OK) goto done;
    if ((rc = check_options(options, err)) != PLAN_OK) goto done;
    if ((rc = plani_lp_create(problem, &lp, err)) != PLAN_OK) goto done;
    if ((rc = check_known(options, lp, problem->nlinks, err)) != PLAN_OK) goto done;
    if ((s = calloc(1, sizeof *s)) == NULL || (s->rate = calloc(problem->nlinks, sizeof *s->rate)) == NULL ||
        (s->price = calloc(lp->rows, sizeof *s->price)) == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for %zu links", problem->nlinks);
        goto done;
    }
    s->n = lp->n;
    s->nlinks = problem->nlinks;
    s->rows = lp->rows;
    if ((rc = run(s, lp, method, options, start, err)) != PLAN_OK) goto done;
    *out = s, s = NULL;
done:
    plani_lp_destroy(&lp);
    plan_steady_destroy(&s);
    plani_glpk_end(begun);
    return rc;
}

plan_status_t plani_steady_solve(const plani_steady_problem_t *problem, const plan_steady_options_t *options,
                                 plan_steady_t **out, plan_error_t *err)
{
    return plani_steady_solve_by(NULL, problem, options, out, err);
}

void plan_steady_destroy(plan_steady_t **s)
{
    if (s == NULL || *s == NULL) return;
    plani_packing_clear(&(*s)->trees);
    free((*s)->rate);
    free((*s)->price);
    free((*s)->tree_parent);
    free(*s);
    *s = NULL;
}

const plan_steady_data_t *plan_steady_data(const plan_steady_t *s)
{
    return &s->data;
}

const double *plani_steady_prices(const plan_steady_t *s)
{
    return s->price;
}
