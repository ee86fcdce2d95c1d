/* All that has a rate in a machine: cards, trunks, memory and single flows, the slowest first. */
#ifndef PLANI_REPORT_LIMITS_H
#define PLANI_REPORT_LIMITS_H

#include "graphs/machine/machine.h"

typedef struct {
    char what[200];
    double bytes_per_s;
    plani_ends_t interval; /* both ends 0: not known */
    bool trunk, guess;     /* guess: not measured */
    int nth;               /* ties: as in the file */
} plani_limit_t;

typedef struct {
    plani_limit_t *at; /* [n] */
    int n;
} plani_limits_t;

/** \retval PLAN_ENOMEM then there is nothing to free */
plan_status_t plani_limits_list(const plani_machine_t *m, plani_limits_t *out);
void plani_limits_free(plani_limits_t *limits);

#endif
