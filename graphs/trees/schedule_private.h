/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of schedules. Private to schedule*.c. */
#ifndef PLANI_SCHEDULE_PRIVATE_H
#define PLANI_SCHEDULE_PRIVATE_H

#include "graphs/trees/rounds.h"

/* ---- schedule_scatter.c ---- */
size_t plani_scatter_rounds(const plani_schedule_t *s);
plani_schedule_round_t plani_scatter_round(const plani_schedule_t *s, size_t round);
bool plani_scatter_group(const plani_schedule_t *s, size_t g, size_t *round, size_t *times);

/* ---- schedule_circulant.c ---- */
void plani_circulant_init(plani_schedule_t *s);
size_t plani_circulant_rounds(const plani_schedule_t *s, size_t blocks);
plani_schedule_round_t plani_circulant_round(const plani_schedule_t *s, size_t blocks, size_t round);
bool plani_circulant_group(const plani_schedule_t *s, size_t blocks, size_t g, size_t *round, size_t *times);

#endif
