/* Threads that read, plan and export at the same time get the results of a single thread. */
#include "suite.h"
#include "sample.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <planbcast/plan.h>

enum { THREADS = 4, ROUNDS = 3 };

/* All that a thread makes of its seed, in one text. */
static char *work(uint64_t seed)
{
    plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 6, .density = 0.8, .resources = 2, .seed = seed}),
                    *again;
    const plan_choice_t choice = {.size = sizeof choice, .only = "lp-trees,best-tree,grow,prune-simple,ompi-binomial"};
    plan_t *plan = NULL;
    char *json = NULL, *graphml = NULL, *all = NULL;
    plan_error_t err;

    if (pf == NULL || plan_create(pf, 0, 65536, &choice, &plan, &err) != PLAN_OK) goto done;
    if (plan_to_json(plan, &json) != PLAN_OK) goto done;
    if (plan_export(plan, pf, 65536, "graphml", &graphml, &err) != PLAN_OK) goto done;
    if (plan_platform_parse(graphml, strlen(graphml), "export", &again, &err) == PLAN_OK) plan_platform_destroy(&again);
    if ((all = malloc(strlen(json) + strlen(graphml) + 1)) == NULL) goto done;
    sprintf(all, "%s%s", json, graphml);
done:
    free(json);
    free(graphml);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
    return all;
}

typedef struct {
    uint64_t seed;
    char *alone;
    int same;
} worker_t;

static void *repeat(void *arg)
{
    worker_t *w = arg;
    for (int i = 0; i < ROUNDS; i++) {
        char *text = work(w->seed);
        w->same += text != NULL && strcmp(text, w->alone) == 0;
        free(text);
    }
    return NULL;
}

static void threads_do_not_meet(void)
{
    pthread_t thread[THREADS];
    worker_t w[THREADS];
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker_t){.seed = (uint64_t)i + 1};
        CU_ASSERT_PTR_NOT_NULL_FATAL(w[i].alone = work(w[i].seed));
    }
    for (int i = 0; i < THREADS; i++) CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, repeat, &w[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        CU_ASSERT_EQUAL(pthread_join(thread[i], NULL), 0);
        CU_ASSERT_EQUAL(w[i].same, ROUNDS);
        free(w[i].alone);
    }
}

SUITE_MAIN("threads", TEST(threads_do_not_meet))
