/* Packing and unpacking any range of the packed bytes of random types, against MPI_Pack and MPI_Unpack. One rank. */
#include "mpi_suite.h"
#include "types.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/execute/envelope.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECES = 4096 };

/* Above one, MPI_Pack and MPI_Unpack move so many bytes, or a multiple, of what is no predefined type, and leave out
 * the rest with MPI_SUCCESS, as those of MPICH 4.0 may do. */
static int unit = 1;
static size_t packed; /* [B] by MPI_Pack and MPI_Unpack */

static int moved(MPI_Datatype type, int bytes)
{
    plani_envelope_t made;
    plani_envelope(type, &made);
    return made.combiner == MPI_COMBINER_NAMED ? bytes : bytes - bytes % unit;
}

int MPI_Pack(const void *in, int count, MPI_Datatype type, void *out, int size, int *position, MPI_Comm comm)
{
    int at = 0, bytes = moved(type, size - *position), rc;
    char *all = malloc((size_t)size);
    rc = PMPI_Pack(in, count, type, all, size, &at, comm);
    memcpy((char *)out + *position, all, (size_t)bytes);
    *position += bytes;
    packed += (size_t)bytes;
    free(all);
    return rc;
}

int MPI_Unpack(const void *in, int size, int *position, void *out, int count, MPI_Datatype type, MPI_Comm comm)
{
    int at = 0, bytes = moved(type, size - *position), rc;
    char *all = malloc((size_t)size);
    PMPI_Pack(out, count, type, all, size, &at, comm);
    memcpy(all, (const char *)in + *position, (size_t)bytes);
    at = 0;
    rc = PMPI_Unpack(all, size, &at, out, count, type, comm);
    *position += bytes;
    packed += (size_t)bytes;
    free(all);
    return rc;
}

/* Cut [0, n) into random pieces; returns how many. */
static int cut(rng_t *r, size_t n, size_t longest, size_t *at)
{
    int pieces = 0;
    for (size_t next = 0; next < n && pieces < PIECES - 1; pieces++) {
        at[pieces] = next;
        next += 1 + (size_t)rng_below(r, (int)longest);
    }
    at[pieces] = n;
    return pieces;
}

static void shuffle(rng_t *r, int *order, int n)
{
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = rng_below(r, i + 1), swap = order[i];
        order[i] = order[j], order[j] = swap;
    }
}

static void check_pieces(rng_t *r, layout_t *l, uint64_t seed)
{
    static size_t at[PIECES];
    static int order[PIECES];
    plani_view_t view;
    int position = 0, size;
    MPI_Type_size(l->type, &size);
    size_t n = (size_t)size * (size_t)l->count;
    char *whole = malloc(n + 1), *mine = malloc(n + 1);
    unsigned char *expected = malloc(l->size);
    void *base = l->memory + l->origin;

    for (size_t i = 0; i < l->size; i++) l->memory[i] = message_byte(seed, i);
    PMPI_Pack(base, l->count, l->type, whole, (int)n, &position, MPI_COMM_SELF);
    CU_ASSERT_EQUAL_FATAL(plani_view_open(&view, base, l->count, l->type, MPI_COMM_SELF, NULL), 0);
    CU_ASSERT_EQUAL(view.bytes, n);
    if (n > 0) {
        if (view.direct) CU_ASSERT_EQUAL(memcmp(whole, base, n), 0);
        int pieces = cut(r, n, 1 + n / (size_t)(1 + rng_below(r, 50)), at);
        shuffle(r, order, pieces);
        for (int i = 0; i < pieces; i++) {
            size_t from = at[order[i]], to = at[order[i] + 1];
            CU_ASSERT_EQUAL(plani_view_get(&view, from, to - from, mine + from), 0);
        }
        CU_ASSERT_EQUAL(memcmp(whole, mine, n), 0);
        memset(l->memory, 0x11, l->size);
        position = 0;
        PMPI_Unpack(whole, (int)n, &position, base, l->count, l->type, MPI_COMM_SELF);
        memcpy(expected, l->memory, l->size);
        memset(l->memory, 0x11, l->size);
        shuffle(r, order, pieces);
        for (int i = 0; i < pieces; i++) {
            size_t from = at[order[i]], to = at[order[i] + 1];
            CU_ASSERT_EQUAL(plani_view_put(&view, from, to - from, mine + from), 0);
        }
        CU_ASSERT_EQUAL(memcmp(expected, l->memory, l->size), 0);
    }
    plani_view_close(&view);
    free(whole);
    free(mine);
    free(expected);
}

