/* Broadcasts through shared memory. */
#define _GNU_SOURCE /* process_vm_readv */
#include "mpi_suite.h"
#include "cast.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/execute/single_copy.h"
#include "planner/plan/plan_private.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static int hidden; /* ranks that seem to be elsewhere */

/* Takes the place of MPI's: as many ranks as `hidden` says are on hosts of their own. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    int rank = rank_in(comm);
    if (hidden == 0) return PMPI_Comm_split_type(comm, type, key, info, out);
    return PMPI_Comm_split(comm, rank < hidden ? rank : hidden, key, out);
}

static bool no_memory;  /* the system has none to share */
static int interrupted; /* so many signals come while it looks */

int posix_fallocate(int file, off_t from, off_t size)
{
    if (interrupted > 0) return interrupted--, EINTR;
    return no_memory ? ENOSPC : ftruncate(file, from + size);
}

static bool no_pages; /* nor room for more of what is shared */

int madvise(void *from, size_t size, int advice)
{
    errno = EFAULT;
    return no_pages && size > 0 ? -1 : (int)syscall(SYS_madvise, from, size, advice);
}

static enum { READS, REFUSES, READS_ANOTHER } kernel; /* another: process, whose id is the same elsewhere */
static int reads;                                     /* of other processes' memory, MPI's own among them */

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *from, unsigned long m,
                         unsigned long flags)
{
    reads++;
    errno = EPERM;
    if (kernel == REFUSES) return -1;
    if (kernel == READS) return syscall(SYS_process_vm_readv, pid, to, n, from, m, flags);
    memset(to->iov_base, 1, to->iov_len);
    return (ssize_t)to->iov_len;
}

/* Whether the ranks may read each other's memory, and none has been refused. */
static bool may_read_all(const plani_ring_t *ring)
{
    return (ring->ways & ~atomic_load(&ring->head->refused)) != 0;
}

/* Nothing, a slice of each kind and a byte more or less, all slots and one more, and long. */
static void every_size_arrives_from_every_root_among_any_number_of_ranks(void)
{
    static const size_t size[] = {0,      1,     64,    65,    256,    257,    8191,    8192,          8193,
                                  32767,  32768, 32769, 65537, 131072, 131073, 1048575, (1 << 20) + 1, (5 << 18) - 7,
                                  3456789};
    for (int ranks = 1; ranks <= world_size(); ranks++) {
        MPI_Comm some;
        MPI_Comm_split(MPI_COMM_WORLD, world_rank() < ranks ? 0 : MPI_UNDEFINED, 0, &some);
        for (int root = 0; root < ranks && some != MPI_COMM_NULL; root++) {
            plan_t *plan = shared_plan(some, root);
            for (size_t i = 0; i < sizeof size / sizeof *size; i++)
                CU_ASSERT(casts_bytes(plan, some, root, size[i], i));
            plan_destroy(&plan);
        }
        if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
    }
}

/* Broadcasts of many sizes one after the other, two plans and a tree in turns, while ranks run ahead and fall behind.
 */
static void broadcasts_follow_each_other_without_a_barrier(void)
{
    rng_t r = {99};
    int last = world_size() - 1;
    plan_t *first = shared_plan(MPI_COMM_WORLD, 0), *second = shared_plan(MPI_COMM_WORLD, last);
    plan_t *tree = topology_plan(MPI_COMM_WORLD, 0, PLAN_BINARY, 0, 100, 2);
    for (int i = 0; i < 300; i++) {
        size_t bytes = (size_t)rng_below(&r, i % 10 == 0 ? 2000000 : 5000);
        CU_ASSERT(casts_bytes(i % 3 == 0 ? second : first, MPI_COMM_WORLD, i % 3 == 0 ? last : 0, bytes, (uint64_t)i));
        if (i % 5 == 0) CU_ASSERT(casts_bytes(tree, MPI_COMM_WORLD, 0, bytes % 1000, (uint64_t)i));
    }
    plan_destroy(&first);
    plan_destroy(&second);
    plan_destroy(&tree);
}

