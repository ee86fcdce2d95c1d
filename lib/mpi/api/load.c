/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/api/load.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/measure/engine/hosts.h"
#include "lib/mpi/planner/planner.h"
#include <stdlib.h>

/* Check that the loaded platform groups ranks into the same hosts as here; hosts may have other numbers. */
static plan_status_t compare_hosts(const plan_platform_data_t *d, const plani_place_t *place, const char *name,
                                   plan_error_t *err)
{
    for (int r = 1; r < d->ranks; r++)
        for (int q = 0; q < r; q++) {
            bool there = d->host[q] == d->host[r], here = place[q].host == place[r].host;
            if (there == here) continue;
            return plani_fail(err, PLAN_EMISMATCH,
                              "%s: ranks %d and %d %s there and %s here; measure again, or start the ranks as then",
                              name, q, r, there ? "share a host" : "are on two hosts",
                              here ? "share one" : "are on two");
        }
    return PLAN_OK;
}

static plan_status_t check(const plan_platform_t *pf, int ranks, const plani_place_t *place, const char *name,
                           plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (d->ranks != ranks)
        return plani_fail(err, PLAN_EMISMATCH,
                          "%s: it has %d ranks and the communicator has %d; measure again, or start as many ranks",
                          name, d->ranks, ranks);
    return compare_hosts(d, place, name, err);
}

static plan_status_t load(const char *path, int ranks, const plani_place_t *place, plan_platform_t **out,
                          plan_error_t *err)
{
    plan_platform_t *pf = NULL;
    plan_status_t rc = plani_planner_open(err);
    if (rc == PLAN_OK) rc = plani_planner(NULL)->platform_load(path, &pf, err);
    if (rc == PLAN_OK) rc = check(pf, ranks, place, path, err);
    if (rc == PLAN_OK)
        *out = pf;
    else
        plan_platform_destroy(&pf);
    return rc;
}

int plani_load_platform(MPI_Comm comm, const plan_platform_t *given, const char *path, plan_platform_t **out,
                        plan_error_t *err)
{
    int rank = 0, ranks = 0, hosts = 0, rc = 0;
    plani_place_t *place;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if ((place = calloc((size_t)ranks, sizeof *place)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for %d ranks", ranks);
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    /* Finding out which ranks share a host is collective. */
    if ((rc = plani_find_places(comm, place, NULL, &hosts)) == MPI_SUCCESS && rank == 0)
        rc = given != NULL ? check(given, ranks, place, "the platform", err) : load(path, ranks, place, out, err);
    rc = plani_agree(comm, rc, err);
done:
    free(place);
    return rc;
}