static void check_random_types(rng_t r, int trials)
{
    int large = 0;
    for (int trial = 0; trial < trials; trial++) {
        MPI_Datatype type = random_type(&r, 2 + rng_below(&r, 3), trial % 4 > 0);
        MPI_Aint lb, extent;
        MPI_Type_get_extent(type, &lb, &extent);
        int size;
        MPI_Type_size(type, &size);
        large += size > 4096;
        layout_t l = layout_of(type, size > 1000000 || extent > 10000000 ? 1 : 1 + rng_below(&r, 5));
        check_pieces(&r, &l, (uint64_t)trial);
        layout_free(&l);
    }
    CU_ASSERT(large > trials / 15); /* or nothing was taken apart */
}

static void pieces_of_random_types_make_up_the_whole(void)
{
    check_random_types((rng_t){20040426}, 1500);
}

/* What MPI_Pack left out went as garbage, with status 0. */
static void pieces_make_up_the_whole_where_mpi_leaves_bytes_out(void)
{
    for (unit = 2; unit <= 16; unit *= 2) check_random_types((rng_t){(uint64_t)unit}, 150);
    unit = 1;
}

static int made; /* datatypes of listed blocks */

int MPI_Type_create_hindexed(int n, const int *length, const MPI_Aint *at, MPI_Datatype inner, MPI_Datatype *type)
{
    made++;
    return PMPI_Type_create_hindexed(n, length, at, inner, type);
}

/* To make a datatype of a slice's blocks took MPI ten times as long as to copy them. */
static void listed_numbers_are_copied_without_a_datatype(void)
{
    enum { N = 5000, SLICE = 6000 };
    static double data[3 * N];
    static char slice[SLICE];
    const double *numbers = (const double *)(const void *)slice;
    int at[N];
    MPI_Datatype type;
    plani_view_t view;

    for (int i = 0; i < N; i++) at[i] = 3 * i + i % 2, data[at[i]] = i;
    MPI_Type_create_indexed_block(N, 1, at, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    made = 0;
    CU_ASSERT_EQUAL(plani_view_open(&view, data, 1, type, MPI_COMM_SELF, NULL), 0);
    CU_ASSERT_EQUAL(plani_view_get(&view, SLICE, SLICE, slice), 0);
    CU_ASSERT(numbers[0] == SLICE / 8 && numbers[SLICE / 8 - 1] == SLICE / 4 - 1);
    memset(slice, 0, SLICE);
    CU_ASSERT_EQUAL(plani_view_put(&view, 2 * SLICE, SLICE, slice), 0);
    CU_ASSERT(data[at[SLICE / 4 - 1]] == SLICE / 4 - 1 && data[at[SLICE / 4]] == 0 &&
              data[at[3 * SLICE / 8]] == 3 * SLICE / 8);
    CU_ASSERT_EQUAL(made, 0);
    plani_view_close(&view);
    MPI_Type_free(&type);
}

#if MPI_VERSION >= 4
/* Elements of 3 GiB: each `length` bytes of them are the first behind `first` in `stride` bytes of memory. */
static void check_far_piece(MPI_Datatype type, char *memory, size_t length, size_t stride, size_t first)
{
    enum { N = 5000 };
    const size_t from = ((size_t)3 << 30) - N - 7;
    char piece[N], again[N];
    plani_view_t view;
    size_t wrong = 0;

    for (size_t i = 0; i < N; i++) piece[i] = (char)message_byte(3, i);
    MPI_Type_commit(&type);
    packed = 0;
    CU_ASSERT_EQUAL(plani_view_open(&view, memory, 1, type, MPI_COMM_SELF, NULL), 0);
    CU_ASSERT_EQUAL(view.bytes, (size_t)3 << 30);
    CU_ASSERT_EQUAL(plani_view_put(&view, from, N, piece), 0);
    CU_ASSERT_EQUAL(plani_view_get(&view, from, N, again), 0);
    plani_view_close(&view);
    for (size_t i = 0, k = from; i < N; i++, k++)
        wrong += memory[k / length * stride + first + k % length] != piece[i] || again[i] != piece[i];
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(packed < 10 * N);
    MPI_Type_free(&type);
}
#endif

/* Types made with MPI_Counts were packed whole for every piece, and of more than 2 GiB could not be at all. */
static void types_of_large_counts_are_taken_apart(void)
{
#if MPI_VERSION >= 4
    const MPI_Count n = (MPI_Count)3 << 30, rows = n / 4096, width = 4096, one = 1, none = 0;
    const MPI_Count size[2] = {rows, 2 * width}, sub[2] = {rows, width}, start[2] = {0, 1};
    const size_t span = 2 * (size_t)n;
    MPI_Datatype type, row;
    char *memory =
        mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); /* hardly used */

    CU_ASSERT_FATAL(memory != MAP_FAILED);
    MPI_Type_vector_c(n, 1, 2, MPI_BYTE, &type);
    check_far_piece(type, memory, 1, 2, 0);
    MPI_Type_create_hvector_c(n / 4, 4, 8, MPI_BYTE, &type);
    check_far_piece(type, memory, 4, 8, 0);
    MPI_Type_create_subarray_c(2, size, sub, start, MPI_ORDER_C, MPI_BYTE, &type);
    check_far_piece(type, memory, 4096, 8192, 1);
    MPI_Type_vector_c(n / 3, 3, 4, MPI_BYTE, &row);
    MPI_Type_create_struct_c(1, &one, &none, &row, &type);
    check_far_piece(type, memory, 3, 4, 0);
    MPI_Type_create_hindexed_c(1, &one, &one, row, &type);
    check_far_piece(type, memory, 3, 4, 1);
    MPI_Type_create_indexed_block_c(1, 1, &none, row, &type);
    check_far_piece(type, memory, 3, 4, 0);
    MPI_Type_free(&row);
    munmap(memory, span);
#endif
}

