/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing any range of the packed bytes of any datatype.
 *
 * MPI_Pack packs whole elements, but a slice may begin and end inside an element. Such an element is taken apart into
 * the blocks that its constructor was given, recursively, until the one that is cut has at most ASIDE bytes. That one
 * is packed into a buffer; for unpacking, the new bytes are copied into the buffer and the whole is unpacked. So time
 * and memory do not depend on the size of an element. (Distributed arrays are not taken apart: they need a buffer of
 * their size.)
 */
#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/blocks.h"
#include "lib/mpi/execute/copy.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASIDE = 4096, /* [B] cut elements up to this size are packed into a buffer */
    SHORT = -1000 /* a status internal to this file: MPI moved fewer bytes than requested */
};

void *plani_at(void *base, MPI_Aint distance)
{
    return (void *)((uintptr_t)base + (uintptr_t)distance); /* base may be MPI_BOTTOM, outside any object */
}

/* SHORT: MPI moved only a part, and *p is what is left. MPICH 4.0 returns success then, and shows it only by the
 * position. */
static int pack(void *base, int count, MPI_Datatype type, plani_piece_t *p)
{
    int position = 0, size = (int)p->len;
    int rc = p->put ? MPI_Unpack(p->packed, size, &position, base, count, type, p->comm)
                    : MPI_Pack(base, count, type, p->packed, size, &position, p->comm);
    if (rc != MPI_SUCCESS || position == size) return rc;
    p->offset += (size_t)position;
    p->packed += position;
    p->len -= (size_t)position;
    return SHORT;
}

/*
 * Whole elements. If an element is contiguous, but its extent is larger because of a member of no bytes, Open MPI 4.1
 * packs several elements as if there were no gap; packed as one datatype they come out right.
 */
static int pack_elements(const plani_block_type_t *t, void *base, int count, plani_piece_t *piece)
{
    MPI_Datatype type;
    int rc;

    if (count == 1 || !t->gap_behind) return pack(base, count, t->type, piece);
    if ((rc = MPI_Type_create_hvector(count, 1, t->extent, t->type, &type)) != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_commit(&type)) == MPI_SUCCESS) rc = pack(base, 1, type, piece);
    MPI_Type_free(&type);
    return rc;
}

/* A piece of one element, by packing the whole element into a buffer. */
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

/* The packed offset [B] of block i in an element. */
static size_t start_of(const plani_block_type_t *t, size_t i)
{
    return t->start ? t->start[i] : i * t->length * t->inner[0]->size;
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

static plani_block_type_t *inner_of(const plani_block_type_t *t, size_t i)
{
    return t->inner[t->ninner == 1 ? 0 : i];
}

static void *address_of(const plani_block_type_t *t, void *base, size_t i)
{
    return plani_at(base, t->at ? t->at[i] : t->displacement + (MPI_Aint)i * t->stride);
}

static int move_block(plani_block_type_t *t, void *base, size_t i, plani_piece_t piece)
{
    return plani_blocks_move(inner_of(t, i), address_of(t, base, i), piece);
}

/* The rest of a piece that MPI has not moved (SHORT): one predefined type after the other. */
static int move_rest(plani_block_type_t *t, void *base, plani_piece_t piece)
{
    const size_t end = piece.offset + piece.len;
    int rc = t->taken ? 0 : plani_blocks_take_apart(t);
    size_t to;

    for (size_t at = piece.offset; at < end && rc == 0; at = to) {
        size_t element = at / t->size * t->size;
        void *here = plani_at(base, (MPI_Aint)(at / t->size) * t->extent);
        to = element + t->size;
        if (t->n == 0) {
            rc = move_aside(t, here, part_of(piece, element, to));
            if (rc == SHORT) rc = MPI_ERR_INTERN;
            continue;
        }
        size_t i = find_block(t, at - element);
        size_t from = element + start_of(t, i);
        to = element + start_of(t, i + 1);
        rc = move_rest(inner_of(t, i), address_of(t, here, i), part_of(piece, from, to));
    }
    return rc;
}

static void move_dense(char *data, char *packed, size_t len, bool put)
{
    if (put)
        plani_copy(data, packed, len);
    else
        plani_copy(packed, data, len);
}

/* Whole listed blocks of what is dense: MPI would look at each when it makes a datatype of them, too. */
static void move_listed(const plani_block_type_t *t, void *base, size_t first, size_t last, plani_piece_t piece)
{
    char *packed = piece.packed;
    for (size_t i = first; i <= last; i++) {
        size_t len = t->start[i + 1] - t->start[i];
        move_dense(plani_at(base, t->at[i]), packed, len, piece.put);
        packed += len;
    }
}

/* Whole blocks first..last, as one temporary datatype. */
static int move_blocks(plani_block_type_t *t, void *base, size_t first, size_t last, plani_piece_t piece)
{
    int n = (int)(last - first + 1), rc;
    MPI_Datatype type;
    void *from = t->at != NULL ? base : address_of(t, base, first);

    if (n == 1 || t->ninner > 1) { /* few large ones: a small struct is not cut */
        for (size_t i = first; i <= last; i++) {
            plani_piece_t p = part_of(piece, start_of(t, i), start_of(t, i + 1));
            if (p.len > 0 && (rc = move_block(t, base, i, p)) != 0) return rc;
        }
        return MPI_SUCCESS;
    }
    if (t->at != NULL && t->inner[0]->dense) {
        move_listed(t, base, first, last, piece);
        return MPI_SUCCESS;
    }
    if (t->at != NULL)
        rc = MPI_Type_create_hindexed(n, t->lengths + first, t->at + first, t->inner[0]->type, &type);
    else
        rc = MPI_Type_create_hvector(n, (int)t->length, t->stride, t->inner[0]->type, &type);
    if (rc != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_commit(&type)) == MPI_SUCCESS) rc = pack(from, 1, type, &piece);
    MPI_Type_free(&type);
    return rc == SHORT ? move_rest(t, base, piece) : rc;
}

/* A piece of one element. */
static int move_part(plani_block_type_t *t, void *base, plani_piece_t piece)
{
    size_t end = piece.offset + piece.len;
    int rc = 0;

    if (t->size > ASIDE && !t->taken && (rc = plani_blocks_take_apart(t)) != 0) return rc;
    if (t->size <= ASIDE || t->n == 0) {
        rc = move_aside(t, base, piece);
        return rc == SHORT ? move_rest(t, base, piece) : rc;
    }
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
    whole.offset += start_of(t, first); /* relative to the element */
    return move_blocks(t, base, first, last, whole);
}

int plani_blocks_move(plani_block_type_t *t, void *base, plani_piece_t piece)
{
    if (t->dense) {
        move_dense(plani_at(base, (MPI_Aint)piece.offset), piece.packed, piece.len, piece.put);
        return MPI_SUCCESS;
    }
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
        void *from = plani_at(base, (MPI_Aint)first * t->extent);
        rc = pack_elements(t, from, (int)(last - first), &whole);
        if (rc == SHORT) rc = move_rest(t, from, whole);
        if (rc != 0) return rc;
    }
    if (last < first || last * t->size == end) return MPI_SUCCESS;
    plani_piece_t tail = part_of(piece, last * t->size, end);
    return move_part(t, plani_at(base, (MPI_Aint)last * t->extent), tail);
}
