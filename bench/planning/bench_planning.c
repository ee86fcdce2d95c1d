/* The processor time of planning: of loading a platform or profile, of a ranking of one message size and its parts, and
 * of the plan of all sizes up to it. Prints Markdown.
 *
 *   bench_planning [PLATFORM...]   files; without, random platforms of 12, 16 and 64 ranks
 */
#include <planbcast/generate.h>
#include <planbcast/plan.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "planner/select/decide.h"

static const size_t sizes[] = {64, 65536, 4194304, 16777216};
enum { SIZES = sizeof sizes / sizeof *sizes, TIMES = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    double trees_s, ranking_s, concluding_s, all_s;
    size_t instances;
} cost_t;

/* The least of TIMES measurements, to exclude disturbances. */
static plan_status_t cost_of(const plani_request_t *request, cost_t *cost, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    *cost = (cost_t){1e9, 1e9, 1e9, 1e9, 0};
    for (int i = 0; i < TIMES && rc == PLAN_OK; i++) {
        plani_decision_t d;
        double start = now();
        rc = (plan_status_t)plani_decide(request, &d, err);
        if (now() - start < cost->all_s) cost->all_s = now() - start;
        if (d.trees_s < cost->trees_s) cost->trees_s = d.trees_s;
        if (d.ranking_s < cost->ranking_s) cost->ranking_s = d.ranking_s;
        if (d.concluding_s < cost->concluding_s) cost->concluding_s = d.concluding_s;
        cost->instances = d.instances;
        plani_decision_clear(&d);
    }
    return rc;
}

static plan_status_t row(const char *name, const plan_platform_t *pf, size_t bytes, double load_s, plan_error_t *err)
{
    plani_request_t one = {.pf = pf, .n = 1, .bytes = {bytes}, .complete = 1}, plan = {.pf = pf};
    cost_t c, p;
    plan.n = plani_ladder(bytes, plan.bytes);
    plan_status_t rc = cost_of(&one, &c, err);
    if (rc == PLAN_OK) rc = cost_of(&plan, &p, err);
    if (rc != PLAN_OK) return rc;
    printf("| %s | %d | %zu | %.1f | %zu | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name,
           plan_platform_data(pf)->ranks, bytes, 1e3 * load_s, c.instances, 1e3 * c.trees_s, 1e3 * c.ranking_s,
           1e3 * c.concluding_s, 1e3 * c.all_s, 1e3 * p.trees_s, 1e3 * p.ranking_s, 1e3 * p.concluding_s,
           1e3 * p.all_s);
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
    printf("| platform | ranks | bytes | loading | instances | one size: trees | ranking | bounds | all | plan: trees "
           "| rankings | bounds and borders | all |\n");
    printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    if (argc == 1) rc = random_ones(&err);
    for (int i = 1; i < argc && rc == PLAN_OK; i++) rc = file(argv[i], &err);
    if (rc != PLAN_OK) fprintf(stderr, "bench_planning: %s\n", err.text[0] ? err.text : plan_status_string(rc));
    return rc != PLAN_OK;
}
