/*
 * MPICH's trees by topology, and the file of coordinates that tells it the topology: for each rank a group and a switch
 * in it. Here groups are sites, and switches hosts.
 *
 * Groups are a k-ary tree of their leaders, and so are the switches of each group, and the ranks of each switch. Groups
 * and switches are listed as their first ranks come, those with the root first, the others by falling numbers of ranks;
 * a group's leader is that of the first switch in its list. A rank sends to groups first, then to switches, then to
 * ranks. (Found out from its sources, and from the trees that MPICH 4.2.1 dumps.)
 */
#include "planner/exports/exports.h"
#include <stdlib.h>
#include <planbcast.h>

typedef struct {
    const plan_platform_data_t *d;
    int k, root;
    int groups, switches;
    int *group, *sw;    /* [ranks] of each rank */
    int *leader, *size; /* [ranks] of each switch; and */
    int *group_of;      /* [ranks] its group */
    int *group_size;    /* [ranks] ranks of each group */
    int *list;          /* [ranks] scratch */
    int *parent, *order, placed;
} aware_t;

/* Number groups and switches as their first ranks come. */
static void look(aware_t *x)
{
    const plan_platform_data_t *d = x->d;
    for (int r = 0; r < d->ranks; r++) {
        int g = 0, s = 0;
        while (d->site[g] != d->site[r]) g++;
        while (d->site[s] != d->site[r] || d->host[s] != d->host[r]) s++;
        x->group[r] = g < r ? x->group[g] : x->groups++;
        x->sw[r] = s < r ? x->sw[s] : x->switches++;
        if (s == r || r == x->root) x->leader[x->sw[r]] = r;
        x->group_of[x->sw[r]] = x->group[r];
        x->size[x->sw[r]]++;
        x->group_size[x->group[r]]++;
    }
}

/* The one with the root first, if `first` is not -1; the others by falling size, by exchanges as MPICH does. */
static void sort(int *list, int n, const int *size, int first)
{
    for (int i = 0; i < n && first >= 0; i++)
        if (list[i] == first) list[i] = list[0], list[0] = first;
    for (int i = first >= 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (size[list[i]] < size[list[j]]) {
                int swap = list[i];
                list[i] = list[j], list[j] = swap;
            }
}

/* A k-ary tree of n ranks, from the first. */
static void join(aware_t *x, const int *rank, int n)
{
    for (int i = 1; i < n; i++) {
        x->parent[rank[i]] = rank[(i - 1) / x->k];
        x->order[rank[i]] = x->placed++;
    }
}

/* The switches of a group; returns its leader. */
static int join_switches(aware_t *x, int group, bool joins)
{
    int n = 0;
    for (int s = 0; s < x->switches; s++)
        if (x->group_of[s] == group) x->list[n++] = s;
    sort(x->list, n, x->size, x->group[x->root] == group ? x->sw[x->root] : -1);
    for (int i = 0; i < n; i++) x->list[i] = x->leader[x->list[i]];
    int leader = x->list[0];
    if (joins) join(x, x->list, n);
    return leader;
}

static void join_groups(aware_t *x, int *leader_of)
{
    for (int g = 0; g < x->groups; g++) leader_of[g] = join_switches(x, g, false);
    for (int g = 0; g < x->groups; g++) x->list[g] = g;
    sort(x->list, x->groups, x->group_size, x->group[x->root]);
    for (int i = 0; i < x->groups; i++) x->list[i] = leader_of[x->list[i]];
    join(x, x->list, x->groups);
}

/* The ranks of a switch, from its leader round. */
static void join_ranks(aware_t *x, int sw)
{
    int n = 0;
    for (int i = 0; i < x->d->ranks; i++) {
        int r = (x->leader[sw] + i) % x->d->ranks;
        if (x->sw[r] == sw) x->list[n++] = r;
    }
    join(x, x->list, n);
}

plan_status_t plani_aware_tree(const plan_platform_data_t *d, int k, int root, plan_tree_t **out)
{
    enum { ARRAYS = 10 };
    size_t n = (size_t)d->ranks;
    int *room = calloc(ARRAYS * n, sizeof *room), *at = room;
    aware_t x = {.d = d, .k = k, .root = root};
    int **const array[] = {&x.group,      &x.sw,   &x.leader, &x.size, &x.group_of,
                           &x.group_size, &x.list, &x.parent, &x.order};

    if (room == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < sizeof array / sizeof *array; i++, at += n) *array[i] = at;
    x.parent[root] = -1;
    look(&x);
    join_groups(&x, at);
    for (int g = 0; g < x.groups; g++) join_switches(&x, g, true);
    for (int s = 0; s < x.switches; s++) join_ranks(&x, s);
    plan_status_t rc = plan_tree_create(d->ranks, x.parent, x.order, out);
    free(room);
    return rc;
}

void plani_put_coordinates(const plan_platform_data_t *d, plani_text_t *to)
{
    plani_text_add(to, "# rank: site, host, place on the host. Written by planbcast %s\n", PLANBCAST_VERSION);
    for (int r = 0; r < d->ranks; r++) {
        int place = 0;
        for (int q = 0; q < r; q++) place += d->host[q] == d->host[r];
        plani_text_add(to, "%d: %d %d %d\n", r, d->site[r], d->host[r], place);
    }
}
