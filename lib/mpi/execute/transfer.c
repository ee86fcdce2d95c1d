/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests and staging, as pipelines and rounds use them. */
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <stdlib.h>

int plani_check_length(const MPI_Status *status, size_t bytes)
{
    int got, rc = MPI_Get_count(status, MPI_BYTE, &got);
    if (rc != MPI_SUCCESS) return rc;
    return got == MPI_UNDEFINED || (size_t)got != bytes ? PLAN_EDISAGREE : MPI_SUCCESS;
}

char *plani_stage(plani_work_t *work, size_t size)
{
    if (size <= work->stage_size) return work->stage;
    char *stage = malloc(size);
    if (stage == NULL) return NULL;
    free(work->stage);
    work->stage = stage;
    work->stage_size = size;
    return stage;
}

void plani_stage_trim(plani_work_t *work)
{
    enum { KEEP = 1 << 20 };
    if (work->stage_size <= KEEP) return;
    char *stage = realloc(work->stage, KEEP);
    if (stage == NULL) return;
    work->stage = stage;
    work->stage_size = KEEP;
}

int plani_send(const void *data, size_t len, int to, int tag, MPI_Comm comm, bool known, MPI_Request *request)
{
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
        known || PLANI_SEND_SYNCHRONOUSLY ? MPI_Issend : MPI_Isend;
    int rc = send(data, (int)len, MPI_BYTE, to, tag, comm, request);
    if (rc != MPI_SUCCESS) *request = MPI_REQUEST_NULL;
    return rc;
}

bool plani_cancel(MPI_Request *request)
{
    MPI_Status status;
    int cancelled = 1;
    if (*request == MPI_REQUEST_NULL) return true;
    if (MPI_Cancel(request) == MPI_SUCCESS && MPI_Wait(request, &status) == MPI_SUCCESS)
        MPI_Test_cancelled(&status, &cancelled);
    *request = MPI_REQUEST_NULL;
    return cancelled;
}

bool plani_finished(MPI_Request *request, bool block, MPI_Status *status, int *rc)
{
    int flag = 1;
    if (PLANI_MUST_BLOCK && !block && *request != MPI_REQUEST_NULL) { /* must be waited for, not tested */
        *rc = MPI_SUCCESS;
        return false;
    }
    *rc = block ? plani_await(request, status) : MPI_Test(request, &flag, status);
    if (*rc != MPI_SUCCESS && *request != MPI_REQUEST_NULL) MPI_Request_free(request); /* some keep it on errors */
    return flag || *rc != MPI_SUCCESS;
}
