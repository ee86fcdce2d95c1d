#include "fair.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY, SENDING, RECEIVING, KINDS };

typedef struct {
    int at[2];     /* what it goes through: numbers of resources; the second is -1 within a host */
    double left;   /* [B] */
    double rate;   /* [B/s] */
    bool is_fixed; /* in this step */
} flow_t;

typedef struct {
    const lit_bandwidth_t *table;
    const lit_message_t *message;
    size_t n;
    int ranks, resources;
    flow_t *flow;     /* [n] */
    double *capacity; /* [resources] not yet given away [B/s] */
    int *waiting;     /* [resources] flows without a rate */
    bool *busy;       /* [KINDS * ranks] ranks that still send or receive */
} scene_t;

static bool on_host(const flow_t *f)
{
    return f->at[1] < 0;
}

/* Begin a step: each resource has the capacity of its table for the number of ranks that are active there. */
static void open_step(scene_t *s, const int *host)
{
    memset(s->busy, 0, (size_t)KINDS * (size_t)s->ranks * sizeof *s->busy);
    for (int r = 0; r < s->resources; r++) s->waiting[r] = 0, s->capacity[r] = 0;
    for (size_t i = 0; i < s->n; i++) {
        flow_t *f = &s->flow[i];
        f->is_fixed = !(f->left > 0);
        f->rate = 0;
        if (f->is_fixed) continue;
        for (int k = 0; k < 2 && f->at[k] >= 0; k++) s->waiting[f->at[k]]++;
        s->busy[(on_host(f) ? MEMORY : RECEIVING) * s->ranks + s->message[i].to] = true;
        if (!on_host(f)) s->busy[SENDING * s->ranks + s->message[i].from] = true;
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (int r = 0; r < s->ranks; r++) s->capacity[KINDS * host[r] + kind] += s->busy[kind * s->ranks + r];
    for (int r = 0; r < s->resources; r++)
        if (s->capacity[r] > 0)
            s->capacity[r] =
                lit_bandwidth(&s->table[r % KINDS == MEMORY ? LIT_ON_SOCKET : LIT_OFF_HOST], s->capacity[r]);
}

/* Progressive filling: the resource with the least capacity per message fixes the rates of its messages first. */
static void fill(scene_t *s)
{
    for (;;) {
        int narrowest = -1;
        double least = INFINITY;
        for (int r = 0; r < s->resources; r++)
            if (s->waiting[r] > 0 && s->capacity[r] / s->waiting[r] < least)
                least = s->capacity[r] / s->waiting[r], narrowest = r;
        if (narrowest < 0) return;
        for (size_t i = 0; i < s->n; i++) {
            flow_t *f = &s->flow[i];
            if (f->is_fixed || (f->at[0] != narrowest && f->at[1] != narrowest)) continue;
            f->rate = least, f->is_fixed = true;
            for (int k = 0; k < 2 && f->at[k] >= 0; k++) {
                s->waiting[f->at[k]]--;
                s->capacity[f->at[k]] = fmax(0, s->capacity[f->at[k]] - least);
            }
        }
    }
}

/* Advance to the time at which the next message or messages end; false: none is left. */
static bool step(scene_t *s, double *now, double *seconds)
{
    size_t next = s->n;
    for (size_t i = 0; i < s->n; i++) {
        const flow_t *f = &s->flow[i];
        if (f->left > 0 && (next == s->n || f->left * s->flow[next].rate < s->flow[next].left * f->rate)) next = i;
    }
    if (next == s->n) return false;
    double took = s->flow[next].left / s->flow[next].rate;
    *now += took;
    for (size_t i = 0; i < s->n; i++) {
        flow_t *f = &s->flow[i];
        if (!(f->left > 0)) continue;
        f->left -= took * f->rate;
        if (i != next && f->left > 1e-9 * s->message[i].bytes) continue;
        f->left = 0;
        seconds[s->message[i].from] = seconds[s->message[i].to] = *now;
    }
    return true;
}

int fair_predict(const lit_bandwidth_t *table, int ranks, const int *host, size_t n, const lit_message_t *message,
                 double *seconds)
{
    scene_t s = {.table = table, .message = message, .n = n, .ranks = ranks};
    double now = 0;
    bool more = true;

    for (int r = 0; r < ranks; r++) {
        seconds[r] = 0;
        if (KINDS * (host[r] + 1) > s.resources) s.resources = KINDS * (host[r] + 1);
    }
    s.flow = calloc(n + 1, sizeof *s.flow);
    s.capacity = calloc((size_t)s.resources + 1, sizeof *s.capacity);
    s.waiting = calloc((size_t)s.resources + 1, sizeof *s.waiting);
    s.busy = calloc((size_t)KINDS * (size_t)ranks, sizeof *s.busy);
    int ok = s.flow != NULL && s.capacity != NULL && s.waiting != NULL && s.busy != NULL;
    for (size_t i = 0; i < n && ok; i++) {
        int from = host[message[i].from], to = host[message[i].to];
        s.flow[i] = (flow_t){.at = {KINDS * from + MEMORY, -1}, .left = message[i].bytes};
        if (from != to) s.flow[i].at[0] = KINDS * from + SENDING, s.flow[i].at[1] = KINDS * to + RECEIVING;
    }
    while (ok && more) {
        open_step(&s, host);
        fill(&s);
        more = step(&s, &now, seconds);
    }
    for (size_t i = 0; i < n && ok; i++)
        seconds[message[i].to] += table[on_host(&s.flow[i]) ? LIT_ON_SOCKET : LIT_OFF_HOST].tau_s;
    free(s.flow);
    free(s.capacity);
    free(s.waiting);
    free(s.busy);
    return ok;
}