/* The slice after one that all have read is in the first slot, whoever writes it. */
static void who_finds_all_read_begins_at_the_first_slot(void)
{
    const int last = world_size() - 1;
    if (last == 0) return;
    plan_t *plan[2] = {shared_plan(MPI_COMM_WORLD, 0), shared_plan(MPI_COMM_WORLD, last)};
    const plani_ring_t *ring = ((plani_binding_t *)plan[0]->binding)->ring;
    for (int i = 0; i < 12; i++) {
        CU_ASSERT(casts_bytes(plan[i % 2], MPI_COMM_WORLD, i % 2 == 0 ? 0 : last, 3000, (uint64_t)i));
        CU_ASSERT_EQUAL(ring->head->slot[(ring->seq - 1) % PLANI_LABELS].label.slot, 0);
        CU_ASSERT_EQUAL((ring->seq - ring->start) % ring->slots, 1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++) plan_destroy(&plan[i]);
}

/* So long that all copies together go past the caches. */
static void long_messages_arrive(void)
{
    plan_t *plan = shared_plan(MPI_COMM_WORLD, 0);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, ((size_t)128 << 20) / (size_t)world_size() + 5, 1));
    plan_destroy(&plan);
}

/* Fewer slices than the root's, as many, and more. */
static void another_size_is_noticed_and_does_no_harm(void)
{
    static const size_t size[][2] = {{1000, 2000}, {2000, 1000}, {1000, 3000000}, {3000000, 1000}};
    plan_t *plan = shared_plan(MPI_COMM_WORLD, 0);
    unsigned char *data = malloc(3000001);
    for (int i = 0; i < 4; i++) {
        bool root = world_rank() == 0;
        size_t mine = size[i][root ? 0 : 1];
        memset(data, root ? 1 : 2, 3000001);
        CU_ASSERT_EQUAL(plan_execute(plan, data, (MPI_Count)mine, MPI_BYTE), root ? 0 : PLAN_EDISAGREE);
        if (!root) CU_ASSERT(data[0] == 2 && data[mine - 1] == 2 && data[mine] == 2);
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 99999, (uint64_t)i));
    }
    free(data);
    plan_destroy(&plan);
}

/* The root first takes a long message from a rank that waits for the root in the broadcast. */
static void who_waits_serves_its_other_messages(void)
{
    enum { N = 8 << 20 };
    int rank = world_rank(), ranks = world_size();
    char *data = calloc(1, N), byte = 0;
    plan_t *plan = shared_plan(MPI_COMM_WORLD, 0);
    MPI_Request sent = MPI_REQUEST_NULL;
    for (int from = 1; from < ranks && rank == 0; from++)
        MPI_Recv(data, N, MPI_BYTE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) byte = 5;
    if (rank != 0) MPI_Isend(data, N, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &sent);
    CU_ASSERT_EQUAL(plan_execute(plan, &byte, 1, MPI_BYTE), 0);
    CU_ASSERT_EQUAL(byte, 5);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    plan_destroy(&plan);
    free(data);
}

static void ranks_that_cannot_share_memory_are_refused_in_one_line(void)
{
    const plan_candidate_t c = {.size = sizeof c, .name = "shared-memory", .run = PLAN_RUN_SHARED, .window = 1};
    const plan_range_t range = {.up_to = 1 << 20, .chosen = &c};
    int ranks = world_size();
    plan_error_t err;
    plan_t *offline = NULL, *plan = NULL;
    MPI_Comm comm; /* for which no memory has been opened */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, 1, &range, NULL, &offline), PLAN_OK);
    for (hidden = 1; hidden < ranks; hidden++) {
        CU_ASSERT_EQUAL(plan_bind(comm, offline, &plan, &err), PLAN_EUNSUPPORTED);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "ranks share memory"));
        CU_ASSERT_PTR_NULL(plan);
    }
    hidden = 0;
    no_memory = ranks > 1; /* one needs none */
    CU_ASSERT_EQUAL(plan_bind(comm, offline, &plan, &err), no_memory ? PLAN_EUNSUPPORTED : PLAN_OK);
    CU_ASSERT(!no_memory || (plan == NULL && strstr(err.text, "No space left") != NULL));
    plan_destroy(&plan);
    no_memory = false;
    CU_ASSERT_EQUAL(plan_bind(comm, offline, &plan, &err), PLAN_OK);
    CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 200000, 1));
    plan_destroy(&plan);
    plan_destroy(&offline);
    MPI_Comm_free(&comm);
}

