/* Whether a root reaches all ranks. */
#ifndef PLANI_REACH_H
#define PLANI_REACH_H

#include <planbcast/platform.h>

/** PLAN_OK if every rank can be reached from root, else PLAN_EUNREACHABLE and `err` names the lowest rank that cannot.
 */
plan_status_t plani_platform_reaches_all(const plan_platform_t *pf, int root, plan_error_t *err);

#endif
