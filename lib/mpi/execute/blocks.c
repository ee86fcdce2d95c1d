/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking datatypes apart into the blocks that their constructors were given. */
#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/blocks.h"
#include "lib/mpi/execute/envelope.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The result of MPI_Type_get_contents. */
typedef struct {
    plani_envelope_t made;
    int *ints;
    MPI_Aint *aints;
    MPI_Count *large;
    MPI_Datatype *types;
} contents_t;

static int create(MPI_Datatype type, bool owned, plani_block_type_t **out)
{
    MPI_Count size, lb, extent, span;
    int rc;
    plani_block_type_t *t = calloc(1, sizeof *t);

    if (t == NULL) {
        if (owned) MPI_Type_free(&type);
        return PLAN_ENOMEM;
    }
    t->type = type;
    t->owned = owned;
    *out = t;
    if (owned && (rc = MPI_Type_commit(&t->type)) != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_size_x(type, &size)) != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_get_extent_x(type, &lb, &extent)) != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_get_true_extent_x(type, &lb, &span)) != MPI_SUCCESS) return rc;
    t->size = (size_t)size;
    t->extent = (MPI_Aint)extent;
    t->gap_behind = size == span && size != extent;
    return MPI_SUCCESS;
}

int plani_blocks_create(MPI_Datatype type, plani_block_type_t **out)
{
    plani_block_type_t *t = NULL;
    int rc = create(type, false, &t);
    if (rc == 0) *out = t, t = NULL;
    plani_blocks_destroy(&t);
    return rc;
}

static void put_together(plani_block_type_t *t)
{
    for (size_t i = 0; i < t->ninner; i++) plani_blocks_destroy(&t->inner[i]);
    free(t->inner);
    free(t->at);
    free(t->lengths);
    free(t->start);
    *t = (plani_block_type_t){.type = t->type,
                              .owned = t->owned,
                              .size = t->size,
                              .extent = t->extent,
                              .gap_behind = t->gap_behind,
                              .dense = t->dense};
}

void plani_blocks_destroy(plani_block_type_t **type)
{
    plani_block_type_t *t = *type;
    *type = NULL;
    if (t == NULL) return;
    put_together(t);
    if (t->owned) MPI_Type_free(&t->type);
    free(t);
}

static void close_contents(contents_t *c)
{
    free(c->ints);
    free(c->aints);
    free(c->large);
    free(c->types);
}

static bool has_parts(const plani_envelope_t *made)
{
    return !plani_is_predefined(made) && made->ntypes > 0;
}

static int open_contents(MPI_Datatype type, contents_t *c)
{
    int rc = plani_envelope(type, &c->made);
    if (rc != MPI_SUCCESS || !has_parts(&c->made)) return rc;
    c->ints = calloc((size_t)c->made.nints + 1, sizeof *c->ints);
    c->aints = calloc((size_t)c->made.naints + 1, sizeof *c->aints);
    c->large = calloc((size_t)c->made.nlarge + 1, sizeof *c->large);
    c->types = calloc((size_t)c->made.ntypes + 1, sizeof *c->types);
    if (c->ints == NULL || c->aints == NULL || c->large == NULL || c->types == NULL) return PLAN_ENOMEM;
#if MPI_VERSION >= 4
    if (c->made.nlarge > 0)
        return MPI_Type_get_contents_c(type, c->made.nints, c->made.naints, c->made.nlarge, c->made.ntypes, c->ints,
                                       c->aints, c->large, c->types);
#endif
    return MPI_Type_get_contents(type, c->made.nints, c->made.naints, c->made.ntypes, c->ints, c->aints, c->types);
}

/* The i-th number that the constructor was given: ints come first, then addresses, or MPI_Counts in place of both. */
static MPI_Count number(const contents_t *c, size_t i)
{
    const size_t ints = (size_t)c->made.nints, both = ints + (size_t)c->made.naints;
    return i < ints ? c->ints[i] : i < both ? c->aints[i - ints] : c->large[i - both];
}

/* Own all inner types, also if one fails, so that each is freed once. */
static int adopt(plani_block_type_t *t, const contents_t *c)
{
    int rc = 0;
    t->inner = calloc((size_t)c->made.ntypes, sizeof *t->inner);
    for (int i = 0; i < c->made.ntypes; i++) {
        plani_envelope_t made;
        MPI_Datatype type = c->types[i];
        int one = plani_envelope(type, &made);
        bool owned = one == MPI_SUCCESS && !plani_is_predefined(&made);
        if (t->inner != NULL) {
            if (one == MPI_SUCCESS) one = create(type, owned, &t->inner[i]);
            if (one == 0 && !owned) t->inner[i]->dense = t->inner[i]->size == (size_t)t->inner[i]->extent;
            t->ninner = (size_t)i + 1;
        } else {
            if (owned) MPI_Type_free(&type);
            one = PLAN_ENOMEM;
        }
        if (rc == 0) rc = one;
    }
    return rc;
}

