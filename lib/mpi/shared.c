/*
 * A message through memory that all ranks share: the root copies slices into a few slots, all others copy them out.
 *
 *     slot of slice n: n % SLOTS      filled: n + 1, once slice n is in      taken[r]: n + 1, once rank r has it out
 *
 * Slices are counted through all broadcasts, from any number of which some may be under way: the root is done once its
 * last slice is in. It writes `filled` after the slot (release), and who reads `filled` before the slot (acquire) sees
 * all of it; `taken` is its mirror image, before a slot is filled again. Counters are only compared for how far they
 * lie apart, at most SLOTS.
 *
 * Between ranks of one host MPI copies each message once, too, but by the kernel, and only after the two ranks have
 * told each other; and slots stay in the cache.
 *
 * An error does not stop a broadcast: a root that cannot read its data says so in each slot, and a rank that cannot
 * write, or expects another size, lets all slices pass.
 */
#include "lib/mpi/shared.h"
#include "lib/base/base.h"
#include "lib/mpi/agree.h"
#include "lib/mpi/wait.h"
#include <assert.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    bool empty;                 /* the root has not got the data */
} label_t;

typedef struct {
    counter_t filled;
    label_t label[SLOTS];
    counter_t taken[]; /* [ranks] the root's is not used */
} head_t;

struct plani_ring {
    MPI_Win win;
    head_t *head;
    char *slots;       /* [SLOTS * MOST] in the window, behind the head */
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
                            "only %d of %d ranks share memory, which the plan goes through; plan anew", here, ranks);
}

/* A page that a process sees for the first time costs more than a small broadcast: all of them now, or the first
 * broadcasts, each in a slot of its own, would be the slower for it. */
static void look_at_all(const plani_ring_t *s)
{
    enum { PAGE = 4096 };
    const volatile char *slots = s->slots;
    for (size_t at = 0; at < (size_t)SLOTS * MOST; at += PAGE) (void)slots[at];
}

/* Windows begin anywhere, but at the same place of a page on all ranks: what rank 0 leaves free before the head so that
 * it begins with a line, all do. They hear of it after rank 0 has cleared all. */
static int map(MPI_Comm comm, int rank, int ranks, plani_ring_t *s)
{
    const size_t head = head_size(ranks);
    MPI_Aint size = (MPI_Aint)(LINE + head + (size_t)SLOTS * MOST);
    void *mine = NULL, *base = NULL;
    int unit = 0, before = 0,
        rc = MPI_Win_allocate_shared(rank == 0 ? size : 0, 1, MPI_INFO_NULL, comm, &mine, &s->win);

    if (rc != MPI_SUCCESS) s->win = MPI_WIN_NULL;
    if (rc == MPI_SUCCESS) rc = MPI_Win_shared_query(s->win, 0, &size, &unit, &base);
    if (rc == MPI_SUCCESS) rc = MPI_Win_lock_all(MPI_MODE_NOCHECK, s->win);
    if (rc != MPI_SUCCESS) return rc;
    if (rank == 0) {
        before = (int)((LINE - (uintptr_t)base % LINE) % LINE);
        memset((char *)base + before, 0, head + (size_t)SLOTS * MOST);
    }
    rc = PMPI_Bcast(&before, 1, MPI_INT, 0, comm);
    s->head = (void *)((char *)base + before);
    s->slots = (char *)s->head + head;
    look_at_all(s);
    return rc;
}

