/* The trees of Open MPI 4.1's broadcasts. Each is defined for virtual ranks, with root 0, and then rotated to the root.
 * */
#include "graphs/trees/trees.h"
#include <planbcast/tree.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_CHAINS = 4, DEFAULT_RADIX = 4, MAX_CHAINS = 32 /* as Open MPI limits them */ };

/* A virtual rank's parent, and its position among its siblings. */
typedef struct {
    int parent, order;
} below_t;

typedef struct {
    const char *name;
    int fanout;   /* the default; 0: the topology has no fan-out */
    int min, max; /* valid fan-outs besides 0 */
    below_t (*below)(int v, int ranks, int fanout);
} shape_t;

static below_t below_root(int v, int ranks, int fanout)
{
    (void)ranks, (void)fanout;
    return (below_t){0, v};
}

/* ranks - 1 = q * chains + r: r chains of q + 1 ranks, then chains of q, each a run of neighbouring ranks. */
static below_t below_chain(int v, int ranks, int chains)
{
    int q = (ranks - 1) / chains, r = (ranks - 1) % chains, i = v - 1;
    int in_long = r * (q + 1); /* ranks in the longer chains */
    int place = i < in_long ? i % (q + 1) : (i - in_long) % q;
    return (below_t){place == 0 ? 0 : v - 1, v};
}

/*         0           Level l holds 2^l ranks; rank v of level l has the children v + 2^l and v + 2 * 2^l,
 *     1       2       so that odd ranks are left of the root and even ones right.
 *   3   5   4   6     */
static below_t below_binary(int v, int ranks, int fanout)
{
    long long width = 1, first = 0; /* of the level above v's */
    (void)ranks, (void)fanout;
    while (first + width + 2 * width <= v) {
        first += width;
        width *= 2;
    }
    long long up = v - width; /* v is its parent's first or second child */
    return (below_t){(int)(up < first + width ? up : up - width), v};
}

/* The highest bit cleared; the nearest child first. */
static below_t below_binomial(int v, int ranks, int fanout)
{
    int bit = 1;
    (void)ranks, (void)fanout;
    while (bit <= v / 2) bit *= 2;
    return (below_t){v - bit, v};
}

/* The lowest non-zero digit cleared; the child with the most ranks below it, that is the highest digit, first. */
static below_t below_knomial(int v, int ranks, int radix)
{
    int level = 0, digits = v;
    long long unit = 1;
    while (digits % radix == 0) digits /= radix, unit *= radix, level++;
    int digit = digits % radix, kinds = radix < ranks ? radix : ranks;
    return (below_t){(int)(v - digit * unit), digit - level * kinds};
}

static const shape_t shapes[PLAN_TOPOLOGIES] = {
    [PLAN_LINEAR] = {"linear", 0, 0, 0, below_root},
    [PLAN_CHAIN] = {"chain", DEFAULT_CHAINS, 1, 1 << 30, below_chain},
    [PLAN_PIPELINE] = {"pipeline", 1, 1, 1, below_chain},
    [PLAN_SPLIT_BINARY] = {"split_binary", 2, 2, 2, below_binary},
    [PLAN_BINARY] = {"binary", 2, 2, 2, below_binary},
    [PLAN_BINOMIAL] = {"binomial", 2, 2, 2, below_binomial},
    [PLAN_KNOMIAL] = {"knomial", DEFAULT_RADIX, 2, 1 << 30, below_knomial},
};

const char *plan_topology_name(plan_topology_t kind)
{
    return (unsigned)kind < PLAN_TOPOLOGIES ? shapes[kind].name : "unknown";
}

plan_status_t plan_topology_from_name(const char *name, plan_topology_t *kind)
{
    for (int k = 0; name != NULL && k < PLAN_TOPOLOGIES; k++)
        if (strcmp(name, shapes[k].name) == 0) {
            *kind = (plan_topology_t)k;
            return PLAN_OK;
        }
    return PLAN_EINVAL;
}

plan_status_t plan_tree_topology(plan_topology_t kind, int ranks, int root, int fanout, plan_tree_t **out)
{
    plan_status_t rc = PLAN_OK;
    int *parent = NULL, *order = NULL;

    if ((unsigned)kind >= PLAN_TOPOLOGIES || ranks < 1 || root < 0 || root >= ranks || out == NULL) return PLAN_EINVAL;
    const shape_t *shape = &shapes[kind];
    if (fanout != 0 && (fanout < shape->min || fanout > shape->max)) return PLAN_EINVAL;
    if (fanout == 0) fanout = shape->fanout;
    if (kind == PLAN_CHAIN && fanout > MAX_CHAINS) fanout = MAX_CHAINS;
    parent = malloc((size_t)ranks * sizeof *parent);
    order = malloc((size_t)ranks * sizeof *order);
    if (parent == NULL || order == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    parent[root] = -1;
    order[root] = 0;
    for (int v = 1; v < ranks; v++) {
        below_t b = shape->below(v, ranks, fanout);
        int r = (int)(((long long)v + root) % ranks);
        parent[r] = (int)(((long long)b.parent + root) % ranks);
        order[r] = kind == PLAN_LINEAR ? r : b.order; /* only the linear broadcast is in the order of real ranks */
    }
    rc = plan_tree_create(ranks, parent, order, out);
done:
    free(parent);
    free(order);
    return rc;
}

plan_status_t plani_split_binary_partners(int ranks, int root, int *partner)
{
    if (ranks < 1 || root < 0 || root >= ranks || partner == NULL) return PLAN_EINVAL;
    for (int v = 0; v < ranks; v++) {
        int mate = v % 2 ? v + 1 : v - 1;              /* left is odd, right is even */
        if (v == 0) mate = ranks % 2 ? -1 : ranks - 1; /* the root holds both halves */
        if (v != 0 && mate == ranks) mate = 0;         /* the last rank on the left is paired with the root */
        int r = (int)(((long long)v + root) % ranks);
        partner[r] = mate == -1 ? -1 : (int)(((long long)mate + root) % ranks);
    }
    return PLAN_OK;
}
