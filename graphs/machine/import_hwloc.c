/* hwloc's XML as machine: each file a host, equal ones of one kind. In a library of its own: nothing else in graphs
 * uses hwloc. */
#include "graphs/machine/import.h"
#include "lib/base/base.h"
#include <hwloc.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MEMORY_UNIT = 256 << 20; /* [B] equal hosts keep some megabytes more or less for themselves */

/* The core set of an object in hwloc's list form, such as "0-3,8". NULL: out of memory. */
static json_t *set_of(hwloc_obj_t at)
{
    char *text = NULL;
    if (at->cpuset == NULL || hwloc_bitmap_list_asprintf(&text, at->cpuset) < 0) return NULL;
    json_t *value = json_string(text);
    free(text);
    return value;
}

static json_t *memories(hwloc_topology_t t)
{
    json_t *array = json_array();
    for (hwloc_obj_t at = NULL; (at = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, at)) != NULL;) {
        double bytes = MEMORY_UNIT * round((double)at->attr->numanode.local_memory / MEMORY_UNIT);
        json_array_append_new(array, json_pack("{s:f, s:o}", "bytes", bytes, "processors", set_of(at)));
    }
    return array;
}

static json_t *caches(hwloc_topology_t t)
{
    static const hwloc_obj_type_t type[] = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof type / sizeof *type; i++)
        for (hwloc_obj_t at = NULL; (at = hwloc_get_next_obj_by_type(t, type[i], at)) != NULL;)
            json_array_append_new(array, json_pack("{s:i, s:f, s:o}", "level", (int)at->attr->cache.depth, "bytes",
                                                   (double)at->attr->cache.size, "processors", set_of(at)));
    return array;
}

/* Network cards: name, where on the PCI bus, next to which processors, and what the bus carries. */
static json_t *cards(hwloc_topology_t t)
{
    json_t *array = json_array();
    for (hwloc_obj_t at = NULL; (at = hwloc_get_next_osdev(t, at)) != NULL;) {
        hwloc_obj_t bus = at->parent, near = hwloc_get_non_io_ancestor_obj(t, at);
        char place[64];
        if (at->attr->osdev.type != HWLOC_OBJ_OSDEV_NETWORK && at->attr->osdev.type != HWLOC_OBJ_OSDEV_OPENFABRICS)
            continue;
        json_t *card = json_pack("{s:s}", "name", at->name != NULL ? at->name : "");
        while (bus != NULL && bus->type != HWLOC_OBJ_PCI_DEVICE) bus = bus->parent;
        if (bus != NULL) {
            const struct hwloc_pcidev_attr_s *pci = &bus->attr->pcidev;
            snprintf(place, sizeof place, "%04x:%02x:%02x.%01x", (unsigned)pci->domain, (unsigned)pci->bus,
                     (unsigned)pci->dev, (unsigned)pci->func);
            json_object_set_new(card, "pci", json_string(place));
            if (pci->linkspeed > 0) /* in GB/s */
                json_object_set_new(card, "pci_bytes_per_s", json_real(1e6 * round(1e3 * (double)pci->linkspeed)));
        }
        if (near != NULL) json_object_set_new(card, "processors", set_of(near));
        json_array_append_new(array, card);
    }
    return array;
}

static json_t *hardware(hwloc_topology_t t)
{
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:o}", "packages", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE),
                     "cores", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE), "threads",
                     hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU), "memory", memories(t), "caches", caches(t), "cards",
                     cards(t));
}

static void sign(hwloc_topology_t t, const plani_import_t *how, char *text, size_t room)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    double fastest = plani_max(how->out_bytes_per_s, how->in_bytes_per_s);

    plani_signature(text, room, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE),
                    hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE), hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU),
                    lround(8e-6 * fastest), model);
}

