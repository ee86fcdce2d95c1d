/* Broadcasts down trees where there is no pipeline: of a message in one slice, and where memory for staging lacks. */
#include "lib/mpi/pipeline.h"

/* Nowhere to put slices: take each, in the order of the message, drop it, and tell the children with an empty one. The
 * receives do not wait for each other and are blocking, for their errors are expected, and shall not come to an error
 * handler. */
void plani_drain(plani_pipeline_t *run)
{
    const plani_part_t *part = run->part;
    for (size_t k = 0; k < run->slices; k++) {
        int t = part->tree_of[k % (size_t)part->period];
        const plani_branch_t *branch = &part->branch[t];
        if (!run->root) MPI_Recv(NULL, 0, MPI_BYTE, branch->parent, t, run->b->comm, MPI_STATUS_IGNORE);
        for (int c = 0; c < branch->nchildren; c++)
            plani_note(run, MPI_Send(NULL, 0, MPI_BYTE, branch->child[c], t, run->b->comm));
    }
}

/* The message is one slice: receive it, pass it on. No more to do than in a plain binomial broadcast. */
static int one_slice(plani_pipeline_t *run)
{
    const plani_branch_t *branch = &run->part->branch[run->part->tree_of[0]];
    plani_view_t *view = run->view;
    MPI_Request *request = run->b->work.request;
    MPI_Status status;
    int tag = run->part->tree_of[0], len = (int)view->bytes, rc, inflight = 0, n = branch->nchildren;
    char *data = view->direct ? view->base : plani_stage(&run->b->work, view->bytes);

    if (data == NULL && !view->direct) {
        plani_note(run, PLAN_ENOMEM);
        plani_drain(run);
        return run->rc;
    }
    if (!run->root) {
        rc = MPI_Recv(data, len, MPI_BYTE, branch->parent, tag, run->b->comm, &status);
        if (rc == MPI_SUCCESS) rc = plani_check_length(&status, view->bytes);
        plani_note(run, rc);
        if (rc != 0) run->empty = true;
    } else if (!view->direct) {
        plani_note(run, rc = plani_view_get(view, 0, view->bytes, data));
        run->empty = rc != 0;
    }
    if (run->empty) len = 0;
    for (int c = 0; c < n; c++) {
        if (view->bytes <= PLANI_SMALL) {
            plani_note(run, MPI_Send(data, len, MPI_BYTE, branch->child[c], tag, run->b->comm));
            continue;
        }
        rc = plani_send(data, (size_t)len, branch->child[c], tag, run->b->comm, false, &request[inflight]);
        if (rc == MPI_SUCCESS) inflight++;
        plani_note(run, rc);
    }
    if (!run->root && !view->direct && !run->empty) plani_note(run, plani_view_put(view, 0, view->bytes, data));
    for (int c = 0; c < inflight; c++) {
        plani_finished(&request[c], true, &status, &rc);
        plani_note(run, rc);
    }
    return run->rc;
}

int plani_run(plani_binding_t *b, const plani_part_t *part, plani_view_t *view)
{
    plani_pipeline_t run = {.b = b, .part = part, .view = view};
    run.root = part->branch[0].parent < 0;
    run.slices = (view->bytes - 1) / part->slice + 1;
    int rc = run.slices == 1 ? one_slice(&run) : plani_pipeline(&run);
    plani_stage_trim(&b->work);
    return rc;
}
