/* planbcast schedule: the trees of the bound, in steps. */
#include "planner/cost/bound.h"
#include "planner/cli/commands.h"
#include "lib/base/base.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/cli/output.h"
#include "planner/schedule/periodic.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t slice, bytes;
    int root, most;
    const char *format, *out;
    bool json;
} settings_t;

/* ---- as text ---- */

static const char *s_of(size_t n)
{
    return n == 1 ? "" : "s";
}

static void put_head(const plani_periodic_t *p, const settings_t *set, plani_text_t *to)
{
    double rate = plani_periodic_throughput(p);

    plani_text_add(to, "period      %s: %d slice%s of %s down %zu tree%s, in %zu step%s\n",
                   plani_seconds(p->period_s).s, p->slices, s_of((size_t)p->slices), plani_bytes(p->slice).s, p->ntrees,
                   s_of(p->ntrees), p->steps.n, s_of(p->steps.n));
    plani_text_add(to, "throughput  %.6g slices/s = %s, %.4f of the bound\n", rate, plani_rate(rate * p->slice).s,
                   rate / p->bound);
    plani_text_add(to,
                   "start-up    %s until the slices of the first period are on all ranks; trees of up to %d level%s\n",
                   plani_seconds(p->startup_s).s, p->height, s_of((size_t)p->height));
    if (set->bytes > 0) {
        size_t slices = (set->bytes - 1) / set->slice + 1;
        double seconds = plani_periodic_time(p, slices);
        plani_text_add(to, "message     %s = %zu slice%s: %s, %.4f of the bound\n", plani_bytes((double)set->bytes).s,
                       slices, s_of(slices), plani_seconds(seconds).s, (double)slices / seconds / p->bound);
    }
}

static void put_left_out(const plan_platform_data_t *d, plani_text_t *to)
{
    if (d->nresources > 0)
        plani_text_add(to,
                       "not kept    %zu shared resources: the period has time for all that passes them, but the "
                       "transfers of a step may ask one for more than it carries\n",
                       d->nresources);
    if (d->ports == PLAN_PORTS_MULTI)
        plani_text_add(to, "not used    several ports: a rank sends one slice after the other here\n");
}

static void put_text(const plani_periodic_t *p, const plan_platform_data_t *d, const settings_t *set, plani_text_t *to)
{
    put_head(p, set, to);
    put_left_out(d, to);
    plani_text_add(to, "\n%5s %10s %10s  %5s %5s  %5s %5s  %-13s %s\n", "step", "start", "length", "from", "to", "tree",
                   "slice", "part of it", "periods after the root's");
    for (size_t i = 0; i < p->npieces; i++) {
        const plani_piece_t *x = &p->piece[i];
        char part[32] = "all";
        if (x->begin > 0 || x->end < 1) snprintf(part, sizeof part, "%.1f-%.1f%%", 100 * x->begin, 100 * x->end);
        plani_text_add(to, "%5zu %10s %10s  %5d %5d  %5d %5d  %-13s %d\n", x->step, plani_seconds(x->start_s).s,
                       plani_seconds(x->length).s, d->link[x->link].from, d->link[x->link].to, p->tree_of[x->slice],
                       x->slice, part, x->lag);
    }
}

/* ---- as JSON ---- */

static json_t *trees_as_json(const plani_periodic_t *p)
{
    json_t *trees = json_array();
    for (size_t t = 0; t < p->ntrees; t++)
        json_array_append_new(trees, json_pack("{s:i, s:f, s:o}", "slices", p->per_tree[t], "rate",
                                               p->per_tree[t] / p->period_s, "parent",
                                               cli_json_ints(p->parent + t * (size_t)p->ranks, p->ranks)));
    return trees;
}

