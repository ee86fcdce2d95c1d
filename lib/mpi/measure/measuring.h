/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring a machine: what all ranks have prepared when rank 0 begins the phases. */
#ifndef PLANI_MEASURING_H
#define PLANI_MEASURING_H

#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/measure/engine/hosts.h"

typedef struct plani_measuring {
    plani_engine_t *engine;
    const plan_options_t *options;
    int hosts;
    plani_place_t *place; /* [ranks] */
    plani_name_t *name;   /* [ranks] */
    const char *library;  /* the MPI library and its version */
    double tick;          /* [s] resolution of its clock */
    double start, budget; /* [s] engine->now() at which the last rank arrived; seconds from then on */
    size_t left_out;      /* out: steps that time did not allow */
} plani_measuring_t;

#endif
