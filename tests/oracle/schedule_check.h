/* Whether a schedule of rounds brings every block to every place, by simulation. */
#ifndef PLANBCAST_ORACLE_SCHEDULE_CHECK_H
#define PLANBCAST_ORACLE_SCHEDULE_CHECK_H

#include <planbcast/schedule.h>

/**
 * Play all rounds among all places, knowing nothing of the kinds. NULL if nobody sends a block that it lacks, sends and
 * receives match in peer and blocks, every place but 0 receives every block exactly once, place 0 none, and the groups
 * stand for all rounds; else what is wrong.
 */
const char *schedule_fault(plan_schedule_kind_t kind, int places, size_t blocks);

#endif
