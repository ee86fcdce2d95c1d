/*
 * Packing any range of packed bytes of any datatype, in pieces.
 *
 * MPI_Pack packs whole elements. A slice begins and ends anywhere, so the elements that it cuts are taken apart into
 * the blocks that their constructor was given, and these again, until what is cut is small: such an element is packed
 * aside, and put back whole with the new bytes in it. Neither time nor memory depend on the size of an element.
 * (Distributed arrays are not taken apart: they are packed aside at any size.)
 */
#include "lib/mpi/execute.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ASIDE = 4096 }; /* [B] up to here a cut element is packed aside */

/* Blocks of `length` inner elements each; in packed order. */
struct plani_block_type {
    MPI_Datatype type;
    bool owned;      /* `type` is freed */
    size_t size;     /* packed [B] */
    MPI_Aint extent; /* [B] */
    bool taken;      /* what follows is filled in */
    size_t n;        /* blocks; 0: cannot be taken apart */
    /* Blocks in a regular pattern: */
    MPI_Aint displacement, stride; /* of the first; from each to the next [B] */
    int length;
    /* or listed: */
    MPI_Aint *at;  /* [n] or NULL */
    int *lengths;  /* [n] */
    size_t *start; /* [n + 1] packed bytes before each block */
    size_t ninner; /* 1 for all, or n */
    plani_block_type_t **inner;
};

/* What MPI_Type_get_contents tells. */
typedef struct {
    int combiner, nints, naints, ntypes;
    int *ints;
    MPI_Aint *aints;
    MPI_Datatype *types;
} contents_t;

void *plani_at(void *base, MPI_Aint distance)
{
    return (void *)((uintptr_t)base + (uintptr_t)distance); /* base may be MPI_BOTTOM, and lie outside of any object */
}

