/* planbcast export and draw: a plan's trees for other programs, and as a picture. */
#include "planner/cli/commands.h"
#include "lib/base/base.h"
#include "planner/cli/export_programs.h"
#include "planner/cli/output.h"
#include "planner/exports/exports.h"
#include <stdlib.h>
#include <string.h>

/* The platform of all ranks of a file: a machine, cluster spec, platform or profile. */
static plan_status_t load_platform(const char *path, const plan_data_t *plan, plani_described_t *on, plan_error_t *err)
{
    plani_source_t source = {.ranks = 0};
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, err);

    if (rc == PLAN_OK) rc = plani_source_parse(text, len, path, &source, err);
    if (rc == PLAN_OK && source.ranks != plan->ranks)
        rc = plani_fail(err, PLAN_EMISMATCH, "the plan is for %d ranks and the platform has %d", plan->ranks,
                        source.ranks);
    source.reduces = plan->reduces;
    if (rc == PLAN_OK) rc = plani_source_platform(&source, source.ranks, plan->root, on, err);
    plani_source_clear(&source);
    free(text);
    return rc;
}

/* Load the plan (and the platform, if named) and export the trees for messages of `bytes` as text. */
static int export_trees(const cli_t *cli, const cli_export_t *s, char **text)
{
    plan_error_t err = {PLAN_OK, ""};
    plan_t *plan = NULL;
    plani_described_t on = {.pf = NULL};
    plan_status_t rc = plan_load(s->input, &plan, &err);
    bool reduces = false;
    int status = rc == PLAN_OK ? cli_export_reduces(cli, s, plan, &reduces) : CLI_GO;

    if (status != CLI_GO) {
        plan_destroy(&plan);
        return status;
    }
    if (rc == PLAN_OK && s->platform != NULL) rc = load_platform(s->platform, plan_data(plan), &on, &err);
    if (rc == PLAN_OK) rc = plan_export(plan, on.pf, cli_export_bytes(s, plan), s->format, text, &err);
    plani_described_clear(&on);
    plan_destroy(&plan);
    if (rc == PLAN_EMISMATCH && s->platform != NULL)
        return cli_fail(cli, CLI_USAGE, "%s and %s: %s", s->input, s->platform, err.text);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

static const char details[] =
    "Of a plan, the trees for one message size: dot, graphml, json, parents.\n"
    "For programs without this library, of a plan, platform, profile, cluster spec or machine:\n"
    "  ompi-rules       a rules file of Open MPI's coll/tuned: mpirun --mca coll_tuned_use_dynamic_rules 1\n"
    "                   --mca coll_tuned_dynamic_rules_filename /path/rules. Without the first it is not read, and\n"
    "                   a file that a host lacks is ignored in silence. From 5.0 on also --mca coll ^han, which\n"
    "                   comes before coll/tuned between hosts\n"
    "  ompi-rules-json  the same for Open MPI 6\n"
    "  mpich-json       MPICH's selection, from 4.0 on: MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE, with\n"
    "                   MPIR_CVAR_DEVICE_COLLECTIVES=none. It replaces that of all collectives, without which MPICH\n"
    "                   does not start: give MPICH's own as --base. It is a text of the library:\n"
    "                   strings -n 999 libmpich.so.12 | grep -m 1 '^{\"collective=bcast\":.*algorithm=' > base.json\n"
    "                   With --coordinates FILE, also set MPIR_CVAR_COORDINATES_FILE: without it, and from 4.3\n"
    "                   on, MPICH takes other trees in silence\n"
    "  ucc              UCC_TL_UCP_TUNE, for a shell; in Open MPI --mca coll_ucc_enable 1\n"
    "                   --mca coll_ucc_priority 100\n"
    "  goal             every message of data, for LogGOPSim; of a reduction also what combining takes, in ns\n"
    "  simgrid          SimGrid's platform of a cluster spec or machine; simgrid-hosts: the host of each rank\n"
    "Rules hold what each program can send fastest, by the model that ranks candidates, at all message sizes.\n"
    "A communicator of n ranks is taken for the first n, and the root for --root. How many times as long as the\n"
    "plan they take, by the model, is said on the error stream, and behind each rule where comments are allowed.\n"
    "Of plans of reductions, edges lead from children to parents. Rules for reductions are those of Open MPI, for\n"
    "operations that commute: by rules, Open MPI takes operands out of the order of ranks. Of its algorithms,\n"
    "in-order_binary and rabenseifner are not considered.";

static bool is_of_trees(const char *format)
{
    static const char *const known[] = {"dot", "graphml", "json", "parents"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], format) == 0) return true;
    return false;
}

