/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of the preloaded library, but for what plan_options_init reads. */
#define _GNU_SOURCE /* secure_getenv */
#include "lib/base/base.h"
#include "lib/mpi/preload/preload.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static preload_settings_t settings = {.limits = {.bytes = 65536, .ranks = 4}, .share = 0.1};

static const char *variable(const char *name)
{
    const char *text = secure_getenv(name);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

static void refuse(const char *name, const char *text, const char *remedy)
{
    char line[200];
    snprintf(line, sizeof line, "%s is '%.40s'; set it to %s. Broadcasts and reductions are left to MPI", name, text,
             remedy);
    preload_complain(line);
    settings.limits.bad = 1;
}

/* A whole number from `least` on. */
static void read_whole(const char *name, long long least, long long most, const char *remedy, long long *value)
{
    const char *text = variable(name);
    char *end;
    if (text == NULL) return;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (*end != '\0' || errno != 0 || x < least || x > most)
        refuse(name, text, remedy);
    else
        *value = x;
}

static void read_share(void)
{
    const char *name = "PLANBCAST_PRELOAD_SHARE", *text = variable(name);
    double x;
    if (text == NULL) return;
    if (!plani_read_real(text, &x) || !(x >= 0))
        refuse(name, text, "a part of the calls' time, such as 0.1");
    else
        settings.share = x;
}

static void read_all(void)
{
    const char *number = "a number above 0";
    read_whole("PLANBCAST_PRELOAD_BYTES", 1, LLONG_MAX, number, &settings.limits.bytes);
    read_whole("PLANBCAST_PRELOAD_RANKS", 1, LLONG_MAX, number, &settings.limits.ranks);
    read_whole("PLANBCAST_PRELOAD_REDUCE", 0, 1, "0 or 1", &settings.limits.reduces);
    read_whole("PLANBCAST_VERBOSE", 0, 2, "0, 1 or 2", &settings.verbose);
    read_share();
    settings.plan_file = variable("PLANBCAST_PLAN");
    if (settings.limits.ranks < 2) settings.limits.ranks = 2;
}

const preload_settings_t *preload_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return &settings;
}

/* An all-reduce, which no rank leaves before all have come: were some without this library, a broadcast could be taken
 * for the program's first one. */
void preload_settings_share(void)
{
    enum { BYTES, RANKS, REDUCES, BAD, VALUES };
    const preload_limits_t *limits = &preload_settings()->limits;
    long long mine[VALUES] = {[BAD] = limits->bad}, all[VALUES];
    int rank = 0;

    if (settings.shared || PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
    if (rank == 0) mine[BYTES] = limits->bytes, mine[RANKS] = limits->ranks, mine[REDUCES] = limits->reduces;
    if (PMPI_Allreduce(mine, all, VALUES, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS) return;
    settings.limits =
        (preload_limits_t){.bytes = all[BYTES], .ranks = all[RANKS], .reduces = all[REDUCES], .bad = all[BAD]};
    settings.shared = true;
}

bool preload_machine_is_given(const plan_options_t *options)
{
    const char *config = variable("XDG_CONFIG_HOME"), *home = variable("HOME");
    char path[4096] = "";

    if (options->load_profile != NULL) return true;
    if (options->machine != NULL) return options->save_machine == NULL || access(options->machine, R_OK) == 0;
    if (config != NULL)
        snprintf(path, sizeof path, "%s/planbcast/machine.json", config);
    else if (home != NULL)
        snprintf(path, sizeof path, "%s/.config/planbcast/machine.json", home);
    return access(path, R_OK) == 0 || access("/etc/planbcast/machine.json", R_OK) == 0;
}
