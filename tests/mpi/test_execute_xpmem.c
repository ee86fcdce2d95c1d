/* Broadcasts out of mapped memory, with a stand-in for XPMEM's library (fake_xpmem/). */
#define _GNU_SOURCE /* process_vm_readv */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/execute/single_copy.h"
#include "planner/plan/plan_private.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xpmem.h>

enum { BYTES = 1 << 20, SINGLE = 1 << PLANI_BY_SINGLE_COPY, MAPPING = 1 << PLANI_BY_MAPPING };

static bool refuses; /* the kernel, to copy from other processes */

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m,
                         unsigned long flags)
{
    errno = EPERM;
    return refuses ? -1 : syscall(SYS_process_vm_readv, pid, to, n, from, m, flags);
}

static bool of_a_device; /* all memory that may be handed out */

int madvise(void *from, size_t size, int advice)
{
    errno = EINVAL;
    return of_a_device && advice == MADV_POPULATE_READ ? -1 : (int)syscall(SYS_madvise, from, size, advice);
}

/* All ways are as fast as each other. */
double MPI_Wtime(void)
{
    static double now_s;
    return now_s += 1e-3;
}

static int sum_of(int mine)
{
    int all;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static plan_t *plan_on(MPI_Comm *comm)
{
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    return shared_plan(*comm, 0);
}

static plani_ring_t *ring_of(const plan_t *plan)
{
    return ((plani_binding_t *)plan->binding)->ring;
}

/* Afterwards nothing of XPMEM's is left. */
static void end(plan_t *plan, MPI_Comm comm)
{
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
    CU_ASSERT(fake_xpmem.segments == 0 && fake_xpmem.permits == 0 && fake_xpmem.attached == 0);
    CU_ASSERT_EQUAL(fake_xpmem.mistakes, 0);
}

/* The stand-in cannot do without what some containers forbid. */
static bool kernel_allows_it(void)
{
    MPI_Comm comm;
    plan_t *plan = plan_on(&comm);
    unsigned ways = ring_of(plan)->ways;
    end(plan, comm);
    CU_ASSERT(ways == 0 || ways == (SINGLE | MAPPING));
    return ways != 0;
}

/* The way of the next broadcast, which all ranks get right, each byte copied as often as it should be. */
static int way_of_next(plan_t *plan, MPI_Comm comm, uint64_t seed)
{
    const uint64_t others = (uint64_t)world_size() - 1;
    const plan_copies_t a = copies_of(plan, comm);
    const int before = sum_of(fake_xpmem.attaches);
    CU_ASSERT(casts_bytes(plan, comm, 0, BYTES, seed));
    const int mapped = sum_of(fake_xpmem.attaches) - before;
    const plan_copies_t b = copies_of(plan, comm);
    const bool slots = b.written > a.written;
    CU_ASSERT(b.written - a.written == (slots ? BYTES : 0) && b.read - a.read == (slots ? BYTES * others : 0));
    CU_ASSERT(b.single - a.single == (slots ? 0 : BYTES * others) && b.packed == a.packed);
    CU_ASSERT(mapped == 0 || (!slots && mapped == (int)others));
    CU_ASSERT_EQUAL(fake_xpmem.attached, 0);
    return slots ? PLANI_BY_SLOTS : mapped > 0 ? PLANI_BY_MAPPING : PLANI_BY_SINGLE_COPY;
}

/* Four messages by each way, then by one of them, and the last eight of 64 by the other two. */
static void all_three_ways_are_tried_and_tried_again(void)
{
    MPI_Comm comm;
    if (!kernel_allows_it()) return;
    plan_t *plan = plan_on(&comm);
    int n[PLANI_COPIES] = {0};
    CU_ASSERT_EQUAL(fake_xpmem.segments, 1);
    CU_ASSERT_EQUAL(fake_xpmem.permits, world_size() - 1);
    for (int i = 0; i < 12; i++) CU_ASSERT_EQUAL(way_of_next(plan, comm, (uint64_t)i), i / 4);
    for (int i = 12; i < 56; i++) CU_ASSERT(casts_bytes(plan, comm, 0, BYTES, (uint64_t)i));
    for (int i = 56; i < 64; i++) n[way_of_next(plan, comm, (uint64_t)i)]++;
    for (int way = 0; way < PLANI_COPIES; way++) CU_ASSERT(n[way] == 0 || n[way] == 4);
    end(plan, comm);
}

/* No rank uses it, and the others go on. */
static void what_one_rank_cannot_do_none_does(void)
{
    const bool last = world_rank() == world_size() - 1;
    if (!kernel_allows_it()) return;
    for (int what = FAKE_MAKE_FAILS; what <= FAKE_ATTACH_FAILS; what++) {
        MPI_Comm comm;
        if (last) fake_xpmem.fails = what;
        plan_t *plan = plan_on(&comm);
        fake_xpmem.fails = FAKE_WORKS;
        CU_ASSERT_EQUAL(ring_of(plan)->ways, SINGLE);
        CU_ASSERT(fake_xpmem.segments == 0 && fake_xpmem.permits == 0);
        for (int i = 0; i < 9; i++) CU_ASSERT(way_of_next(plan, comm, (uint64_t)i) != PLANI_BY_MAPPING);
        end(plan, comm);
    }
}

/* After `before` good broadcasts the last rank cannot read one from the root's memory. It says so. */
static void fails_once(plan_t *plan, MPI_Comm comm, int before)
{
    const bool last = world_rank() == world_size() - 1;
    char *data = malloc(BYTES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    for (int i = 0; i < before; i++) CU_ASSERT_EQUAL(way_of_next(plan, comm, (uint64_t)i), i / 4);
    if (last && before == 4) refuses = true;
    if (last && before == 8) fake_xpmem.fails = FAKE_ATTACH_FAILS;
    memset(data, world_rank() == 0 ? 5 : 6, BYTES);
    CU_ASSERT_EQUAL(plan_execute(plan, data, BYTES, MPI_BYTE), last ? PLAN_EUNSUPPORTED : 0);
    CU_ASSERT(data[0] == (last ? 6 : 5) && data[BYTES - 1] == (last ? 6 : 5));
    free(data);
}

static void who_can_no_longer_map_says_so(void)
{
    MPI_Comm comm;
    if (!kernel_allows_it()) return;
    plan_t *plan = plan_on(&comm);
    fails_once(plan, comm, 8);
    for (int i = 0; i < 8; i++) CU_ASSERT(way_of_next(plan, comm, (uint64_t)i) != PLANI_BY_MAPPING);
    fake_xpmem.fails = FAKE_WORKS;
    end(plan, comm);
}

/* The kernel copies no more, and mapping has not been tried yet. */
static void who_can_no_longer_copy_maps(void)
{
    MPI_Comm comm;
    if (!kernel_allows_it()) return;
    plan_t *plan = plan_on(&comm);
    fails_once(plan, comm, 4);
    for (int i = 0; i < 8; i++) {
        int way = way_of_next(plan, comm, (uint64_t)i);
        CU_ASSERT(i < 4 ? way == PLANI_BY_MAPPING : way != PLANI_BY_SINGLE_COPY);
    }
    refuses = false;
    end(plan, comm);
}

/* Where the kernel does not copy at all. The others take a message of bytes apart, piece by piece. */
static void mapped_messages_are_unpacked(void)
{
    MPI_Comm comm;
    MPI_Datatype halves; /* every other byte */
    if (!kernel_allows_it()) return;
    const bool root = world_rank() == 0;
    unsigned char *data = malloc(2 * BYTES);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    MPI_Type_vector(1, 1, 2, MPI_BYTE, &halves);
    MPI_Type_create_resized(halves, 0, 2, &halves);
    MPI_Type_commit(&halves);
    refuses = true;
    plan_t *plan = plan_on(&comm);
    CU_ASSERT_EQUAL(ring_of(plan)->ways, MAPPING);
    for (int i = 0; i < 4; i++) CU_ASSERT_EQUAL(way_of_next(plan, comm, (uint64_t)i), PLANI_BY_SLOTS);
    for (int i = 0; i < 2 * BYTES; i++) data[i] = root ? message_byte(1, (size_t)i) : 7;
    const int before = fake_xpmem.attaches;
    CU_ASSERT_EQUAL(plan_execute(plan, data, BYTES, root ? MPI_BYTE : halves), 0);
    CU_ASSERT_EQUAL(fake_xpmem.attaches - before, root ? 0 : BYTES / PLANI_SLOT);
    int wrong = 0;
    for (int i = 0; i < BYTES && !root; i++) wrong += data[2 * i] != message_byte(1, (size_t)i) || data[2 * i + 1] != 7;
    CU_ASSERT_EQUAL(wrong, 0);
    refuses = false;
    end(plan, comm);
    MPI_Type_free(&halves);
    free(data);
}

/* Readers would be killed by SIGBUS. */
static void what_cannot_be_mapped_is_not_offered(void)
{
    MPI_Comm comm;
    if (!kernel_allows_it()) return;
    plan_t *plan = plan_on(&comm);
    for (int i = 0; i < 8; i++) CU_ASSERT_EQUAL(way_of_next(plan, comm, (uint64_t)i), i / 4);
    of_a_device = true;
    CU_ASSERT(way_of_next(plan, comm, 8) != PLANI_BY_MAPPING);
    of_a_device = false;
    for (int i = 9; i < 14; i++) CU_ASSERT(way_of_next(plan, comm, (uint64_t)i) != PLANI_BY_MAPPING);
    end(plan, comm);
}

/* Of messages that begin and end anywhere, and that several roots send in turns. */
static void every_part_of_a_page_is_mapped(void)
{
    MPI_Comm comm;
    if (!kernel_allows_it()) return;
    const int ranks = world_size();
    static const size_t size[] = {32769, 40960, 65535, 65537};
    unsigned char *data = malloc(70000);
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    plan_t *plan[2] = {plan_on(&comm), NULL};
    plan[1] = shared_plan(comm, ranks - 1);
    refuses = true;
    for (int i = 0; i < 2; i++) ring_of(plan[i])->ways = MAPPING;
    for (size_t i = 0; i < 64; i++) {
        const size_t bytes = size[i % 4], at = i * 67 % 4099;
        const int root = i % 2 == 0 ? 0 : ranks - 1;
        memset(data, 0, 70000);
        for (size_t k = 0; k < bytes && world_rank() == root; k++) data[at + k] = message_byte(i, k);
        CU_ASSERT_EQUAL(plan_execute(plan[i % 2], data + at, (MPI_Count)bytes, MPI_BYTE), 0);
        int wrong = (at > 0 && data[at - 1] != 0) || data[at + bytes] != 0;
        for (size_t k = 0; k < bytes; k++) wrong += data[at + k] != message_byte(i, k);
        CU_ASSERT_EQUAL(wrong, 0);
    }
    CU_ASSERT(sum_of(fake_xpmem.attaches) > 0);
    refuses = false;
    plan_destroy(&plan[1]);
    end(plan[0], comm);
    free(data);
}

MPI_SUITE_MAIN("execute xpmem", TEST(all_three_ways_are_tried_and_tried_again), TEST(what_one_rank_cannot_do_none_does),
               TEST(who_can_no_longer_map_says_so), TEST(who_can_no_longer_copy_maps),
               TEST(mapped_messages_are_unpacked), TEST(what_cannot_be_mapped_is_not_offered),
               TEST(every_part_of_a_page_is_mapped))
