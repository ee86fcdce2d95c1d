/* Compares the output of paper_002_messages with the models. */
#ifndef PAPER_002_MEASURED_H
#define PAPER_002_MEASURED_H

/**
 * Fits tables to the pairs of FILE, and prints the tables and their errors. Then prints for each pattern the measured
 * time and the predictions of each rank, and the errors of the models by eq. (11). The last error is that between two
 * halves of the measured times:
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
