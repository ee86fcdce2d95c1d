#include <math.h>
#include <stdio.h>
#include <string.h>
#include <planbcast/plan.h>
#include "tables.h"

static const size_t sizes[] = {8, 1024, 16384, 262144, 4194304, 67108864};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The search is by tau-Lop, and so is the comparison: rankings simulate their best candidates alone. */
static const plan_choice_t taulop = {.size = sizeof taulop, .model = "taulop"};

/* best-tree's predicted time relative to the least of all other single trees; *other: the name of that tree. */
static double compare(const plan_ranking_t *ranking, const char **other)
{
    double mine = NAN, least = INFINITY;
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (c->run != PLAN_RUN_TREES || c->ntrees != 1) continue;
        if (strcmp(c->name, "best-tree") == 0)
            mine = c->predicted_s;
        else if (c->predicted_s < least)
            least = c->predicted_s, *other = c->name;
    }
    return mine / least;
}

/* NAN: it failed, which is said. */
static double ratio_of(const plan_platform_t *pf, const char *name, size_t bytes, const plan_choice_t *choice,
                       char other[64])
{
    plan_ranking_t *ranking = NULL;
    plan_error_t err;
    const char *which = "";
    if (plan_ranking_create(pf, 0, bytes, choice, &ranking, &err) != PLAN_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        return NAN;
    }
    double ratio = compare(ranking, &which);
    snprintf(other, 64, "%s", which);
    plan_ranking_destroy(&ranking);
    return ratio;
}

/* The largest ratios so far, by tau-Lop and by rankings as they are. */
static int row(const plan_platform_t *pf, const char *name, double worst[2])
{
    char other[64];
    printf("| %s | %d", name, plan_platform_data(pf)->ranks);
    for (int k = 0; k < SIZES; k++) {
        double simulated = ratio_of(pf, name, sizes[k], NULL, other);
        double ratio = ratio_of(pf, name, sizes[k], &taulop, other);
        if (isnan(ratio) || isnan(simulated)) return 1;
        printf(" | %.3f (%s)", ratio, other);
        worst[0] = fmax(worst[0], ratio);
        worst[1] = fmax(worst[1], simulated);
    }
    printf(" |\n");
    fflush(stdout);
    return 0;
}

int makespan_table(int nfiles, char **file)
{
    double worst[2] = {0, 0};
    printf("| platform | ranks | 8 B | 1 KiB | 16 KiB | 256 KiB | 4 MiB | 64 MiB |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int i = 0; i < nfiles; i++) {
        plan_platform_t *pf = NULL;
        plan_error_t err;
        if (plan_platform_load(file[i], &pf, &err) != PLAN_OK) return fprintf(stderr, "%s\n", err.text), 1;
        const char *name = plan_platform_data(pf)->name;
        int bad = row(pf, name != NULL ? name : file[i], worst);
        plan_platform_destroy(&pf);
        if (bad) return 1;
    }
    printf("\nThe largest ratio is %.3f. Where rankings simulate their best candidates, which the search does not, it "
           "is %.3f.\n",
           worst[0], worst[1]);
    return 0;
}
