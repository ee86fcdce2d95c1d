/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pipelined reduction: slices go up trees, and every rank combines its own with those of its children.
 *
 *     children      this rank                parent
 *     slice j  -->  first child's slot  <--  own slice j, then those of the other children, in order
 *                   first child's slot  -->
 *
 * Slices are combined in the memory that the first child's are received in: the root's buffer, or a slot that is free
 * again once the slice has been sent. A slice of no bytes says that a rank below has failed.
 */
#include "lib/mpi/execute/reduce.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <limits.h>
#include <stdlib.h>

typedef struct {
    plani_binding_t *b;
    const plani_part_t *part;
    const plani_reduction_t *r; /* NULL: no data */
    plani_inflow_t *lane;       /* [part->ntrees] */
    size_t count, each, slices; /* elements, of a slice, and slices of the whole */
    size_t stride;              /* [B] between slots */
    int base;                   /* tag base */
    bool root, failed;
    char nowhere;         /* without data, all that arrives goes here: */
    MPI_Datatype ignored; /* a slice, each byte of it at the same address */
    int rc;               /* first error */
} reducing_t;

static void note(reducing_t *run, int rc)
{
    if (rc == 0) return;
    run->failed = true;
    if (run->rc == 0) run->rc = rc;
}

/* ---- memory ---- */

size_t plani_reduce_each(const plani_part_t *part, size_t element, size_t count)
{
    size_t each = part->slice / element;
    if (each < 1) each = 1;
    if (each > INT_MAX) each = INT_MAX;
    return each < count ? each : count;
}

/* [B] from the lowest to the highest address of n elements. */
static size_t span_of(const plani_reduction_t *r, size_t n)
{
    MPI_Aint step = r->extent < 0 ? -r->extent : r->extent;
    return (size_t)r->span + (n - 1) * (size_t)step;
}

enum { ALIGNED = 64 }; /* [B] slots, relative to the memory that malloc returns */

/* [B] From the origin of n elements to their lowest address. */
static MPI_Aint low_of(const plani_reduction_t *r, size_t n)
{
    return r->low + (r->extent < 0 ? (MPI_Aint)(n - 1) * r->extent : 0);
}

/* [B] What a slot has before their lowest address, so that their origin is aligned. */
static size_t padding(MPI_Aint low)
{
    return (size_t)((low % ALIGNED + ALIGNED) % ALIGNED);
}

