/* SPDX-License-Identifier: BSD-3-Clause */
/* How a candidate sends a message, in a few words. */
#include "planner/plan/plan_private.h"
#include <stdio.h>

plani_sending_t plani_sending(const plan_candidate_t *c, size_t bytes)
{
    plani_sending_t word = {"whole"};
    if (c->run == PLAN_RUN_NATIVE) return (plani_sending_t){"by the MPI library"};
    if (c->run == PLAN_RUN_SHARED) return (plani_sending_t){"through shared memory"};
    if (!plani_is_sliced(c)) return (plani_sending_t){"in one block per rank"};
    if (c->slice != 0 && c->slice < bytes)
        snprintf(word.s, sizeof word.s, "in slices of %s, window %d", plani_bytes((double)c->slice).s, c->window);
    return word;
}