static plan_status_t list(plani_block_type_t *t, const contents_t *c)
{
    const int made = c->made.combiner;
    bool equal = made == MPI_COMBINER_INDEXED_BLOCK || made == MPI_COMBINER_HINDEXED_BLOCK;
    bool in_extents = made == MPI_COMBINER_INDEXED_BLOCK || made == MPI_COMBINER_INDEXED;
    size_t n = t->n = (size_t)number(c, 0);

    t->at = calloc(n + 1, sizeof *t->at);
    t->lengths = calloc(n + 1, sizeof *t->lengths);
    t->start = calloc(n + 1, sizeof *t->start);
    if (t->at == NULL || t->lengths == NULL || t->start == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const plani_block_type_t *inner = t->inner[t->ninner == 1 ? 0 : i];
        const MPI_Count length = number(c, equal ? 1 : 1 + i);
        t->lengths[i] = length < INT_MAX ? (int)length : INT_MAX; /* longer blocks are never moved whole */
        t->at[i] = (MPI_Aint)number(c, (equal ? 2 : 1 + n) + i) * (in_extents ? inner->extent : 1);
        t->start[i + 1] = t->start[i] + (size_t)length * inner->size;
    }
    return PLAN_OK;
}

/* Regular blocks, each of them `length` inner elements. */
static void repeat(plani_block_type_t *t, MPI_Count n, MPI_Count length, MPI_Aint displacement, MPI_Aint stride)
{
    t->n = (size_t)n;
    t->length = (size_t)length;
    t->displacement = displacement;
    t->stride = stride;
}

/* A type of the dimensions but the outer one, from `rest` on. */
static int create_row(const contents_t *c, int dims, int rest, int order, MPI_Datatype inner, MPI_Datatype *row)
{
    int *size = c->ints + 1 + rest;
#if MPI_VERSION >= 4
    MPI_Count *large = c->large + rest;
    if (c->made.nlarge > 0)
        return MPI_Type_create_subarray_c(dims - 1, large, large + dims, large + 2 * dims, order, inner, row);
#endif
    return MPI_Type_create_subarray(dims - 1, size, size + dims, size + 2 * dims, order, inner, row);
}

/* A subarray is one block of subarrays with one dimension less. */
static int slice_array(plani_block_type_t *t, const contents_t *c)
{
    const int dims = c->ints[0], order = c->ints[c->made.nints - 1];
    const size_t outer = order == MPI_ORDER_C ? 0 : (size_t)dims - 1,
                 sub = (c->made.nlarge > 0 ? 2 : 1) + (size_t)dims + outer; /* the sizes come before */
    MPI_Datatype row;
    int rc;

    if (dims > 1) {
        plani_block_type_t *whole = t->inner[0];
        rc = create_row(c, dims, order == MPI_ORDER_C ? 1 : 0, order, whole->type, &row);
        if (rc != MPI_SUCCESS) return rc;
        t->inner[0] = NULL;
        rc = create(row, true, &t->inner[0]);
        plani_blocks_destroy(&whole);
        if (rc != 0) return rc;
    }
    repeat(t, 1, number(c, sub), (MPI_Aint)number(c, sub + (size_t)dims) * t->inner[0]->extent, 0);
    return MPI_SUCCESS;
}

static int arrange(plani_block_type_t *t, const contents_t *c)
{
    switch (c->made.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        repeat(t, 1, 1, 0, 0);
        return MPI_SUCCESS;
    case MPI_COMBINER_CONTIGUOUS:
        repeat(t, 1, number(c, 0), 0, 0);
        return MPI_SUCCESS;
    case MPI_COMBINER_VECTOR:
        repeat(t, number(c, 0), number(c, 1), 0, (MPI_Aint)number(c, 2) * t->inner[0]->extent);
        return MPI_SUCCESS;
    case MPI_COMBINER_HVECTOR:
        repeat(t, number(c, 0), number(c, 1), 0, (MPI_Aint)number(c, 2));
        return MPI_SUCCESS;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_HINDEXED_BLOCK:
    case MPI_COMBINER_STRUCT:
        return list(t, c);
    case MPI_COMBINER_SUBARRAY:
        return slice_array(t, c);
    default:
        return MPI_SUCCESS;
    }
}

int plani_blocks_take_apart(plani_block_type_t *t)
{
    contents_t c = {.ints = NULL};
    int rc = open_contents(t->type, &c);
    if (rc == 0 && has_parts(&c.made)) {
        rc = adopt(t, &c);
        if (rc == 0) rc = arrange(t, &c);
    }
    close_contents(&c);
    if (rc != 0) put_together(t);
    t->taken = rc == 0;
    return rc;
}
