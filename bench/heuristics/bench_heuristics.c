/* Every heuristic's throughput as a share of the bound, as in Figures 4 and 5 and Table 3 of Beaumont, Marchal, Robert
 * 2004, and the time that each takes.
 *
 *   bench_heuristics ratios [INSTANCES]   random platforms of Table 2: 10..50 ranks, density 0.04..0.20
 *   bench_heuristics tiers [INSTANCES]    Tiers-like platforms of 30 and 65 ranks
 *   bench_heuristics times                complete platforms of 32..1024 ranks; beyond an entry's limit: - */
#include <planbcast/generate.h>
#include <planbcast/heuristics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 32 };
static const double slice = 1e6; /* [B] */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sums over instances, one per heuristic. */
typedef struct {
    double ratio[MOST], seconds[MOST];
    int instances, stuck[MOST];
} sums_t;

static plan_status_t throughput_of(const plan_heuristic_t *h, const plan_platform_t *pf, const double *rates,
                                   double *throughput)
{
    plan_status_t rc = PLAN_OK;
    if (h->routed) {
        int *uses = calloc(plan_platform_data(pf)->nlinks + 1, sizeof *uses);
        if (uses == NULL) return PLAN_ENOMEM;
        if ((rc = plan_binomial_paths(pf, 0, slice, uses)) == PLAN_OK)
            rc = plan_throughput_of_uses(pf, uses, slice, throughput, NULL);
        free(uses);
        return rc;
    }
    plan_tree_t *t = NULL;
    if ((rc = plan_heuristic_tree(h->name, pf, 0, slice, 0, rates, &t, NULL)) == PLAN_OK)
        rc = plan_throughput(pf, 1, &t, NULL, slice, throughput, NULL);
    plan_tree_destroy(&t);
    return rc;
}

static int add(const plan_platform_t *pf, double bound, const double *rates, sums_t *s)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    s->instances++;
    for (size_t i = 0; i < n && i < MOST; i++) {
        double tp = 0, start = now();
        if (h[i].max_links > 0 && plan_platform_data(pf)->nlinks > h[i].max_links) {
            s->stuck[i]++;
            continue;
        }
        if (throughput_of(&h[i], pf, rates, &tp) != PLAN_OK) {
            s->stuck[i]++;
            continue;
        }
        s->ratio[i] += tp / bound;
        s->seconds[i] += now() - start;
    }
    return 0;
}

static void heading(const char *first)
{
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);
    printf("%-14s", first);
    for (size_t i = 0; i < n; i++) printf(" %15s", h[i].name);
    printf("\n");
}

static void row(const char *label, const sums_t *s, const double *sum, double scale)
{
    size_t n;
    plan_heuristics(&n);
    printf("%-14s", label);
    for (size_t i = 0; i < n && i < MOST; i++)
        if (s->stuck[i] == s->instances)
            printf(" %15s", "-");
        else
            printf(" %15.4g", scale * sum[i] / (s->instances - s->stuck[i]));
    printf("\n");
    fflush(stdout);
}

static int add_solved(plan_platform_t *pf, sums_t *a, sums_t *b)
{
    plan_steady_t *bound = NULL;
    plan_error_t err;
    const plan_steady_options_t options = {.gap = 1e-6};
    int bad = plan_platform_bound(pf, 0, slice, &options, &bound, &err) != PLAN_OK;
    if (bad) printf("no bound: %s\n", err.text);
    if (!bad) bad = add(pf, plan_steady_upper(bound), plan_steady_rates(bound), a);
    if (!bad && b != NULL) bad = add(pf, plan_steady_upper(bound), plan_steady_rates(bound), b);
    plan_steady_destroy(&bound);
    return bad;
}

static int ratios(int instances)
{
    sums_t of_ranks[5] = {0}, of_density[5] = {0};
    char label[32];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            for (int seed = 1; seed <= instances; seed++) {
                plan_platform_t *pf = NULL;
                if (plan_generate_random(10 * (i + 1), 0.04 * (k + 1), (uint64_t)seed, &pf) != PLAN_OK) return 1;
                int bad = add_solved(pf, &of_ranks[i], &of_density[k]);
                plan_platform_destroy(&pf);
                if (bad) return 1;
            }
    printf("Percent of the bound, %d platforms for each number of ranks and density\n", instances);
    heading("ranks");
    for (int i = 0; i < 5; i++) {
        snprintf(label, sizeof label, "%d", 10 * (i + 1));
        row(label, &of_ranks[i], of_ranks[i].ratio, 100);
    }
    heading("density");
    for (int k = 0; k < 5; k++) {
        snprintf(label, sizeof label, "%.2f", 0.04 * (k + 1));
        row(label, &of_density[k], of_density[k].ratio, 100);
    }
    heading("milliseconds");
    for (int i = 0; i < 5; i++) {
        snprintf(label, sizeof label, "%d", 10 * (i + 1));
        row(label, &of_ranks[i], of_ranks[i].seconds, 1e3);
    }
    return 0;
}

static int tiers(int instances)
{
    printf("Percent of the bound, %d Tiers-like platforms for each number of ranks\n", instances);
    heading("ranks");
    for (int ranks = 30; ranks <= 65; ranks += 35) {
        sums_t s = {0};
        char label[32];
        for (int seed = 1; seed <= instances; seed++) {
            plan_platform_t *pf = NULL;
            if (plan_generate_tiers(ranks, (uint64_t)seed, &pf) != PLAN_OK) return 1;
            int bad = add_solved(pf, &s, NULL);
            plan_platform_destroy(&pf);
            if (bad) return 1;
        }
        snprintf(label, sizeof label, "%d", ranks);
        row(label, &s, s.ratio, 100);
    }
    return 0;
}

static int times(void)
{
    printf("Milliseconds on complete platforms with costs as in Table 2; n_uv made up\n");
    heading("ranks");
    for (int ranks = 32; ranks <= 1024; ranks *= 2) {
        plan_platform_t *pf = NULL;
        sums_t s = {0};
        char label[32];
        if (plan_generate_random(ranks, 1, 1, &pf) != PLAN_OK) return 1;
        size_t nlinks = plan_platform_data(pf)->nlinks;
        double *rates = malloc(nlinks * sizeof *rates);
        if (rates == NULL) return 1;
        for (size_t l = 0; l < nlinks; l++) rates[l] = (double)(l * 7919 % 101);
        add(pf, 1, rates, &s);
        snprintf(label, sizeof label, "%d", ranks);
        row(label, &s, s.seconds, 1e3);
        free(rates);
        plan_platform_destroy(&pf);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int instances = argc > 2 ? atoi(argv[2]) : 10;
    if (argc > 1 && strcmp(argv[1], "ratios") == 0) return ratios(instances);
    if (argc > 1 && strcmp(argv[1], "tiers") == 0) return tiers(instances);
    if (argc > 1 && strcmp(argv[1], "times") == 0) return times();
    fprintf(stderr, "usage: bench_heuristics ratios|tiers|times [INSTANCES]\n");
    return 2;
}
