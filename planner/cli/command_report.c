/* planbcast report: one page on a machine, a platform or a plan. */
#include "planner/cli/commands.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "graphs/generate/sites.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include "planner/algorithms/described.h"
#include "planner/cli/output.h"
#include "planner/plan/assignment.h"
#include "planner/report/report.h"
#include "planner/select/decide.h"

typedef struct {
    const char *path, *platform, *out;
    size_t bytes;   /* SIZE_MAX: not given */
    int root;       /* -1: not given */
    size_t combine; /* [B/s] 0: not given */
    cli_line_t command;
} settings_t;

/* All that the page is made of. Zero-initialise. */
typedef struct {
    plani_machine_t *machine;
    plani_cluster_t *cluster; /* that `on` is made of */
    plani_described_t on;
    json_t *document; /* of a platform's file */
    plan_t *plan;     /* of a plan file */
    plani_decision_t decision;
    plan_candidate_t chosen; /* of a plan file, with the trees that carry slices */
} content_t;

static void clear(content_t *c)
{
    plani_machine_destroy(&c->machine);
    plani_described_clear(&c->on);
    plani_cluster_destroy(&c->cluster);
    json_decref(c->document);
    plan_destroy(&c->plan);
    plani_decision_clear(&c->decision);
    plani_candidate_clear(&c->chosen);
}

/* Whether it is about a plan of reductions; plans are read first. */
static bool reduces(const content_t *c)
{
    return c->plan != NULL && plan_data(c->plan)->reduces;
}

static double combining(const settings_t *s)
{
    return s->combine > 0 ? 1 / (double)s->combine : 0;
}

/* ---- what is planned on ---- */

static plan_status_t open_cluster(const char *text, size_t len, const char *path, int root, content_t *c,
                                  plan_error_t *err)
{
    plan_status_t rc = plani_machine_parse(text, len, path, &c->machine, err);

    if (rc == PLAN_OK && (rc = plani_cluster_parse(text, len, path, &c->cluster, err)) == PLAN_EFORMAT) {
        plani_clear(err); /* it does not say enough to be planned on, and is shown without a plan */
        return PLAN_OK;
    }
    if (rc == PLAN_OK && root >= c->cluster->ranks)
        rc = plani_fail(err, PLAN_EINVAL, "report: --root %d: %s has the ranks 0 to %d", root, path,
                        c->cluster->ranks - 1);
    if (rc == PLAN_OK && reduces(c)) return plani_cluster_platform(c->cluster, &c->on.pf, err);
    return rc == PLAN_OK ? plani_described_create(c->cluster, root, &c->on, err) : rc;
}

/* A profile has the machine, too; where it does not, the platform alone is shown. */
static plan_status_t take_machine(content_t *c, const char *path, plan_error_t *err)
{
    const json_t *machine = json_object_get(c->document, "machine");
    char *text = json_is_object(machine) ? json_dumps(machine, 0) : NULL;

    if (!json_is_object(machine)) return PLAN_OK;
    if (text == NULL) return plani_fail(err, PLAN_ENOMEM, "out of memory for the machine of %s", path);
    plan_status_t rc = plani_machine_parse(text, strlen(text), path, &c->machine, err);
    free(text);
    if (rc != PLAN_ENOMEM) plani_clear(err);
    return rc == PLAN_ENOMEM ? rc : PLAN_OK;
}

static plan_status_t open_platform(const char *text, size_t len, const char *path, int root, content_t *c,
                                   plan_error_t *err)
{
    plan_status_t rc = plan_platform_parse(text, len, path, &c->on.pf, err);
    plani_json_t doc;

    if (rc == PLAN_OK && root >= plan_platform_data(c->on.pf)->ranks)
        rc = plani_fail(err, PLAN_EINVAL, "report: --root %d: %s has the ranks 0 to %d", root, path,
                        plan_platform_data(c->on.pf)->ranks - 1);
    if (rc != PLAN_OK || text[strspn(text, " \t\r\n")] == '<') return rc; /* GraphML says no more */
    if ((rc = plani_json_load(text, len, path, err, &doc)) != PLAN_OK) return rc;
    c->document = doc.value;
    return take_machine(c, path, err);
}

