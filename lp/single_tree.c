/* The best single tree: bisection on its period, by linear relaxations and then by branch and bound. */
#include "lp/single_tree.h"
#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lp/lp.h"
#include "lp/simplex.h"
#include "lp/stars.h"

#define MOST_STARS 4000   /* of a rank */
#define ALL_STARS 50000   /* of all ranks */
#define VIOLATED 1e-6     /* by which a cut has to be violated to get a row */
#define ROUNDING 1e-12    /* of a period: sums in another order */
#define PART_OF_TIME 0.25 /* of what is left, for one integer program */

typedef enum { NO, YES, UNKNOWN } answer_t;

/* Columns: a link each, then a star each. */
typedef struct {
    const plani_tree_program_t *p;
    plani_lp_t *lp; /* the links that a tree may use; its units are not used */
    plani_flow_t *flow;
    plani_stars_t stars;
    double *cost, *busy; /* [m] of the links of lp [s] */
    size_t *cheap;       /* [m] links by rank, then by busy[] */
    size_t *slot;        /* [given nlinks] 1 + index in lp; 0: into the root */
    int *index;          /* scratch of a row or column */
    double *value;
    double *x; /* [m] */
    glp_prob *prob, *cutting;
    double deadline, until; /* of everything; of the program at hand */
    double tau, unit;       /* [s] */
    double most;            /* [s] trees of a longer period are of no use */
    bool integer;
    answer_t answer;
} search_t;

static int link_row(size_t l)
{
    return 1 + (int)l;
}

/* The star that a rank takes, or its port. */
static int port_row(const search_t *s, int u)
{
    return 1 + (int)s->lp->m + u;
}

static int children_row(const search_t *s, int u)
{
    return port_row(s, s->lp->n) + u;
}

/* What rank u sends and receives by one port: of ranks with stars, which need no number of children. */
static int turns_row(const search_t *s, int u)
{
    return s->stars.has[u] ? children_row(s, u) : port_row(s, u);
}

static int into_row(const search_t *s, int v)
{
    return children_row(s, s->lp->n) + v;
}

static int resource_row(const search_t *s, size_t i)
{
    return into_row(s, s->lp->n) + (int)i;
}

static int star_column(const search_t *s, size_t i)
{
    return 1 + (int)(s->lp->m + i);
}

static void entry(search_t *s, int *n, int at, double value)
{
    ++*n;
    s->index[*n] = at;
    s->value[*n] = value;
}

static void build_links(search_t *s)
{
    const plani_lp_t *lp = s->lp;
    for (size_t l = 0; l < lp->m; l++) {
        int n = 0, u = lp->from[l];
        entry(s, &n, into_row(s, lp->to[l]), 1);
        if (s->stars.has[u]) {
            entry(s, &n, link_row(l), 1);
        } else {
            entry(s, &n, port_row(s, u), s->busy[l] / s->unit);
            entry(s, &n, children_row(s, u), 1);
        }
        if (s->p->receive != NULL) entry(s, &n, turns_row(s, lp->to[l]), s->p->receive[lp->given[l]] / s->unit);
        glp_set_mat_col(s->prob, 1 + (int)l, n, s->index, s->value);
        glp_set_col_kind(s->prob, 1 + (int)l, GLP_BV);
    }
    for (size_t i = 0; i < s->p->nresources; i++) {
        int n = 0;
        for (size_t k = s->p->resource_first[i]; k < s->p->resource_first[i + 1]; k++) {
            size_t l = s->slot[s->p->resource_link[k]];
            if (l > 0) entry(s, &n, (int)l, 1);
        }
        glp_set_mat_row(s->prob, resource_row(s, i), n, s->index, s->value);
    }
}

/* [s] For which a star occupies its rank's port. */
static double sends(const search_t *s, const plani_star_t *star)
{
    double sum = 0;
    for (size_t k = star->first; k < star->end; k++) sum += s->busy[s->stars.link[k]];
    return sum;
}

