/* A model with two effects that the staircase leaves out: bandwidth is shared among messages instead of receivers, and
 * the sender's network card limits rates, too. */
#ifndef PAPER_002_FAIR_H
#define PAPER_002_FAIR_H

#include "planner/literature/contention.h"

/*
 * Max-min fair rates of all messages in transit (progressive filling: Bertsekas, Gallager 1992, section 6.5.2). Between
 * hosts, a message uses the sending capacity of its host and the receiving capacity of the other; within a host, the
 * memory. Each capacity is BW_MP(N) for the N active ranks at that end, and start-ups are those of the staircase. The
 * model is not from Thune et al. 2023.
 *
 * \param[out] seconds [ranks] time at which all messages of the rank, sent or received, are complete
 * \return 0: out of memory
 */
int fair_predict(const lit_bandwidth_t *table, int ranks, const int *host, size_t n, const lit_message_t *message,
                 double *seconds);

#endif
