/* planbcast export to Open MPI, MPICH, UCC, LogGOPSim and SimGrid. */
#include "planner/cli/export_programs.h"
#include "lib/base/base.h"
#include "planner/cli/output.h"
#include "planner/exports/exports.h"
#include "planner/plan/assignment.h"
#include "planner/plan/plan_private.h"
#include "planner/plan/units.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_programs = "ompi-rules, ompi-rules-json, mpich-json, ucc, goal, simgrid or simgrid-hosts";

typedef enum { OMPI_RULES, OMPI_JSON, MPICH_JSON, UCC, GOAL, SIMGRID, SIMGRID_HOSTS, FORMATS } format_t;

static const struct {
    const char *name;
    const plani_target_t *target, *reducing; /* of rules for broadcasts, and for reductions */
} formats[FORMATS] = {{"ompi-rules", &plani_open_mpi, &plani_open_mpi_reduce},
                      {"ompi-rules-json", &plani_open_mpi, &plani_open_mpi_reduce},
                      {"mpich-json", &plani_mpich, NULL},
                      {"ucc", &plani_ucc, NULL},
                      {"goal", NULL, NULL},
                      {"simgrid", NULL, NULL},
                      {"simgrid-hosts", NULL, NULL}};

static format_t format_of(const char *name)
{
    int k = 0;
    while (k < FORMATS && strcmp(formats[k].name, name) != 0) k++;
    return (format_t)k;
}

bool cli_is_program(const char *format)
{
    return format_of(format) != FORMATS;
}

/* What the file is: a plan, or what plans are made of. Zero-initialise. */
typedef struct {
    plan_t *plan;
    plani_source_t source; /* with a plan: of --platform, if that is given */
    char *text;
} input_t;

static void input_clear(input_t *in)
{
    plan_destroy(&in->plan);
    plani_source_clear(&in->source);
    free(in->text);
    in->text = NULL;
}

static int read_source(const cli_t *cli, const char *path, plani_source_t *out)
{
    char *text = NULL;
    size_t len = 0;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, &err);
    if (rc == PLAN_OK) rc = plani_source_parse(text, len, path, out, &err);
    free(text);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

static int check_ranks(const cli_t *cli, const cli_export_t *s, const input_t *in)
{
    int planned = plan_data(in->plan)->ranks;
    if (in->source.ranks == 0 || in->source.ranks == planned) return CLI_GO;
    return cli_fail(cli, CLI_USAGE, "%s and %s: the plan is for %d ranks and the platform has %d", s->input,
                    s->platform, planned, in->source.ranks);
}

size_t cli_export_bytes(const cli_export_t *s, const plan_t *plan)
{
    enum { USUAL = 16 << 20 };
    return s->bytes != SIZE_MAX ? s->bytes : cli_largest(plan, USUAL);
}

int cli_export_check(const cli_t *cli, const cli_export_t *s)
{
    format_t format = format_of(s->format);
    bool rules = format != FORMATS && formats[format].target != NULL;
    if (s->base != NULL && format != MPICH_JSON)
        return cli_fail(cli, CLI_USAGE, "export: --base belongs to mpich-json");
    if (s->coordinates != NULL && format != MPICH_JSON)
        return cli_fail(cli, CLI_USAGE, "export: --coordinates belongs to mpich-json");
    if (s->sizes != NULL && !rules) return cli_fail(cli, CLI_USAGE, "export: --sizes %s belongs to rules", s->sizes);
    if (s->release != NULL && format != OMPI_RULES && format != MPICH_JSON)
        return cli_fail(cli, CLI_USAGE, "export: --release %s belongs to ompi-rules and mpich-json", s->release);
    return CLI_GO;
}

int cli_export_reduces(const cli_t *cli, const cli_export_t *s, const plan_t *plan, bool *reduces)
{
    bool asked = false;
    int status = s->operation != NULL ? cli_operation(cli, "export", s->operation, &asked) : CLI_GO;
    if (status != CLI_GO) return status;
    *reduces = plan != NULL ? plan_data(plan)->reduces : asked;
    if (s->operation != NULL && *reduces != asked)
        return cli_fail(cli, CLI_USAGE, "export: --operation %s: the plan %s is of %s", s->operation, s->input,
                        *reduces ? "reductions" : "broadcasts");
    if (plan != NULL && s->root >= 0 && s->root != plan_data(plan)->root)
        return cli_fail(cli, CLI_USAGE, "export: --root %d: the plan %s is for root %d", s->root, s->input,
                        plan_data(plan)->root);
    if (s->combine > 0 && !*reduces)
        return cli_fail(cli, CLI_USAGE, "export: --combine is for reductions: add --operation reduce");
    return CLI_GO;
}