static void build_stars(search_t *s)
{
    for (size_t i = 0; i < s->stars.count; i++) {
        const plani_star_t *star = &s->stars.star[i];
        int n = 0;
        entry(s, &n, port_row(s, star->rank), 1);
        for (size_t k = star->first; k < star->end; k++) entry(s, &n, link_row(s->stars.link[k]), -1);
        if (s->p->receive != NULL) entry(s, &n, turns_row(s, star->rank), sends(s, star) / s->unit);
        glp_set_mat_col(s->prob, star_column(s, i), n, s->index, s->value);
    }
}

static void build(void *arg)
{
    search_t *s = arg;
    const plani_lp_t *lp = s->lp;
    s->prob = glp_create_prob();
    glp_add_rows(s->prob, resource_row(s, s->p->nresources) - 1);
    glp_add_cols(s->prob, star_column(s, s->stars.count) - 1);
    for (size_t l = 0; l < lp->m; l++)
        glp_set_row_bnds(s->prob, link_row(l), s->stars.has[lp->from[l]] ? GLP_FX : GLP_FR, 0, 0);
    for (int u = 0; u < lp->n; u++) {
        glp_set_row_bnds(s->prob, port_row(s, u), s->stars.has[u] ? GLP_FX : GLP_FR, 1, 1);
        glp_set_row_bnds(s->prob, into_row(s, u), u != lp->root ? GLP_FX : GLP_FR, 1, 1);
    }
    build_links(s);
    build_stars(s);
}

/* [s] The least time for which rank u receives by the port by which it sends. */
static double least_receive(const search_t *s, int u)
{
    double least = INFINITY;
    if (s->p->receive == NULL || u == s->lp->root) return 0;
    for (size_t l = s->lp->in_first[u]; l < s->lp->in_first[u + 1]; l++)
        least = fmin(least, s->p->receive[s->lp->given[l]]);
    return least;
}

/* How many children rank u can serve within tau. */
static int most_children(const search_t *s, int u, double tau)
{
    int n = 0;
    double sum = least_receive(s, u);
    for (size_t k = s->lp->out_first[u]; k < s->lp->out_first[u + 1]; k++) {
        size_t l = s->cheap[k];
        if (s->cost[l] > tau) continue;
        if ((sum += s->busy[l]) > tau) break;
        n++;
    }
    return n;
}

/* Only what a period of tau allows. */
static void set_period(search_t *s)
{
    const plani_lp_t *lp = s->lp;
    double tau = s->tau * (1 + ROUNDING);
    for (size_t l = 0; l < lp->m; l++) {
        int fits = s->cost[l] <= tau && s->busy[l] <= tau;
        glp_set_col_bnds(s->prob, 1 + (int)l, fits ? GLP_DB : GLP_FX, 0, fits);
    }
    for (size_t i = 0; i < s->stars.count; i++) {
        const plani_star_t *star = &s->stars.star[i];
        int fits = star->cost <= tau && sends(s, star) + least_receive(s, star->rank) <= tau;
        glp_set_col_bnds(s->prob, star_column(s, i), fits ? GLP_DB : GLP_FX, 0, fits);
    }
    for (int u = 0; u < lp->n; u++) {
        if (s->p->receive != NULL) glp_set_row_bnds(s->prob, turns_row(s, u), GLP_UP, 0, tau / s->unit);
        if (s->stars.has[u]) continue;
        glp_set_row_bnds(s->prob, port_row(s, u), GLP_UP, 0, tau / s->unit);
        glp_set_row_bnds(s->prob, children_row(s, u), GLP_UP, 0, most_children(s, u, tau));
    }
    for (size_t i = 0; i < s->p->nresources; i++)
        glp_set_row_bnds(s->prob, resource_row(s, i), GLP_UP, 0, floor(tau / s->p->resource_cost[i]));
}

/* At least one link crosses into the sink's side. */
static int add_cut(void *context, const unsigned char *inside, double value)
{
    search_t *s = context;
    int n = 0, row = glp_add_rows(s->cutting, 1);
    (void)value;
    for (size_t l = 0; l < s->lp->m; l++)
        if (!inside[s->lp->from[l]] && inside[s->lp->to[l]]) entry(s, &n, 1 + (int)l, 1);
    glp_set_mat_row(s->cutting, row, n, s->index, s->value);
    glp_set_row_bnds(s->cutting, row, GLP_LO, 1, 0);
    return 0;
}