static json_t *as_json(const plani_periodic_t *p, const plan_platform_data_t *d, const settings_t *set)
{
    json_t *steps = json_array(), *transfers = json_array();
    double rate = plani_periodic_throughput(p);

    for (size_t i = 0; i < p->steps.n; i++)
        json_array_append_new(steps, json_pack("[f,f]", p->steps.start[i], p->steps.length[i]));
    for (size_t i = 0; i < p->npieces; i++) {
        const plani_piece_t *x = &p->piece[i];
        json_array_append_new(transfers,
                              json_pack("{s:I, s:f, s:f, s:i, s:i, s:i, s:i, s:f, s:f, s:i}", "step",
                                        (json_int_t)x->step, "start_s", x->start_s, "length_s", x->length, "from",
                                        d->link[x->link].from, "to", d->link[x->link].to, "tree", p->tree_of[x->slice],
                                        "slice", x->slice, "begin", x->begin, "end", x->end, "lag", x->lag));
    }
    json_t *all =
        json_pack("{s:i, s:i, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:I, s:o, s:o, s:o}", "ranks", p->ranks, "root",
                  p->root, "slice", (json_int_t)set->slice, "slices", p->slices, "period_s", p->period_s, "throughput",
                  rate, "bytes_per_s", rate * p->slice, "bound", p->bound, "startup_s", p->startup_s, "height",
                  p->height, "resources_not_kept", (json_int_t)d->nresources, "trees", trees_as_json(p), "steps", steps,
                  "transfers", transfers);
    if (set->bytes > 0)
        json_object_set_new(all, "message",
                            json_pack("{s:I, s:f}", "bytes", (json_int_t)set->bytes, "seconds",
                                      plani_periodic_time(p, (set->bytes - 1) / set->slice + 1)));
    return all;
}

/* ---- */

static int put(const cli_t *cli, const plani_periodic_t *p, const plan_platform_t *pf, const settings_t *set)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    plan_error_t err = {PLAN_OK, ""};
    plani_text_t text = {0};
    char *made = NULL;
    plan_status_t rc = PLAN_OK;

    if (set->json) return cli_print_json(cli, "planbcast-schedule", as_json(p, d, set));
    if (set->format == NULL)
        put_text(p, d, set, &text);
    else if (strcmp(set->format, "goal") == 0)
        rc = plani_periodic_put_goal(p, pf, set->bytes, &text, &err);
    else
        rc = plani_periodic_put_svg(p, pf, &text, &err);
    plan_status_t taken = plani_text_take(&text, &made);
    if (rc == PLAN_OK && taken != PLAN_OK) rc = plani_fail(&err, taken, "no memory for the text");
    int status = rc == PLAN_OK ? cli_write(cli, set->out, made) : cli_fail_status(cli, rc, &err);
    free(made);
    return status;
}

/* The steps are those of one port; of several ports one is used. */
static plan_status_t with_one_port(const plan_platform_t *pf, plan_platform_t **one, plan_error_t *err)
{
    plan_platform_data_t d = *plan_platform_data(pf);
    d.ports = PLAN_PORTS_ONE;
    d.send_s = d.send_s_per_byte = d.receive_s = d.receive_s_per_byte = NULL;
    return plan_platform_create(&d, one, err);
}

static int schedule_platform(const cli_t *cli, const char *path, const plan_platform_t *pf, const settings_t *set)
{
    plan_steady_options_t o = {.size = sizeof o, .gap = 1e-8, .pack_trees = true};
    plan_error_t err = {PLAN_OK, ""};
    plan_steady_t *s = NULL;
    plani_periodic_t p = {.ranks = 0};
    int ranks = plan_platform_data(pf)->ranks;

    if (set->root >= ranks)
        return cli_fail(cli, CLI_USAGE, "schedule: --root %d: %s has the ranks 0 to %d", set->root, path, ranks - 1);
    if (ranks == 1) return cli_fail(cli, CLI_USAGE, "%s: has one rank: there is nothing to send", path);
    plan_platform_t *one = NULL;
    plan_status_t rc = PLAN_OK;
    if (plan_platform_data(pf)->ports == PLAN_PORTS_MULTI) rc = with_one_port(pf, &one, &err);
    if (rc == PLAN_OK) rc = plani_platform_rates(one != NULL ? one : pf, set->root, (double)set->slice, &o, &s, &err);
    if (rc == PLAN_OK && set->bytes > 0)
        rc = plani_periodic_create_for(pf, set->root, (double)set->slice, set->most, (set->bytes - 1) / set->slice + 1,
                                       s, &p, &err);
    else if (rc == PLAN_OK)
        rc = plani_periodic_create(pf, set->root, (double)set->slice, set->most, s, &p, &err);
    bool failed = rc == PLAN_ENOMEM || rc == PLAN_ESOLVER || rc == PLAN_ETIME;
    int status = rc == PLAN_OK ? put(cli, &p, pf, set)
                               : cli_fail(cli, failed ? CLI_FAILED : CLI_USAGE, "%s: %s", path, err.text);
    plani_periodic_clear(&p);
    plan_steady_destroy(&s);
    plan_platform_destroy(&one);
    return status;
}