static int is_direct(MPI_Datatype type, int count)
{
    char data[256];
    plani_view_t view;
    MPI_Datatype committed;
    MPI_Type_dup(type, &committed);
    MPI_Type_commit(&committed);
    CU_ASSERT_EQUAL(plani_view_open(&view, data, count, committed, MPI_COMM_SELF, NULL), 0);
    plani_view_close(&view);
    MPI_Type_free(&committed);
    return view.direct;
}

/* The same size as extent does not make a type dense: these two permute, and must be packed. */
static void permuting_types_are_not_taken_for_dense(void)
{
    int at[2] = {1, 0}, length[2] = {1, 1};
    MPI_Aint where[2] = {4, 0};
    MPI_Datatype type, part[2] = {MPI_INT, MPI_INT};
    MPI_Type_indexed(2, length, at, MPI_INT, &type);
    CU_ASSERT_FALSE(is_direct(type, 1));
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, length, where, part, &type);
    CU_ASSERT_FALSE(is_direct(type, 1));
    MPI_Type_free(&type);
    MPI_Type_vector(4, 1, -1, MPI_INT, &type);
    CU_ASSERT_FALSE(is_direct(type, 1));
    MPI_Type_free(&type);
}

static void dense_types_are_seen(void)
{
    MPI_Datatype row, type;
    CU_ASSERT(is_direct(MPI_INT, 3));
    CU_ASSERT_FALSE(is_direct(MPI_SHORT_INT, 2));
    CU_ASSERT(is_direct(MPI_2INT, 2));
    MPI_Type_contiguous(3, MPI_INT, &row);
    CU_ASSERT(is_direct(row, 2));
    MPI_Type_dup(row, &type);
    CU_ASSERT(is_direct(type, 2));
    MPI_Type_free(&type);
    MPI_Type_vector(3, 2, 2, row, &type);
    CU_ASSERT(is_direct(type, 2));
    MPI_Type_free(&type);
    MPI_Type_vector(3, 1, 2, row, &type);
    CU_ASSERT_FALSE(is_direct(type, 1));
    MPI_Type_free(&type);
    MPI_Type_create_resized(row, 0, 16, &type);
    CU_ASSERT_FALSE(is_direct(type, 2));
    CU_ASSERT(is_direct(type, 1)); /* nothing comes behind the gap */
    MPI_Type_free(&type);
    MPI_Type_create_resized(row, -4, 12, &type);
    CU_ASSERT(is_direct(type, 2));
    MPI_Type_free(&type);
    MPI_Type_free(&row);
}

static int last_uses; /* datatypes that are gone for good */

static int count_last_use(MPI_Datatype type, int keyval, void *value, void *extra)
{
    (void)type, (void)keyval, (void)value, (void)extra;
    last_uses++;
    return MPI_SUCCESS;
}

