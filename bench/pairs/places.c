#include "places.h"
#include <stdbool.h>
#include <stdlib.h>

const char *const pairs_level_name[PAIRS_LEVELS] = {"same core",      "same L2",      "same L3",
                                                    "same NUMA node", "same package", "across packages"};

static bool share(hwloc_obj_t a, hwloc_obj_t b, hwloc_obj_type_t type)
{
    hwloc_obj_t part = hwloc_get_ancestor_obj_by_type(NULL, type, a);
    return part != NULL && part == hwloc_get_ancestor_obj_by_type(NULL, type, b);
}

static hwloc_obj_t package_of(hwloc_obj_t processor)
{
    return hwloc_get_ancestor_obj_by_type(NULL, HWLOC_OBJ_PACKAGE, processor);
}

static pairs_level_t level_of(hwloc_obj_t a, hwloc_obj_t b)
{
    if (package_of(a) != package_of(b)) return PAIRS_ACROSS_PACKAGES;
    if (share(a, b, HWLOC_OBJ_CORE)) return PAIRS_SAME_CORE;
    if (share(a, b, HWLOC_OBJ_L2CACHE)) return PAIRS_SAME_L2;
    if (share(a, b, HWLOC_OBJ_L3CACHE)) return PAIRS_SAME_L3;
    return hwloc_bitmap_isequal(a->nodeset, b->nodeset) ? PAIRS_SAME_NUMA : PAIRS_SAME_PACKAGE;
}

/* Whether pairs of this level may have the i-th processor. */
static bool counts(hwloc_topology_t topology, pairs_level_t level, int i)
{
    hwloc_obj_t at = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i), package = package_of(at);

    if (package != NULL && package->logical_index > (level == PAIRS_ACROSS_PACKAGES)) return false;
    for (int k = 0; k < i && level != PAIRS_SAME_CORE; k++)
        if (share(at, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)k), HWLOC_OBJ_CORE)) return false;
    return true;
}

int pairs_find(hwloc_topology_t topology, pairs_level_t level, int most, pairs_processors_t *pair)
{
    int n = 0, processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    bool *taken = processors > 0 ? calloc((size_t)processors, sizeof *taken) : NULL;

    if (taken == NULL) return 0;
    for (int i = 0; i < processors; i++) taken[i] = !counts(topology, level, i);
    for (int i = 0; i < processors; i++)
        for (int k = i + 1; k < processors && !taken[i] && n < most; k++) {
            hwloc_obj_t a = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i),
                        b = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)k);
            if (taken[k] || level_of(a, b) != level) continue;
            pair[n++] = (pairs_processors_t){(int)a->os_index, (int)b->os_index};
            taken[i] = taken[k] = true;
        }
    free(taken);
    return n;
}
