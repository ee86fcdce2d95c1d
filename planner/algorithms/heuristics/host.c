/*
 * Trees for ranks on hosts on sites: each site and each host is entered once, however ranks are placed on hosts.
 *
 * Both start from one sequence of all ranks that holds each site together and, inside, each host, the root's first. It
 * goes on to the rank that the last one reaches most cheaply (ties: the lowest rank), so a chain along it prefers
 * cheap links where links differ.
 *
 *   site 0: | host 0: r a b | host 1: c d |    site 1: | host 2: e f | ...
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "planner/algorithms/heuristics/heuristic.h"

typedef struct {
    const plani_problem_t *problem;
    int *seq;       /* [ranks] the sequence */
    bool *taken;    /* [ranks] */
    int *host_left; /* [hosts] ranks not taken yet */
    int *site_left; /* [sites] */
} tour_t;

static plan_status_t tour_create(const plani_problem_t *problem, tour_t *t)
{
    const plan_platform_data_t *d = problem->d;
    *t = (tour_t){.problem = problem,
                  .seq = malloc((size_t)d->ranks * sizeof *t->seq),
                  .taken = calloc((size_t)d->ranks, sizeof *t->taken),
                  .host_left = calloc((size_t)d->hosts, sizeof *t->host_left),
                  .site_left = calloc((size_t)d->sites, sizeof *t->site_left)};
    if (t->seq == NULL || t->taken == NULL || t->host_left == NULL || t->site_left == NULL) return PLAN_ENOMEM;
    for (int r = 0; r < d->ranks; r++) t->host_left[d->host[r]]++, t->site_left[d->site[r]]++;
    return PLAN_OK;
}

static void tour_clear(tour_t *t)
{
    free(t->seq);
    free(t->taken);
    free(t->host_left);
    free(t->site_left);
}

/* May r follow `last`? A host is finished before the next is entered, and a site, too. */
static bool may_follow(const tour_t *t, int last, int r)
{
    const plan_platform_data_t *d = t->problem->d;
    if (t->taken[r]) return false;
    if (t->host_left[d->host[last]] > 0) return d->host[r] == d->host[last];
    if (t->site_left[d->site[last]] > 0) return d->site[r] == d->site[last];
    return true;
}

/* The cheapest rank that may follow; where no link leads on, the lowest that may. */
static int following(const tour_t *t, int last)
{
    const plan_platform_data_t *d = t->problem->d;
    int best = -1;
    double least = INFINITY;
    for (size_t l = d->out_first[last]; l < d->out_first[last + 1]; l++)
        if (may_follow(t, last, d->link[l].to) && t->problem->through[l] < least) {
            least = t->problem->through[l];
            best = d->link[l].to;
        }
    for (int r = 0; best < 0; r++)
        if (may_follow(t, last, r)) best = r;
    return best;
}

static void walk(tour_t *t)
{
    const plan_platform_data_t *d = t->problem->d;
    int r = t->problem->root;
    for (int i = 0; i < d->ranks; i++) {
        if (i > 0) r = following(t, r);
        t->seq[i] = r;
        t->taken[r] = true;
        t->host_left[d->host[r]]--;
        t->site_left[d->site[r]]--;
    }
}

/* Hang seq[i] below `wanted`, or else below the latest rank before it in the sequence that has a link to it. */
static plan_status_t hang(const tour_t *t, int i, int wanted, plani_shape_t *shape)
{
    int v = t->seq[i];
    if (plan_platform_find_link(t->problem->pf, wanted, v) != PLANI_NO_LINK) {
        shape->parent[v] = wanted;
        return PLAN_OK;
    }
    for (int k = i; k-- > 0;)
        if (plan_platform_find_link(t->problem->pf, t->seq[k], v) != PLANI_NO_LINK) {
            shape->parent[v] = t->seq[k];
            return PLAN_OK;
        }
    return PLAN_EUNSUPPORTED;
}

plan_status_t plani_host_chain(const plani_problem_t *problem, plani_shape_t *shape)
{
    tour_t t;
    plan_status_t rc = tour_create(problem, &t);
    if (rc != PLAN_OK) goto done;
    walk(&t);
    shape->parent[problem->root] = -1;
    for (int i = 1; rc == PLAN_OK && i < problem->d->ranks; i++) rc = hang(&t, i, t.seq[i - 1], shape);
done:
    tour_clear(&t);
    return rc;
}

/*
 * A binomial tree among the k-th members of a level: member i hangs below member i with its lowest set bit cleared.
 * at[0..n) are the members' places in the sequence, ascending.
 */
static plan_status_t binomial(const tour_t *t, const int *at, int n, plani_shape_t *shape)
{
    plan_status_t rc = PLAN_OK;
    for (int i = 1; rc == PLAN_OK && i < n; i++) rc = hang(t, at[i], t->seq[at[i & (i - 1)]], shape);
    return rc;
}

/* Does the i-th of the sequence open a new site (level 0) or a new host (level 1)? Every rank is a member at level 2.
 */
static bool opens(const tour_t *t, int i, int level)
{
    const plan_platform_data_t *d = t->problem->d;
    if (i == 0 || level == 2) return true;
    const int *group = level == 0 ? d->site : d->host;
    return group[t->seq[i]] != group[t->seq[i - 1]];
}

/* Members of `level` between one opening of the level above and the next, one binomial tree for each such group. */
static plan_status_t hang_level(const tour_t *t, int level, int *at, plani_shape_t *shape)
{
    plan_status_t rc = PLAN_OK;
    int n = 0;
    for (int i = 0; rc == PLAN_OK && i < t->problem->d->ranks; i++) {
        if (level > 0 && opens(t, i, level - 1)) {
            rc = binomial(t, at, n, shape);
            n = 0;
        }
        if (opens(t, i, level)) at[n++] = i;
    }
    return rc == PLAN_OK ? binomial(t, at, n, shape) : rc;
}

plan_status_t plani_host_binomial(const plani_problem_t *problem, plani_shape_t *shape)
{
    tour_t t;
    int *at = malloc((size_t)problem->d->ranks * sizeof *at);
    plan_status_t rc = tour_create(problem, &t);
    if (rc == PLAN_OK && at == NULL) rc = PLAN_ENOMEM;
    if (rc != PLAN_OK) goto done;
    walk(&t);
    shape->parent[problem->root] = -1;
    for (int level = 0; rc == PLAN_OK && level < 3; level++) rc = hang_level(&t, level, at, shape);
done:
    free(at);
    tour_clear(&t);
    return rc;
}
