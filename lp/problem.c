/* Checking a program, and converting it to scaled units. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

static plan_status_t check_links(const plani_steady_problem_t *p, plan_error_t *err)
{
    if (p->from == NULL || p->to == NULL || p->cost == NULL)
        return plani_fail(err, PLAN_EINVAL, "the program has no arrays of links");
    for (size_t l = 0; l < p->nlinks; l++) {
        int u = p->from[l], v = p->to[l];
        if (u < 0 || u >= p->ranks || v < 0 || v >= p->ranks)
            return plani_fail(err, PLAN_EINVAL, "link %zu (%d -> %d) names a rank outside 0..%d", l, u, v,
                              p->ranks - 1);
        if (u == v) return plani_fail(err, PLAN_EINVAL, "link %zu goes from rank %d to itself", l, u);
        if (l > 0 && (p->from[l - 1] > u || (p->from[l - 1] == u && p->to[l - 1] >= v)))
            return plani_fail(err, PLAN_EINVAL, "link %zu (%d -> %d) is out of order or given twice: sort by rank", l,
                              u, v);
        if (!isfinite(p->cost[l]) || p->cost[l] <= 0)
            return plani_fail(err, PLAN_EINVAL, "link %zu (%d -> %d) costs %g s; a cost is finite and above 0", l, u, v,
                              p->cost[l]);
    }
    return PLAN_OK;
}

/* [s] What entry k of resource_link, one of resource i, costs. */
static double entry_cost(const plani_steady_problem_t *p, size_t i, size_t k)
{
    return p->entry_cost != NULL ? p->entry_cost[k] : p->resource_cost[i];
}

static plan_status_t check_entry(const plani_steady_problem_t *p, size_t i, size_t k, size_t *last, plan_error_t *err)
{
    double cost = entry_cost(p, i, k);
    size_t l = p->resource_link[k];
    if (!isfinite(cost) || cost <= 0)
        return plani_fail(err, PLAN_EINVAL, "resource %zu costs %g s; a cost is finite and above 0", i, cost);
    if (l >= p->nlinks) return plani_fail(err, PLAN_EINVAL, "resource %zu lists link %zu of %zu", i, l, p->nlinks);
    if (last[l] == i + 1) return plani_fail(err, PLAN_EINVAL, "resource %zu lists link %zu twice", i, l);
    last[l] = i + 1;
    return PLAN_OK;
}

