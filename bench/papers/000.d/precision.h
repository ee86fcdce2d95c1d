/* The mean of repetitions, and how well it is known. */
#ifndef PAPER_000_PRECISION_H
#define PAPER_000_PRECISION_H

/** All zero: nothing yet. */
typedef struct {
    int n;
    double mean, squares; /* sum of the squares of what differs from the mean */
} repeated_t;

void repeated_add(repeated_t *r, double x);
/** Half of the mean's 95% interval by Student's t, as a part of the mean; INFINITY of less than two values. */
double repeated_precision(const repeated_t *r);

#endif