/* Rows for the cuts that the solution at hand violates. */
static answer_t separate(search_t *s, glp_prob *prob)
{
    s->cutting = prob;
    for (size_t l = 0; l < s->lp->m; l++) s->x[l] = fmin(1, fmax(0, glp_get_col_prim(prob, 1 + (int)l)));
    double least = plani_flow_cuts(s->flow, s->lp, NULL, s->lp->m, s->x, 1 - VIOLATED, add_cut, s);
    return least >= 1 - VIOLATED ? YES : least >= 0 ? NO : UNKNOWN;
}

/* Has the relaxation with all cuts a solution? */
static answer_t relaxed(search_t *s)
{
    for (;;) {
        glp_smcp parm = plani_simplex_settings(s->prob, s->until);
        parm.meth = GLP_DUALP;
        if (glp_simplex(s->prob, &parm) != 0) return UNKNOWN;
        if (glp_get_status(s->prob) == GLP_NOFEAS) return NO;
        if (glp_get_status(s->prob) != GLP_OPT) return UNKNOWN;
        answer_t answer = separate(s, s->prob);
        if (answer != NO) return answer;
    }
}

static void called_back(glp_tree *tree, void *info)
{
    if (glp_ios_reason(tree) == GLP_IROWGEN) separate(info, glp_ios_get_prob(tree));
}

/* Is there a tree? Then x[] holds it. */
static answer_t whole(search_t *s)
{
    glp_iocp parm;
    glp_init_iocp(&parm);
    parm.msg_lev = GLP_MSG_OFF;
    parm.br_tech = GLP_BR_DTH;
    parm.bt_tech = GLP_BT_DFS;
    parm.cb_func = called_back;
    parm.cb_info = s;
    parm.tm_lim = (int)fmax(1, 1e3 * fmin(1e6, plani_left(s->until)));
    int failed = glp_intopt(s->prob, &parm), status = glp_mip_status(s->prob);
    if (failed == 0 && status == GLP_NOFEAS) return NO;
    if (status != GLP_OPT && status != GLP_FEAS) return UNKNOWN;
    for (size_t l = 0; l < s->lp->m; l++) s->x[l] = glp_mip_col_val(s->prob, 1 + (int)l);
    return YES;
}

/*
 * GLPK takes what differs from 0 or 1 by 1e-5 for whole, so that a row of times may be passed by about as much. Where
 * the links of one rank in x[] take longer than they may in any tree that is better, they are never all taken again.
 */
static void exclude(search_t *s)
{
    const plani_lp_t *lp = s->lp;
    for (int u = 0; u < lp->n; u++) {
        double sum = 0;
        int n = 0;
        for (size_t l = 0; l < lp->m; l++) {
            if (s->x[l] <= 0.5 || (lp->from[l] != u && (lp->to[l] != u || s->p->receive == NULL))) continue;
            sum += lp->from[l] == u ? s->busy[l] : s->p->receive[lp->given[l]];
            entry(s, &n, 1 + (int)l, 1);
        }
        if (sum <= s->most) continue;
        int row = glp_add_rows(s->prob, 1);
        glp_set_mat_row(s->prob, row, n, s->index, s->value);
        glp_set_row_bnds(s->prob, row, GLP_UP, 0, n - 1);
    }
}

static void solve(void *arg)
{
    search_t *s = arg;
    set_period(s);
    s->answer = relaxed(s);
    if (s->answer == YES && s->integer) s->answer = whole(s);
    if (s->answer == YES && s->integer) exclude(s);
}

