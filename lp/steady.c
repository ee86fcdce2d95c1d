#include "lp/lp.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

struct plan_steady {
    int n;
    double throughput, upper, seconds;
    int rounds;
    const char *method;
    double *rate; /* [nlinks] in the caller's order */
    plani_packing_t trees;
};

static plan_status_t check_options(const plan_steady_options_t *o, plan_error_t *err)
{
    if (o->method != PLAN_STEADY_CUTS && o->method != PLAN_STEADY_DIRECT)
        return plani_fail(err, PLAN_EINVAL, "no such method: %d", (int)o->method);
    if (!(o->gap >= 0 && o->gap < 1))
        return plani_fail(err, PLAN_EINVAL, "a relative gap is in [0, 1), not %g", o->gap);
    if (!(o->time_limit_s >= 0)) return plani_fail(err, PLAN_EINVAL, "a time limit of %g s", o->time_limit_s);
    return PLAN_OK;
}

/* From units of lp->unit_s to seconds, and from the links in use to the caller's. */
static plan_status_t take(plan_steady_t *s, const plani_lp_t *lp, const plani_answer_t *a, plan_error_t *err)
{
    for (size_t l = 0; l < lp->m; l++) s->rate[lp->given[l]] = a->rate[l] / lp->unit_s;
    s->throughput = a->lower / lp->unit_s;
    s->upper = a->upper / lp->unit_s;
    s->rounds = a->rounds;
    s->method = a->method;
    if (!isfinite(s->upper) || !(s->throughput > 0))
        return plani_fail(err, PLAN_ESOLVER, "the costs of links and resources span too many orders of magnitude");
    if (s->upper < s->throughput) s->upper = s->throughput; /* both are certified: what is between is rounding */
    return PLAN_OK;
}

static plan_status_t run(plan_steady_t *s, const plani_lp_t *lp, const plan_steady_options_t *o, double start,
                         plan_error_t *err)
{
    plan_status_t rc;
    plani_answer_t a = {.method = ""};
    double deadline = o->time_limit_s > 0 ? start + o->time_limit_s : 0;

    if ((a.rate = calloc(lp->m, sizeof *a.rate)) == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory");
    if (o->method == PLAN_STEADY_DIRECT)
        rc = plani_direct(lp, deadline, &a, err);
    else
        rc = plani_bound(lp, o->gap > 0 ? o->gap : 1e-6, deadline, &a, err);
    if (rc == PLAN_OK) rc = take(s, lp, &a, err);
    s->seconds = plani_now() - start;
    if (rc == PLAN_OK && o->pack_trees) {
        rc = plani_pack(lp, a.rate, a.lower, deadline, &s->trees);
        if (rc != PLAN_OK) plani_fail(err, rc, "packing into trees: %s", plan_status_string(rc));
        for (size_t i = 0; i < s->trees.count; i++) s->trees.rate[i] /= lp->unit_s;
    }
    free(a.rate);
    return rc;
}

plan_status_t plan_steady_solve(const plan_steady_problem_t *problem, const plan_steady_options_t *options,
                                plan_steady_t **out, plan_error_t *err)
{
    static const plan_steady_options_t defaults = {.method = PLAN_STEADY_CUTS, .pack_trees = 1};
    plan_status_t rc = PLAN_OK;
    plani_lp_t *lp = NULL;
    plan_steady_t *s = NULL;
    double start = plani_now();

    plani_clear(err);
    if (options == NULL) options = &defaults;
    if (out == NULL) return plani_fail(err, PLAN_EINVAL, "nowhere to put the solution");
    if ((rc = check_options(options, err)) != PLAN_OK) goto done;
    if ((rc = plani_lp_create(problem, &lp, err)) != PLAN_OK) goto done;
    if ((s = calloc(1, sizeof *s)) == NULL || (s->rate = calloc(problem->nlinks, sizeof *s->rate)) == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for %zu links", problem->nlinks);
        goto done;
    }
    s->n = lp->n;
    if ((rc = run(s, lp, options, start, err)) != PLAN_OK) goto done;
    *out = s, s = NULL;
done:
    plani_lp_destroy(&lp);
    plan_steady_destroy(&s);
    return rc;
}

void plan_steady_destroy(plan_steady_t **s)
{
    if (s == NULL || *s == NULL) return;
    plani_packing_clear(&(*s)->trees);
    free((*s)->rate);
    free(*s);
    *s = NULL;
}

double plan_steady_throughput(const plan_steady_t *s)
{
    return s->throughput;
}

double plan_steady_upper(const plan_steady_t *s)
{
    return s->upper;
}

double plan_steady_gap(const plan_steady_t *s)
{
    return (s->upper - s->throughput) / s->upper;
}

double plan_steady_seconds(const plan_steady_t *s)
{
    return s->seconds;
}

int plan_steady_rounds(const plan_steady_t *s)
{
    return s->rounds;
}

const char *plan_steady_method_name(const plan_steady_t *s)
{
    return s->method;
}

const double *plan_steady_rates(const plan_steady_t *s)
{
    return s->rate;
}

size_t plan_steady_trees(const plan_steady_t *s)
{
    return s->trees.count;
}

double plan_steady_tree_rate(const plan_steady_t *s, size_t i)
{
    return s->trees.rate[i];
}

const int *plan_steady_tree_parent(const plan_steady_t *s, size_t i)
{
    return s->trees.parent + i * (size_t)s->n;
}
