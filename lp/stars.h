/* The sets of children ("stars") that ranks can serve within a period. */
#ifndef PLANI_STARS_H
#define PLANI_STARS_H

#include "lp/lp.h"

typedef struct {
    int rank;
    double cost;       /* for which it occupies its rank's port, or its longest link is held */
    size_t first, end; /* its links are plani_stars_t.link[first .. end - 1] */
} plani_star_t;

typedef struct {
    size_t count, room, links, link_room;
    plani_star_t *star; /* [count] by rank */
    size_t *link;       /* [links] of lp */
    char *has;          /* [n] whether a rank's stars are listed */
} plani_stars_t;

/**
 * All stars of a cost of at most `most`, the empty one among them, for each rank that has at most `limit`, and whose
 * links do not all occupy its port for equally long. cost[m], busy[m]: of the links of lp.
 */
plan_status_t plani_stars_create(const plani_lp_t *lp, const double *cost, const double *busy, double most,
                                 size_t limit, plani_stars_t *s);
void plani_stars_clear(plani_stars_t *s);

#endif
