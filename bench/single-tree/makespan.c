#include <math.h>
#include <stdio.h>
#include <string.h>
#include <planbcast/plan.h>
#include "tables.h"

static const size_t sizes[] = {8, 1024, 16384, 262144, 4194304, 67108864};
enum { SIZES = sizeof sizes / sizeof *sizes };

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

static int row(const plan_platform_t *pf, const char *name, double *worst)
{
    printf("| %s | %d", name, plan_platform_data(pf)->ranks);
    for (int k = 0; k < SIZES; k++) {
        plan_ranking_t *ranking = NULL;
        plan_error_t err;
        const char *other = "";
        if (plan_ranking_create(pf, 0, sizes[k], NULL, &ranking, &err) != PLAN_OK)
            return fprintf(stderr, "%s: %s\n", name, err.text), 1;
        double ratio = compare(ranking, &other);
        printf(" | %.3f (%s)", ratio, other);
        *worst = fmax(*worst, ratio);
        plan_ranking_destroy(&ranking);
    }
    printf(" |\n");
    fflush(stdout);
    return 0;
}

int makespan_table(int nfiles, char **file)
{
    double worst = 0;
    printf("| platform | ranks | 8 B | 1 KiB | 16 KiB | 256 KiB | 4 MiB | 64 MiB |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int i = 0; i < nfiles; i++) {
        plan_platform_t *pf = NULL;
        plan_error_t err;
        if (plan_platform_load(file[i], &pf, &err) != PLAN_OK) return fprintf(stderr, "%s\n", err.text), 1;
        const char *name = plan_platform_data(pf)->name;
        int bad = row(pf, name != NULL ? name : file[i], &worst);
        plan_platform_destroy(&pf);
        if (bad) return 1;
    }
    printf("\nThe largest ratio is %.3f.\n", worst);
    return 0;
}
