/* What flows between a machine's hosts get of its cards and trunks when all run at once. */
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_WAYS = 2 * (PLANI_MACHINE_DEPTH + 1) }; /* of one flow: a card and all trunks to the top at either end */

/* A way is what one direction of a card or trunk carries, or both directions of a half-duplex card. */
typedef struct {
    int n, way[MOST_WAYS];
    double left, more; /* [B/s] what its path allows beside what it has; what it may get in the next round */
    bool full;
} flow_t;

typedef struct {
    double *left; /* [ways] [B/s] that is not used */
    int *open;    /* [ways] flows on it that are not full */
} sharing_t;

static int card_way(const plani_machine_t *m, int host, bool in)
{
    return 2 * host + (in && !plani_kind_shares_medium(&m->kind[m->host[host].kind]));
}

static int trunk_way(const plani_machine_t *m, int group, bool in)
{
    return 2 * (m->nhosts + group) + in;
}

static double limit(double bytes_per_s)
{
    return bytes_per_s > 0 ? bytes_per_s : INFINITY;
}

static void fill_ways(const plani_machine_t *m, plani_machine_part_t part, double *left)
{
    bool in = part.direction == PLANI_PART_IN;

    for (int h = 0; h < m->nhosts; h++) {
        const plani_machine_kind_t *kind = &m->kind[m->host[h].kind];
        left[card_way(m, h, true)] = limit(kind->in.bytes_per_s);
        left[card_way(m, h, false)] =
            limit(plani_kind_shares_medium(kind) ? 0.5 * (kind->out.bytes_per_s + kind->in.bytes_per_s)
                                                 : kind->out.bytes_per_s);
    }
    for (int g = 0; g < m->ngroups; g++) {
        left[trunk_way(m, g, false)] = limit(m->group[g].out.bytes_per_s);
        left[trunk_way(m, g, true)] = limit(m->group[g].in.bytes_per_s);
    }
    left[part.trunk ? trunk_way(m, part.which, in) : card_way(m, part.which, in)] = INFINITY;
}

static flow_t flow_between(const plani_machine_t *m, int from, int to)
{
    int up = m->host[from].group, down = m->host[to].group, path = plani_machine_path_between(m, from, to);
    flow_t f = {.n = 2, .way = {card_way(m, from, false), card_way(m, to, true)}};

    f.left = limit(path >= 0 ? m->path[path].flow_bytes_per_s : 0);
    while (up != down) { /* the higher number is not above the other */
        bool in = down > up;
        int *farther = in ? &down : &up;
        f.way[f.n++] = trunk_way(m, *farther, in);
        *farther = m->group[*farther].above;
    }
    return f;
}

/* All flows get more at the same pace, until the first of them are full. \return [B/s] how much more each gets */
static double next_round(const sharing_t *s, size_t n, flow_t *flow)
{
    double more = INFINITY;

    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < flow[i].n; k++) s->open[flow[i].way[k]] = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < flow[i].n; k++) s->open[flow[i].way[k]] += !flow[i].full;
    for (size_t i = 0; i < n; i++) {
        flow_t *f = &flow[i];
        if (f->full) continue;
        f->more = f->left;
        for (int k = 0; k < f->n; k++)
            f->more = plani_min(f->more, plani_max(0, s->left[f->way[k]]) / s->open[f->way[k]]);
        more = plani_min(more, f->more);
    }
    return more;
}

static double share(const sharing_t *s, size_t n, flow_t *flow)
{
    double total = 0;

    for (size_t open = n; open > 0;) {
        double more = next_round(s, n, flow);
        if (isinf(more)) return INFINITY;
        for (size_t i = 0; i < n; i++) {
            flow_t *f = &flow[i];
            if (f->full) continue;
            total += more, f->left -= more;
            for (int k = 0; k < f->n; k++) s->left[f->way[k]] -= more;
            f->full = f->more <= more;
            open -= f->full;
        }
    }
    return total;
}

plan_status_t plani_machine_flows_without(const plani_machine_t *m, plani_machine_part_t part, size_t n,
                                          const plani_host_flow_t *flow, double *total)
{
    size_t ways = 2 * ((size_t)m->nhosts + (size_t)m->ngroups) + 1;
    sharing_t s = {.left = malloc(ways * sizeof *s.left), .open = malloc(ways * sizeof *s.open)};
    flow_t *shared = malloc((n + 1) * sizeof *shared);
    plan_status_t rc = s.left != NULL && s.open != NULL && shared != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc == PLAN_OK) {
        fill_ways(m, part, s.left);
        for (size_t i = 0; i < n; i++) shared[i] = flow_between(m, flow[i].from, flow[i].to);
        *total = share(&s, n, shared);
    }
    free(s.left);
    free(s.open);
    free(shared);
    return rc;
}
