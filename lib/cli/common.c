/* Functions that the commands of planbcast-mpi share. */
#include "lib/cli/tool.h"
#include "lib/mpi/measure/phases/profile.h"
#include "planner/plan/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

bool tool_sizes(const char *text, size_t *n, size_t bytes[PLANI_SIZES])
{
    size_t found = 0;
    for (const char *at = text;; at++) {
        char one[32];
        size_t len = strcspn(at, ",");
        if (len == 0 || len >= sizeof one || found == PLANI_SIZES) return false;
        memcpy(one, at, len);
        one[len] = '\0';
        if (!cli_size(one, &bytes[found]) || bytes[found] > (size_t)1 << 40) return false;
        found++;
        at += len;
        if (*at == '\0') break;
    }
    qsort(bytes, found, sizeof *bytes, ascending);
    *n = 1;
    for (size_t i = 1; i < found; i++)
        if (bytes[i] != bytes[*n - 1]) bytes[(*n)++] = bytes[i];
    return true;
}

cli_option_t tool_budget(double *seconds)
{
    return (cli_option_t){
        "budget", CLI_REAL, seconds, 0.01, 86400, "S", "seconds for measuring the machine (default 10)"};
}

cli_option_t tool_machine(const char **path)
{
    return (cli_option_t){"machine",
                          CLI_TEXT,
                          path,
                          0,
                          0,
                          "FILE",
                          "plan on this machine; hosts that it lacks are measured (default: PLANBCAST_MACHINE)"};
}

cli_option_t tool_profile(const char **path)
{
    return (cli_option_t){"profile", CLI_TEXT, path, 0, 0, "FILE", "load this profile instead of measuring"};
}

cli_option_t tool_show_progress(bool *on)
{
    return (cli_option_t){
        "progress", CLI_FLAG, on, 0, 0, NULL, "show progress even if standard error is not a terminal"};
}

int tool_may_write(MPI_Comm comm, const cli_t *cli, const char *path)
{
    if (path != NULL && strcmp(path, "-") == 0)
        return cli_fail(cli, CLI_USAGE, "-: standard output is for the results; name a file");
    return tool_from_leader(comm, cli->err != NULL ? cli_may_write(cli, path) : CLI_GO);
}

int tool_fail(const cli_t *cli, int rc, const plan_error_t *err)
{
    char text[MPI_MAX_ERROR_STRING];
    int len;
    if (rc == PLAN_EIO) return cli_fail(cli, CLI_FAILED, "%s", err->text);
    if (rc < 0) return cli_fail_status(cli, (plan_status_t)rc, err);
    if (MPI_Error_string(rc, text, &len) != MPI_SUCCESS) text[0] = '\0';
    return cli_fail(cli, CLI_FAILED, "MPI: %s", text);
}

void tool_progress(void *context, int level, const char *line)
{
    if (level == 1) fprintf(context, "\r\033[K%s", line), fflush(context);
}

int tool_from_leader(MPI_Comm comm, int rc)
{
    int mpi = MPI_Bcast(&rc, 1, MPI_INT, 0, comm);
    return mpi != MPI_SUCCESS ? mpi : rc;
}

const char *tool_native(bool reduces)
{
    return reduces ? "MPI_Reduce" : "MPI_Bcast";
}

void tool_print_rows(FILE *out, const tool_row_t *row, size_t n, bool reduces)
{
    bool clean = true;

    fprintf(out, "  %9s  %-20s %10s %10s  %-24s  %s\n", "message", "plan", "plan", tool_native(reduces),
            "faster by (quartiles)", "bytes");
    for (size_t i = 0; i < n; i++) {
        char ratio[64];
        snprintf(ratio, sizeof ratio, "%.2f x (%.2f to %.2f)", row[i].ratio, row[i].ratio_lo, row[i].ratio_hi);
        fprintf(out, "  %9s  %-20s %10s %10s  %-24s  ", plani_bytes((double)row[i].bytes).s, row[i].chosen,
                plani_seconds(row[i].plan_s).s, plani_seconds(row[i].native_s).s, ratio);
        if (row[i].wrong == 0)
            fprintf(out, "all equal\n");
        else
            fprintf(out, "%lld WRONG\n", row[i].wrong), clean = false;
    }
    if (!clean)
        fprintf(out, "\n  Some bytes differ from what %s delivered: do not use this plan.\n", tool_native(reduces));
}

void tool_print_validation(FILE *out, const plan_profile_t *profile)
{
    cli_print_validation(out, json_object_get(plani_profile_document(profile), "provenance"));
}
