#include "goal.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 48 };

typedef struct {
    goal_op_t what;
    char label[NAME];
    bool begun, over;
} op_t;

/* Operation `a` waits for `b`, until it is over or has begun. */
typedef struct {
    size_t a, b;
    bool until_over;
} wait_t;

typedef struct {
    op_t *op;
    wait_t *wait;
    size_t *first_wait;                         /* [n + 1] the waits are sorted by a */
    size_t n, waits, op_room, wait_room, start; /* start: the rank's first operation */
    int ranks, rank;                            /* rank -1: between ranks */
    goal_replay_t *replay;
} reader_t;

static bool fault(reader_t *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->replay->fault, sizeof r->replay->fault, format, args);
    va_end(args);
    return false;
}

static void *room(void *array, size_t n, size_t *have, size_t size)
{
    if (n < *have) return array;
    *have = *have ? 2 * *have : 64;
    if ((array = realloc(array, *have * size)) == NULL) abort();
    return array;
}

static bool add_op(reader_t *r, const char *label, bool send, size_t bytes, int peer, unsigned long tag)
{
    if (peer < -1 || peer >= r->ranks || peer == r->rank) return fault(r, "rank %d: peer %d", r->rank, peer);
    r->op = room(r->op, r->n, &r->op_room, sizeof *r->op);
    r->op[r->n] = (op_t){.what = {r->rank, peer, send, bytes, tag}};
    snprintf(r->op[r->n++].label, NAME, "%s", label);
    return true;
}

/* Labels are a rank's own; dependencies are near. */
static bool find(reader_t *r, const char *label, size_t *at)
{
    for (size_t i = r->n; i-- > r->start;)
        if (strcmp(r->op[i].label, label) == 0) {
            *at = i;
            return true;
        }
    return fault(r, "rank %d: no operation is called %.20s", r->rank, label);
}

static bool add_wait(reader_t *r, const char *a, const char *b, bool until_over)
{
    wait_t w = {.until_over = until_over};
    if (!find(r, a, &w.a) || !find(r, b, &w.b)) return false;
    r->wait = room(r->wait, r->waits, &r->wait_room, sizeof *r->wait);
    r->wait[r->waits++] = w;
    return true;
}

static bool read_line(reader_t *r, const char *line)
{
    char a[NAME], b[NAME], c[NAME], kind[NAME], way[NAME];
    size_t bytes;
    unsigned long tag;
    int peer, end = 0;

    while (isspace((unsigned char)*line)) line++;
    if (*line == '\0' || strncmp(line, "//", 2) == 0) return true;
    if (sscanf(line, "num_ranks %d%n", &peer, &end) == 1 && line[end] == '\0' && r->ranks == 0 && peer > 0) {
        r->ranks = peer;
        return true;
    }
    if (r->rank < 0 && sscanf(line, "rank %d {%n", &peer, &end) == 1 && end > 0 && line[end] == '\0' && peer >= 0 &&
        peer < r->ranks) {
        r->rank = peer;
        r->start = r->n;
        return true;
    }
    if (r->rank >= 0 && strcmp(line, "}") == 0) {
        r->rank = -1;
        return true;
    }
    if (r->rank < 0) return fault(r, "outside of ranks: %.60s", line);
    if (sscanf(line, "%47[a-z0-9_]: %47s %zub %47s %d tag %lu%n", a, kind, &bytes, way, &peer, &tag, &end) == 6 &&
        line[end] == '\0' && isalpha((unsigned char)a[0])) {
        bool send = strcmp(kind, "send") == 0 && strcmp(way, "to") == 0;
        if (peer >= 0 && (send || (strcmp(kind, "recv") == 0 && strcmp(way, "from") == 0)))
            return add_op(r, a, send, bytes, peer, tag);
    }
    if (sscanf(line, "%47[a-z0-9_]: calc %zu%n", a, &bytes, &end) == 2 && line[end] == '\0')
        return add_op(r, a, false, bytes, -1, 0);
    if (sscanf(line, "%47s %47s %47s %47s", a, kind, b, c) == 3 &&
        (strcmp(kind, "requires") == 0 || strcmp(kind, "irequires") == 0))
        return add_wait(r, a, b, kind[0] == 'r');
    return fault(r, "rank %d: %.60s", r->rank, line);
}

static bool read_text(reader_t *r, const char *text)
{
    char line[256];
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (len >= sizeof line) return fault(r, "a long line");
        memcpy(line, text, len);
        line[len] = '\0';
        if (!read_line(r, line)) return false;
        text += len + (text[len] == '\n');
    }
    return r->rank < 0 ? true : fault(r, "rank %d has no end", r->rank);
}

