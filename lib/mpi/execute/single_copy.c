/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/single_copy.h"
#include <math.h>
#include <unistd.h>
#include "lib/mpi/execute/process_memory.h"

void plani_single_copy_offer(const void *data, plani_label_t *label)
{
    label->process = (int)getpid();
    label->address = (uint64_t)(uintptr_t)data;
}

bool plani_single_copy_read(plani_ring_t *s, const plani_label_t *label, size_t at, size_t len, char *out)
{
    if (plani_copy_from_process(label->process, label->address + at, len, out)) return true;
    atomic_store(&s->head->refused, 1);
    return false;
}

/* Sizes within a factor of two are alike. */
static int size_class(size_t bytes)
{
    int k = 0;
    while (bytes >>= 1) k++;
    return k < PLANI_SIZE_CLASSES ? k : PLANI_SIZE_CLASSES - 1;
}

/* Of the last ones: the first after the other way find cold caches and pages. */
static double least(const double *last_s)
{
    double s = last_s[0];
    for (int i = 1; i < PLANI_TRIALS; i++) s = fmin(s, last_s[i]);
    return s;
}

/* Whether the way that is not in use is tried again: by the last PLANI_TRIALS of the first 16 PLANI_TRIALS messages, of
 * four times as many, and so on. Caches, and where the ranks run, can change what is fastest for a while. */
static bool is_tried_again(unsigned long n)
{
    unsigned long block = 16 * PLANI_TRIALS;
    while (block <= n) block *= 4;
    return n + PLANI_TRIALS >= block;
}

bool plani_single_copy_possible(const plani_ring_t *s)
{
    return s->may_read && atomic_load(&s->head->refused) == 0;
}

int plani_single_copy_choose(const plani_ring_t *s, size_t bytes)
{
    const plani_copy_times_t *t = &s->copies[size_class(bytes)];
    if (t->n < PLANI_TRIALS) return PLANI_BY_SLOTS;
    if (t->n < 2 * PLANI_TRIALS) return PLANI_BY_SINGLE_COPY;
    if (is_tried_again(t->n)) return t->used == PLANI_BY_SLOTS ? PLANI_BY_SINGLE_COPY : PLANI_BY_SLOTS;
    return least(t->last_s[PLANI_BY_SINGLE_COPY]) < least(t->last_s[PLANI_BY_SLOTS]) ? PLANI_BY_SINGLE_COPY
                                                                                     : PLANI_BY_SLOTS;
}

void plani_single_copy_note(plani_ring_t *s, size_t bytes, int way, double seconds)
{
    plani_copy_times_t *t = &s->copies[size_class(bytes)];
    t->last_s[way][t->timed[way]++ % PLANI_TRIALS] = seconds / (double)bytes;
    if (!is_tried_again(t->n)) t->used = way;
    t->n++;
}
