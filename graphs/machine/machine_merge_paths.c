/* The paths of two machines together: known ones, those of pairs of hosts that were not known, and likely ones. */
#include "graphs/machine/machine_merge.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

/* Hosts of one group and kind are a class. */
typedef struct {
    int group, kind, host;
} class_t;

/* The hosts of one of the two machines by class: of up to two of each, their numbers in that machine. */
typedef struct {
    const plani_machine_t *m;
    int (*host)[2]; /* [nclasses] -1: none */
} side_t;

typedef struct {
    plani_merging_t *k;
    class_t *sorted; /* [nhosts] of m */
    int *of;         /* [nhosts] class of m's hosts */
    int *some;       /* [nclasses] a host of each */
    side_t a, b;
    int *entry, *exit; /* [groups of m] a channel of m from and to other groups; -1: none. As b says */
    int nclasses;
    size_t room;
} paths_t;

static int by_class(const void *x, const void *y)
{
    const class_t *a = x, *b = y;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->host < b->host ? -1 : a->host > b->host;
}

static plan_status_t allocate(paths_t *p)
{
    size_t n = (size_t)p->k->m->nhosts, groups = (size_t)p->k->m->ngroups;

    p->sorted = malloc((n + 1) * sizeof *p->sorted);
    p->of = calloc(2 * n + 2 * groups + 1, sizeof *p->of);
    p->a.host = malloc((n + 1) * sizeof *p->a.host);
    p->b.host = malloc((n + 1) * sizeof *p->b.host);
    if (p->sorted == NULL || p->of == NULL || p->a.host == NULL || p->b.host == NULL) return PLAN_ENOMEM;
    p->some = p->of + n, p->entry = p->some + n, p->exit = p->entry + groups;
    for (size_t g = 0; g < 2 * groups; g++) p->entry[g] = -1;
    for (size_t c = 0; c < n; c++) p->a.host[c][0] = p->a.host[c][1] = p->b.host[c][0] = p->b.host[c][1] = -1;
    return PLAN_OK;
}

static void note_host(side_t *side, int class, int host)
{
    int *two = side->host[class];
    if (two[0] < 0)
        two[0] = host;
    else if (two[1] < 0)
        two[1] = host;
}

static void find_classes(paths_t *p)
{
    const plani_merging_t *k = p->k;
    const plani_machine_t *m = k->m;

    for (int h = 0; h < m->nhosts; h++) p->sorted[h] = (class_t){m->host[h].group, m->host[h].kind, h};
    qsort(p->sorted, (size_t)m->nhosts, sizeof *p->sorted, by_class);
    for (int i = 0; i < m->nhosts; i++) {
        const class_t *c = &p->sorted[i];
        if (i == 0 || c->group != c[-1].group || c->kind != c[-1].kind) p->some[p->nclasses++] = c->host;
        p->of[c->host] = p->nclasses - 1;
    }
    p->a.m = k->a, p->b.m = k->b;
    for (int h = 0; h < k->a->nhosts; h++)
        if (k->host_a[h] >= 0 && !k->renewed[h]) note_host(&p->a, p->of[k->host_a[h]], h);
    for (int h = 0; h < k->b->nhosts; h++)
        if (!k->b->host[h].admitted) note_host(&p->b, p->of[plani_machine_find(m, k->b->host[h].name)], h);
}

/* Whether one of the machines knows two hosts, one of class x and one of class y; *path: the path between them. */
static bool knows(const side_t *side, int x, int y, int *path)
{
    int from = side->host[x][0], to = side->host[y][x == y];

    *path = -1;
    if (from < 0 || to < 0) return false;
    if (side->m->npaths == 0) return true;
    *path = plani_machine_path(side->m, from, to);
    return *path < 0 || !side->m->path[*path].likely;
}

static plan_status_t add_path(paths_t *p, plani_machine_path_t path)
{
    plani_machine_t *m = p->k->m;
    if ((size_t)m->npaths == p->room) {
        size_t room = 2 * p->room + 16;
        plani_machine_path_t *more = plani_machine_room(m, room, sizeof *more);
        if (more == NULL) return PLAN_ENOMEM;
        if (m->npaths > 0) memcpy(more, m->path, (size_t)m->npaths * sizeof *more);
        m->path = more, p->room = room;
    }
    m->path[m->npaths++] = path;
    return PLAN_OK;
}

/* Of all hosts of two classes. */
static plani_machine_path_t between(const paths_t *p, int x, int y, int channel)
{
    const plani_machine_host_t *from = &p->k->m->host[p->some[x]], *to = &p->k->m->host[p->some[y]];
    return (plani_machine_path_t){.from_host = -1,
                                  .to_host = -1,
                                  .from_group = from->group,
                                  .to_group = to->group,
                                  .from_kind = from->kind,
                                  .to_kind = to->kind,
                                  .channel = channel};
}

/* What b says of two classes of hosts of which a has no pair. Before a's paths: none of those was meant for them. */
static plan_status_t add_new(paths_t *p, int x, int y, int path)
{
    plani_merging_t *k = p->k;
    int channel = -1, out = k->m->host[p->some[x]].group, in = k->m->host[p->some[y]].group;
    plan_status_t rc = plani_merge_channel(k, path >= 0 ? k->b->path[path].channel : -1, &channel);

    if (rc != PLAN_OK || (path < 0 && k->a->npaths == 0)) return rc;
    if (out != in && channel >= 0) p->exit[out] = p->entry[in] = channel;
    plani_machine_path_t added = between(p, x, y, channel);
    if (path >= 0) added.flow_bytes_per_s = k->b->path[path].flow_bytes_per_s;
    if (path >= 0) added.flow_interval = k->b->path[path].flow_interval;
    return add_path(p, added);
}

