/* What paper_002_messages printed, beside the models. */
#ifndef PAPER_002_MEASURED_H
#define PAPER_002_MEASURED_H

/** Fits tables to the pairs of FILE and prints them, then each rank's time and predictions, and the errors (11). 0:
 * failed. */
int measured(const char *file, int ranks, int per_host);

#endif
