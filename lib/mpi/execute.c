#include "lib/mpi/execute.h"
#include "planner/plan_private.h"

/* The range that serves a message. The last one takes all that is larger. */
static const plani_part_t *part_for(const plani_binding_t *b, size_t bytes)
{
    size_t low = 0, high = b->nparts - 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (b->up_to[mid] < bytes)
            low = mid + 1;
        else
            high = mid;
    }
    return &b->part[low];
}

/* MPI_Bcast in bytes, since ranks may pass different datatypes, and in chunks, since its count is an int. PMPI_Bcast:
 * the preloadable library takes the place of MPI_Bcast. */
static int run_native(plani_binding_t *b, int root, plani_view_t *view)
{
    int first = 0;
    size_t room = view->bytes < PLANI_CHUNK ? view->bytes : PLANI_CHUNK;
    char *stage = view->direct ? NULL : plani_stage(&b->work, room);

    if (stage == NULL && !view->direct)
        return PLAN_ENOMEM; /* the others wait in MPI_Bcast, as they would for MPI's own
                               want of memory */
    for (size_t at = 0; at < view->bytes; at += room) {
        size_t len = view->bytes - at < room ? view->bytes - at : room;
        char *data = view->direct ? plani_at(view->base, (MPI_Aint)at) : stage;
        int rc = 0;
        if (!view->direct && b->rank == root) rc = plani_view_get(view, at, len, data);
        int cast = PMPI_Bcast(data, (int)len, MPI_BYTE, root, b->comm);
        if (rc == 0) rc = cast;
        if (rc == 0 && !view->direct && b->rank != root) rc = plani_view_put(view, at, len, data);
        if (first == 0) first = rc;
    }
    plani_stage_trim(&b->work);
    return first;
}

/* By the range `part`, or, NULL, by the one that serves the message. */
static int execute(plan_t *plan, const plani_part_t *part, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_view_t view;
    plani_binding_t *b = plan->binding;
    int rc;

    if ((rc = plani_view_open(&view, buffer, count, datatype, b->comm)) != 0) return rc;
    if (view.bytes == 0 || b->ranks == 1) {
        plani_view_close(&view);
        return 0;
    }
    if (part == NULL) part = part_for(b, view.bytes);
    switch (part->run) {
    case PLAN_RUN_NATIVE:
        rc = run_native(b, plan->root, &view);
        break;
    case PLAN_RUN_SHARED:
        rc = plani_run_shared(b, plan->root, &view);
        break;
    case PLAN_RUN_ROUNDS:
        rc = plani_run_rounds(b, part, &view);
        break;
    default:
        rc = plani_run(b, part, &view);
    }
    plani_view_close(&view);
    return rc;
}

int plan_execute(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    if (plan == NULL || plan->binding == NULL) return PLAN_EINVAL;
    return execute(plan, NULL, buffer, count, datatype);
}

int plani_execute_range(plan_t *plan, size_t range, void *buffer, size_t bytes)
{
    plani_binding_t *b = plan->binding;
    return execute(plan, &b->part[range], buffer, (MPI_Count)bytes, MPI_BYTE);
}
