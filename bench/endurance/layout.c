/* Buffers of broadcasts: memory filled with a pattern, with guards around the message. */
#include "endurance.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, MOST_RUNS = 1 << 17 };

/* No MPI_LONG_DOUBLE: MPICH 4.0.2 copies 10 of its 16 bytes. */
static const MPI_Datatype bases[] = {MPI_BYTE,   MPI_CHAR,      MPI_SHORT,      MPI_INT,
                                     MPI_DOUBLE, MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_C_DOUBLE_COMPLEX};

/* Allocate memory for all bytes of the layout, and guards. */
static void allocate(layout_t *l)
{
    l->size = (size_t)(l->whole.high - l->whole.low) + 2 * GUARD;
    if ((l->memory = malloc(l->size)) == NULL) abort();
    l->origin = GUARD - l->whole.low;
    l->buffer = (void *)((uintptr_t)l->memory + (uintptr_t)l->origin); /* outside memory if displacements are large */
}

/* Make the layout of `count` elements, if they do not overlap and are not too many or too far apart. */
static bool repeat(layout_t *l, bool hollow, shape_t *element, MPI_Count count, size_t most)
{
    const MPI_Aint room = 4 * (MPI_Aint)most + 4096;
    const bool dense = element->nruns == 1 && element->extent == (MPI_Aint)element->bytes;
    shape_t whole = {.type = MPI_DATATYPE_NULL};
    bool usable = (hollow || !element->hollow) && element->bytes * (size_t)count <= most &&
                  (dense || element->nruns * (size_t)count < MOST_RUNS) &&
                  element->high - element->low + (MPI_Aint)count * element->extent < room;

    if (dense && usable && count > 0) {
        run_t all = {element->run[0].at, element->bytes * (size_t)count};
        shape_append(&whole, &(shape_t){.nruns = 1, .run = &all}, 0);
    }
    for (MPI_Count i = 0; usable && !dense && i < count; i++)
        shape_append(&whole, element, (MPI_Aint)i * element->extent);
    usable = usable && shape_is_disjoint(&whole) && whole.high - whole.low < room;
    if (usable) {
        l->count = count;
        l->type = whole.type = element->type;
        element->type = MPI_DATATYPE_NULL;
        l->whole = whole;
    } else {
        shape_free(&whole);
    }
    shape_free(element);
    return usable;
}

static void plain(layout_t *l, MPI_Datatype base, int n)
{
    rng_t none = {0};
    shape_t one = shape_elements(&none, base, 1, 0);
    if (!repeat(l, true, &one, n, SIZE_MAX / 16)) abort();
}

/* n elements of `base` as a random count of a random type; elements may interleave, as columns of a matrix do. */
static void elements(layout_t *l, bool hollow, MPI_Datatype base, int n, size_t bytes, rng_t *r)
{
    int count = 1;
    for (int at = 1 + (int)rng_below(r, 12); at > 1 && count == 1; at--)
        if (n % at == 0) count = at;
    shape_t element = shape_elements(r, base, n / count, 1 + (int)rng_below(r, 4));
    if (element.bytes > 0 && rng_one_in(r, 3)) {
        MPI_Datatype shorter;
        MPI_Type_create_resized(element.type, element.low, element.high - element.low + (MPI_Aint)rng_below(r, 3),
                                &shorter);
        MPI_Type_commit(&shorter);
        MPI_Type_free(&element.type);
        element.type = shorter;
        MPI_Type_get_extent(shorter, &element.lb, &element.extent);
    }
    if (!repeat(l, hollow, &element, count, bytes)) plain(l, base, n);
}

static void mixture(layout_t *l, bool hollow, size_t bytes, rng_t *r)
{
    shape_t element = shape_mixture(r, 1 + (int)rng_below(r, 2));
    size_t times = element.bytes > 0 ? 1 + bytes / element.bytes : 3;
    MPI_Count count = (MPI_Count)(times < 9000 ? times : 9000);
    if (!repeat(l, hollow, &element, count, 2 * bytes + (1 << 16))) plain(l, MPI_INT, (int)(bytes / sizeof(int)));
}

/* Replace the type by one with absolute addresses, for MPI_BOTTOM. */
static void by_address(layout_t *l)
{
    int n = (int)l->count;
    MPI_Aint at = 0;
    MPI_Datatype type;
    MPI_Get_address(l->memory, &at);
    at += l->origin;
    MPI_Type_create_hindexed(1, &n, &at, l->type, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&l->whole.type);
    l->type = l->whole.type = type;
    l->count = 1;
    l->buffer = MPI_BOTTOM;
}

