/* Graphviz as a child process: a picture of a graph in the DOT language. No shell sees any of it. */
#include "planner/cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NOT_FOUND = 127 };

const char *cli_picture_format(const char *path)
{
    static const char *const format[] = {"svg", "png", "pdf"};
    const char *name = strrchr(path, '/'), *ending = strrchr(name != NULL ? name : path, '.');

    if (ending == NULL) return format[0];
    for (size_t i = 0; i < sizeof format / sizeof *format; i++)
        if (strcasecmp(ending + 1, format[i]) == 0) return format[i];
    return NULL;
}

/* All that comes out of fd; NULL: out of memory, or the reading failed. */
static char *drain(int fd, size_t *len)
{
    size_t used = 0, room = 65536;
    char *text = malloc(room);

    while (text != NULL) {
        ssize_t n = read(fd, text + used, room - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            *len = used;
            if (n == 0) return text;
            break;
        }
        used += (size_t)n;
        if (used < room) continue;
        char *more = realloc(text, room *= 2);
        if (more == NULL) break;
        text = more;
    }
    free(text);
    return NULL;
}

/* Run dot from file descriptor `in` into `out`; the child's id, or -1. */
static pid_t spawn_dot(const char *format, int in, int out)
{
    char name[] = "dot", option[8], *argv[] = {name, option, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;

    snprintf(option, sizeof option, "-T%s", format);
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    int failed = posix_spawn_file_actions_adddup2(&actions, in, 0) != 0 ||
                 posix_spawn_file_actions_adddup2(&actions, out, 1) != 0 ||
                 posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) != 0 ||
                 posix_spawnp(&child, name, &actions, NULL, argv, environ) != 0;
    posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : child;
}

/* The input goes through a file without a name, so that only one pipe is open and nobody waits for the other. */
static FILE *spool(const char *text)
{
    FILE *in = tmpfile();
    if (in != NULL && (fputs(text, in) < 0 || fflush(in) != 0 || fseek(in, 0, SEEK_SET) != 0)) {
        fclose(in);
        in = NULL;
    }
    return in;
}

int cli_graphviz(const cli_t *cli, const char *dot, const char *format, char **picture, size_t *len)
{
    int end[2] = {-1, -1}, status = 0, rc = CLI_GO;
    pid_t child = -1;
    char *drawn = NULL;
    FILE *in = spool(dot);

    if (in == NULL || pipe(end) != 0) {
        rc = cli_fail(cli, CLI_FAILED, "draw: no temporary file or pipe: %s", strerror(errno));
        goto done;
    }
    fcntl(end[0], F_SETFD, FD_CLOEXEC);
    child = spawn_dot(format, fileno(in), end[1]);
    close(end[1]), end[1] = -1;
    if (child > 0) {
        drawn = drain(end[0], len);
        close(end[0]), end[0] = -1; /* should drain have given up, dot must not wait for it */
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    }
    if (child <= 0 || (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND))
        rc = cli_fail(cli, CLI_FAILED, "draw: the program dot is not found; install Graphviz");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rc = cli_fail(cli, CLI_FAILED, "draw: Graphviz failed (dot ended with status %d)", status);
    else if (drawn == NULL)
        rc = cli_fail_status(cli, PLAN_ENOMEM, NULL);
    else
        *picture = drawn, drawn = NULL;
done:
    if (in != NULL) fclose(in);
    for (int i = 0; i < 2; i++)
        if (end[i] >= 0) close(end[i]);
    free(drawn);
    return rc;
}
