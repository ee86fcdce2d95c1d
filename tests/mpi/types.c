#include "types.h"
#include <stdlib.h>

enum { MOST = 40 };

typedef struct {
    int n;
    int length[MOST];
    MPI_Aint at[MOST];
    MPI_Datatype type[MOST];
} blocks_t;

/* Lay out blocks one behind the other with gaps, in a random order. In units of `unit` bytes; 1: any address. */
static void lay_out(rng_t *r, blocks_t *b, MPI_Aint unit)
{
    int order[MOST];
    MPI_Aint next = -(MPI_Aint)rng_below(r, 5) * unit;
    for (int i = 0; i < b->n; i++) order[i] = i;
    for (int i = b->n - 1; i > 0; i--) {
        int j = rng_below(r, i + 1), swap = order[i];
        order[i] = order[j], order[j] = swap;
    }
    for (int k = 0; k < b->n; k++) {
        int i = order[k];
        MPI_Aint lb, extent;
        MPI_Type_get_extent(b->type[i], &lb, &extent);
        b->at[i] = next - lb;
        if (unit > 1) b->at[i] = (next / unit) * unit; /* then all blocks have one type, and lie apart by its extents */
        next = b->at[i] + (unit > 1 ? 0 : lb) + b->length[i] * extent + rng_below(r, 3) * (unit > 1 ? unit : 5);
    }
}

