/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message in blocks by a schedule of rounds.
 *
 * A rank receives a sequence of transfers in the order of the rounds, and sends another. Receives are posted a few
 * transfers ahead; a send is posted when its bytes have arrived. So ranks synchronise only as far as data dependencies
 * require. A run of blocks that is long, or wraps around to the start of the message, is split into several transfers:
 * the first are forwarded while the last still arrive. Blocks beyond the end of the message are left out.
 *
 * Data that are not contiguous are packed for each transfer, so that staging does not grow with the message.
 *
 * An error does not stop the rounds, for other ranks would wait for ever. From then on the rank sends empty transfers,
 * which report the error to the others.
 */
#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <stdint.h>

enum { MOST_LOOKED_AT = 64 }; /* transfers, per send */

typedef struct {
    size_t round;
    int peer;
    size_t offset, len; /* [B] in the message; len > 0 */
} transfer_t;

/* The sequence of transfers in one direction; the next one is `now`. */
typedef struct {
    bool out;
    size_t round;   /* the round after that of `now` */
    size_t end;     /* [B] end of the run of bytes that `now` belongs to */
    size_t again;   /* [B] bytes [0, again) follow that run: it wraps around */
    transfer_t now; /* .round is SIZE_MAX at the end */
} way_t;

typedef struct {
    plani_binding_t *b;
    const plani_part_t *part;
    plani_view_t *view;
    size_t block, blocks, rounds; /* size of a block [B], number of blocks, of rounds */
    int tag;
    way_t posting, taking; /* receives to be posted; receives to complete */
    way_t sending;
    size_t posted, arrived, sent, done; /* counts of transfers */
    MPI_Request *in, *out;              /* [window] each; transfer j at j % window */
    char *stage;                        /* [2 * window * slot] packed transfers in, then out; NULL: the user's buffer */
    size_t slot;                        /* [B] */
    bool empty;                         /* this rank lacks data: it sends empty transfers */
    int rc;                             /* the first error */
} run_t;

static void note(run_t *run, int rc)
{
    if (run->rc == 0) run->rc = rc;
    if (rc != 0) run->empty = true;
}

/* ---- the sequence of transfers ---- */

/* [B] The offset of a block, at most the size of the message. */
static size_t clip(const run_t *run, size_t block)
{
    return block >= run->blocks                    ? run->view->bytes
           : block * run->block < run->view->bytes ? block * run->block
                                                   : run->view->bytes;
}

static void next(const run_t *run, way_t *way)
{
    transfer_t *t = &way->now;

    t->offset += t->len;
    while (t->offset >= way->end) {
        if (way->again > 0) {
            t->offset = 0;
            way->end = way->again;
            way->again = 0;
            continue;
        }
        if (way->round == run->rounds) {
            t->round = SIZE_MAX;
            return;
        }
        plani_schedule_round_t round = plani_schedule_round(&run->part->schedule, run->blocks, t->round = way->round++);
        plani_blocks_t b = way->out ? round.out : round.in;
        size_t last = b.first + b.count;
        t->peer = run->part->order[b.place];
        t->offset = clip(run, b.first);
        way->end = clip(run, last);
        way->again = last > run->blocks ? clip(run, last - run->blocks) : 0;
    }
    t->len = way->end - t->offset < PLANI_LONGEST_TRANSFER ? way->end - t->offset : PLANI_LONGEST_TRANSFER;
}

static way_t start(const run_t *run, bool out)
{
    way_t way = {.out = out};
    next(run, &way);
    return way;
}

/* ---- running transfers ---- */

static char *address(const run_t *run, bool out, size_t j, size_t offset)
{
    size_t w = (size_t)run->part->window;
    if (run->stage == NULL) return plani_at(run->view->base, (MPI_Aint)offset);
    return run->stage + ((out ? w : 0) + j % w) * run->slot;
}

static void post_receives(run_t *run)
{
    size_t w = (size_t)run->part->window;
    for (; run->posting.now.round != SIZE_MAX && run->posted < run->arrived + w; next(run, &run->posting)) {
        const transfer_t *t = &run->posting.now;
        MPI_Request *in = &run->in[run->posted % w];
        int rc = MPI_Irecv(address(run, false, run->posted, t->offset), (int)t->len, MPI_BYTE, t->peer, run->tag,
                           run->b->comm, in);
        if (rc != MPI_SUCCESS) *in = MPI_REQUEST_NULL;
        note(run, rc);
        run->posted++;
    }
}

/* Whether some bytes of a send are still to arrive in earlier rounds; also true if these have more than MOST_LOOKED_AT
 * transfers, which are not searched. */
static bool is_awaited(const run_t *run, const transfer_t *t)
{
    way_t way = run->taking;
    for (int i = 0; way.now.round < t->round; i++, next(run, &way))
        if (i == MOST_LOOKED_AT || (way.now.offset < t->offset + t->len && t->offset < way.now.offset + way.now.len))
            return true;
    return false;
}

