/* How well a mean of repetitions is known. */
#ifndef PAPER_000_PRECISION_H
#define PAPER_000_PRECISION_H

/** The mean of n >= 1 values, and half of its 95% interval by Student's t, as a part of it; INFINITY of one value. */
typedef struct {
    double mean, precision;
} precision_t;

precision_t precision_of(const double *x, int n);

#endif