int command_export(const cli_t *cli, int argc, char **argv)
{
    cli_export_t s = {.bytes = SIZE_MAX, .root = -1};
    const cli_option_t option[] = {
        {"to", CLI_TEXT, &s.format, 0, 0, "FORMAT", "as above (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N",
         "the message size; of rules the largest (default: the plan's largest, else 16M)"},
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE",
         "what a plan was made for: adds costs to links; needed for rules"},
        {"root", CLI_INT, &s.root, 0, 0, "R",
         "the rank that broadcasts, or reduces (default: that of the plan, else 0)"},
        {"operation", CLI_TEXT, &s.operation, 0, 0, "NAME",
         "broadcast or reduce: a reduction to the root (default: as the plan, else broadcast)"},
        {"combine", CLI_SIZE, &s.combine, 1, 1e18, "BYTES",
         "of a reduction: bytes per second that a rank combines with its own (default: that takes no time)"},
        {"sizes", CLI_TEXT, &s.sizes, 0, 0, "A,B,...",
         "rules for communicators of these sizes (default: 2, 4, 8, ... and all; of clusters beyond 64 ranks only "
         "all)"},
        {"release", CLI_TEXT, &s.release, 0, 0, "X.Y.Z",
         "of Open MPI (default 4.1; rules change with 5.0.7) or MPICH (default 4.1, with trees)"},
        {"base", CLI_TEXT, &s.base, 0, 0, "FILE", "of mpich-json: the selection that it goes into"},
        {"coordinates", CLI_TEXT, &s.coordinates, 0, 0, "FILE",
         "of mpich-json, for 4.1 and 4.2: consider MPICH's trees by topology, and write the coordinates of ranks "
         "there"},
        cli_out(&s.out),
    };
    const cli_command_t cmd = {"export",
                               "INPUT",
                               "Write a plan's trees, or what other programs do best, for these programs.",
                               details,
                               "  planbcast export plan.json --to dot | dot -Tpdf -o plan.pdf\n"
                               "  planbcast export plan.json --to graphml --platform profile.json -o plan.graphml\n"
                               "  planbcast export plan.json --to parents --bytes 64K\n"
                               "  planbcast export machine.json --to ompi-rules -o rules\n"
                               "  planbcast export plan.json --to goal --bytes 1M -o bcast.goal\n"
                               "  planbcast export machine.json --to ompi-rules --operation reduce -o rules",
                               option,
                               sizeof option / sizeof *option};
    char *text = NULL;
    int rc = cli_parse(cli, &cmd, argc, argv, &s.input, 1);
    if (rc != CLI_GO) return rc;
    if (s.format == NULL)
        return cli_fail(cli, CLI_USAGE, "export: --to is missing: dot, graphml, json, parents, %s", cli_programs);
    if (!is_of_trees(s.format) && !cli_is_program(s.format))
        return cli_fail(cli, CLI_USAGE, "export: --to %.40s: give dot, graphml, json, parents, %s", s.format,
                        cli_programs);
    if ((rc = cli_export_check(cli, &s)) != CLI_GO) return rc;
    if (s.out != NULL && strcmp(s.out, "-") != 0 && (rc = cli_may_write(cli, s.out)) != CLI_GO) return rc;
    if ((rc = cli_is_program(s.format) ? cli_export_program(cli, &s, &text) : export_trees(cli, &s, &text)) == CLI_GO)
        rc = cli_write(cli, s.out, text);
    free(text);
    return rc;
}

int command_draw(const cli_t *cli, int argc, char **argv)
{
    cli_export_t s = {.format = "dot", .bytes = SIZE_MAX, .root = -1};
    const cli_option_t option[] = {
        {"o", CLI_TEXT, &s.out, 0, 0, "FILE", "the picture: .svg, .png or .pdf; -: SVG to standard output (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N",
         "the trees for this message size (default: the plan's largest, else 16M)"},
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE",
         "machine, spec, platform or profile that the plan is for: writes the costs on the links"},
    };
    const cli_command_t cmd = {"draw",
                               "PLAN",
                               "Draw a plan's trees over hosts and sites, through Graphviz.",
                               "The root is at the top or left. Of a reduction, arrows lead there.",
                               "  planbcast draw plan.json --platform profile.json -o plan.svg",
                               option,
                               sizeof option / sizeof *option};
    char *text = NULL, *picture = NULL;
    const char *format;
    size_t len = 0;
    int rc = cli_parse(cli, &cmd, argc, argv, &s.input, 1);
    if (rc != CLI_GO) return rc;
    if (s.out == NULL) return cli_fail(cli, CLI_USAGE, "draw: -o FILE is missing: a name in .svg, .png or .pdf");
    if ((format = cli_picture_format(s.out)) == NULL)
        return cli_fail(cli, CLI_USAGE, "draw: -o %s: end the name in .svg, .png or .pdf", s.out);
    if ((rc = export_trees(cli, &s, &text)) == CLI_GO &&
        (rc = cli_graphviz(cli, text, format, &picture, &len)) == CLI_GO)
        rc = cli_write_bytes(cli, s.out, picture, len);
    free(text);
    free(picture);
    return rc;
}
