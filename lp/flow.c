/* Separation of cuts: maximum flows (Dinic 1970, searched backwards from the sink) from a growing set of sources. A
 * rank whose flow is known joins the sources: no further cut with it on the sink's side is needed. The next sink is the
 * rank with the largest capacity directly from the sources, so that most flows need no search. */
#include "lp/lp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int other;  /* the rank at the other end */
    int back;   /* index of the arc in the other direction */
    double cap; /* residual */
    double all; /* capacity */
} arc_t;

struct plani_flow {
    int n;
    size_t room;       /* arcs */
    arc_t *arc;        /* [2 * links] grouped by tail */
    int *first;        /* [n + 2] */
    int *next;         /* [n] next arc of a blocking flow */
    int *level;        /* [n] distance to the sink; -1 not seen */
    int *queue, *path; /* [n] */
    int *touched;      /* [room] arcs pushed through, to undo */
    size_t ntouched;
    unsigned char *source, *inside; /* [n] */
    double *direct;                 /* [n] capacity directly from the sources */
    double tiny;                    /* capacities up to this count as 0 */
    double deadline;                /* 0: none */
};

plan_status_t plani_flow_create(int n, size_t max_links, plani_flow_t **out)
{
    plani_flow_t *f = calloc(1, sizeof *f);
    size_t k = (size_t)n;

    if (f == NULL) return PLAN_ENOMEM;
    f->n = n;
    f->room = 2 * max_links;
    f->arc = malloc((f->room + 1) * sizeof *f->arc);
    f->first = malloc((k + 2) * sizeof *f->first);
    f->next = malloc(k * sizeof *f->next);
    f->level = malloc(k * sizeof *f->level);
    f->queue = malloc(k * sizeof *f->queue);
    f->path = malloc(k * sizeof *f->path);
    f->touched = malloc((f->room + 1) * sizeof *f->touched);
    f->source = malloc(k);
    f->inside = malloc(k);
    f->direct = malloc(k * sizeof *f->direct);
    if (!f->arc || !f->first || !f->next || !f->level || !f->queue || !f->path || !f->touched || !f->source ||
        !f->inside || !f->direct)
        plani_flow_destroy(&f);
    *out = f;
    return f != NULL ? PLAN_OK : PLAN_ENOMEM;
}

void plani_flow_until(plani_flow_t *flow, double deadline)
{
    flow->deadline = deadline;
}

void plani_flow_destroy(plani_flow_t **flow)
{
    if (flow == NULL || *flow == NULL) return;
    free((*flow)->arc);
    free((*flow)->first);
    free((*flow)->next);
    free((*flow)->level);
    free((*flow)->queue);
    free((*flow)->path);
    free((*flow)->touched);
    free((*flow)->source);
    free((*flow)->inside);
    free((*flow)->direct);
    free(*flow);
    *flow = NULL;
}

static void load(plani_flow_t *f, const plani_lp_t *lp, const size_t *subset, size_t count, const double *rate)
{
    int *first = f->first;

    memset(first, 0, ((size_t)f->n + 2) * sizeof *first);
    for (size_t k = 0; k < count; k++) {
        size_t l = subset != NULL ? subset[k] : k;
        if (rate[l] > f->tiny) first[lp->from[l] + 2]++, first[lp->to[l] + 2]++;
    }
    for (int v = 0; v < f->n; v++) first[v + 2] += first[v + 1];
    for (size_t k = 0; k < count; k++) { /* first[v + 1]: place of the next arc of v; in the end, the end of v's */
        size_t l = subset != NULL ? subset[k] : k;
        if (rate[l] <= f->tiny) continue;
        int there = first[lp->from[l] + 1]++, back = first[lp->to[l] + 1]++;
        f->arc[there] = (arc_t){.other = lp->to[l], .back = back, .cap = rate[l], .all = rate[l]};
        f->arc[back] = (arc_t){.other = lp->from[l], .back = there, .cap = 0, .all = 0};
    }
    f->ntouched = 0;
}

/* Levels: distance to the sink over residual arcs. Returns the nearest source; -1: none reaches the sink, and all that
 * do have a level. */
static int levels(plani_flow_t *f, int sink)
{
    int head = 0, tail = 0;

    for (int v = 0; v < f->n; v++) f->level[v] = -1;
    f->level[sink] = 0;
    f->queue[tail++] = sink;
    while (head < tail) {
        int v = f->queue[head++];
        for (int a = f->first[v]; a < f->first[v + 1]; a++) {
            int u = f->arc[a].other;
            if (f->level[u] >= 0 || f->arc[f->arc[a].back].cap <= f->tiny) continue;
            f->level[u] = f->level[v] + 1;
            if (f->source[u]) return u;
            f->queue[tail++] = u;
        }
    }
    return -1;
}

