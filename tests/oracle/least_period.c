#include "oracle/least_period.h"
#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "oracle/stars.h"

/* Columns: a link each, then a star each. Rows: what a link's stars add up to; the star of each rank; the link into
 * each rank; resources; cuts. */
typedef struct {
    const plan_platform_data_t *d;
    int root;
    double slice, deadline;
    stars_t stars;
    glp_prob *prob;
    int asked;
    /* scratch */
    int *index;    /* [links + stars + 1] */
    double *value; /* the same */
    double *flow;  /* [ranks * ranks] residual capacities */
    int *before, *queue;
    char *outside; /* [ranks] reached from the root */
    double *x;     /* [links] */
} program_t;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int star_column(const program_t *p, size_t star)
{
    return 1 + (int)(p->d->nlinks + star);
}

static int take_row(const program_t *p, int rank)
{
    return 1 + (int)p->d->nlinks + rank;
}

static int into_row(const program_t *p, int rank)
{
    return take_row(p, p->d->ranks + rank);
}

static int resource_row(const program_t *p, size_t i)
{
    return into_row(p, p->d->ranks) + (int)i;
}

static void entry(program_t *p, int *n, int row, double value)
{
    ++*n;
    p->index[*n] = row;
    p->value[*n] = value;
}

static void add_links(program_t *p)
{
    const plan_platform_data_t *d = p->d;
    for (size_t l = 0; l < d->nlinks; l++) {
        int n = 0, v = d->link[l].to;
        entry(p, &n, 1 + (int)l, 1);
        if (v != p->root) entry(p, &n, into_row(p, v), 1);
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++) entry(p, &n, resource_row(p, d->use[k]), 1);
        glp_set_mat_col(p->prob, 1 + (int)l, n, p->index, p->value);
        glp_set_col_kind(p->prob, 1 + (int)l, GLP_BV);
    }
}

static void add_stars(program_t *p)
{
    for (size_t i = 0; i < p->stars.count; i++) {
        const star_t *s = &p->stars.star[i];
        int n = 0;
        entry(p, &n, take_row(p, s->rank), 1);
        for (size_t k = s->first; k < s->end; k++) entry(p, &n, 1 + (int)p->stars.link[k], -1);
        glp_set_mat_col(p->prob, star_column(p, i), n, p->index, p->value);
    }
}

static void build(program_t *p)
{
    const plan_platform_data_t *d = p->d;
    p->prob = glp_create_prob();
    glp_add_rows(p->prob, resource_row(p, d->nresources) - 1);
    glp_add_cols(p->prob, star_column(p, p->stars.count) - 1);
    for (int i = 1; i <= (int)d->nlinks; i++) glp_set_row_bnds(p->prob, i, GLP_FX, 0, 0);
    for (int r = 0; r < d->ranks; r++) {
        glp_set_row_bnds(p->prob, take_row(p, r), GLP_FX, 1, 1);
        glp_set_row_bnds(p->prob, into_row(p, r), GLP_FX, r != p->root, r != p->root);
    }
    add_links(p);
    add_stars(p);
}

/* Only what a period of tau allows. */
static void set_period(program_t *p, double tau)
{
    const plan_platform_data_t *d = p->d;
    tau *= 1 + 1e-12;
    for (size_t l = 0; l < d->nlinks; l++) {
        int fits = d->link[l].to != p->root && plan_link_cost(&d->link[l], p->slice) <= tau;
        glp_set_col_bnds(p->prob, 1 + (int)l, fits ? GLP_DB : GLP_FX, 0, fits);
    }
    for (size_t i = 0; i < p->stars.count; i++) {
        int fits = p->stars.star[i].cost <= tau;
        glp_set_col_bnds(p->prob, star_column(p, i), fits ? GLP_DB : GLP_FX, 0, fits);
    }
    for (size_t i = 0; i < d->nresources; i++) {
        double most = floor(tau / plan_resource_cost(&d->resource[i], p->slice));
        glp_set_row_bnds(p->prob, resource_row(p, i), GLP_UP, 0, most);
    }
}

/* Push flow from the root to the sink over x until it is 1 or no path is left; then outside[] is what the root still
 * reaches. Returns the flow. */
