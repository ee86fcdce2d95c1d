/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast of n blocks in n - 1 + q rounds on a circulant graph, q = ceil(log2 p): Traeff 2022.
 *
 * Rounds are grouped in phases of q steps. In step k place v sends to v + skip[k] and receives from v - skip[k], where
 * skip[q] = p, and each skip is half of the next, rounded up. The root sends a new block in each round. Every place has
 * an own block in each phase: the path to it from the root with increasing skips begins with skip[own], and carries the
 * block that the root sent in step `own` of this phase. In the other steps it receives the other q - 1 blocks of the
 * phase before.
 *
 *     p = 8, skips 1 2 4; own block of place   1 2 3 4 5 6 7  is block  0 1 0 2 0 1 0  of the phase
 *
 * If n - 1 + q is not a multiple of q, the first steps of the first phase are left out. Blocks with a negative index
 * are not sent; a block past the last stands for the last.
 */
#include "graphs/trees/schedule_private.h"

typedef struct {
    const plani_schedule_t *s;
    int skip[PLANI_SCHEDULE_STEPS + 1]; /* skip[steps] = places */
    unsigned left;                      /* bit e: block e has not been found yet */
    long long from;                     /* the receiving place, plus the number of places */
    long long last;                     /* the place whose own block was found last */
    int found;
    int *block; /* [steps] found for each step */
} search_t;

static int highest_below(unsigned set, int e)
{
    while (--e >= 0)
        if (set >> e & 1) return e;
    return -1;
}

/*
 * For step k = 0, 1, ..: find the nearest place at least skip[k] before this one, and before the place of the step
 * before, whose own block has not been found yet. Traeff proves that the choices of all places are consistent. `at` is
 * a place on the path from the root with decreasing skips; the next skip is at most skip[e].
 */
static void search(search_t *x, long long at, int e)
{
    int q = x->s->steps;
    for (; e >= 0 && x->found < q; e = highest_below(x->left, e)) {
        long long next = at + x->skip[e];
        if (next > x->from - x->skip[x->found] || next >= x->last) continue;
        if (next <= x->from - x->skip[x->found + 1]) search(x, next, e);
        if (x->found == q || at > x->from - x->skip[x->found + 1]) return;
        x->last = next;
        x->block[x->found++] = e;
        x->left &= ~(1U << e);
    }
}

/* The index of the last skip on the path to v > 0 with decreasing skips. */
static int own_block(const search_t *x, int v)
{
    int own = 0;
    for (int k = x->s->steps - 1; k >= 0 && v > 0; k--)
        if (x->skip[k] <= v) {
            v -= x->skip[k];
            own = k;
        }
    return own;
}

/* The blocks that place v > 0 receives in the steps of the first phase; blocks of the phase before are negative. Block
 * q, of a single skip around all places, leads to v itself, and stands for v's own block. */
static void find_blocks(search_t *x, int v, int *block)
{
    int q = x->s->steps, own = own_block(x, v);

    x->left = ((1U << q << 1) - 1) & ~(1U << own);
    x->from = (long long)x->s->places + v;
    x->last = 2LL * x->s->places;
    x->found = 0;
    x->block = block;
    search(x, 0, q);
    for (int k = 0; k < q; k++) block[k] = block[k] == q ? own : block[k] - q;
}

void plani_circulant_init(plani_schedule_t *s)
{
    int block[PLANI_SCHEDULE_STEPS], q = s->steps;
    search_t x = {.s = s};

    x.skip[q] = s->places;
    for (int k = q - 1; k >= 0; k--) s->skip[k] = x.skip[k] = x.skip[k + 1] - x.skip[k + 1] / 2;
    if (s->place != 0) find_blocks(&x, s->place, s->brings);
    for (int k = 0; k < q; k++) {
        int to = (int)(((long long)s->place + s->skip[k]) % s->places);
        if (to == 0) continue; /* the root receives nothing */
        find_blocks(&x, to, block);
        s->sends[k] = block[k];
    }
}

size_t plani_circulant_rounds(const plani_schedule_t *s, size_t blocks)
{
    return blocks - 1 + (size_t)s->steps;
}

/* Steps of the first phase that are left out. */
static size_t left_out(const plani_schedule_t *s, size_t blocks)
{
    size_t q = (size_t)s->steps, over = plani_circulant_rounds(s, blocks) % q;
    return over > 0 ? q - over : 0;
}

static plani_blocks_t one(int place, long long block, size_t blocks)
{
    plani_blocks_t b = {.place = place};
    if (block < 0) return b;
    b.first = (size_t)block < blocks ? (size_t)block : blocks - 1;
    b.count = 1;
    return b;
}

plani_schedule_round_t plani_circulant_round(const plani_schedule_t *s, size_t blocks, size_t round)
{
    size_t q = (size_t)s->steps, out = left_out(s, blocks), i = round + out, k = i % q;
    long long first = (long long)(i - k) - (long long)out; /* the block that sends[] and brings[] count from */
    int p = s->places, to = (int)(((long long)s->place + s->skip[k]) % p);
    plani_schedule_round_t r = {.out.place = to, .in.place = (int)(((long long)s->place - s->skip[k] + p) % p)};

    if (to != 0) r.out = one(to, first + s->sends[k], blocks);
    if (s->place != 0) r.in = one(r.in.place, first + s->brings[k], blocks);
    return r;
}

/* Only in the first two phases blocks are missing, and only in the last one the last block is sent. */
bool plani_circulant_group(const plani_schedule_t *s, size_t blocks, size_t g, size_t *round, size_t *times)
{
    size_t q = (size_t)s->steps, out = left_out(s, blocks), rounds = plani_circulant_rounds(s, blocks);
    size_t phases = (rounds + out) / q, head = 2 * q - out;

    *round = g;
    *times = 1;
    if (phases < 4 || g < head) return g < rounds;
    if (g < head + q)
        *times = phases - 3;
    else
        *round = rounds - q + (g - head - q);
    return *round < rounds;
}
