/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory as a file in /dev/shm. It is unlinked once all ranks have mapped it, and its pages are allocated before
 * they are written, so that no rank is killed by SIGBUS: those of long slices, which are nearly all, by the first rank
 * that writes one. (MPI's own shared windows hang if one rank cannot allocate.)
 */
#include "lib/mpi/execute/ring.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include "lib/mpi/execute/mapped_memory.h"
#include "lib/mpi/execute/process_memory.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum {
    TINY_SIZE = PLANI_LABELS * PLANI_TINY, /* [B] */
    LEAST_YIELDS = 4,                      /* before it sleeps; */
    MOST_YIELDS = 1024                     /* they double and halve between these */
};
static const double NAP_S = 1e-3; /* longest sleep: MPI may need the rank for other messages */

static_assert(sizeof(plani_label_t) + sizeof(atomic_ulong) <= 64, "a label is read in one line of the cache");
static_assert(sizeof(plani_slot_t) == PLANI_LINE, "the shortest slices lie beside their labels");
static_assert(PLANI_LABELS <= UCHAR_MAX, "a label has a byte for the slot");
static_assert(ATOMIC_LONG_LOCK_FREE == 2, "counters in shared memory must be lock-free");

static size_t head_size(int ranks)
{
    const size_t page = 4096, size = sizeof(plani_ring_head_t) + (size_t)ranks * sizeof(plani_counter_t);
    return (size + page - 1) / page * page;
}

/* The ranks of this host: those of `near`, as ranks of comm. 0 or an error. */
static int list_ranks(MPI_Comm comm, MPI_Comm near, plani_ring_t *s, plan_error_t *err)
{
    MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
    int rc = MPI_Comm_size(near, &s->ranks), *mine = NULL;

    if (rc == MPI_SUCCESS) rc = MPI_Comm_rank(near, &s->me);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "looking for shared memory");
    mine = malloc((size_t)s->ranks * sizeof *mine);
    s->rank = malloc((size_t)s->ranks * sizeof *s->rank);
    if (mine == NULL || s->rank == NULL) {
        free(mine);
        return plani_fail(err, PLAN_ENOMEM, "out of memory for shared memory");
    }
    for (int r = 0; r < s->ranks; r++) mine[r] = r;
    rc = MPI_Comm_group(comm, &all);
    if (rc == MPI_SUCCESS) rc = MPI_Comm_group(near, &here);
    if (rc == MPI_SUCCESS) rc = MPI_Group_translate_ranks(here, s->ranks, mine, all, s->rank);
    if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
    if (here != MPI_GROUP_NULL) MPI_Group_free(&here);
    free(mine);
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(err, rc, "looking for shared memory");
}

/* Touch all pages of short slices now: the first access to a page costs more than a small broadcast, and would slow
 * down the first one in each slot. */
static void look_at_tiny(const plani_ring_t *s)
{
    enum { PAGE = 4096 };
    const volatile char *tiny = s->tiny;
    for (size_t at = 0; at < TINY_SIZE; at += PAGE) (void)tiny[at];
}

/* Linux 5.14 and later can allocate pages of a mapping and say if there are none. */
#ifdef MADV_POPULATE_WRITE
static bool populate(void *from, size_t size)
{
    return madvise(from, size, MADV_POPULATE_WRITE) == 0;
}
#else
static bool populate(void *from, size_t size)
{
    (void)from, (void)size;
    return false;
}
#endif

/* Whether `data` is allocated by the first rank that writes there; else it is from the beginning. */
static bool allocates_late(void)
{
    return populate(NULL, 0); /* the kernel refuses only what it does not know */
}

bool plani_ring_allocate(plani_ring_t *s)
{
    if (!s->allocated) s->allocated = populate(s->data, PLANI_RING);
    return s->allocated;
}

/* The file, as the first rank of the host broadcasts it. */
typedef struct {
    int rc;
    uint64_t token;
    char name[64]; /* "": there is none */
} file_t;

/* Set the size of a new file, and allocate what is written first. 0 or an error number. */
static int allocate(int fd, const plani_ring_t *s)
{
    struct statvfs room;
    int rc;

    do /* a signal interrupts it, as those of profilers and timers do */
        rc = posix_fallocate(fd, 0, (off_t)(s->allocated ? s->size : s->size - PLANI_RING));
    while (rc == EINTR);
    if (rc != 0 || s->allocated) return rc;
    if (ftruncate(fd, (off_t)s->size) != 0 || fstatvfs(fd, &room) != 0) return errno;
    bool limited = room.f_blocks > 0; /* else a file system of any size */
    return limited && room.f_bavail < PLANI_RING / room.f_frsize ? ENOSPC : 0;
}

