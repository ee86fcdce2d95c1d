/* What the staircase leaves out: messages, not receivers, share a card, and the card that they leave by counts, too. */
#ifndef PAPER_002_FAIR_H
#define PAPER_002_FAIR_H

#include "planner/literature/contention.h"

/*
 * Max-min fair rates of all messages that are under way (progressive filling: Bertsekas, Gallager 1992, section 6.5.2):
 * between hosts each goes through what its host sends and what the other receives, within a host through its
 * memory. What N ranks at one end of these get is BW_MP(N), as in the staircase, and so are start-ups. Not of Thune et
 * al. 2023.
 *
 * \param[out] seconds [ranks] when all that it sends or receives is there
 * \return 0: out of memory
 */
int fair_predict(const lit_bandwidth_t *table, int ranks, const int *host, size_t n, const lit_message_t *message,
                 double *seconds);

#endif
