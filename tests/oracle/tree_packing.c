#include "lp/program.h"
#include "oracle/tree_packing.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_RANKS = 6 };

typedef struct {
    const plani_steady_problem_t *p;
    size_t rows, trees;
    double *column;          /* [trees * rows], NULL while counting */
    size_t into[MOST_RANKS]; /* the link chosen into each rank */
} all_t;

static int reaches_root(const all_t *a, int v)
{
    for (int steps = 0; steps <= a->p->ranks; steps++) {
        if (v == a->p->root) return 1;
        v = a->p->from[a->into[v]];
    }
    return 0;
}

static void take(all_t *a)
{
    const plani_steady_problem_t *p = a->p;

    for (int v = 0; v < p->ranks; v++)
        if (!reaches_root(a, v)) return;
    if (a->column != NULL) {
        double *load = a->column + a->trees * a->rows;
        for (int v = 0; v < p->ranks; v++) {
            if (v == p->root) continue;
            double held = p->port != NULL ? p->port[a->into[v]] : p->cost[a->into[v]];
            load[p->from[a->into[v]]] += held;
            load[p->ranks + v] += held;
            for (size_t i = 0; i < p->nresources; i++)
                for (size_t k = p->resource_first[i]; k < p->resource_first[i + 1]; k++)
                    if (p->resource_link[k] == a->into[v])
                        load[2 * (size_t)p->ranks + i] +=
                            p->entry_cost != NULL ? p->entry_cost[k] : p->resource_cost[i];
        }
    }
    a->trees++;
}

/* Choose a link into each rank from v on. */
static void choose(all_t *a, int v)
{
    if (v == a->p->ranks) {
        take(a);
    } else if (v == a->p->root) {
        choose(a, v + 1);
    } else {
        for (size_t l = 0; l < a->p->nlinks; l++)
            if (a->p->to[l] == v) a->into[v] = l, choose(a, v + 1);
    }
}

/* Tableau t[(rows + 1) * (cols + 1)], the last row the objective (negated), the last column the right-hand side. */
static void pivot(double *t, size_t rows, size_t cols, size_t row, size_t col)
{
    double by = t[row * (cols + 1) + col];

    for (size_t j = 0; j <= cols; j++) t[row * (cols + 1) + j] /= by;
    for (size_t i = 0; i <= rows; i++) {
        double times = t[i * (cols + 1) + col];
        if (i == row || times == 0) continue;
        for (size_t j = 0; j <= cols; j++) t[i * (cols + 1) + j] -= times * t[row * (cols + 1) + j];
    }
}

/* The slack basis is feasible. Bland: lowest improving column, lowest basic variable among the tightest rows. */
static double simplex(double *t, size_t *basic, size_t rows, size_t cols)
{
    for (;;) {
        size_t col = 0, row = rows;
        double least = INFINITY;
        while (col < cols && t[rows * (cols + 1) + col] > -1e-11) col++;
        if (col == cols) return t[rows * (cols + 1) + cols];
        for (size_t i = 0; i < rows; i++) {
            double a = t[i * (cols + 1) + col], ratio = a > 1e-11 ? t[i * (cols + 1) + cols] / a : INFINITY;
            if (ratio < least || (ratio == least && row < rows && basic[i] < basic[row])) least = ratio, row = i;
        }
        if (row == rows) return INFINITY;
        pivot(t, rows, cols, row, col);
        basic[row] = col;
    }
}

double oracle_tree_packing(const plani_steady_problem_t *p, size_t *trees)
{
    all_t a = {.p = p, .rows = 2 * (size_t)p->ranks + p->nresources};
    double *table = NULL, value = NAN, unit = p->cost[0]; /* rates in units of 1 / cost[0] */
    size_t *basic = NULL;

    if (p->ranks > MOST_RANKS) return NAN;
    choose(&a, 0);
    *trees = a.trees;
    size_t cols = a.trees + a.rows;
    a.column = calloc(a.trees * a.rows, sizeof *a.column);
    table = calloc((a.rows + 1) * (cols + 1), sizeof *table);
    basic = calloc(a.rows, sizeof *basic);
    if (a.column == NULL || table == NULL || basic == NULL) goto done;
    a.trees = 0;
    choose(&a, 0);
    for (size_t i = 0; i < a.rows; i++) {
        for (size_t j = 0; j < a.trees; j++) table[i * (cols + 1) + j] = a.column[j * a.rows + i] / unit;
        table[i * (cols + 1) + a.trees + i] = 1;
        table[i * (cols + 1) + cols] = 1;
        basic[i] = a.trees + i;
    }
    for (size_t j = 0; j < a.trees; j++) table[a.rows * (cols + 1) + j] = -1;
    value = simplex(table, basic, a.rows, cols) / unit;
done:
    free(a.column);
    free(table);
    free(basic);
    return value;
}