/* Both ends of a path of a, by m's numbers; false: it no longer counts. */
static bool carry_known(const plani_merging_t *k, plani_machine_path_t *path)
{
    int *host[] = {&path->from_host, &path->to_host}, *group[] = {&path->from_group, &path->to_group};

    if (path->likely) return false; /* found again in the end, unless b knows better */
    for (int i = 0; i < 2; i++) {
        if (*host[i] >= 0 && (k->host_a[*host[i]] < 0 || k->renewed[*host[i]])) return false;
        if (*host[i] >= 0) *host[i] = k->host_a[*host[i]];
        if (*group[i] >= 0) *group[i] = k->number[*group[i]];
    }
    return true; /* kinds have a's numbers */
}

/* A path of single hosts of b, unless a knows them. */
static plan_status_t add_single(paths_t *p, const plani_machine_path_t *from)
{
    const plani_merging_t *k = p->k;
    plani_machine_path_t path = *from;
    int *host[] = {&path.from_host, &path.to_host}, *group[] = {&path.from_group, &path.to_group},
        *kind[] = {&path.from_kind, &path.to_kind};
    bool known = true;

    for (int i = 0; i < 2; i++) {
        int h = *host[i];
        known = known && (h < 0 || (k->same[h] >= 0 && !k->renewed[k->same[h]]));
        if (h >= 0 && (*host[i] = plani_machine_find(k->m, k->b->host[h].name)) < 0) return PLAN_OK; /* admitted */
        if (*group[i] >= 0) *group[i] = k->number[k->group[*group[i]]];
        if (*kind[i] >= 0) *kind[i] = k->kind[*kind[i]];
    }
    if (known || (from->from_host < 0 && from->to_host < 0)) return PLAN_OK;
    plan_status_t rc = plani_merge_channel(p->k, from->channel, &path.channel);
    return rc == PLAN_OK ? add_path(p, path) : rc;
}

/* Between a host that only a knows and one that only b knows: as was thought likely before; else as between others of
 * their groups; to and from a group that only b knows as between that and other groups. -1: nothing is likely. */
static plan_status_t likely_channel(paths_t *p, int x, int y, int path_a, int path_b, int *channel)
{
    const plani_machine_t *m = p->k->m;
    int from = m->host[p->some[x]].group, to = m->host[p->some[y]].group;

    *channel = -1;
    if (m->group[from].part != m->group[to].part) return PLAN_OK;
    if (path_a >= 0) *channel = p->k->a->path[path_a].channel;
    if (path_a < 0 && path_b >= 0) return plani_merge_channel(p->k, p->k->b->path[path_b].channel, channel);
    for (int i = 0; i < m->npaths && *channel < 0; i++)
        if (m->path[i].from_group == from && m->path[i].to_group == to) *channel = m->path[i].channel;
    if (*channel < 0 && from != to) *channel = p->entry[to];
    if (*channel < 0 && from != to) *channel = p->exit[from];
    return PLAN_OK;
}

static plan_status_t add_likely(paths_t *p, int x, int y, int path_a, int path_b)
{
    int channel = -1;

    if (plani_machine_path(p->k->m, p->some[x], p->some[y]) >= 0) return PLAN_OK;
    plan_status_t rc = likely_channel(p, x, y, path_a, path_b, &channel);
    if (rc != PLAN_OK || channel < 0) return rc;
    plani_machine_path_t path = between(p, x, y, channel);
    path.likely = true;
    return add_path(p, path);
}

/* Paths between classes that b alone knows a pair of; or, in the end, that neither does. */
static plan_status_t add_pairs(paths_t *p, bool likely)
{
    plan_status_t rc = PLAN_OK;
    int known, path;

    for (int x = 0; x < p->nclasses; x++)
        for (int y = 0; y < p->nclasses && rc == PLAN_OK; y++) {
            if (knows(&p->a, x, y, &known) || knows(&p->b, x, y, &path) == likely) continue;
            rc = likely ? add_likely(p, x, y, known, path) : add_new(p, x, y, path);
        }
    return rc;
}

static plan_status_t add_all(paths_t *p)
{
    plani_merging_t *k = p->k;
    plan_status_t rc = k->a->npaths + k->b->npaths > 0 ? add_pairs(p, false) : PLAN_OK;

    for (int i = 0; i < k->a->npaths && rc == PLAN_OK; i++) {
        plani_machine_path_t path = k->a->path[i];
        if (carry_known(k, &path)) rc = add_path(p, path);
    }
    for (int i = 0; i < k->b->npaths && rc == PLAN_OK; i++) rc = add_single(p, &k->b->path[i]);
    return rc == PLAN_OK && k->m->npaths > 0 ? add_pairs(p, true) : rc;
}

plan_status_t plani_merge_paths(plani_merging_t *k)
{
    paths_t p = {.k = k};
    plan_status_t rc = allocate(&p);

    if (rc == PLAN_OK) {
        find_classes(&p);
        rc = add_all(&p);
    }
    free(p.sorted);
    free(p.of);
    free(p.a.host);
    free(p.b.host);
    return rc;
}
