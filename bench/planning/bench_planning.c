/* What planning costs: seconds of the processor for loading a platform or profile, for a ranking of one message size
 * with its parts, and for the plan of all sizes up to it. As Markdown.
 *
 *   bench_planning [PLATFORM...]   files; without, random platforms of 12, 16 and 64 ranks
 */
#include <planbcast/generate.h>
#include <planbcast/plan.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "planner/select/ranking.h"

static const size_t sizes[] = {64, 65536, 4194304, 16777216};
enum { SIZES = sizeof sizes / sizeof *sizes, PARTS = 4, TIMES = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bound and trees, search for this size, scores and ratings; and how many ways there were to send. */
static plan_status_t ranking_of(const plan_platform_t *pf, size_t bytes, double part[PARTS], size_t *instances,
                                plan_error_t *err)
{
    plani_context_t ctx;
    plan_ranking_t *ranking = NULL;
    double at[PARTS + 1] = {now()};
    plan_status_t rc = plani_context_open(pf, 0, NULL, &ctx, err);
    const plani_bound_t *bound = NULL;
    double slice[PLANI_TYPICAL];

    if (rc != PLAN_OK) return rc;
    for (size_t i = 0, n = plani_typical_slices(&ctx, bytes, slice); i < n && rc == PLAN_OK && ctx.d->ranks > 1; i++)
        rc = plani_context_bound(&ctx, slice[i], true, &bound, err);
    at[1] = now();
    if (rc == PLAN_OK) rc = plani_context_build(&ctx, bytes, err);
    at[2] = now();
    if (rc == PLAN_OK) rc = plani_context_refine(&ctx, bytes, err);
    at[3] = now();
    if (rc == PLAN_OK) rc = plani_rank(&ctx, bytes, &ranking, err);
    at[4] = now();
    *instances = ctx.ninstances;
    for (int p = 0; p < PARTS; p++)
        if (at[p + 1] - at[p] < part[p]) part[p] = at[p + 1] - at[p];
    plan_ranking_destroy(&ranking);
    plani_context_clear(&ctx);
    return rc;
}

/* The least of a few times, for other work disturbs. */
static plan_status_t row(const char *name, const plan_platform_t *pf, size_t bytes, double load_s, plan_error_t *err)
{
    double part[PARTS] = {1e9, 1e9, 1e9, 1e9}, all_s = 1e9, sum = 0;
    size_t instances = 0;
    plan_status_t rc = PLAN_OK;

    for (int i = 0; i < TIMES && rc == PLAN_OK; i++) {
        plan_t *plan = NULL;
        if ((rc = ranking_of(pf, bytes, part, &instances, err)) != PLAN_OK) break;
        double start = now();
        rc = plan_create(pf, 0, bytes, NULL, &plan, err);
        if (now() - start < all_s) all_s = now() - start;
        plan_destroy(&plan);
    }
    if (rc != PLAN_OK) return rc;
    for (int p = 0; p < PARTS; p++) sum += part[p];
    printf("| %s | %d | %zu | %.1f | %zu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name,
           plan_platform_data(pf)->ranks, bytes, 1e3 * load_s, instances, 1e3 * part[0], 1e3 * part[1], 1e3 * part[2],
           1e3 * part[3], 1e3 * sum, 1e3 * all_s);
    fflush(stdout);
    return PLAN_OK;
}

static plan_status_t rows(const char *name, const plan_platform_t *pf, double load_s, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    for (int i = 0; i < SIZES && rc == PLAN_OK; i++) rc = row(name, pf, sizes[i], load_s, err);
    return rc;
}

static plan_status_t file(const char *path, plan_error_t *err)
{
    const char *slash = strrchr(path, '/');
    plan_platform_t *pf = NULL;
    double start = now();
    plan_status_t rc = plan_platform_load(path, &pf, err);
    if (rc == PLAN_OK) rc = rows(slash != NULL ? slash + 1 : path, pf, now() - start, err);
    plan_platform_destroy(&pf);
    return rc;
}

static plan_status_t random_ones(plan_error_t *err)
{
    static const int ranks[] = {12, 16, 64};
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && rc == PLAN_OK; i++) {
        plan_platform_t *pf = NULL;
        rc = plan_generate_random(ranks[i], 1, 1, &pf);
        if (rc == PLAN_OK) rc = rows("complete, random costs", pf, 0, err);
        plan_platform_destroy(&pf);
    }
    return rc;
}

int main(int argc, char **argv)
{
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = PLAN_OK;

    if (argc > 1 && argv[1][0] == '-') {
        fprintf(stderr, "usage: bench_planning [PLATFORM]...\n");
        return 2;
    }
    printf("Milliseconds of the processor, the least of %d. The plan serves all sizes up to the message's.\n\n", TIMES);
    printf("| platform | ranks | bytes | loading | instances | bounds | trees | search | scores | one size | plan |\n");
    printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    if (argc == 1) rc = random_ones(&err);
    for (int i = 1; i < argc && rc == PLAN_OK; i++) rc = file(argv[i], &err);
    if (rc != PLAN_OK) fprintf(stderr, "bench_planning: %s\n", err.text[0] ? err.text : plan_status_string(rc));
    return rc != PLAN_OK;
}
