/* Platforms of sites and their rankings, for the tests of rankings and plans. A failure ends the test. */
#ifndef PLANBCAST_TESTS_BOARDS_H
#define PLANBCAST_TESTS_BOARDS_H

#include "planner/select/ranking.h"

/**
 * Sites of hosts, up to 12 ranks, one per host, dealt round robin; a trunk in and out of each site is shared by its
 * links. \param skip leave out every skip-th link but those between neighbours; 0: none
 */
plan_platform_t *sites(int nsites, int ranks, int skip);
plan_ranking_t *ranking_of(const plan_platform_t *pf, int root, size_t bytes, const plan_choice_t *choice);
/** NULL: none is called so. */
const plan_candidate_t *find(const plan_ranking_t *ranking, const char *name);
/** A planning context with the trees for messages of up to `most` bytes. */
void open_context(const plan_platform_t *pf, int root, const plan_choice_t *choice, size_t most, plani_context_t *ctx);

#endif
