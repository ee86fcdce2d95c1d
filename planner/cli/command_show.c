/* planbcast show: what is in a file. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

static void show_platform(FILE *out, const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    fprintf(out, "platform%s%s: %d ranks on %d host%s in %d site%s, %zu links, %zu shared resources%s\n\n",
            d->name[0] ? " " : "", d->name, d->ranks, d->hosts, d->hosts == 1 ? "" : "s", d->sites,
            d->sites == 1 ? "" : "s", d->nlinks, d->nresources, d->send_s != NULL ? ", multi-port" : "");
    cli_print_platform(out, pf);
}

static void show_plan(FILE *out, const plan_t *plan)
{
    char size[32], slice[32], from[32] = "0 B";
    fprintf(out, "plan from rank %d to %d ranks, hash %016llx\n\n  %10s %12s  %-20s %10s %6s %5s\n", plan_root(plan),
            plan_ranks(plan), (unsigned long long)plan_hash(plan), "from", "up to", "candidate", "slice", "window",
            "trees");
    for (size_t i = 0; i < plan_nranges(plan); i++) {
        plan_range_t r = plan_range(plan, i);
        bool last = i + 1 == plan_nranges(plan);
        fprintf(out, "  %10s %12s  %-20s %10s %6d %5zu\n", from, last ? "and beyond" : cli_bytes((double)r.up_to, size),
                r.chosen->name, r.chosen->slice ? cli_bytes((double)r.chosen->slice, slice) : "whole", r.chosen->window,
                r.chosen->ntrees);
        cli_bytes((double)r.up_to + 1, from);
    }
}

int command_show(const cli_t *cli, int argc, char **argv)
{
    const cli_command_t cmd = {"show",
                               "FILE",
                               "Describe a platform, a profile or a plan.",
                               NULL,
                               "  planbcast show profile.json\n  planbcast show plan.json",
                               NULL,
                               0};
    plan_error_t err = {PLAN_OK, ""}, not_plan = {PLAN_OK, ""};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    const char *path;
    char *text = NULL;
    size_t len;
    int rc = cli_parse(cli, &cmd, argc, argv, &path, 1);

    if (rc != CLI_GO) return rc;
    plan_status_t status = plani_read_file(path, (size_t)1 << 31, &text, &len, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    if (plan_parse(text, len, path, &plan, &not_plan) == PLAN_OK)
        show_plan(cli->out, plan);
    else if ((status = plan_platform_parse(text, len, path, &pf, &err)) == PLAN_OK)
        show_platform(cli->out, pf);
    bool is_plan = strstr(text, "\"planbcast-plan\"") != NULL; /* which of the two errors helps */
    rc = plan != NULL || pf != NULL ? CLI_DONE
         : is_plan                  ? cli_fail_status(cli, not_plan.status, &not_plan)
                                    : cli_fail_status(cli, status, &err);
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
    return rc;
}