/* Create a new file for this ring. \return its descriptor; -1 with errno */
static int create(file_t *file, const plani_ring_t *s)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    file->token = plani_hash_u64(plani_hash_u64(PLANI_HASH_START, (uint64_t)getpid()), (uint64_t)now.tv_nsec);
    file->token = plani_hash_u64(file->token, (uint64_t)now.tv_sec);
    snprintf(file->name, sizeof file->name, "/planbcast-%d-%016llx", (int)getpid(), (unsigned long long)file->token);
    int fd = shm_open(file->name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        file->name[0] = '\0';
        return -1;
    }
    if ((errno = allocate(fd, s)) == 0) return fd;
    int why = errno;
    close(fd);
    shm_unlink(file->name);
    file->name[0] = '\0';
    errno = why;
    return -1;
}

static int map(plani_ring_t *s, int fd, int ranks, plan_error_t *err)
{
    void *base = fd < 0 ? MAP_FAILED : mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int why = errno;
    if (fd >= 0) close(fd);
    if (base == MAP_FAILED)
        return plani_fail(err, PLAN_EUNSUPPORTED, "no %zu KiB of shared memory in /dev/shm: %s", s->size >> 10,
                          strerror(why));
    s->head = base;
    s->tiny = (char *)base + head_size(ranks);
    s->data = s->tiny + TINY_SIZE;
    return 0;
}

/* The first rank of the host creates the file, the others open it and compare its token. Fails on all ranks of comm if
 * it does on one. */
static int share(MPI_Comm comm, MPI_Comm near, plani_ring_t *s, plan_error_t *err)
{
    file_t file = {.rc = 0};
    int rc = 0, heard = MPI_SUCCESS;

    s->size = s->ranks == 1 ? 0 : head_size(s->ranks) + TINY_SIZE + PLANI_RING;
    s->allocated = s->size == 0 || !allocates_late();
    if (s->me == 0 && s->size > 0) {
        file.rc = map(s, create(&file, s), s->ranks, err);
        if (file.rc == 0) s->head->token = file.token;
    }
    if (s->size > 0) heard = PMPI_Bcast(&file, (int)sizeof file, MPI_BYTE, 0, near);
    if (s->me == 0) rc = file.rc;
    if (s->me != 0 && heard == MPI_SUCCESS && file.rc == 0) {
        rc = map(s, shm_open(file.name, O_RDWR, 0), s->ranks, err);
        if (rc == 0 && s->head->token != file.token)
            rc = plani_fail(err, PLAN_EUNSUPPORTED, "ranks on one host see different shared memory");
    }
    if (heard != MPI_SUCCESS) rc = plani_mpi_fail(err, heard, "sharing memory");
    rc = plani_agree(comm, rc, err);
    if (s->me == 0 && file.name[0] != '\0') shm_unlink(file.name);
    if (rc == 0 && s->size > 0) look_at_tiny(s);
    return rc;
}

/* Let other ranks of the host map this process's memory, and get ready to map theirs. \return whether both is possible
 */
static bool share_memory(plani_ring_t *s)
{
    s->segment = plani_memory_share();
    if (s->segment != PLANI_NOT_MAPPED) s->permit = malloc((size_t)s->ranks * sizeof *s->permit);
    for (int r = 0; r < s->ranks && s->permit != NULL; r++) s->permit[r] = PLANI_NOT_MAPPED;
    return s->permit != NULL;
}

static void unshare_memory(plani_ring_t *s)
{
    for (int r = 0; r < s->ranks && s->permit != NULL; r++) plani_memory_give_back(s->permit[r]);
    free(s->permit);
    s->permit = NULL;
    plani_memory_unshare(s->segment);
    s->segment = PLANI_NOT_MAPPED;
}

/* Whether this rank reads the token of rank r of the host, by the kernel or out of its mapped memory. */
static bool can_copy_from(const plani_ring_t *s, int r)
{
    const plani_counter_t *other = &s->head->taken[r];
    uint64_t token = 0;
    return plani_copy_from_process(other->process, other->token, sizeof token, (char *)&token) &&
           token == s->head->token + (uint64_t)r;
}

static bool can_map(plani_ring_t *s, int r)
{
    const plani_counter_t *other = &s->head->taken[r];
    uint64_t token = 0;
    if (r == s->me) return true; /* never needed */
    s->permit[r] = plani_memory_permit(other->segment);
    return plani_copy_from_mapping(s->permit[r], other->token, sizeof token, (char *)&token) &&
           token == s->head->token + (uint64_t)r;
}

/* By which ways each rank of the host may read the memory of each other: containers and kernels may forbid it, process
 * ids may be those of another namespace, and to map memory takes a module of the kernel. */
