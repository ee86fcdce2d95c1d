/* A periodic schedule as messages: every slice of every period, until the message is over. */
#include "planner/schedule/periodic.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double MOST_MESSAGES = 4000000; /* 100 bytes of text each */

typedef struct {
    const plani_periodic_t *p;
    const plan_platform_data_t *d;
    size_t bytes, slice, slices;
    size_t parts; /* tags for each slice */
} goal_t;

/* [B] the bytes of slice k of the message that a piece carries */
static size_t bytes_of(const goal_t *g, const plani_piece_t *piece, size_t k)
{
    double length = (double)(k + 1 < g->slices ? g->slice : g->bytes - k * g->slice);
    return (size_t)(round(piece->end * length) - round(piece->begin * length));
}

/* The slice of the message that a piece carries in a period; SIZE_MAX: none. */
static size_t slice_of(const goal_t *g, const plani_piece_t *piece, size_t period)
{
    size_t lag = (size_t)piece->lag, k = (size_t)piece->slice;
    if (period < lag) return SIZE_MAX;
    k += (period - lag) * (size_t)g->p->slices;
    return k < g->slices && bytes_of(g, piece, k) > 0 ? k : SIZE_MAX;
}

/* All parts of slice k are there before `label` begins. */
static void put_requirements(const goal_t *g, const char *label, int rank, const plani_piece_t *piece, size_t k,
                             plani_text_t *to)
{
    const plani_periodic_t *p = g->p;
    size_t at = (size_t)piece->slice * (size_t)p->ranks + (size_t)rank;
    for (size_t i = p->into_first[at]; i < p->into_first[at + 1]; i++) {
        const plani_piece_t *came = &p->piece[p->into[i]];
        if (bytes_of(g, came, k) > 0) plani_text_add(to, "%s requires r%zu_%d\n", label, k, came->part);
    }
}

/* Labels: "r" or "s", the slice of the message, of sends the child, and the part. Parts have tags of their own. */
typedef struct {
    char s[64];
} label_t;

static void put_piece(const goal_t *g, int rank, const plani_piece_t *piece, size_t k, label_t last[2],
                      plani_text_t *to)
{
    const plan_link_t *l = &g->d->link[piece->link];
    bool sends = l->from == rank;
    size_t tag = k * g->parts + (size_t)piece->part, bytes = bytes_of(g, piece, k);
    label_t label;

    if (sends) {
        snprintf(label.s, sizeof label.s, "s%zu_%d_%d", k, l->to, piece->part);
        plani_text_add(to, "%s: send %zub to %d tag %zu\n", label.s, bytes, l->to, tag);
        if (rank != g->p->root) put_requirements(g, label.s, rank, piece, k, to);
    } else {
        snprintf(label.s, sizeof label.s, "r%zu_%d", k, piece->part);
        plani_text_add(to, "%s: recv %zub from %d tag %zu\n", label.s, bytes, l->from, tag);
    }
    if (last[sends].s[0] != '\0') plani_text_add(to, "%s requires %s\n", label.s, last[sends].s);
    last[sends] = label;
}

plan_status_t plani_periodic_put_goal(const plani_periodic_t *p, const plan_platform_t *pf, size_t bytes,
                                      plani_text_t *to, plan_error_t *err)
{
    goal_t g = {.p = p, .d = plan_platform_data(pf), .bytes = bytes, .slice = (size_t)p->slice};
    size_t periods = 0, lag = 0;

    if (bytes == 0 || g.slice == 0) return plani_fail(err, PLAN_EINVAL, "a message or slice of 0 bytes");
    g.slices = (bytes - 1) / g.slice + 1;
    periods = (g.slices - 1) / (size_t)p->slices + 1;
    for (size_t i = 0; i < p->npieces; i++) {
        if ((size_t)p->piece[i].lag > lag) lag = (size_t)p->piece[i].lag;
        if ((size_t)p->piece[i].part >= g.parts) g.parts = (size_t)p->piece[i].part + 1;
    }
    double messages = (double)(periods + lag) * (double)p->npieces;
    if (messages > MOST_MESSAGES)
        return plani_fail(err, PLAN_EUNSUPPORTED, "%.0f messages of %zu B; give a size with at most %.0f", messages,
                          bytes, MOST_MESSAGES);
    plani_text_add(to, "// a periodic schedule, trees: %zu, from rank %d, by planbcast\nnum_ranks %d\n", p->ntrees,
                   p->root, p->ranks);
    for (int r = 0; r < p->ranks; r++) {
        label_t last[2] = {{""}, {""}};
        plani_text_add(to, "\nrank %d {\n", r);
        for (size_t q = 0; q < periods + lag; q++)
            for (size_t i = 0; i < p->npieces; i++) {
                const plan_link_t *l = &g.d->link[p->piece[i].link];
                size_t k = l->from == r || l->to == r ? slice_of(&g, &p->piece[i], q) : SIZE_MAX;
                if (k != SIZE_MAX) put_piece(&g, r, &p->piece[i], k, last, to);
            }
        plani_text_add(to, "}\n");
    }
    return PLAN_OK;
}
