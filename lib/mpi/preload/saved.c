/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved plans: the file PLANBCAST_PLAN. */
#include "lib/mpi/preload/preload.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t nsaved;
static plan_t **saved; /* [nsaved] guarded by lock; NULL: not read yet */

bool preload_saved_any(void)
{
    const char *file = preload_settings()->plan_file;
    plan_error_t err;

    if (file == NULL) return false;
    pthread_mutex_lock(&lock);
    if (saved == NULL && plan_load_all(file, &saved, &nsaved, &err) != PLAN_OK) {
        saved = calloc(1, sizeof(plan_t *)); /* do not try again */
        preload_complain(err.text);
    }
    pthread_mutex_unlock(&lock);
    return nsaved > 0;
}

const plan_t *preload_saved_find(preload_kind_t kind, int ranks, int root)
{
    for (size_t i = 0; preload_saved_any() && i < nsaved; i++) {
        const plan_data_t *d = plan_data(saved[i]);
        if (d->ranks == ranks && d->root == root && d->reduces == (kind == PRELOAD_REDUCE)) return saved[i];
    }
    return NULL;
}

/* Rank 0: whether a plan groups ranks into hosts as they are here. near: the lowest rank on each rank's host. */
static bool is_placed(const plan_t *plan, const int *near)
{
    const plan_data_t *d = plan_data(plan);
    if (d->host == NULL) return true;
    for (int r = 0; r < d->ranks; r++) {
        int q = 0;
        while (d->host[q] != d->host[r]) q++;
        if (q != near[r]) return false;
    }
    return true;
}

/* The lowest rank on the host of each, on rank 0. Collective. */
static int find_near(MPI_Comm comm, int rank, int *near)
{
    MPI_Comm host;
    int lowest = rank;
    int rc = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);

    if (rc != MPI_SUCCESS) return rc;
    rc = PMPI_Bcast(&lowest, 1, MPI_INT, 0, host);
    PMPI_Comm_free(&host);
    int gathered = PMPI_Gather(&lowest, 1, MPI_INT, near, 1, MPI_INT, 0, comm);
    return rc != MPI_SUCCESS ? rc : gathered;
}

plan_t *preload_saved_bind(MPI_Comm comm, int rank, int ranks, const plan_t *mine)
{
    plan_error_t err;
    char line[600];
    plan_t *plan = NULL;
    int *near = calloc((size_t)ranks, sizeof *near);
    int rc = near != NULL ? MPI_SUCCESS : PLAN_ENOMEM, any = 0;

    PMPI_Allreduce(&rc, &any, 1, MPI_INT, MPI_MIN, comm);
    if (any == MPI_SUCCESS) any = find_near(comm, rank, near);
    if (any != MPI_SUCCESS) goto done;
    bool placed = rank != 0 || is_placed(mine, near);
    rc = plan_bind(comm, placed ? mine : NULL, &plan, &err);
    if (rank == 0 && rc != 0) {
        snprintf(line, sizeof line, "%s: %s", preload_settings()->plan_file,
                 placed ? err.text : "the plan is for ranks on other hosts; start the ranks as then, or plan again");
        preload_complain(line);
    }
done:
    free(near);
    return rc == 0 ? plan : NULL;
}
