/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/single_copy.h"
#include <math.h>
#include "lib/mpi/execute/mapped_memory.h"
#include "lib/mpi/execute/process_memory.h"

void plani_single_copy_offer(const plani_ring_t *s, int way, const void *data, plani_label_t *label)
{
    label->way = (unsigned char)way;
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

/* Of the last ones: the first after another way find cold caches and pages. */
static double least(const double *last_s)
{
    double s = last_s[0];
    for (int i = 1; i < PLANI_TRIALS; i++) s = fmin(s, last_s[i]);
    return s;
}

static bool is_possible(const plani_ring_t *s, int way)
{
    return way == PLANI_BY_SLOTS || (s->ways & ~atomic_load(&s->head->refused)) >> way & 1;
}

static int possible_ways(const plani_ring_t *s)
{
    int n = 0;
    for (int way = 0; way < PLANI_COPIES; way++) n += is_possible(s, way);
    return n;
}

bool plani_single_copy_possible(const plani_ring_t *s)
{
    return is_possible(s, PLANI_BY_SINGLE_COPY) || is_possible(s, PLANI_BY_MAPPING);
}

int plani_single_copy_trials(const plani_ring_t *s)
{
    return plani_single_copy_possible(s) ? PLANI_TRIALS * possible_ways(s) : 0;
}

/* Which of the possible ways that are not in use message n tries again, from 0, or -1: each is tried by PLANI_TRIALS
 * messages, the last ones of the first 16 PLANI_TRIALS messages, of four times as many, and so on. Caches, and where
 * the ranks run, can change what is fastest for a while. */
static int tried_again(const plani_ring_t *s, unsigned long n)
{
    unsigned long block = 16 * PLANI_TRIALS;
    const int others = possible_ways(s) - 1;
    while (block <= n) block *= 4;
    for (int k = 0; k < others; k++)
        if (block - 1 - n < (unsigned long)(k + 1) * PLANI_TRIALS) return k;
    return -1;
}

static int choose(const plani_ring_t *s, const plani_copy_times_t *t)
{
    int best = PLANI_BY_SLOTS, again;

    for (int way = 0; way < PLANI_COPIES; way++)
        if (is_possible(s, way) && t->timed[way] < PLANI_TRIALS) return way;
    again = tried_again(s, t->n);
    for (int way = 0; way < PLANI_COPIES; way++) {
        if (!is_possible(s, way)) continue;
        if (again >= 0 && way != t->used && again-- == 0) return way;
        if (least(t->last_s[way]) < least(t->last_s[best])) best = way;
    }
    return best;
}

int plani_single_copy_choose(plani_ring_t *s, const void *data, size_t bytes)
{
    const plani_copy_times_t *t = &s->copies[size_class(bytes)];
    int way = choose(s, t);
    if (way == PLANI_BY_MAPPING && !plani_memory_is_mappable(data, bytes)) {
        refuse(s, way);
        way = choose(s, t);
    }
    return way;
}

void plani_single_copy_note(plani_ring_t *s, size_t bytes, int way, double seconds)
{
    plani_copy_times_t *t = &s->copies[size_class(bytes)];
    t->last_s[way][t->timed[way]++ % PLANI_TRIALS] = seconds / (double)bytes;
    if (tried_again(s, t->n) < 0) t->used = way;
    t->n++;
}
