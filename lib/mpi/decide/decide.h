/* What rank 0 does alone, in the planner's library: see lib/mpi/planner/planner.h. Free of MPI: ranks do by the engine
 * and the sampler what is done together. */
#ifndef PLANI_BY_TRIALS_H
#define PLANI_BY_TRIALS_H

#include "lib/mpi/autotune/sampler.h"
#include "lib/mpi/autotune/tune.h"
#include "lib/mpi/measure/again.h"
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/measure/measuring.h"
#include "lib/mpi/planner/planner.h"

/* tune.c */
int plani_decide_by_trials(const plani_request_t *request, const plani_tuning_t *tuning, const plan_options_t *options,
                           plani_sampler_t *sampler, plani_decision_t *decision, plan_error_t *err);
/* measure.c */
int plani_run_phases(plani_measuring_t *measuring, plan_profile_t **out, plan_error_t *err);
/* again.c */
int plani_run_again(plani_engine_t *engine, const plani_again_t *what, plani_again_found_t *found);
/* validate.c */
plan_status_t plani_to_validate(const plan_platform_t *pf, double each_s, plan_ranking_t **out, plan_error_t *err);
/* topology.c */
void plani_look_around(int n, const plani_cpus_t *may, plani_place_t *place, char *signature, size_t room);
/** The link speed of the fastest network card that is hardware [Mbit/s]; 0: unknown. `cards` is Linux's folder of them,
 * /sys/class/net. */
long plani_fastest_card(const char *cards);

#endif
