/*
 * Messages of more than 2^31 - 1 bytes, on two ranks. The root's elements overlap in memory, which is allowed for
 * buffers that are only read, so its buffer is small. The other rank needs 2.2 GB.
 */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/execute/binding.h"
#include <stdint.h>
#include <string.h>

enum { BLOCK = 1 << 20, BLOCKS = 2100 }; /* 2.2 GB */

static int all_are(const unsigned char *data, size_t from, size_t to, unsigned char value)
{
    for (size_t i = from; i < to; i++)
        if (data[i] != value) return 0;
    return 1;
}

/* All blocks are the same; the last byte of each tells where it ends. */
static void cast_large(plan_t *plan, int by_count)
{
    static unsigned char block[BLOCK];
    size_t bytes = (size_t)BLOCK * BLOCKS;
    unsigned char *data = NULL;
    MPI_Datatype repeated, element;

    MPI_Type_create_hvector(BLOCKS, BLOCK, 0, MPI_BYTE, &repeated); /* the same block again and again */
    MPI_Type_commit(&repeated);
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &element);
    MPI_Type_commit(&element);
    memset(block, 0x5c, BLOCK);
    block[BLOCK - 1] = 0x77;
    if (world_rank() != 0) {
        data = malloc(bytes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(data);
        memset(data, 0, bytes);
    }
    int rc;
    if (world_rank() == 0)
        rc = plan_execute(plan, block, 1, repeated);
    else if (by_count)
        rc = plan_execute(plan, data, (MPI_Count)bytes, MPI_BYTE);
    else
        rc = plan_execute(plan, data, BLOCKS, element);
    CU_ASSERT_EQUAL(rc, 0);
    int good = 1;
    for (size_t b = 0; data != NULL && b < BLOCKS; b++)
        good &= all_are(data, b * BLOCK, (b + 1) * BLOCK - 1, 0x5c) && data[(b + 1) * BLOCK - 1] == 0x77;
    CU_ASSERT(good);
    free(data);
    MPI_Type_free(&repeated);
    MPI_Type_free(&element);
}

static void more_than_two_gigabytes_arrive(void)
{
    plan_t *plan = topology_plan(MPI_COMM_WORLD, 0, PLAN_PIPELINE, 0, 8000001, 3);
    cast_large(plan, 1);
    plan_destroy(&plan);
}

static void the_library_gets_less_than_two_gigabytes_at_a_time(void)
{
    plan_t *plan = native_plan(MPI_COMM_WORLD, 0);
    cast_large(plan, 0);
    plan_destroy(&plan);
}

MPI_SUITE_MAIN("execute large", TEST(more_than_two_gigabytes_arrive),
               TEST(the_library_gets_less_than_two_gigabytes_at_a_time))
