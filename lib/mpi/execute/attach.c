/* SPDX-License-Identifier: BSD-3-Clause */
/* Attaching a plan to a communicator: this rank's parts, tags and work space. */
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/over.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/execute/record.h"
#include "lib/mpi/execute/reduce.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include <stdlib.h>

static void destroy(plani_binding_t *b, bool over)
{
    if (b == NULL) return;
    plani_reducer_destroy(&b->reducer, over);
    for (size_t i = 0; b->part != NULL && i < b->nparts; i++) plani_part_clear(&b->part[i]);
    free(b->part);
    free(b->up_to);
    free(b->work.lane);
    free(b->work.counter);
    free(b->work.request);
    free(b->work.oldest);
    free(b->work.arrived);
    if (!b->broken) free(b->work.stage); /* else a failed MPI_Bcast may still write there */
    free(b->source);
    plani_common_drop(&b->common);
    plani_fiber_destroy(&b->started.fiber);
    free(b);
}

/* \return false: a broadcast is under way, and the plan stays */
static bool unbind(void *binding)
{
    plani_binding_t *b = binding;
    const bool over = plani_is_over();
    if (!over && b->started.under_way) {
        plani_fail(&b->error, PLAN_EBUSY, "a broadcast by this plan is under way: end it before plan_destroy");
        return false;
    }
    if (b->checked) plani_check_end(b->common, over);
    if (!over) MPI_Comm_free(&b->comm); /* MPI_Finalize has freed it */
    destroy(b, over);
    return true;
}

static size_t most_lanes(const plani_binding_t *b)
{
    size_t lanes = 1;
    for (size_t i = 0; i < b->nparts; i++)
        if ((size_t)b->part[i].ntrees > lanes) lanes = (size_t)b->part[i].ntrees;
    return lanes;
}

static plan_status_t make_work(plani_binding_t *b)
{
    size_t lanes = most_lanes(b), children = 1, requests = 1;
    plani_work_t *w = &b->work;
    bool native = false;

    for (size_t i = 0; i < b->nparts; i++) {
        const plani_part_t *part = &b->part[i];
        native = native || part->run == PLAN_RUN_NATIVE;
        if (plani_part_children(part) > children) children = plani_part_children(part);
        if (plani_part_requests(part) > requests) requests = plani_part_requests(part);
    }
    w->lane = calloc(lanes, sizeof *w->lane);
    w->arrived = calloc(lanes, sizeof *w->arrived);
    w->counter = calloc(2 * children, sizeof *w->counter);
    w->request = calloc(requests, sizeof *w->request);
    w->oldest = calloc(lanes + children, sizeof *w->oldest);
    if (w->lane == NULL || w->arrived == NULL || w->counter == NULL || w->request == NULL || w->oldest == NULL)
        return PLAN_ENOMEM;
    if (native && !plani_native_reserve(w)) return PLAN_ENOMEM;
    for (size_t i = 0; i < requests; i++) w->request[i] = MPI_REQUEST_NULL;
    return PLAN_OK;
}

static int ascending(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* List the ranks that send to this one in some tree or in records, each once. */
static plan_status_t list_sources(plani_binding_t *b)
{
    size_t most = 1, n = 0;
    int unique = 0;

    for (size_t i = 0; i < b->nparts; i++) most += (size_t)b->part[i].ntrees;
    if ((b->source = calloc(most, sizeof *b->source)) == NULL) return PLAN_ENOMEM;
    if (b->rank != b->root) b->source[n++] = plani_record_parent(b->rank, b->ranks, b->root);
    for (size_t i = 0; i < b->nparts; i++)
        for (int t = 0; t < b->part[i].ntrees; t++)
            if (b->part[i].branch[t].parent >= 0) b->source[n++] = b->part[i].branch[t].parent;
    qsort(b->source, n, sizeof *b->source, ascending);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || b->source[i] != b->source[i - 1]) b->source[unique++] = b->source[i];
    b->nsources = unique;
    return PLAN_OK;
}

/* The largest tag. Open MPI has MPI_TAG_UB only for MPI_COMM_WORLD and its duplicates, of which a plan's
 * communicator is none; a program that uses MPI sessions has no MPI_COMM_WORLD. */
static int largest_tag(MPI_Comm comm)
{
    int *largest = NULL, found = 0, world = 0, minimum = 32767; /* guaranteed by the MPI standard */
    if (MPI_Comm_get_attr(comm, MPI_TAG_UB, &largest, &found) == MPI_SUCCESS && found) return *largest;
    MPI_Initialized(&world);
    if (world && MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found) == MPI_SUCCESS && found)
        return *largest;
    return minimum;
}

static plan_status_t make_tags(plani_binding_t *b)
{
    return plani_tags_init(&b->tags, largest_tag(b->comm), b->nparts, most_lanes(b));
}

