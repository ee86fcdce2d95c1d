/* Classify a platform's resources by the links that use them. */
#ifndef PLANI_WAYS_H
#define PLANI_WAYS_H

#include <stdbool.h>
#include <planbcast/platform.h>

/** Used by all links out of some hosts, into them, both, between ranks of one host, or from and to ranks of one host;
 * by no other links.
 * NONE: other resources. */
typedef enum {
    PLANI_WAY_NONE,
    PLANI_WAY_OUT,
    PLANI_WAY_IN,
    PLANI_WAY_BOTH,
    PLANI_WAY_INSIDE,
    PLANI_WAY_ALL
} plani_way_t;

/** Hosts behind one trunk, or one host, and what limits them. */
typedef struct {
    int n, *host; /* [n] ascending */
    size_t nuses, room;
    struct plani_way_use {
        plani_way_t way;
        size_t resource;
    } * use; /* [nuses] */
} plani_way_set_t;

typedef struct {
    size_t nsets, room;
    plani_way_set_t *set; /* [nsets] the largest first; ties: by the lowest host */
} plani_ways_t;

/**
 * Classify the resources of a platform whose hosts are known. With two hosts or two sites, the links out of one are
 * those into the other: the resource then belongs to the one of fewer hosts. O(links depth + resources (ranks + hosts))
 * time. \retval PLAN_ENOMEM
 */
plan_status_t plani_ways_find(const plan_platform_data_t *d, plani_ways_t *out);
void plani_ways_clear(plani_ways_t *ways);

/** The set's resource that takes most for `bytes` [s] on a way, guesses apart; 0: there is none. */
double plani_way_cost(const plan_platform_data_t *d, const plani_way_set_t *set, plani_way_t way, double bytes);
/** Mark the cards of single hosts whose rates are guesses: guess [nresources], all false before. */
void plani_ways_guessed_cards(const plan_platform_data_t *d, const plani_ways_t *ways, bool *guess);

#endif
