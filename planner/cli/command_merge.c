/* planbcast merge: what several machine files know together. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdlib.h>

/* A line where the older machine's figures stay although the newer one's differ. */
static plan_status_t print_kept(const cli_t *cli, const char *path, const plani_machine_t *both,
                                const plani_machine_t *newer, plan_error_t *err)
{
    char *kept = NULL;
    plan_status_t rc = plani_machine_kept(both, newer, &kept);

    if (rc != PLAN_OK) plani_fail(err, rc, "%s: out of memory for a machine", path);
    if (kept != NULL)
        fprintf(cli->err, "%s: %s says otherwise, but what was known is kept: %s\n", cli->tool, path, kept);
    free(kept);
    return rc;
}

/* Take over *all, and put in its place what it and the file know together. */
static plan_status_t add_file(const cli_t *cli, const char *path, plani_machine_t **all, plan_error_t *err)
{
    plani_machine_t *m = NULL, *both = NULL;
    plan_error_t why = {PLAN_OK, ""};
    plan_status_t rc = plani_machine_load(path, &m, err);

    if (rc == PLAN_OK && *all == NULL) {
        *all = m;
        return PLAN_OK;
    }
    if (rc == PLAN_OK && (rc = plani_machine_merge(*all, m, &both, &why)) != PLAN_OK)
        plani_fail(err, rc, "%s: %s", path, why.text);
    if (rc == PLAN_OK) rc = print_kept(cli, path, both, m, err);
    plani_machine_destroy(&m);
    if (rc != PLAN_OK) {
        plani_machine_destroy(&both);
        return rc;
    }
    plani_machine_destroy(all);
    *all = both;
    return PLAN_OK;
}

int command_merge(const cli_t *cli, int argc, char **argv)
{
    const char *out = NULL;
    const cli_option_t option[] = {cli_out(&out)};
    const cli_command_t cmd = {
        "merge",
        "MACHINE MACHINE...",
        "What several machine files know together, as a machine file.",
        "What a file says stays, and the next one adds what is missing: hosts, groups, limits. "
        "Hosts are the same if their names are; new ones join the groups of those that they "
        "share a group with in their own file. Where rates or groups that stay differ from those of the "
        "next file, a line on standard error says which.",
        "  planbcast merge machine.json new-rack.json -o machine.json",
        option,
        sizeof option / sizeof *option};
    const char **path = calloc((size_t)argc + 1, sizeof *path);
    plani_machine_t *all = NULL;
    plan_status_t status = path != NULL ? PLAN_OK : PLAN_ENOMEM;
    plan_error_t err = {status, "out of memory"};
    char *text = NULL;
    int n = 0, rc = status == PLAN_OK ? cli_parse_list(cli, &cmd, argc, argv, path, 2, argc, &n) : CLI_GO;

    for (int i = 0; i < n && rc == CLI_GO && status == PLAN_OK; i++) status = add_file(cli, path[i], &all, &err);
    if (rc == CLI_GO && status == PLAN_OK && (status = plani_machine_to_json(all, &text)) != PLAN_OK)
        plani_fail(&err, status, "out of memory for a machine");
    if (rc == CLI_GO) rc = status == PLAN_OK ? cli_write(cli, out, text) : cli_fail_status(cli, status, &err);
    plani_machine_destroy(&all);
    free(text);
    free(path);
    return rc;
}