static bool is_plan(const char *text)
{
    return strstr(text, "\"planbcast-plan\"") != NULL;
}

/* ---- the plan ---- */

/* Message sizes from the largest down, each an eighth of the next. */
static size_t sizes(size_t bytes, size_t size[PLANI_SIZES])
{
    enum { STEP = 8 };
    size_t n = 0, part = 1;

    while (bytes / part / STEP >= STEP) part *= STEP;
    for (; part > 1; part /= STEP) size[n++] = bytes / part;
    size[n++] = bytes;
    return n;
}

static plan_status_t decide(const settings_t *s, int root, size_t bytes, content_t *c, plan_error_t *err)
{
    plan_choice_t choice = {.size = sizeof choice};
    plani_request_t request = {.pf = c->on.pf,
                               .root = root,
                               .choice = &choice,
                               .hosts = c->on.hosts,
                               .sparse = c->on.sparse,
                               .reduces = reduces(c),
                               .combine_s_per_byte = combining(s)};

    request.n = request.complete = sizes(bytes, request.bytes);
    return (plan_status_t)plani_decide(&request, &c->decision, err);
}

static plan_status_t choose_of_plan(const settings_t *s, size_t bytes, content_t *c, plan_error_t *err)
{
    plan_status_t rc = plani_candidate_copy(plan_chosen(c->plan, bytes), &c->chosen);

    if (rc != PLAN_OK) return plani_fail(err, rc, "out of memory for the trees of %d ranks", plan_data(c->plan)->ranks);
    plani_candidate_narrow(&c->chosen, bytes);
    if (c->plan->note[plani_plan_index(c->plan, bytes)].at_bytes != bytes) c->chosen.predicted_s = NAN; /* of another */
    if (c->on.pf != NULL && plan_platform_data(c->on.pf)->ranks != plan_data(c->plan)->ranks)
        return plani_fail(err, PLAN_EMISMATCH, "%s and %s: the plan is for %d ranks and the platform has %d", s->path,
                          s->platform, plan_data(c->plan)->ranks, plan_platform_data(c->on.pf)->ranks);
    return PLAN_OK;
}

/* ---- the page ---- */

static plan_status_t write_page(const settings_t *s, size_t bytes, const content_t *c, char **html)
{
    const plani_decision_t *d = &c->decision;
    plani_report_t r = {.subject = s->path,
                        .command = s->command.s,
                        .machine = c->machine,
                        .pf = c->on.pf,
                        .plan = c->plan != NULL ? c->plan : d->plan,
                        .bytes = bytes,
                        .nrankings = d->n,
                        .ranking = d->ranking,
                        .combine_s_per_byte = combining(s)};

    if (c->plan != NULL)
        r.chosen = &c->chosen;
    else if (d->n > 0 && d->ranking[d->n - 1]->ncandidates > 0)
        r.chosen = &d->ranking[d->n - 1]->candidate[0];
    r.provenance = c->machine != NULL ? c->machine->provenance : json_object_get(c->document, "provenance");
    return plani_report_html(&r, html);
}

static plan_status_t open_machine(const char *path, int root, content_t *c, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, err);

    if (rc == PLAN_OK && plani_cluster_is_one(text))
        rc = open_cluster(text, len, path, root, c, err);
    else if (rc == PLAN_OK)
        rc = open_platform(text, len, path, root, c, err);
    free(text);
    return rc;
}

static plan_status_t open_plan(const settings_t *s, const char *text, size_t len, content_t *c, plan_error_t *err)
{
    plan_status_t rc = plan_parse(text, len, s->path, &c->plan, err);

    if (rc == PLAN_OK && s->root >= 0)
        rc = plani_fail(err, PLAN_EINVAL, "report: --root %d: %s is a plan, whose root is rank %d", s->root, s->path,
                        plan_data(c->plan)->root);
    if (rc == PLAN_OK && s->platform != NULL) rc = open_machine(s->platform, plan_data(c->plan)->root, c, err);
    return rc;
}

