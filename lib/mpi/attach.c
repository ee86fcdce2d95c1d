#include "lib/mpi/bind.h"
#include "lib/mpi/execute.h"
#include "lib/mpi/shared.h"
#include "planner/plan_private.h"
#include <stdlib.h>

static void destroy(plani_binding_t *b)
{
    if (b == NULL) return;
    for (size_t i = 0; b->part != NULL && i < b->nparts; i++) plani_part_clear(&b->part[i]);
    free(b->part);
    free(b->up_to);
    free(b->work.lane);
    free(b->work.counter);
    free(b->work.request);
    free(b->work.oldest);
    free(b->work.stage);
    free(b);
}

static void unbind(void *binding)
{
    plani_binding_t *b = binding;
    int over = 0;
    MPI_Finalized(&over);
    plani_ring_close(&b->ring, over);
    if (!over) MPI_Comm_free(&b->comm); /* after MPI_Finalize there is nothing left to free */
    destroy(b);
}

static plan_status_t make_work(plani_binding_t *b)
{
    size_t lanes = 1, children = 1, requests = 1;
    plani_work_t *w = &b->work;

    for (size_t i = 0; i < b->nparts; i++) {
        const plani_part_t *part = &b->part[i];
        if ((size_t)part->ntrees > lanes) lanes = (size_t)part->ntrees;
        if (plani_part_children(part) > children) children = plani_part_children(part);
        if (plani_part_requests(part) > requests) requests = plani_part_requests(part);
    }
    w->lane = calloc(lanes, sizeof *w->lane);
    w->counter = calloc(2 * children, sizeof *w->counter);
    w->request = calloc(requests, sizeof *w->request);
    w->oldest = calloc(lanes + children, sizeof *w->oldest);
    if (w->lane == NULL || w->counter == NULL || w->request == NULL || w->oldest == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < requests; i++) w->request[i] = MPI_REQUEST_NULL;
    return PLAN_OK;
}

plan_status_t plani_attach(plan_t *plan, MPI_Comm comm)
{
    plan_status_t rc = PLAN_ENOMEM;
    int rank = 0, ranks = 0;
    plani_binding_t *b = calloc(1, sizeof *b);

    if (b == NULL) return PLAN_ENOMEM;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *b = (plani_binding_t){.comm = comm, .rank = rank, .ranks = ranks, .nparts = plan->nranges};
    b->part = calloc(b->nparts, sizeof *b->part);
    b->up_to = calloc(b->nparts, sizeof *b->up_to);
    if (b->part == NULL || b->up_to == NULL) goto done;
    for (size_t i = 0; i < b->nparts; i++) {
        b->up_to[i] = plan->range[i].up_to;
        if ((rc = plani_part_init(&b->part[i], plan->range[i].chosen, rank)) != PLAN_OK) goto done;
    }
    if ((rc = make_work(b)) != PLAN_OK) goto done;
    plan->binding = b, b = NULL;
    plan->unbind = unbind;
done:
    destroy(b);
    return rc;
}

int plani_attach_shared(plan_t *plan, plan_error_t *err)
{
    plani_binding_t *b = plan->binding;
    bool wanted = false;

    for (size_t i = 0; i < b->nparts; i++) wanted = wanted || b->part[i].run == PLAN_RUN_SHARED;
    return wanted && b->ranks > 1 ? plani_ring_open(b->comm, &b->ring, err) : 0;
}

void plani_detach(plan_t *plan)
{
    if (plan == NULL || plan->binding == NULL) return;
    plani_binding_t *b = plan->binding;
    plani_ring_close(&b->ring, false);
    destroy(b);
    plan->binding = NULL;
    plan->unbind = NULL;
}
