/* Which resource has changed, inferred from the times at which ranks received a broadcast. */
#ifndef PLANI_DIAGNOSE_H
#define PLANI_DIAGNOSE_H

#include "planner/plan/plan_private.h"

/** A resource whose changed rate explains the arrivals. */
typedef struct {
    size_t resource; /* of the platform */
    double factor;   /* its rate is so many times that of the platform */
    double error;    /* mean over the ranks of |ln (simulated / observed arrival)| */
} plani_change_t;

enum { PLANI_CHANGES = 8 };

/**
 * When each rank has the last byte of a message, by simulation.
 *
 * \param c       runs trees
 * \param arrival [ranks] [s] after the root's start; 0 for the root
 * \retval PLAN_ENOTREE as plani_simulate_arrivals
 */
plan_status_t plani_predict_arrivals(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes,
                                     double *arrival);

/**
 * The single changes that explain observed arrivals best: each resource that the trees use is simulated at other rates.
 * All ranks count: arrivals on both sides of a resource show where a delay begins. Of changes that explain the arrivals
 * about equally well, the least comes first.
 *
 * \param observed [ranks] [s] after the root's start, > 0; else the rank does not count
 * \param change   the best, best first
 * \param n        how many; 0: no change explains the arrivals better than none
 *
 * O(resources) simulations, of at most 128 resources, the fullest.
 */
plan_status_t plani_diagnose(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, const double *observed,
                             plani_change_t change[PLANI_CHANGES], size_t *n);

#endif
