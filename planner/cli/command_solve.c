/* planbcast solve: the bound. */
#include "planner/cli/commands.h"
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lp/direct.h"
#include "planner/cost/bound.h"
#include "planner/algorithms/cluster_bound.h"
#include "planner/cli/output.h"

static const double DEFAULT_GAP = 1e-8;

typedef struct {
    size_t slice;
    int root;
    const char *method;
    double gap, limit;
    bool json;
} settings_t;

static json_t *as_json(const settings_t *set, const plan_steady_data_t *s, const plan_platform_data_t *d)
{
    const double *n = s->rate;
    json_t *links = json_array(), *trees = json_array();

    for (size_t l = 0; l < d->nlinks; l++)
        if (n[l] > 0) json_array_append_new(links, json_pack("[i,i,f]", d->link[l].from, d->link[l].to, n[l]));
    for (size_t i = 0; i < s->ntrees; i++)
        json_array_append_new(trees, json_pack("{s:f, s:o}", "rate", s->tree_rate[i], "parent",
                                               cli_json_ints(s->tree_parent[i], d->ranks)));
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:s, s:s, s:i, s:o, s:o}", "throughput", s->throughput, "bytes_per_s",
                     s->throughput * (double)set->slice, "upper", s->upper, "gap", s->gap, "seconds", s->seconds,
                     "method", set->method, "finished_by", s->method, "rounds", s->rounds, "links", links, "trees",
                     trees);
}

static void as_table(FILE *out, const settings_t *set, const plan_steady_data_t *s, const plan_platform_data_t *d)
{
    const double *n = s->rate, slice = (double)set->slice;
    const char *finished_by = s->method;
    double packed = 0;
    size_t used = 0;

    for (size_t l = 0; l < d->nlinks; l++) used += n[l] > 0;
    for (size_t i = 0; i < s->ntrees; i++) packed += s->tree_rate[i];
    fprintf(out, "bound       %.10g slices/s of %s = %s\n", s->upper, plani_bytes(slice).s,
            plani_rate(s->upper * slice).s);
    fprintf(out, "certified   between %.10g and %.10g slices/s, relative gap %.2g\n", s->throughput, s->upper, s->gap);
    fprintf(out, "method      %s%s%s, %d rounds, %s\n", set->method,
            strcmp(finished_by, set->method) != 0 ? ", finished by " : "",
            strcmp(finished_by, set->method) != 0 ? finished_by : "", s->rounds, plani_seconds(s->seconds).s);
    fprintf(out, "links used  %zu of %zu\n", used, d->nlinks);
    if (s->ntrees == 0) return;
    fprintf(out, "trees       %zu, together %.4f of the bound; the largest rates [slices/s]:\n", s->ntrees,
            packed / s->upper);
    for (size_t i = 0; i < s->ntrees && i < 8; i++)
        fprintf(out, "  %2zu  %10.6g  (%.1f%%)\n", i + 1, s->tree_rate[i], 100 * s->tree_rate[i] / packed);
}

static int solve_platform(const cli_t *cli, const char *path, const char *text, size_t len, const settings_t *set)
{
    plan_steady_options_t o = {.size = sizeof o, .gap = set->gap, .time_limit_s = set->limit, .pack_trees = true};
    plan_platform_t *pf = NULL;
    plan_steady_t *s = NULL;
    plan_error_t err = {PLAN_OK, ""};
    int status = CLI_DONE;

    plani_solver_t *solver = strcmp(set->method, "direct") == 0 ? plani_steady_direct : plani_steady_solve;
    plan_status_t rc = plan_platform_parse(text, len, path, &pf, &err);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (set->root >= d->ranks)
        status = cli_fail(cli, CLI_USAGE, "solve: --root %d: %s has the ranks 0 to %d", set->root, path, d->ranks - 1);
    else if (d->ranks == 1)
        status = cli_fail(cli, CLI_USAGE, "%s: has one rank: there is nothing to send", path);
    else if ((rc = plani_platform_bound_by(solver, pf, set->root, (double)set->slice, false, &o, &s, &err)) != PLAN_OK)
        status = cli_fail_status(cli, rc, &err);
    else if (set->json)
        status = cli_print_json(cli, "planbcast-bound", as_json(set, plan_steady_data(s), d));
    else
        as_table(cli->out, set, plan_steady_data(s), d);
    plan_steady_destroy(&s);
    plan_platform_destroy(&pf);
    return status;
}

/* ---- a spec ---- */

static json_t *cluster_as_json(const settings_t *set, const plani_cluster_bound_t *b)
{
    json_t *held = json_array();
    for (size_t i = 0; i < b->n; i++)
        json_array_append_new(held, json_pack("{s:s, s:i, s:f}", "name", b->limit[i].name, "count", b->limit[i].count,
                                              "worth", b->limit[i].worth));
    return json_pack("{s:o, s:o, s:f, s:f, s:s, s:o}", "throughput", cli_json_real(b->rate / (double)set->slice),
                     "bytes_per_s", cli_json_real(b->rate), "gap", 0., "seconds", b->seconds, "method", "machine",
                     "held_by", held);
}

