/* The running time of every heuristic, on complete platforms of 32..1024 ranks; beyond an entry's limit: -
 * Their throughput relative to the bound: bench/papers/001. */
#include "planner/algorithms/heuristics/heuristic.h"
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double slice = 1e6; /* [B] */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static plan_status_t build(const plan_heuristic_t *h, const plan_platform_t *pf, const double *rates)
{
    plan_status_t rc = PLAN_OK;
    if (h->routed) {
        int *uses = calloc(plan_platform_data(pf)->nlinks + 1, sizeof *uses);
        if (uses == NULL) return PLAN_ENOMEM;
        rc = plani_binomial_paths(pf, 0, slice, uses);
        free(uses);
        return rc;
    }
    plan_tree_t *t = NULL;
    rc = plan_heuristic_tree(h->name, pf, 0, slice, 0, rates, &t, NULL);
    plan_tree_destroy(&t);
    return rc;
}

static int row(int ranks)
{
    plan_platform_t *pf = NULL;
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    if (plan_generate_random(ranks, 1, 1, &pf) != PLAN_OK) return 1;
    size_t nlinks = plan_platform_data(pf)->nlinks;
    double *rates = malloc(nlinks * sizeof *rates);
    if (rates == NULL) return 1;
    for (size_t l = 0; l < nlinks; l++) rates[l] = (double)(l * 7919 % 101);
    printf("%-14d", ranks);
    for (size_t i = 0; i < n; i++) {
        double start = now();
        if ((h[i].max_links > 0 && nlinks > h[i].max_links) || build(&h[i], pf, rates) != PLAN_OK)
            printf(" %15s", "-");
        else
            printf(" %15.4g", 1e3 * (now() - start));
        fflush(stdout);
    }
    printf("\n");
    free(rates);
    plan_platform_destroy(&pf);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "%s: takes no arguments\n", argv[0]);
        return 2;
    }
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    printf("Milliseconds on complete platforms with costs as in Table 2 of Beaumont, Marchal, Robert 2004; n_uv made "
           "up\n");
    printf("%-14s", "ranks");
    for (size_t i = 0; i < n; i++) printf(" %15s", h[i].name);
    printf("\n");
    for (int ranks = 32; ranks <= 1024; ranks *= 2)
        if (row(ranks) != 0) return 1;
    return 0;
}
