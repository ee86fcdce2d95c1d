/*
 * A message through memory that all ranks share: the root copies slices into a few slots, all others copy them out.
 *
 *     slot of slice n: n % SLOTS      filled: n + 1, once slice n is in      taken[r]: n + 1, once rank r has it out
 *
 * Slices are counted through all broadcasts of all plans of a communicator, whose roots may differ, and several of
 * which may be under way: a root is done once its last slice is in. It writes `filled` after the slot (release), and
 * who reads `filled` before the slot (acquire) sees all of it; `taken` is its mirror image, before a slot is filled
 * again. Counters are only compared for how far they lie apart, at most SLOTS.
 *
 * Between ranks of one host MPI copies each message once, too, but by the kernel, and only after the two ranks have
 * told each other; and slots stay in the cache.
 *
 * An error does not stop a broadcast: a root that cannot read its data says so in each slot, and a rank that cannot
 * write, or expects another size or plan, lets all slices pass. Each slot says which broadcast it belongs to, counted
 * through all plans, and by which plan.
 *
 * The memory is a file in /dev/shm that has no name any longer once all ranks have opened it, and whose room is
 * reserved: a rank never dies of a page that is not there. (MPI's own shared windows hang where one rank gets none.)
 */
#include "lib/mpi/execute/shared.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/lookout.h"
#include "lib/mpi/comm/wait.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SLOTS = 4,
    MOST = 256 << 10, /* [B] a slot: all of them fit into the cache of one core or two */
    LEAST = 32 << 10, /* [B] a slice of more than one: less is not worth waking others for */
    LINE = 128,       /* [B] counters of different ranks keep so far apart: processors fetch pairs of lines */
    PATIENCE = 500,   /* looks at a counter, a microsecond, before others get the processor each time; */
    PROGRESS = 64     /* then, of so many, once MPI: that takes as long as a small message */
};
static_assert(ATOMIC_LONG_LOCK_FREE == 2, "counters between processes must not need a lock of one of them");

typedef struct {
    alignas(LINE) atomic_ulong n;
} counter_t;

/* What a slot holds. */
typedef struct {
    alignas(LINE) size_t bytes; /* of the whole message */
    unsigned long order;        /* of the broadcast, among those of all plans */
    unsigned long plan;         /* that it is by */
    bool empty;                 /* the root has not got the data */
} label_t;

typedef struct {
    alignas(LINE) uint64_t token; /* by which ranks know that it is the same memory */
    counter_t filled;
    label_t label[SLOTS];
    counter_t taken[]; /* [ranks] */
} head_t;

struct plani_ring {
    size_t size; /* of what is mapped [B] */
    head_t *head;
    char *slots;       /* [SLOTS * MOST] behind the head */
    unsigned long seq; /* slices of all broadcasts so far */
};

/* ---- the memory ---- */

static size_t head_size(int ranks)
{
    const size_t page = 4096, size = sizeof(head_t) + (size_t)ranks * sizeof(counter_t);
    return (size + page - 1) / page * page;
}

/* Are all ranks where memory can be shared? */
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

/* A page that a process sees for the first time costs more than a small broadcast: all of them now, or the first
 * broadcasts, each in a slot of its own, would be the slower for it. */
static void look_at_all(const plani_ring_t *s)
{
    enum { PAGE = 4096 };
    const volatile char *slots = s->slots;
    for (size_t at = 0; at < (size_t)SLOTS * MOST; at += PAGE) (void)slots[at];
}

/* What rank 0 tells the others of the file. */
typedef struct {
    int rc;
    uint64_t token;
    char name[64]; /* "": there is none */
} file_t;

/* A new file of so many bytes, for which there is room; -1: errno says why not. */
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

