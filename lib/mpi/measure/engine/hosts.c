/* Which ranks share a host, and what they share inside it. */
#include "lib/mpi/measure/engine/hosts.h"
#include "lib/mpi/comm/simulator.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <hwloc.h>

/* Logical index of the object of this type that contains the whole binding; -1 if none does. */
static int covering(hwloc_topology_t topology, hwloc_const_cpuset_t set, hwloc_obj_type_t type)
{
    hwloc_obj_t at = hwloc_get_obj_covering_cpuset(topology, set);

    while (at != NULL && at->type != type) at = at->parent;
    return at == NULL ? -1 : (int)at->logical_index;
}

/* Where this rank is bound. Levels that hwloc does not know stay -1: then ranks share only the host. */
static void find_binding(hwloc_topology_t topology, plani_place_t *place)
{
    static const hwloc_obj_type_t type[PLANI_LEVELS - 1] = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE};
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (set != NULL && hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0 &&
        !hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(topology), set)) /* else not bound */
        for (int i = 0; i < PLANI_LEVELS - 1; i++) place->place[i] = covering(topology, set, type[i]);
    hwloc_bitmap_free(set);
}

/* The link speed of the fastest network card [Mbit/s] by Linux; 0: unknown. */
static long fastest_card(void)
{
    glob_t cards;
    long fastest = 0;

    if (glob("/sys/class/net/*/speed", 0, NULL, &cards) != 0) return 0;
    for (size_t i = 0; i < cards.gl_pathc; i++) {
        char line[32] = "";
        FILE *file = fopen(cards.gl_pathv[i], "r");
        if (file == NULL) continue;
        long speed = fgets(line, sizeof line, file) != NULL ? strtol(line, NULL, 10) : 0;
        if (speed > fastest) fastest = speed;
        fclose(file);
    }
    globfree(&cards);
    return fastest;
}

/* Describe the hardware; hosts with equal text are taken to be of equal hardware. */
static void sign(hwloc_topology_t topology, plani_name_t *name)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

    plani_signature(name->signature, sizeof name->signature, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE),
                    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
                    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), fastest_card(), model);
}

static void look_around(plani_place_t *place, plani_name_t *name)
{
    char full[MPI_MAX_PROCESSOR_NAME] = "";
    int len = 0;
    hwloc_topology_t topology;

    for (int i = 0; i < PLANI_LEVELS - 1; i++) place->place[i] = -1;
    MPI_Get_processor_name(full, &len); /* on failure the name stays empty */
    snprintf(name->text, sizeof name->text, "%.*s", (int)sizeof name->text - 1, full);
    if (PLANI_OWN_PROCESSOR) return; /* simulated: no shared caches */
    if (hwloc_topology_init(&topology) != 0) return;
    if (hwloc_topology_load(topology) == 0) find_binding(topology, place), sign(topology, name);
    hwloc_topology_destroy(topology);
}

/* The lowest rank of comm on this rank's host. Where it cannot be found on some rank, all fail. */
static int find_host(MPI_Comm comm, int rank, int *lowest)
{
    MPI_Comm host = MPI_COMM_NULL;
    int rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);

    *lowest = rank;
    int all = MPI_SUCCESS; /* no rank waits for one that failed: codes are positive, MPI_SUCCESS is 0 */
    int agreed = MPI_Allreduce(&rc, &all, 1, MPI_INT, MPI_MAX, comm);
    if (rc == MPI_SUCCESS) rc = agreed != MPI_SUCCESS ? agreed : all;
    if (rc == MPI_SUCCESS) rc = PMPI_Bcast(lowest, 1, MPI_INT, 0, host);
    if (host != MPI_COMM_NULL) MPI_Comm_free(&host);
    return rc;
}

int plani_find_places(MPI_Comm comm, plani_place_t *place, plani_name_t *name, int *hosts)
{
    plani_place_t mine;
    plani_name_t called = {.text = ""};
    int rank, ranks, n = sizeof mine / sizeof(int), rc;

    if ((rc = MPI_Comm_rank(comm, &rank)) != MPI_SUCCESS || (rc = MPI_Comm_size(comm, &ranks)) != MPI_SUCCESS ||
        (rc = find_host(comm, rank, &mine.host)) != MPI_SUCCESS)
        return rc;
    look_around(&mine, &called);
    if ((rc = MPI_Allgather(&mine, n, MPI_INT, place, n, MPI_INT, comm)) != MPI_SUCCESS) return rc;
    if (name != NULL) rc = MPI_Allgather(&called, sizeof called, MPI_BYTE, name, sizeof called, MPI_BYTE, comm);
    if (rc != MPI_SUCCESS) return rc;
    *hosts = 0;
    for (int r = 0; r < ranks; r++) /* the host's lowest rank comes first and numbers the host */
        place[r].host = place[r].host == r ? (*hosts)++ : place[place[r].host].host;
    return MPI_SUCCESS;
}
