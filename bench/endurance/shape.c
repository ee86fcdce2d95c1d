/*
 * Random datatypes with their type maps. These are computed here by the standard's definitions of the constructors; MPI
 * is asked for extents only. Parts do not overlap. They are in any order, with gaps, with parts of no bytes, and with
 * displacements that are negative or large.
 */
#include "endurance.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 24 };

static const MPI_Aint FAR = (MPI_Aint)1 << 40; /* [B] */

/* ---- runs ---- */

static void add_run(shape_t *s, MPI_Aint at, size_t len)
{
    if (len == 0) return;
    if (s->nruns > 0 && s->run[s->nruns - 1].at + (MPI_Aint)s->run[s->nruns - 1].len == at) {
        s->run[s->nruns - 1].len += len;
    } else {
        if (s->nruns == s->room) {
            s->room = s->room ? 2 * s->room : 8;
            if ((s->run = realloc(s->run, s->room * sizeof *s->run)) == NULL) abort();
        }
        s->run[s->nruns++] = (run_t){at, len};
    }
    if (s->bytes == 0 || at < s->low) s->low = at;
    if (s->bytes == 0 || at + (MPI_Aint)len > s->high) s->high = at + (MPI_Aint)len;
    s->bytes += len;
}

void shape_append(shape_t *s, const shape_t *inner, MPI_Aint shift)
{
    s->hollow = s->hollow || inner->hollow;
    for (size_t i = 0; i < inner->nruns; i++) add_run(s, inner->run[i].at + shift, inner->run[i].len);
}

static int by_address(const void *a, const void *b)
{
    const run_t *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

bool shape_is_disjoint(const shape_t *s)
{
    bool disjoint = true;
    run_t *sorted = malloc((s->nruns + 1) * sizeof *sorted);
    if (sorted == NULL) abort();
    if (s->nruns > 0) memcpy(sorted, s->run, s->nruns * sizeof *sorted);
    qsort(sorted, s->nruns, sizeof *sorted, by_address);
    for (size_t i = 1; i < s->nruns && disjoint; i++)
        disjoint = sorted[i - 1].at + (MPI_Aint)sorted[i - 1].len <= sorted[i].at;
    free(sorted);
    return disjoint;
}

void shape_free(shape_t *s)
{
    if (s->type != MPI_DATATYPE_NULL) MPI_Type_free(&s->type);
    free(s->run);
    *s = (shape_t){.type = MPI_DATATYPE_NULL};
}

/* The shape is complete, but for what MPI says of its type. */
static shape_t closed(shape_t s)
{
    MPI_Type_commit(&s.type);
    MPI_Type_get_extent(s.type, &s.lb, &s.extent);
    return s;
}

/* ---- predefined types ---- */

/* MPI_SHORT_INT has a gap, MPI_DOUBLE_INT trailing padding. */
static shape_t predefined(MPI_Datatype base)
{
    struct short_int {
        short a;
        int b;
    };
    struct double_int {
        double a;
        int b;
    };
    shape_t s = {.type = MPI_DATATYPE_NULL};
    int size;

    MPI_Type_dup(base, &s.type);
    MPI_Type_size(base, &size);
    if (base == MPI_SHORT_INT) {
        add_run(&s, 0, sizeof(short));
        add_run(&s, offsetof(struct short_int, b), sizeof(int));
    } else if (base == MPI_DOUBLE_INT) {
        add_run(&s, 0, sizeof(double) + sizeof(int));
    } else {
        add_run(&s, 0, (size_t)size);
    }
    return closed(s);
}

/* ---- constructors ---- */

/* Resize a type to a larger extent if copies one extent apart would overlap. */
static void spread(shape_t *s, rng_t *r)
{
    MPI_Aint least = s->high - s->low;
    MPI_Datatype wider;
    if (s->extent >= least && (s->extent > 0 || rng_one_in(r, 2))) return;
    MPI_Type_create_resized(s->type, s->low - (MPI_Aint)rng_below(r, 5), least + (MPI_Aint)rng_below(r, 9) + 1, &wider);
    MPI_Type_free(&s->type);
    s->type = wider;
    *s = closed(*s);
}

/* A random divisor of n. */
static int divisor(rng_t *r, int n)
{
    int at = 1 + (int)rng_below(r, n < 1000 ? (size_t)n : 1000);
    for (; at > 1 && n % at != 0; at--) continue;
    return rng_one_in(r, 2) ? at : n / at;
}

static shape_t contiguous(const shape_t *inner, int n)
{
    shape_t s = {.type = MPI_DATATYPE_NULL};
    MPI_Type_contiguous(n, inner->type, &s.type);
    s.hollow = inner->hollow || n == 0;
    if (inner->nruns == 1 && inner->extent == (MPI_Aint)inner->bytes)
        add_run(&s, inner->run[0].at, (size_t)n * inner->bytes);
    else
        for (int i = 0; i < n; i++) shape_append(&s, inner, i * inner->extent);
    return closed(s);
}

/* n elements in blocks at a regular distance, upwards or downwards. */
static shape_t vector(rng_t *r, const shape_t *inner, int n)
{
    shape_t s = {.type = MPI_DATATYPE_NULL};
    int length = divisor(r, n), blocks = n / length, sign = rng_one_in(r, 3) ? -1 : 1;
    int stride = sign * (length + (int)rng_below(r, 3));
    MPI_Aint distance = stride * inner->extent;

    /* Open MPI 4.1.4 takes vector(n, 1, -1, MPI_BYTE) for n bytes upwards, in MPI_Bcast as well. */
    if (distance == -1 && length == 1) stride = 1, distance = 1, sign = 1;
    if (rng_one_in(r, 2)) {
        MPI_Type_vector(blocks, length, stride, inner->type, &s.type);
    } else {
        distance += sign * (MPI_Aint)rng_below(r, 20);
        MPI_Type_create_hvector(blocks, length, distance, inner->type, &s.type);
    }
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < length; i++) shape_append(&s, inner, b * distance + i * inner->extent);
    return closed(s);
}