static int try_single_copies(plani_ring_t *s, MPI_Comm near)
{
    const unsigned single = 1U << PLANI_BY_SINGLE_COPY, mapping = 1U << PLANI_BY_MAPPING;
    unsigned may = single, all = 0;
    plani_counter_t *mine = s->size > 0 ? &s->head->taken[s->me] : NULL;

    if (mine == NULL) return MPI_SUCCESS;
    if (share_memory(s)) may |= mapping;
    s->token = s->head->token + (uint64_t)s->me;
    mine->process = (int)getpid();
    mine->segment = s->segment;
    mine->token = (uint64_t)(uintptr_t)&s->token;
    int rc = PMPI_Barrier(near);
    for (int r = 0; r < s->ranks && rc == MPI_SUCCESS; r++) {
        if (may & single && !can_copy_from(s, r)) may &= ~single;
        if (may & mapping && !can_map(s, r)) may &= ~mapping;
    }
    if (rc == MPI_SUCCESS) rc = PMPI_Allreduce(&may, &all, 1, MPI_UNSIGNED, MPI_BAND, near);
    s->ways = rc == MPI_SUCCESS ? all : 0;
    if (!(s->ways & mapping)) unshare_memory(s);
    return rc;
}

int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err)
{
    int rc = 0;
    plani_ring_t *s = NULL;
    MPI_Comm near = MPI_COMM_NULL;

    *out = NULL;
    if (!PLANI_CAN_SHARE_MEMORY) return plani_fail(err, PLAN_EUNSUPPORTED, "simulated ranks share no memory");
    if ((s = calloc(1, sizeof *s)) == NULL) rc = plani_fail(err, PLAN_ENOMEM, "out of memory for shared memory");
    if (s != NULL) s->segment = PLANI_NOT_MAPPED;
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    rc = rc == MPI_SUCCESS ? list_ranks(comm, near, s, err) : plani_mpi_fail(err, rc, "looking for shared memory");
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = share(comm, near, s, err)) != 0) goto done;
    if ((rc = try_single_copies(s, near)) != MPI_SUCCESS) rc = plani_mpi_fail(err, rc, "sharing memory");
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    s->patience = MOST_YIELDS;
    plani_ring_shape(s, PLANI_SLOT);
    *out = s, s = NULL;
done:
    if (near != MPI_COMM_NULL) MPI_Comm_free(&near);
    plani_ring_close(&s);
    return rc;
}

int plani_ring_settle(plani_ring_t *s, MPI_Comm comm)
{
    unsigned long latest = 0; /* among all hosts: no harm, and no other communicator is needed */
    int rc = MPI_Allreduce(&s->seq, &latest, 1, MPI_UNSIGNED_LONG, MPI_MAX, comm);
    if (rc != MPI_SUCCESS) return rc;
    s->seq = s->first = s->start = latest;
    if (s->size > 0) atomic_store_explicit(&s->head->taken[s->me].n, latest, memory_order_release);
    return MPI_Barrier(comm);
}

void plani_ring_close(plani_ring_t **ring)
{
    if (*ring == NULL) return;
    unshare_memory(*ring);
    if ((*ring)->head != NULL) munmap((*ring)->head, (*ring)->size);
    free((*ring)->rank);
    free(*ring);
    *ring = NULL;
}

void plani_ring_shape(plani_ring_t *s, size_t slice)
{
    enum { LEAST = PLANI_RING / PLANI_LABELS };
    size_t slot = LEAST;
    while (slot < slice) slot *= 2;
    if (slot == s->slot) return;
    s->slot = slot;
    s->slots = PLANI_RING / slot;
    s->first = s->seq;
}

/* Whether all ranks but this one have read the slices before `n`. The counters of others are in their caches, so they
 * are only looked at for what is not known from the last look. */
static bool all_have_read(plani_ring_t *s, unsigned long n)
{
    if ((long)(s->read - n) >= 0) return true;
    unsigned long least = s->seq; /* this rank itself */
    for (int r = 0; r < s->ranks; r++) {
        unsigned long read = r == s->me ? least : atomic_load(&s->head->taken[r].n);
        if ((long)(read - least) < 0) least = read;
    }
    s->read = least;
    return (long)(least - n) >= 0;
}

/* All ranks have to have read the slices before this one, so that slice n can be written. */
static unsigned long needed_for(const plani_ring_t *s, unsigned long n)
{
    unsigned long before = n + 1 - s->slots;
    return (long)(before - s->first) < 0 ? s->first : before;
}

bool plani_ring_has_room(plani_ring_t *s, unsigned long n)
{
    unsigned long before = needed_for(s, n);
    return (long)(s->seq - before) >= 0 && all_have_read(s, before);
}

