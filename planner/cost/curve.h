/* Curves over the message size. */
#ifndef PLANI_CURVE_H
#define PLANI_CURVE_H

#include <stddef.h>

/* A curve at `bytes`: linear in between, constant before, along the last slope beyond: if it rises, for noise there
 * must not make huge messages free. */
double plani_curve(size_t n, const double *bytes, const double *y, double at);

#endif
