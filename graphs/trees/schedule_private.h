/* The kinds of schedules, for graphs/schedule*.c alone. */
#ifndef PLANI_SCHEDULE_PRIVATE_H
#define PLANI_SCHEDULE_PRIVATE_H

#include <planbcast/schedule.h>

/* ---- schedule_scatter.c ---- */
size_t plani_scatter_rounds(const plan_schedule_t *s);
plan_round_t plani_scatter_round(const plan_schedule_t *s, size_t round);
bool plani_scatter_group(const plan_schedule_t *s, size_t g, size_t *round, size_t *times);

/* ---- schedule_circulant.c ---- */
void plani_circulant_init(plan_schedule_t *s);
size_t plani_circulant_rounds(const plan_schedule_t *s, size_t blocks);
plan_round_t plani_circulant_round(const plan_schedule_t *s, size_t blocks, size_t round);
bool plani_circulant_group(const plan_schedule_t *s, size_t blocks, size_t g, size_t *round, size_t *times);

#endif