void plani_ring_restart(plani_ring_t *s)
{
    if (all_have_read(s, s->seq)) s->start = s->seq;
}

/* ---- sleeping ---- */

#ifdef __linux__
static long futex(_Atomic uint32_t *word, int what, uint32_t value, const struct timespec *most)
{
    return syscall(SYS_futex, word, what, value, most, NULL, 0);
}

static void wait_for_change(_Atomic uint32_t *word, uint32_t value, double seconds)
{
    const struct timespec most = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    futex(word, FUTEX_WAIT, value, &most);
}

static void wake_all(_Atomic uint32_t *word)
{
    futex(word, FUTEX_WAKE, INT_MAX, NULL);
}
#else
static void wait_for_change(_Atomic uint32_t *word, uint32_t value, double seconds)
{
    enum { NAP = 50 }; /* [us] */
    (void)word, (void)value;
    plani_sleep(seconds < NAP * 1e-6 ? seconds : NAP * 1e-6);
}

static void wake_all(_Atomic uint32_t *word)
{
    (void)word;
}
#endif

/* Fetch what is written of slice n if it is short: those who have read what was there have the lines in their caches. A
 * rank that has written a slice is likely to write the next one, too. */
static void fetch_room(const plani_ring_t *s, unsigned long n)
{
    __builtin_prefetch(plani_ring_entry(s, n), 1);
    __builtin_prefetch(plani_ring_room(s, n, PLANI_IN_SLOT), 1);
    __builtin_prefetch(plani_ring_room(s, n, PLANI_TINY), 1);
}

/* A rank that goes to sleep counts itself before it looks a last time; the writer writes before it looks at the count.
 * Both orders are those of all (sequentially consistent), so that one of them sees the other. A writer that sees one
 * changes `written`, on which that sleeps no more. */
PLANI_HOT void plani_ring_fill(plani_ring_t *s, unsigned long n)
{
    plani_slot_t *slot = plani_ring_entry(s, n);
    slot->label.slot = plani_ring_slot(s, n);
    atomic_store(&slot->filled, n + 1);
    if (atomic_load(&s->head->asleep) > 0) {
        atomic_fetch_add(&s->head->written, 1);
        wake_all(&s->head->written);
    }
    fetch_room(s, n + 1);
}

void plani_ring_sleep(plani_ring_t *s, unsigned long n, double seconds)
{
    atomic_fetch_add(&s->head->asleep, 1);
    uint32_t written = atomic_load(&s->head->written);
    if (atomic_load(&plani_ring_entry(s, n)->filled) != n + 1) wait_for_change(&s->head->written, written, seconds);
    atomic_fetch_sub(&s->head->asleep, 1);
}

/* The same between a writer that waits for room and the ranks that make it: the last one that reads wakes it. */
PLANI_HOT void plani_ring_take(plani_ring_t *s)
{
    if (s->size == 0) {
        s->seq++;
        return;
    }
    s->start = s->seq - plani_ring_label(s, s->seq)->slot;
    s->seq++;
    atomic_store(&s->head->taken[s->me].n, s->seq);
    if (atomic_load(&s->head->full) == 0 || !all_have_read(s, atomic_load(&s->head->needed))) return;
    atomic_fetch_add(&s->head->freed, 1);
    wake_all(&s->head->freed);
}

void plani_ring_skip(plani_ring_t *s)
{
    plani_ring_take(s);
    s->first = s->seq;
}

static void sleep_until_freed(plani_ring_t *s, unsigned long n, double seconds)
{
    atomic_store(&s->head->needed, needed_for(s, n));
    atomic_store(&s->head->full, 1);
    uint32_t freed = atomic_load(&s->head->freed);
    if (!plani_ring_has_room(s, n)) wait_for_change(&s->head->freed, freed, seconds);
    atomic_store(&s->head->full, 0);
}

bool plani_ring_rest(plani_ring_t *s, unsigned long n, bool room, unsigned look)
{
    if (plani_yield() || look < PLANI_POLLS) return false;
    if (look < PLANI_POLLS + s->patience || (!room && plani_ring_look(s, n) != NULL)) { /* it is of a later broadcast */
        sched_yield();
        return false;
    }
    if (room)
        sleep_until_freed(s, n, NAP_S);
    else
        plani_ring_sleep(s, n, NAP_S);
    return true;
}

void plani_ring_rested(plani_ring_t *s, unsigned looks)
{
    if (looks < PLANI_POLLS) return;
    if (looks < PLANI_POLLS + s->patience)
        s->patience = s->patience < MOST_YIELDS ? 2 * s->patience : MOST_YIELDS;
    else
        s->patience = s->patience > LEAST_YIELDS ? s->patience / 2 : LEAST_YIELDS;
}