/* MPI hands out the parts of a datatype as new references: a part is gone for good once nobody holds one. */
static void parts_that_were_looked_at_are_let_go(void)
{
    char data[256];
    int keyval;
    MPI_Datatype row, type;
    plani_view_t view;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_last_use, &keyval, NULL);
    for (int rows = 1; rows <= 2; rows++) { /* dense, and with gaps */
        last_uses = 0;
        MPI_Type_contiguous(3, MPI_INT, &row);
        MPI_Type_set_attr(row, keyval, NULL);
        MPI_Type_vector(3, 1, rows, row, &type);
        MPI_Type_commit(&type);
        MPI_Type_free(&row);
        CU_ASSERT_EQUAL(plani_view_open(&view, data, 1, type, MPI_COMM_SELF, NULL), 0);
        CU_ASSERT_EQUAL(view.direct, rows == 1);
        CU_ASSERT_EQUAL(plani_view_get(&view, 4, 20, data + 128), 0);
        plani_view_close(&view);
        CU_ASSERT_EQUAL(last_uses, 0);
        MPI_Type_free(&type);
        CU_ASSERT_EQUAL(last_uses, 1);
    }
    MPI_Type_free_keyval(&keyval);
}

/* As many bytes as there may be are taken, and not one element more. */
static void more_bytes_than_there_are_addresses_are_refused(void)
{
    char data[1];
    plani_view_t view;
    const MPI_Count most = PTRDIFF_MAX;
    for (int count = 1; count <= 3; count++) {
        MPI_Datatype type;
        MPI_Type_contiguous(count, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        CU_ASSERT_EQUAL(plani_view_open(&view, data, most / count, type, MPI_COMM_SELF, NULL), 0);
        CU_ASSERT_EQUAL(view.bytes, (size_t)(most / count) * (size_t)count);
        plani_view_close(&view);
        if (count > 1)
            CU_ASSERT_EQUAL(plani_view_open(&view, data, most / count + 1, type, MPI_COMM_SELF, NULL), PLAN_EINVAL);
        CU_ASSERT_EQUAL(plani_view_open(&view, data, -1, type, MPI_COMM_SELF, NULL), PLAN_EINVAL);
        MPI_Type_free(&type);
    }
    CU_ASSERT_EQUAL(plani_view_open(&view, data, 1, MPI_DATATYPE_NULL, MPI_COMM_SELF, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_view_open(&view, NULL, 0, MPI_INT, MPI_COMM_SELF, NULL), 0);
    CU_ASSERT_EQUAL(view.bytes, 0);
    plani_view_close(&view);
}

/* Only what MPI defines is remembered, and what was found wrong before still is. */
static void the_last_type_is_known_if_mpi_defines_it(void)
{
    int data[8];
    plani_view_t view;
    plani_named_t last = {.size = 0};
    MPI_Datatype pair, alias;

    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_dup(MPI_DOUBLE, &alias);
    const struct {
        MPI_Datatype type;
        bool dense, kept;
    } step[] = {{pair, false, false},          {MPI_INT, true, true}, {MPI_INT, true, true},   {alias, true, false},
                {MPI_SHORT_INT, false, false}, {MPI_INT, true, true}, {MPI_DOUBLE, true, true}};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        const plani_named_t before = last;
        int size;
        MPI_Type_size(step[i].type, &size);
        CU_ASSERT_EQUAL(plani_view_open(&view, data, 1, step[i].type, MPI_COMM_SELF, &last), 0);
        CU_ASSERT_EQUAL(view.direct, step[i].dense);
        CU_ASSERT_EQUAL(view.bytes, (size_t)size);
        CU_ASSERT_EQUAL(last.type, step[i].kept ? step[i].type : before.type);
        plani_view_close(&view);
    }
    CU_ASSERT_EQUAL(last.size, sizeof(double));
    CU_ASSERT_EQUAL(plani_view_open(&view, data, -1, MPI_DOUBLE, MPI_COMM_SELF, &last), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_view_open(&view, data, PTRDIFF_MAX / 8 + 1, MPI_DOUBLE, MPI_COMM_SELF, &last), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_view_open(&view, NULL, 0, MPI_DOUBLE, MPI_COMM_SELF, &last), 0);
    CU_ASSERT(plani_view_open(&view, NULL, 1, MPI_DOUBLE, MPI_COMM_SELF, &last) > 0);
    CU_ASSERT(plani_view_open(&view, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_COMM_SELF, &last) > 0);
    MPI_Type_free(&pair);
    MPI_Type_free(&alias);
}

MPI_SUITE_MAIN("view", TEST(the_last_type_is_known_if_mpi_defines_it), TEST(parts_that_were_looked_at_are_let_go),
               TEST(more_bytes_than_there_are_addresses_are_refused), TEST(pieces_of_random_types_make_up_the_whole),
               TEST(pieces_make_up_the_whole_where_mpi_leaves_bytes_out), TEST(types_of_large_counts_are_taken_apart),
               TEST(listed_numbers_are_copied_without_a_datatype), TEST(permuting_types_are_not_taken_for_dense),
               TEST(dense_types_are_seen))
