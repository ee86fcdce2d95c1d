/* What limits the traffic of ranks placed on a machine: cards, trunks, memories and processors, and the links that use
 * each of them. */
#include "graphs/machine/machine_platform.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <stdlib.h>

typedef plani_machine_placed_t build_t;

/* Most resources of one link: out, both, relay and cores at either end, all trunks of two paths to the top, all ranks.
 */
enum { MOST_USED = 8 + 2 * (PLANI_MACHINE_DEPTH + 1) + 1 };

/* ---- which there are ---- */

static size_t of_host(int host, plani_host_limit_t limit)
{
    return PLANI_HOST_LIMITS * (size_t)host + (size_t)limit;
}

static size_t of_trunk(const build_t *b, int group, bool in)
{
    return PLANI_HOST_LIMITS * (size_t)b->hosts + 2 * (size_t)group + in;
}

static size_t of_all(const build_t *b)
{
    return PLANI_HOST_LIMITS * (size_t)b->hosts + 2 * (size_t)b->m->ngroups;
}

/* \return its name, to be filled in */
static char *add(build_t *b, size_t limit, plani_machine_part_t part, plani_capacity_t c, double s_per_message)
{
    size_t i = b->nresources++;

    b->limit[limit] = (int)i;
    b->part[i] = part;
    b->resource[i] = (plan_resource_t){.name = b->name[i],
                                       .s_per_message = s_per_message,
                                       .s_per_byte = c.bytes_per_s > 0 ? 1 / c.bytes_per_s : 0,
                                       .burst_bytes = c.burst_bytes,
                                       .npairs = c.npairs,
                                       .pairs = c.pairs,
                                       .guess = c.guess};
    return b->name[i];
}

static void add_of_host(build_t *b, int host, plani_host_limit_t limit, plani_capacity_t c, double s_per_message)
{
    static const struct {
        const char *text;
        plani_direction_t direction;
    } is[] = {
        [PLANI_LIMIT_OUT] = {"out", PLANI_PART_OUT},         [PLANI_LIMIT_IN] = {"in", PLANI_PART_IN},
        [PLANI_LIMIT_BOTH] = {"card", PLANI_PART_BOTH},      [PLANI_LIMIT_RELAY] = {"relay", PLANI_PART_OTHER},
        [PLANI_LIMIT_MEMORY] = {"memory", PLANI_PART_OTHER}, [PLANI_LIMIT_CORES] = {"processors", PLANI_PART_OTHER}};
    plani_machine_part_t part = {is[limit].direction, false, b->of[host]};

    if (!(c.bytes_per_s > 0 || s_per_message > 0)) return;
    char *name = add(b, of_host(host, limit), part, c, s_per_message);
    if (b->described != NULL)
        snprintf(name, PLANI_RESOURCE_NAME, "host %.100s %s", b->m->host[b->of[host]].name, is[limit].text);
    else
        snprintf(name, PLANI_RESOURCE_NAME, "host %d %s", host, is[limit].text);
}

static void add_trunk(build_t *b, int group, bool in)
{
    const plani_machine_group_t *g = &b->m->group[group];
    plani_capacity_t c = in ? g->in : g->out;
    plani_machine_part_t part = {in ? PLANI_PART_IN : PLANI_PART_OUT, true, group};

    if (!(c.bytes_per_s > 0)) return;
    snprintf(add(b, of_trunk(b, group, in), part, c, 0), PLANI_RESOURCE_NAME, "%.106s trunk %s", g->name,
             in ? "in" : "out");
}

/* What the ranks of a host take of its processors: by the message, or, if that is nothing, no less by the byte than of
 * the slices that they copy fastest. */
static void add_cores(build_t *b, int host)
{
    const plani_machine_inside_t *in = plani_machine_inside(b->m, b->of[host]);
    plani_capacity_t copying = in->copying;

    if (in->oversubscribed <= 0 || b->ranks_on[host] < in->oversubscribed) return;
    for (size_t i = 0; i < copying.npairs; i++)
        copying.bytes_per_s = plani_max(copying.bytes_per_s, copying.pairs[i].bytes_per_s);
    if (in->oversubscribed_message_s > 0) copying.bytes_per_s = 0;
    add_of_host(b, host, PLANI_LIMIT_CORES, copying, in->oversubscribed_message_s);
}

static void add_host(build_t *b, int host)
{
    const plani_machine_kind_t *k = &b->m->kind[b->m->host[b->of[host]].kind];
    const plani_machine_inside_t *in = plani_machine_inside(b->m, b->of[host]);

    if (plani_kind_shares_medium(k)) {
        plani_capacity_t both = {.bytes_per_s = 0.5 * (k->out.bytes_per_s + k->in.bytes_per_s),
                                 .burst_bytes = plani_min(k->out.burst_bytes, k->in.burst_bytes),
                                 .guess = plani_kind_is_guess(k, true)};
        add_of_host(b, host, PLANI_LIMIT_BOTH, both, 0);
    } else {
        if (k->shared_out || b->no_ports) add_of_host(b, host, PLANI_LIMIT_OUT, k->out, 0);
        if (k->shared_in || b->no_ports) add_of_host(b, host, PLANI_LIMIT_IN, k->in, 0);
        add_of_host(b, host, PLANI_LIMIT_RELAY, (plani_capacity_t){.bytes_per_s = k->relay_bytes_per_s}, 0);
    }
    if (in->memory_shared) add_of_host(b, host, PLANI_LIMIT_MEMORY, in->memory, 0);
    add_cores(b, host);
}

