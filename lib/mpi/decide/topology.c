/* What hwloc says of a host. */
#include "lib/mpi/decide/decide.h"
#include <glob.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logical index of the object of this type that contains the whole binding; -1 if none does. */
static int covering(hwloc_topology_t topology, hwloc_const_cpuset_t set, hwloc_obj_type_t type)
{
    hwloc_obj_t at = hwloc_get_obj_covering_cpuset(topology, set);

    while (at != NULL && at->type != type) at = at->parent;
    return at == NULL ? -1 : (int)at->logical_index;
}

/* Where a rank is bound. Levels that hwloc does not know stay -1: then ranks share only the host. */
static void find_binding(hwloc_topology_t topology, const plani_cpus_t *may, plani_place_t *place)
{
    static const hwloc_obj_type_t type[PLANI_LEVELS - 1] = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_PACKAGE};
    hwloc_bitmap_t set = may->known ? hwloc_bitmap_alloc() : NULL;

    if (set == NULL) return;
    for (unsigned k = 0; k < PLANI_CPUS; k++)
        if ((may->may[k / 8] >> k % 8 & 1) != 0) hwloc_bitmap_set(set, k);
    if (!hwloc_bitmap_isincluded(hwloc_topology_get_allowed_cpuset(topology), set)) /* else not bound */
        for (int i = 0; i < PLANI_LEVELS - 1; i++) place->place[i] = covering(topology, set, type[i]);
    hwloc_bitmap_free(set);
}

/* The number in a card's file "speed", beside its file "device"; 0: unknown. */
static long speed_beside(const char *device)
{
    char path[4096], line[32] = "";
    int folder = (int)(strlen(device) - strlen("device"));

    if (snprintf(path, sizeof path, "%.*sspeed", folder, device) >= (int)sizeof path) return 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    long speed = fgets(line, sizeof line, file) != NULL ? strtol(line, NULL, 10) : 0;
    fclose(file);
    return speed;
}

/* Hardware has a device; bridges, tunnels and the cards of containers, which come and go, have none. */
long plani_fastest_card(const char *cards)
{
    char pattern[4096];
    glob_t found;
    long fastest = 0;

    if (snprintf(pattern, sizeof pattern, "%s/*/device", cards) >= (int)sizeof pattern) return 0;
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        long speed = speed_beside(found.gl_pathv[i]);
        if (speed > fastest) fastest = speed;
    }
    globfree(&found);
    return fastest;
}

/* Describe the hardware; hosts with equal text are taken to be of equal hardware. */
static void sign(hwloc_topology_t topology, char *signature, size_t room)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

    plani_signature(signature, room, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE),
                    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
                    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), plani_fastest_card("/sys/class/net"), model);
}

void plani_look_around(int n, const plani_cpus_t *may, plani_place_t *place, char *signature, size_t room)
{
    hwloc_topology_t topology;

    signature[0] = '\0';
    for (int r = 0; r < n; r++)
        for (int i = 0; i < PLANI_LEVELS - 1; i++) place[r].place[i] = -1;
    if (hwloc_topology_init(&topology) != 0) return;
    /* also those processors that a batch system keeps from this job, but not from others: they are of the host, too */
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(topology) == 0) {
        for (int r = 0; r < n; r++) find_binding(topology, &may[r], &place[r]);
        sign(topology, signature, room);
    }
    hwloc_topology_destroy(topology);
}
