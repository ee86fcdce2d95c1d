/* Communication patterns: lines FROM TO BYTES on standard output. */
#ifndef PAPER_002_PATTERNS_H
#define PAPER_002_PATTERNS_H

/**
 * Patterns for `ranks` ranks in blocks of `per_host`, messages of about `bytes`:
 *
 * - pairs: each rank and another exchange 2, 1, 1/2, ... times `bytes`, on other hosts if there are any: section III-C
 * - neighbours: three neighbours each, sizes between 1/4 and 2 times `bytes`, the same both ways: Figure 4(b)
 * - mesh: cells of a square that is nearest to random points; neighbours exchange their border: sections III-D, IV
 * - irregular: 1 to 6 messages from each rank to any others, sizes between 1/4 and 2 times `bytes`
 *
 * 0: unknown pattern, or not for this number of ranks.
 */
int pattern_print(const char *name, int ranks, int per_host, double bytes, unsigned long seed);

#endif
