/*
 * The published numbers of Nuriyev et al. 2022, recomputed:
 *
 *     paper_000 FOLDER equation20           coefficients of (20) and its solution, reproduced and published
 *     paper_000 FOLDER readings             every reading of the models: cells of Table 3 in which it agrees
 *     paper_000 FOLDER table3 K             Table 3's model-based column by reading K, 0 being what is printed
 *     paper_000 FOLDER rounding K N [SEED]  the same for N draws of parameters that round to the printed ones
 *
 *     paper_000 FOLDER method FILE RANKS RANKS_PER_HOST    the paper's method on measurements, see method.h
 *
 * FOLDER holds the published numbers. Prints lines of tab-separated fields.
 */
#include "planner/selection/selection.h"
#include "method.h"
#include "readings.h"
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    published_t paper;
    sums_t sums[MOST_CELLS];
    double solved; /* T_p2p^1 of the binomial tree on Gros by (20) */
} study_t;

/* Equation (20) with two unknowns: o + L1, which occur only as a sum, and L0. */
static int solve(const equation_t *e, double c[2])
{
    double x[2 * EQUATIONS], y[EQUATIONS];
    for (int i = 0; i < EQUATIONS; i++) x[2 * i] = e[i].o_net, x[2 * i + 1] = e[i].L_shm, y[i] = e[i].seconds;
    if (sel_huber(EQUATIONS, 2, x, y, c)) return 1;
    fprintf(stderr, "paper_000: equation (20) has no solution\n");
    return 0;
}

static const cluster_t *gros(const published_t *p)
{
    for (int c = 0; c < CLUSTERS; c++)
        if (strcmp(p->cluster[c].name, "gros") == 0) return &p->cluster[c];
    return NULL;
}

static const lit_taulop_t *binomial(const cluster_t *c)
{
    for (int a = 0; a < ALGORITHMS; a++)
        if (algorithm[a] == PLAN_BINOMIAL) return &c->row[a].taulop;
    return NULL;
}

static int equation20(const study_t *s)
{
    const cluster_t *c = gros(&s->paper);
    const lit_taulop_t *b = binomial(c);
    double found[2];
    lit_taulop_t unit = *b;
    unit.o_net = 1, unit.L_shm = unit.L_net = 0;
    if (!solve(s->paper.equation, found)) return 1;
    for (int i = 0; i < EQUATIONS; i++) {
        const equation_t *e = &s->paper.equation[i];
        double stages = 0;
        if (lit_predict_taulop(&unit, PLAN_BINOMIAL, 1000, c->ranks_per_host, 0, 0, e->bytes, 8192, &stages) != PLAN_OK)
            return 1;
        printf("row\t%zu\t%.2f\t%.2f\t%.2f\t%.2f\t%.6g\t%.6g\t%.6g\n", e->bytes >> 10, stages + 1, e->o_net,
               stages + 999, e->L_shm, e->seconds, e->o_net * (b->o_net + b->L_net) + e->L_shm * b->L_shm,
               e->o_net * found[0] + e->L_shm * found[1]);
    }
    printf("solution\t%.3g\t%.3g\t%.3g\t%.3g\n", found[0] / 2, found[1], b->o_net, b->L_shm);
    return 0;
}

static void p2p_of(const study_t *s, const reading_t *r, int cluster, double p2p[ALGORITHMS])
{
    const cluster_t *c = &s->paper.cluster[cluster];
    for (int a = 0; a < ALGORITHMS; a++) {
        p2p[a] = reading_p2p(r, &c->row[a].taulop);
        if (algorithm[a] == PLAN_BINOMIAL && r->choice[BINOMIAL] == 1 && c == gros(&s->paper)) p2p[a] = s->solved;
    }
}

static int pick(const study_t *s, const reading_t *r, int cell, double seconds[ALGORITHMS])
{
    double p2p[ALGORITHMS];
    p2p_of(s, r, s->paper.cell[cell].cluster, p2p);
    reading_predict(r, &s->paper, &s->paper.cell[cell], &s->sums[cell], QS / 2, p2p, seconds);
    return selected(seconds);
}

static int readings(const study_t *s)
{
    reading_t r;
    for (int k = 0; reading_at(k, &r); k++) {
        int agree = 0, of[CLUSTERS] = {0};
        double seconds[ALGORITHMS];
        for (int i = 0; i < s->paper.ncells; i++)
            if (pick(s, &r, i, seconds) == s->paper.cell[i].model) agree++, of[s->paper.cell[i].cluster]++;
        printf("%d\t%d", k, agree);
        for (int c = 0; c < CLUSTERS; c++) printf("\t%d", of[c]);
        for (int q = 0; q < QUESTIONS; q++) printf("\t%d", r.choice[q]);
        printf("\n");
    }
    for (int q = 0; q < QUESTIONS; q++)
        for (int o = 0; o < question[q].options; o++)
            printf("#\t%d\t%d\t%s\t%s\n", q, o, question[q].about, question[q].option[o]);
    return 0;
}

