/* Minimum-cost arborescences: grow a path of cheapest entering links backwards, and contract the cycles that it closes
 * (Tarjan, "Finding optimum branchings", 1977; the path as in Gabow, Galil, Spencer, Tarjan 1986). Entering links are
 * kept in pairing heaps (Fredman, Sedgewick, Sleator, Tarjan 1986), for few of them are ever removed; their keys are
 * lowered lazily as links are chosen. Ties go to the lower index of the link. */
#include "lp/lp.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double key, lower; /* reduced cost; amount still to be subtracted from the keys of the children */
    int child, next;   /* first child, next sibling; -1: none */
    int link;
} heap_t;

struct plani_arb {
    int n, nodes;
    size_t room;
    heap_t *heap; /* [room] */
    int *top;     /* [2n] the heap of each node, -1 when empty */
    int *leader;  /* [2n] union-find over nodes */
    int *up;      /* [2n] enclosing node (contraction), -1: none */
    int *below;   /* [2n] the node before it on the path, -1: none */
    int *entry;   /* [2n] chosen link into the node */
    char *state;  /* [2n] 0 untouched, 1 on the path, 2 linked to the root, 3 expanded */
    double *z;    /* [2n] dual value of the cut around each node */
};

plan_status_t plani_arb_create(int n, size_t max_links, plani_arb_t **out)
{
    plani_arb_t *a = calloc(1, sizeof *a);
    size_t k = 2 * (size_t)n;

    if (a == NULL) return PLAN_ENOMEM;
    if (max_links > INT32_MAX) {
        free(a);
        return PLAN_ENOMEM;
    }
    a->n = n;
    a->room = max_links;
    a->heap = malloc((max_links + 1) * sizeof *a->heap);
    a->top = malloc(k * sizeof *a->top);
    a->leader = malloc(k * sizeof *a->leader);
    a->up = malloc(k * sizeof *a->up);
    a->below = malloc(k * sizeof *a->below);
    a->entry = malloc(k * sizeof *a->entry);
    a->state = malloc(k);
    a->z = malloc(k * sizeof *a->z);
    if (!a->heap || !a->top || !a->leader || !a->up || !a->below || !a->entry || !a->state || !a->z)
        plani_arb_destroy(&a);
    *out = a;
    return a != NULL ? PLAN_OK : PLAN_ENOMEM;
}

void plani_arb_destroy(plani_arb_t **arb)
{
    if (arb == NULL || *arb == NULL) return;
    free((*arb)->heap);
    free((*arb)->top);
    free((*arb)->leader);
    free((*arb)->up);
    free((*arb)->below);
    free((*arb)->entry);
    free((*arb)->state);
    free((*arb)->z);
    free(*arb);
    *arb = NULL;
}

static bool is_before(const heap_t *a, const heap_t *b)
{
    return a->key < b->key || (a->key == b->key && a->link < b->link);
}

static void lower(heap_t *top, double by)
{
    top->key -= by;
    top->lower += by;
}

/* Apply the pending subtraction to the children. */
static void settle(heap_t *h, int top)
{
    if (h[top].lower == 0) return;
    for (int i = h[top].child; i >= 0; i = h[i].next) lower(&h[i], h[top].lower);
    h[top].lower = 0;
}

static int meld(heap_t *h, int a, int b)
{
    if (a < 0) return b;
    if (b < 0) return a;
    int top = is_before(&h[b], &h[a]) ? b : a, other = top == a ? b : a;
    settle(h, top);
    h[other].next = h[top].child;
    h[top].child = other;
    return top;
}

/* Remove the top: meld its children in pairs, then these from the last to the first. Returns the new top, or -1. */
static int without(heap_t *h, int top)
{
    int pairs = -1, left = -1;

    settle(h, top);
    for (int i = h[top].child, next; i >= 0; i = next) {
        int other = h[i].next;
        next = other >= 0 ? h[other].next : -1;
        int pair = meld(h, i, other);
        h[pair].next = pairs;
        pairs = pair;
    }
    for (int next; pairs >= 0; pairs = next) {
        next = h[pairs].next;
        left = meld(h, left, pairs);
    }
    return left;
}

