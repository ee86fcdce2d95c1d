/*
 * The broadcast method that is fastest by each model, and curves of other collectives:
 *
 *     paper_004 map FILE LEAST MOST BYTES    each message size up to BYTES, two to an octave, on LEAST..MOST ranks:
 *                                            model, ranks, bytes, algorithm, segment, seconds
 *     paper_004 printed FILE LEAST MOST BYTES    the same, with unsegmented split-binary as printed: n_s = 1, m_s = m
 *     paper_004 score FILE < RAW             for each "time" line of paper_004_measure whose method has models: ranks,
 *                                            bytes, algorithm, segment, measured time, then each model's prediction
 *
 *     paper_004 parameters FILE              "loggp" L o g G; then "size" bytes alpha beta os or g for each size of
 *                                            the curves
 *
 *     paper_004 figures FILE                 the curves of Figures 2 to 4: collective, algorithm, segment, model,
 * ranks, bytes (of alltoall: what a rank sends to all), seconds
 *
 * FILE contains parameters ({"loggp": ...}) or is a profile; tau-Lop and the simulation need a profile. Times are in
 * seconds, fields are tab-separated.
 */
#include "world.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The method with the least predicted time; of equal ones the first, which is unsegmented. */
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

/* Sizes 2^k and 3 2^(k-1), which are whole numbers of segments if there are several. */
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

/* Print a line of one method with its measured time and each model's prediction. */
static void score_line(world_t *w, const char *line)
{
    char *at;
    int ranks = (int)strtol(line, &at, 10);
    size_t bytes = strtoull(at, &at, 10);
    const char *name = at + strspn(at, "\t");
    size_t length = strcspn(name, "\t");
    size_t segment = strtoull(name + length, &at, 10);
    double measured = strtod(at, NULL);

    for (int i = 0; i < METHODS; i++) {
        const method_t *m = &methods[i];
        if (strlen(m->name) != length || strncmp(m->name, name, length) != 0 || m->segment != segment) continue;
        printf("%d\t%zu\t%s\t%zu\t%.6g", ranks, bytes, m->name, segment, measured);
        for (int model = 0; model < MODELS; model++) printf("\t%.6g", world_predict(w, model, ranks, m, bytes));
        printf("\n");
    }
}

static void score(world_t *w)
{
    static const char time[] = "time\t";
    char line[256];
    while (fgets(line, sizeof line, stdin) != NULL)
        if (strncmp(line, time, strlen(time)) == 0) score_line(w, line + strlen(time));
}

/* Print the curves. Hockney's have the sizes of PLogP's if both come from a profile; else they are left out. */
static void parameters(const lit_network_t *p)
{
    printf("loggp\t%.6g\t%.6g\t%.6g\t%.6g\n", p->loggp.L, p->loggp.o, p->loggp.g, p->loggp.G);
    printf("plogp\t%.6g\n", p->plogp.L);
    for (size_t i = 0; i < p->plogp.n && p->hockney.n == p->plogp.n; i++)
        printf("size\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", p->plogp.bytes[i], p->hockney.alpha_s[i],
               p->hockney.beta_s_per_byte[i], p->plogp.os_s[i], p->plogp.or_s[i], p->plogp.g_s[i]);
}

/* One point of a figure by each model; of alltoall, `bytes` are those to all ranks together. */
static void point(const lit_network_t *p, lit_collective_t collective, const char *algorithm, size_t segment, int ranks,
                  size_t bytes)
{
    size_t message = collective == LIT_ALLTOALL ? bytes / (size_t)ranks : bytes;
    for (int model = 0; model < LIT_MODELS; model++) {
        double seconds;
        if (lit_predict_collective(p, (lit_model_t)model, collective, algorithm, ranks, message, segment, &seconds) ==
            PLAN_OK)
            printf("%s\t%s\t%zu\t%s\t%d\t%zu\t%.9g\n", lit_collective_name(collective), algorithm, segment,
                   model_name(model), ranks, bytes, seconds);
    }
}

/* The algorithms, segments and ranks that the captions and the text name; sizes are ours, for the axes are not there.
 */
static void figures(const lit_network_t *p)
{
    enum { MOST = 32, LARGEST = 4 << 20, PARTS = 48 }; /* 48: whole numbers of bytes for 2, 4, 8, 16, 24 ranks */
    static const char *const barrier[] = {"bruck", "recursive_doubling", "linear"};
    static const char *const reduce[] = {"binomial", "pipeline"};
    static const int reducing[] = {8, 24}, exchanging[] = {2, 4, 8, 16, 24};

    for (size_t a = 0; a < sizeof barrier / sizeof *barrier; a++)
        for (int ranks = 2; ranks <= MOST; ranks++) point(p, LIT_BARRIER, barrier[a], 0, ranks, 0);
    for (size_t a = 0; a < sizeof reduce / sizeof *reduce; a++)
        for (size_t segment = 0; segment <= 1024; segment += 1024)
            for (size_t r = 0; r < sizeof reducing / sizeof *reducing; r++)
                for (size_t m = 1; m <= LARGEST; m *= 2) point(p, LIT_REDUCE, reduce[a], segment, reducing[r], m);
    for (size_t r = 0; r < sizeof exchanging / sizeof *exchanging; r++)
        for (size_t m = PARTS; m <= LARGEST; m *= 2) point(p, LIT_ALLTOALL, "pairwise", 0, exchanging[r], m);
}

int main(int argc, char **argv)
{
    bool printed = argc == 6 && strcmp(argv[1], "printed") == 0;
    bool maps = printed || (argc == 6 && strcmp(argv[1], "map") == 0),
         scores = argc == 3 && strcmp(argv[1], "score") == 0, shows = argc == 3 && strcmp(argv[1], "parameters") == 0,
         draws = argc == 3 && strcmp(argv[1], "figures") == 0;
    plan_error_t err = {.text = ""};
    world_t w;

    if (!maps && !scores && !shows && !draws) {
        fprintf(stderr,
                "usage: paper_004 map|printed FILE LEAST MOST BYTES, or: paper_004 parameters|figures FILE, or: "
                "paper_004 score FILE < RAW\n");
        return 2;
    }
    int failed = world_open(argv[2], &w, &err) != PLAN_OK;
    w.printed = printed;
    if (failed)
        fprintf(stderr, "paper_004: %s\n", err.text);
    else if (maps)
        map(&w, (int)strtol(argv[3], NULL, 10), (int)strtol(argv[4], NULL, 10), strtod(argv[5], NULL));
    else if (shows)
        parameters(lit_network(w.network));
    else if (draws)
        figures(lit_network(w.network));
    else
        score(&w);
    world_close(&w);
    return failed;
}