/* Rank 0 makes the file, the others open it; who cannot, or finds another, says so. */
static int share(MPI_Comm comm, int rank, int ranks, plani_ring_t *s, plan_error_t *err)
{
    file_t file = {.rc = 0};
    int rc = 0;

    s->size = head_size(ranks) + (size_t)SLOTS * MOST;
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
    if (PLANI_SIMULATED) return plani_fail(err, PLAN_EUNSUPPORTED, "simulated ranks share no memory");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if ((s = calloc(1, sizeof *s)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for memory that is shared");
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

/* ---- broadcasts ---- */

typedef struct {
    plani_ring_t *s;
    plani_view_t *view;
    const plani_binding_t *b;
    int rank, ranks, root;
    plani_found_t *other; /* what has come of another broadcast than the one expected */
    int rc;               /* the first error */
} cast_t;

static void note(cast_t *c, int rc)
{
    if (c->rc == 0) c->rc = rc;
}

/* Four slices that keep all slots busy, within limits: the same on all ranks. */
static size_t slice_of(size_t bytes)
{
    size_t slice = (bytes - 1) / SLOTS + 1;
    return slice < LEAST ? LEAST : slice > MOST ? MOST : slice;
}

/* After one look at a counter. Who waits long lets others have the processor, MPI go on with what it has to do, and
 * looks whether the others run another broadcast: then true. */
static bool wait_a_little(cast_t *c, unsigned *looks)
{
    int flag;
    if (++*looks < PATIENCE) return false;
    if (*looks % PROGRESS == 0) note(c, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->b->comm, &flag, MPI_STATUS_IGNORE));
    if (c->rank != c->root && plani_look_now(*looks) && plani_look(c->b, PLANI_SHARED_MEMORY, c->other)) return true;
    sched_yield();
    return false;
}

/* Until everybody has taken what the slot held before. */
static void wait_for_slot(cast_t *c)
{
    const plani_ring_t *s = c->s;
    unsigned looks = 0;
    for (int r = 0; r < c->ranks; r++)
        while (r != c->rank && s->seq - atomic_load_explicit(&s->head->taken[r].n, memory_order_acquire) >= SLOTS)
            wait_a_little(c, &looks);
}

static char *slot(const plani_ring_t *s)
{
    return s->slots + s->seq % SLOTS * MOST;
}

static void send(cast_t *c)
{
    plani_ring_t *s = c->s;
    const size_t bytes = c->view->bytes, slice = slice_of(bytes);

    for (size_t at = 0; at < bytes; at += slice) {
        size_t len = bytes - at < slice ? bytes - at : slice;
        label_t *label = &s->head->label[s->seq % SLOTS];
        wait_for_slot(c);
        if (c->rc == 0) note(c, plani_view_get(c->view, at, len, slot(s)));
        *label = (label_t){.bytes = bytes, .order = c->b->order, .plan = c->b->bound, .empty = c->rc != 0};
        /* what it has put in it has taken out, for other roots to come */
        atomic_store_explicit(&s->head->taken[c->rank].n, s->seq + 1, memory_order_relaxed);
        atomic_store_explicit(&s->head->filled.n, ++s->seq, memory_order_release);
    }
}

static bool has_come(const plani_ring_t *s)
{
    return atomic_load_explicit(&s->head->filled.n, memory_order_acquire) != s->seq;
}

static void take(cast_t *c)
{
    plani_ring_t *s = c->s;
    atomic_store_explicit(&s->head->taken[c->rank].n, ++s->seq, memory_order_release);
}

/* Whether a slice is of a later broadcast: this one has gone another way, then. */
static bool is_later(const cast_t *c, const label_t *label)
{
    return (long)(label->order - c->b->order) > 0;
}

/* Until the next slice of this broadcast is there; false: none will come, for it has come by messages. Slices of an
 * earlier broadcast, which this rank has missed, are dropped; those of later ones stay for them. */
static bool wait_for_slice(cast_t *c)
{
    plani_ring_t *s = c->s;
    for (unsigned looks = 0;;) {
        const label_t *label = &s->head->label[s->seq % SLOTS];
        if (!has_come(s) || is_later(c, label)) {
            if (wait_a_little(c, &looks)) return false;
        } else if (label->order == c->b->order) {
            return true;
        } else {
            take(c);
        }
    }
}

static void receive(cast_t *c)
{
    plani_ring_t *s = c->s;
    size_t bytes = c->view->bytes, slice = slice_of(bytes);

    for (size_t at = 0; at < bytes && wait_for_slice(c); at += slice) {
        const label_t *label = &s->head->label[s->seq % SLOTS];
        if (label->bytes != c->view->bytes || label->plan != c->b->bound || label->empty) note(c, PLAN_EDISAGREE);
        if (label->bytes != bytes) bytes = label->bytes, slice = slice_of(bytes); /* as many slices as the root's */
        size_t len = bytes - at < slice ? bytes - at : slice;
        if (c->rc == 0) note(c, plani_view_put(c->view, at, len, slot(s)));
        take(c);
    }
}

bool plani_ring_has(const plani_ring_t *s, unsigned long order)
{
    const label_t *label = &s->head->label[s->seq % SLOTS];
    return has_come(s) && label->order == order;
}

int plani_run_shared(plani_binding_t *b, int root, plani_view_t *view, plani_found_t *other)
{
    cast_t c = {.s = b->common->ring,
                .view = view,
                .b = b,
                .rank = b->rank,
                .ranks = b->ranks,
                .root = root,
                .other = other,
                .rc = view->none && b->rank != root ? PLAN_EDISAGREE : 0};
    if (b->rank == root)
        send(&c);
    else
        receive(&c);
    if (other->any) note(&c, PLAN_EDISAGREE);
    return c.rc;
}