int plani_ring_open(MPI_Comm comm, plani_ring_t **out, plan_error_t *err)
{
    int rank = 0, ranks = 0, rc = 0;
    plani_ring_t *s = NULL;
    plan_error_t why;

    *out = NULL;
    if (PLANI_SIMULATED) return plani_fail(err, PLAN_EUNSUPPORTED, "simulated ranks share no memory");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if ((s = calloc(1, sizeof *s)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for memory that is shared");
    else
        s->win = MPI_WIN_NULL;
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    if ((rc = plani_agree(comm, look_around(comm, ranks, err), err)) != 0) goto done;
    if ((rc = map(comm, rank, ranks, s)) != MPI_SUCCESS) { /* no room for it, say: other ways remain */
        plani_mpi_fail(&why, rc, "sharing memory");
        rc = plani_fail(err, PLAN_EUNSUPPORTED, "%s", why.text);
    }
    if ((rc = plani_agree(comm, rc, err)) != 0) goto done;
    *out = s, s = NULL;
done:
    plani_ring_close(&s, false);
    return rc;
}

void plani_ring_close(plani_ring_t **ring, bool over)
{
    if (*ring != NULL && (*ring)->win != MPI_WIN_NULL && !over) {
        if ((*ring)->head != NULL) MPI_Win_unlock_all((*ring)->win);
        MPI_Win_free(&(*ring)->win);
    }
    free(*ring);
    *ring = NULL;
}

/* ---- broadcasts ---- */

typedef struct {
    plani_ring_t *s;
    plani_view_t *view;
    MPI_Comm comm;
    int rank, ranks, root;
    int rc; /* the first error */
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

/* After one look at a counter. Who waits long lets others have the processor, and MPI go on with what it has to do. */
static void wait_a_little(cast_t *c, int *looks)
{
    int flag;
    if (++*looks < PATIENCE) return;
    if (*looks == PATIENCE + PROGRESS) {
        note(c, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c->comm, &flag, MPI_STATUS_IGNORE));
        *looks = PATIENCE;
    }
    sched_yield();
}

/* Until everybody has taken what the slot held before. */
static void wait_for_slot(cast_t *c)
{
    const plani_ring_t *s = c->s;
    for (int r = 0, looks = 0; r < c->ranks; r++) {
        if (r == c->root) continue;
        while (s->seq - atomic_load_explicit(&s->head->taken[r].n, memory_order_acquire) >= SLOTS)
            wait_a_little(c, &looks);
    }
}

static char *slot(const plani_ring_t *s)
{
    return s->slots + s->seq % SLOTS * MOST;
}

static int copy_in(const cast_t *c, size_t at, size_t len)
{
    if (!c->view->direct) return plani_view_get(c->view, at, len, slot(c->s));
    memcpy(slot(c->s), plani_at(c->view->base, (MPI_Aint)at), len);
    return 0;
}

static int copy_out(const cast_t *c, size_t at, size_t len)
{
    if (!c->view->direct) return plani_view_put(c->view, at, len, slot(c->s));
    memcpy(plani_at(c->view->base, (MPI_Aint)at), slot(c->s), len);
    return 0;
}

static void send(cast_t *c)
{
    plani_ring_t *s = c->s;
    const size_t bytes = c->view->bytes, slice = slice_of(bytes);

    for (size_t at = 0; at < bytes; at += slice) {
        size_t len = bytes - at < slice ? bytes - at : slice;
        label_t *label = &s->head->label[s->seq % SLOTS];
        wait_for_slot(c);
        if (c->rc == 0) note(c, copy_in(c, at, len));
        *label = (label_t){.bytes = bytes, .empty = c->rc != 0};
        atomic_store_explicit(&s->head->filled.n, ++s->seq, memory_order_release);
    }
}

static void receive(cast_t *c)
{
    plani_ring_t *s = c->s;
    size_t bytes = c->view->bytes, slice = slice_of(bytes);

    for (size_t at = 0; at < bytes; at += slice) {
        size_t len = bytes - at < slice ? bytes - at : slice;
        const label_t *label = &s->head->label[s->seq % SLOTS];
        int looks = 0;
        while (atomic_load_explicit(&s->head->filled.n, memory_order_acquire) == s->seq) wait_a_little(c, &looks);
        if (label->bytes != c->view->bytes || label->empty) note(c, PLAN_EDISAGREE);
        if (label->bytes != bytes) bytes = label->bytes, slice = slice_of(bytes); /* as many slices as the root's */
        if (c->rc == 0) note(c, copy_out(c, at, len));
        atomic_store_explicit(&s->head->taken[c->rank].n, ++s->seq, memory_order_release);
    }
}

int plani_run_shared(plani_binding_t *b, int root, plani_view_t *view)
{
    cast_t c = {.s = b->ring, .view = view, .comm = b->comm, .rank = b->rank, .ranks = b->ranks, .root = root};
    if (b->rank == root)
        send(&c);
    else
        receive(&c);
    return c.rc;
}