static size_t stride_of(const plani_reduction_t *r, size_t each)
{
    size_t size = padding(low_of(r, each)) + span_of(r, each);
    return (size + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static size_t slices_of(const plani_part_t *part, const plani_reduction_t *r)
{
    size_t each = plani_reduce_each(part, r->element, r->count);
    return (r->count + each - 1) / each;
}

static size_t window_of(const plani_part_t *part, size_t n)
{
    size_t w = (size_t)part->window;
    return w < n ? w : n;
}

/* Slots of a tree's first child: slices are combined there, and sent from there. */
static size_t first_slots(const plani_branch_t *branch, const plani_reduction_t *r, size_t window)
{
    if (branch->nchildren == 0) return 0;
    if (branch->parent >= 0) return 2 * window;
    return r->in_place ? window : 0;
}

static size_t slots_of(const plani_part_t *part, const plani_reduction_t *r, int t)
{
    const plani_branch_t *branch = &part->branch[t];
    size_t w = window_of(part, plani_branch_slices(part, t, slices_of(part, r)));
    if (branch->nchildren == 0) return 0;
    return first_slots(branch, r, w) + (size_t)(branch->nchildren - 1) * w;
}

int plani_reduce_reserve(plani_binding_t *b, const plani_part_t *part, const plani_reduction_t *r)
{
    size_t slots = 0, stride = stride_of(r, plani_reduce_each(part, r->element, r->count));
    for (int t = 0; t < part->ntrees; t++) slots += slots_of(part, r, t);
    if (slots == 0) return 0;
    if (stride > PTRDIFF_MAX / slots) return PLAN_ENOMEM;
    return plani_stage(&b->work, slots * stride) != NULL ? 0 : PLAN_ENOMEM;
}

static void set_up(reducing_t *run)
{
    plani_work_t *work = &run->b->work;
    MPI_Request *request = work->request;
    size_t *counter = work->counter, w = (size_t)run->part->window;
    char *ring = work->stage;

    for (int t = 0; t < run->part->ntrees; t++) {
        const plani_branch_t *branch = &run->part->branch[t];
        size_t children = (size_t)branch->nchildren, n = plani_branch_slices(run->part, t, run->slices);
        plani_inflow_t *lane = &run->lane[t];
        *lane = (plani_inflow_t){.n = n, .window = window_of(run->part, n), .in = request, .posted = counter};
        lane->out = lane->in + children * w;
        request = lane->out + w;
        lane->arrived = lane->posted + children;
        counter = lane->arrived + children;
        for (size_t c = 0; c < children; c++) lane->posted[c] = lane->arrived[c] = 0;
        if (run->r == NULL || children == 0) lane->combined = n; /* nothing to combine */
        if (run->r == NULL) continue;
        lane->ring = ring;
        lane->first = first_slots(branch, run->r, lane->window);
        if (ring != NULL) ring += slots_of(run->part, run->r, t) * run->stride;
    }
}

/* ---- slices ---- */

static int length(const reducing_t *run, size_t k)
{
    size_t from = k * run->each;
    return (int)(run->count - from < run->each ? run->count - from : run->each);
}

/* Where slice k of the message is in a user's buffer. */
static void *in_buffer(const reducing_t *run, void *buffer, size_t k)
{
    return plani_at(buffer, (MPI_Aint)(k * run->each) * run->r->extent);
}

/* Where child c's slice j of tree t is received: the origin of its first element. Of the first child, that is where it
 * is combined. */
static void *slot(const reducing_t *run, int t, int c, size_t j)
{
    const plani_inflow_t *lane = &run->lane[t];
    const plani_reduction_t *r = run->r;
    size_t k = plani_branch_slice(run->part, t, j), at;

    if (c == 0 && lane->first == 0) return in_buffer(run, r->recv, k);
    at = c == 0 ? j % lane->first : lane->first + (size_t)(c - 1) * lane->window + j % lane->window;
    MPI_Aint low = low_of(r, run->each);
    return lane->ring + at * run->stride + padding(low) - low;
}

static int combine(const reducing_t *run, const void *in, void *with, size_t k)
{
    return MPI_Reduce_local(in, with, length(run, k), run->r->type, run->r->op);
}

/* Combine slice j of tree t with child c's. */
static int add_child(const reducing_t *run, int t, int c, size_t j)
{
    const plani_reduction_t *r = run->r;
    size_t k = plani_branch_slice(run->part, t, j);
    bool in_place = run->root && r->in_place;
    void *sum = in_place ? in_buffer(run, r->recv, k) : slot(run, t, 0, j);

    if (c == 0 && !in_place) return combine(run, in_buffer(run, r->send, k), sum, k);
    return combine(run, slot(run, t, c, j), sum, k);
}

static void combine_all(reducing_t *run, int t)
{
    plani_inflow_t *lane = &run->lane[t];
    int children = run->part->branch[t].nchildren;

    while (lane->combined < lane->n) {
        for (; lane->next < children && lane->arrived[lane->next] > lane->combined; lane->next++)
            if (!run->failed) note(run, add_child(run, t, lane->next, lane->combined));
        if (lane->next < children) return;
        lane->next = 0;
        lane->combined++;
    }
}

/* ---- messages ---- */

/* How many receives from child c may have been posted. */
static size_t may_post(const reducing_t *run, int t, int c)
{
    const plani_inflow_t *lane = &run->lane[t];
    size_t window = plani_branch_window(run->part, t, run->part->branch[t].child[c]);
    size_t most = (run->r == NULL ? lane->arrived[c] : lane->combined) + window;

    if (run->r != NULL && !run->root && c == 0 && lane->done + lane->first < most) most = lane->done + lane->first;
    return most < lane->n ? most : lane->n;
}

/* Without data, slices are received all the same, without memory for them; MPICH aborts where one is truncated. */
static void post_receives(reducing_t *run, int t, int c)
{
    plani_inflow_t *lane = &run->lane[t];
    size_t w = (size_t)run->part->window, most = may_post(run, t, c);
    int from = run->part->branch[t].child[c], tag = plani_tag_of(run->base, t, false);

    for (; lane->posted[c] < most; lane->posted[c]++) {
        size_t j = lane->posted[c];
        MPI_Request *in = &lane->in[(size_t)c * w + j % w];
        int rc = run->r == NULL ? MPI_Irecv(&run->nowhere, 1, run->ignored, from, tag, run->b->comm, in)
                                : MPI_Irecv(slot(run, t, c, j), length(run, plani_branch_slice(run->part, t, j)),
                                            run->r->type, from, tag, run->b->comm, in);
        if (rc == MPI_SUCCESS) continue;
        *in = MPI_REQUEST_NULL;
        run->b->broken = true;
        note(run, rc);
    }
}

static void send_up(reducing_t *run, int t)
{
    plani_inflow_t *lane = &run->lane[t];
    const plani_branch_t *branch = &run->part->branch[t];
    size_t w = (size_t)run->part->window, window = plani_branch_window(run->part, t, run->b->rank);
    int tag = plani_tag_of(run->base, t, false), to = branch->parent;
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
        PLANI_SEND_SYNCHRONOUSLY ? MPI_Issend : MPI_Isend;

    for (; lane->sent < lane->combined && lane->sent < lane->done + window; lane->sent++) {
        size_t j = lane->sent, k = plani_branch_slice(run->part, t, j);
        MPI_Request *out = &lane->out[j % w];
        int rc;
        if (run->failed)
            rc = send(NULL, 0, MPI_BYTE, to, tag, run->b->comm, out);
        else
            rc = send(branch->nchildren == 0 ? in_buffer(run, run->r->send, k) : slot(run, t, 0, j), length(run, k),
                      run->r->type, to, tag, run->b->comm, out);
        if (rc == MPI_SUCCESS) continue;
        *out = MPI_REQUEST_NULL;
        run->b->broken = true;
        note(run, rc);
    }
}

/* A receive from a child has completed with rc. */
static void take(reducing_t *run, const MPI_Status *status, int rc, size_t k)
{
    int got = 0;

    if (rc == MPI_SUCCESS && run->r != NULL) {
        rc = MPI_Get_count(status, run->r->type, &got);
        if (rc == MPI_SUCCESS && got != length(run, k)) {
            note(run, PLAN_EDISAGREE);
            return;
        }
    }
    if (rc != MPI_SUCCESS) run->b->broken = true;
    note(run, rc);
}

static bool take_in(reducing_t *run, int t, int c)
{
    plani_inflow_t *lane = &run->lane[t];
    size_t w = (size_t)run->part->window, before = lane->arrived[c];
    MPI_Status status;
    int rc;

    for (; lane->arrived[c] < lane->posted[c]; lane->arrived[c]++) {
        MPI_Request *in = &lane->in[(size_t)c * w + lane->arrived[c] % w];
        if (*in == MPI_REQUEST_NULL) continue; /* wait_any has taken it, or it could not be posted */
        if (!plani_finished(in, false, &status, &rc)) break;
        take(run, &status, rc, plani_branch_slice(run->part, t, lane->arrived[c]));
    }
    return lane->arrived[c] > before;
}

static bool take_out(reducing_t *run, int t)
{
    plani_inflow_t *lane = &run->lane[t];
    size_t w = (size_t)run->part->window, before = lane->done;
    MPI_Status status;
    int rc;

    for (; lane->done < lane->sent; lane->done++) {
        if (!plani_finished(&lane->out[lane->done % w], false, &status, &rc)) break;
        if (rc != MPI_SUCCESS) run->b->broken = true;
        note(run, rc);
    }
    return lane->done > before;
}

/* The oldest active request of child c, or, c = -1, to the parent; NULL: none. */
static MPI_Request *oldest(const reducing_t *run, int t, int c)
{
    const plani_inflow_t *lane = &run->lane[t];
    size_t w = (size_t)run->part->window;
    if (c < 0) return lane->done == lane->sent ? NULL : &lane->out[lane->done % w];
    return lane->arrived[c] == lane->posted[c] ? NULL : &lane->in[(size_t)c * w + lane->arrived[c] % w];
}

/* Where ranks must block: until the oldest request of some lane or child has completed. */
static void wait_any(reducing_t *run)
{
    MPI_Request *all = run->b->work.oldest, *at;
    MPI_Status status;
    int n = 0, index = 0;

    for (int t = 0; t < run->part->ntrees; t++)
        for (int c = -1; c < run->part->branch[t].nchildren; c++)
            if ((at = oldest(run, t, c)) != NULL) all[n++] = *at;
    int rc = MPI_Waitany(n, all, &index, &status);
    for (int t = 0; t < run->part->ntrees; t++)
        for (int c = -1; c < run->part->branch[t].nchildren; c++) {
            if ((at = oldest(run, t, c)) == NULL || index-- != 0) continue;
            *at = MPI_REQUEST_NULL;
            if (c >= 0) take(run, &status, rc, plani_branch_slice(run->part, t, run->lane[t].arrived[c]));
        }
}

/* Let everything proceed that can. *all: the reduction is complete on this rank. */
static bool move(reducing_t *run, bool *all)
{
    bool moved = false;

    *all = true;
    for (int t = 0; t < run->part->ntrees; t++) {
        plani_inflow_t *lane = &run->lane[t];
        for (int c = 0; c < run->part->branch[t].nchildren; c++) {
            post_receives(run, t, c);
            moved = take_in(run, t, c) || moved;
            *all = *all && lane->arrived[c] == lane->n;
        }
        combine_all(run, t);
        if (run->root) continue;
        send_up(run, t);
        moved = take_out(run, t) || moved;
        *all = *all && lane->done == lane->n;
    }
    return moved;
}

static int make_ignored(reducing_t *run, size_t element)
{
    size_t bytes = run->each * element;
    run->ignored = MPI_DATATYPE_NULL;
    if (run->r != NULL) return 0;
    int rc = MPI_Type_create_hvector(bytes < INT_MAX ? (int)bytes : INT_MAX, 1, 0, MPI_BYTE, &run->ignored);
    return rc == MPI_SUCCESS ? MPI_Type_commit(&run->ignored) : rc;
}

int plani_reduce_trees(plani_binding_t *b, const plani_part_t *part, const plani_reduction_t *r, size_t element,
                       size_t count)
{
    size_t each = plani_reduce_each(part, element, count);
    reducing_t run = {.b = b, .part = part, .r = r, .lane = b->reducer->lane, .count = count, .each = each};
    bool all = false;

    run.slices = (count + each - 1) / each;
    run.stride = r != NULL ? stride_of(r, each) : 0;
    run.base = plani_tag_base(&b->tags, b->number, (size_t)(part - b->part), count * element);
    run.root = b->rank == b->root;
    run.failed = r == NULL;
    set_up(&run);
    if (make_ignored(&run, element) != 0) b->broken = true; /* receives fail, and say so */
    for (unsigned look = 0; !all; look++) {
        if (move(&run, &all))
            look = 0;
        else if (!all && PLANI_MUST_BLOCK)
            wait_any(&run);
        else if (!all)
            plani_give_way(look);
    }
    if (run.ignored != MPI_DATATYPE_NULL) MPI_Type_free(&run.ignored);
    plani_stage_trim(&b->work);
    return run.rc;
}
