/*
 * Shared memory as a file in /dev/shm. It is unlinked once all ranks have mapped it, and its pages are allocated
 * beforehand, so that no rank is killed by SIGBUS. (MPI's own shared windows hang if one rank cannot allocate.)
 */
#include "lib/mpi/execute/ring.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/simulator.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static_assert(ATOMIC_LONG_LOCK_FREE == 2, "counters in shared memory must be lock-free");

static size_t head_size(int ranks)
{
    const size_t page = 4096, size = sizeof(plani_ring_head_t) + (size_t)ranks * sizeof(plani_counter_t);
    return (size + page - 1) / page * page;
}

/* Whether all ranks are on one host: 0 or an error. */
static int look_around(MPI_Comm comm, int ranks, plan_error_t *err)
{
    MPI_Comm near = MPI_COMM_NULL;
    int here = 0, rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);

    if (rc == MPI_SUCCESS) rc = MPI_Comm_size(near, &here);
    if (near != MPI_COMM_NULL) MPI_Comm_free(&near);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "looking for shared memory");
    return here == ranks
               ? 0
               : plani_fail(err, PLAN_EUNSUPPORTED,
                            "only %d of %d ranks share memory, which the plan goes through; plan again", here, ranks);
}

/* Touch all pages now: the first access to a page costs more than a small broadcast, and would slow down the first one
 * in each slot. */
static void look_at_all(const plani_ring_t *s)
{
    enum { PAGE = 4096 };
    const volatile char *slots = s->slots;
    for (size_t at = 0; at < (size_t)PLANI_SLOTS * PLANI_SLOT; at += PAGE) (void)slots[at];
}

/* The file, as rank 0 broadcasts it. */
typedef struct {
    int rc;
    uint64_t token;
    char name[64]; /* "": there is none */
} file_t;

/* Create and allocate a new file of `size` bytes. \return its descriptor; -1 with errno */
static int create(file_t *file, size_t size)
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
    if ((errno = posix_fallocate(fd, 0, (off_t)size)) == 0) return fd;
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
    s->slots = (char *)base + head_size(ranks);
    return 0;
}

/* Rank 0 creates the file, the others open it and compare its token. Fails on all ranks if it does on one. */
static int share(MPI_Comm comm, int rank, int ranks, plani_ring_t *s, plan_error_t *err)
{
    file_t file = {.rc = 0};
    int rc = 0;

    s->size = head_size(ranks) + (size_t)PLANI_SLOTS * PLANI_SLOT;
    if (rank == 0) {
        file.rc = map(s, create(&file, s->size), ranks, err);
        if (file.rc == 0) s->head->token = file.token;
    }
    int heard = PMPI_Bcast(&file, (int)sizeof file, MPI_BYTE, 0, comm);
    if (rank == 0) rc = file.rc;
    if (rank != 0 && heard == MPI_SUCCESS && file.rc == 0) {
        rc = map(s, shm_open(file.name, O_RDWR, 0), ranks, err);
        if (rc == 0 && s->head->token != file.token)
            rc = plani_fail(err, PLAN_EUNSUPPORTED, "ranks on one host see different shared memory");
    }
    if (heard != MPI_SUCCESS) rc = plani_mpi_fail(err, heard, "sharing memory");
    rc = plani_agree(comm, rc, err);
    if (rank == 0 && file.name[0] != '\0') shm_unlink(file.name);
    if (rc == 0) look_at_all(s);
    return rc;
}

int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err)
{
    int rank = 0, ranks = 0, rc = 0;
    plani_ring_t *s = NULL;

    *out = NULL;
    if (!PLANI_CAN_SHARE_MEMORY) return plani_fail(err, PLAN_EUNSUPPORTED, "simulated ranks share no memory");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if ((s = calloc(1, sizeof *s)) == NULL) rc = plani_fail(err, PLAN_ENOMEM, "out of memory for shared memory");
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = plani_agree(comm, look_around(comm, ranks, err), err)) != 0) goto done;
    if ((rc = share(comm, rank, ranks, s, err)) != 0) goto done;
    *out = s, s = NULL;
done:
    plani_ring_close(&s);
    return rc;
}

void plani_ring_settle(plani_ring_t *s, int rank)
{
    s->seq = atomic_load_explicit(&s->head->filled.n, memory_order_acquire);
    atomic_store_explicit(&s->head->taken[rank].n, s->seq, memory_order_release);
}

void plani_ring_close(plani_ring_t **ring)
{
    if (*ring != NULL && (*ring)->head != NULL) munmap((*ring)->head, (*ring)->size);
    free(*ring);
    *ring = NULL;
}

bool plani_ring_has(const plani_ring_t *s, unsigned long order)
{
    const plani_label_t *label = &s->head->label[s->seq % PLANI_SLOTS];
    return plani_ring_has_more(s) && label->order == order;
}