static MPI_Datatype random_subarray(rng_t *r, MPI_Datatype inner, int most)
{
    int size[3], sub[3], start[3], dims = 1 + rng_below(r, 3);
    MPI_Datatype type;
    for (int d = 0; d < dims; d++) {
        size[d] = 1 + rng_below(r, most);
        sub[d] = 1 + rng_below(r, size[d]);
        start[d] = rng_below(r, size[d] - sub[d] + 1);
    }
    int order = rng_below(r, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
#if MPI_VERSION >= 4
    if (rng_below(r, 2)) {
        MPI_Count large[3][3];
        for (int d = 0; d < dims; d++) large[0][d] = size[d], large[1][d] = sub[d], large[2][d] = start[d];
        MPI_Type_create_subarray_c(dims, large[0], large[1], large[2], order, inner, &type);
        return type;
    }
#endif
    MPI_Type_create_subarray(dims, size, sub, start, order, inner, &type);
    return type;
}

#if MPI_VERSION >= 4
static MPI_Datatype large_list(int kind, const blocks_t *b, const int *unit_at, MPI_Datatype inner)
{
    MPI_Count length[MOST], at[MOST];
    MPI_Datatype type;
    for (int i = 0; i < b->n; i++) length[i] = b->length[i], at[i] = kind < 2 ? unit_at[i] : b->at[i];
    if (kind == 0)
        MPI_Type_indexed_c(b->n, length, at, inner, &type);
    else if (kind == 1)
        MPI_Type_create_indexed_block_c(b->n, length[0], at, inner, &type);
    else if (kind == 2)
        MPI_Type_create_hindexed_c(b->n, length, at, inner, &type);
    else
        MPI_Type_create_hindexed_block_c(b->n, length[0], at, inner, &type);
    return type;
}
#endif

static MPI_Datatype random_list(rng_t *r, MPI_Datatype inner, int most)
{
    blocks_t b = {.n = 1 + rng_below(r, most)};
    int kind = rng_below(r, 4), equal = 1 + rng_below(r, 3), unit_at[MOST];
    MPI_Aint lb, extent;
    MPI_Datatype type;
    MPI_Type_get_extent(inner, &lb, &extent);
    if (extent == 0) kind |= 2; /* there is no counting in extents */
    for (int i = 0; i < b.n; i++) {
        b.length[i] = kind % 2 ? equal : rng_below(r, 4);
        b.type[i] = inner;
    }
    lay_out(r, &b, kind < 2 ? extent : 1);
    for (int i = 0; kind < 2 && i < b.n; i++) unit_at[i] = (int)(b.at[i] / extent);
#if MPI_VERSION >= 4
    if (rng_below(r, 2)) return large_list(kind, &b, unit_at, inner);
#endif
    if (kind == 0)
        MPI_Type_indexed(b.n, b.length, unit_at, inner, &type);
    else if (kind == 1)
        MPI_Type_create_indexed_block(b.n, equal, unit_at, inner, &type);
    else if (kind == 2)
        MPI_Type_create_hindexed(b.n, b.length, b.at, inner, &type);
    else
        MPI_Type_create_hindexed_block(b.n, equal, b.at, inner, &type);
    return type;
}

static MPI_Datatype random_struct(rng_t *r, MPI_Datatype inner, int depth, int large)
{
    blocks_t b = {.n = 1 + rng_below(r, 4)};
    MPI_Datatype type;
    for (int i = 0; i < b.n; i++) {
        b.length[i] = rng_below(r, 3);
        if (i == 0)
            MPI_Type_dup(inner, &b.type[i]);
        else
            b.type[i] = random_type(r, depth - 1, large);
    }
    lay_out(r, &b, 1);
#if MPI_VERSION >= 4
    if (rng_below(r, 2)) {
        MPI_Count length[MOST], at[MOST];
        for (int i = 0; i < b.n; i++) length[i] = b.length[i], at[i] = b.at[i];
        MPI_Type_create_struct_c(b.n, length, at, b.type, &type);
    } else
#endif
        MPI_Type_create_struct(b.n, b.length, b.at, b.type, &type);
    for (int i = 0; i < b.n; i++) MPI_Type_free(&b.type[i]);
    return type;
}

static MPI_Datatype random_resized(rng_t *r, MPI_Datatype inner)
{
    MPI_Aint lb, extent;
    MPI_Datatype type;
    MPI_Type_get_extent(inner, &lb, &extent);
    MPI_Type_create_resized(inner, lb - rng_below(r, 9), extent + 9 + rng_below(r, 9), &type);
    return type;
}

static MPI_Datatype random_vector(rng_t *r, MPI_Datatype inner, int most)
{
    int n = 1 + rng_below(r, most), length = 1 + rng_below(r, 3), gap = rng_below(r, 3);
    MPI_Aint lb, extent;
    MPI_Datatype type;
    MPI_Type_get_extent(inner, &lb, &extent);
    if (extent == 1 && length == 1 && gap == 0)
        gap = 1; /* Open MPI 4.1 takes vector(n, 1, -1, MPI_BYTE) for n bytes upwards */
#if MPI_VERSION >= 4
    int large = rng_below(r, 4);
    if (large == 0) MPI_Type_vector_c(n, length, -(length + gap), inner, &type);
    if (large == 1) MPI_Type_create_hvector_c(n, length, length * extent + gap * 7, inner, &type);
    if (large < 2) return type;
#endif
    if (rng_below(r, 2))
        MPI_Type_vector(n, length, (rng_below(r, 2) ? 1 : -1) * (length + gap), inner, &type);
    else
        MPI_Type_create_hvector(n, length, length * extent + gap * 7, inner, &type);
    return type;
}

MPI_Datatype random_type(rng_t *r, int depth, int large)
{
    MPI_Datatype base[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_BYTE}, inner, type;
    int most = large ? MOST : 4, size, kind = rng_below(r, 8);

    if (depth == 0) {
        MPI_Type_dup(base[rng_below(r, 6)], &type);
        MPI_Type_commit(&type);
        return type;
    }
    inner = random_type(r, depth - 1, large);
    MPI_Type_size(inner, &size);
    if (size > (large ? 20000 : 100)) most = 3;
    if (kind == 0)
        MPI_Type_contiguous(1 + rng_below(r, most), inner, &type);
    else if (kind == 1)
        MPI_Type_dup(inner, &type);
    else if (kind == 2)
        type = random_resized(r, inner);
    else if (kind == 3)
        type = random_subarray(r, inner, most < 8 ? most : 8);
    else if (kind == 4)
        type = random_struct(r, inner, depth, large);
    else if (kind == 5)
        type = random_list(r, inner, most);
    else
        type = random_vector(r, inner, most);
    MPI_Type_size(type, &size);
    if (size == 0) { /* Open MPI 4.1 gets the extents of what holds empty types wrong */
        MPI_Type_free(&type);
        MPI_Type_dup(inner, &type);
    }
    MPI_Type_commit(&type);
    MPI_Type_free(&inner);
    return type;
}

layout_t layout_of(MPI_Datatype type, int count)
{
    layout_t l = {.type = type, .count = count};
    MPI_Aint lb, extent, least, span;
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &least, &span);
    MPI_Aint low = least, high = least + span; /* elements may go downwards, too */
    for (int end = 0; end < 2; end++) {
        MPI_Aint shift = end ? (count - 1) * extent : 0;
        if (least + shift < low) low = least + shift;
        if (least + span + shift > high) high = least + span + shift;
    }
    l.origin = (size_t)-low + 8;
    l.size = (size_t)(high - low) + 16;
    if ((l.memory = calloc(1, l.size)) == NULL) abort();
    return l;
}

void layout_free(layout_t *layout)
{
    free(layout->memory);
    MPI_Type_free(&layout->type);
}