static int schedule(const cli_t *cli, const char *path, const settings_t *set)
{
    plan_error_t err = {PLAN_OK, ""};
    plan_platform_t *pf = NULL;
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, &err);

    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    bool spec = plani_cluster_is_one(text);
    if (!spec) rc = plan_platform_parse(text, len, path, &pf, &err);
    free(text);
    if (spec)
        return cli_fail(cli, CLI_USAGE,
                        "%s: is a cluster spec or machine: its cards and trunks carry several transfers at once; a "
                        "schedule needs a platform with \"ports\": \"one\"",
                        path);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    int status = schedule_platform(cli, path, pf, set);
    plan_platform_destroy(&pf);
    return status;
}

static const char details[] =
    "The trees get whole numbers of slices per period. Transfers are divided into steps in each of which a rank\n"
    "sends to one rank and receives from one; a slice may be interrupted and go on in a later step. Each slice is\n"
    "sent on as soon as the order of the steps permits. Shared resources are kept on average only.\n"
    "Besides text and --json, --to writes:\n"
    "  goal             every message of a broadcast of --bytes, for LogGOPSim\n"
    "  svg              a picture: what each rank sends and receives until the first slices are everywhere";

int command_schedule(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.most = 100};
    const char *path;
    const cli_option_t option[] = {
        {"slice", CLI_SIZE, &s.slice, 1, 1099511627776., "BYTES", "slice size; K, M, G are powers of 1024 (required)"},
        cli_root(&s.root),
        {"per-period", CLI_INT, &s.most, 1, PLANI_MOST_PER_PERIOD, "N",
         "at most N slices per period (default 100): more come nearer to the bound, fewer start faster"},
        {"bytes", CLI_SIZE, &s.bytes, 1, 1e18, "N",
         "a message: chooses the period that takes it least time, and says how long; of goal required"},
        {"json", CLI_FLAG, &s.json, 0, 0, NULL, "print period, start-up, trees, steps and transfers"},
        {"to", CLI_TEXT, &s.format, 0, 0, "FORMAT", "goal or svg"},
        cli_out(&s.out),
    };
    const cli_command_t cmd = {
        "schedule",
        "PLATFORM",
        "A periodic schedule that sustains nearly the bound: which slice goes over which link when.",
        details,
        "  planbcast schedule platform.json --slice 64K\n"
        "  planbcast schedule platform.json --slice 64K --bytes 16M --to goal -o bcast.goal\n"
        "  planbcast schedule platform.json --slice 64K --per-period 10 --to svg -o steps.svg",
        option,
        sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, &path, 1);
    if (rc != CLI_GO) return rc;
    if (s.slice == 0) return cli_fail(cli, CLI_USAGE, "schedule: --slice is missing");
    if (s.format != NULL && strcmp(s.format, "goal") != 0 && strcmp(s.format, "svg") != 0)
        return cli_fail(cli, CLI_USAGE, "schedule: --to %.40s: give goal or svg", s.format);
    if (s.format != NULL && s.json) return cli_fail(cli, CLI_USAGE, "schedule: give --json or --to, not both");
    if (s.out != NULL && s.json) return cli_fail(cli, CLI_USAGE, "schedule: --json prints; it takes no -o");
    if (s.format != NULL && strcmp(s.format, "goal") == 0 && s.bytes == 0)
        return cli_fail(cli, CLI_USAGE, "schedule: --to goal needs --bytes");
    if (s.out != NULL && strcmp(s.out, "-") != 0 && (rc = cli_may_write(cli, s.out)) != CLI_GO) return rc;
    return schedule(cli, path, &s);
}
