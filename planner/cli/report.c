/* Errors and output. */
#include "planner/cli/cli.h"
#include "lib/base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int cli_fail(const cli_t *cli, int status, const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (char *c = line; *c != '\0'; c++) /* arguments may have control characters */
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    if (cli->err != NULL) fprintf(cli->err, "%s: %s\n", cli->tool, line);
    return status;
}

int cli_fail_status(const cli_t *cli, plan_status_t rc, const plan_error_t *err)
{
    bool input = rc == PLAN_EINVAL || rc == PLAN_EFORMAT || rc == PLAN_EUNREACHABLE || rc == PLAN_ENOTREE ||
                 rc == PLAN_EMISMATCH || rc == PLAN_EUNSUPPORTED || rc == PLAN_EIO;
    const char *text = err != NULL && err->status == rc && err->text[0] != '\0' ? err->text : plan_status_string(rc);
    return cli_fail(cli, input ? CLI_USAGE : CLI_FAILED, "%s", text);
}

void cli_hold_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
    signal(SIGXFSZ, SIG_IGN);
}

int cli_finish(const cli_t *cli, int status)
{
    if (cli->out == NULL) return status;
    errno = 0;
    if ((fflush(cli->out) != 0 || ferror(cli->out)) && status == CLI_DONE)
        return cli_fail(cli, CLI_FAILED, "standard output: cannot be written%s%s", errno ? ": " : "",
                        errno ? strerror(errno) : "");
    return status;
}

int cli_may_write(const cli_t *cli, const char *path)
{
    plan_error_t err;
    bool written = path == NULL || plani_may_write(path, &err) == PLAN_OK;
    return written ? CLI_GO : cli_fail(cli, CLI_FAILED, "%s", err.text);
}

int cli_write(const cli_t *cli, const char *path, const char *text)
{
    return cli_write_bytes(cli, path, text, strlen(text));
}

int cli_write_bytes(const cli_t *cli, const char *path, const char *data, size_t len)
{
    plan_error_t err;
    if (path == NULL || strcmp(path, "-") == 0) {
        if (cli->out != NULL) fwrite(data, 1, len, cli->out);
        return CLI_DONE;
    }
    plan_status_t rc = plani_write_file(path, data, len, &err);
    return rc == PLAN_OK ? CLI_DONE : cli_fail(cli, CLI_FAILED, "%s", err.text);
}

cli_line_t cli_command_line(const cli_t *cli, int argc, char **argv)
{
    cli_line_t line;
    size_t used = (size_t)snprintf(line.s, sizeof line.s, "%s", cli->tool);

    for (int i = 0; i < argc && used < sizeof line.s; i++)
        used += (size_t)snprintf(line.s + used, sizeof line.s - used, " %s", argv[i]);
    return line;
}

const char *cli_name(const char *name, char text[40])
{
    size_t n = (size_t)snprintf(text, 40, "%s", name);

    if (n >= 40) { /* it ends with a whole character of UTF-8 */
        for (n = 39; n > 0 && ((unsigned char)text[n - 1] & 0xc0) == 0x80;) n--;
        text[n > 0 && (unsigned char)text[n - 1] >= 0x80 ? n - 1 : n] = '\0';
    }
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    return text;
}