static plan_status_t make(const settings_t *s, const char *text, size_t len, char **html, plan_error_t *err)
{
    enum { USUAL = 4 << 20 };
    content_t c = {.machine = NULL};
    int root = s->root >= 0 ? s->root : 0;
    plan_status_t rc;

    if (is_plan(text))
        rc = open_plan(s, text, len, &c, err);
    else if (s->platform != NULL)
        rc = plani_fail(err, PLAN_EINVAL, "report: --platform goes with a plan, and %s is none", s->path);
    else
        rc = open_machine(s->path, root, &c, err);
    if (rc == PLAN_OK && s->combine > 0 && !reduces(&c))
        rc = plani_fail(err, PLAN_EINVAL, "report: --combine goes with a plan of reductions, and %s is none", s->path);
    if (rc == PLAN_OK && c.plan != NULL) root = plan_data(c.plan)->root;
    size_t bytes = s->bytes != SIZE_MAX ? s->bytes : cli_largest(c.plan, USUAL);
    if (rc == PLAN_OK && c.plan != NULL) rc = choose_of_plan(s, bytes, &c, err);
    if (rc == PLAN_OK && c.on.pf != NULL) rc = decide(s, root, bytes, &c, err);
    if (rc == PLAN_OK && (rc = write_page(s, bytes, &c, html)) != PLAN_OK)
        plani_fail(err, rc, "out of memory for the page");
    clear(&c);
    return rc;
}

static int report(const cli_t *cli, const settings_t *s)
{
    char *text = NULL, *html = NULL;
    size_t len = 0;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_read_file(s->path, PLANI_MAX_FILE, &text, &len, &err);

    if (rc == PLAN_OK) rc = make(s, text, len, &html, &err);
    int status = rc == PLAN_OK ? cli_write(cli, s->out, html) : cli_fail_status(cli, rc, &err);
    free(text);
    free(html);
    return status;
}

int command_report(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.bytes = SIZE_MAX, .root = -1, .command = cli_command_line(cli, argc, argv)};
    const cli_option_t option[] = {
        {"o", CLI_TEXT, &s.out, 0, 0, "FILE", "the page; -: to standard output (required)"},
        {"bytes", CLI_SIZE, &s.bytes, 1, 1099511627776., "N", "largest message (default: the plan's largest, else 4M)"},
        cli_root(&s.root),
        {"platform", CLI_TEXT, &s.platform, 0, 0, "FILE",
         "of a plan: the machine, spec, platform or profile it is for"},
        {"combine", CLI_SIZE, &s.combine, 1, 1e18, "BYTES",
         "of a plan of reductions: bytes per second that a rank combines with its own (default: that takes no time)"},
    };
    const cli_command_t cmd = {
        "report",
        "FILE",
        "Write one HTML page on a machine, cluster spec, platform, profile or plan.",
        "The page says in its first sentence what is slow, and what the plan gains. It shows groups, hosts, cards and "
        "trunks, the plan's trees, the ranking over message sizes, a simulated timeline, heat maps of latency and "
        "rate, "
        "and where all figures come from. It is one file, without scripts, and loads nothing. Times are predicted by "
        "the model; `planbcast-mpi run --report` writes the same page with measured ones.",
        "  planbcast report bench/clusters/three-sites.json -o report.html\n"
        "  planbcast report plan.json --platform profile.json -o plan.html",
        option,
        sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, &s.path, 1);
    if (rc != CLI_GO) return rc;
    if (s.out == NULL) return cli_fail(cli, CLI_USAGE, "report: -o FILE is missing: the page, such as report.html");
    if (strcmp(s.out, "-") != 0 && (rc = cli_may_write(cli, s.out)) != CLI_GO) return rc;
    return report(cli, &s);
}
