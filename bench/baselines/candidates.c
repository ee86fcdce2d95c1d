/* The planner's candidates as settings of their own, to compute the regret of its choice. */
#include "baselines.h"
#include <stdio.h>

/* The hash of a plan of this candidate alone. 0: none, as it is not executable or is MPI_Bcast. */
static uint64_t deed(const plan_candidate_t *c, int ranks, int root, size_t bytes)
{
    const plan_range_t range = {.up_to = bytes, .chosen = c};
    plan_t *one = NULL;
    uint64_t hash = 0;
    if (c->run != PLAN_RUN_NATIVE && c->run != PLAN_RUN_NOT &&
        plan_from_ranges(ranks, root, 1, &range, NULL, &one) == PLAN_OK)
        hash = plan_data(one)->hash;
    plan_destroy(&one);
    return hash;
}

/* The first setting before the i-th with the same hash; -1: none. Plans that call MPI_Bcast have hash 0 and are timed
 * on their own, as they include the library's overhead. */
static int duplicate_of(const settings_t *s, const uint64_t *hash, int i)
{
    for (int k = 0; k < i && hash[i] != 0; k++)
        if (s->at[k].plan != NULL && hash[k] == hash[i]) return k;
    return -1;
}

static int add_one(MPI_Comm comm, const plan_candidate_t *c, int root, size_t bytes, settings_t *s, plan_error_t *err)
{
    char name[NAME] = "";
    plan_t *one = NULL, *bound = NULL;
    int rank, ranks, rc = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0) {
        const plan_range_t range = {.up_to = bytes, .chosen = c};
        snprintf(name, sizeof name, "candidate %s", c->name);
        rc = plan_from_ranges(ranks, root, 1, &range, NULL, &one);
    }
    MPI_Bcast(&rc, 1, MPI_INT, 0, comm);
    MPI_Bcast(name, NAME, MPI_BYTE, 0, comm);
    if (rc == 0) rc = plan_bind(comm, one, &bound, err);
    if (rc == 0) settings_add(s, KIND_CANDIDATE, name, 0)->plan = bound;
    plan_destroy(&one);
    return rc;
}

/* Up to `room` candidates whose hash no setting or earlier candidate has, by increasing predicted time. */
static size_t worth_timing(const plan_ranking_t *ranking, int root, uint64_t *seen, int known, int room,
                           size_t pick[MOST_SETTINGS])
{
    size_t n = 0;
    for (size_t i = 0; i < ranking->ncandidates && (int)n < room; i++) {
        uint64_t hash = deed(&ranking->candidate[i], ranking->ranks, root, ranking->bytes);
        bool new = hash != 0;
        for (int k = 0; k < known && new; k++) new = seen[k] != hash;
        if (!new) continue;
        seen[known++] = hash;
        pick[n++] = i;
    }
    return n;
}

int candidates_add(MPI_Comm comm, const planning_t *p, int root, size_t bytes, bool all, settings_t *s,
                   plan_error_t *err)
{
    uint64_t hash[MOST_SETTINGS] = {0};
    size_t pick[MOST_SETTINGS];
    const plan_choice_t choice = {.size = sizeof choice, .slice = 0};
    plan_ranking_t *ranking = NULL;
    int rank, ranks, n = 0, rc = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < s->n; i++) {
        if (s->at[i].plan != NULL) hash[i] = deed(plan_chosen(s->at[i].plan, bytes), ranks, root, bytes);
        s->at[i].same_as = duplicate_of(s, hash, i);
    }
    if (!all) return 0;
    if (rank == 0) {
        const plan_platform_t *pf = plan_profile_platform(p->profile);
        rc = plan_ranking_create(pf, root, bytes, &choice, &ranking, err);
        if (rc == 0) n = (int)worth_timing(ranking, root, hash, s->n, MOST_SETTINGS - s->n, pick);
    }
    MPI_Bcast(&n, 1, MPI_INT, 0, comm);
    for (int i = 0; i < n && rc == 0; i++)
        rc = add_one(comm, rank == 0 ? &ranking->candidate[pick[i]] : NULL, root, bytes, s, err);
    plan_ranking_destroy(&ranking);
    return rc;
}

void candidates_clear(settings_t *s)
{
    while (s->n > 0 && s->at[s->n - 1].kind == KIND_CANDIDATE) plan_destroy(&s->at[--s->n].plan);
}
