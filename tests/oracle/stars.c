#include "oracle/stars.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_STARS = 200000 };

typedef struct {
    const plan_platform_data_t *d;
    stars_t *s;
    int root, rank;
    double slice, upper;
    size_t chosen[1024], n; /* links of the star at hand */
} maker_t;

/* Room for `needed` entries. */
static int grow(void **list, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room) return 0;
    void *p = realloc(*list, 2 * needed * size);
    if (p == NULL) return -1;
    *list = p;
    *room = 2 * needed;
    return 0;
}

static int note(maker_t *m, double cost)
{
    stars_t *s = m->s;
    if (s->count >= MOST_STARS) return -1;
    if (grow((void **)&s->star, &s->room, s->count + 1, sizeof *s->star) != 0) return -1;
    if (grow((void **)&s->link, &s->room_links, s->links + m->n + 1, sizeof *s->link) != 0) return -1;
    s->star[s->count++] = (star_t){m->rank, cost, s->links, s->links + m->n};
    for (size_t i = 0; i < m->n; i++) s->link[s->links++] = m->chosen[i];
    return 0;
}

/* The star at hand, and all that add links of the rank from `at` on. Costs only grow. */
static int extend(maker_t *m, size_t at, double sum, double longest)
{
    const plan_platform_data_t *d = m->d;
    double cost = d->send_s != NULL ? fmax((double)m->n * plan_send_cost(d, m->rank, m->slice), longest) : sum;

    if (cost > m->upper) return 0;
    if (note(m, cost) != 0) return -1;
    for (size_t l = at; l < d->out_first[m->rank + 1]; l++) {
        double t = plan_link_cost(&d->link[l], m->slice);
        if (d->link[l].to == m->root || m->n == sizeof m->chosen / sizeof *m->chosen) continue;
        m->chosen[m->n++] = l;
        if (extend(m, l + 1, sum + t, fmax(longest, t)) != 0) return -1;
        m->n--;
    }
    return 0;
}

int stars_create(const plan_platform_data_t *d, int root, double slice, double upper, stars_t *s)
{
    *s = (stars_t){0};
    for (int u = 0; u < d->ranks; u++) {
        maker_t m = {.d = d, .s = s, .root = root, .rank = u, .slice = slice, .upper = upper};
        if (extend(&m, d->out_first[u], 0, 0) != 0) {
            stars_clear(s);
            return -1;
        }
    }
    return 0;
}

void stars_clear(stars_t *s)
{
    free(s->star);
    free(s->link);
    *s = (stars_t){0};
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double *stars_periods(const stars_t *s, const plan_platform_data_t *d, double slice, double upper, size_t *n)
{
    double *value = malloc((s->count + d->nresources * (size_t)d->ranks + 1) * sizeof *value);
    size_t all = 0, kept = 0;

    if (value == NULL) return NULL;
    for (size_t i = 0; i < s->count; i++) value[all++] = s->star[i].cost;
    for (size_t i = 0; i < d->nresources; i++)
        for (int times = 1; times < d->ranks; times++) {
            double held = times * plan_resource_cost(&d->resource[i], slice);
            if (held <= upper) value[all++] = held;
        }
    qsort(value, all, sizeof *value, ascending);
    for (size_t i = 0; i < all; i++) /* what differs by rounding alone is one value, the larger */
        if (kept > 0 && value[i] <= value[kept - 1] * (1 + 1e-12))
            value[kept - 1] = value[i];
        else
            value[kept++] = value[i];
    *n = kept;
    return value;
}
