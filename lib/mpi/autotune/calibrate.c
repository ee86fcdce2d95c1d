#include "lib/mpi/autotune/calibrate.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/autotune/race.h"
#include "lib/mpi/autotune/time.h"
#include "planner/literature/calibration.h"
#include "planner/select/choose.h"
#include "planner/select/ranking.h"
#include "planner/cost/cost.h"
#include <stdlib.h>
#include <string.h>

static const size_t size[] = {64, 512, 4096, 16384, 65536, 262144, 1048576}; /* [B] */
enum {
    SIZES = sizeof size / sizeof *size,
    ROOT = 0,
    MOST_GATHERED = 8192, /* [B] */
    MOST = 64             /* candidates */
};

/** Rank 0's notes. */
typedef struct {
    const plan_platform_t *pf;
    plan_ranking_t *ranking[SIZES];
    plani_runner_t *runner; /* [MOST] */
    const char *name[MOST]; /* of the candidates, in the ranking's words */
    plani_experiment_t experiment[MOST][SIZES];
    size_t done[MOST];
    int names;
} notes_t;

static plan_status_t rank_all(notes_t *notes, const plan_options_t *options, plan_error_t *err)
{
    plan_choice_t choice = options->choice;
    plani_context_t ctx;
    plan_status_t rc;

    choice.include_native = false;
    choice.model = NULL; /* it is this one that is calibrated */
    if ((notes->runner = calloc(MOST, sizeof *notes->runner)) == NULL)
        return plani_fail(err, PLAN_ENOMEM, "out of memory for calibrating");
    if ((rc = plani_context_open(notes->pf, ROOT, &choice, &ctx, err)) != PLAN_OK) return rc;
    ctx.gap = PLANI_COARSE_GAP;
    ctx.winners = true;
    rc = plani_context_build(&ctx, size[SIZES - 1], err);
    for (int s = 0; s < SIZES && rc == PLAN_OK; s++) rc = plani_rank(&ctx, size[s], &notes->ranking[s], err);
    plani_context_clear(&ctx);
    return rc;
}

/* The message that each rank sends the root: one segment. */
static size_t gathered(size_t bytes)
{
    return bytes < MOST_GATHERED ? bytes : MOST_GATHERED;
}

/* Eq. (17): the sum over all ranks; 0 if one has no link to the root. */
static double gather_seconds(const plan_platform_t *pf, size_t bytes)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double sum = 0;
    for (int r = 0; r < d->ranks; r++) {
        if (r == ROOT) continue;
        size_t l = plan_platform_find_link(pf, r, ROOT);
        if (l == (size_t)-1) return 0;
        plani_time_t t = plani_link_time(d, l, (double)bytes);
        sum += t.through + t.flight;
    }
    return sum;
}

static int enter(notes_t *notes, int s)
{
    const plan_ranking_t *ranking = notes->ranking[s];
    int n = 0;
    for (size_t i = 0; i < ranking->ncandidates && n < MOST; i++) {
        bool duplicate = ranking->candidate[i].run != PLAN_RUN_TREES;
        for (int k = 0; k < n && !duplicate; k++)
            duplicate = plani_same_broadcast(notes->runner[k].c, &ranking->candidate[i]);
        if (!duplicate) notes->runner[n++] = (plani_runner_t){.c = &ranking->candidate[i]};
    }
    return n;
}

static int place_of(notes_t *notes, const char *name)
{
    for (int i = 0; i < notes->names; i++)
        if (strcmp(notes->name[i], name) == 0) return i;
    if (notes->names == MOST) return -1;
    notes->name[notes->names] = name;
    return notes->names++;
}

/* What the runners did, for every candidate that did the same. */
static void note(notes_t *notes, int s, int n)
{
    const plan_ranking_t *ranking = notes->ranking[s];
    double gather = gather_seconds(notes->pf, gathered(size[s]));
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < ranking->ncandidates && notes->runner[k].n > 0; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            int height = 0, at = plani_same_broadcast(notes->runner[k].c, c) ? place_of(notes, c->name) : -1;
            if (at < 0) continue;
            for (size_t t = 0; t < c->ntrees; t++)
                if (plan_tree_height(c->tree[t]) > height) height = plan_tree_height(c->tree[t]);
            notes->experiment[at][notes->done[at]++] =
                (plani_experiment_t){c->predicted_s + gather, height + 1, notes->runner[k].median};
        }
}

static plan_status_t conclude(const plan_options_t *options, const notes_t *notes, plan_profile_t *profile)
{
    plan_calibration_t calibration[MOST];
    plan_platform_data_t d = *plan_platform_data(notes->pf);
    plan_platform_t *pf = NULL;
    plan_status_t rc = PLAN_OK;

    d.ncalibrations = (size_t)notes->names;
    d.calibration = calibration;
    for (int i = 0; i < notes->names && rc == PLAN_OK; i++) {
        calibration[i].candidate = notes->name[i];
        rc = plani_calibration_fit(notes->done[i], notes->experiment[i], &calibration[i]);
        if (rc == PLAN_OK)
            plani_report(options, 1, "calibrating %s: predictions err by %.0f%%, and by %.0f%% calibrated",
                         notes->name[i], 100 * calibration[i].error_without, 100 * calibration[i].error_with);
    }
    if (rc == PLAN_OK) rc = plan_platform_create(&d, &pf, NULL);
    return rc == PLAN_OK ? plani_profile_replace(profile, pf) : rc;
}

int plani_calibrate(MPI_Comm comm, const plan_options_t *options, plan_profile_t *profile, plan_error_t *err)
{
    notes_t *notes = NULL;
    int rank = 0, ranks = 0, rc = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (ranks == 1) return 0;
    if (rank == 0 && (notes = calloc(1, sizeof *notes)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for calibrating");
    if (rank == 0 && rc == 0) {
        notes->pf = plan_profile_platform(profile);
        rc = rank_all(notes, options, err);
    }
    int heard = plani_hear(comm, &rc, sizeof rc, err);
    if ((rc = plani_agree(comm, rc != 0 ? rc : heard, err)) != 0) goto done;
    for (int s = 0; s < SIZES && rc == 0; s++) {
        int n = rank == 0 ? enter(notes, s) : 0;
        plani_heat_t heat = {.bytes = size[s], .gather = gathered(size[s])};
        if (rank == 0) heat.budget_s = 0.5 * options->budget_s / SIZES;
        if ((rc = plani_hear(comm, &n, sizeof n, err)) != 0 || n == 0) continue;
        rc = plani_race(comm, ROOT, &heat, rank == 0 ? notes->runner : NULL, n, err);
        if (rc == 0 && rank == 0) note(notes, s, n);
    }
    if (rc == 0 && rank == 0 && (rc = conclude(options, notes, profile)) != PLAN_OK)
        plani_fail(err, rc, "calibrating: %s", plan_status_string((plan_status_t)rc));
    rc = plani_agree(comm, rc, err);
done:
    for (int s = 0; notes != NULL && s < SIZES; s++) plan_ranking_destroy(&notes->ranking[s]);
    if (notes != NULL) free(notes->runner);
    free(notes);
    return rc;
}
