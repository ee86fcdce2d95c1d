/* What a host says of itself: its hardware, whatever part of it this job may use. */
#include "suite.h"
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/mpi/decide/decide.h"

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fputs(text, f);
    fclose(f);
}

/* A card as Linux shows it: hardware has a device. */
static void make_card(const char *cards, const char *name, const char *speed, bool hardware)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", cards, name);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    write_file(path, "speed", speed);
    if (hardware) write_file(path, "device", "");
}

static void remove_card(const char *cards, const char *name)
{
    static const char *const file[] = {"/speed", "/device", ""};
    char path[PATH_MAX];

    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s%s", cards, name, file[i]);
        remove(path);
    }
}

static void cards_that_are_no_hardware_do_not_count(void)
{
    char cards[] = "/tmp/look-XXXXXX";

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(cards));
    CU_ASSERT_EQUAL(plani_fastest_card(cards), 0);
    make_card(cards, "docker0", "40000\n", false);
    make_card(cards, "veth1", "10000\n", false);
    CU_ASSERT_EQUAL(plani_fastest_card(cards), 0);
    make_card(cards, "eth0", "1000\n", true);
    make_card(cards, "eth1", "2500\n", true);
    make_card(cards, "eth2", "-1\n", true); /* without a cable */
    CU_ASSERT_EQUAL(plani_fastest_card(cards), 2500);
    static const char *const name[] = {"docker0", "veth1", "eth0", "eth1", "eth2"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) remove_card(cards, name[i]);
    CU_ASSERT_EQUAL(rmdir(cards), 0);
    CU_ASSERT_EQUAL(plani_fastest_card(cards), 0);
}

/* A host of two L3 caches with four processors each, of which a batch system gives this job those below n. */
static void give(int n, const char *path)
{
    hwloc_topology_t t;
    hwloc_bitmap_t mine = hwloc_bitmap_alloc();

    hwloc_bitmap_set_range(mine, 0, n - 1);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_init(&t), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_set_synthetic(t, "pack:1 l3:2 core:4 pu:1"), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_load(t), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_allow(t, mine, NULL, HWLOC_ALLOW_FLAG_CUSTOM), 0);
    CU_ASSERT_EQUAL_FATAL(hwloc_topology_export_xml(t, path, 0), 0);
    hwloc_topology_destroy(t);
    hwloc_bitmap_free(mine);
}

static plani_cpus_t cpus(int first, int last)
{
    plani_cpus_t c = {.known = true};

    for (int k = first; k <= last; k++) c.may[k / 8] |= (unsigned char)(1u << k % 8);
    return c;
}

static void processors_of_other_jobs_are_of_the_host_too(void)
{
    enum { L3 = PLANI_SAME_L3 };
    char path[] = "/tmp/look-XXXXXX", whole[128], part[128];
    const plani_cpus_t may[] = {cpus(0, 0), cpus(1, 1), cpus(4, 4), cpus(0, 1)};
    plani_place_t place[4];
    int file = mkstemp(path);

    CU_ASSERT_FATAL(file >= 0);
    close(file);
    CU_ASSERT_EQUAL(setenv("HWLOC_XMLFILE", path, 1), 0);
    give(8, path);
    plani_look_around(4, may, place, whole, sizeof whole);
    CU_ASSERT(strstr(whole, "1 packages, 8 cores, 8 threads,") == whole);
    CU_ASSERT_EQUAL(place[3].place[L3], place[0].place[L3]); /* bound to two of eight */
    give(2, path);
    plani_look_around(4, may, place, part, sizeof part);
    CU_ASSERT_STRING_EQUAL(part, whole);
    CU_ASSERT(place[0].place[L3] >= 0 && place[0].place[L3] == place[1].place[L3]);
    CU_ASSERT(place[2].place[L3] >= 0 && place[2].place[L3] != place[0].place[L3]); /* a rank with other processors */
    CU_ASSERT_EQUAL(place[3].place[L3], -1); /* on all that there are for this job: not bound */
    unsetenv("HWLOC_XMLFILE");
    unlink(path);
}

SUITE_MAIN("look around", TEST(cards_that_are_no_hardware_do_not_count),
           TEST(processors_of_other_jobs_are_of_the_host_too))
