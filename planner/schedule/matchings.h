/* Transfers between ports, in steps in which no port is used twice. */
#ifndef PLANI_MATCHINGS_H
#define PLANI_MATCHINGS_H

#include <stddef.h>
#include <planbcast/status.h>

/** Steps one after the other. Zero-initialise. */
typedef struct {
    size_t n;
    double *start, *length; /* [n] [s] */
    size_t *first;          /* [n + 1] into `active` */
    size_t *active;         /* the transfers that go on in each step, ascending */
} plani_matchings_t;

/**
 * Divide transfers into steps. Transfer i holds the send port of from[i] and the receive port of to[i] for seconds[i] >
 * 0 in all, and may be interrupted; no two have the same ends. The steps together take as long as the busiest port, no
 * longer: the matrix of times is filled up to one whose rows and columns all have that sum, which is a sum of
 * permutations (Koenig 1916, Birkhoff 1946; as an open shop: Gonzalez, Sahni 1976).
 *
 * Times are counted in units of 2^-46 of the busiest port's, rounded, so that the sums are exact; each transfer gets at
 * least one. Steps that come from that rounding alone are left out: of less than 2^10 units, and less than 2^-20 of
 * each of their transfers.
 *
 * \retval PLAN_EINVAL no transfer, or a time that is not positive and finite
 * At most 2 (n + ranks) steps, each a bipartite matching by igraph: O(sqrt(ranks) (n + ranks)).
 */
plan_status_t plani_matchings_create(int ranks, size_t n, const int *from, const int *to, const double *seconds,
                                     plani_matchings_t *out);
void plani_matchings_clear(plani_matchings_t *m);

#endif
