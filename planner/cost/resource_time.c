/* What several messages that share a resource take together. */
#include <math.h>
#include "lib/base/base.h"
#include "planner/cost/cost.h"

/* The rows of the size that is nearest to `bytes`, by ratio; of two as near the smaller one. */
static size_t regime(const plan_resource_t *r, double bytes, size_t *end)
{
    size_t first = 0;

    for (*end = 0;;) {
        while (*end < r->npairs && r->pairs[*end].bytes == r->pairs[first].bytes) ++*end;
        if (*end == r->npairs || r->pairs[first].bytes * r->pairs[*end].bytes >= bytes * bytes) return first;
        first = *end;
    }
}

/* BW_MP(N): linear between the measured numbers of messages, beyond them as at the nearest. */
static double together(const plan_resource_t *r, double messages, double bytes)
{
    size_t end, i = regime(r, bytes, &end);
    const plan_pairs_t *p = r->pairs;

    while (i + 1 < end && p[i + 1].messages < messages) i++;
    if (i + 1 == end || messages <= p[i].messages) return p[i].bytes_per_s;
    double part = (messages - p[i].messages) / (p[i + 1].messages - p[i].messages);
    return p[i].bytes_per_s + part * (p[i + 1].bytes_per_s - p[i].bytes_per_s);
}

double plani_resource_time(const plan_resource_t *r, double messages, double bytes)
{
    double seconds = bytes * r->s_per_byte;

    if (r->npairs > 0 && bytes > 0) seconds = plani_max(seconds, bytes / together(r, messages, bytes / messages));
    return messages * r->s_per_message + seconds;
}

double plani_resource_steady(const plan_resource_t *r, double bytes)
{
    double many = r->npairs > 0 ? r->pairs[r->npairs - 1].messages : 1;

    return plani_resource_time(r, many, many * bytes) / many;
}
