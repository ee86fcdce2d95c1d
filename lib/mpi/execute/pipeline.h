/* SPDX-License-Identifier: BSD-3-Clause */
/* A running broadcast down trees. Private to pipeline.c and one_slice.c. */
#ifndef PLANI_PIPELINE_H
#define PLANI_PIPELINE_H

#include "lib/mpi/execute/lane.h"

/** ---- pipeline.c ---- Run the message in slices. If it sets run->gave_up, work.arrived is the number of slices of
 * each tree that have been received and forwarded. \return run->rc */
int plani_pipeline(plani_tree_bcast_t *run);
/** ---- one_slice.c ---- The tag of slice k of the message. */
int plani_slice_tag(const plani_tree_bcast_t *run, size_t k);

#endif