static int find(int *leader, int i)
{
    while (leader[i] != i) {
        leader[i] = leader[leader[i]];
        i = leader[i];
    }
    return i;
}

static void start(plani_arb_t *a, const plani_lp_t *lp, const size_t *subset, size_t count, const double *weight)
{
    a->nodes = a->n;
    for (int v = 0; v < a->n; v++) {
        a->top[v] = a->up[v] = a->below[v] = a->entry[v] = -1;
        a->leader[v] = v;
        a->state[v] = v == lp->root ? 2 : 0;
        a->z[v] = 0;
    }
    for (size_t k = 0; k < count; k++) {
        size_t l = subset != NULL ? subset[k] : k;
        a->heap[k] = (heap_t){.key = weight[l], .child = -1, .next = -1, .link = (int)l};
        a->top[lp->to[l]] = meld(a->heap, a->top[lp->to[l]], (int)k);
    }
}

static void contract(plani_arb_t *a, int last, int first)
{
    int c = a->nodes++, top = -1;

    a->leader[c] = c;
    a->up[c] = a->entry[c] = -1;
    a->z[c] = 0;
    a->below[c] = a->below[first];
    a->state[c] = 1;
    for (int x = last;; x = a->below[x]) {
        a->up[x] = c;
        a->leader[x] = c;
        top = meld(a->heap, top, a->top[x]);
        if (x == first) break;
    }
    a->top[c] = top;
}

/* Remove the cheapest link into node x from outside it from its heap; -1: there is none. */
static int cheapest(plani_arb_t *a, const plani_lp_t *lp, int x)
{
    heap_t *h = a->heap;

    while (a->top[x] >= 0) {
        int i = a->top[x];
        a->top[x] = without(h, i);
        if (find(a->leader, lp->from[h[i].link]) == x) continue;
        a->z[x] = h[i].key;
        a->entry[x] = h[i].link;
        if (a->top[x] >= 0) lower(&h[a->top[x]], h[i].key);
        return h[i].link;
    }
    return -1;
}

/* Follow cheapest links backwards from rank v until the path reaches a node linked to the root. 0: it cannot. */
static int link_to_root(plani_arb_t *a, const plani_lp_t *lp, int v)
{
    int x = v;

    a->state[x] = 1;
    a->below[x] = -1;
    for (;;) {
        int l = cheapest(a, lp, x);
        if (l < 0) return 0;
        int y = find(a->leader, lp->from[l]);
        if (a->state[y] == 2) break;
        if (a->state[y] == 1) { /* y .. x is a cycle */
            contract(a, x, y);
            x = a->nodes - 1;
            continue;
        }
        a->state[y] = 1;
        a->below[y] = x;
        x = y;
    }
    for (; x >= 0; x = a->below[x]) a->state[x] = 2;
    return 1;
}

/* Expand the contractions, outermost first: the link into a contraction replaces the entry of each enclosed node that
 * contains its end. */
static void expand(plani_arb_t *a, const plani_lp_t *lp, size_t *pick)
{
    for (int c = a->nodes - 1; c >= a->n; c--) {
        if (a->state[c] == 3) continue; /* entered from a node outside */
        for (int x = lp->to[a->entry[c]]; x != c; x = a->up[x]) {
            a->entry[x] = a->entry[c];
            a->state[x] = 3;
        }
    }
    for (int v = 0; v < a->n; v++) pick[v] = v == lp->root ? (size_t)-1 : (size_t)a->entry[v];
}

double plani_arb_solve(plani_arb_t *a, const plani_lp_t *lp, const size_t *subset, size_t count, const double *weight,
                       size_t *pick)
{
    double value = 0;

    start(a, lp, subset, count, weight);
    for (int v = 0; v < a->n; v++)
        if (a->state[find(a->leader, v)] == 0 && !link_to_root(a, lp, v)) return -1;
    for (int i = 0; i < a->nodes; i++) value += a->z[i];
    if (pick != NULL) expand(a, lp, pick);
    return value;
}

void plani_arb_family(const plani_arb_t *a, const int **up, const double **z, int *nodes)
{
    *up = a->up;
    *z = a->z;
    *nodes = a->nodes;
}
