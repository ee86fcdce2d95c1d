#ifndef PAPER_000_HUBER_H
#define PAPER_000_HUBER_H

#include <stddef.h>

/* Huber regression of y on n rows of p columns each (row after row), without intercept; 0: it did not converge. */
int huber(size_t n, size_t p, const double *x, const double *y, double *c);

#endif
