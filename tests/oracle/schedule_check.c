#include "graphs/trees/rounds.h"
#include "oracle/schedule_check.h"
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int places;
    size_t blocks, rounds;
    plani_schedule_t *part;      /* [places] */
    plani_schedule_round_t *now; /* [places] */
    char *has;                   /* [places * blocks] */
} play_t;

static const char *match(const play_t *g, int v)
{
    const plani_blocks_t *out = &g->now[v].out, *in = &g->now[v].in;
    if (out->count > 0) {
        if (out->place < 0 || out->place >= g->places || out->place == v) return "a place sends to none";
        const plani_blocks_t *there = &g->now[out->place].in;
        if (there->count != out->count || there->place != v || there->first != out->first)
            return "what is sent is not what is received";
        if (out->first >= g->blocks || out->count > g->blocks) return "there is no such block";
        for (size_t i = 0; i < out->count; i++)
            if (!g->has[(size_t)v * g->blocks + (out->first + i) % g->blocks]) return "a place sends what it lacks";
    }
    if (in->count > 0) {
        if (in->place < 0 || in->place >= g->places || in->place == v) return "a place receives from none";
        if (g->now[in->place].out.count == 0 || g->now[in->place].out.place != v) return "what is received is not sent";
    }
    return NULL;
}

static const char *take(play_t *g, int v)
{
    const plani_blocks_t *in = &g->now[v].in;
    for (size_t i = 0; i < in->count; i++) {
        char *has = &g->has[(size_t)v * g->blocks + (in->first + i) % g->blocks];
        if (*has) return "a place receives a block twice";
        *has = 1;
    }
    return NULL;
}

/* Who talks to whom, and how many blocks go. */
static uint64_t signature(const play_t *g)
{
    uint64_t h = 0;
    for (int v = 0; v < g->places; v++)
        h = (h ^ (g->now[v].out.count * 1000003 + (g->now[v].out.count ? (uint64_t)g->now[v].out.place : 0))) *
            UINT64_C(0x9e3779b97f4a7c15);
    return h;
}

static void look(play_t *g, size_t round)
{
    for (int v = 0; v < g->places; v++) g->now[v] = plani_schedule_round(&g->part[v], g->blocks, round);
}

static const char *play(play_t *g)
{
    uint64_t all = 0, grouped = 0;
    size_t round = 0, times = 0;
    const char *fault = NULL;

    for (size_t k = 0; k < g->rounds; k++) {
        look(g, k);
        all += signature(g);
        for (int v = 0; v < g->places && fault == NULL; v++) fault = match(g, v);
        for (int v = 0; v < g->places && fault == NULL; v++) fault = take(g, v);
        if (fault != NULL) return fault;
    }
    for (size_t i = 0; i < (size_t)g->places * g->blocks; i++)
        if (!g->has[i]) return "a place lacks a block at the end";
    for (size_t i = 0; plani_schedule_group(&g->part[0], g->blocks, i, &round, &times); i++) {
        look(g, round);
        grouped += times * signature(g);
    }
    return grouped == all ? NULL : "the groups are not the rounds";
}

const char *schedule_fault(plan_schedule_kind_t kind, int places, size_t blocks)
{
    play_t g = {.places = places, .blocks = blocks};
    size_t n = (size_t)places;
    const char *fault = "out of memory";

    g.part = calloc(n, sizeof *g.part);
    g.now = calloc(n, sizeof *g.now);
    g.has = calloc(n * blocks, 1);
    if (g.part == NULL || g.now == NULL || g.has == NULL) goto done;
    for (int v = 0; v < places; v++)
        if (plani_schedule_init(kind, places, v, &g.part[v]) != PLAN_OK) {
            fault = "no schedule";
            goto done;
        }
    for (size_t i = 0; i < blocks; i++) g.has[i] = 1;
    g.rounds = plani_schedule_rounds(&g.part[0], blocks);
    fault = play(&g);
done:
    free(g.part);
    free(g.now);
    free(g.has);
    return fault;
}
