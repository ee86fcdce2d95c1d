/* The stage model by plain simulation: every stage, every rank, every link; nothing is saved or slid. */
#ifndef PLANBCAST_ORACLE_STAGE_SIMULATION_H
#define PLANBCAST_ORACLE_STAGE_SIMULATION_H

#include <stddef.h>
#include <planbcast/platform.h>

/** Makespan [s] of a pipelined tree given by its parents; window 0: no limit; slice 0: whole. At most 64 resources. */
double oracle_stage_simulation(const plan_platform_data_t *d, const int *parent, size_t bytes, size_t slice,
                               int window);

#endif