/* The kind of this signature and hardware, which is taken over; made if it is new. */
static plan_status_t find_kind(plani_machine_t *m, const char *signature, json_t *what, const plani_import_t *how,
                               int *kind)
{
    char name[32];

    for (*kind = 0; *kind < m->nkinds; ++*kind)
        if (strcmp(m->kind[*kind].signature, signature) == 0 && json_equal(m->kind[*kind].hardware, what)) break;
    if (*kind < m->nkinds) {
        json_decref(what);
        return PLAN_OK;
    }
    snprintf(name, sizeof name, "kind %d", m->nkinds);
    plani_machine_kind_t *k = &m->kind[m->nkinds++];
    *k = (plani_machine_kind_t){.name = plani_machine_text(m, name),
                                .signature = plani_machine_text(m, signature),
                                .out = {.bytes_per_s = how->out_bytes_per_s},
                                .in = {.bytes_per_s = how->in_bytes_per_s},
                                .shared_out = true,
                                .shared_in = true,
                                .latency_s = how->latency_s,
                                .hardware = what};
    return k->name != NULL && k->signature != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* The name that lstopo notes, else the file's, without its folder and ".xml". */
static void name_host(hwloc_topology_t t, const char *file, char *name, size_t room)
{
    const char *noted = hwloc_obj_get_info_by_name(hwloc_get_root_obj(t), "HostName"), *slash = strrchr(file, '/');
    snprintf(name, room, "%s", noted != NULL ? noted : slash != NULL ? slash + 1 : file);
    size_t len = strlen(name);
    if (noted == NULL && len > 4 && strcmp(name + len - 4, ".xml") == 0) name[len - 4] = '\0';
}

static plan_status_t add_host(plani_machine_t *m, hwloc_topology_t t, const char *file, const plani_import_t *how,
                              plan_error_t *err)
{
    char signature[128], name[200];
    json_t *what = hardware(t);
    int kind = 0;

    if (what == NULL) return PLAN_ENOMEM;
    sign(t, how, signature, sizeof signature);
    name_host(t, file, name, sizeof name);
    plan_status_t rc = find_kind(m, signature, what, how, &kind);
    if (rc != PLAN_OK) return rc;
    if (name[0] == '\0') return plani_fail(err, PLAN_EFORMAT, "%s: the host has no name; name the file like it", file);
    if (plani_is_host_list(name))
        return plani_fail(err, PLAN_EFORMAT,
                          "%s: the host's name, %.80s, reads as a list of hosts; take out commas and brackets", file,
                          name);
    if (plani_machine_find(m, name) >= 0)
        return plani_fail(err, PLAN_EFORMAT, "%s: another file is of host %.80s, too", file, name);
    return plani_machine_add_host(m, name, 0, kind);
}

static plan_status_t add_file(plani_machine_t *m, const plani_xml_t *xml, const plani_import_t *how, plan_error_t *err)
{
    hwloc_topology_t t;
    plan_status_t rc = PLAN_OK;

    if (xml->len >= INT_MAX) return plani_fail(err, PLAN_EFORMAT, "%s: is too large", xml->file);
    if (hwloc_topology_init(&t) != 0) return PLAN_ENOMEM;
    hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED); /* all of the host, as jobs see it */
    if (hwloc_topology_set_xmlbuffer(t, xml->text, (int)xml->len + 1) != 0 || hwloc_topology_load(t) != 0)
        rc = plani_fail(err, PLAN_EFORMAT, "%s: is no topology of hwloc; write one with lstopo %s", xml->file,
                        "--of xml");
    else
        rc = add_host(m, t, xml->file, how, err);
    hwloc_topology_destroy(t);
    return rc;
}

static plan_status_t begin(plani_machine_t *m, size_t n, const plani_import_t *how)
{
    m->name = plani_machine_text(m, "hwloc");
    m->kind = plani_machine_room(m, n, sizeof *m->kind);
    m->group = plani_machine_room(m, 1, sizeof *m->group);
    if (m->name == NULL || m->kind == NULL || m->group == NULL) return PLAN_ENOMEM;
    m->group[m->ngroups++] = (plani_machine_group_t){.name = plani_machine_text(m, "hosts"), .above = -1};
    m->inside.memory.bytes_per_s = how->memory_bytes_per_s;
    m->inside.memory_latency_s = 5e-7;
    m->inside.memory_shared = true;
    return m->group[0].name != NULL ? PLAN_OK : PLAN_ENOMEM;
}

plan_status_t plani_import_hwloc(size_t n, const plani_xml_t *xml, const plani_import_t *how, plani_machine_t **out,
                                 plan_error_t *err)
{
    plani_machine_t *m = plani_machine_create();
    plan_status_t rc = m != NULL ? begin(m, n, how) : PLAN_ENOMEM;

    for (size_t i = 0; i < n && rc == PLAN_OK; i++) rc = add_file(m, &xml[i], how, err);
    if (rc == PLAN_ENOMEM) plani_fail(err, rc, "out of memory for a machine");
    if (rc == PLAN_OK)
        *out = m;
    else
        plani_machine_destroy(&m);
    return rc;
}
