/* What paper_002_messages printed, beside the models. */
#ifndef PAPER_002_MEASURED_H
#define PAPER_002_MEASURED_H

/**
 * Fits tables to the pairs of FILE and prints them, and how near they come; then for each pattern the time and the
 * predictions of each rank, and the errors (11) of the models, the last being how far two halves of the times are
 * apart:
 *
 *     fit     on|off  N  tau [s]  BW_MP(N) [B/s]
 *     fitted  on|off  sum of differences / sum of times
 *     rank    PATTERN  rank  measured  staircase  max-rate  postal  by messages [s]
 *     error   PATTERN  messages  MB  percent between hosts  staircase  max-rate  postal  by messages  halves
 *
 * 0: failed.
 */
int measured(const char *file, int ranks, int per_host);

#endif