static int read_input(const cli_t *cli, const cli_export_t *s, input_t *in)
{
    size_t len = 0;
    bool reduces = false;
    plan_error_t err = {PLAN_OK, ""};
    int status = CLI_GO;
    plan_status_t rc = plani_read_file(s->input, PLANI_MAX_FILE, &in->text, &len, &err);

    if (rc == PLAN_OK && strstr(in->text, "\"planbcast-plan\"") == NULL)
        rc = plani_source_parse(in->text, len, s->input, &in->source, &err);
    else if (rc == PLAN_OK)
        rc = plan_parse(in->text, len, s->input, &in->plan, &err);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    if (in->plan == NULL && s->platform != NULL)
        return cli_fail(cli, CLI_USAGE, "export: --platform belongs to a plan, and %s is none", s->input);
    if ((status = cli_export_reduces(cli, s, in->plan, &reduces)) != CLI_GO) return status;
    if (s->platform != NULL) status = read_source(cli, s->platform, &in->source);
    in->source.reduces = reduces;
    in->source.combine_s_per_byte = s->combine > 0 ? 1 / (double)s->combine : 0;
    return status == CLI_GO && in->plan != NULL ? check_ranks(cli, s, in) : status;
}

static int root_of(const cli_export_t *s, const input_t *in)
{
    return in->plan != NULL ? plan_data(in->plan)->root : s->root >= 0 ? s->root : 0;
}

/* ---- rules ---- */

static bool read_ranks(const char *text, size_t *ranks)
{
    enum { DIGITS = 11 };
    uint64_t value = 0;
    if (strlen(text) > DIGITS || !plani_read_whole(text, &value)) return false;
    *ranks = (size_t)value;
    return true;
}

/* Numbers of ranks in a list "2,4,8", ascending; 0: it is none. */
static size_t read_sizes(const char *list, int most_ranks, int size[PLANI_COMMUNICATORS])
{
    size_t number[PLANI_COMMUNICATORS];
    size_t n = cli_ascending(list, read_ranks, 2, (size_t)most_ranks, PLANI_COMMUNICATORS, number);
    for (size_t i = 0; i < n; i++) size[i] = (int)number[i];
    return n;
}

/* Powers of two, and all ranks; of large clusters all ranks alone. */
static size_t usual_sizes(const plani_source_t *source, int root, int *size)
{
    bool parts = source->cluster == NULL || source->ranks <= PLANI_PAIRED_RANKS;
    size_t n = 0;
    for (int p = 2; parts && p < source->ranks && n + 1 < PLANI_COMMUNICATORS; p *= 2)
        if (p > root) size[n++] = p;
    size[n++] = source->ranks;
    return n;
}

static int find_sizes(const cli_t *cli, const cli_export_t *s, const plani_source_t *source, int root, int *size,
                      size_t *n)
{
    if (source->ranks < 2)
        return cli_fail(cli, CLI_USAGE, "%s has one rank: there is nothing to %s", source->file,
                        source->reduces ? "reduce" : "broadcast");
    if (root >= source->ranks)
        return cli_fail(cli, CLI_USAGE, "export: --root %d: %s has the ranks 0 to %d", root, source->file,
                        source->ranks - 1);
    *n = s->sizes != NULL ? read_sizes(s->sizes, source->ranks, size) : usual_sizes(source, root, size);
    if (*n == 0)
        return cli_fail(cli, CLI_USAGE,
                        "export: --sizes %s: give up to %d ascending numbers of ranks from 2 to %d, such "
                        "as 4,8",
                        s->sizes, (int)PLANI_COMMUNICATORS, source->ranks);
    if (size[0] <= root)
        return cli_fail(cli, CLI_USAGE, "export: --sizes %s: the root is rank %d; give sizes beyond", s->sizes, root);
    return CLI_GO;
}

/* Release X.Y.Z as a number: X * 10000 + Y * 100 + Z. 0: not given; -1: it is none. What follows is ignored. */
static int release_of(const char *release)
{
    int number = 0;
    for (int i = 0; i < 3 && release != NULL; i++) {
        char *end = NULL;
        long part = *release >= '0' && *release <= '9' ? strtol(release, &end, 10) : -1;
        if (i == 0 && (part < 0 || part > 99)) return -1;
        number = number * 100 + (part >= 0 && part <= 99 ? (int)part : 0);
        release = end == NULL ? "" : *end == '.' ? end + 1 : end;
    }
    return number;
}

/* Of classic rules: 2 from Open MPI 5.0.7 on. */
static int rules_version(const char *release)
{
    return release_of(release) >= 50007 ? 2 : 1;
}