/* The period of tree via[]; infinite if it is none. */
static double period_of(search_t *s, const size_t *via)
{
    const plani_tree_program_t *p = s->p;
    double worst = 0;
    for (int v = 0; v < p->ranks; v++) {
        int steps = 0, x = v;
        while (x != p->root && steps++ < p->ranks && via[x] != (size_t)-1) x = p->from[via[x]];
        if (x != p->root) return INFINITY;
    }
    for (int u = 0; u < p->ranks; u++) {
        double sum = p->receive != NULL && u != p->root ? p->receive[via[u]] : 0;
        for (int v = 0; v < p->ranks; v++)
            if (v != p->root && p->from[via[v]] == u) sum += p->busy[via[v]];
        worst = fmax(worst, sum);
        if (u != p->root) worst = fmax(worst, p->cost[via[u]]);
    }
    for (size_t i = 0; i < p->nresources; i++) {
        double held = 0;
        for (size_t k = p->resource_first[i]; k < p->resource_first[i + 1]; k++) {
            size_t l = p->resource_link[k];
            if (p->to[l] != p->root && via[p->to[l]] == l) held += p->resource_cost[i];
        }
        worst = fmax(worst, held);
    }
    return worst;
}

/* Keep the tree in x[], if it is one and better. */
static plan_status_t keep(search_t *s, plani_tree_proof_t *proof)
{
    size_t *via = malloc((size_t)s->p->ranks * sizeof *via);
    if (via == NULL) return PLAN_ENOMEM;
    for (int v = 0; v < s->p->ranks; v++) via[v] = (size_t)-1;
    for (size_t l = 0; l < s->lp->m; l++)
        if (s->x[l] > 0.5) via[s->lp->to[l]] = s->lp->given[l];
    double period = period_of(s, via);
    if (period < proof->period) {
        proof->period = period;
        memcpy(proof->via, via, (size_t)s->p->ranks * sizeof *via);
    }
    free(via);
    return PLAN_OK;
}

/* The largest period that needs asking: below it lie the trees that are better than the one known. */
static double highest(const plani_tree_proof_t *proof)
{
    return proof->period * (1 - PLANI_SAME_PERIOD);
}

/* Ask whether there is a tree of period tau; whatever tree the answer comes with is kept. */
static plan_status_t ask(search_t *s, double tau, bool integer, plani_tree_proof_t *proof)
{
    double left = plani_left(s->deadline);
    s->tau = tau;
    s->most = highest(proof);
    s->integer = integer;
    s->until = integer ? s->deadline - (1 - PART_OF_TIME) * fmax(0, left) : s->deadline;
    s->answer = UNKNOWN;
    if (left <= 0) return PLAN_OK;
    plani_flow_until(s->flow, s->until);
    proof->programs += integer;
    plan_status_t rc = plani_glpk(solve, s, &s->prob);
    if (rc != PLAN_OK) return rc;
    if (s->answer == NO) proof->proven = fmax(proof->proven, tau);
    return s->answer == YES ? keep(s, proof) : PLAN_OK;
}

/* The relaxation: what it refuses, no tree has. Returns the least period that it does not. */
static plan_status_t bisect_relaxed(search_t *s, plani_tree_proof_t *proof, double *least)
{
    double tau = *least = highest(proof);
    plan_status_t rc = PLAN_OK;
    while (tau > proof->proven && *least - proof->proven > PLANI_SAME_PERIOD * *least) {
        if ((rc = ask(s, tau, false, proof)) != PLAN_OK || s->answer == UNKNOWN) break;
        if (s->answer == YES) *least = tau;
        tau = proof->proven + (*least - proof->proven) / 2;
    }
    return rc;
}

/* Branch and bound: first where the relaxation begins to say yes, then for the tree known, then between. */
static plan_status_t bisect_integer(search_t *s, plani_tree_proof_t *proof, double least)
{
    plan_status_t rc = PLAN_OK;
    double low = proof->proven, high = highest(proof), tau = fmin(least, high);
    bool top = false; /* whether `high` has been asked */
    while (rc == PLAN_OK && high - low > PLANI_SAME_PERIOD * high / 2 && plani_left(s->deadline) > 0) {
        bool at_top = tau >= high;
        double before = proof->period;
        if ((rc = ask(s, tau, true, proof)) != PLAN_OK) break;
        if (s->answer == NO || (s->answer == UNKNOWN && !at_top)) low = fmax(low, tau);
        if (s->answer == UNKNOWN && at_top) high = low + (high - low) / 2;
        if (proof->period < before) {
            high = highest(proof);
            top = false;
        } else {
            top = top || at_top;
        }
        tau = top ? low + (high - low) / 2 : high;
    }
    return rc;
}

