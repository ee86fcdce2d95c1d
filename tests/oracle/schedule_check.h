/* Checks by simulation that a schedule of rounds delivers every block to every place. */
#ifndef PLANBCAST_ORACLE_SCHEDULE_CHECK_H
#define PLANBCAST_ORACLE_SCHEDULE_CHECK_H

#include <planbcast/schedule.h>

/**
 * Simulates all rounds among all places, independently of the kind; NULL, or a description of the first violation:
 * - no place sends a block that it does not have, and sends and receives match in peer and blocks;
 * - every place but 0 receives every block exactly once, and place 0 receives none;
 * - the groups of rounds represent all rounds.
 */
const char *schedule_fault(plan_schedule_kind_t kind, int places, size_t blocks);

#endif
