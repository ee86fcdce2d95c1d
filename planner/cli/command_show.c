/* planbcast show: the content of a file. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "planner/cli/show_machine.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

enum { SAME_HOST, SAME_SITE, BETWEEN_SITES, REACHES };

typedef struct {
    size_t n;
    double latency[2], rate[2]; /* smallest and largest [s], [B/s] */
} range_t;

static void widen(double range[2], double x, bool first)
{
    if (first || x < range[0]) range[0] = x;
    if (first || x > range[1]) range[1] = x;
}

static const char *span(plani_quantity_t (*unit)(double), const double range[2], char text[72])
{
    if (range[0] == range[1])
        snprintf(text, 72, "%s", unit(range[0]).s);
    else
        snprintf(text, 72, "%s to %s", unit(range[0]).s, unit(range[1]).s);
    return text;
}

/* Ranges of latency and rate of links within hosts, between hosts and between sites. */
static void show_links(FILE *out, const plan_platform_data_t *d)
{
    static const char *const name[] = {"within a host", "between hosts", "between sites"};
    range_t range[REACHES] = {{0}};
    char latency[72], rate[72];

    for (size_t i = 0; i < d->nlinks; i++) {
        const plan_link_t *l = &d->link[i];
        range_t *r = &range[d->host[l->from] == d->host[l->to]   ? SAME_HOST
                            : d->site[l->from] == d->site[l->to] ? SAME_SITE
                                                                 : BETWEEN_SITES];
        widen(r->latency, l->latency_s + l->delay_s, r->n == 0);
        widen(r->rate, 1 / l->s_per_byte, r->n == 0);
        r->n++;
    }
    if (d->nlinks > 0) fprintf(out, "  %-22s %8s  %-22s  %s\n", "links", "how many", "latency", "bandwidth");
    for (int k = 0; k < REACHES; k++)
        if (range[k].n > 0)
            fprintf(out, "  %-22s %8zu  %-22s  %s\n", name[k], range[k].n,
                    span(plani_seconds, range[k].latency, latency), span(plani_rate, range[k].rate, rate));
    if (d->nchannels > 0 || d->nresources > 0) fprintf(out, "\n");
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static plan_status_t show_platform(FILE *out, const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    char name[40];
    fprintf(out, "platform%s%s: %d rank%s on %d host%s in %d site%s, %zu link%s, %zu shared resource%s%s\n\n",
            d->name[0] ? " " : "", cli_name(d->name, name), d->ranks, plural((size_t)d->ranks), d->hosts,
            plural((size_t)d->hosts), d->sites, plural((size_t)d->sites), d->nlinks, plural(d->nlinks), d->nresources,
            plural(d->nresources),
            d->ports == PLAN_PORTS_ONE_WAY ? ", one-way port"
            : d->receive_s != NULL         ? ", multi-port with time to receive"
            : d->ports == PLAN_PORTS_MULTI ? ", multi-port"
            : d->ports == PLAN_PORTS_NONE  ? ", no ports"
                                           : "");
    show_links(out, d);
    return cli_print_platform(out, pf);
}

/* The protocols, which only profiles have. */
static void show_profile(FILE *out, const char *text, size_t len)
{
    json_t *profile = json_loadb(text, len, 0, NULL);

    cli_print_pieces(out, profile);
    json_decref(profile);
}

static void show_plan(FILE *out, const plan_t *plan)
{
    plani_quantity_t from = plani_bytes(0);
    fprintf(out, "plan %s rank %d %s %d ranks, hash %016llx\n\n  %10s %12s  %-20s %10s %6s %5s\n",
            plan_data(plan)->reduces ? "of reductions to" : "from", plan_data(plan)->root,
            plan_data(plan)->reduces ? "of" : "to", plan_data(plan)->ranks, (unsigned long long)plan_data(plan)->hash,
            "from", "up to", "candidate", "slice", "window", "trees");
    for (size_t i = 0; i < plan_data(plan)->nranges; i++) {
        plan_range_t r = plan_data(plan)->range[i];
        bool last = i + 1 == plan_data(plan)->nranges;
        fprintf(out, "  %10s %12s  %-20s %10s %6d %5zu\n", from.s, last ? "and beyond" : plani_bytes((double)r.up_to).s,
                r.chosen->name, cli_slice(r.chosen).s, r.chosen->window, r.chosen->ntrees);
        from = plani_bytes((double)r.up_to + 1);
    }
}

static int show_machine(const cli_t *cli, const char *path, const char *text, size_t len, bool json)
{
    plani_machine_t *m = NULL;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t status = plani_machine_parse(text, len, path, &m, &err);
    int rc = status == PLAN_OK ? cli_show_machine(cli, m, json) : cli_fail_status(cli, status, &err);

    plani_machine_destroy(&m);
    return rc;
}

static int show_other(const cli_t *cli, const char *path, const char *text, size_t len)
{
    plan_error_t err = {PLAN_OK, ""}, not_plan = {PLAN_OK, ""};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    plan_status_t status = PLAN_OK;

    if (plan_parse(text, len, path, &plan, &not_plan) == PLAN_OK)
        show_plan(cli->out, plan);
    else if (not_plan.status != PLAN_ENOMEM && (status = plan_platform_parse(text, len, path, &pf, &err)) == PLAN_OK)
        status = show_platform(cli->out, pf), show_profile(cli->out, text, len);
    bool is_plan = not_plan.status == PLAN_ENOMEM || strstr(text, "\"planbcast-plan\"") != NULL; /* its error */
    int rc = plan != NULL || (pf != NULL && status == PLAN_OK) ? CLI_DONE
             : is_plan                                         ? cli_fail_status(cli, not_plan.status, &not_plan)
                                                               : cli_fail_status(cli, status, &err);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
    return rc;
}

int command_show(const cli_t *cli, int argc, char **argv)
{
    bool json = false;
    const cli_option_t option[] = {
        {"json", CLI_FLAG, &json, 0, 0, NULL, "of a machine: print groups, kinds, rates and provenance"}};
    const cli_command_t cmd = {
        "show",
        "FILE",
        "Describe a machine, a platform, a profile or a plan.",
        "Of a machine: groups, kinds and hosts, what limits broadcasts (slowest first, with the "
        "interval of the runs that measured it), channel classes, where it comes from, and what "
        "broadcasts that tried it took.",
        "  planbcast show machine.json\n  planbcast show profile.json\n  planbcast show plan.json",
        option,
        sizeof option / sizeof *option};
    plan_error_t err = {PLAN_OK, ""};
    const char *path;
    char *text = NULL;
    size_t len;
    int rc = cli_parse(cli, &cmd, argc, argv, &path, 1);

    if (rc != CLI_GO) return rc;
    plan_status_t status = plani_read_file(path, PLANI_MAX_FILE, &text, &len, &err);
    if (status != PLAN_OK) return cli_fail_status(cli, status, &err);
    if (plani_cluster_is_one(text))
        rc = show_machine(cli, path, text, len, json);
    else if (json)
        rc = cli_fail(cli, CLI_USAGE, "show: --json is for machines; %s is none", path);
    else
        rc = show_other(cli, path, text, len);
    free(text);
    return rc;
}