static bool is_before(const double *busy, size_t one, size_t other)
{
    if (busy[one] != busy[other]) return busy[one] < busy[other];
    return one < other;
}

static void sort_out_links(search_t *s)
{
    const plani_lp_t *lp = s->lp;
    for (int u = 0; u < lp->n; u++)
        for (size_t k = lp->out_first[u]; k < lp->out_first[u + 1]; k++) {
            size_t l = lp->out[k], at = k;
            for (; at > lp->out_first[u] && is_before(s->busy, l, s->cheap[at - 1]); at--)
                s->cheap[at] = s->cheap[at - 1];
            s->cheap[at] = l;
        }
}

static plan_status_t create(search_t *s, double period, plan_error_t *err)
{
    const plani_tree_program_t *p = s->p;
    const plani_steady_problem_t links = {
        .ranks = p->ranks, .root = p->root, .nlinks = p->nlinks, .from = p->from, .to = p->to, .cost = p->cost};
    plan_status_t rc = plani_lp_create(&links, &s->lp, err);
    if (rc != PLAN_OK) return rc;
    size_t m = s->lp->m;
    s->cost = malloc((m + 1) * sizeof *s->cost);
    s->busy = malloc((m + 1) * sizeof *s->busy);
    s->cheap = malloc((m + 1) * sizeof *s->cheap);
    s->slot = calloc(p->nlinks + 1, sizeof *s->slot);
    s->x = malloc((m + 1) * sizeof *s->x);
    if (!s->cost || !s->busy || !s->cheap || !s->slot || !s->x) return PLAN_ENOMEM;
    for (size_t l = 0; l < m; l++) {
        s->cost[l] = p->cost[s->lp->given[l]];
        s->busy[l] = p->busy[s->lp->given[l]];
        s->slot[s->lp->given[l]] = 1 + l;
    }
    sort_out_links(s);
    size_t share = ALL_STARS / (size_t)p->ranks;
    plani_stars_t stars;
    plani_flow_t *flow = NULL;
    rc = plani_stars_create(s->lp, s->cost, s->busy, period, share < MOST_STARS ? share : MOST_STARS, &stars);
    s->stars = stars;
    if (rc == PLAN_OK) rc = plani_flow_create(p->ranks, m, &flow);
    s->flow = flow;
    size_t room = m + s->stars.count + p->nresources + 8;
    s->index = malloc(room * sizeof *s->index);
    s->value = malloc(room * sizeof *s->value);
    return rc == PLAN_OK && (!s->index || !s->value) ? PLAN_ENOMEM : rc;
}

static void clear(search_t *s)
{
    plani_discard(&s->prob);
    plani_stars_clear(&s->stars);
    plani_flow_destroy(&s->flow);
    plani_lp_destroy(&s->lp);
    free(s->cost);
    free(s->busy);
    free(s->cheap);
    free(s->slot);
    free(s->x);
    free(s->index);
    free(s->value);
}

plan_status_t plani_tree_prove(const plani_tree_program_t *program, double limit_s, plani_tree_proof_t *proof,
                               plan_error_t *err)
{
    search_t s = {.p = program, .deadline = plani_now() + limit_s, .unit = proof->period};
    double least = 0;
    bool begun = plani_glpk_begin();
    proof->programs = 0;
    plan_status_t rc = create(&s, proof->period, err);
    if (rc == PLAN_OK) rc = plani_glpk(build, &s, &s.prob);
    if (rc == PLAN_OK) rc = bisect_relaxed(&s, proof, &least);
    if (rc == PLAN_OK) rc = bisect_integer(&s, proof, least);
    if (proof->proven >= highest(proof) * (1 - PLANI_SAME_PERIOD)) proof->proven = proof->period;
    clear(&s);
    plani_glpk_end(begun);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "no proof: %s", plan_status_string(rc));
}
