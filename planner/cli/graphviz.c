/* Graphviz as a child process, without a shell: a picture of a graph in the DOT language. */
#include "planner/cli/cli.h"
#include "lib/base/base.h"
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

/* Read fd to its end; NULL: out of memory, or a read failed. */
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
        char *more = plani_grown(text, used, &room, 1);
        if (more == NULL) break;
        text = more;
    }
    free(text);
    return NULL;
}

/* Start dot with these file descriptors; 0 and the child's id, or an error number. */
static int spawn_dot(const char *format, int in, int out, int err, pid_t *child)
{
    char name[] = "dot", option[8], *argv[] = {name, option, NULL};
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc != 0) return rc;
    snprintf(option, sizeof option, "-T%s", format);
    if ((rc = posix_spawn_file_actions_adddup2(&actions, in, 0)) == 0 &&
        (rc = posix_spawn_file_actions_adddup2(&actions, out, 1)) == 0 &&
        (rc = posix_spawn_file_actions_adddup2(&actions, err, 2)) == 0)
        rc = posix_spawnp(child, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

/* The input is a temporary file, so that there is only one pipe, and no deadlock. */
static FILE *spool(const char *text)
{
    FILE *in = tmpfile();
    if (in != NULL && (fputs(text, in) < 0 || fflush(in) != 0 || fseek(in, 0, SEEK_SET) != 0)) {
        fclose(in);
        in = NULL;
    }
    return in;
}

/* Whether a label, which is one line here, is too long for Graphviz's scanner. */
static bool has_long_label(const char *dot)
{
    enum { YY_BUF_SIZE = 16384 };
    while (*dot != '\0') {
        size_t len = strcspn(dot, "\n");
        if (len >= YY_BUF_SIZE) return true;
        dot += len + (dot[len] == '\n');
    }
    return false;
}

/* Report why dot ended with `status`; its errors are in `log`. */
static int explain(const cli_t *cli, const char *dot, int status, FILE *log)
{
    char line[300] = "";

    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return cli_fail(cli, CLI_FAILED, "draw: the program dot is not found; install Graphviz");
    if (has_long_label(dot))
        return cli_fail(cli, CLI_FAILED,
                        "draw: a name is too long for Graphviz, whose labels end at 16 KiB; shorten it");
    rewind(log);
    if (fgets(line, sizeof line, log) == NULL) line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\0') return cli_fail(cli, CLI_FAILED, "draw: Graphviz failed: %s", line);
    if (WIFSIGNALED(status))
        return cli_fail(cli, CLI_FAILED, "draw: Graphviz failed: dot was ended by signal %d", WTERMSIG(status));
    return cli_fail(cli, CLI_FAILED, "draw: Graphviz failed: dot ended with status %d", WEXITSTATUS(status));
}

/* Run dot from `in`, with its errors in `log`. */
static int run_dot(const cli_t *cli, const char *dot, const char *format, FILE *in, FILE *log, char **picture,
                   size_t *len)
{
    int end[2], status = 0;
    pid_t child;

    if (pipe(end) != 0) return cli_fail(cli, CLI_FAILED, "draw: no pipe: %s", strerror(errno));
    fcntl(end[0], F_SETFD, FD_CLOEXEC);
    int error = spawn_dot(format, fileno(in), end[1], fileno(log), &child);
    close(end[1]);
    char *drawn = error == 0 ? drain(end[0], len) : NULL;
    close(end[0]); /* if drain has failed, dot must not wait */
    if (error == ENOENT) return cli_fail(cli, CLI_FAILED, "draw: the program dot is not found; install Graphviz");
    if (error != 0) return cli_fail(cli, CLI_FAILED, "draw: dot cannot be started: %s", strerror(error));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (status != 0) {
        free(drawn);
        return explain(cli, dot, status, log);
    }
    if (drawn == NULL) return cli_fail_status(cli, PLAN_ENOMEM, NULL);
    *picture = drawn;
    return CLI_GO;
}

int cli_graphviz(const cli_t *cli, const char *dot, const char *format, char **picture, size_t *len)
{
    FILE *in = spool(dot), *log = tmpfile();
    int rc = in != NULL && log != NULL ? run_dot(cli, dot, format, in, log, picture, len)
                                       : cli_fail(cli, CLI_FAILED, "draw: no temporary file: %s", strerror(errno));
    if (in != NULL) fclose(in);
    if (log != NULL) fclose(log);
    return rc;
}
