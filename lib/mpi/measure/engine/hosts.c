/* SPDX-License-Identifier: BSD-3-Clause */
/* Which ranks share a host, and what they share inside it. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "lib/mpi/measure/engine/hosts.h"
#include "lib/mpi/comm/simulator.h"
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the calling thread may run, by Linux. Not known on machines of more than PLANI_CPUS processors. */
static void ask_binding(plani_cpus_t *cpus)
{
    enum { SIZE = CPU_ALLOC_SIZE(PLANI_CPUS) };
    cpu_set_t *set = CPU_ALLOC(PLANI_CPUS);

    *cpus = (plani_cpus_t){.known = false};
    if (set != NULL && sched_getaffinity(0, SIZE, set) == 0) {
        cpus->known = true;
        for (int k = 0; k < PLANI_CPUS; k++)
            if (CPU_ISSET_S((size_t)k, SIZE, set)) cpus->may[k / 8] |= (unsigned char)(1u << k % 8);
    }
    if (set != NULL) CPU_FREE(set);
}

/* The first rank of a host asks hwloc, which is behind the planner, for all of them. Where there is no planner on its
 * host, ranks share only the host. */
typedef struct {
    int rank, n;        /* of the ranks of this host */
    plani_cpus_t *cpus; /* [n] of all, on the first rank, as place */
    plani_place_t *place;
    char signature[sizeof((plani_name_t *)0)->signature];
} looking_t;

static plan_status_t allocate(looking_t *l)
{
    if (l->rank != 0 || PLANI_OWN_PROCESSOR) return PLAN_OK;
    l->cpus = malloc((size_t)l->n * sizeof *l->cpus);
    l->place = calloc((size_t)l->n, sizeof *l->place);
    return l->cpus != NULL && l->place != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* All ranks of a host. */
static int look_together(MPI_Comm host, looking_t *l, plani_place_t *mine)
{
    plani_cpus_t cpus;
    int rc, size = sizeof *mine;

    ask_binding(&cpus);
    rc = MPI_Gather(&cpus, (int)sizeof cpus, MPI_BYTE, l->cpus, (int)sizeof cpus, MPI_BYTE, 0, host);
    if (rc == MPI_SUCCESS && l->rank == 0)
        plani_planner(NULL)->look_around(l->n, l->cpus, l->place, l->signature, sizeof l->signature);
    if (rc == MPI_SUCCESS) rc = MPI_Scatter(l->place, size, MPI_BYTE, mine, size, MPI_BYTE, 0, host);
    if (rc == MPI_SUCCESS) rc = PMPI_Bcast(l->signature, (int)sizeof l->signature, MPI_BYTE, 0, host);
    return rc;
}

/* This rank's place, whose host is its lowest rank in comm, and its host's name. */
static int look_around(MPI_Comm host, int lowest, looking_t *l, plani_place_t *mine, plani_name_t *name)
{
    char full[MPI_MAX_PROCESSOR_NAME] = "";
    int told[2] = {lowest, 0}, len = 0, rc; /* the host, and whether hwloc is asked; simulated hosts share no caches */

    for (int i = 0; i < PLANI_LEVELS - 1; i++) mine->place[i] = -1;
    MPI_Get_processor_name(full, &len); /* on failure the name stays empty */
    snprintf(name->text, sizeof name->text, "%.*s", (int)sizeof name->text - 1, full);
    if (l->rank == 0) told[1] = !PLANI_OWN_PROCESSOR && plani_planner_open(NULL) == PLAN_OK;
    if ((rc = PMPI_Bcast(told, 2, MPI_INT, 0, host)) == MPI_SUCCESS && told[1]) rc = look_together(host, l, mine);
    mine->host = told[0];
    memcpy(name->signature, l->signature, sizeof name->signature);
    return rc;
}

/* The ranks of comm on this rank's host. Where they cannot be found on some rank, or have no memory, all fail. */
static int split_hosts(MPI_Comm comm, int rank, MPI_Comm *host, looking_t *l)
{
    enum { NO_MEMORY = INT_MAX }; /* no rank waits for one that failed: codes are positive, MPI_SUCCESS is 0 */
    int rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, host), all = MPI_SUCCESS;

    if (rc == MPI_SUCCESS) {
        MPI_Comm_rank(*host, &l->rank);
        MPI_Comm_size(*host, &l->n);
        if (allocate(l) != PLAN_OK) rc = NO_MEMORY;
    }
    int agreed = MPI_Allreduce(&rc, &all, 1, MPI_INT, MPI_MAX, comm);
    if (agreed != MPI_SUCCESS) return agreed;
    return all == NO_MEMORY ? PLAN_ENOMEM : rc != MPI_SUCCESS ? rc : all;
}

int plani_find_places(MPI_Comm comm, plani_place_t *place, plani_name_t *name, int *hosts)
{
    plani_place_t mine;
    plani_name_t called = {.text = ""};
    looking_t l = {.rank = 0};
    MPI_Comm host = MPI_COMM_NULL;
    int rank, ranks, n = sizeof mine / sizeof(int), rc;

    if ((rc = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS || (rc = MPI_Comm_size(comm, &ranks)) != MPI_SUCCESS)
        return rc;
    if ((rc = split_hosts(comm, rank, &host, &l)) == 0) rc = look_around(host, rank, &l, &mine, &called);
    if (host != MPI_COMM_NULL) MPI_Comm_free(&host);
    free(l.cpus);
    free(l.place);
    if (rc != MPI_SUCCESS) return rc;
    if ((rc = MPI_Allgather(&mine, n, MPI_INT, place, n, MPI_INT, comm)) != MPI_SUCCESS) return rc;
    if (name != NULL) rc = MPI_Allgather(&called, sizeof called, MPI_BYTE, name, sizeof called, MPI_BYTE, comm);
    if (rc != MPI_SUCCESS) return rc;
    *hosts = 0;
    for (int r = 0; r < ranks; r++) /* the host's lowest rank comes first and numbers the host */
        place[r].host = place[r].host == r ? (*hosts)++ : place[place[r].host].host;
    return MPI_SUCCESS;
}