static int create(MPI_Datatype type, bool owned, plani_block_type_t **out)
{
    MPI_Count size, lb, extent;
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
    t->size = (size_t)size;
    t->extent = (MPI_Aint)extent;
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
    *t = (plani_block_type_t){.type = t->type, .owned = t->owned, .size = t->size, .extent = t->extent};
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

/* ---- taking apart ---- */

static void close_contents(contents_t *c)
{
    free(c->ints);
    free(c->aints);
    free(c->types);
}

static int open_contents(MPI_Datatype type, contents_t *c)
{
    int rc = MPI_Type_get_envelope(type, &c->nints, &c->naints, &c->ntypes, &c->combiner);
    if (rc != MPI_SUCCESS) return rc;
    if (c->combiner == MPI_COMBINER_NAMED) return MPI_SUCCESS;
    c->ints = calloc((size_t)c->nints + 1, sizeof *c->ints);
    c->aints = calloc((size_t)c->naints + 1, sizeof *c->aints);
    c->types = calloc((size_t)c->ntypes + 1, sizeof *c->types);
    if (c->ints == NULL || c->aints == NULL || c->types == NULL) return PLAN_ENOMEM;
    return MPI_Type_get_contents(type, c->nints, c->naints, c->ntypes, c->ints, c->aints, c->types);
}

/* Take over all inner types, also when one fails: each is to be freed once. */
static int adopt(plani_block_type_t *t, const contents_t *c)
{
    int rc = 0;
    t->inner = calloc((size_t)c->ntypes, sizeof *t->inner);
    for (int i = 0; i < c->ntypes; i++) {
        int nints, naints, ntypes, combiner;
        MPI_Datatype type = c->types[i];
        int one = MPI_Type_get_envelope(type, &nints, &naints, &ntypes, &combiner);
        bool owned = one == MPI_SUCCESS && combiner != MPI_COMBINER_NAMED;
        if (t->inner != NULL) {
            if (one == MPI_SUCCESS) one = create(type, owned, &t->inner[i]);
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
    bool equal = c->combiner == MPI_COMBINER_INDEXED_BLOCK || c->combiner == MPI_COMBINER_HINDEXED_BLOCK;
    size_t n = t->n = (size_t)c->ints[0];

    t->at = calloc(n + 1, sizeof *t->at);
    t->lengths = calloc(n + 1, sizeof *t->lengths);
    t->start = calloc(n + 1, sizeof *t->start);
    if (t->at == NULL || t->lengths == NULL || t->start == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const plani_block_type_t *inner = t->inner[t->ninner == 1 ? 0 : i];
        t->lengths[i] = equal ? c->ints[1] : c->ints[1 + i];
        if (c->naints > 0)
            t->at[i] = c->aints[i];
        else
            t->at[i] = c->ints[(equal ? 2 : 1 + n) + i] * inner->extent;
        t->start[i + 1] = t->start[i] + (size_t)t->lengths[i] * inner->size;
    }
    return PLAN_OK;
}

/* Regular blocks, each of them `length` inner elements. */
static void repeat(plani_block_type_t *t, int n, int length, MPI_Aint displacement, MPI_Aint stride)
{
    t->n = (size_t)n;
    t->length = length;
    t->displacement = displacement;
    t->stride = stride;
}

/* A subarray is a run of subarrays of one dimension less. */
static int slice_array(plani_block_type_t *t, const contents_t *c)
{
    int dims = c->ints[0], order = c->ints[3 * dims + 1], rc;
    int *size = c->ints + 1, *sub = size + dims, *start = sub + dims;
    int outer = order == MPI_ORDER_C ? 0 : dims - 1, rest = order == MPI_ORDER_C ? 1 : 0;
    MPI_Datatype row;

    if (dims > 1) {
        plani_block_type_t *whole = t->inner[0];
        rc = MPI_Type_create_subarray(dims - 1, size + rest, sub + rest, start + rest, order, whole->type, &row);
        if (rc != MPI_SUCCESS) return rc;
        t->inner[0] = NULL;
        rc = create(row, true, &t->inner[0]);
        plani_blocks_destroy(&whole);
        if (rc != 0) return rc;
    }
    repeat(t, 1, sub[outer], start[outer] * t->inner[0]->extent, 0);
    return MPI_SUCCESS;
}

static int arrange(plani_block_type_t *t, const contents_t *c)
{
    switch (c->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        repeat(t, 1, 1, 0, 0);
        return MPI_SUCCESS;
    case MPI_COMBINER_CONTIGUOUS:
        repeat(t, 1, c->ints[0], 0, 0);
        return MPI_SUCCESS;
    case MPI_COMBINER_VECTOR:
        repeat(t, c->ints[0], c->ints[1], 0, c->ints[2] * t->inner[0]->extent);
        return MPI_SUCCESS;
    case MPI_COMBINER_HVECTOR:
        repeat(t, c->ints[0], c->ints[1], 0, c->aints[0]);
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

static int take_apart(plani_block_type_t *t)
{
    contents_t c = {.combiner = MPI_COMBINER_NAMED};
    int rc = open_contents(t->type, &c);
    if (rc == 0 && c.combiner != MPI_COMBINER_NAMED && c.ntypes > 0) {
        rc = adopt(t, &c);
        if (rc == 0) rc = arrange(t, &c);
    }
    close_contents(&c);
    if (rc != 0) put_together(t);
    t->taken = rc == 0;
    return rc;
}

/* ---- moving ---- */

static int pack(void *base, int count, MPI_Datatype type, plani_piece_t *p)
{
    int position = 0, size = (int)p->len;
    return p->put ? MPI_Unpack(p->packed, size, &position, base, count, type, p->comm)
                  : MPI_Pack(base, count, type, p->packed, size, &position, p->comm);
}

/* A piece of one element, by way of the whole element packed aside. */
static int move_aside(plani_block_type_t *t, void *base, plani_piece_t piece)
{
    char small[ASIDE], *aside = t->size <= sizeof small ? small : NULL;
    int rc;

    if (t->size > INT_MAX) return PLAN_EUNSUPPORTED; /* a distributed array of 2 GiB */
    if (aside == NULL && (aside = malloc(t->size)) == NULL) return PLAN_ENOMEM;
    plani_piece_t whole = {.len = t->size, .packed = aside, .comm = piece.comm};
    rc = pack(base, 1, t->type, &whole);
    if (rc == MPI_SUCCESS && piece.put) {
        memcpy(aside + piece.offset, piece.packed, piece.len);
        whole.put = true;
        rc = pack(base, 1, t->type, &whole);
    } else if (rc == MPI_SUCCESS)
        memcpy(piece.packed, aside + piece.offset, piece.len);
    if (aside != small) free(aside);
    return rc;
}

/* Where block i begins in packed bytes. */
static size_t start_of(const plani_block_type_t *t, size_t i)
{
    return t->start ? t->start[i] : i * (size_t)t->length * t->inner[0]->size;
}

/* The block that packed byte `offset` lies in. */
static size_t find_block(const plani_block_type_t *t, size_t offset)
{
    size_t low = 0, high = t->n - 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (start_of(t, mid + 1) <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The part of the piece that lies within packed bytes [from, to), counted from `from`. */
static plani_piece_t part_of(plani_piece_t p, size_t from, size_t to)
{
    size_t begin = p.offset > from ? p.offset : from, end = p.offset + p.len < to ? p.offset + p.len : to;
    p.packed += begin - p.offset;
    p.offset = begin - from;
    p.len = end - begin;
    return p;
}

static int move_block(plani_block_type_t *t, void *base, size_t i, plani_piece_t piece)
{
    plani_block_type_t *inner = t->inner[t->ninner == 1 ? 0 : i];
    MPI_Aint at = t->at ? t->at[i] : t->displacement + (MPI_Aint)i * t->stride;
    return plani_blocks_move(inner, plani_at(base, at), piece);
}

/* Blocks first..last, all of them whole, as one datatype made for the purpose. */
static int move_blocks(plani_block_type_t *t, void *base, size_t first, size_t last, plani_piece_t piece)
{
    int n = (int)(last - first + 1), rc;
    MPI_Datatype type;

    if (n == 1 || t->ninner > 1) { /* few and large, else the struct were not cut */
        for (size_t i = first; i <= last; i++) {
            plani_piece_t p = part_of(piece, start_of(t, i), start_of(t, i + 1));
            if (p.len > 0 && (rc = move_block(t, base, i, p)) != 0) return rc;
        }
        return MPI_SUCCESS;
    }
    if (t->at != NULL)
        rc = MPI_Type_create_hindexed(n, t->lengths + first, t->at + first, t->inner[0]->type, &type);
    else {
        base = plani_at(base, t->displacement + (MPI_Aint)first * t->stride);
        rc = MPI_Type_create_hvector(n, t->length, t->stride, t->inner[0]->type, &type);
    }
    if (rc != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_commit(&type)) == MPI_SUCCESS) rc = pack(base, 1, type, &piece);
    MPI_Type_free(&type);
    return rc;
}

/* A piece of one element. */
static int move_part(plani_block_type_t *t, void *base, plani_piece_t piece)
{
    size_t end = piece.offset + piece.len;
    int rc = 0;

    if (t->size > ASIDE && !t->taken && (rc = take_apart(t)) != 0) return rc;
    if (t->size <= ASIDE || t->n == 0) return move_aside(t, base, piece);
    size_t first = find_block(t, piece.offset), last = find_block(t, end - 1);
    if (first == last) return move_block(t, base, first, part_of(piece, start_of(t, first), start_of(t, first + 1)));
    if (start_of(t, first) < piece.offset) {
        rc = move_block(t, base, first, part_of(piece, start_of(t, first), start_of(t, first + 1)));
        first++;
    }
    if (rc == 0 && end < start_of(t, last + 1)) {
        rc = move_block(t, base, last, part_of(piece, start_of(t, last), start_of(t, last + 1)));
        last--;
    }
    if (rc != 0 || first > last) return rc;
    plani_piece_t whole = part_of(piece, start_of(t, first), start_of(t, last + 1));
    whole.offset += start_of(t, first); /* counted from the element again */
    return move_blocks(t, base, first, last, whole);
}

int plani_blocks_move(plani_block_type_t *t, void *base, plani_piece_t piece)
{
    size_t first = piece.offset / t->size, end = piece.offset + piece.len;
    int rc;

    if (piece.offset % t->size != 0 || piece.len < t->size) {
        size_t next = (first + 1) * t->size;
        plani_piece_t head = part_of(piece, first * t->size, next);
        if ((rc = move_part(t, plani_at(base, (MPI_Aint)first * t->extent), head)) != 0) return rc;
        first++;
    }
    size_t last = end / t->size; /* elements first..last - 1 are whole */
    if (first < last) {
        plani_piece_t whole = part_of(piece, first * t->size, last * t->size);
        if ((rc = pack(plani_at(base, (MPI_Aint)first * t->extent), (int)(last - first), t->type, &whole)) != 0)
            return rc;
    }
    if (last < first || last * t->size == end) return MPI_SUCCESS;
    plani_piece_t tail = part_of(piece, last * t->size, end);
    return move_part(t, plani_at(base, (MPI_Aint)last * t->extent), tail);
}
