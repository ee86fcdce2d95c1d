/* Which ranks share a host, and what they share inside it. */
#include "lib/mpi/measure/engine/hosts.h"
#include "lib/mpi/comm/simulator.h"
#include <stdio.h>
#include <hwloc.h>

const char *const plani_level_name[PLANI_LEVELS] = {"same L2 cache", "same L3 cache", "same package", "same host"};

/* Logical index of the object of this type that contains the whole binding; -1 if none does. */
static int covering(hwloc_topology_t topology, hwloc_const_cpuset_t set, hwloc_obj_type_t type)
{
    hwloc_obj_t at = hwloc_get_obj_covering_cpuset(topology, set);

    while (at != NULL && at->type != type) at = at->parent;
    return at == NULL ? -1 : (int)at->logical_index;
}

/* Where this rank is bound. What hwloc cannot tell stays -1: then ranks share their host alone. */
static void find_binding(plani_place_t *place)
{
    static const hwloc_obj_type_t type[PLANI_LEVELS - 1] = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE};
    hwloc_topology_t topology;
    hwloc_bitmap_t set = NULL;

    for (int i = 0; i < PLANI_LEVELS - 1; i++) place->place[i] = -1;
    if (PLANI_OWN_PROCESSOR) return; /* nobody shares a cache */
    if (hwloc_topology_init(&topology) != 0) return;
    if (hwloc_topology_load(topology) == 0 && (set = hwloc_bitmap_alloc()) != NULL &&
        hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0 &&
        !hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(topology), set)) /* else: may run anywhere */
        for (int i = 0; i < PLANI_LEVELS - 1; i++) place->place[i] = covering(topology, set, type[i]);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
}

/* The lowest rank of comm on this rank's host. */
static int find_host(MPI_Comm comm, int rank, int *lowest)
{
    MPI_Comm host = MPI_COMM_NULL;
    int rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);

    *lowest = rank;
    if (rc == MPI_SUCCESS) rc = MPI_Bcast(lowest, 1, MPI_INT, 0, host);
    if (host != MPI_COMM_NULL) MPI_Comm_free(&host);
    return rc;
}

int plani_find_places(MPI_Comm comm, plani_place_t *place, int *hosts)
{
    plani_place_t mine;
    int rank, ranks, n = sizeof mine / sizeof(int), rc;

    if ((rc = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS || (rc = MPI_Comm_size(comm, &ranks)) != MPI_SUCCESS ||
        (rc = find_host(comm, rank, &mine.host)) != MPI_SUCCESS)
        return rc;
    find_binding(&mine);
    if ((rc = MPI_Allgather(&mine, n, MPI_INT, place, n, MPI_INT, comm)) != MPI_SUCCESS) return rc;
    *hosts = 0;
    for (int r = 0; r < ranks; r++) /* the lowest rank of a host comes before the others: it has its number already */
        place[r].host = place[r].host == r ? (*hosts)++ : place[place[r].host].host;
    return MPI_SUCCESS;
}

int plani_gather_names(MPI_Comm comm, plani_name_t *name)
{
    char full[MPI_MAX_PROCESSOR_NAME] = "";
    plani_name_t mine = {""};
    int len = 0;

    MPI_Get_processor_name(full, &len); /* a rank without a name stays nameless */
    snprintf(mine.text, sizeof mine.text, "%.*s", (int)sizeof mine.text - 1, full);
    return MPI_Gather(&mine, sizeof mine, MPI_BYTE, name, sizeof mine, MPI_BYTE, 0, comm);
}

plani_level_t plani_level(const plani_place_t *a, const plani_place_t *b)
{
    for (int i = 0; i < PLANI_LEVELS - 1; i++)
        if (a->place[i] >= 0 && a->place[i] == b->place[i]) return (plani_level_t)i;
    return PLANI_SAME_HOST;
}
