#include "lib/mpi/measure/validate.h"
#include "lib/base/base.h"
#include "lib/mpi/autotune/time.h"
#include "lib/mpi/comm/agree.h"
#include <math.h>
#include <stdlib.h>

enum { RUNS = 4 }; /* of each broadcast have to fit into its time; the first run sets up connections */

/* Rank a chain in rank order, a binomial tree, and the best single tree for this message size. */
static plan_status_t rank_at(const plan_platform_t *pf, size_t bytes, plan_ranking_t **out, plan_error_t *err)
{
    enum { MANY = 128 }; /* [ranks] more: without best-tree, whose search takes long */
    bool many = plan_platform_data(pf)->ranks > MANY;
    plan_choice_t choice = {.size = sizeof choice,
                            .only = many ? "ompi-pipeline,ompi-binomial" : "ompi-pipeline,ompi-binomial,best-tree"};
    return plan_ranking_create(pf, 0, bytes, &choice, out, err);
}

static double longest(const plan_ranking_t *ranking)
{
    double most = 0;
    for (size_t i = 0; i < ranking->ncandidates; i++) most = fmax(most, ranking->candidate[i].predicted_s);
    return most;
}

/* The ranking of the largest message size of which RUNS runs of each candidate fit into each_s. */
static plan_status_t choose(const plan_platform_t *pf, double each_s, plan_ranking_t **out, plan_error_t *err)
{
    static const size_t size[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20};

    *out = NULL;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        plan_ranking_t *larger = NULL;
        plan_status_t rc = rank_at(pf, size[i], &larger, err);
        if (rc != PLAN_OK) {
            plan_ranking_destroy(out);
            return rc;
        }
        bool fits = *out == NULL || RUNS * longest(larger) <= each_s;
        plan_ranking_destroy(fits ? out : &larger);
        if (!fits) break;
        *out = larger;
    }
    return PLAN_OK;
}

static int time_all(MPI_Comm comm, const plan_ranking_t *ranking, size_t n, size_t bytes, double each_s, json_t *list,
                    plan_error_t *err)
{
    for (size_t i = 0; i < n; i++) {
        const plan_candidate_t *c = ranking != NULL ? &ranking->candidate[i] : NULL;
        double median = 0, fastest = 0; /* disturbances only slow broadcasts down */
        int rc = plani_time(comm, 0, c, bytes, each_s, &median, &fastest, err);
        if (rc == 0 && c != NULL &&
            json_array_append_new(list, json_pack("{s:s, s:I, s:f, s:f}", "name", c->name, "bytes", (json_int_t)bytes,
                                                  "predicted_s", c->predicted_s, "measured_s", fastest)) != 0)
            rc = plani_fail(err, PLAN_ENOMEM, "measure: out of memory");
        if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    }
    return 0;
}

int plani_validate(MPI_Comm comm, const plan_platform_t *pf, double budget_s, json_t **out, plan_error_t *err)
{
    int rank = 0, ranks = 0, rc = 0;
    plan_ranking_t *ranking = NULL;
    unsigned long long all[2] = {0, 0}; /* candidates, bytes */
    double each_s = budget_s / 3;
    json_t *list = NULL;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0 && (list = json_array()) == NULL) rc = plani_fail(err, PLAN_ENOMEM, "measure: out of memory");
    if (rank == 0 && rc == 0 && ranks > 1 && (rc = choose(pf, each_s, &ranking, err)) == PLAN_OK)
        all[0] = ranking->ncandidates, all[1] = ranking->bytes;
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = PMPI_Bcast(all, 2, MPI_UNSIGNED_LONG_LONG, 0, comm)) != MPI_SUCCESS) {
        plani_mpi_fail(err, rc, "measuring");
        goto done;
    }
    rc = time_all(comm, ranking, (size_t)all[0], (size_t)all[1], each_s, list, err);
done:
    plan_ranking_destroy(&ranking);
    if (rc == 0 && rank == 0)
        *out = list;
    else
        json_decref(list);
    return rc;
}