static const plani_target_t *target_of(const cli_export_t *s, bool reduces)
{
    int release = release_of(s->release);
    if (reduces) return formats[format_of(s->format)].reducing;
    if (s->coordinates != NULL) return &plani_mpich_aware;
    if (format_of(s->format) == MPICH_JSON && release > 0 && release < 40100) return &plani_mpich_before_trees;
    return formats[format_of(s->format)].target;
}

static int check_release(const cli_t *cli, const cli_export_t *s)
{
    format_t format = format_of(s->format);
    if (s->release != NULL && release_of(s->release) <= 0)
        return cli_fail(cli, CLI_USAGE, "export: --release %s: give one such as 5.0.7", s->release);
    if (s->coordinates != NULL && s->release != NULL &&
        (release_of(s->release) < 40100 || release_of(s->release) >= 40300))
        return cli_fail(cli, CLI_USAGE,
                        "export: --coordinates and --release %s: selections may hold trees by topology in 4.1 and 4.2",
                        s->release);
    if (format == OMPI_RULES && release_of(s->release) >= 60000)
        return cli_fail(cli, CLI_USAGE,
                        "export: --release %s: Open MPI 6 takes classic rules for other communicator sizes; export to "
                        "ompi-rules-json",
                        s->release);
    return CLI_GO;
}

/* What is lost, on the error stream: the file may go to a program that takes no comments. */
static void tell_loss(const cli_t *cli, const plani_rules_t *rules)
{
    int ranks = 0;
    const plani_rule_t *worst = plani_rules_worst(rules, &ranks);
    if (cli->err == NULL || worst == NULL) return;
    fprintf(cli->err, "%s: by the model %s takes up to %.2f times as long as the plan (%d ranks, %s: %s, not %s)\n",
            cli->tool, rules->target->name, plani_rule_factor(worst), ranks, plani_bytes((double)worst->at).s,
            plani_doing(worst).s, worst->plan);
}

static int put_mpich(const cli_t *cli, const cli_export_t *s, const plani_rules_t *rules, char **text)
{
    plan_error_t err = {PLAN_OK, ""};
    char *base = NULL;
    size_t len = 0;
    plan_status_t rc = PLAN_OK;

    if (s->base != NULL) rc = plani_read_file(s->base, PLANI_MAX_FILE, &base, &len, &err);
    if (rc == PLAN_OK) rc = plani_put_mpich_json(rules, base, len, s->base, text, &err);
    free(base);
    if (rc == PLAN_OK && s->base == NULL && cli->err != NULL)
        fprintf(
            cli->err,
            "%s: it selects broadcasts alone, without which of the others MPICH does not start; --base FILE has them\n",
            cli->tool);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

static int put_rules(const cli_t *cli, const cli_export_t *s, const plani_rules_t *rules, char **text)
{
    plani_text_t to = {0};
    format_t format = format_of(s->format);
    if (format == MPICH_JSON) return put_mpich(cli, s, rules, text);
    if (format == OMPI_RULES) plani_put_open_mpi_rules(rules, rules_version(s->release), &to);
    if (format == OMPI_JSON) plani_put_open_mpi_json(rules, &to);
    if (format == UCC) plani_put_ucc(rules, &to);
    plan_status_t rc = plani_text_take(&to, text);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, NULL);
}

/* The file for MPICH, of all ranks. */
static int write_coordinates(const cli_t *cli, const cli_export_t *s, plani_source_t *source, int root)
{
    plani_described_t on;
    plani_text_t to = {0};
    plan_error_t err = {PLAN_OK, ""};
    char *text = NULL;
    plan_status_t rc = plani_source_platform(source, source->ranks, root, &on, &err);

    if (rc == PLAN_OK) plani_put_coordinates(plan_platform_data(on.pf), &to);
    if (rc == PLAN_OK) rc = plani_text_take(&to, &text);
    int status = rc == PLAN_OK ? cli_write(cli, s->coordinates, text) : cli_fail_status(cli, rc, &err);
    plani_described_clear(&on);
    free(text);
    return status;
}

static int export_rules(const cli_t *cli, const cli_export_t *s, input_t *in, char **text)
{
    int size[PLANI_COMMUNICATORS], root = root_of(s, in), status;
    size_t n = 0;
    plani_rules_t rules = {.n = 0};
    plan_choice_t choice = {.size = sizeof choice};
    plan_error_t err = {PLAN_OK, ""};

    if (in->source.ranks == 0)
        return cli_fail(cli, CLI_USAGE,
                        "export: %s chooses among broadcasts that a plan does not hold; --platform FILE names what %s "
                        "was made for",
                        s->format, s->input);
    if ((status = check_release(cli, s)) != CLI_GO) return status;
    if (target_of(s, in->source.reduces) == NULL)
        return cli_fail(cli, CLI_USAGE,
                        "export: %s is for broadcasts; rules for reductions are written to ompi-rules "
                        "and ompi-rules-json",
                        s->format);
    if ((status = find_sizes(cli, s, &in->source, root, size, &n)) != CLI_GO) return status;
    plan_status_t rc = plani_rules_create(&in->source, target_of(s, in->source.reduces), root,
                                          cli_export_bytes(s, in->plan), n, size, &choice, &rules, &err);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    status = put_rules(cli, s, &rules, text);
    if (status == CLI_GO && s->coordinates != NULL &&
        (status = write_coordinates(cli, s, &in->source, root)) == CLI_DONE)
        status = CLI_GO;
    if (status == CLI_GO) tell_loss(cli, &rules);
    plani_rules_clear(&rules);
    return status;
}