static void signals_do_not_keep_memory_from_being_shared(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    interrupted = 3;
    plan_t *plan = shared_plan(comm, 0);
    CU_ASSERT_EQUAL(interrupted, world_rank() == 0 && world_size() > 1 ? 0 : 3);
    CU_ASSERT(casts_bytes(plan, comm, 0, 200000, 1));
    interrupted = 0;
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

/* On one host with shared memory. */
static plan_platform_t *one_host(void)
{
    enum { MOST = 8 };
    int ranks = world_size(), host[MOST] = {0};
    size_t n = 0;
    plan_link_t link[MOST * MOST];
    double bytes[2] = {8, 1 << 20}, seconds[2] = {1e-9, 1e-9};
    plan_platform_t *pf = NULL;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v)
                link[n++] = (plan_link_t){.from = u, .to = v, .latency_s = 1e-6, .s_per_byte = 1e-9, .channel = -1};
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .nlinks = n, .link = link, .host = host, .hosts = 1};
    d.nshared = 2, d.shared_bytes = bytes, d.shared_s = seconds;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* The profile has shared memory, and there is no room for it now. */
static void without_room_another_candidate_is_planned(void)
{
    int ranks = world_size();
    plan_platform_t *pf = one_host();
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    plan_options_t options = {.size = sizeof options,
                              .choice = {.size = sizeof options.choice},
                              .mode = PLAN_ESTIMATE,
                              .platform = pf,
                              .budget_s = 1};
    for (int full = 1; full >= 0; full--) {
        plan_t *plan = NULL;
        no_memory = full && ranks > 1;
        CU_ASSERT_EQUAL_FATAL(plan_bcast(comm, 0, 100000, &options, &plan), 0);
        CU_ASSERT_EQUAL(plan_chosen(plan, 5000)->run == PLAN_RUN_SHARED, ranks > 1 && !full);
        CU_ASSERT(casts_bytes(plan, MPI_COMM_WORLD, 0, 100000, 1));
        plan_destroy(&plan);
    }
    plan_platform_destroy(&pf);
    MPI_Comm_free(&comm);
}

static double tick_s = 1e-3; /* that a message takes by any way; 0: as long as it takes */

double MPI_Wtime(void)
{
    static double now_s;
    return tick_s > 0 ? now_s += tick_s : PMPI_Wtime();
}

static int made; /* files for shared memory */

int shm_unlink(const char *name)
{
    made++;
    char path[100];
    snprintf(path, sizeof path, "/dev/shm%s", name);
    return unlink(path);
}

/* Times that this rank gave up the processor to wait; sched_yield does not count. */
static long slept(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
}