void layout_create(layout_kind_t kind, bool hollow, size_t bytes, rng_t *common, rng_t *own, layout_t *out)
{
    MPI_Datatype base = bases[rng_below(common, sizeof bases / sizeof *bases)];
    int size;

    MPI_Type_size(base, &size);
    if (bytes % (size_t)size != 0 || bytes > (1 << 18)) base = MPI_BYTE, size = 1; /* limits the number of runs */
    const int n = (int)(bytes / (size_t)size);
    *out = (layout_t){.whole = {.type = MPI_DATATYPE_NULL}, .before = rng_next(own)};
    if (kind == LAYOUT_BYTES)
        plain(out, MPI_BYTE, (int)bytes);
    else if (kind == LAYOUT_MIXTURE)
        mixture(out, hollow, bytes, common);
    else if (kind == LAYOUT_OWN && rng_one_in(own, 6))
        plain(out, base, n);
    else
        elements(out, hollow, base, n, bytes, kind == LAYOUT_SAME ? common : own);
    allocate(out);
    if (kind != LAYOUT_BYTES && out->whole.bytes > 0 && rng_one_in(own, 12)) by_address(out);
}

void layout_destroy(layout_t *l)
{
    shape_free(&l->whole);
    free(l->memory);
    l->memory = NULL;
}

static void put_message(const layout_t *l, unsigned char *memory, const unsigned char *message)
{
    for (size_t i = 0; i < l->whole.nruns; i++) {
        memcpy(memory + l->whole.run[i].at + l->origin, message, l->whole.run[i].len);
        message += l->whole.run[i].len;
    }
}

/* Copy the current contents of the layout. */
static void copy_message(const layout_t *l, unsigned char *memory)
{
    for (size_t i = 0; i < l->whole.nruns; i++) {
        const MPI_Aint at = l->whole.run[i].at + l->origin;
        memcpy(memory + at, l->memory + at, l->whole.run[i].len);
    }
}

static void fill(const layout_t *l, bool with_message, uint64_t seed, unsigned char *memory)
{
    unsigned char *message;
    fill_bytes(l->before, memory, l->size);
    if (!with_message || l->whole.bytes == 0) return;
    if ((message = malloc(l->whole.bytes)) == NULL) abort();
    fill_bytes(seed, message, l->whole.bytes);
    put_message(l, memory, message);
    free(message);
}

void layout_fill(layout_t *l, bool with_message, uint64_t message)
{
    fill(l, with_message, message, l->memory);
}

/* The index in the message of a byte of memory; SIZE_MAX: outside the layout. */
static size_t packed_place(const layout_t *l, size_t at)
{
    size_t before = 0;
    MPI_Aint displacement = (MPI_Aint)at - l->origin;
    for (size_t i = 0; i < l->whole.nruns; before += l->whole.run[i++].len)
        if (displacement >= l->whole.run[i].at && displacement < l->whole.run[i].at + (MPI_Aint)l->whole.run[i].len)
            return before + (size_t)(displacement - l->whole.run[i].at);
    return SIZE_MAX;
}

size_t layout_check(const layout_t *l, content_t content, uint64_t message, char *line, size_t room)
{
    size_t wrong = 0, first = 0, place;
    unsigned char *expected = malloc(l->size);

    if (expected == NULL) abort();
    fill(l, content == CONTENT_MESSAGE, message, expected);
    if (content == CONTENT_ANY) copy_message(l, expected);
    if (memcmp(expected, l->memory, l->size) != 0)
        for (size_t i = l->size; i-- > 0;)
            if (expected[i] != l->memory[i]) wrong++, first = i;
    if (wrong > 0) {
        place = packed_place(l, first);
        snprintf(line, room,
                 "%zu wrong bytes of %zu in %zu runs (%lld elements), the first at %lld, %s %zu: 0x%02x, not 0x%02x",
                 wrong, l->whole.bytes, l->whole.nruns, (long long)l->count, (long long)first - l->origin,
                 place == SIZE_MAX ? "outside of the type, in memory of" : "byte of the message",
                 place == SIZE_MAX ? l->size : place, l->memory[first], expected[first]);
    }
    free(expected);
    return wrong;
}

bool layout_is_right_in_mpi(layout_t *l, uint64_t message)
{
    char line[LINE];
    const size_t bytes = l->whole.bytes;
    unsigned char *packed = malloc(bytes + 1), *expected = malloc(bytes + 1);
    bool right;
    MPI_Count size = 0;

    if (packed == NULL || expected == NULL) abort();
    MPI_Type_size_x(l->type, &size);
    right = (size_t)size * (size_t)l->count == bytes;
    fill_bytes(message, expected, bytes);
    layout_fill(l, true, message);
    if (right)
        MPI_Sendrecv(l->buffer, (int)l->count, l->type, 0, 0, packed, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    right = right && memcmp(packed, expected, bytes) == 0;
    layout_fill(l, false, 0);
    if (right)
        MPI_Sendrecv(expected, (int)bytes, MPI_BYTE, 0, 0, l->buffer, (int)l->count, l->type, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    right = right && layout_check(l, CONTENT_MESSAGE, message, line, sizeof line) == 0;
    free(packed);
    free(expected);
    return right;
}
