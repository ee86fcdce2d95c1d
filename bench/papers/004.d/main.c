/*
 * Which broadcast method each model takes for the fastest:
 *
 *     paper_004 map FILE LEAST MOST BYTES    each message size up to BYTES, two to an octave, on LEAST..MOST ranks:
 *                                            model, ranks, bytes, algorithm, segment, seconds
 *     paper_004 printed FILE LEAST MOST BYTES    the same, with unsegmented split-binary as printed: n_s = 1, m_s = m
 *     paper_004 score FILE < RAW             each "time" line of paper_004_measure of a method that the models
 *                                            know: ranks, bytes, algorithm, segment, measured, then each model's
 *
 * FILE holds parameters ({"loggp": ...}) or is a profile; tau-Lop wants a profile. Seconds; fields between tabs.
 */
#include "world.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The method of the least time; whole before segmented where they are equal. */
static const method_t *fastest(world_t *w, int model, int ranks, size_t bytes, double *seconds)
{
    const method_t *best = NULL;
    *seconds = INFINITY;
    for (int i = 0; i < METHODS; i++) {
        double s = world_predict(w, model, ranks, &methods[i], bytes);
        if (s < *seconds) *seconds = s, best = &methods[i];
    }
    return best;
}

/* Sizes 2^k and 3 2^(k-1): from the second segment on, whole numbers of segments. */
static void map(world_t *w, int least, int most, double bytes)
{
    for (int model = 0; model < MODELS; model++)
        for (int ranks = least; ranks <= most; ranks++)
            for (size_t k = 1; (double)k <= bytes; k *= 2)
                for (size_t m = k; m <= k + k / 2 && (double)m <= bytes; m += k > 1 ? k / 2 : 1) {
                    double seconds;
                    const method_t *best = fastest(w, model, ranks, m, &seconds);
                    if (best == NULL) continue;
                    printf("%s\t%d\t%zu\t%s\t%zu\t%.9g\n", model_name(model), ranks, m, best->name, best->segment,
                           seconds);
                }
}

static void score(world_t *w)
{
    char line[256], name[32];
    int ranks;
    size_t bytes, segment;
    double measured;

    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "time\t%d\t%zu\t%31s\t%zu\t%lf", &ranks, &bytes, name, &segment, &measured) != 5) continue;
        for (int i = 0; i < METHODS; i++) {
            if (strcmp(methods[i].name, name) != 0 || methods[i].segment != segment) continue;
            printf("%d\t%zu\t%s\t%zu\t%.6g", ranks, bytes, name, segment, measured);
            for (int model = 0; model < MODELS; model++)
                printf("\t%.6g", world_predict(w, model, ranks, &methods[i], bytes));
            printf("\n");
        }
    }
}

int main(int argc, char **argv)
{
    bool printed = argc == 6 && strcmp(argv[1], "printed") == 0;
    bool maps = printed || (argc == 6 && strcmp(argv[1], "map") == 0),
         scores = argc == 3 && strcmp(argv[1], "score") == 0;
    plan_error_t err = {.text = ""};
    world_t w;

    if (!maps && !scores) {
        fprintf(stderr, "usage: paper_004 map|printed FILE LEAST MOST BYTES, or: paper_004 score FILE < RAW\n");
        return 2;
    }
    int failed = world_open(argv[2], &w, &err) != PLAN_OK;
    w.printed = printed;
    if (failed)
        fprintf(stderr, "paper_004: %s\n", err.text);
    else if (maps)
        map(&w, atoi(argv[3]), atoi(argv[4]), atof(argv[5]));
    else
        score(&w);
    world_close(&w);
    return failed;
}
