#include "lp/stars.h"
#include <stdlib.h>
#include "lib/base/base.h"

typedef struct {
    const plani_lp_t *lp;
    const double *cost, *busy;
    plani_stars_t *s;
    double most;
    size_t limit, before; /* stars of a rank; of the ranks before it */
    int rank;
    size_t *chosen, n; /* links of the star at hand */
} maker_t;

/* PLAN_EUNSUPPORTED: too many. */
static plan_status_t note(maker_t *m, double cost)
{
    plani_stars_t *s = m->s;
    if (s->count - m->before >= m->limit) return PLAN_EUNSUPPORTED;
    plani_star_t *star = plani_grown(s->star, s->count, &s->room, sizeof *star);
    if (star == NULL) return PLAN_ENOMEM;
    s->star = star;
    star[s->count++] = (plani_star_t){m->rank, cost, s->links, s->links + m->n};
    for (size_t i = 0; i < m->n; i++) {
        size_t *link = plani_grown(s->link, s->links, &s->link_room, sizeof *link);
        if (link == NULL) return PLAN_ENOMEM;
        s->link = link;
        link[s->links++] = m->chosen[i];
    }
    return PLAN_OK;
}

/* The star at hand, and all that add links of the rank from `at` on. Costs only grow. */
static plan_status_t extend(maker_t *m, size_t at, double sum, double longest)
{
    const plani_lp_t *lp = m->lp;
    plan_status_t rc = note(m, sum > longest ? sum : longest);
    for (size_t k = at; rc == PLAN_OK && k < lp->out_first[m->rank + 1]; k++) {
        size_t l = lp->out[k];
        if (sum + m->busy[l] > m->most || m->cost[l] > m->most) continue;
        m->chosen[m->n++] = l;
        rc = extend(m, k + 1, sum + m->busy[l], m->cost[l] > longest ? m->cost[l] : longest);
        m->n--;
    }
    return rc;
}

/* Then the number of children says it all. */
static bool all_equal(const plani_lp_t *lp, const double *busy, int u)
{
    for (size_t k = lp->out_first[u]; k < lp->out_first[u + 1]; k++)
        if (busy[lp->out[k]] != busy[lp->out[lp->out_first[u]]]) return false;
    return true;
}

plan_status_t plani_stars_create(const plani_lp_t *lp, const double *cost, const double *busy, double most,
                                 size_t limit, plani_stars_t *s)
{
    maker_t m = {.lp = lp, .cost = cost, .busy = busy, .s = s, .most = most, .limit = limit};
    plan_status_t rc = PLAN_OK;
    *s = (plani_stars_t){.has = calloc((size_t)lp->n, 1)};
    m.chosen = malloc((size_t)lp->n * sizeof *m.chosen);
    if (s->has == NULL || m.chosen == NULL) rc = PLAN_ENOMEM;
    for (m.rank = 0; rc == PLAN_OK && m.rank < lp->n; m.rank++) {
        size_t links = s->links;
        m.before = s->count;
        if (all_equal(lp, busy, m.rank)) continue;
        rc = extend(&m, lp->out_first[m.rank], 0, 0);
        s->has[m.rank] = rc == PLAN_OK;
        if (rc != PLAN_EUNSUPPORTED) continue;
        rc = PLAN_OK; /* without those of this rank */
        s->count = m.before;
        s->links = links;
    }
    free(m.chosen);
    if (rc != PLAN_OK) plani_stars_clear(s);
    return rc;
}

void plani_stars_clear(plani_stars_t *s)
{
    free(s->star);
    free(s->link);
    free(s->has);
    *s = (plani_stars_t){0};
}