static void post_sends(run_t *run)
{
    size_t w = (size_t)run->part->window;
    for (; run->sending.now.round != SIZE_MAX && run->sent < run->done + w && !is_awaited(run, &run->sending.now);
         next(run, &run->sending)) {
        const transfer_t *t = &run->sending.now;
        MPI_Request *out = &run->out[run->sent % w];
        char *data = address(run, true, run->sent, t->offset);
        if (run->stage != NULL && !run->empty) {
            note(run, plani_view_get(run->view, t->offset, t->len, data));
            run->b->copies.packed += t->len;
        }
        if (!run->empty) run->b->copies.sent += t->len;
        note(run, plani_send(run->empty ? NULL : data, run->empty ? 0 : t->len, t->peer, run->tag, run->b->comm, false,
                             out));
        run->sent++;
    }
}

static void came_in(run_t *run, const MPI_Status *status, int rc)
{
    const transfer_t *t = &run->taking.now;
    if (rc == MPI_SUCCESS) rc = plani_check_length(status, t->len);
    if (rc == 0) run->b->copies.received += t->len;
    if (rc == 0 && run->stage != NULL && !run->empty) {
        rc = plani_view_put(run->view, t->offset, t->len, address(run, false, run->arrived, t->offset));
        run->b->copies.packed += t->len;
    }
    note(run, rc);
    run->arrived++;
    next(run, &run->taking);
}

static void went_out(run_t *run, int rc)
{
    note(run, rc);
    run->done++;
}

/* The oldest active request of each direction, or NULL. Only these are tested. */
static void oldest(const run_t *run, MPI_Request *at[2])
{
    size_t w = (size_t)run->part->window;
    at[0] = run->arrived < run->posted ? &run->in[run->arrived % w] : NULL;
    at[1] = run->done < run->sent ? &run->out[run->done % w] : NULL;
}

static void finish(run_t *run, int way, const MPI_Status *status, int rc)
{
    if (way == 0)
        came_in(run, status, rc);
    else
        went_out(run, rc);
}

/* Block until one of the two has completed. */
static void wait_any(run_t *run, MPI_Request *at[2])
{
    MPI_Request both[2] = {*at[0], *at[1]};
    MPI_Status status;
    int way = 0, rc = MPI_Waitany(2, both, &way, &status);
    *at[way] = MPI_REQUEST_NULL;
    finish(run, way, &status, rc);
}

/* Wait until a request has completed. A single request is waited for in MPI; of two too where ranks must block. */
static void wait_some(run_t *run)
{
    MPI_Request *at[2];
    bool moved = false;

    oldest(run, at);
    for (unsigned look = 0; !moved && (at[0] != NULL || at[1] != NULL); look++) {
        for (int way = 0; way < 2; way++) {
            MPI_Status status;
            int rc = 0;
            if (at[way] == NULL || !plani_finished(at[way], at[1 - way] == NULL, &status, &rc)) continue;
            finish(run, way, &status, rc);
            moved = true;
        }
        if (moved) return;
        if (PLANI_MUST_BLOCK) {
            wait_any(run, at);
            return;
        }
        plani_give_way(look);
    }
}

/* Out of memory: receive each transfer into no buffer, and send empty ones. Receives are blocking, so that the expected
 * truncation errors are returned here. */
static void drain(run_t *run)
{
    while (run->taking.now.round != SIZE_MAX || run->sending.now.round != SIZE_MAX) {
        bool out = run->sending.now.round <= run->taking.now.round;
        bool in = run->taking.now.round <= run->sending.now.round;
        MPI_Status status;
        int rc = 0;
        if (out) note(run, plani_send(NULL, 0, run->sending.now.peer, run->tag, run->b->comm, false, run->out));
        if (in) MPI_Recv(NULL, 0, MPI_BYTE, run->taking.now.peer, run->tag, run->b->comm, MPI_STATUS_IGNORE);
        if (out) {
            plani_finished(run->out, true, &status, &rc);
            next(run, &run->sending);
        }
        if (in) next(run, &run->taking);
    }
}

/* \return false if out of memory */
static bool set_up_stage(run_t *run)
{
    size_t longest = run->part->schedule.kind == PLAN_CIRCULANT ? run->block : run->view->bytes;
    run->slot = longest < PLANI_LONGEST_TRANSFER ? longest : PLANI_LONGEST_TRANSFER;
    run->stage = plani_stage(&run->b->work, 2 * (size_t)run->part->window * run->slot);
    if (run->stage == NULL) note(run, PLAN_ENOMEM);
    return run->stage != NULL;
}

int plani_run_rounds(plani_binding_t *b, const plani_part_t *part, plani_view_t *view)
{
    run_t run = {.b = b, .part = part, .view = view, .in = b->work.request};
    run.out = run.in + part->window;
    run.tag = plani_tag_base(&b->tags, b->number, (size_t)(part - b->part), view->bytes);
    run.blocks = plani_schedule_blocks(part->schedule.kind, b->ranks, view->bytes, part->slice);
    run.block =
        part->schedule.kind == PLAN_CIRCULANT && part->slice > 0 ? part->slice : (view->bytes - 1) / run.blocks + 1;
    run.rounds = plani_schedule_rounds(&part->schedule, run.blocks);
    run.posting = run.taking = start(&run, false);
    run.sending = start(&run, true);
    if (view->direct || set_up_stage(&run)) {
        do {
            post_receives(&run);
            post_sends(&run);
            wait_some(&run);
        } while (run.taking.now.round != SIZE_MAX || run.sending.now.round != SIZE_MAX || run.done < run.sent);
    } else {
        drain(&run);
    }
    plani_stage_trim(&b->work);
    return run.rc;
}
