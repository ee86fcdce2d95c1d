/* planbcast tree: one Open MPI topology. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include <limits.h>

static json_t *children(const plan_tree_t *tree)
{
    json_t *all = json_array();
    for (int u = 0; u < plan_tree_data(tree)->ranks; u++) {
        int n;
        const int *child = plan_tree_children(tree, u, &n);
        json_t *list = json_array();
        for (int i = 0; i < n; i++) json_array_append_new(list, json_integer(child[i]));
        json_array_append_new(all, list);
    }
    return json_pack("{s:o}", "children", all);
}

int command_tree(const cli_t *cli, int argc, char **argv)
{
    int ranks = -1, root = 0, fanout = 0;
    bool json = false;
    const char *name;
    const cli_option_t option[] = {
        cli_ranks(&ranks),
        cli_root(&root),
        {"fanout", CLI_INT, &fanout, 1, 1 << 20, "K", "chains or radix (default: Open MPI's: chain 4, knomial 4)"},
        {"json", CLI_FLAG, &json, 0, 0, NULL, "print {\"children\": [[...], ...]}"},
    };
    const cli_command_t cmd = {
        "tree",
        "NAME",
        "Print a tree that Open MPI broadcasts along, children in send order.",
        "NAME is one of linear chain pipeline split_binary binary binomial knomial.",
        "  planbcast tree binomial --ranks 16\n  planbcast tree chain --ranks 10 --root 3 --fanout 2 --json",
        option,
        sizeof option / sizeof *option};
    plan_topology_t kind;
    plan_tree_t *tree = NULL;

    int rc = cli_parse(cli, &cmd, argc, argv, &name, 1);
    if (rc != CLI_GO) return rc;
    if (plan_topology_from_name(name, &kind) != PLAN_OK)
        return cli_fail(cli, CLI_USAGE,
                        "tree: unknown topology %s; one of linear chain pipeline split_binary binary "
                        "binomial knomial",
                        name);
    if (ranks < 0) return cli_fail(cli, CLI_USAGE, "tree: --ranks is missing");
    if (root >= ranks) return cli_fail(cli, CLI_USAGE, "tree: --root %d: give a rank from 0 to %d", root, ranks - 1);
    plan_status_t status = plan_tree_topology(kind, ranks, root, fanout, &tree);
    if (status == PLAN_EINVAL) return cli_fail(cli, CLI_USAGE, "tree: %s takes no --fanout %d", name, fanout);
    if (status != PLAN_OK) return cli_fail_status(cli, status, NULL);
    if (json)
        rc = cli_print_json(cli, "planbcast-tree", children(tree));
    else
        cli_print_tree(cli->out, tree, NULL, INT_MAX), rc = CLI_DONE;
    plan_tree_destroy(&tree);
    return rc;
}
