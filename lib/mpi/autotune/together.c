/* SPDX-License-Identifier: BSD-3-Clause */
/* Deciding together: rank 0 decides, in the planner, and the other ranks take part where it times candidates. */
#include "lib/mpi/autotune/sampler.h"
#include "lib/mpi/autotune/tune.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/report.h"
#include "lib/mpi/execute/common.h"

plani_tuning_t plani_tuning_of(const plan_options_t *o)
{
    bool measure = o->mode == PLAN_MEASURE;
    return (plani_tuning_t){.mode = o->mode == PLAN_DEFAULT ? PLAN_DUEL : o->mode,
                            .budget_s = measure ? o->budget_s : PLANI_DUEL_PART * o->budget_s,
                            .candidates = o->shortlist};
}

static bool may_share(const plani_request_t *request)
{
    if (request->pf == NULL || request->reduces) return false;
    const plan_platform_data_t *d = plan_platform_data(request->pf);
    return d->ranks > 1 && d->nshared > 0;
}

/* If ranks cannot share memory now, as where /dev/shm has no room: on rank 0 the platform without it. */
static int look_for_shared_memory(MPI_Comm comm, int rank, const plani_request_t *request,
                                  const plan_options_t *options, plan_platform_t **without, plan_error_t *err)
{
    plani_common_t *common = plani_common_of(comm);
    int rc = common != NULL ? 0 : plani_fail(err, PLAN_ENOMEM, "out of memory for sharing memory");
    if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    if ((rc = plani_common_ring(common, comm, err)) != PLAN_EUNSUPPORTED) return rc;
    rc = 0;
    if (rank == 0) {
        plan_platform_data_t d = *plan_platform_data(request->pf);
        plani_report(options, 0, "without shared memory: %s", err->text);
        d.nshared = 0;
        rc = plan_platform_create(&d, without, err);
    }
    plani_clear(err);
    return plani_agree(comm, rc, err);
}

int plani_decide_together(MPI_Comm comm, const plani_request_t *request, const plani_tuning_t *tuning,
                          const plan_options_t *options, plani_decision_t *d, plan_error_t *err)
{
    plani_sampler_t sampler = {.comm = comm, .err = err, .sample = plani_sample, .now = MPI_Wtime};
    plan_platform_t *without = NULL;
    int rc, what[3] = {0, 0, 0};

    MPI_Comm_rank(comm, &sampler.rank);
    *d = (plani_decision_t){.n = 0};
    if (sampler.rank == 0) what[0] = request->root, what[1] = request->reduces, what[2] = may_share(request);
    if ((rc = PMPI_Bcast(what, 3, MPI_INT, 0, comm)) != MPI_SUCCESS) return plani_mpi_fail(err, rc, "planning");
    sampler.root = what[0];
    sampler.reduces = what[1];
    if (what[2] && (rc = look_for_shared_memory(comm, sampler.rank, request, options, &without, err)) != 0) {
        plan_platform_destroy(&without);
        return rc;
    }
    if (sampler.rank == 0) {
        plani_request_t r = *request;
        if (without != NULL) r.pf = without;
        rc = plani_planner_open(err);
        if (rc == PLAN_OK) rc = plani_planner(NULL)->decide(&r, tuning, options, &sampler, d, err);
        d->without_sharing = without;
        rc = plani_sampler_close(&sampler, rc);
    } else {
        rc = plani_sampler_follow(&sampler);
    }
    return plani_agree(comm, rc, err);
}
