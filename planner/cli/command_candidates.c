/* planbcast candidates: everything that a ranking can list, and where it comes from. */
#include "planner/cli/commands.h"
#include "planner/algorithms/registry.h"
#include "planner/cli/output.h"

static json_t *as_json(const plani_registry_t *all)
{
    json_t *list = json_array();

    for (size_t i = 0; i < all->n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", all->algorithm[i].name, "what",
                                              all->algorithm[i].what, "source", all->algorithm[i].source));
    return json_pack("{s:o}", "candidates", list);
}

int command_candidates(const cli_t *cli, int argc, char **argv)
{
    const plan_choice_t choice = {.size = sizeof choice};
    plani_registry_t all;
    bool json = false;
    const cli_option_t option[] = {{"json", CLI_FLAG, &json, 0, 0, NULL, "print name, what and source of each"}};
    const cli_command_t cmd = {"candidates",
                               "",
                               "List all candidates: what each one does, and the paper or program that it comes from.",
                               "With --only A,B,... the commands plan, run and bench consider these alone.",
                               "  planbcast candidates\n  planbcast candidates --json",
                               option,
                               sizeof option / sizeof *option};
    plan_error_t err = {PLAN_OK, ""};
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);

    if (rc != CLI_GO) return rc;
    plan_status_t status = plani_registry_init(&all, &choice, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    if (json) return cli_print_json(cli, "planbcast-candidates", as_json(&all));
    for (size_t i = 0; i < all.n; i++)
        fprintf(cli->out, "%-18s %s [%s]\n", all.algorithm[i].name, all.algorithm[i].what, all.algorithm[i].source);
    return CLI_DONE;
}