static plan_status_t check_resources(const plani_steady_problem_t *p, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    size_t *last = NULL; /* [nlinks] 1 + the last resource that listed the link */

    if (p->nresources == 0) return PLAN_OK;
    if (p->resource_first == NULL || (p->resource_cost == NULL && p->entry_cost == NULL) ||
        (p->resource_link == NULL && p->resource_first[p->nresources] > 0))
        return plani_fail(err, PLAN_EINVAL, "the program has no arrays of resources");
    if (p->resource_first[0] != 0) return plani_fail(err, PLAN_EINVAL, "the first resource does not start at 0");
    if ((last = calloc(p->nlinks + 1, sizeof *last)) == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory");
    for (size_t i = 0; i < p->nresources && rc == PLAN_OK; i++) {
        if (p->resource_cost != NULL && (!isfinite(p->resource_cost[i]) || p->resource_cost[i] <= 0))
            rc = plani_fail(err, PLAN_EINVAL, "resource %zu costs %g s; a cost is finite and above 0", i,
                            p->resource_cost[i]);
        else if (p->resource_first[i + 1] < p->resource_first[i])
            rc = plani_fail(err, PLAN_EINVAL, "resource %zu ends before it starts", i);
        for (size_t k = p->resource_first[i]; k < p->resource_first[i + 1] && rc == PLAN_OK; k++)
            rc = check_entry(p, i, k, last, err);
    }
    free(last);
    return rc;
}

/* Something has to limit each link. */
static plan_status_t check_limits(const plani_steady_problem_t *p, plan_error_t *err)
{
    bool *limited = calloc(p->nlinks + 1, sizeof *limited);
    plan_status_t rc = PLAN_OK;

    if (limited == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory");
    for (size_t i = 0; i < p->nresources; i++)
        for (size_t k = p->resource_first[i]; k < p->resource_first[i + 1]; k++) limited[p->resource_link[k]] = true;
    for (size_t l = 0; l < p->nlinks && rc == PLAN_OK; l++)
        if (!(p->port[l] >= 0 && p->port[l] <= p->cost[l]))
            rc = plani_fail(err, PLAN_EINVAL, "link %zu (%d -> %d) holds its ports for %g s; give 0 to its cost", l,
                            p->from[l], p->to[l], p->port[l]);
        else if (p->port[l] == 0 && !limited[l])
            rc = plani_fail(err, PLAN_EINVAL, "link %zu (%d -> %d) holds nothing: list it in a resource", l, p->from[l],
                            p->to[l]);
    free(limited);
    return rc;
}

static plan_status_t check(const plani_steady_problem_t *p, plan_error_t *err)
{
    plan_status_t rc;

    if (p == NULL) return plani_fail(err, PLAN_EINVAL, "no program given");
    if (p->ranks < 2)
        return plani_fail(err, PLAN_EINVAL, "%d ranks: a broadcast has a throughput from 2 ranks on", p->ranks);
    if (p->root < 0 || p->root >= p->ranks)
        return plani_fail(err, PLAN_EINVAL, "root %d is not in 0..%d", p->root, p->ranks - 1);
    if (p->nlinks == 0)
        return plani_fail(err, PLAN_EUNREACHABLE, "there are no links: rank %d cannot be reached from the root %d",
                          p->root == 0 ? 1 : 0, p->root);
    if ((rc = check_links(p, err)) != PLAN_OK) return rc;
    if ((rc = check_resources(p, err)) != PLAN_OK || p->port == NULL) return rc;
    return check_limits(p, err);
}

static plan_status_t allocate(plani_lp_t *lp, const plani_steady_problem_t *p)
{
    /* One more than needed, for calloc may return NULL for no elements. */
    size_t n = (size_t)p->ranks, m = p->nlinks + 1, shares = p->nresources ? p->resource_first[p->nresources] : 0;

    lp->from = calloc(m, sizeof *lp->from);
    lp->to = calloc(m, sizeof *lp->to);
    lp->cost = calloc(m, sizeof *lp->cost);
    lp->port = calloc(m, sizeof *lp->port);
    lp->given = calloc(m, sizeof *lp->given);
    lp->out_first = calloc(n + 1, sizeof *lp->out_first);
    lp->in_first = calloc(n + 1, sizeof *lp->in_first);
    lp->out = calloc(m, sizeof *lp->out);
    lp->share_first = calloc(m + 1, sizeof *lp->share_first);
    lp->share_row = calloc(shares + 1, sizeof *lp->share_row);
    lp->share_cost = calloc(shares + 1, sizeof *lp->share_cost);
    return lp->from && lp->to && lp->cost && lp->port && lp->given && lp->out_first && lp->in_first && lp->out &&
                   lp->share_first && lp->share_row && lp->share_cost
               ? PLAN_OK
               : PLAN_ENOMEM;
}

/* On entry first[v + 1] is the number of entries of v; on return, the index of its first entry. */
static void starts(size_t *first, int n)
{
    for (int v = 0; v < n; v++) first[v + 1] += first[v];
    for (int v = n; v > 0; v--) first[v] = first[v - 1];
    first[0] = 0;
}

/* Costs in units of their geometric mean, so that absolute tolerances mean the same for nanoseconds and for hours.
 * While lists are filled, first[v + 1] is the place of the next entry of v; in the end, the end of v's. */
static void take_links(plani_lp_t *lp, const plani_steady_problem_t *p)
{
    double logs = 0;

    for (size_t l = 0; l < p->nlinks; l++) {
        if (p->to[l] == p->root) continue;
        lp->m++;
        logs += log(p->cost[l]);
        lp->out_first[p->from[l] + 1]++;
        lp->in_first[p->to[l] + 1]++;
    }
    lp->unit_s = lp->m > 0 ? exp(logs / (double)lp->m) : 1;
    starts(lp->in_first, lp->n);
    starts(lp->out_first, lp->n);
    for (size_t k = 0; k < p->nlinks; k++) {
        if (p->to[k] == p->root) continue;
        size_t l = lp->in_first[p->to[k] + 1]++;
        lp->from[l] = p->from[k];
        lp->to[l] = p->to[k];
        lp->cost[l] = p->cost[k] / lp->unit_s;
        lp->port[l] = p->port != NULL ? p->port[k] / lp->unit_s : lp->cost[l];
        lp->given[l] = k;
    }
    for (size_t l = 0; l < lp->m; l++) lp->out[lp->out_first[lp->from[l] + 1]++] = l;
}

/* Turn the resources' lists of links into the links' lists of resources; index[given] is the index of a link here, or
 * m. */
static void take_resources(plani_lp_t *lp, const plani_steady_problem_t *p, const size_t *index)
{
    size_t *first = lp->share_first;

    for (size_t k = 0; p->nresources && k < p->resource_first[p->nresources]; k++)
        if (index[p->resource_link[k]] < lp->m) first[index[p->resource_link[k]] + 1]++;
    for (size_t l = 0; l < lp->m; l++) first[l + 1] += first[l];
    for (size_t i = 0; i < p->nresources; i++)
        for (size_t k = p->resource_first[i]; k < p->resource_first[i + 1]; k++) {
            size_t l = index[p->resource_link[k]];
            if (l == lp->m) continue;
            lp->share_row[first[l]] = 2 * (size_t)lp->n + i;
            lp->share_cost[first[l]++] = entry_cost(p, i, k) / lp->unit_s;
        }
    for (size_t l = lp->m; l > 0; l--) first[l] = first[l - 1];
    first[0] = 0;
}

static plan_status_t check_reach(const plani_lp_t *lp, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    int *queue = calloc((size_t)lp->n, sizeof *queue);
    unsigned char *seen = calloc((size_t)lp->n, 1);
    int head = 0, tail = 0;

    if (queue == NULL || seen == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory");
        goto done;
    }
    queue[tail++] = lp->root;
    seen[lp->root] = 1;
    while (head < tail) {
        int u = queue[head++];
        for (size_t k = lp->out_first[u]; k < lp->out_first[u + 1]; k++) {
            int v = lp->to[lp->out[k]];
            if (!seen[v]) seen[v] = 1, queue[tail++] = v;
        }
    }
    for (int v = 0; v < lp->n && rc == PLAN_OK; v++)
        if (!seen[v])
            rc = plani_fail(err, PLAN_EUNREACHABLE, "rank %d cannot be reached from the root %d", v, lp->root);
done:
    free(queue);
    free(seen);
    return rc;
}

/* How many links of a rank a resource lists, and the least that one of them costs. */
typedef struct {
    size_t links;
    double least;
} listed_t;

/* Upper bound on the total rate of the links of a rank, out[first..end - 1], or first..end - 1 if out is NULL. The
 * least of three: the port with the smallest cost of any link; the sum of what the links carry alone, by what each
 * holds; resources that list all of them, with the smallest cost of any. held [rows] scratch: no links before and
 * after. */
static double all_carry(const plani_lp_t *lp, const size_t *out, size_t first, size_t end, listed_t *held)
{
    double least = INFINITY, sum = 0, resource = INFINITY;

    for (size_t k = first; k < end; k++) {
        size_t l = out != NULL ? out[k] : k;
        double most = lp->port[l];
        least = fmin(least, lp->port[l]);
        for (size_t s = lp->share_first[l]; s < lp->share_first[l + 1]; s++) {
            listed_t *h = &held[lp->share_row[s]];
            h->least = h->links > 0 ? fmin(h->least, lp->share_cost[s]) : lp->share_cost[s];
            if (++h->links == end - first) resource = fmin(resource, 1 / h->least);
            most = fmax(most, lp->share_cost[s]);
        }
        sum += 1 / most;
    }
    for (size_t k = first; k < end; k++) {
        size_t l = out != NULL ? out[k] : k;
        for (size_t s = lp->share_first[l]; s < lp->share_first[l + 1]; s++) held[lp->share_row[s]].links = 0;
    }
    return fmin(least > 0 ? 1 / least : INFINITY, fmin(sum, resource));
}

static plan_status_t find_alone(plani_lp_t *lp)
{
    listed_t *held = calloc(lp->rows, sizeof *held);

    if (held == NULL) return PLAN_ENOMEM;
    lp->alone = INFINITY;
    for (int v = 0; v < lp->n; v++)
        lp->alone = fmin(lp->alone, v == lp->root ? all_carry(lp, lp->out, lp->out_first[v], lp->out_first[v + 1], held)
                                                  : all_carry(lp, NULL, lp->in_first[v], lp->in_first[v + 1], held));
    free(held);
    lp->alone *= 1 + 1e-14;
    return PLAN_OK;
}

plan_status_t plani_lp_create(const plani_steady_problem_t *problem, plani_lp_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_lp_t *lp = NULL;
    size_t *index = NULL; /* [nlinks] new index of each given link; m if left out */

    if ((rc = check(problem, err)) != PLAN_OK) goto done;
    if ((lp = calloc(1, sizeof *lp)) == NULL || allocate(lp, problem) != PLAN_OK ||
        (index = calloc(problem->nlinks + 1, sizeof *index)) == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for %zu links", problem->nlinks);
        goto done;
    }
    lp->n = problem->ranks;
    lp->root = problem->root;
    lp->rows = 2 * (size_t)lp->n + problem->nresources;
    take_links(lp, problem);
    for (size_t l = 0; l < problem->nlinks; l++) index[l] = lp->m;
    for (size_t l = 0; l < lp->m; l++) index[lp->given[l]] = l;
    take_resources(lp, problem, index);
    if ((rc = check_reach(lp, err)) != PLAN_OK) goto done;
    if ((rc = find_alone(lp)) != PLAN_OK) {
        plani_fail(err, rc, "out of memory for %zu links", problem->nlinks);
        goto done;
    }
    *out = lp, lp = NULL;
done:
    free(index);
    plani_lp_destroy(&lp);
    return rc;
}

void plani_lp_destroy(plani_lp_t **lp)
{
    if (lp == NULL || *lp == NULL) return;
    free((*lp)->from);
    free((*lp)->to);
    free((*lp)->cost);
    free((*lp)->port);
    free((*lp)->given);
    free((*lp)->out_first);
    free((*lp)->in_first);
    free((*lp)->out);
    free((*lp)->share_first);
    free((*lp)->share_row);
    free((*lp)->share_cost);
    free(*lp);
    *lp = NULL;
}

void plani_lp_loads(const plani_lp_t *lp, const double *rate, double *load)
{
    for (size_t i = 0; i < lp->rows; i++) load[i] = 0;
    for (size_t l = 0; l < lp->m; l++) {
        if (rate[l] == 0) continue;
        load[lp->from[l]] += lp->port[l] * rate[l];
        load[lp->n + lp->to[l]] += lp->port[l] * rate[l];
        for (size_t k = lp->share_first[l]; k < lp->share_first[l + 1]; k++)
            load[lp->share_row[k]] += lp->share_cost[k] * rate[l];
    }
}

void plani_lp_weights(const plani_lp_t *lp, const double *y, double *weight)
{
    for (size_t l = 0; l < lp->m; l++) weight[l] = plani_lp_weight(lp, y, l);
}
