/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Bcast of MPI_BYTE, since ranks may pass different datatypes, and in chunks, since its count is an int. It is
 * called as PMPI_Bcast, for the preloadable library replaces MPI_Bcast.
 *
 * A short message has a heading with the number of the broadcast; otherwise a rank that has missed a broadcast would
 * take the bytes of an earlier one. Before a long message, a record (record.h) says the same.
 */
#include "lib/mpi/execute/record.h"
#include "lib/mpi/comm/wait.h"
#include <string.h>

enum { ALONE = 8192 }; /* [B] up to this size copying takes less time than a record */

typedef struct {
    uint64_t bytes, number;
    int64_t failed;
} heading_t;

/* By plan_start on all ranks or on none: MPI matches blocking collectives only with blocking ones. */
static int cast(plani_binding_t *b, void *data, size_t len)
{
    MPI_Request request;
    if (!b->started.runs) return PMPI_Bcast(data, (int)len, MPI_BYTE, b->root, b->comm);
    int rc = PMPI_Ibcast(data, (int)len, MPI_BYTE, b->root, b->comm, &request);
    return rc == MPI_SUCCESS ? plani_await(&request, MPI_STATUS_IGNORE) : rc;
}

bool plani_is_native_alone(size_t bytes)
{
    return bytes <= ALONE;
}

bool plani_native_reserve(plani_work_t *work)
{
    return plani_stage(work, sizeof(heading_t) + ALONE) != NULL;
}

/* Heading and data in one message. A heading of an earlier broadcast means that this rank has missed that one. It has
 * now served its children in it, and goes on to the next. */
static int run_short(plani_binding_t *b, plani_view_t *view)
{
    char *stage =
        plani_stage(&b->work, sizeof(heading_t) + ALONE); /* reserved; after an error MPI may still write there */
    heading_t heading = {.bytes = view->bytes, .number = b->number};
    int rc = 0, came;

    if (b->rank == b->root) {
        heading.failed = rc = plani_view_get(view, 0, view->bytes, stage + sizeof heading);
        memcpy(stage, &heading, sizeof heading);
    }
    b->copies.packed += view->none ? 0 : view->bytes;
    b->copies.native += view->bytes;
    do {
        came = cast(b, stage, sizeof heading + view->bytes);
        memcpy(&heading, stage, sizeof heading);
    } while (came == MPI_SUCCESS && heading.number < b->number);
    if (rc == 0) rc = came;
    if (came != MPI_SUCCESS) b->broken = true;
    if (rc != 0 || b->rank == b->root) return rc;
    if (heading.number != b->number) b->broken = true;
    if (heading.number != b->number || heading.bytes != view->bytes || heading.failed) return PLAN_EDISAGREE;
    return plani_view_put(view, 0, view->bytes, stage + sizeof heading);
}

static size_t chunk_of(const plani_view_t *view)
{
    return view->bytes < PLANI_CHUNK ? view->bytes : PLANI_CHUNK;
}

int plani_native_prepare(plani_binding_t *b, const plani_view_t *view)
{
    return view->direct || plani_stage(&b->work, chunk_of(view)) != NULL ? 0 : PLAN_ENOMEM;
}

static int run_long(plani_binding_t *b, plani_view_t *view)
{
    int first = 0;
    size_t room = chunk_of(view);
    char *stage = view->direct ? NULL : plani_stage(&b->work, room);

    if (stage == NULL && !view->direct) { /* the others wait in MPI_Bcast, as when MPI itself is out of memory */
        b->broken = true;
        return PLAN_ENOMEM;
    }
    for (size_t at = 0; at < view->bytes; at += room) {
        size_t len = view->bytes - at < room ? view->bytes - at : room;
        char *data = view->direct ? plani_at(view->base, (MPI_Aint)at) : stage;
        int rc = 0;
        if (!view->direct && b->rank == b->root) rc = plani_view_get(view, at, len, data);
        int came = cast(b, data, len);
        b->copies.native += len;
        if (!view->direct) b->copies.packed += len;
        if (rc == 0) rc = came;
        if (came != MPI_SUCCESS) b->broken = true;
        if (rc == 0 && !view->direct && b->rank != b->root) rc = plani_view_put(view, at, len, data);
        if (first == 0) first = rc;
    }
    plani_stage_trim(&b->work);
    return first;
}

/* The record at the end: if the root could not pack all data, other ranks have received garbage, and return an error.
 * */
static int close_long(plani_binding_t *b, int rc)
{
    plani_unexpected_t other = {.any = false};
    plani_record_t end = {.failed = rc != 0};
    int came = plani_record_cast(b, b->root, &end, &other);
    if (rc != 0) return rc;
    return came != 0 ? came : end.failed ? PLAN_EDISAGREE : 0;
}

int plani_run_native(plani_binding_t *b, plani_view_t *view, bool closed)
{
    if (plani_is_native_alone(view->bytes)) return run_short(b, view);
    int rc = run_long(b, view);
    return closed ? close_long(b, rc) : rc;
}
