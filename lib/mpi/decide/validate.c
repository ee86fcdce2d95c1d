/* Which broadcasts validate a measured machine: some to which no parameter was fitted. */
#include <math.h>
#include "lib/mpi/decide/decide.h"

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

plan_status_t plani_to_validate(const plan_platform_t *pf, double each_s, plan_ranking_t **out, plan_error_t *err)
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
