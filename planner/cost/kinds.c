#include "planner/cost/kinds.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"

/* Open addressing: a kind's first member stands for it. */
typedef struct {
    size_t room, n, *member; /* room: a power of two; member: SIZE_MAX where free */
    unsigned *number;
} table_t;

typedef struct {
    const plan_platform_data_t *d;
    const unsigned *resource; /* kinds of resources */
} about_t;

typedef uint64_t hash_t(const about_t *a, size_t i);
typedef bool same_t(const about_t *a, size_t i, size_t j);

static uint64_t hash_real(uint64_t h, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

static uint64_t hash_resource(const about_t *a, size_t i)
{
    const plan_resource_t *r = &a->d->resource[i];
    return hash_real(hash_real(hash_real(PLANI_HASH_START, r->s_per_message), r->s_per_byte), r->burst_bytes);
}

static bool same_resource(const about_t *a, size_t i, size_t j)
{
    const plan_resource_t *r = &a->d->resource[i], *s = &a->d->resource[j];
    return r->s_per_message == s->s_per_message && r->s_per_byte == s->s_per_byte && r->burst_bytes == s->burst_bytes;
}

static bool is_inside(const plan_platform_data_t *d, const plan_link_t *l)
{
    return d->host[l->from] == d->host[l->to];
}

static uint64_t hash_link(const about_t *a, size_t i)
{
    const plan_platform_data_t *d = a->d;
    const plan_link_t *l = &d->link[i];
    uint64_t h = hash_real(hash_real(hash_real(PLANI_HASH_START, l->latency_s), l->s_per_byte), l->delay_s);
    h = hash_real(h, 2 * l->channel + is_inside(d, l));
    for (size_t k = d->use_first[i]; k < d->use_first[i + 1]; k++) h = hash_real(h, a->resource[d->use[k]]);
    return h;
}

static bool same_link(const about_t *a, size_t i, size_t j)
{
    const plan_platform_data_t *d = a->d;
    const plan_link_t *l = &d->link[i], *m = &d->link[j];
    size_t n = d->use_first[i + 1] - d->use_first[i];
    if (l->latency_s != m->latency_s || l->s_per_byte != m->s_per_byte || l->delay_s != m->delay_s ||
        l->channel != m->channel || is_inside(d, l) != is_inside(d, m) || n != d->use_first[j + 1] - d->use_first[j])
        return false;
    for (size_t k = 0; k < n; k++)
        if (a->resource[d->use[d->use_first[i] + k]] != a->resource[d->use[d->use_first[j] + k]]) return false;
    return true;
}

/* The kinds of all n; *kinds 0: there are more than `most`. */
static plan_status_t sort_out(const about_t *a, size_t n, size_t most, hash_t *hash, same_t *same, unsigned *kind,
                              size_t *kinds)
{
    table_t t = {.room = 16};
    while (t.room < 2 * most + 2) t.room *= 2;
    t.member = malloc(t.room * sizeof *t.member);
    t.number = malloc(t.room * sizeof *t.number);
    plan_status_t rc = t.member != NULL && t.number != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (size_t at = 0; at < t.room && rc == PLAN_OK; at++) t.member[at] = SIZE_MAX;
    for (size_t i = 0; i < n && t.n <= most && rc == PLAN_OK; i++) {
        size_t at = hash(a, i) & (t.room - 1);
        while (t.member[at] != SIZE_MAX && !same(a, t.member[at], i)) at = (at + 1) & (t.room - 1);
        if (t.member[at] == SIZE_MAX) t.member[at] = i, t.number[at] = (unsigned)t.n++;
        kind[i] = t.number[at];
    }
    *kinds = t.n <= most ? t.n : 0;
    free(t.member);
    free(t.number);
    return rc;
}

plan_status_t plani_kinds_find(const plan_platform_data_t *d, size_t most, plani_kinds_t *out)
{
    about_t a = {.d = d};
    plan_status_t rc = PLAN_ENOMEM;

    *out = (plani_kinds_t){0};
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resource[i].npairs > 0) return PLAN_OK;
    out->link = malloc((d->nlinks + 1) * sizeof *out->link);
    out->resource = malloc((d->nresources + 1) * sizeof *out->resource);
    a.resource = out->resource;
    if (out->link != NULL && out->resource != NULL)
        rc = sort_out(&a, d->nresources, d->nresources, hash_resource, same_resource, out->resource, &out->nresources);
    if (rc == PLAN_OK) rc = sort_out(&a, d->nlinks, most, hash_link, same_link, out->link, &out->nlinks);
    if (rc != PLAN_OK || out->nlinks == 0) plani_kinds_clear(out);
    return rc;
}

void plani_kinds_clear(plani_kinds_t *kinds)
{
    free(kinds->link);
    free(kinds->resource);
    *kinds = (plani_kinds_t){0};
}