/* One augmenting path along the levels, from the sink back to any source. Returns its flow, at most `most`; 0: none. */
static double augment(plani_flow_t *f, int sink, int depth, double most)
{
    int v = sink, steps = 0;

    while (!f->source[v]) {
        int found = 0;
        for (; f->next[v] < f->first[v + 1]; f->next[v]++) {
            const arc_t *a = &f->arc[f->next[v]];
            int u = a->other;
            if (f->level[u] == f->level[v] + 1 && f->arc[a->back].cap > f->tiny &&
                (f->source[u] || f->level[u] < depth)) {
                found = 1;
                break;
            }
        }
        if (!found) { /* dead end: step back */
            if (steps == 0) return 0;
            v = f->path[--steps];
            f->next[v]++;
            continue;
        }
        f->path[steps++] = v;
        v = f->arc[f->next[v]].other;
    }
    for (int i = 0; i < steps; i++) {
        double cap = f->arc[f->arc[f->next[f->path[i]]].back].cap;
        if (cap < most) most = cap;
    }
    for (int i = 0; i < steps; i++) {
        int out = f->next[f->path[i]], in = f->arc[out].back;
        f->arc[in].cap -= most;
        f->arc[out].cap += most;
        if (f->ntouched < f->room) f->touched[f->ntouched++] = out;
    }
    return most;
}

static void undo(plani_flow_t *f)
{
    if (f->ntouched == f->room) /* more pushes than the list holds: put everything back */
        for (int a = 0; a < f->first[f->n]; a++) f->arc[a].cap = f->arc[a].all;
    for (size_t i = 0; i < f->ntouched; i++) {
        arc_t *a = &f->arc[f->touched[i]], *b = &f->arc[a->back];
        a->cap = a->all;
        b->cap = b->all;
    }
    f->ntouched = 0;
}

/* Maximum flow from the sources to the sink, at most `most`. Afterwards level[v] >= 0 if v still reaches the sink. */
static double flow_to(plani_flow_t *f, int sink, double most)
{
    double value = 0;

    for (;;) {
        int nearest = levels(f, sink);
        if (nearest < 0) return value;
        for (int v = 0; v < f->n; v++) f->next[v] = f->first[v];
        for (;;) {
            double got = augment(f, sink, f->level[nearest], most - value);
            if (got <= 0) break;
            value += got;
            if (value >= most - f->tiny) return value;
        }
    }
}

/* The minimum cut nearest to the sources: `inside` are the ranks that they no longer reach. */
static void source_side(plani_flow_t *f)
{
    int head = 0, tail = 0;

    memset(f->inside, 1, (size_t)f->n);
    for (int v = 0; v < f->n; v++)
        if (f->source[v]) f->inside[v] = 0, f->queue[tail++] = v;
    while (head < tail) {
        int u = f->queue[head++];
        for (int a = f->first[u]; a < f->first[u + 1]; a++) {
            int v = f->arc[a].other;
            if (f->inside[v] && f->arc[a].cap > f->tiny) f->inside[v] = 0, f->queue[tail++] = v;
        }
    }
}

static int report(plani_flow_t *f, double value, plani_cut_found *found, void *context)
{
    int size = 0, stop, same = 1;

    for (int v = 0; v < f->n; v++) size += f->inside[v] = f->level[v] >= 0;
    if ((stop = found(context, f->inside, value)) != 0) return stop;
    source_side(f);
    for (int v = 0; v < f->n && same; v++) same = f->inside[v] == (f->level[v] >= 0);
    return same ? 0 : found(context, f->inside, value);
}

static void settle(plani_flow_t *f, int v)
{
    f->source[v] = 1;
    for (int a = f->first[v]; a < f->first[v + 1]; a++) f->direct[f->arc[a].other] += f->arc[a].all;
}

double plani_flow_cuts(plani_flow_t *f, const plani_lp_t *lp, const size_t *subset, size_t count, const double *rate,
                       double target, plani_cut_found *found, void *context)
{
    enum { LOOK = 16 }; /* ranks between two checks of the deadline */
    double smallest = target;

    f->tiny = 1e-12 * target;
    load(f, lp, subset, count, rate);
    memset(f->source, 0, (size_t)f->n);
    for (int v = 0; v < f->n; v++) f->direct[v] = 0;
    settle(f, lp->root);
    for (int left = f->n - 1; left > 0; left--) {
        int sink = -1;
        if (left % LOOK == 0 && plani_left(f->deadline) <= 0) return -INFINITY;
        for (int v = 0; v < f->n; v++)
            if (!f->source[v] && (sink < 0 || f->direct[v] > f->direct[sink])) sink = v;
        if (f->direct[sink] < target) {
            double value = flow_to(f, sink, target);
            if (value < smallest) smallest = value;
            int stop = value < target - f->tiny && found != NULL && report(f, value, found, context);
            undo(f);
            if (stop) break;
        }
        settle(f, sink);
    }
    return smallest;
}
