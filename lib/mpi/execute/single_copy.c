/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/single_copy.h"
#include <math.h>
#include "lib/mpi/execute/copy.h"
#include "lib/mpi/execute/mapped_memory.h"
#include "lib/mpi/execute/process_memory.h"

void plani_single_copy_offer(const plani_ring_t *s, const void *data, plani_label_t *label)
{
    label->from = s->me;
    label->address = (uint64_t)(uintptr_t)data;
}

static void refuse(plani_ring_t *s, int way)
{
    atomic_fetch_or(&s->head->refused, 1U << way);
}

bool plani_single_copy_read(plani_ring_t *s, const plani_label_t *label, size_t at, size_t len, char *out)
{
    const uint64_t from = label->address + at;
    const bool read = label->way == PLANI_BY_MAPPING
                          ? plani_copy_from_mapping(s->permit[label->from], from, len, out)
                          : plani_copy_from_process(s->head->taken[label->from].process, from, len, out);
    if (!read) refuse(s, label->way);
    return read;
}

/* Sizes within a factor of two are alike. */
static int size_class(size_t bytes)
{
    int k = 0;
    while (bytes >>= 1) k++;
    return k < PLANI_SIZE_CLASSES ? k : PLANI_SIZE_CLASSES - 1;
}

/* [s/B] of the last ones by this way: the first after another way find cold caches and pages. */
static double least(const plani_copy_times_t *t, int way)
{
    double s = INFINITY;
    for (unsigned i = 0; i < t->timed[way] && i < PLANI_TRIALS; i++) s = fmin(s, t->last_s[way][i]);
    return s;
}

/* Bits 1 << way of a class of sizes. */
static unsigned possible_ways(const plani_ring_t *s, int class)
{
    const size_t bytes = (size_t)1 << class;
    unsigned ways = s->ways & ~atomic_load(&s->head->refused);
    if (!plani_passes_caches(bytes, s->ranks)) ways |= 1U << PLANI_BY_SLOTS;
    if (plani_may_pass_caches(bytes, s->ranks)) ways |= 1U << PLANI_PAST_CACHES;
    return ways;
}

int plani_single_copy_trials(const plani_ring_t *s, size_t bytes)
{
    int ways = __builtin_popcount(possible_ways(s, size_class(bytes)));
    return ways > 1 ? PLANI_TRIALS * ways : 0;
}

/* Which of the possible ways that are not in use message n tries again, from 0, or -1: each is tried by PLANI_TRIALS
 * messages, the last ones of the first 16 PLANI_TRIALS messages, of four times as many, and so on. Caches, and where
 * the ranks run, can change what is fastest for a while. */
static int tried_again(unsigned possible, unsigned long n)
{
    unsigned long block = 16 * PLANI_TRIALS;
    const int others = __builtin_popcount(possible) - 1;
    while (block <= n) block *= 4;
    for (int k = 0; k < others; k++)
        if (block - 1 - n < (unsigned long)(k + 1) * PLANI_TRIALS) return k;
    return -1;
}

/* Whether a way has been timed, or was so slow half of the times that the others need not be spent. */
static bool is_known(const plani_copy_times_t *t, int way)
{
    if (t->timed[way] >= PLANI_TRIALS) return true;
    if (t->timed[way] < PLANI_TRIALS / 2) return false;
    for (int other = 0; other < PLANI_COPIES; other++)
        if (least(t, way) > 2 * least(t, other)) return true;
    return false;
}

/* A possible way that is not known yet, through the slots first; or -1. */
static int new_way(const plani_copy_times_t *t, unsigned possible)
{
    const int first = possible >> PLANI_BY_SLOTS & 1 ? PLANI_BY_SLOTS : PLANI_PAST_CACHES;
    for (int k = 0; k < PLANI_COPIES; k++) {
        int way = (first + k) % PLANI_COPIES;
        if (possible >> way & 1 && !is_known(t, way)) return way;
    }
    return -1;
}

/* \param timed whether this message is a trial, or one of those before trials, which these are compared with */
static int choose(const plani_copy_times_t *t, unsigned possible, bool *timed)
{
    int best = new_way(t, possible), again = tried_again(possible, t->n);
    *timed = best >= 0 || again >= 0 || tried_again(possible, t->n + PLANI_TRIALS) >= 0;
    if (best >= 0) return best;
    for (int way = 0; way < PLANI_COPIES; way++) {
        if ((possible >> way & 1) == 0) continue;
        if (again >= 0 && way != t->used && again-- == 0) return way;
        if (best < 0 || least(t, way) < least(t, best)) best = way;
    }
    return best;
}

int plani_single_copy_choose(plani_ring_t *s, const void *data, size_t bytes, bool *timed)
{
    const int class = size_class(bytes);
    plani_copy_times_t *t = &s->copies[class];
    unsigned possible = possible_ways(s, class);
    int way = choose(t, possible, timed);

    if (way == PLANI_BY_MAPPING && !plani_memory_is_mappable(data, bytes)) {
        refuse(s, way);
        possible = possible_ways(s, class);
        way = choose(t, possible, timed);
    }
    if (plani_single_copy_by(way)) *timed = true;
    if (tried_again(possible, t->n) < 0) t->used = way;
    t->n++;
    return way;
}

void plani_single_copy_note(plani_ring_t *s, size_t bytes, int way, double seconds)
{
    plani_copy_times_t *t = &s->copies[size_class(bytes)];
    t->last_s[way][t->timed[way]++ % PLANI_TRIALS] = seconds / (double)bytes;
}