static void cluster_as_table(FILE *out, const plani_cluster_t *c, const settings_t *set, const plani_cluster_bound_t *b)
{
    enum { MOST = 8 };
    fprintf(out, "bound       %s = %.10g slices/s of %s, from rank %d on %s\n", plani_rate(b->rate).s,
            b->rate / (double)set->slice, plani_bytes((double)set->slice).s, set->root,
            c->host[c->host_of[set->root]].name);
    fprintf(out, "method      the machine's program of %d nodes, %s\n", b->nodes, plani_seconds(b->seconds).s);
    for (size_t i = 0; i < b->n && i < MOST; i++) {
        fprintf(out, "%-11s %s", i == 0 ? "limited by" : "", b->limit[i].name);
        if (b->limit[i].count > 1) fprintf(out, " and %d equal hosts", b->limit[i].count - 1);
        fprintf(out, " (%.0f%%)\n", 100 * b->limit[i].worth);
    }
    if (b->n > MOST) fprintf(out, "%-11s and %zu more\n", "", b->n - MOST);
}

static int solve_cluster(const cli_t *cli, const char *path, const char *text, size_t len, const settings_t *set)
{
    plani_cluster_t *c = NULL;
    plani_cluster_bound_t b = {0};
    plan_error_t err = {PLAN_OK, ""};
    int status = CLI_DONE;

    if (strcmp(set->method, "cuts") != 0 || set->gap != DEFAULT_GAP || set->limit > 0)
        return cli_fail(cli, CLI_USAGE,
                        "solve: %s is a cluster spec; --method, --gap and --time-limit are for platforms", path);
    plan_status_t rc = plani_cluster_parse(text, len, path, &c, &err);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    if (set->root >= c->ranks)
        status = cli_fail(cli, CLI_USAGE, "solve: --root %d: %s has the ranks 0 to %d", set->root, path, c->ranks - 1);
    else if (c->ranks == 1)
        status = cli_fail(cli, CLI_USAGE, "%s: has one rank: there is nothing to send", path);
    else if ((rc = plani_cluster_bound(c, set->root, &b, &err)) != PLAN_OK)
        status = cli_fail_status(cli, rc, &err);
    else if (set->json)
        status = cli_print_json(cli, "planbcast-bound", cluster_as_json(set, &b));
    else
        cluster_as_table(cli->out, c, set, &b);
    plani_cluster_bound_clear(&b);
    plani_cluster_destroy(&c);
    return status;
}

static int solve(const cli_t *cli, const char *path, const settings_t *set)
{
    char *text = NULL;
    size_t len = 0;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, &err);

    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    int status = (plani_cluster_is_one(text) ? solve_cluster : solve_platform)(cli, path, text, len, set);
    free(text);
    return status;
}

int command_solve(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.method = "cuts", .gap = DEFAULT_GAP};
    const char *path;
    const cli_option_t option[] = {
        {"slice", CLI_SIZE, &s.slice, 1, 1099511627776., "BYTES", "slice size; K, M, G are powers of 1024 (required)"},
        cli_root(&s.root),
        {"method", CLI_TEXT, &s.method, 0, 0, "NAME", "cuts (default) or direct: the program as printed, for checking"},
        {"gap", CLI_REAL, &s.gap, 0, 1, "G", "stop at this relative gap (default 1e-8)"},
        {"time-limit", CLI_REAL, &s.limit, 0, 1e9, "S", "stop after S seconds with the gap reached"},
        {"json", CLI_FLAG, &s.json, 0, 0, NULL, "print throughput, gap, n_uv per link and the packed trees"},
    };
    const cli_command_t cmd = {
        "solve",
        "PLATFORM|SPEC",
        "The most slices per second that any broadcast by messages, over any number of trees, can sustain.",
        "PLATFORM is bounded by the linear program of Beaumont, Marchal, Robert 2004 with its shared resources.\n"
        "SPEC, a cluster spec or machine file, is bounded by the rates of its cards, trunks and memories;\n"
        "those that limit it are listed.",
        "  planbcast solve platform.json --slice 64K\n"
        "  planbcast solve bench/clusters/three-sites.json --slice 64K\n"
        "  planbcast solve random.json --slice 1M --root 4 --method direct --json",
        option,
        sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, &path, 1);
    if (rc != CLI_GO) return rc;
    if (s.slice == 0) return cli_fail(cli, CLI_USAGE, "solve: --slice is missing");
    if (strcmp(s.method, "cuts") != 0 && strcmp(s.method, "direct") != 0)
        return cli_fail(cli, CLI_USAGE, "solve: unknown method %s; cuts or direct", s.method);
    return solve(cli, path, &s);
}