static void shuffle(rng_t *r, int n, int *at)
{
    for (int i = 0; i < n; i++) at[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, (size_t)i + 1), swap = at[i];
        at[i] = at[j], at[j] = swap;
    }
}

/* n elements in up to MOST_PARTS listed blocks, in any order; blocks of none among them. */
static shape_t listed(rng_t *r, const shape_t *inner, int n)
{
    shape_t s = {.type = MPI_DATATYPE_NULL};
    bool in_extents = rng_one_in(r, 2), equal = rng_one_in(r, 2);
    int blocks = 1 + (int)rng_below(r, MOST_PARTS), length[MOST_PARTS], order[MOST_PARTS], unit[MOST_PARTS], left = n;
    const MPI_Aint unit_of = inner->extent > 0 ? inner->extent : 1;
    MPI_Aint at[MOST_PARTS], next = -(MPI_Aint)rng_below(r, 4) * unit_of;

    if (equal)
        while (n % blocks != 0) blocks--;
    for (int i = 0; i < blocks; i++) {
        length[i] = equal ? n / blocks : i + 1 == blocks ? left : (int)rng_below(r, (size_t)(left / 2 + 1));
        left -= length[i];
    }
    shuffle(r, blocks, order);
    for (int k = 0; k < blocks; k++) {
        int i = order[k];
        unit[i] = (int)(next / unit_of);
        at[i] = next;
        next += length[i] * inner->extent;
        next += in_extents ? (MPI_Aint)rng_below(r, 3) * unit_of : (MPI_Aint)rng_below(r, 12);
    }
    if (in_extents && equal)
        MPI_Type_create_indexed_block(blocks, length[0], unit, inner->type, &s.type);
    else if (in_extents)
        MPI_Type_indexed(blocks, length, unit, inner->type, &s.type);
    else if (equal)
        MPI_Type_create_hindexed_block(blocks, length[0], at, inner->type, &s.type);
    else
        MPI_Type_create_hindexed(blocks, length, at, inner->type, &s.type);
    s.hollow = n == 0;
    for (int i = 0; i < blocks; i++) s.hollow = s.hollow || length[i] == 0;
    for (int i = 0; i < blocks; i++)
        for (int k = 0; k < length[i]; k++) shape_append(&s, inner, at[i] + k * inner->extent);
    return closed(s);
}

static shape_t subarray(rng_t *r, const shape_t *inner, int n)
{
    enum { DIMS = 3 };
    shape_t s = {.type = MPI_DATATYPE_NULL};
    int size[DIMS], sub[DIMS], start[DIMS], slow, fast, order = rng_one_in(r, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;

    sub[0] = divisor(r, n);
    sub[1] = divisor(r, n / sub[0]);
    sub[2] = n / sub[0] / sub[1];
    for (int d = 0; d < DIMS; d++) {
        start[d] = (int)rng_below(r, 3);
        size[d] = start[d] + sub[d] + (int)rng_below(r, 2);
    }
    MPI_Type_create_subarray(DIMS, size, sub, start, order, inner->type, &s.type);
    slow = order == MPI_ORDER_C ? 0 : DIMS - 1, fast = DIMS - 1 - slow;
    for (int i = 0; i < sub[slow]; i++)
        for (int j = 0; j < sub[1]; j++)
            for (int k = 0; k < sub[fast]; k++)
                shape_append(&s, inner,
                             (((MPI_Aint)(start[slow] + i) * size[1] + start[1] + j) * size[fast] + start[fast] + k) *
                                 inner->extent);
    return closed(s);
}

/* A struct of parts in any order, with parts of no bytes at any displacement. Frees the parts. */
static shape_t structure(rng_t *r, int n, shape_t *part, const int *length)
{
    shape_t s = {.type = MPI_DATATYPE_NULL};
    int order[MOST_PARTS];
    MPI_Aint at[MOST_PARTS], next = -(MPI_Aint)rng_below(r, 60);
    MPI_Datatype type[MOST_PARTS];

    shuffle(r, n, order);
    for (int k = 0; k < n; k++) {
        int i = order[k];
        at[i] = next - part[i].low;
        type[i] = part[i].type;
        if (part[i].bytes == 0 || length[i] == 0) {
            s.hollow = true;
            at[i] = (MPI_Aint)rng_below(r, 500) - 250;
            continue;
        }
        next += part[i].high - part[i].low + (length[i] - 1) * part[i].extent + (MPI_Aint)rng_below(r, 12);
    }
    MPI_Type_create_struct(n, length, at, type, &s.type);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < length[i]; k++) shape_append(&s, &part[i], at[i] + k * part[i].extent);
    for (int i = 0; i < n; i++) shape_free(&part[i]);
    return closed(s);
}

