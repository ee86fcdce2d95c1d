/* Random datatypes, nested, with gaps and out of order, whose parts never overlap. */
#ifndef PLANBCAST_TESTS_TYPES_H
#define PLANBCAST_TESTS_TYPES_H

#include "cast.h"

/** A committed datatype of random shape; `large`: elements of up to some 100 kB, else of some 100 B. */
MPI_Datatype random_type(rng_t *r, int depth, int large);
/** A layout of `count` elements of it, with memory; layout_free frees the type, too. */
layout_t layout_of(MPI_Datatype type, int count);
void layout_free(layout_t *layout);

#endif