static double flow_to(program_t *p, int sink)
{
    const plan_platform_data_t *d = p->d;
    int n = d->ranks;
    double sent = 0;
    memset(p->flow, 0, (size_t)n * (size_t)n * sizeof *p->flow);
    for (size_t l = 0; l < d->nlinks; l++) p->flow[d->link[l].from * n + d->link[l].to] = p->x[l];
    while (sent < 1) {
        int head = 0, tail = 0;
        double most = 1;
        memset(p->outside, 0, (size_t)n);
        p->outside[p->root] = 1;
        p->queue[tail++] = p->root;
        while (head < tail) {
            int u = p->queue[head++];
            for (int v = 0; v < n; v++)
                if (!p->outside[v] && p->flow[u * n + v] > 1e-9)
                    p->outside[v] = 1, p->before[v] = u, p->queue[tail++] = v;
        }
        if (!p->outside[sink]) break;
        for (int v = sink; v != p->root; v = p->before[v]) most = fmin(most, p->flow[p->before[v] * n + v]);
        for (int v = sink; v != p->root; v = p->before[v]) {
            p->flow[p->before[v] * n + v] -= most;
            p->flow[v * n + p->before[v]] += most;
        }
        sent += most;
    }
    return sent;
}

/* At least one link crosses from what is outside into the rest. */
static void add_cut(program_t *p, glp_prob *prob)
{
    int n = 0, row = glp_add_rows(prob, 1);
    for (size_t l = 0; l < p->d->nlinks; l++)
        if (p->outside[p->d->link[l].from] && !p->outside[p->d->link[l].to]) entry(p, &n, 1 + (int)l, 1);
    glp_set_mat_row(prob, row, n, p->index, p->value);
    glp_set_row_bnds(prob, row, GLP_LO, 1, 0);
}

/* Rows for the cuts that the solution at hand violates; how many. */
static int separate(program_t *p, glp_prob *prob)
{
    int found = 0;
    for (size_t l = 0; l < p->d->nlinks; l++) p->x[l] = fmax(0, glp_get_col_prim(prob, 1 + (int)l));
    for (int sink = 0; sink < p->d->ranks; sink++) {
        if (sink == p->root || flow_to(p, sink) >= 1 - 1e-6) continue;
        add_cut(p, prob);
        found++;
    }
    return found;
}

static void called_back(glp_tree *tree, void *info)
{
    if (glp_ios_reason(tree) == GLP_IROWGEN) separate(info, glp_ios_get_prob(tree));
}

static int milliseconds_left(const program_t *p)
{
    double left = 1e3 * (p->deadline - now());
    return left < 1 ? 1 : left < 1e9 ? (int)left : 1000000000;
}

typedef enum { NO, YES, UNKNOWN } answer_t;

/* Has the relaxation with all cuts a solution? Then prob holds it. */
static answer_t relaxed(program_t *p)
{
    glp_smcp parm;
    glp_init_smcp(&parm);
    parm.msg_lev = GLP_MSG_OFF;
    for (;;) {
        parm.tm_lim = milliseconds_left(p);
        parm.meth = GLP_DUALP;
        if (glp_simplex(p->prob, &parm) != 0) return UNKNOWN;
        if (glp_get_status(p->prob) == GLP_NOFEAS) return NO;
        if (glp_get_status(p->prob) != GLP_OPT) return UNKNOWN;
        if (separate(p, p->prob) == 0) return YES;
    }
}

/* Is there a tree? Then x[] holds it. */
static answer_t whole(program_t *p)
{
    glp_iocp parm;
    answer_t answer = relaxed(p);
    if (answer != YES) return answer;
    glp_init_iocp(&parm);
    parm.msg_lev = GLP_MSG_OFF;
    parm.br_tech = GLP_BR_DTH;
    parm.bt_tech = GLP_BT_DFS;
    parm.cb_func = called_back;
    parm.cb_info = p;
    parm.tm_lim = milliseconds_left(p);
    p->asked++;
    int failed = glp_intopt(p->prob, &parm), status = glp_mip_status(p->prob);
    if (failed == 0 && status == GLP_NOFEAS) return NO;
    if (status != GLP_OPT && status != GLP_FEAS) return UNKNOWN;
    for (size_t l = 0; l < p->d->nlinks; l++) p->x[l] = glp_mip_col_val(p->prob, 1 + (int)l);
    return YES;
}

