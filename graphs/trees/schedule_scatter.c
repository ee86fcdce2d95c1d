/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatter and allgather: block b belongs to place b.
 *
 * The scatter uses a binomial tree, the largest share first. After it place v has the blocks of its subtree,
 * v .. v + share(v) - 1. The allgather sends each place the blocks that it lacks: in a ring, one block per step,
 *
 *     ring, step s:      v sends block v - s to v + 1
 *
 * or by doubling, twice as many blocks in each step:
 *
 *     doubling, step k:  v receives from v + 2^k the blocks v + 2^k .. v + 2^(k+1) - 1
 *
 * All modulo the number of places. Blocks that a place has from the scatter are not sent to it again.
 */
#include "graphs/trees/schedule_private.h"

/* The number of blocks of place v after the scatter. */
static int share(int places, int v)
{
    int below = v & -v; /* the size of v's subtree: its lowest set bit */
    return v == 0 ? places : below < places - v ? below : places - v;
}

static int wrap(int v, int places)
{
    return v < 0 ? v + places : v >= places ? v - places : v;
}

/* Step k of the scatter: the distance between places is half of that in the step before. */
static plani_schedule_round_t scatter(const plani_schedule_t *s, int k)
{
    plani_schedule_round_t r = {.out.place = s->place, .in.place = s->place};
    int half = 1 << (s->steps - 1 - k), v = s->place;

    if ((v & (half - 1)) != 0) return r; /* not active yet */
    if ((v & half) != 0)
        r.in = (plani_blocks_t){.place = v - half, .first = (size_t)v, .count = (size_t)share(s->places, v)};
    else if (half < s->places - v)
        r.out = (plani_blocks_t){
            .place = v + half, .first = (size_t)(v + half), .count = (size_t)share(s->places, v + half)};
    return r;
}

/* The block that place v receives in step k of the ring. */
static plani_blocks_t ring_in(int places, int v, int k)
{
    plani_blocks_t b = {.place = wrap(v - 1, places), .first = (size_t)wrap(v - 1 - k, places)};
    b.count = places - 1 - k >= share(places, v); /* the distance from v to that block, cyclically */
    return b;
}

/* The blocks that place v receives in step k of the doubling. */
static plani_blocks_t doubling_in(int places, int v, int k)
{
    int have = 1 << k, has = share(places, v);
    int end = have < places - have ? 2 * have : places, first = has > have ? has : have; /* distances from v */
    plani_blocks_t b = {.place = wrap(v + have, places)};
    if (first >= end) return b;
    b.first = (size_t)wrap(v + first, places);
    b.count = (size_t)(end - first);
    return b;
}

plani_schedule_round_t plani_scatter_round(const plani_schedule_t *s, size_t round)
{
    int k = (int)round - s->steps, v = s->place, p = s->places;
    plani_schedule_round_t r;

    if (k < 0) return scatter(s, (int)round);
    if (s->kind == PLAN_SCATTER_RING) {
        int next = wrap(v + 1, p);
        r = (plani_schedule_round_t){.out = ring_in(p, next, k), .in = ring_in(p, v, k)};
        r.out.place = next;
    } else {
        int before = wrap(v - (1 << k), p);
        r = (plani_schedule_round_t){.out = doubling_in(p, before, k), .in = doubling_in(p, v, k)};
        r.out.place = before;
    }
    return r;
}

size_t plani_scatter_rounds(const plani_schedule_t *s)
{
    size_t allgather = s->kind == PLAN_SCATTER_RING ? (size_t)s->places - 1 : (size_t)s->steps;
    return (size_t)s->steps + allgather;
}

/* The largest share <= `most` (>= 1) of any place: a power of two, or the rest at the last places. */
static int share_below(const plani_schedule_t *s, int most)
{
    int best = 1;
    for (int i = 0; i < s->steps; i++) {
        int power = 1 << i, rest = s->places % power;
        if (power <= most && power > best) best = power;
        if (rest <= most && rest > best) best = rest;
    }
    return best;
}

/* In the ring a place receives nothing more once only the blocks of its share are left. So rounds between two different
 * shares have equal costs. */
bool plani_scatter_group(const plani_schedule_t *s, size_t g, size_t *round, size_t *times)
{
    size_t steps = (size_t)s->steps;

    *round = g;
    *times = 1;
    if (s->kind != PLAN_SCATTER_RING || g < steps) return g < plani_scatter_rounds(s);
    int left = s->places - 1; /* steps of the ring to come */
    for (size_t i = steps; i < g && left > 0; i++) left = share_below(s, left) - 1;
    if (left < 1) return false;
    *round = steps + (size_t)(s->places - 1 - left);
    *times = (size_t)left - (size_t)share_below(s, left) + 1;
    return true;
}