/* ---- GOAL ---- */

/* As the executor runs it: trees without a slice are left out. `source`: whether it is a reduction. */
static plan_status_t put_goal(const plan_candidate_t *chosen, const plani_source_t *source, int ranks, int root,
                              size_t bytes, char **text, plan_error_t *err)
{
    plan_candidate_t c;
    plani_text_t to = {0};
    plan_status_t rc = plani_candidate_copy(chosen, &c);
    if (rc != PLAN_OK) return plani_fail(err, rc, "out of memory for the trees of %d ranks", ranks);
    plani_candidate_narrow(&c, bytes);
    rc = source->reduces ? plani_put_goal_reduction(&c, ranks, root, bytes, source->combine_s_per_byte, &to, err)
                         : plani_put_goal(&c, ranks, root, bytes, &to, err);
    plani_candidate_clear(&c);
    plan_status_t taken = plani_text_take(&to, text);
    if (rc == PLAN_OK) return taken;
    if (taken == PLAN_OK) free(*text), *text = NULL;
    return rc;
}

static plan_status_t goal_of_source(plani_source_t *source, int root, size_t bytes, char **text, plan_error_t *err)
{
    plani_described_t on;
    plani_decision_t d;
    plan_choice_t choice = {.size = sizeof choice};
    plan_status_t rc = plani_source_platform(source, source->ranks, root, &on, err);
    if (rc != PLAN_OK) return rc;
    plani_request_t request = {.pf = on.pf,
                               .root = root,
                               .choice = &choice,
                               .n = 1,
                               .bytes = {bytes},
                               .hosts = on.hosts,
                               .sparse = on.sparse,
                               .reduces = source->reduces,
                               .combine_s_per_byte = source->combine_s_per_byte};
    rc = (plan_status_t)plani_decide(&request, &d, err);
    if (rc == PLAN_OK) rc = put_goal(&d.ranking[0]->candidate[0], source, source->ranks, root, bytes, text, err);
    plani_decision_clear(&d);
    plani_described_clear(&on);
    return rc;
}

static int export_goal(const cli_t *cli, const cli_export_t *s, input_t *in, char **text)
{
    plan_error_t err = {PLAN_OK, ""};
    size_t bytes = cli_export_bytes(s, in->plan);
    plan_status_t rc;

    if (in->plan == NULL && s->bytes == SIZE_MAX)
        return cli_fail(cli, CLI_USAGE, "export: goal is for one message size: give --bytes");
    if (in->plan == NULL)
        rc = goal_of_source(&in->source, root_of(s, in), bytes, text, &err);
    else
        rc = put_goal(plan_chosen(in->plan, bytes), &in->source, plan_data(in->plan)->ranks, plan_data(in->plan)->root,
                      bytes, text, &err);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

/* ---- SimGrid ---- */

static int export_simgrid(const cli_t *cli, const cli_export_t *s, const input_t *in, char **text)
{
    plani_text_t to = {0};
    if (in->source.cluster == NULL)
        return cli_fail(cli, CLI_USAGE,
                        "export: SimGrid's platform is made of hosts and trunks, which %s does not describe; "
                        "give a machine or a cluster spec",
                        s->platform != NULL ? s->platform : s->input);
    (format_of(s->format) == SIMGRID ? plani_put_simgrid : plani_put_hosts)(in->source.cluster, &to);
    plan_status_t rc = plani_text_take(&to, text);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, NULL);
}

int cli_export_program(const cli_t *cli, const cli_export_t *s, char **text)
{
    input_t in = {.plan = NULL};
    format_t format = format_of(s->format);
    int status;
    if (s->coordinates != NULL && (status = cli_may_write(cli, s->coordinates)) != CLI_GO) return status;
    status = read_input(cli, s, &in);
    if (status == CLI_GO)
        status = formats[format].target != NULL ? export_rules(cli, s, &in, text)
                 : format == GOAL               ? export_goal(cli, s, &in, text)
                                                : export_simgrid(cli, s, &in, text);
    input_clear(&in);
    return status;
}
