/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of one tree on their way through a rank. */
#include "lib/mpi/execute/lane.h"

char *plani_slice_address(const plani_tree_bcast_t *run, int t, size_t j)
{
    const plani_lane_t *lane = &run->lane[t];
    if (lane->ring != NULL) return lane->ring + j % lane->slots * run->part->slice;
    return plani_at(run->view->base, (MPI_Aint)(plani_branch_slice(run->part, t, j) * run->part->slice));
}

size_t plani_released(const plani_tree_bcast_t *run, int t)
{
    const plani_lane_t *lane = &run->lane[t];
    size_t least = run->root ? lane->n : lane->unpacked;
    for (int c = 0; c < run->part->branch[t].nchildren; c++)
        if (lane->done[c] < least) least = lane->done[c];
    if (lane->writes && lane->written < least) least = lane->written;
    return least;
}

size_t plani_ready(const plani_tree_bcast_t *run, int t)
{
    const plani_lane_t *lane = &run->lane[t];
    if (!run->root) return lane->arrived;
    if (lane->ring == NULL) return lane->n;
    size_t room = plani_released(run, t) + lane->slots;
    return room < lane->n ? room : lane->n;
}

bool plani_pack_slice(plani_tree_bcast_t *run, int t)
{
    plani_lane_t *lane = &run->lane[t];
    size_t j = lane->arrived, k = plani_branch_slice(run->part, t, j);

    if (j >= plani_ready(run, t)) return false;
    if (!run->empty) {
        int rc =
            plani_view_get(run->view, k * run->part->slice, plani_slice_length(run, k), plani_slice_address(run, t, j));
        plani_note(run, rc);
        run->empty = rc != 0;
        if (rc == 0) run->b->copies.packed += plani_slice_length(run, k);
    }
    lane->arrived++;
    return true;
}
