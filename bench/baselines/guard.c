/* A watchdog for broadcasts that hang or crash, as some algorithms of MPI libraries do. */
#include "baselines.h"
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LINE = 128, MOST_BROKEN = 64, PATH = 4096 };

static struct {
    char path[PATH];
    char *line; /* [LINE] the file OUT/running, in memory */
    int broken;
    struct {
        char name[NAME];
        size_t bytes;
    } at[MOST_BROKEN];
} guard;

static void too_long(int signal)
{
    static char text[] = "bench_baselines: takes too long: ";
    const struct iovec parts[] = {{text, sizeof text - 1}, {guard.line, strlen(guard.line)}};
    (void)signal;
    if (writev(STDERR_FILENO, parts, 2) < 0) _exit(EXIT_FAILURE + 1);
    _exit(EXIT_FAILURE); /* mpirun ends the other ranks */
}

static void read_broken(const options_t *o)
{
    char path[PATH], line[256];
    snprintf(path, sizeof path, "%s/broken", o->out);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    while (guard.broken < MOST_BROKEN && fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL) continue;
        tab[1 + strcspn(tab + 1, "\n")] = '\0';
        guard.at[guard.broken].bytes = strtoull(line, NULL, 10);
        snprintf(guard.at[guard.broken++].name, NAME, "%s", tab + 1);
    }
    fclose(file);
}

void guard_open(const options_t *o)
{
    static char nowhere[LINE];
    guard.line = nowhere;
    signal(SIGALRM, too_long);
    if (o->out == NULL) return;
    read_broken(o);
    snprintf(guard.path, PATH, "%s/running", o->out);
    int fd = open(guard.path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd < 0) return;
    if (posix_fallocate(fd, 0, LINE) == 0) { /* else a write to the mapping could fault on a full disk */
        char *line = mmap(NULL, LINE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (line != MAP_FAILED) guard.line = line;
    }
    close(fd);
}

void guard_watch(const char *name, size_t bytes, double most_s)
{
    if (guard.line == NULL) return; /* not opened */
    memset(guard.line, 0, LINE);
    snprintf(guard.line, LINE, "%zu\t%s\n", bytes, name);
    alarm((unsigned)ceil(fmin(most_s, 3600)));
}

void guard_rest(void)
{
    if (guard.line == NULL) return;
    alarm(0);
    memset(guard.line, 0, LINE);
}

void guard_close(void)
{
    alarm(0);
    if (guard.path[0] != '\0') unlink(guard.path);
}

bool guard_broken(const char *name, size_t bytes)
{
    for (int i = 0; i < guard.broken; i++)
        if (bytes >= guard.at[i].bytes && strcmp(guard.at[i].name, name) == 0) return true;
    return false;
}
