/* What hwloc says of a host. */
#include "lib/mpi/decide/decide.h"
#include <glob.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (!hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(topology), set)) /* else not bound */
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
static void sign(hwloc_topology_t topology, char *signature, size_t room)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

    plani_signature(signature, room, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE),
                    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE),
                    hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), fastest_card(), model);
}

void plani_look_around(int n, const plani_cpus_t *may, plani_place_t *place, char *signature, size_t room)
{
    hwloc_topology_t topology;

    signature[0] = '\0';
    for (int r = 0; r < n; r++)
        for (int i = 0; i < PLANI_LEVELS - 1; i++) place[r].place[i] = -1;
    if (hwloc_topology_init(&topology) != 0) return;
    if (hwloc_topology_load(topology) == 0) {
        for (int r = 0; r < n; r++) find_binding(topology, &may[r], &place[r]);
        sign(topology, signature, room);
    }
    hwloc_topology_destroy(topology);
}
