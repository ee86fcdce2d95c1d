/* planbcast: plan and run broadcasts on heterogeneous machines. This header is free of MPI; see planbcast/mpi.h. */
#ifndef PLANBCAST_H
#define PLANBCAST_H

#include <planbcast/contention.h>
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <planbcast/models.h>
#include <planbcast/plan.h>
#include <planbcast/platform.h>
#include <planbcast/schedule.h>
#include <planbcast/score.h>
#include <planbcast/status.h>
#include <planbcast/steady.h>
#include <planbcast/tree.h>
#include <planbcast/version.h>

#endif