static int table3(const study_t *s, const reading_t *r)
{
    for (int i = 0; i < s->paper.ncells; i++) {
        const cell_t *c = &s->paper.cell[i];
        double seconds[ALGORITHMS];
        int mine = pick(s, r, i, seconds);
        printf("%s\t%d\t%zu\t%s\t%s\t%s\t%.4g\t%.4g\n", s->paper.cluster[c->cluster].name, c->ranks, c->bytes >> 10,
               plan_topology_name(algorithm[c->best]), plan_topology_name(algorithm[c->model]),
               plan_topology_name(algorithm[mine]), 1e3 * seconds[mine], 1e3 * seconds[c->model]);
    }
    return 0;
}

/* A random number that rounds to x at two digits. */
static double unrounded(double x, gsl_rng *rng)
{
    return x > 0 ? x + (gsl_rng_uniform(rng) - 0.5) * pow(10, floor(log10(x) + 1e-9) - 1) : 0;
}

static int rounding(study_t *s, const reading_t *r, long draws, unsigned long seed)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    long hits[MOST_CELLS] = {0};
    const study_t printed = *s;
    gsl_rng_set(rng, seed);
    for (long d = 0; d < draws; d++) {
        int agree = 0, q = 0;
        for (int c = 0; c < CLUSTERS; c++)
            for (int a = 0; a < ALGORITHMS; a++) {
                const lit_taulop_t *from = &printed.paper.cluster[c].row[a].taulop;
                lit_taulop_t *to = &s->paper.cluster[c].row[a].taulop;
                to->o_net = unrounded(from->o_net, rng), to->L_shm = unrounded(from->L_shm, rng);
                to->L_net = unrounded(from->L_net, rng);
            }
        q = (int)gsl_rng_uniform_int(rng, QS);
        for (int i = 0; i < s->paper.ncells; i++) {
            double p2p[ALGORITHMS], seconds[ALGORITHMS];
            p2p_of(s, r, s->paper.cell[i].cluster, p2p);
            reading_predict(r, &s->paper, &s->paper.cell[i], &s->sums[i], q, p2p, seconds);
            if (selected(seconds) == s->paper.cell[i].model) hits[i]++, agree++;
        }
        printf("draw\t%d\n", agree);
    }
    for (int i = 0; i < s->paper.ncells; i++)
        printf("cell\t%s\t%d\t%zu\t%.3f\n", s->paper.cluster[s->paper.cell[i].cluster].name, s->paper.cell[i].ranks,
               s->paper.cell[i].bytes >> 10, (double)hits[i] / (double)draws);
    gsl_rng_free(rng);
    return 0;
}

int main(int argc, char **argv)
{
    static study_t s;
    reading_t r;
    const char *what = argc > 2 ? argv[2] : "";
    int known = (argc == 3 && (strcmp(what, "equation20") == 0 || strcmp(what, "readings") == 0)) ||
                (argc == 4 && strcmp(what, "table3") == 0) ||
                (argc == 6 && strcmp(what, "method") == 0 && atoi(argv[4]) > 1 && atoi(argv[5]) > 0) ||
                (argc >= 5 && argc <= 6 && strcmp(what, "rounding") == 0 && atol(argv[4]) > 0);
    if (!known || (argc > 3 && what[0] != 'm' && (atoi(argv[3]) < 0 || !reading_at(atoi(argv[3]), &r)))) {
        fprintf(stderr, "usage: paper_000 FOLDER equation20|readings|table3 K|rounding K N [SEED]|method FILE RANKS "
                        "RANKS_PER_HOST\n");
        return 2;
    }
    gsl_set_error_handler_off();
    if (what[0] == 'm') return method(argv[3], atoi(argv[4]), atoi(argv[5]));
    if (!published_read(argv[1], &s.paper)) return 1;
    double found[2];
    if (!solve(s.paper.equation, found)) return 1;
    s.solved = found[0] + found[1];
    if (what[0] == 'e') return equation20(&s);
    for (int i = 0; i < s.paper.ncells; i++)
        if (!sums_make(&s.paper, &s.paper.cell[i], &s.sums[i])) return 1;
    if (what[0] == 't') return table3(&s, &r);
    return what[1] == 'e' ? readings(&s) : rounding(&s, &r, atol(argv[4]), argc == 6 ? strtoul(argv[5], NULL, 10) : 1);
}
