/* Options that several commands have: the same name, limits and words in each. */
#include "planner/cli/cli.h"
#include <string.h>

cli_option_t cli_ranks(int *ranks)
{
    return (cli_option_t){"ranks", CLI_INT, ranks, 1, 1 << 20, "P", "how many ranks (required)"};
}

cli_option_t cli_root(int *root)
{
    return (cli_option_t){"root", CLI_INT, root, 0, 0, "R", "the rank that broadcasts (default 0)"};
}

cli_option_t cli_model(plan_choice_t *choice)
{
    return (cli_option_t){"model",
                          CLI_TEXT,
                          &choice->model,
                          0,
                          0,
                          "NAME",
                          "performance model: taulop, or simulation (default): of the best by taulop"};
}

cli_option_t cli_only(plan_choice_t *choice)
{
    return (cli_option_t){"only", CLI_TEXT, &choice->only, 0, 0, "A,B,...", "consider only these candidates"};
}

cli_option_t cli_window(plan_choice_t *choice)
{
    return (cli_option_t){
        "window", CLI_INT, &choice->window, 1, 1024, "W", "slices in flight per child (default: chosen)"};
}

cli_option_t cli_out(const char **path)
{
    return (cli_option_t){"o", CLI_TEXT, path, 0, 0, "FILE", "write there instead of standard output"};
}

int cli_operation(const cli_t *cli, const char *command, const char *text, bool *reduces)
{
    *reduces = strcmp(text, "reduce") == 0;
    if (*reduces || strcmp(text, "broadcast") == 0) return CLI_GO;
    return cli_fail(cli, CLI_USAGE, "%s: --operation %.40s; known: broadcast, reduce", command, text);
}