/* The period of the tree in x[]; infinite if that is none. */
static double period_of_x(program_t *p)
{
    const plan_platform_data_t *d = p->d;
    double worst = 0;
    for (int r = 0; r < d->ranks; r++)
        if (r != p->root && flow_to(p, r) < 1 - 1e-6) return INFINITY;
    for (int r = 0; r < d->ranks; r++) {
        double sum = 0, longest = 0;
        int children = 0;
        for (size_t l = d->out_first[r]; l < d->out_first[r + 1]; l++) {
            if (p->x[l] < 0.5) continue;
            sum += plan_link_cost(&d->link[l], p->slice);
            longest = fmax(longest, plan_link_cost(&d->link[l], p->slice));
            children++;
        }
        worst = fmax(worst, d->send_s != NULL ? fmax(children * plan_send_cost(d, r, p->slice), longest) : sum);
    }
    for (size_t i = 0; i < d->nresources; i++) {
        double held = 0;
        for (size_t k = 0; k < d->resource[i].nlinks; k++)
            if (p->x[d->resource[i].link[k]] > 0.5) held += plan_resource_cost(&d->resource[i], p->slice);
        worst = fmax(worst, held);
    }
    return worst;
}

/* tau[low - 1] is too little, and out->period is that of a tree: close in, asking the relaxation first. */
static void bisect(program_t *p, const double *tau, size_t n, oracle_least_t *out)
{
    size_t low = 0, high = 0;
    while (high < n && tau[high] < out->period * (1 - 1e-12)) high++; /* the first that needs no asking */
    for (int integer = 0; integer < 2; integer++) {
        size_t end = high;
        while (low < end) {
            size_t mid = low + (end - low) / 2;
            set_period(p, tau[mid]);
            answer_t answer = integer ? whole(p) : relaxed(p);
            if (answer == UNKNOWN) goto done;
            if (answer == NO)
                low = mid + 1;
            else
                end = mid;
            if (answer != YES || !integer) continue;
            out->period = fmin(out->period, period_of_x(p));
            while (end > low && tau[end - 1] >= out->period * (1 - 1e-12)) end--;
        }
    }
done:
    out->proven = low < high && tau[low] < out->period ? tau[low] : out->period;
    out->asked = p->asked;
}

int oracle_least_period(const plan_platform_data_t *d, int root, double slice, double upper, double limit_s,
                        oracle_least_t *out)
{
    program_t p = {.d = d, .root = root, .slice = slice, .deadline = now() + limit_s};
    size_t n = (size_t)d->ranks, taus = 0;
    double *tau = NULL;
    int rc = -1, output = glp_term_out(GLP_OFF);

    *out = (oracle_least_t){.period = upper};
    if (stars_create(d, root, slice, upper, &p.stars) != 0) goto done;
    tau = stars_periods(&p.stars, d, slice, upper, &taus);
    p.index = calloc(d->nlinks + p.stars.count + d->nresources + 2, sizeof *p.index);
    p.value = calloc(d->nlinks + p.stars.count + d->nresources + 2, sizeof *p.value);
    p.flow = calloc(n * n, sizeof *p.flow);
    p.before = calloc(n, sizeof *p.before);
    p.queue = calloc(n, sizeof *p.queue);
    p.outside = calloc(n, 1);
    p.x = calloc(d->nlinks + 1, sizeof *p.x);
    if (!tau || !p.index || !p.value || !p.flow || !p.before || !p.queue || !p.outside || !p.x) goto done;
    build(&p);
    bisect(&p, tau, taus, out);
    glp_delete_prob(p.prob);
    rc = 0;
done:
    stars_clear(&p.stars);
    free(tau);
    free(p.index);
    free(p.value);
    free(p.flow);
    free(p.before);
    free(p.queue);
    free(p.outside);
    free(p.x);
    glp_term_out(output);
    return rc;
}