/* Whether all but `who`, which is late by `ms`, sleep more than twice meanwhile. */
static int sleep_for(plan_t *plan, char *buffer, size_t bytes, int who, long ms)
{
    const struct timespec late = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    MPI_Barrier(MPI_COMM_WORLD);
    long before = slept();
    if (world_rank() == who) nanosleep(&late, NULL);
    CU_ASSERT_EQUAL(plan_execute(plan, buffer, bytes, MPI_BYTE), 0);
    int all, mine = world_rank() == who || slept() - before > 2;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

/* Whoever is late, the root or a reader, for whom the root needs room: the others do not poll for all of the time. They
 * first yield the processor some times, each of which lasts long where others want it. */
static void who_waits_long_sleeps(void)
{
    const size_t bytes = 4 << 20;
    plan_t *plan = shared_plan(MPI_COMM_WORLD, 0);
    char *buffer = calloc(1, bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(buffer);
    for (int who = 0; who < 2 && who < world_size() && world_size() > 1; who++) {
        long ms = 200;
        while (!sleep_for(plan, buffer, bytes, who, ms) && ms < 10000) ms *= 2;
        CU_ASSERT(ms < 10000);
    }
    free(buffer);
    plan_destroy(&plan);
}

static void plans_of_one_communicator_share_their_memory(void)
{
    plan_t *plan[4];
    MPI_Comm comm;
    const plan_candidate_t c = {.size = sizeof c, .name = "shared-memory", .run = PLAN_RUN_SHARED, .window = 1};
    const plan_range_t range = {.up_to = 1 << 20, .chosen = &c};
    int ranks = world_size();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made = 0;
    for (int i = 0; i < 4; i++) {
        plan_t *offline = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, i % ranks, 1, &range, NULL, &offline), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_bind(comm, offline, &plan[i], NULL), 0);
        plan_destroy(&offline);
    }
    CU_ASSERT_EQUAL(made, ranks > 1 && world_rank() == 0 ? 1 : 0);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 40; i++)
        CU_ASSERT(casts_bytes(plan[i * 7 % 4], MPI_COMM_WORLD, i * 7 % 4 % ranks, (size_t)(i * i * 401), (uint64_t)i));
    for (int i = 0; i < 4; i++) plan_destroy(&plan[i]);
}

