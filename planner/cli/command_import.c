/* planbcast import: machines out of what other programs know. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "graphs/machine/import.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

static const size_t FILE_MOST = (size_t)1 << 26; /* [B] */

static int import_slurm(const cli_t *cli, int argc, char **argv)
{
    plani_import_t how = {.speed_unit = 125e6, .latency_s = 5e-6, .memory_bytes_per_s = 5e9};
    const char *path, *out = NULL;
    double card = 0;
    const cli_option_t option[] = {
        {"card", CLI_REAL, &card, 1e3, 1e12, "B/S", "what each host's card carries in either direction (required)"},
        {"card-out", CLI_REAL, &how.out_bytes_per_s, 1e3, 1e12, "B/S", "what it carries out, if less or more"},
        {"card-in", CLI_REAL, &how.in_bytes_per_s, 1e3, 1e12, "B/S", "what it carries in, if less or more"},
        {"link-speed", CLI_REAL, &how.speed_unit, 1e-3, 1e12, "B/S",
         "what LinkSpeed=1 stands for (default 125000000, 1 Gbit/s): Slurm leaves the unit open"},
        {"latency", CLI_REAL, &how.latency_s, 0, 1, "S", "of each card and trunk (default 5e-6)"},
        {"memory", CLI_REAL, &how.memory_bytes_per_s, 1e3, 1e12, "B/S", "between ranks of a host (default 5e9)"},
        cli_out(&out),
    };
    const cli_command_t cmd = {
        "import slurm",
        "TOPOLOGY.CONF",
        "A machine file from Slurm's topology.conf (topology/tree).",
        "Switches become groups, nodes hosts of one kind, and LinkSpeed of a switch below another "
        "one the rate of its trunk. Measuring later tells the rest: planbcast-mpi measure.",
        "  planbcast import slurm /etc/slurm/topology.conf --card 1.25e9 -o machine.json",
        option,
        sizeof option / sizeof *option};
    plani_machine_t *m = NULL;
    plan_error_t err = {PLAN_OK, ""};
    char *text = NULL;
    size_t len = 0;
    int rc = cli_parse(cli, &cmd, argc, argv, &path, 1);

    if (rc != CLI_GO) return rc;
    if (how.out_bytes_per_s == 0) how.out_bytes_per_s = card;
    if (how.in_bytes_per_s == 0) how.in_bytes_per_s = card;
    if (!(how.out_bytes_per_s > 0 && how.in_bytes_per_s > 0))
        return cli_fail(cli, CLI_USAGE, "import slurm: --card is missing");
    plan_status_t status = plani_read_file(path, FILE_MOST, &text, &len, &err);
    if (status == PLAN_OK) status = plani_import_slurm(text, path, &how, &m, &err);
    free(text);
    text = NULL;
    if (status == PLAN_OK && (status = plani_machine_to_json(m, &text)) != PLAN_OK)
        plani_fail(&err, status, "%s: out of memory", path);
    plani_machine_destroy(&m);
    int exit_status = status == PLAN_OK ? cli_write(cli, out, text) : cli_fail_status(cli, status, &err);
    free(text);
    return exit_status;
}

int command_import(const cli_t *cli, int argc, char **argv)
{
    const char *from = argc > 1 ? argv[1] : "";
    if (strcmp(from, "slurm") == 0) return import_slurm(cli, argc - 1, argv + 1);
    if (strcmp(from, "--help") == 0 || strcmp(from, "-h") == 0) {
        fprintf(cli->out, "usage: planbcast import slurm [OPTION]...\n\n"
                          "Write a machine file from what another program knows. `planbcast import slurm --help` lists "
                          "the options.\n\nexamples:\n"
                          "  planbcast import slurm /etc/slurm/topology.conf --card 1.25e9 -o machine.json\n");
        return CLI_DONE;
    }
    return cli_fail(cli, CLI_USAGE, from[0] == '\0' ? "import: say from where: slurm" : "import: unknown %s; slurm",
                    from);
}
