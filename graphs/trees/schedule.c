/* SPDX-License-Identifier: BSD-3-Clause */
/* Schedules of rounds, by kind. */
#include "graphs/trees/schedule_private.h"
#include <string.h>

static const char *const names[PLAN_SCHEDULES] = {"scatter-ring", "scatter-doubling", "circulant"};

const char *plan_schedule_name(plan_schedule_kind_t kind)
{
    return (unsigned)kind < PLAN_SCHEDULES ? names[kind] : "?";
}

plan_status_t plani_schedule_from_name(const char *name, plan_schedule_kind_t *kind)
{
    for (int k = 0; k < PLAN_SCHEDULES; k++)
        if (strcmp(name, names[k]) == 0) {
            *kind = (plan_schedule_kind_t)k;
            return PLAN_OK;
        }
    return PLAN_EINVAL;
}

plan_status_t plani_schedule_init(plan_schedule_kind_t kind, int places, int place, plani_schedule_t *out)
{
    plani_schedule_t s = {.kind = kind, .places = places, .place = place};

    if ((unsigned)kind >= PLAN_SCHEDULES || places < 1 || place < 0 || place >= places) return PLAN_EINVAL;
    while (((long long)1 << s.steps) < places) s.steps++;
    if (kind == PLAN_CIRCULANT) plani_circulant_init(&s);
    *out = s;
    return PLAN_OK;
}

size_t plani_schedule_blocks(plan_schedule_kind_t kind, int places, size_t bytes, size_t slice)
{
    if (kind != PLAN_CIRCULANT) return (size_t)places;
    return slice == 0 || bytes == 0 ? 1 : (bytes - 1) / slice + 1;
}

size_t plani_schedule_rounds(const plani_schedule_t *s, size_t blocks)
{
    if (s->places == 1) return 0;
    return s->kind == PLAN_CIRCULANT ? plani_circulant_rounds(s, blocks) : plani_scatter_rounds(s);
}

plani_schedule_round_t plani_schedule_round(const plani_schedule_t *s, size_t blocks, size_t round)
{
    return s->kind == PLAN_CIRCULANT ? plani_circulant_round(s, blocks, round) : plani_scatter_round(s, round);
}

bool plani_schedule_group(const plani_schedule_t *s, size_t blocks, size_t g, size_t *round, size_t *times)
{
    if (s->places == 1) return false;
    return s->kind == PLAN_CIRCULANT ? plani_circulant_group(s, blocks, g, round, times)
                                     : plani_scatter_group(s, g, round, times);
}