/* ---- choice of constructors ---- */

/* A type of no bytes. */
static shape_t nothing(rng_t *r)
{
    shape_t inner = predefined(rng_one_in(r, 2) ? MPI_INT : MPI_LONG_DOUBLE), s = contiguous(&inner, 0);
    shape_free(&inner);
    return s;
}

static shape_t in_parts(rng_t *r, MPI_Datatype base, int n, int depth)
{
    shape_t part[MOST_PARTS];
    int length[MOST_PARTS], parts = 1 + (int)rng_below(r, 5), left = n;

    for (int i = 0; i < parts; i++) {
        bool empty = rng_one_in(r, 6) && i + 1 < parts;
        int mine = i + 1 == parts ? left : empty ? 0 : (int)rng_below(r, (size_t)left + 1);
        left -= mine;
        length[i] = mine > 0 ? divisor(r, mine) : (int)rng_below(r, 3);
        part[i] = mine > 0 ? shape_elements(r, base, mine / length[i], depth - 1) : nothing(r);
        spread(&part[i], r);
    }
    return structure(r, parts, part, length);
}

/* Another type of the same bytes, perhaps displaced. */
static shape_t wrapped(rng_t *r, shape_t inner)
{
    shape_t s = {.type = MPI_DATATYPE_NULL};
    MPI_Aint shift = rng_one_in(r, 2) ? FAR : -FAR;
    switch (rng_below(r, 4)) {
    case 0:
        MPI_Type_dup(inner.type, &s.type);
        shape_append(&s, &inner, 0);
        break;
    case 1: /* at a large displacement, with the old extent or a little more */
    {
        MPI_Datatype moved;
        shift += (MPI_Aint)rng_below(r, 1000);
        MPI_Type_create_hindexed_block(1, 1, &shift, inner.type, &moved);
        MPI_Type_create_resized(moved, inner.low + shift, inner.high - inner.low + (MPI_Aint)rng_below(r, 3), &s.type);
        MPI_Type_free(&moved);
        shape_append(&s, &inner, shift);
        break;
    }
    default:
        MPI_Type_create_resized(inner.type, inner.lb - (MPI_Aint)rng_below(r, 9),
                                inner.extent + (MPI_Aint)rng_below(r, 9) + 9, &s.type);
        shape_append(&s, &inner, 0);
    }
    shape_free(&inner);
    return closed(s);
}

shape_t shape_elements(rng_t *r, MPI_Datatype base, int n, int depth)
{
    shape_t inner, s;
    size_t kind = rng_below(r, 8);

    if (depth <= 0 || n == 0) {
        inner = predefined(base);
        if (n == 1) return inner;
        s = contiguous(&inner, n);
    } else if (kind == 0) {
        return wrapped(r, shape_elements(r, base, n, depth - 1));
    } else if (kind == 1) {
        return in_parts(r, base, n, depth);
    } else {
        int times = divisor(r, n);
        inner = shape_elements(r, base, n / times, depth - 1);
        spread(&inner, r);
        s = kind == 2   ? contiguous(&inner, times)
            : kind == 3 ? subarray(r, &inner, times)
            : kind < 6  ? vector(r, &inner, times)
                        : listed(r, &inner, times);
    }
    shape_free(&inner);
    return s;
}

shape_t shape_mixture(rng_t *r, int depth)
{
    const MPI_Datatype base[] = {MPI_CHAR, MPI_INT, MPI_DOUBLE, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_C_DOUBLE_COMPLEX};
    shape_t part[MOST_PARTS], s, inner;
    int length[MOST_PARTS], parts = 1 + (int)rng_below(r, 4);

    if (depth <= 0) return shape_elements(r, base[rng_below(r, 6)], 1 + (int)rng_below(r, 40), 2);
    for (int i = 0; i < parts; i++) {
        part[i] = rng_one_in(r, 6) ? nothing(r) : shape_mixture(r, depth - 1);
        length[i] = (int)rng_below(r, 3) + (i == 0);
        spread(&part[i], r);
    }
    s = structure(r, parts, part, length);
    if (rng_one_in(r, 2) || s.nruns > 2000) return s;
    inner = s;
    spread(&inner, r);
    s = rng_one_in(r, 2) ? vector(r, &inner, 1 + (int)rng_below(r, 30)) : listed(r, &inner, 1 + (int)rng_below(r, 30));
    shape_free(&inner);
    return s;
}
