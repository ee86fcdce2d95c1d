/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/single_copy.h"
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

/* The mean counts, not the least: through slots the same message can take 0.2 ms, and then 2 ms for a while, where the
 * caches of the ranks' cores are far apart. */
static double mean(const plani_copy_times_t *t, int way)
{
    double sum = 0;
    for (int i = 0; i < PLANI_TRIALS; i++) sum += t->last_s[way][i];
    return sum / PLANI_TRIALS;
}

/* The first ones, and the 8th, 9th, 16th, 17th, 32nd, 33rd and so on: caches and pages are cold at first. */
static bool on_trial(unsigned long n)
{
    return n < (unsigned long)PLANI_COPIES * PLANI_TRIALS || (n & (n - 1)) == 0 || ((n - 1) & (n - 2)) == 0;
}

bool plani_single_copy_possible(const plani_ring_t *s)
{
    return s->may_read && atomic_load(&s->head->refused) == 0;
}

int plani_single_copy_choose(const plani_ring_t *s, size_t bytes)
{
    const plani_copy_times_t *t = &s->copies[size_class(bytes)];
    if (on_trial(t->n)) return (int)(t->n % PLANI_COPIES);
    return mean(t, PLANI_BY_SINGLE_COPY) < mean(t, PLANI_BY_SLOTS) ? PLANI_BY_SINGLE_COPY : PLANI_BY_SLOTS;
}

void plani_single_copy_note(plani_ring_t *s, size_t bytes, int way, double seconds)
{
    plani_copy_times_t *t = &s->copies[size_class(bytes)];
    t->last_s[way][t->timed[way]++ % PLANI_TRIALS] = seconds / (double)bytes;
    t->n++;
}
