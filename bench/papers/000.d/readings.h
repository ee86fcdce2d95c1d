/* Interpretations of the models of Nuriyev et al. 2022 where text, equation (20) and Table 3 contradict each other. */
#ifndef PAPER_000_READINGS_H
#define PAPER_000_READINGS_H

#include "published.h"

/* The ambiguities and their options. Option 0 of each is the printed text, which the library follows. */
enum { P2P, GAMMA, SHARED, CHAINS, EXCHANGE, FORWARD, BINOMIAL, QUESTIONS };
typedef struct {
    const char *about;
    int options;
    const char *option[5];
} question_t;
extern const question_t question[QUESTIONS];

typedef struct {
    int choice[QUESTIONS];
} reading_t;

/* The k-th of all readings, 0 being the printed text; 0: there are no more. */
int reading_at(int k, reading_t *r);

enum { QS = 5 }; /* Q is printed as a whole number: it may be off by a half either way */

/* Stage sums in units of T_p2p^1. They do not depend on the parameters of Table 2, so they are computed once for all
 * readings. */
typedef struct {
    double tree[2][2][QS][2]
               [ALGORITHMS]; /* gamma, shared, Q, 4 or 8 chains; split_binary: half the message forwarded */
} sums_t;
int sums_make(const published_t *p, const cell_t *cell, sums_t *s);

/* T_p2p^1 of one row of Table 2 by this reading [s]. */
double reading_p2p(const reading_t *r, const lit_taulop_t *t);
/* Predicted seconds of every algorithm, given T_p2p^1 of each; INFINITY: left out. */
void reading_predict(const reading_t *r, const published_t *p, const cell_t *cell, const sums_t *s, int q,
                     const double p2p[ALGORITHMS], double seconds[ALGORITHMS]);
/* The index of the algorithm with the least time; of equal ones the first. */
int selected(const double seconds[ALGORITHMS]);

#endif
