/* Times the computation of the bound.
 *
 *   bench_lp [--quick]               the table, as Markdown: each row over several seeds; --quick: one each, small ones
 *   bench_lp CLASS RANKS PARAMETER SEED [LIMIT_S] [cuts|direct]   one line */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_sort_double.h>
#include "trial.h"
#include "lp/direct.h"

enum { MOST_SEEDS = 16 };

typedef struct {
    const char *kind;
    int ranks;
    double parameter;
    int seeds;
    double target_s;     /* what a solve should take; 0: no target */
    double target_ratio; /* how many times faster than the direct program it should be; 0: not compared */
} row_t;

static const row_t table[] = {
    {"random", 30, 0.12, 15, 0, 500},  {"random", 30, 0.16, 15, 0, 500},  {"random", 30, 0.2, 15, 0, 500},
    {"random", 40, 0.12, 9, 0, 1000},  {"random", 40, 0.16, 9, 0, 1000},  {"random", 40, 0.2, 9, 0, 1000},
    {"random", 65, 0.12, 15, 0.02, 0}, {"random", 65, 0.2, 15, 0.02, 0},  {"tiers", 65, 0, 15, 0.02, 0},
    {"random", 500, 0.04, 5, 0.5, 0},  {"complete", 500, 1, 5, 0.5, 0},   {"complete", 1000, 1, 5, 2, 0},
    {"complete", 2000, 1, 3, 8, 0},    {"hierarchical", 128, 1, 5, 2, 0}, {"hierarchical", 256, 1, 3, 15, 0},
    {"tiers", 1000, 0, 5, 15, 0},      {"geometric", 1000, 0, 5, 15, 0},  {"decades", 500, 0.04, 5, 15, 0},
    {"decades", 500, 0.2, 5, 15, 0},
};

static const double LIMIT = 60, DIRECT_LIMIT = 120; /* [s] */

/* Results over the seeds of a row. */
typedef struct {
    int done, compared;
    double seconds[MOST_SEEDS], direct_s[MOST_SEEDS], ratio[MOST_SEEDS], rounds[MOST_SEEDS], links[MOST_SEEDS];
    double gap, peak_bytes, apart; /* the largest over all seeds */
    int finished[3];               /* by mix, columns, cuts */
} seeds_t;

static const char *const finisher[] = {"mix", "columns", "cuts"};

static void compare(const trial_t *how, const outcome_t *mine, seeds_t *s)
{
    trial_t t = *how;
    outcome_t direct;

    t.solve = plani_steady_direct;
    t.limit_s = DIRECT_LIMIT;
    if (trial(&t, &direct) != 0) {
        fprintf(stderr, "direct, seed %lu: %s\n", t.seed, direct.why);
        return;
    }
    double apart = mine->upper / direct.throughput - 1;
    if (apart < 0) apart = -apart;
    if (apart > s->apart) s->apart = apart;
    s->direct_s[s->compared] = direct.seconds;
    s->ratio[s->compared++] = direct.seconds / mine->seconds;
}

static void add_seed(const row_t *r, unsigned long seed, seeds_t *s)
{
    const trial_t t = {r->kind, r->ranks, r->parameter, seed, plani_steady_solve, LIMIT};
    outcome_t o;

    if (trial(&t, &o) != 0) {
        fprintf(stderr, "%s, %d ranks, seed %lu: %s\n", r->kind, r->ranks, seed, o.why);
        return;
    }
    double gap = (o.upper - o.throughput) / o.upper;
    if (gap > s->gap) s->gap = gap;
    if (o.peak_bytes > s->peak_bytes) s->peak_bytes = o.peak_bytes;
    s->seconds[s->done] = o.seconds;
    s->rounds[s->done] = o.rounds;
    s->links[s->done++] = (double)o.links;
    for (int i = 0; i < 3; i++) s->finished[i] += strcmp(o.method, finisher[i]) == 0;
    if (r->target_ratio > 0) compare(&t, &o, s);
}

static void print_time(double seconds)
{
    if (seconds < 0.0995)
        printf("%.3g ms", 1e3 * seconds);
    else
        printf("%.2f s", seconds);
}

static void print_row(const row_t *r, seeds_t *s)
{
    const char *separator = "";
    int mid = s->done / 2, last = s->done - 1;

    gsl_sort(s->seconds, 1, (size_t)s->done);
    gsl_sort(s->rounds, 1, (size_t)s->done);
    gsl_sort(s->links, 1, (size_t)s->done);
    gsl_sort(s->direct_s, 1, (size_t)s->compared);
    gsl_sort(s->ratio, 1, (size_t)s->compared);
    printf("| %s", r->kind);
    if (strcmp(r->kind, "random") == 0 || strcmp(r->kind, "decades") == 0) printf(" %.2g", r->parameter);
    printf(" | %d | %.0f | %d | ", r->ranks, s->links[mid], s->done);
    for (int i = 0; i < 3; i++)
        if (s->finished[i] > 0) printf("%s%s %d", separator, finisher[i], s->finished[i]), separator = ", ";
    printf(" | %.0f | ", s->rounds[mid]);
    print_time(s->seconds[mid]);
    printf(" | ");
    print_time(s->seconds[last]);
    printf(" | ");
    if (r->target_s > 0) print_time(r->target_s);
    printf(" | %.1e | %.0f MB | ", s->gap, s->peak_bytes / 1e6);
    if (s->compared > 0) {
        print_time(s->direct_s[s->compared / 2]);
        printf(" | %.0f | %.0f | %.0f | %.1e |\n", s->ratio[s->compared / 2], s->ratio[0], r->target_ratio, s->apart);
    } else {
        printf("| | | | |\n");
    }
    fflush(stdout);
}

static int print_table(int quick)
{
    printf(
        "| class | ranks | links | seeds | finished by | rounds | seconds | worst | target | gap | memory | direct | "
        "ratio | least ratio | target | differ by |\n"
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
        "---: |\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        seeds_t s = {0};
        if (quick && table[i].ranks > 500) continue;
        for (int seed = 1; seed <= (quick ? 1 : table[i].seeds); seed++) add_seed(&table[i], (unsigned long)seed, &s);
        if (s.done == 0) return 1;
        print_row(&table[i], &s);
    }
    return 0;
}

static int print_line(const trial_t *t)
{
    outcome_t o;

    if (trial(t, &o) != 0) {
        fprintf(stderr, "bench_lp: %s\n", o.why);
        return 1;
    }
    printf(
        "%s, %d ranks, %zu links: %s, %d rounds, %.4f s (%.4f s of the processor), gap %.2e, %.8g slices/s, %.0f MB\n",
        t->kind, t->ranks, o.links, o.method, o.rounds, o.seconds, o.cpu_s, (o.upper - o.throughput) / o.upper,
        o.throughput, o.peak_bytes / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 1 || (argc == 2 && strcmp(argv[1], "--quick") == 0)) return print_table(argc == 2);
    if (argc < 5) {
        fprintf(stderr, "usage: bench_lp [--quick] | CLASS RANKS PARAMETER SEED [LIMIT_S] [cuts|direct]\n");
        return 2;
    }
    const trial_t t = {.kind = argv[1],
                       .ranks = atoi(argv[2]),
                       .parameter = atof(argv[3]),
                       .seed = strtoul(argv[4], NULL, 10),
                       .limit_s = argc > 5 ? atof(argv[5]) : LIMIT,
                       .solve = argc > 6 && strcmp(argv[6], "direct") == 0 ? plani_steady_direct : plani_steady_solve};
    return print_line(&t);
}
