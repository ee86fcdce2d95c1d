/* Hockney, LogGP and PLogP with one set of parameters for all algorithms, estimated from the same times by the same
 * regression as planbcast select's. */
#ifndef BENCH_SELECTION_SHARED_H
#define BENCH_SELECTION_SHARED_H

#include "planner/selection/selection.h"

typedef enum { HOCKNEY, LOGGP, PLOGP, SHARED_MODELS } shared_model_t;
enum { MOST_KNOTS = 32, MOST_TERMS = MOST_KNOTS + 1 };

/*
 * T = sum of parameters times terms, and no parameter is negative.
 *
 *     Hockney  alpha, beta    messages one after the other, bytes one after the other
 *     LogGP    L + 2 o, g, G  stages, further messages, bytes
 *     PLogP    L, g(m_1) ..   stages; messages one after the other by their size, g linear between the sizes of the
 * times
 *
 * The network knows no hosts, as in the papers: every rank has a card of its own.
 */
typedef struct {
    shared_model_t model;
    int nterms, nknots;
    double knot[MOST_KNOTS]; /* [B] */
    double parameter[MOST_TERMS];
} shared_t;

/* False: too few rows, or no memory. */
bool shared_fit(const sel_table_t *table, const bool *use, shared_model_t model, shared_t *out);
/* [s]; INFINITY: out of memory */
double shared_predict(const shared_t *s, const sel_way_t *way, int ranks, size_t bytes);

#endif
