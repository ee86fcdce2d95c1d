/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/measure/validate.h"
#include "lib/base/base.h"
#include "lib/mpi/autotune/time.h"
#include "lib/mpi/comm/agree.h"
#include <stdio.h>

static int time_all(MPI_Comm comm, const plan_ranking_t *ranking, size_t n, size_t bytes, double each_s,
                    plani_validation_t *out, plan_error_t *err)
{
    for (size_t i = 0; i < n; i++) {
        const plan_candidate_t *c = ranking != NULL ? &ranking->candidate[i] : NULL;
        double median = 0, fastest = 0; /* disturbances only slow broadcasts down */
        int rc = plani_time(comm, 0, c, bytes, each_s, &median, &fastest, err);
        if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
        if (c == NULL) continue;
        plani_tried_t *tried = &out->at[out->n++];
        *tried = (plani_tried_t){.bytes = bytes, .predicted_s = c->predicted_s, .measured_s = fastest};
        snprintf(tried->name, sizeof tried->name, "%s", c->name);
    }
    return 0;
}

/* How many of a ranking's broadcasts, which are best first, take at most `seconds` once, as predicted; one at least. */
static size_t fitting(const plan_ranking_t *ranking, double seconds)
{
    enum { ROOM = sizeof((plani_validation_t *)0)->at / sizeof(plani_tried_t) };
    size_t n = 0;

    for (; n < ranking->ncandidates && n < ROOM; n++) {
        seconds -= ranking->candidate[n].predicted_s;
        if (n > 0 && seconds < 0) break;
    }
    return n;
}

/* Rank 0. *all: candidates, bytes */
static plan_status_t choose(const plan_platform_t *pf, double each_s, plan_ranking_t **ranking,
                            unsigned long long all[2], plan_error_t *err)
{
    plan_status_t rc = plani_planner_open(err);

    if (rc == PLAN_OK) rc = plani_planner(NULL)->to_validate(pf, each_s, ranking, err);
    if (rc != PLAN_OK) return rc;
    all[0] = fitting(*ranking, 3 * each_s);
    all[1] = (*ranking)->bytes;
    return PLAN_OK;
}

int plani_validate(MPI_Comm comm, const plan_platform_t *pf, double budget_s, plani_validation_t *out,
                   plan_error_t *err)
{
    int rank = 0, ranks = 0, rc = 0;
    plan_ranking_t *ranking = NULL;
    unsigned long long all[2] = {0, 0};
    double each_s = budget_s / 3;

    out->n = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0 && ranks > 1) rc = choose(pf, each_s, &ranking, all, err);
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = PMPI_Bcast(all, 2, MPI_UNSIGNED_LONG_LONG, 0, comm)) != MPI_SUCCESS) {
        plani_mpi_fail(err, rc, "measuring");
        goto done;
    }
    rc = time_all(comm, ranking, (size_t)all[0], (size_t)all[1], each_s, out, err);
done:
    if (ranking != NULL) plani_planner(NULL)->ranking_destroy(&ranking);
    return rc;
}
