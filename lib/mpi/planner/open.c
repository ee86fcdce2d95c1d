/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner where it is a library of its own, opened when it is first needed. Its symbols and those of the libraries
 * that it needs stay hidden from the program. */
#define _GNU_SOURCE /* dladdr, secure_getenv */
#include "lib/mpi/planner/planner.h"
#include "lib/base/base.h"
#include <dlfcn.h>
#include <planbcast/version.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic(const plani_planner_t *) opened; /* set once, under plani_lock; never closed */

/* The planner's library in the folder of this one; "": there is none. */
static void find_beside(char *path, size_t room)
{
    Dl_info own;
    const char *slash = NULL;

    path[0] = '\0';
    if (dladdr(&opened, &own) != 0 && own.dli_fname != NULL) slash = strrchr(own.dli_fname, '/');
    if (slash == NULL) return;
    int len = snprintf(path, room, "%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, PLANBCAST_PLANNER_FILE);
    if (len < 0 || (size_t)len >= room || access(path, F_OK) != 0) path[0] = '\0';
}

/* Where PLANBCAST_PLANNER says, else beside this library, else where the loader looks. */
static const plani_planner_t *open_planner(plan_error_t *err)
{
    char beside[4096];
    const char *path = secure_getenv("PLANBCAST_PLANNER");

    if (path == NULL || path[0] == '\0') {
        find_beside(beside, sizeof beside);
        path = beside[0] != '\0' ? beside : PLANBCAST_PLANNER_FILE;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        plani_fail(
            err, PLAN_EIO,
            "the planner cannot be opened: %.300s; install %s beside libplanbcast.so, or name it by PLANBCAST_PLANNER",
            dlerror(), PLANBCAST_PLANNER_FILE);
        return NULL;
    }
    const plani_planner_t *table = dlsym(library, "plani_planner_table");
    if (table != NULL && strcmp(table->version, PLANBCAST_VERSION) == 0 && table->size == sizeof *table) return table;
    plani_fail(err, PLAN_EMISMATCH, "%.300s is %s%s, and this is planbcast %s; install the two together", path,
               table != NULL ? "of another build, of planbcast " : "no planner of planbcast",
               table != NULL ? table->version : "", PLANBCAST_VERSION);
    dlclose(library);
    return NULL;
}

const plani_planner_t *plani_planner(plan_error_t *err)
{
    const plani_planner_t *table = atomic_load(&opened);

    if (table != NULL) return table;
    plani_lock();
    if ((table = atomic_load(&opened)) == NULL && (table = open_planner(err)) != NULL) atomic_store(&opened, table);
    plani_unlock();
    return table;
}
