/* Enumerates the sets of children that a rank can serve within a period. */
#ifndef TESTS_ORACLE_STARS_H
#define TESTS_ORACLE_STARS_H

#include <planbcast/platform.h>

typedef struct {
    int rank;
    double cost;       /* seconds that it holds its rank, or its longest link, per slice */
    size_t first, end; /* its links are stars_t.link[first .. end - 1] */
} star_t;

typedef struct {
    size_t count, room, links, room_links;
    star_t *star; /* [count] by rank */
    size_t *link; /* [links] */
} stars_t;

/** All stars that cost `upper` at most, the empty one of each rank among them. -1: out of memory, or too many. */
int stars_create(const plan_platform_data_t *d, int root, double slice, double upper, stars_t *s);
void stars_clear(stars_t *s);

/** The values that a period of up to `upper` can have, ascending: *n of them, to be freed. NULL: out of memory. */
double *stars_periods(const stars_t *s, const plan_platform_data_t *d, double slice, double upper, size_t *n);

#endif
