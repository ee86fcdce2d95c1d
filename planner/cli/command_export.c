/* planbcast export and draw: a plan's trees for other programs, and as a picture. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include <stdlib.h>

typedef struct {
    const char *plan, *platform, *format, *out;
    size_t bytes;
} settings_t;

/* Load the plan (and the platform, if named) and export the trees for messages of `bytes` as text. */
static int export_text(const cli_t *cli, const settings_t *s, char **text)
{
    plan_error_t err = {PLAN_OK, ""};
    plan_t *plan = NULL;
    plan_platform_t *pf = NULL;
    bool together = false;
    plan_status_t rc = plan_load(s->plan, &plan, &err);

    if (rc == PLAN_OK && s->platform != NULL) rc = plan_platform_load(s->platform, &pf, &err);
    if (rc == PLAN_OK) {
        size_t last = plan_data(plan)->range[plan_data(plan)->nranges - 1].up_to;
        rc = plan_export(plan, pf, s->bytes == SIZE_MAX ? last : s->bytes, s->format, text, &err);
        together = rc == PLAN_EMISMATCH && pf != NULL;
    }
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
    if (together) return cli_fail(cli, CLI_USAGE, "%s and %s: %s", s->plan, s->platform, err.text);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

int command_export(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.bytes = SIZE_MAX};
    const cli_option_t option[] = {
        {"to", CLI_TEXT, &s.format, 0, 0, "FORMAT", "dot, graphml, json or parents (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "the trees for this message size (default: the largest)"},
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE", "platform or profile: adds costs to the links"},
        cli_out(&s.out),
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

int command_draw(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.format = "dot", .bytes = SIZE_MAX};
    const cli_option_t option[] = {
        {"o", CLI_TEXT, &s.out, 0, 0, "FILE", "the picture: .svg, .png or .pdf; -: SVG to standard output (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "the trees for this message size (default: the largest)"},
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE", "platform or profile: writes the costs on the links"},
    };
    const cli_command_t cmd = {"draw",
                               "PLAN",
                               "Draw a plan's trees over hosts and sites, through Graphviz.",
                               NULL,
                               "  planbcast draw plan.json --platform profile.json -o plan.svg",
                               option,
                               sizeof option / sizeof *option};
    char *text = NULL, *picture = NULL;
    const char *format;
    size_t len = 0;
    int rc = cli_parse(cli, &cmd, argc, argv, &s.plan, 1);
    if (rc != CLI_GO) return rc;
    if (s.out == NULL) return cli_fail(cli, CLI_USAGE, "draw: -o FILE is missing: a name in .svg, .png or .pdf");
    if ((format = cli_picture_format(s.out)) == NULL)
        return cli_fail(cli, CLI_USAGE, "draw: -o %s: end the name in .svg, .png or .pdf", s.out);
    if ((rc = export_text(cli, &s, &text)) == CLI_GO &&
        (rc = cli_graphviz(cli, text, format, &picture, &len)) == CLI_GO)
        rc = cli_write_bytes(cli, s.out, picture, len);
    free(text);
    free(picture);
    return rc;
}
