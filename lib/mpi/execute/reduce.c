/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_reduce_execute: arguments, the record ahead of a reduction, and the ways to run it. */
#include "lib/mpi/execute/reduce.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/record.h"
#include "planner/plan/plan_private.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- life ---- */

static plan_status_t create_lanes(const plani_binding_t *b, plani_reducer_t **out)
{
    int lanes = 1;
    plani_reducer_t *r = malloc(sizeof *r);

    for (size_t i = 0; i < b->nparts; i++)
        if (b->part[i].ntrees > lanes) lanes = b->part[i].ntrees;
    if (r == NULL) return PLAN_ENOMEM;
    *r = (plani_reducer_t){.alone = MPI_COMM_NULL, .lane = calloc((size_t)lanes, sizeof *r->lane)};
    *out = r;
    return r->lane != NULL ? PLAN_OK : PLAN_ENOMEM;
}

int plani_attach_reduce(plan_t *plan, plan_error_t *err)
{
    plani_binding_t *b = plan->binding;
    plan_status_t made = create_lanes(b, &b->reducer);
    int rc = 0;

    for (size_t i = 0; i < b->nparts && made == PLAN_OK; i++)
        if (!plani_can_reduce(b->part[i].run)) made = PLAN_EUNSUPPORTED;
    if (made != PLAN_OK)
        rc = plani_fail(err, made,
                        made == PLAN_ENOMEM ? "out of memory for a plan of %d ranks"
                                            : "the plan of %d ranks has a range without trees, which cannot reduce",
                        b->ranks);
    if ((rc = plani_agree(b->comm, rc, err)) != 0) return rc;
    if ((rc = MPI_Comm_split(b->comm, b->rank, 0, &b->reducer->alone)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "planning");
    MPI_Comm_set_errhandler(b->reducer->alone, MPI_ERRORS_RETURN);
    MPI_Comm_set_name(b->reducer->alone, PLANI_COMM_NAME);
    return 0;
}

void plani_reducer_destroy(plani_reducer_t **reducer, bool over)
{
    if (*reducer == NULL) return;
    if (!over && (*reducer)->alone != MPI_COMM_NULL) MPI_Comm_free(&(*reducer)->alone);
    free((*reducer)->lane);
    free(*reducer);
    *reducer = NULL;
}

/* ---- arguments ---- */

/* Its number among the operations of MPI; 0: a user's. */
static unsigned number_of(MPI_Op op)
{
    const MPI_Op known[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                            MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == op) return i + 1;
    return 0;
}

static int look_at_type(plani_reduction_t *r, MPI_Datatype type)
{
    MPI_Aint lb = 0;
    int rc = MPI_Type_get_extent(type, &lb, &r->extent);
    return rc != MPI_SUCCESS ? rc : MPI_Type_get_true_extent(type, &r->low, &r->span);
}

/* NULL is a buffer only with a datatype of absolute addresses. */
static bool is_no_buffer(const plani_reduction_t *r, const void *buffer)
{
    return buffer == MPI_IN_PLACE || (buffer == NULL && r->low == 0);
}

/* It is only read. */
static void *without_const(const void *buffer)
{
    const union {
        const void *given;
        void *kept;
    } u = {.given = buffer};
    return u.kept;
}

/* \return 0, PLAN_EINVAL, or the error that MPI_Reduce returns for such an operation, datatype or buffer */
static int open_arguments(const plani_binding_t *b, plani_reduction_t *r, const void *send, void *recv, MPI_Count count,
                          MPI_Datatype type, MPI_Op op)
{
    int nothing[2] = {0, 0}, commutes = 0, rc;
    MPI_Count size = 0;

    *r = (plani_reduction_t){.type = type, .op = op, .in_place = send == MPI_IN_PLACE};
    if (count < 0 || type == MPI_DATATYPE_NULL) return PLAN_EINVAL;
    if ((rc = MPI_Type_size_x(type, &size)) != MPI_SUCCESS) return rc;
    if (size < 0 || (size > 0 && (uint64_t)count > PTRDIFF_MAX / (uint64_t)size)) return PLAN_EINVAL;
    r->count = size > 0 ? (size_t)count : 0;
    r->element = (size_t)size;
    r->bytes = r->count * r->element;
    r->sized = true;
    rc = PMPI_Reduce(&nothing[0], &nothing[1], 0, type, op, 0, b->reducer->alone); /* checks both */
    if (rc == MPI_SUCCESS) rc = MPI_Op_commutative(op, &commutes);
    if (rc == MPI_SUCCESS) rc = look_at_type(r, type);
    if (rc != MPI_SUCCESS) return rc;
    r->commutes = commutes;
    r->kind = (uint64_t)size << 8 | (uint64_t)number_of(op) << 1 | (uint64_t)r->commutes;
    if (b->rank == b->root) r->recv = recv;
    r->send = r->in_place ? recv : without_const(send);
    if (r->bytes == 0) return 0;
    bool wrong = b->rank == b->root ? is_no_buffer(r, recv) || (!r->in_place && (send == recv || is_no_buffer(r, send)))
                                    : is_no_buffer(r, send);
    return wrong ? MPI_ERR_BUFFER : 0;
}

/* ---- MPI_Reduce ---- */

/* In pieces, since its count is an int. */
static int run_native(const plani_reduction_t *r, int root, MPI_Comm comm)
{
    enum { MOST = 1 << 30 };
    int first = 0;
    for (size_t at = 0; at < r->count; at += MOST) {
        int n = (int)(r->count - at < MOST ? r->count - at : MOST);
        MPI_Aint on = (MPI_Aint)at * r->extent;
        const void *send = r->in_place ? MPI_IN_PLACE : plani_at(r->send, on);
        int rc = PMPI_Reduce(send, r->recv != NULL ? plani_at(r->recv, on) : NULL, n, r->type, r->op, root, comm);
        if (first == 0) first = rc;
    }
    return first;
}

/* All ranks, or none: MPI_Reduce does not find different arguments. */
static int run_native_together(plani_binding_t *b, const plani_reduction_t *r, bool same)
{
    int mine = same, all = 0, rc = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, b->comm);
    if (rc == MPI_SUCCESS && !all) return PLAN_EDISAGREE;
    if (rc == MPI_SUCCESS) rc = run_native(r, b->root, b->comm);
    if (rc != MPI_SUCCESS) b->broken = true;
    return rc;
}

