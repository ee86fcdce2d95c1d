/* Receivers that share bandwidth, simulated in small time steps. */
#ifndef TESTS_ORACLE_FAIR_SHARE_H
#define TESTS_ORACLE_FAIR_SHARE_H

#include "planner/literature/contention.h"

/** The staircase model of lit_predict_messages(), for up to 64 processes; exact to a few steps of `dt` seconds. */
void fair_share(const lit_bandwidth_t *table, int processes, const int *socket, const int *host, size_t nmessages,
                const lit_message_t *message, double dt, double *seconds);

#endif
