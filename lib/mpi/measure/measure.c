/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_measure: rank 0 runs the phases in order; the other ranks take part in the experiments. */
#include <stdlib.h>
#include "lib/mpi/comm/caller.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/report.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/world.h"
#include "lib/mpi/measure/measuring.h"
#include "lib/mpi/measure/validate.h"
#include "lib/mpi/planner/planner.h"

/* Rank 0's options count. */
static plan_status_t check_options(const plan_options_t *o, plan_error_t *err)
{
    if (!(o->budget_s > 0) || o->budget_s > 1e6)
        return plani_fail(err, PLAN_EINVAL, "measure: a budget of %g s is not between 0 and 1000000", o->budget_s);
    return PLAN_OK;
}

static int explain(int rc, plan_error_t *err)
{
    char text[MPI_MAX_ERROR_STRING];
    int len = 0;

    if (rc > 0 && MPI_Error_string(rc, text, &len) == MPI_SUCCESS)
        plani_fail(err, PLAN_EIO, "measure: MPI failed: %.*s", len, text);
    else if (rc < 0 && (err == NULL || err->status != (plan_status_t)rc))
        plani_fail(err, (plan_status_t)rc, "measure: %s", plan_status_string((plan_status_t)rc));
    return rc;
}

/* Everything that all ranks do together before the phases. opening [s]: time since this rank entered plan_measure. The
 * budget starts when the last rank entered, which is the one with the shortest opening. */
static int prepare(plani_engine_t *engine, const plan_options_t *options, plan_status_t read, bool place,
                   double opening, plani_measuring_t *s, plan_error_t *err)
{
    plan_status_t mine = engine->rank == 0 ? read : PLAN_OK; /* rank 0's environment counts */

    if (engine->rank == 0 && mine == PLAN_OK)
        mine = place ? check_options(options, err)
                     : plani_fail(err, PLAN_EINVAL, "the output argument for the profile is NULL");
    if (engine->rank == 0 && mine == PLAN_OK) mine = plani_planner_open(err);
    if (mine == PLAN_OK && (s->place = calloc((size_t)engine->ranks, sizeof *s->place)) == NULL) mine = PLAN_ENOMEM;
    if (mine == PLAN_OK && (s->name = calloc((size_t)engine->ranks, sizeof *s->name)) == NULL) mine = PLAN_ENOMEM;
    int rc = plani_engine_agree(engine, mine);
    if (rc == MPI_SUCCESS)
        rc = plani_engine_agree(engine, plani_find_places(engine->comm, s->place, s->name, &s->hosts));
    double start = MPI_Wtime(), all[2];
    for (int k = 0; k < 3 && rc == MPI_SUCCESS; k++) rc = plani_engine_agree(engine, MPI_SUCCESS);
    const double mine_s[2] = {(MPI_Wtime() - start) / 3, -opening};
    if (rc == MPI_SUCCESS) rc = MPI_Allreduce(mine_s, all, 2, MPI_DOUBLE, MPI_MAX, engine->comm);
    if (rc == MPI_SUCCESS) engine->agree_s = all[0], s->start += all[1];
    return rc;
}

/* Part of the budget for validating broadcasts. */
static const double validating = 0.05;

/* Rank 0. left_out: steps of measuring. */
static plan_status_t note_validation(const plan_options_t *options, const plani_validation_t *tried, size_t left_out,
                                     plan_profile_t *profile)
{
    double off = 0;
    plan_status_t rc = plani_planner(NULL)->profile_validated(profile, tried, &off);

    if (rc != PLAN_OK) return rc;
    if (left_out > 0)
        plani_report(options, 0, "measured, but not to be trusted: time did not allow %zu steps", left_out);
    if (tried->n > 0)
        plani_report(options, 0,
                     off > PLANI_OFF
                         ? "measured, but not to be trusted: %d broadcasts that tried it took times that "
                           "differ from the prediction by a factor of up to %.1f"
                         : "measured; %d broadcasts that tried it took what was predicted, to a factor of %.2f",
                     tried->n, 1 + off);
    return PLAN_OK;
}

/* Validate the profile by broadcasts. `profile` is NULL on ranks other than 0. */
static int validate(plani_engine_t *engine, const plan_options_t *options, size_t left_out, plan_profile_t *profile,
                    plan_error_t *err)
{
    const plan_platform_t *pf = profile != NULL ? plani_planner(NULL)->profile_platform(profile) : NULL;
    plani_validation_t tried;
    int rc = plani_validate(engine->comm, pf, validating * options->budget_s, &tried, err);

    return rc != 0 || profile == NULL ? rc : note_validation(options, &tried, left_out, profile);
}

/* Rank 0 runs the phases, while the others take part. */
static int measure(plani_measuring_t *s, plan_profile_t **profile, plan_error_t *err)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    if (s->engine->rank != 0) return plani_engine_serve(s->engine);
    plani_mpi_library(library);
    s->library = library, s->tick = MPI_Wtick();
    return plani_engine_dismiss(s->engine, plani_planner(NULL)->measure(s, profile, err));
}

int plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out)
{
    plani_engine_t engine;
    plan_options_t defaults;
    plani_measuring_t s = {.engine = &engine};
    plan_error_t *err = plani_options_error(options);
    plan_status_t read = PLAN_OK;

    plani_clear(err);
    if (options == NULL || (read = plani_options_check(options, err)) != PLAN_OK) {
        plan_status_t rc = plan_options_init(&defaults, NULL);
        if (options == NULL) read = rc;
        options = &defaults;
    }
    if (out != NULL) *out = NULL;
    double came = MPI_Wtime();
    int rc = plani_engine_open(comm, &engine, err);
    if (rc != MPI_SUCCESS) return explain(rc, err);
    s.start = MPI_Wtime();
    if (PLANI_SLOW_COMMUNICATORS) came = s.start;
    s.options = options, s.budget = (1 - validating) * options->budget_s;
    plan_profile_t *profile = NULL;
    if ((rc = prepare(&engine, options, read, out != NULL, s.start - came, &s, err)) == MPI_SUCCESS) {
        rc = measure(&s, &profile, err);
        if (rc == MPI_SUCCESS) rc = plani_engine_agree(&engine, validate(&engine, options, s.left_out, profile, err));
    }
    if (rc != MPI_SUCCESS) plani_forget_profile(&profile);
    if (engine.rank == 0 && out != NULL) *out = profile;
    free(s.place);
    free(s.name);
    plani_engine_close(&engine);
    return explain(rc, err);
}
