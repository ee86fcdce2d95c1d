/* planbcast import: machines out of what other programs know. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "graphs/machine/import.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

static const size_t FILE_MOST = (size_t)1 << 26; /* [B] */

static cli_option_t memory_of(double *bytes_per_s)
{
    return (cli_option_t){"memory", CLI_REAL, bytes_per_s, 1e3, 1e12, "B/S", "between ranks of a host (default 5e9)"};
}

/* Write a machine, or say why there is none. The caller's machine is freed. */
static int write_machine(const cli_t *cli, const char *out, plan_status_t status, plani_machine_t *m, plan_error_t *err)
{
    char *text = NULL;

    if (status == PLAN_OK && (status = plani_machine_to_json(m, &text)) != PLAN_OK)
        plani_fail(err, status, "out of memory for a machine, or a name in it is not UTF-8");
    plani_machine_destroy(&m);
    int rc = status == PLAN_OK ? cli_write(cli, out, text) : cli_fail_status(cli, status, err);
    free(text);
    return rc;
}

/* ---- Slurm ---- */

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
        memory_of(&how.memory_bytes_per_s),
        cli_out(&out),
    };
    const cli_command_t cmd = {
        "import slurm",
        "TOPOLOGY.CONF",
        "A machine file from Slurm's topology.conf (topology/tree or topology/block).",
        "Switches, or blocks, become groups, nodes hosts of one kind, and LinkSpeed of a switch below another "
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
    return write_machine(cli, out, status, m, &err);
}

/* ---- hwloc ---- */

static plan_status_t read_files(size_t n, const char *const *path, plani_xml_t *xml, char **text, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        xml[i].file = path[i];
        rc = plani_read_file(path[i], FILE_MOST, &text[i], &xml[i].len, err);
        xml[i].text = text[i];
    }
    return rc;
}

/* The machine of n files. */
static plan_status_t read_hosts(size_t n, const char *const *path, const plani_import_t *how, plani_machine_t **m,
                                plan_error_t *err)
{
    plani_xml_t *xml = calloc(n, sizeof *xml);
    char **text = calloc(n, sizeof *text);
    plan_status_t rc = xml != NULL && text != NULL ? read_files(n, path, xml, text, err)
                                                   : plani_fail(err, PLAN_ENOMEM, "out of memory for %zu files", n);

    if (rc == PLAN_OK) rc = plani_import_hwloc(n, xml, how, m, err);
    for (size_t i = 0; text != NULL && i < n; i++) free(text[i]);
    free(text);
    free(xml);
    return rc;
}

static int import_hwloc(const cli_t *cli, int argc, char **argv)
{
    plani_import_t how = {.latency_s = 5e-6, .memory_bytes_per_s = 5e9};
    const char *out = NULL, **path = calloc((size_t)argc + 1, sizeof *path);
    const cli_option_t option[] = {
        {"card", CLI_REAL, &how.out_bytes_per_s, 1e3, 1e12, "B/S",
         "the nominal rate of each host's fastest card, either way (required)"},
        {"latency", CLI_REAL, &how.latency_s, 0, 1, "S", "of each card (default 5e-6)"},
        memory_of(&how.memory_bytes_per_s),
        cli_out(&out),
    };
    const cli_command_t cmd = {
        "import hwloc",
        "FILE.XML...",
        "A machine file from hwloc's XML, a file for each host.",
        "Hosts that hwloc says the same of are of one kind, which notes their memory, caches and "
        "network cards. All are in one group: merge it with the machine that Slurm's topology.conf "
        "gives, which has the groups. Measuring later tells the rest: planbcast-mpi measure.",
        "  lstopo --of xml n1.xml\n  planbcast import hwloc n1.xml n2.xml --card 1.25e9 -o machine.json",
        option,
        sizeof option / sizeof *option};
    plan_error_t err = {PLAN_OK, ""};
    plani_machine_t *m = NULL;
    int n = 0, rc = path != NULL ? cli_parse_list(cli, &cmd, argc, argv, path, 1, argc, &n)
                                 : cli_fail(cli, CLI_FAILED, "import hwloc: out of memory");

    if (rc == CLI_GO && how.out_bytes_per_s == 0) rc = cli_fail(cli, CLI_USAGE, "import hwloc: --card is missing");
    if (rc == CLI_GO) {
        how.in_bytes_per_s = how.out_bytes_per_s;
        plan_status_t status = read_hosts((size_t)n, path, &how, &m, &err);
        rc = write_machine(cli, out, status, m, &err);
    }
    free(path);
    return rc;
}

int command_import(const cli_t *cli, int argc, char **argv)
{
    const char *from = argc > 1 ? argv[1] : "";
    if (strcmp(from, "slurm") == 0) return import_slurm(cli, argc - 1, argv + 1);
    if (strcmp(from, "hwloc") == 0) return import_hwloc(cli, argc - 1, argv + 1);
    if (strcmp(from, "--help") == 0 || strcmp(from, "-h") == 0) {
        fprintf(cli->out, "usage: planbcast import slurm|hwloc [OPTION]...\n\n"
                          "Write a machine file from what another program knows. `planbcast import slurm --help` lists "
                          "the options.\n\nexamples:\n"
                          "  planbcast import slurm /etc/slurm/topology.conf --card 1.25e9 -o machine.json\n"
                          "  planbcast import hwloc n1.xml n2.xml --card 1.25e9 -o machine.json\n");
        return CLI_DONE;
    }
    return cli_fail(cli, CLI_USAGE,
                    from[0] == '\0' ? "import: say from where: slurm or hwloc" : "import: unknown %s; slurm or hwloc",
                    from);
}