/* The next broadcasts of 3 MiB are right; \return how often other processes' memory was read, in all. */
static int reads_of(plan_t *plan, MPI_Comm comm, int broadcasts)
{
    int all, mine, before = reads;
    for (int i = 0; i < broadcasts; i++) CU_ASSERT(casts_bytes(plan, comm, 0, 3 << 20, (uint64_t)i));
    mine = reads - before;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

static plan_t *shared_plan_on(MPI_Comm *comm)
{
    MPI_Comm_dup(MPI_COMM_WORLD, comm);
    return shared_plan(*comm, 0);
}

/* Of eight broadcasts four by a single copy, each of which every rank but the root reads at once. */
static void both_ways_are_tried_where_the_kernel_allows_it(void)
{
    for (kernel = READS_ANOTHER; (int)kernel >= READS; kernel--) {
        MPI_Comm comm;
        plan_t *plan = shared_plan_on(&comm);
        int n = reads_of(plan, comm, 8);
        CU_ASSERT(n == 0 || (kernel == READS && n == 4 * (world_size() - 1)));
        plan_destroy(&plan);
        MPI_Comm_free(&comm);
    }
    kernel = READS;
}

/* Two messages that take more than twice as long are enough. */
static void slow_ways_are_given_up_early(void)
{
    MPI_Comm comm;
    plan_t *plan = shared_plan_on(&comm);
    CU_ASSERT_EQUAL(reads_of(plan, comm, 4), 0);
    tick_s *= 2.5;
    int n = reads_of(plan, comm, 2);
    tick_s /= 2.5;
    CU_ASSERT(n == 0 || n == 2 * (world_size() - 1));
    CU_ASSERT_EQUAL(reads_of(plan, comm, 8), 0);
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

/* Four times each: through the slots, into the caches and past them, by a single copy. Longer ones only past them,
 * shorter ones only into them. */
static void long_messages_are_also_copied_past_the_caches(void)
{
    static const struct {
        size_t bytes; /* of all copies */
        bool into, past;
    } size[] = {{2 << 20, true, false}, {16 << 20, true, true}, {256 << 20, false, true}};
    MPI_Comm comm;
    plan_t *plan = shared_plan_on(&comm);
    const plani_ring_t *ring = ((plani_binding_t *)plan->binding)->ring;
    for (size_t k = 0; k < sizeof size / sizeof *size && world_size() > 1; k++) {
        size_t bytes = size[k].bytes / (size_t)world_size(), class = 0;
        for (int i = 0; i < 12; i++) CU_ASSERT(casts_bytes(plan, comm, 0, bytes, (uint64_t)i));
        while (bytes >> class > 1) class ++;
        const plani_copy_times_t *t = &ring->copies[class];
        bool single = may_read_all(ring);
        if (world_rank() != 0) continue;
        CU_ASSERT(t->timed[PLANI_PAST_CACHES] >= (single || size[k].into ? 4 : 0) || !size[k].past);
        CU_ASSERT(t->timed[PLANI_PAST_CACHES] == 0 || size[k].past);
        CU_ASSERT(t->timed[PLANI_BY_SLOTS] >= (single || size[k].past ? 4 : 0) || !size[k].into);
        CU_ASSERT(t->timed[PLANI_BY_SLOTS] == 0 || size[k].into);
    }
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

typedef struct {
    unsigned long sizes, runs; /* of long messages, in which rank 0 timed shared memory */
} timed_t;

static void add(void *timed, const plan_trial_t *trial)
{
    timed_t *t = timed;
    if (trial->bytes <= 32768 || trial->runs == 0) return;
    t->sizes++;
    t->runs += trial->runs;
}

/* Eight messages of each size are not timed: four by each way. */
static void what_is_timed_goes_by_the_way_that_was_chosen(void)
{
    plan_platform_t *pf = one_host();
    timed_t timed = {0, 0};
    MPI_Comm comm;
    plan_t *before = shared_plan_on(&comm), *plan = NULL;
    plan_options_t options = {.size = sizeof options,
                              .choice = {.size = sizeof options.choice, .only = "shared-memory"},
                              .mode = PLAN_MEASURE,
                              .platform = pf,
                              .budget_s = 20, /* ends before that */
                              .shortlist = 1,
                              .report_context = &timed,
                              .trial = add};
    const int root = world_size() - 1;
    const double tick = tick_s;
    tick_s = 0;
    if (root > 0) {
        CU_ASSERT_EQUAL_FATAL(plan_bcast(comm, root, 100000, &options, &plan), 0);
        const plani_ring_t *ring = ((plani_binding_t *)plan->binding)->ring;
        MPI_Bcast(&timed, (int)sizeof timed, MPI_BYTE, 0, comm);
        unsigned long n = 0, trials = may_read_all(ring) ? 8 * timed.sizes : 0;
        for (int k = 0; k < PLANI_SIZE_CLASSES; k++) n += ring->copies[k].n;
        CU_ASSERT(timed.sizes > 0);
        CU_ASSERT(trials == 0 || n == (world_rank() == root ? timed.runs + trials : 0));
    }
    tick_s = tick;
    plan_destroy(&plan);
    plan_destroy(&before);
    plan_platform_destroy(&pf);
    MPI_Comm_free(&comm);
}

/* The slots: each byte is written once and read by all but the root, and packed and unpacked on the way. Single copies:
 * read by all but the root. */
static void copies_per_byte_are_those_of_the_way(void)
{
    enum { BYTES = 3 << 20 };
    const uint64_t others = (uint64_t)world_size() - 1, in = others > 0 ? BYTES : 0;
    MPI_Comm comm;
    MPI_Datatype halves; /* every other byte */
    plan_t *plan = shared_plan_on(&comm);
    bool may_read =
        ((plani_binding_t *)plan->binding)->ring != NULL && may_read_all(((plani_binding_t *)plan->binding)->ring);
    char *data = calloc(2, BYTES);

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    for (uint64_t i = 1; i <= 8; i++) {
        const uint64_t single = may_read && i > 4 ? i - 4 : 0;
        CU_ASSERT(casts_bytes(plan, comm, 0, BYTES, i));
        plan_copies_t all = copies_of(plan, comm);
        CU_ASSERT(all.written == (i - single) * in && all.read == (i - single) * in * others);
        CU_ASSERT(all.single == single * in * others && all.sent == 0 && all.received == 0 && all.packed == 0);
    }
    plan_copies_t before = copies_of(plan, comm);
    MPI_Type_vector(1, 1, 2, MPI_BYTE, &halves);
    MPI_Type_create_resized(halves, 0, 2, &halves);
    MPI_Type_commit(&halves);
    CU_ASSERT_EQUAL(plan_execute(plan, data, BYTES, halves), 0);
    plan_copies_t all = copies_of(plan, comm);
    CU_ASSERT(all.written == before.written + in && all.read == before.read + in * others && all.packed == 0);
    MPI_Type_free(&halves);
    free(data);
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

/* While the others wait for a message of the root, it broadcasts as many short ones as there are slots. */
static void a_root_runs_ahead_of_the_others(void)
{
    static const size_t size[] = {1, 8192};
    MPI_Comm comm;
    plan_t *plan = shared_plan_on(&comm);
    unsigned char data[8192];
    for (size_t i = 0; i < 2; i++) {
        CU_ASSERT(casts_bytes(plan, comm, 0, 100000, i)); /* through large slots */
        for (int k = 0; k < PLANI_LABELS; k++) {
            memset(data, world_rank() == 0 ? k : 255, sizeof data);
            if (world_rank() != 0 && k == 0) MPI_Recv(NULL, 0, MPI_BYTE, 0, 7, comm, MPI_STATUS_IGNORE);
            CU_ASSERT_EQUAL(plan_execute(plan, data, (MPI_Count)size[i], MPI_BYTE), 0);
            CU_ASSERT(data[0] == k && data[size[i] - 1] == k);
        }
        for (int to = 1; to < world_size() && world_rank() == 0; to++) MPI_Send(NULL, 0, MPI_BYTE, to, 7, comm);
    }
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

/* Once all ways have been timed the root waits for nobody who reads slots, but for the messages before others are tried
 * again: the last four of the first 60. */
static void a_root_waits_for_readers_only_where_it_times_them(void)
{
    enum { BYTES = 200000, CLASS = 17 };
    MPI_Comm comm;
    plan_t *plan = shared_plan_on(&comm);
    char *data = calloc(1, BYTES);
    unsigned timed = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    if (world_size() == 1) goto done;
    for (uint64_t i = 0; i < 12; i++) CU_ASSERT(casts_bytes(plan, comm, 0, BYTES, i));
    plani_ring_t *ring = ((plani_binding_t *)plan->binding)->ring;
    plani_copy_times_t *t = &ring->copies[CLASS];
    const bool root = world_rank() == 0, tries = ring->size > 0 && may_read_all(ring);
    if (root && tries) CU_ASSERT(t->n == 12 && t->timed[PLANI_BY_SLOTS] >= 4);
    for (int way = PLANI_BY_SLOTS + 1; way < PLANI_COPIES; way++)
        for (int i = 0; i < PLANI_TRIALS; i++) t->last_s[way][i] = INFINITY;
    timed = t->timed[PLANI_BY_SLOTS];
    if (!root) MPI_Recv(NULL, 0, MPI_BYTE, 0, 7, comm, MPI_STATUS_IGNORE);
    CU_ASSERT_EQUAL(plan_execute(plan, data, BYTES, MPI_BYTE), 0);
    for (int to = 1; to < world_size() && root; to++) MPI_Send(NULL, 0, MPI_BYTE, to, 7, comm);
    CU_ASSERT_EQUAL(t->timed[PLANI_BY_SLOTS], timed);
    for (uint64_t i = 13; i < 60; i++) CU_ASSERT(casts_bytes(plan, comm, 0, BYTES, i));
    CU_ASSERT_EQUAL(t->timed[PLANI_BY_SLOTS], root && tries ? timed + 4 : timed);
done:
    free(data);
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

/* [pages] of the slots for long slices that have memory. */
static size_t pages_of(const plan_t *plan)
{
    enum { PAGES = PLANI_RING / 4096 };
    const plani_ring_t *ring = ((plani_binding_t *)plan->binding)->ring;
    unsigned char page[PAGES] = {0};
    size_t n = 0;
    CU_ASSERT_EQUAL_FATAL(mincore(ring->data, PLANI_RING, page), 0);
    for (size_t i = 0; i < PAGES; i++) n += page[i] & 1;
    return n;
}

/* Memory for long slices is allocated when the first one is sent. If there is none then, the root says so, no rank is
 * killed, and short messages go on. */
static void who_sends_short_messages_alone_needs_no_memory_for_long_ones(void)
{
    MPI_Comm comm;
    plan_t *plan = shared_plan_on(&comm);
    char data[PLANI_TINY + 1] = {0};

    if (world_size() > 1 && !((plani_binding_t *)plan->binding)->ring->allocated) {
        for (size_t bytes = 1; bytes <= PLANI_TINY; bytes++) CU_ASSERT(casts_bytes(plan, comm, 0, bytes, bytes));
        CU_ASSERT_EQUAL(pages_of(plan), 0);
        MPI_Barrier(comm); /* before the root goes on */
        no_pages = true;
        int rc = plan_execute(plan, data, PLANI_TINY + 1, MPI_BYTE);
        CU_ASSERT_EQUAL(rc, world_rank() == 0 ? PLAN_ENOMEM : PLAN_EDISAGREE);
        CU_ASSERT(casts_bytes(plan, comm, 0, PLANI_TINY, 1));
        no_pages = false;
        CU_ASSERT(casts_bytes(plan, comm, 0, PLANI_TINY + 1, 2));
        CU_ASSERT_EQUAL(pages_of(plan), PLANI_RING / 4096);
    }
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

/* A rank that the kernel refuses all at once gets an error; the broadcasts after that go through the slots. */
static void who_is_refused_says_so(void)
{
    enum { BYTES = 3 << 20 };
    MPI_Comm comm;
    plan_t *plan = shared_plan_on(&comm);
    char *data = malloc(BYTES);
    bool may_read = reads_of(plan, comm, 5) > 0, last = world_rank() == world_size() - 1;
    CU_ASSERT_PTR_NOT_NULL_FATAL(data);
    if (last) kernel = REFUSES;
    for (int i = 0; i < 2; i++) { /* the sixth is to be read from the root's memory */
        memset(data, world_rank() == 0 ? 5 : 6, BYTES);
        int rc = plan_execute(plan, data, BYTES, MPI_BYTE);
        bool fails = i == 0 && may_read && last && world_rank() != 0;
        CU_ASSERT_EQUAL(rc, fails ? PLAN_EUNSUPPORTED : 0);
        CU_ASSERT(fails || (data[0] == 5 && data[BYTES - 1] == 5));
    }
    CU_ASSERT_EQUAL(reads_of(plan, comm, 6), 0);
    kernel = READS;
    free(data);
    plan_destroy(&plan);
    MPI_Comm_free(&comm);
}

MPI_SUITE_MAIN("execute shared", TEST(copies_per_byte_are_those_of_the_way), TEST(a_root_runs_ahead_of_the_others),
               TEST(both_ways_are_tried_where_the_kernel_allows_it),
               TEST(a_root_waits_for_readers_only_where_it_times_them), TEST(slow_ways_are_given_up_early),
               TEST(what_is_timed_goes_by_the_way_that_was_chosen), TEST(long_messages_are_also_copied_past_the_caches),
               TEST(who_is_refused_says_so), TEST(who_sends_short_messages_alone_needs_no_memory_for_long_ones),
               TEST(without_room_another_candidate_is_planned), TEST(plans_of_one_communicator_share_their_memory),
               TEST(who_waits_long_sleeps), TEST(every_size_arrives_from_every_root_among_any_number_of_ranks),
               TEST(long_messages_arrive), TEST(who_finds_all_read_begins_at_the_first_slot),
               TEST(broadcasts_follow_each_other_without_a_barrier), TEST(another_size_is_noticed_and_does_no_harm),
               TEST(who_waits_serves_its_other_messages), TEST(ranks_that_cannot_share_memory_are_refused_in_one_line),
               TEST(signals_do_not_keep_memory_from_being_shared))
