/* The plan from measuring a cluster beside the plan from its description, executed in turns. bench/levels/run starts
 * this program on made-up clusters, simulated and emulated: there all ranks read one clock, that of one machine. */
#include <jansson.h>
#include <math.h>
#include <mpi.h>
#include <planbcast/generate.h>
#include <planbcast/mpi.h>
#include <planbcast/plan.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 3, ROOTS = 2, PLANS = 2 };
static const size_t size_of[SIZES] = {1 << 20, 4 << 20, 16 << 20}; /* [B] */

/* Which plan: by what the machine was measured to carry, or by what its spec says. */
typedef enum { MEASURED, DESCRIBED } source_t;

typedef struct {
    const char *spec, *profile; /* files */
    double budget_s;
    int rounds, rank, ranks;
    plan_options_t options;
    plan_error_t error;
} run_t;

/* Collective: whether any rank failed; rank 0 says why. */
static bool failed(const run_t *r, int rc)
{
    int mine = rc != 0, any = 0;
    MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any && r->rank == 0) fprintf(stderr, "bench_levels: %s\n", r->error.text[0] ? r->error.text : "MPI failed");
    return any;
}

/* Measure the machine and save its profile, unless the file is there. [s] for measuring, 0 if it was. */
static int find_profile(run_t *r, plan_profile_t **profile, double *seconds)
{
    int known = r->rank == 0 && plan_profile_load(r->profile, profile, NULL) == PLAN_OK;
    double start = MPI_Wtime();

    *seconds = 0;
    MPI_Bcast(&known, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (known) return 0;
    int rc = plan_measure(MPI_COMM_WORLD, &r->options, profile);
    *seconds = MPI_Wtime() - start;
    if (rc == 0 && r->rank == 0) rc = plan_profile_save(*profile, r->profile, &r->error);
    return rc;
}

/* [s] From the root's start until the last rank has the message; NAN: failed. */
static double broadcast(const run_t *r, plan_t *plan, int root, void *buffer, size_t bytes)
{
    double begun = INFINITY, start, ended = 0, end;

    MPI_Barrier(MPI_COMM_WORLD);
    start = r->rank == root ? MPI_Wtime() : INFINITY;
    int rc = plan_execute(plan, buffer, (MPI_Count)bytes, MPI_BYTE);
    end = rc == 0 ? MPI_Wtime() : NAN;
    MPI_Allreduce(&start, &begun, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&end, &ended, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return ended - begun;
}

/* What the plan runs for messages of this size. */
static json_t *chosen(const plan_t *plan, size_t bytes)
{
    const plan_candidate_t *c = plan_chosen(plan, bytes);
    return json_pack("{s:s, s:I, s:i, s:i, s:f}", "name", c->name, "slice", (json_int_t)c->slice, "window", c->window,
                     "trees", (int)c->ntrees, "predicted_s", c->predicted_s);
}

/* Times of both plans for one size and root: the fastest of all rounds, for disturbances only slow broadcasts down. */
static json_t *compare(const run_t *r, plan_t *const plan[PLANS], int root, void *buffer, size_t bytes)
{
    double least[PLANS] = {INFINITY, INFINITY};

    for (int round = 0; round < r->rounds; round++)
        for (int k = 0; k < PLANS; k++) {
            int which = (k + round) % PLANS;
            least[which] = fmin(least[which], broadcast(r, plan[which], root, buffer, bytes));
        }
    return json_pack("{s:i, s:I, s:f, s:f, s:o, s:o}", "root", root, "bytes", (json_int_t)bytes, "measured_s",
                     least[MEASURED], "described_s", least[DESCRIBED], "measured", chosen(plan[MEASURED], bytes),
                     "described", chosen(plan[DESCRIBED], bytes));
}

/* Plan from `root` by both platforms, and time all sizes. */
static int compare_root(run_t *r, const plan_platform_t *const platform[PLANS], int root, void *buffer, json_t *cells)
{
    plan_t *plan[PLANS] = {NULL};
    int rc = 0;

    for (int k = 0; k < PLANS && rc == 0; k++) {
        r->options.platform = platform[k]; /* rank 0's counts */
        rc = plan_bcast(MPI_COMM_WORLD, root, size_of[SIZES - 1], &r->options, &plan[k]);
    }
    for (int i = 0; i < SIZES && rc == 0; i++) json_array_append_new(cells, compare(r, plan, root, buffer, size_of[i]));
    for (int k = 0; k < PLANS; k++) plan_destroy(&plan[k]);
    return rc;
}

static int compare_all(run_t *r)
{
    plan_profile_t *profile = NULL;
    plan_platform_t *described = NULL;
    json_t *cells = json_array();
    void *buffer = calloc(size_of[SIZES - 1], 1);
    double seconds = 0;
    bool bad = failed(r, buffer == NULL || cells == NULL || find_profile(r, &profile, &seconds) != 0);

    if (!bad) bad = failed(r, r->rank == 0 ? plan_generate_sites(r->spec, &described, &r->error) : 0);
    const plan_platform_t *platform[PLANS] = {profile != NULL ? plan_profile_platform(profile) : NULL, described};
    r->options.mode = PLAN_ESTIMATE;
    const int root[ROOTS] = {0, r->ranks / 2};
    for (int i = 0; i < ROOTS && !bad; i++) bad = failed(r, compare_root(r, platform, root[i], buffer, cells));
    if (r->rank == 0 && !bad) {
        json_t *out = json_pack("{s:i, s:f, s:f, s:O}", "ranks", r->ranks, "budget_s", r->budget_s, "measuring_s",
                                seconds, "cells", cells);
        json_dumpf(out, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(out);
    }
    json_decref(cells);
    free(buffer);
    plan_platform_destroy(&described);
    plan_profile_destroy(&profile);
    return bad;
}

int main(int argc, char **argv)
{
    run_t r = {.error = {.text = ""}};
    char *end = NULL, *last = NULL;
    int status = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    if (argc == 5) r.spec = argv[1], r.profile = argv[2], r.budget_s = strtod(argv[3], &end);
    if (argc == 5) r.rounds = (int)strtol(argv[4], &last, 10);
    if (argc == 5 && *end == '\0' && *last == '\0' && r.rounds > 0) {
        status = failed(&r, plan_options_init(&r.options, &r.error));
        r.options.error = &r.error;
        r.options.budget_s = r.budget_s;
        if (status == 0) status = compare_all(&r);
    } else if (r.rank == 0) {
        fprintf(stderr, "usage: bench_levels SPEC PROFILE BUDGET ROUNDS; see bench/levels/run --help\n");
    }
    MPI_Finalize();
    return status;
}
