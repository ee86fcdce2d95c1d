/* Platforms like those of the generator TIERS (Doar 1996; Calvert, Doar, Zegura 1997). Beaumont, Marchal, Robert 2004
 * do not print its parameters, so there are several readings of what they may have been. */
#ifndef PAPER_001_TIERS_H
#define PAPER_001_TIERS_H

#include <planbcast/platform.h>

/* One WAN; metropolitan networks; around each of these, local networks. */
typedef struct {
    int wan, mans, man, lans, lan; /* nodes; networks and nodes of each; networks of each MAN and nodes of each */
} tiers_shape_t;

typedef struct {
    const char *name, *what;
    const tiers_shape_t *shape;           /* [2] 30 and 65 nodes in all */
    int wan, man, lan;                    /* redundancy within a network: neighbours of each node there, at least */
    int up;                               /* redundancy between networks: links of each to the one above */
    enum { AS_PLACED, SHUFFLED } numbers; /* of ranks, and so what the source is */
    enum { EACH_ITS_OWN, ALIKE, ONE_WAY } directions; /* T of both; or: what redundancy adds goes one way only */
    double times[3]; /* T of WAN, MAN, LAN links as a multiple of Table 2's; 0: all of Table 2 */
} tiers_reading_t;

/* The reading with index `which`; NULL: no more. */
const tiers_reading_t *tiers_reading(int which);

plan_status_t tiers_generate(const tiers_reading_t *r, int size, unsigned long seed, plan_platform_t **out);

#endif