/* ---- replay ---- */

/* Sends and receives that belong together, by sender, receiver, tag and place among such. */
static int compare(const void *x, const void *y)
{
    const op_t *a = *(op_t *const *)x, *b = *(op_t *const *)y;
    int from[2] = {a->what.send ? a->what.rank : a->what.peer, b->what.send ? b->what.rank : b->what.peer};
    int to[2] = {a->what.send ? a->what.peer : a->what.rank, b->what.send ? b->what.peer : b->what.rank};
    if (from[0] != from[1]) return from[0] < from[1] ? -1 : 1;
    if (to[0] != to[1]) return to[0] < to[1] ? -1 : 1;
    if (a->what.tag != b->what.tag) return a->what.tag < b->what.tag ? -1 : 1;
    return (a->what.send < b->what.send) - (a->what.send > b->what.send);
}

/* partner[i]: the other end of each operation. Tags of messages between two ranks have to differ. */
static bool match(reader_t *r, size_t *partner)
{
    op_t **sorted = malloc((r->n + 1) * sizeof *sorted);
    bool ok = true;
    if (sorted == NULL) abort();
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->op[i].what.peer >= 0) sorted[n++] = &r->op[i];
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0; i < n && ok; i += 2) {
        const goal_op_t *s = &sorted[i]->what, *v = i + 1 < n ? &sorted[i + 1]->what : NULL;
        if (v == NULL || !s->send || v->send || s->peer != v->rank || s->rank != v->peer || s->tag != v->tag) {
            ok = fault(r, "rank %d, peer %d, tag %lu: has no partner", s->rank, s->peer, s->tag);
            break;
        }
        if (s->bytes != v->bytes)
            ok = fault(r, "%d to %d, tag %lu: %zu B are sent, %zu received", s->rank, s->peer, s->tag, s->bytes,
                       v->bytes);
        partner[sorted[i] - r->op] = (size_t)(sorted[i + 1] - r->op);
        partner[sorted[i + 1] - r->op] = (size_t)(sorted[i] - r->op);
    }
    free(sorted);
    return ok;
}

static int by_waiting(const void *x, const void *y)
{
    size_t a = ((const wait_t *)x)->a, b = ((const wait_t *)y)->a;
    return (a > b) - (a < b);
}

static bool may_begin(const reader_t *r, size_t i, const size_t *partner)
{
    for (size_t w = r->first_wait[i]; w < r->first_wait[i + 1]; w++) {
        const op_t *b = &r->op[r->wait[w].b];
        if (!(r->wait[w].until_over ? b->over : b->begun)) return false;
    }
    return r->op[i].what.send || r->op[i].what.peer < 0 || r->op[partner[i]].over;
}

/* Receives are posted from the start: they are over when their message is there and what they wait for is. */
static bool run(reader_t *r, const size_t *partner)
{
    goal_replay_t *out = r->replay;
    size_t before = SIZE_MAX;
    out->op = calloc(r->n + 1, sizeof *out->op);
    if (out->op == NULL) abort();
    while (out->n < r->n && out->n != before) {
        int done_by = -1; /* in each turn one operation of a rank */
        before = out->n;
        for (size_t i = 0; i < r->n; i++) {
            if (r->op[i].over || r->op[i].what.rank == done_by || !may_begin(r, i, partner)) continue;
            r->op[i].begun = r->op[i].over = true;
            done_by = r->op[i].what.rank;
            out->op[out->n++] = r->op[i].what;
        }
    }
    return out->n == r->n ? true : fault(r, "%zu of %zu operations wait for ever", r->n - out->n, r->n);
}

goal_replay_t goal_replay(const char *text)
{
    goal_replay_t out = {.ranks = 0};
    reader_t r = {.rank = -1, .replay = &out};
    bool ok = read_text(&r, text);
    size_t *partner = calloc(r.n + 1, sizeof *partner);
    r.first_wait = calloc(r.n + 2, sizeof *r.first_wait);
    if (partner == NULL || r.first_wait == NULL) abort();
    if (r.waits > 0) qsort(r.wait, r.waits, sizeof *r.wait, by_waiting);
    for (size_t w = 0; w < r.waits; w++) r.first_wait[r.wait[w].a + 1]++;
    for (size_t i = 0; i < r.n; i++) r.first_wait[i + 1] += r.first_wait[i];
    out.ranks = r.ranks;
    if (ok && match(&r, partner)) run(&r, partner);
    free(r.op);
    free(r.wait);
    free(r.first_wait);
    free(partner);
    return out;
}

void goal_replay_clear(goal_replay_t *replay)
{
    free(replay->op);
    *replay = (goal_replay_t){.ranks = 0};
}
