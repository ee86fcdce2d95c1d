/* planbcast export and draw: a plan's trees for other programs, and as a picture. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
    const char *plan, *platform, *format, *out;
    size_t bytes;
} settings_t;

/* Load the plan (and the platform, if named) and write the trees that serve `bytes` as text. */
static int export_text(const cli_t *cli, const settings_t *s, char **text)
{
    plan_error_t err = {PLAN_OK, ""};
    plan_t *plan = NULL;
    plan_platform_t *pf = NULL;
    plan_status_t rc = plan_load(s->plan, &plan, &err);

    if (rc == PLAN_OK && s->platform != NULL) rc = plan_platform_load(s->platform, &pf, &err);
    if (rc == PLAN_OK) {
        size_t last = plan_range(plan, plan_nranges(plan) - 1).up_to;
        rc = plan_export(plan, pf, s->bytes == SIZE_MAX ? last : s->bytes, s->format, text, &err);
    }
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

int command_export(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.bytes = SIZE_MAX};
    const cli_option_t option[] = {
        {"to", CLI_TEXT, &s.format, 0, 0, "FORMAT", "dot, graphml, json or parents (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "the trees for this message size (default: the largest)"},
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE", "platform or profile: adds costs to the links"},
        {"o", CLI_TEXT, &s.out, 0, 0, "FILE", "write there instead of standard output"},
    };
    const cli_command_t cmd = {"export",
                               "PLAN",
                               "Write a plan's trees for other programs.",
                               NULL,
                               "  planbcast export plan.json --to dot | dot -Tpdf -o plan.pdf\n"
                               "  planbcast export plan.json --to graphml --platform profile.json -o plan.graphml\n"
                               "  planbcast export plan.json --to parents --bytes 64K",
                               option,
                               sizeof option / sizeof *option};
    char *text = NULL;
    int rc = cli_parse(cli, &cmd, argc, argv, &s.plan, 1);
    if (rc != CLI_GO) return rc;
    if (s.format == NULL) return cli_fail(cli, CLI_USAGE, "export: --to is missing: dot, graphml, json or parents");
    if ((rc = export_text(cli, &s, &text)) == CLI_GO) rc = cli_write(cli, s.out, text);
    free(text);
    return rc;
}

/* Send all of `text` into fd; the reader may be gone. */
static void feed(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) text += n, left -= (size_t)n;
    }
    close(fd);
}

/* Run `dot -Tsvg -o path` on the text. 127 from the child, or a failed spawn, means that Graphviz is not there. */
static int run_dot(const char *text, const char *path)
{
    char svg[] = "-Tsvg", o[] = "-o", dot[] = "dot", *file = strdup(path);
    char *argv[] = {dot, svg, o, file, NULL};
    posix_spawn_file_actions_t actions;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int end[2], status = 127 << 8;
    pid_t child;

    if (file == NULL || pipe(end) != 0) {
        free(file);
        return -1;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end[0], 0);
    posix_spawn_file_actions_addclose(&actions, end[1]);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    sigaction(SIGPIPE, &ignore, &before);
    int failed = posix_spawnp(&child, "dot", &actions, NULL, argv, environ);
    close(end[0]);
    if (!failed) {
        feed(end[1], text);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    } else {
        close(end[1]);
    }
    sigaction(SIGPIPE, &before, NULL);
    posix_spawn_file_actions_destroy(&actions);
    free(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Draw beside the file, then rename: the file holds the old picture or the new one. */
static int draw(const cli_t *cli, const char *text, const char *path)
{
    size_t room = strlen(path) + 16;
    char *beside = malloc(room);
    int rc = CLI_DONE;

    if (beside == NULL) return cli_fail_status(cli, PLAN_ENOMEM, NULL);
    snprintf(beside, room, "%s.XXXXXX", path);
    int fd = mkstemp(beside);
    if (fd < 0) {
        rc = cli_fail(cli, CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
        goto done;
    }
    fchmod(fd, 0644);
    close(fd);
    int exit_status = run_dot(text, beside);
    if (exit_status == 127)
        rc = cli_fail(cli, CLI_FAILED, "draw: the program dot is not found; install Graphviz");
    else if (exit_status != 0)
        rc = cli_fail(cli, CLI_FAILED, "draw: Graphviz failed (dot ended with %d)", exit_status);
    else if (rename(beside, path) != 0)
        rc = cli_fail(cli, CLI_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    if (rc != CLI_DONE) unlink(beside);
done:
    free(beside);
    return rc;
}

int command_draw(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.format = "dot", .bytes = SIZE_MAX};
    const cli_option_t option[] = {
        {"o", CLI_TEXT, &s.out, 0, 0, "FILE.svg", "the picture (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "the trees for this message size (default: the largest)"},
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE", "platform or profile: writes the costs on the links"},
    };
    const cli_command_t cmd = {"draw",
                               "PLAN",
                               "Draw a plan's trees over hosts and sites as SVG, through Graphviz.",
                               NULL,
                               "  planbcast draw plan.json --platform profile.json -o plan.svg",
                               option,
                               sizeof option / sizeof *option};
    char *text = NULL;
    int rc = cli_parse(cli, &cmd, argc, argv, &s.plan, 1);
    if (rc != CLI_GO) return rc;
    if (s.out == NULL) return cli_fail(cli, CLI_USAGE, "draw: -o FILE.svg is missing");
    if ((rc = export_text(cli, &s, &text)) == CLI_GO) rc = draw(cli, text, s.out);
    free(text);
    return rc;
}
