/*
 * The models of the report 003: closed forms, and the stage models of the library:
 *
 *     paper_003          a line for each model: algorithm, ranks, ranks per host, segments, closed form, broadcast,
 *                        reduce
 *
 *     paper_003 times    a line for each message size: segments, and seconds of linear, chain and binary for 31 ranks
 *
 * Times are in units of T_p2p through the network; Q = 6 and gamma as on Grisou (Nuriyev et al. 2022, Table 1). Fields
 * are tab-separated.
 */
#include "models.h"
#include <stdio.h>
#include <string.h>

static const double gamma_grisou[] = {1, 1.114, 1.219, 1.283, 1.451, 1.540};

static void line(const char *name, int ranks, int per_host, int segments, double closed, const channels_t *c,
                 plan_topology_t kind)
{
    printf("%s\t%d\t%d\t%d\t%.9g\t%.9g\t%.9g\n", name, ranks, per_host, segments, closed,
           stages_broadcast(c, kind, ranks, per_host, segments), stages_reduce(c, kind, ranks, per_host, segments));
}

static void models(const channels_t *c)
{
    static const int segment[] = {1, 2, 8, 512}, chain[] = {2, 5, 16, 100}, host[] = {1, 4, 16, 1000};
    for (int ranks = 2; ranks <= 7; ranks++)
        line("linear", ranks, 1, 1, closed_linear(c->network, c, ranks), c, PLAN_LINEAR);
    for (int r = 0; r < 4; r++)
        for (int h = 0; h < 4; h++)
            for (int s = 0; s < 4; s++)
                line("chain", chain[r], host[h], segment[s], closed_chain(c, chain[r], host[h], segment[s]), c,
                     PLAN_PIPELINE);
    for (int ranks = 3; ranks <= 127; ranks = 2 * ranks + 1)
        for (int s = 0; s < 4; s++)
            line("binary", ranks, 1, segment[s], closed_binary(c->network, c, ranks, segment[s]), c, PLAN_BINARY);
}

/* The linear algorithm sends the message unsegmented. Table 1 has gamma for flat trees of up to 7 ranks only, so for 31
 * ranks the two bounds of eq. (1) are printed. */
static void times(const channels_t *c)
{
    for (int segments = 1; segments <= 1024; segments *= 2)
        printf("%d\t%d\t%.9g\t%.9g\t%.9g\n", segments, segments, segments * closed_linear_bound(c->network, 31),
               stages_broadcast(c, PLAN_PIPELINE, 31, 1, segments), stages_broadcast(c, PLAN_BINARY, 31, 1, segments));
}

int main(int argc, char **argv)
{
    const channels_t c = {1 / 6., 1, sizeof gamma_grisou / sizeof *gamma_grisou, gamma_grisou};
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "times") != 0)) {
        fprintf(stderr, "usage: paper_003 [times]\n");
        return 2;
    }
    if (argc == 2)
        times(&c);
    else
        models(&c);
    return 0;
}