/* ---- one reduction ---- */

static bool agrees(const plani_record_t *a, const plani_record_t *b)
{
    return a->bytes == b->bytes && a->range == b->range && a->kind == b->kind;
}

static bool is_native(const plani_binding_t *b, const plani_record_t *record)
{
    return !(record->kind & 1) || b->part[record->range].run == PLAN_RUN_NATIVE;
}

/* As the record of the root says. `rc`: this rank's arguments are wrong, or it has no memory. */
static int follow(plani_binding_t *b, const plani_record_t *record, const plani_record_t *mine,
                  const plani_reduction_t *r, int rc)
{
    bool same = rc == 0 && agrees(record, mine);
    size_t element = (size_t)(record->kind >> 8);

    if (record->bytes == 0) return same || rc != 0 ? rc : PLAN_EDISAGREE;
    if (is_native(b, record)) {
        int ran = run_native_together(b, r, same);
        return rc != 0 ? rc : ran;
    }
    const plani_part_t *part = &b->part[record->range];
    if (same && b->rank != b->root && (rc = plani_reduce_reserve(b, part, r)) != 0) same = false;
    int ran = plani_reduce_trees(b, part, same ? r : NULL, element, (size_t)record->bytes / element);
    if (rc == 0 && !same) rc = PLAN_EDISAGREE;
    return rc != 0 ? rc : ran;
}

/* Whether MPI_Reduce runs messages of this size without a record. */
static bool is_short(const plani_part_t *part, size_t bytes)
{
    return part->run == PLAN_RUN_NATIVE && plani_is_native_alone(bytes) && bytes > 0;
}

/* Whether the others may be in MPI_Reduce, so that no record comes. */
static bool may_be_short(const plani_binding_t *b, const plani_reduction_t *r)
{
    bool may = false;
    if (r->sized) return is_short(plani_part_for(b, r->bytes), r->bytes);
    for (size_t i = 0; i < b->nparts; i++) may = may || is_short(&b->part[i], i > 0 ? b->up_to[i - 1] + 1 : 1);
    return may;
}

