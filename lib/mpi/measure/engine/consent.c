/* SPDX-License-Identifier: BSD-3-Clause */
/* The message size from which on MPI uses its rendezvous protocol: a send then waits until the receiver has asked for
 * the message. */
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/comm/wait.h"

enum { TAG_MESSAGE = 1, TAG_ORDER, TAG_DONE };

/* One message that the receiver does not ask for yet. *left: whether it was sent nevertheless within `patience`
 * seconds; *seconds: until it has been received. */
static int try_size(plani_engine_t *engine, const plani_task_t *t, int bytes, double patience, bool *left,
                    double *seconds)
{
    enum { LOOKS = 64 }; /* at least, for a busy machine may take this rank's processor for longer than `patience` */
    MPI_Request request;
    double start = MPI_Wtime();
    int flag = 0, rc = MPI_Isend(engine->out, bytes, MPI_BYTE, t->to, TAG_MESSAGE, engine->comm, &request);

    for (unsigned look = 0; rc == MPI_SUCCESS && !flag && (look < LOOKS || MPI_Wtime() < start + patience); look++) {
        rc = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag) plani_give_way(look);
    }
    *left = flag;
    start = MPI_Wtime();
    if (rc == MPI_SUCCESS) rc = MPI_Send(&bytes, 1, MPI_INT, t->to, TAG_ORDER, engine->comm);
    if (rc == MPI_SUCCESS) rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS) rc = MPI_Recv(NULL, 0, MPI_BYTE, t->to, TAG_DONE, engine->comm, MPI_STATUS_IGNORE);
    *seconds = MPI_Wtime() - start;
    return rc;
}

/* A size counts as held back if two messages in a row are. The patience is a few times the duration of a message of
 * half the size. */
static int is_held_back(plani_engine_t *engine, const plani_task_t *t, int bytes, double *took, bool *held)
{
    static const double TIMES = 8;
    bool left = false;
    double patience = TIMES * *took;
    int rc = MPI_SUCCESS;

    for (int times = 0; times < 2 && rc == MPI_SUCCESS && !left; times++)
        rc = try_size(engine, t, bytes, patience, &left, took);
    *held = !left;
    return rc;
}

/* Double the size until it is held back, then halve the interval to an eighth of the size. */
static int search(plani_engine_t *engine, const plani_task_t *t, plani_result_t *mine)
{
    enum { SMALLEST = 1024 };
    const double end = MPI_Wtime() + t->seconds;
    int most = 0, least = 0;
    bool held = false;
    double took = 0;
    int rc = is_held_back(engine, t, 0, &took, &held);

    for (int bytes = SMALLEST; rc == MPI_SUCCESS && least == 0 && bytes <= t->bytes && MPI_Wtime() < end; bytes *= 2) {
        rc = is_held_back(engine, t, bytes, &took, &held);
        *(held ? &least : &most) = bytes;
    }
    while (rc == MPI_SUCCESS && least - most > 1 && least - most > least / 8) {
        int bytes = most + (least - most) / 2;
        rc = is_held_back(engine, t, bytes, &took, &held);
        *(held ? &least : &most) = bytes;
    }
    mine->a[0] = least, mine->b[0] = most, mine->n = 1;
    int stop = -1;
    return rc == MPI_SUCCESS ? MPI_Send(&stop, 1, MPI_INT, t->to, TAG_ORDER, engine->comm) : rc;
}

static int receive(plani_engine_t *engine, const plani_task_t *t)
{
    for (;;) {
        int bytes, rc = MPI_Recv(&bytes, 1, MPI_INT, t->from, TAG_ORDER, engine->comm, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS || bytes < 0) return rc;
        rc = MPI_Recv(engine->in, bytes, MPI_BYTE, t->from, TAG_MESSAGE, engine->comm, MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS) rc = MPI_Send(NULL, 0, MPI_BYTE, t->from, TAG_DONE, engine->comm);
        if (rc != MPI_SUCCESS) return rc;
    }
}

int plani_do_consent(plani_engine_t *engine, const plani_task_t *task, plani_result_t *mine)
{
    return engine->rank == task->to ? receive(engine, task) : search(engine, task, mine);
}