static plan_status_t make_parts(plani_binding_t *b, const plan_t *plan)
{
    plan_status_t rc = PLAN_OK;
    b->part = calloc(b->nparts, sizeof *b->part);
    b->up_to = calloc(b->nparts, sizeof *b->up_to);
    if (b->part == NULL || b->up_to == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < b->nparts && rc == PLAN_OK; i++) {
        b->up_to[i] = plan->range[i].up_to;
        rc = plani_part_init(&b->part[i], plan->range[i].chosen, b->rank);
    }
    return rc;
}

plan_status_t plani_attach(plan_t *plan, MPI_Comm comm)
{
    plan_status_t rc;
    plani_binding_t *b = calloc(1, sizeof *b);

    if (b == NULL) return PLAN_ENOMEM;
    plani_watch_for_end();
    *b = (plani_binding_t){.comm = comm, .root = plan->root, .nparts = plan->nranges, .hash = plan->hash};
    atomic_flag_clear(&b->busy);
    MPI_Comm_rank(comm, &b->rank);
    MPI_Comm_size(comm, &b->ranks);
    if ((rc = make_parts(b, plan)) != PLAN_OK) goto done;
    if ((rc = make_work(b)) != PLAN_OK) goto done;
    if ((rc = list_sources(b)) != PLAN_OK) goto done;
    if ((rc = make_tags(b)) != PLAN_OK) goto done;
    plan->binding = b, b = NULL;
    plan->unbind = unbind;
done:
    destroy(b, false);
    return rc;
}

/* Find the state that plans of this communicator share; fails on all ranks if it does on one. */
static int find_common(plani_binding_t *b, plan_error_t *err)
{
    plani_common_t *common = plani_common_of(b->comm);
    int rc = plani_agree(b->comm, common != NULL ? 0 : plani_fail(err, PLAN_ENOMEM, "out of memory for a plan"), err);
    if (rc != 0 || b->common != NULL) return rc;
    plani_common_use(common);
    b->common = common;
    return 0;
}

/* PLAN_RUN_SHARED needs all ranks on one host. */
static int check_all_here(const plani_binding_t *b, plan_error_t *err)
{
    int here = b->common->ring->ranks;
    if (here == b->ranks) return 0;
    return plani_fail(err, PLAN_EUNSUPPORTED,
                      "only %d of %d ranks share memory, which the plan goes through; plan again", here, b->ranks);
}

/* Let trees go through the ring inside hosts, if they enter each host once and there is memory for long slices; else
 * they go without it, on all ranks. */
static int share_inside(plani_binding_t *b, const plan_t *plan, plan_error_t *err)
{
    plani_ring_t *ring = b->ring;
    int rc = 0, fits, all = 0;

    for (size_t i = 0; i < b->nparts && rc == 0; i++)
        if (plan->range[i].chosen->run == PLAN_RUN_HOSTS)
            rc = plani_part_share(&b->part[i], plan->range[i].chosen, b->rank, ring->ranks, ring->rank);
    fits = rc != PLAN_EUNSUPPORTED && plani_ring_allocate(ring);
    if (fits && rc != 0) plani_fail(err, rc, "out of memory for a plan of %d ranks", b->ranks);
    if ((rc = plani_agree(b->comm, fits ? rc : 0, err)) != 0) return rc;
    if ((rc = MPI_Allreduce(&fits, &all, 1, MPI_INT, MPI_MIN, b->comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "sharing memory");
    for (size_t i = 0; i < b->nparts && !all; i++) plani_part_unshare(&b->part[i], plan->range[i].chosen, b->rank);
    return 0;
}

int plani_attach_shared(plan_t *plan, plan_error_t *err)
{
    plani_binding_t *b = plan->binding;
    bool all = false, inside = false;

    for (size_t i = 0; i < b->nparts; i++) {
        all = all || b->part[i].run == PLAN_RUN_SHARED;
        inside = inside || plan->range[i].chosen->run == PLAN_RUN_HOSTS;
    }
    if ((!all && !inside) || b->ranks == 1) return 0;
    int rc = find_common(b, err);
    if (rc != 0) return rc;
    bool first = b->common->ring == NULL;
    rc = plani_common_ring(b->common, b->comm, err);
    if (rc == PLAN_EUNSUPPORTED && !all) { /* trees go without it */
        plani_clear(err);
        return 0;
    }
    if (rc != 0) return rc;
    if (all && (rc = plani_agree(b->comm, check_all_here(b, err), err)) != 0) {
        if (first) plani_ring_close(&b->common->ring);
        return rc;
    }
    b->ring = b->common->ring;
    b->serial = ++b->common->plans;
    if (inside && (rc = share_inside(b, plan, err)) != 0) return rc;
    return plani_common_settle(b->common, b->comm, err);
}

int plani_attach_check(plan_t *plan, plan_error_t *err)
{
    plani_binding_t *b = plan->binding;
    int rc = find_common(b, err);
    if (rc == 0) rc = plani_check_begin(b->common, b->comm, err);
    b->checked = rc == 0;
    return rc;
}

void plani_detach(plan_t *plan)
{
    if (plan == NULL || plan->binding == NULL) return;
    plani_binding_t *b = plan->binding;
    if (b->checked) plani_check_end(b->common, false);
    destroy(b, false);
    plan->binding = NULL;
    plan->unbind = NULL;
}
