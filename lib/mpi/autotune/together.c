/* SPDX-License-Identifier: BSD-3-Clause */
/* Deciding together: rank 0 decides, in the planner, and the other ranks take part where it times candidates. */
#include "lib/mpi/autotune/sampler.h"
#include "lib/mpi/autotune/tune.h"
#include "lib/mpi/comm/agree.h"

plani_tuning_t plani_tuning_of(const plan_options_t *o)
{
    bool measure = o->mode == PLAN_MEASURE;
    return (plani_tuning_t){.mode = o->mode == PLAN_DEFAULT ? PLAN_DUEL : o->mode,
                            .budget_s = measure ? o->budget_s : PLANI_DUEL_PART * o->budget_s,
                            .candidates = o->shortlist};
}

int plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                          const plan_options_t *options, plani_decision_t *d, plan_error_t *err)
{
    plani_sampler_t sampler = {.comm = comm, .err = err, .sample = plani_sample, .now = MPI_Wtime};
    int rc, what[2] = {0, 0};

    MPI_Comm_rank(comm, &sampler.rank);
    *d = (plani_decision_t){.n = 0};
    if (sampler.rank == 0) what[0] = request->root, what[1] = request->reduces;
    if ((rc = PMPI_Bcast(what, 2, MPI_INT, 0, comm)) != MPI_SUCCESS) return plani_mpi_fail(err, rc, "planning");
    sampler.root = what[0];
    sampler.reduces = what[1];
    if (sampler.rank == 0) {
        rc = plani_planner_open(err);
        if (rc == PLAN_OK) rc = plani_planner(NULL)->decide(request, tuning, options, &sampler, d, err);
        rc = plani_sampler_close(&sampler, rc);
    } else {
        rc = plani_sampler_follow(&sampler);
    }
    return plani_agree(comm, rc, err);
}