/* On more than one rank. The root says to all what is reduced, for they could not take part in anything else. */
static int run(plani_binding_t *b, const plani_part_t *part, const plani_reduction_t *r, int opened)
{
    const plani_record_t mine = {.bytes = r->bytes, .range = (uint32_t)(part - b->part), .kind = r->kind};
    plani_record_t record = mine;
    int rc = opened;

    if (opened != 0 && may_be_short(b, r)) return opened;
    if (opened == 0 && is_short(part, r->bytes)) {
        if ((rc = run_native(r, b->root, b->comm)) != MPI_SUCCESS) b->broken = true;
        return rc;
    }
    if (b->rank == b->root && rc == 0 && r->bytes > 0 && !is_native(b, &mine)) rc = plani_reduce_reserve(b, part, r);
    record.failed = rc != 0;
    int came = plani_record_cast(b, b->root, &record, NULL);
    if (came != 0) return rc != 0 ? rc : came;
    if (record.failed) return rc != 0 ? rc : PLAN_EDISAGREE;
    return follow(b, &record, &mine, r, rc);
}

static int compare(plani_binding_t *b, const plani_reduction_t *r, int opened)
{
    const plani_arguments_t mine = {.bytes = opened == 0 ? r->bytes : UINT64_MAX,
                                    .root = (uint64_t)b->root,
                                    .hash = opened == 0 ? b->hash ^ r->kind : b->hash};
    plani_common_begin_turn(b->common); /* broadcasts that are under way compare theirs by the same means */
    int rc = plani_check(b->common, &mine, b->number + 1, &b->error);
    plani_common_end_turn(b->common);
    return rc;
}

/* By range `part`, or by that for the size if NULL. */
static int reduce(plani_binding_t *b, const plani_part_t *part, const plani_reduction_t *r, int opened)
{
    int rc = 0;

    b->started.runs = false;
    if (b->checked && b->ranks > 1) rc = compare(b, r, opened);
    if (rc != 0) return rc;
    b->number++;
    if (b->ranks == 1) return opened != 0 || r->in_place ? opened : run_native(r, 0, b->reducer->alone);
    if (plani_tags_meet(&b->tags, b->number)) rc = plani_meet(b);
    if (rc != MPI_SUCCESS) return rc;
    return run(b, part != NULL ? part : plani_part_for(b, opened == 0 ? r->bytes : 0), r, opened);
}

double plani_combining(void)
{
    enum { BYTES = 32768, RUNS = 8 };
    double least = INFINITY;
    double *a = calloc(2, BYTES), *b = a != NULL ? a + BYTES / sizeof *a : NULL;

    for (int i = 0; i < RUNS && a != NULL; i++) {
        double start = MPI_Wtime();
        if (MPI_Reduce_local(a, b, BYTES / (int)sizeof *a, MPI_DOUBLE, MPI_SUM) != MPI_SUCCESS) break;
        least = fmin(least, MPI_Wtime() - start);
    }
    free(a);
    return isfinite(least) && least > 0 ? least / BYTES : 0;
}

int plani_reduce_range(plan_t *plan, size_t range, void *send, void *recv, size_t bytes)
{
    plani_binding_t *b = plan->binding;
    bool whole = bytes % sizeof(double) == 0;
    plani_reduction_t r;
    int opened = open_arguments(b, &r, send, recv, (MPI_Count)(whole ? bytes / sizeof(double) : bytes),
                                whole ? MPI_DOUBLE : MPI_UNSIGNED_CHAR, MPI_SUM);
    return reduce(b, &b->part[range], &r, opened);
}

int plan_reduce_execute(plan_t *plan, const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op)
{
    plani_binding_t *b;
    plani_reduction_t r;
    int rc = plani_claim(plan, true, &b);

    if (rc != 0 && rc != PLAN_EBROKEN) return rc;
    if (rc == 0)
        rc = reduce(b, NULL, &r, open_arguments(b, &r, sendbuf, recvbuf, count, datatype, op));
    else if (b->checked)
        compare(b, NULL, PLAN_EBROKEN); /* the others wait for this rank's arguments */
    return plani_give_back(b, rc);
}