/* Trunks in the order of the groups in a description, else those of innermost groups first. Searches for trees depend
 * on the order of resources, so that another order would change plans. */
static void add_trunks(build_t *b)
{
    const plani_machine_t *m = b->m;

    for (int pass = 0; pass < 2; pass++)
        for (int g = 0; g < m->ngroups; g++) {
            bool innermost = g + 1 == m->ngroups || m->group[g + 1].above != g;
            if (!b->used[g] || pass != (b->described == NULL && !innermost)) continue;
            add_trunk(b, g, false);
            add_trunk(b, g, true);
        }
}

static void add_all(build_t *b)
{
    const plani_machine_t *m = b->m;

    for (int h = 0; h < b->hosts; h++) add_host(b, h);
    add_trunks(b);
    if (m->message_s > 0) {
        plani_machine_part_t part = {.direction = PLANI_PART_OTHER};
        char *name = add(b, of_all(b), part, (plani_capacity_t){0}, m->message_s);
        b->resource[b->nresources - 1].s_per_byte = m->message_byte_s;
        snprintf(name, PLANI_RESOURCE_NAME, "processors");
    }
}

/* ---- which links use them ---- */

/* The resources that a link uses. */
typedef struct {
    const build_t *b;
    size_t n, resource[MOST_USED];
} used_t;

static void use(used_t *u, size_t limit)
{
    if (u->b->limit[limit] >= 0) u->resource[u->n++] = (size_t)u->b->limit[limit];
}

/* Out of the sender's card, up to the group that holds both hosts or to the top, and down to the receiver's card. */
static void use_network(used_t *u, int from, int to)
{
    const plani_machine_t *m = u->b->m;
    int up = m->host[u->b->of[from]].group, down = m->host[u->b->of[to]].group;

    use(u, of_host(from, PLANI_LIMIT_OUT));
    use(u, of_host(to, PLANI_LIMIT_IN));
    use(u, of_host(from, PLANI_LIMIT_BOTH));
    use(u, of_host(to, PLANI_LIMIT_BOTH));
    use(u, of_host(from, PLANI_LIMIT_RELAY));
    if (up != down) use(u, of_host(to, PLANI_LIMIT_RELAY)); /* in from other groups alone */
    use(u, of_host(to, PLANI_LIMIT_CORES));
    while (up != down) { /* the higher number is not above the other */
        bool in = down > up;
        int *farther = in ? &down : &up;
        use(u, of_trunk(u->b, *farther, in));
        *farther = m->group[*farther].above;
    }
}

static void find_used(used_t *u, const plan_link_t *l)
{
    int from = u->b->host[l->from], to = u->b->host[l->to];

    u->n = 0;
    use(u, of_host(from, PLANI_LIMIT_CORES));
    if (from == to)
        use(u, of_host(from, PLANI_LIMIT_MEMORY));
    else
        use_network(u, from, to);
    use(u, of_all(u->b));
}

/* Counted by resource, then filled in. */
static plan_status_t list_links(build_t *b)
{
    used_t u = {.b = b};
    size_t total = 0, *next = malloc((b->nresources + 1) * sizeof *next);

    for (size_t l = 0; l < b->nlinks; l++)
        for (find_used(&u, &b->link[l]); u.n > 0; u.n--) b->resource[u.resource[u.n - 1]].nlinks++;
    for (size_t i = 0; i < b->nresources; i++) total += b->resource[i].nlinks;
    b->member = malloc((total + 1) * sizeof *b->member);
    if (next == NULL || b->member == NULL) {
        free(next);
        return PLAN_ENOMEM;
    }
    total = 0;
    for (size_t i = 0; i < b->nresources; total += b->resource[i++].nlinks) {
        next[i] = total;
        b->resource[i].link = b->member + total;
    }
    for (size_t l = 0; l < b->nlinks; l++)
        for (find_used(&u, &b->link[l]); u.n > 0; u.n--) b->member[next[u.resource[u.n - 1]]++] = l;
    free(next);
    return PLAN_OK;
}

plan_status_t plani_machine_resources(plani_machine_placed_t *b)
{
    plan_status_t rc;
    size_t n = 0;

    add_all(b);
    if ((rc = list_links(b)) != PLAN_OK) return rc;
    for (size_t i = 0; i < b->nresources; i++) {
        if (b->resource[i].nlinks == 0) continue;
        b->resource[n] = b->resource[i];
        b->part[n++] = b->part[i];
    }
    b->nresources = n;
    return PLAN_OK;
}
