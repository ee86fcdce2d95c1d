/* The stage model by plain simulation of every stage, rank and link, without shortcuts. */
#ifndef PLANBCAST_ORACLE_STAGE_SIMULATION_H
#define PLANBCAST_ORACLE_STAGE_SIMULATION_H

#include <stddef.h>
#include <planbcast/platform.h>

/** Makespan [s] of a pipelined tree given by its parents; window 0: no limit; slice 0: whole. At most 64 resources. */
double oracle_stage_simulation(const plan_platform_data_t *d, const int *parent, size_t bytes, size_t slice,
                               int window);

#endif
