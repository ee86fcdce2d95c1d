/* Ways to read the models of Nuriyev et al. 2022 where text, equation (20) and Table 3 do not say the same. */
#ifndef PAPER_000_READINGS_H
#define PAPER_000_READINGS_H

#include "published.h"

/* What a reading decides, and how many ways there are. Option 0 of each is what is printed, and what the library does.
 */
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

/* The k-th of all readings, 0 being what is printed; false: there are no more. */
int reading_at(int k, reading_t *r);

enum { QS = 5 }; /* Q is printed as a whole number: it may be off by a half either way */

/* Stage sums in units of T_p2p^1, for all that no parameter of Table 2 enters: worked out once, used by all readings.
 */
typedef struct {
    double tree[2][2][QS][2]
               [ALGORITHMS]; /* gamma, shared, Q, 4 or 8 chains; split_binary: half the message forwarded */
} sums_t;
int sums_make(const published_t *p, const cell_t *cell, sums_t *s);

/* T_p2p^1 of one row of Table 2, as read. */
double reading_p2p(const reading_t *r, const lit_taulop_t *t);
/* Predicted seconds of every algorithm, given T_p2p^1 of each; INFINITY: left out. */
void reading_predict(const reading_t *r, const published_t *p, const cell_t *cell, const sums_t *s, int q,
                     const double p2p[ALGORITHMS], double seconds[ALGORITHMS]);
/* The algorithm selected: the least; of equals the first. */
int selected(const double seconds[ALGORITHMS]);

#endif
