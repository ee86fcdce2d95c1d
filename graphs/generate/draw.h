/* What the generators of platforms share: drawing links and growing lists of them. */
#ifndef PLANI_DRAW_H
#define PLANI_DRAW_H

#include <planbcast/platform.h>
#include "lib/base/rng.h"

/** Links as they are drawn. Start with {0}; free link with free(). */
typedef struct {
    plan_link_t *link;
    size_t n, room;
} plani_links_t;

/**
 * Append from -> to with a bandwidth by Table 2 of Beaumont, Marchal, Robert 2004: Gaussian, mean 100 MB/s, deviation
 * 20 MB/s. Bandwidths below 10 MB/s are drawn again; they are rounded to whole bytes/s, so that machines agree. No
 * latency: the paper has none.
 */
plan_status_t plani_links_draw(plani_links_t *links, plani_rng_t *rng, int from, int to);

#endif
