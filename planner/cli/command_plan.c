/* planbcast plan: the ranking for one message size, and a plan file for all sizes up to it. */
#include "planner/cli/commands.h"
#include "planner/algorithms/context.h"
#include "planner/algorithms/described.h"
#include "graphs/generate/sites.h"
#include "planner/cli/output.h"
#include "planner/cli/proof.h"
#include "planner/literature/models.h"
#include "planner/plan/plan_private.h"
#include "planner/select/decide.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROOF_S 10.0 /* [s] for a proof, where no time limit is given */

typedef struct {
    const char *path, *slice, *out;
    size_t bytes;
    int root;
    bool json, prove, reduces;
    size_t combine; /* [B/s] that a rank combines; 0: takes no time */
    plan_choice_t choice;
    lit_model_t model; /* where choice.scorer is set */
    double start;      /* of the command [s] */
} settings_t;

static int print_json(const cli_t *cli, const settings_t *s, const plan_ranking_t *ranking,
                      const plani_proved_t *proved, const char *bottleneck)
{
    json_t *all = cli_json_ranking(ranking);
    if (all != NULL && s->reduces) json_object_set_new(all, "operation", json_string("reduce"));
    if (all != NULL && bottleneck != NULL) json_object_set_new(all, "bottleneck", json_string(bottleneck));
    if (all != NULL && proved->tree != NULL) json_object_set_new(all, "single_tree", cli_json_proof(proved));
    return cli_print_json(cli, "planbcast-ranking", all);
}

static void print_table(const cli_t *cli, const settings_t *s, const plan_platform_t *pf, const plan_ranking_t *ranking,
                        const plani_proved_t *proved, const char *bottleneck)
{
    const plan_candidate_t *first = ranking->ncandidates > 0 ? &ranking->candidate[0] : NULL;
    const plani_quantity_t bytes = plani_bytes((double)s->bytes);
    if (s->reduces)
        fprintf(cli->out, "reduction of %s to rank %d of %d ranks\n", bytes.s, s->root, ranking->ranks);
    else
        fprintf(cli->out, "broadcast of %s from rank %d to %d ranks\n", bytes.s, s->root, ranking->ranks);
    if (ranking->ranks > 1) cli_print_bound(cli->out, ranking);
    if (proved->tree != NULL) cli_print_proof(cli->out, proved);
    fprintf(cli->out, "\n");
    cli_print_ranking(cli->out, ranking);
    if (first == NULL || !plani_is_sent(first)) return;
    fprintf(cli->out, "\nchosen: %s%s\n", first->name,
            s->reduces ? "; each rank sends what it has combined to the rank above it" : "");
    if (bottleneck != NULL) fprintf(cli->out, "bottleneck: %s\n", bottleneck);
    cli_print_trees(cli->out, first, pf, s->reduces);
}

static int print_ranking(const cli_t *cli, const settings_t *s, const plan_platform_t *pf,
                         const plan_ranking_t *ranking, const plani_proved_t *proved)
{
    char *bottleneck = NULL;
    plan_status_t rc =
        ranking->ncandidates > 0 ? plani_bottleneck_text(pf, &ranking->candidate[0], s->bytes, &bottleneck) : PLAN_OK;
    int status = rc == PLAN_OK ? CLI_DONE : cli_fail_status(cli, rc, NULL);
    if (rc == PLAN_OK && s->json)
        status = print_json(cli, s, ranking, proved, bottleneck);
    else if (rc == PLAN_OK)
        print_table(cli, s, pf, ranking, proved, bottleneck);
    free(bottleneck);
    return status;
}

static bool to_stdout(const settings_t *s)
{
    return s->out != NULL && strcmp(s->out, "-") == 0;
}

/* The plan file, or the plan instead of the ranking where it goes to standard output. */
static int write_plan(const cli_t *cli, const settings_t *s, const plan_t *plan)
{
    char *text = NULL;
    plan_status_t rc = plan_to_json(plan, &text);
    int status = rc == PLAN_OK ? cli_write(cli, s->out, text) : cli_fail_status(cli, rc, NULL);
    free(text);
    return status;
}

/* What is left of the command's time limit, which reading counts against, too. */
static plan_choice_t within_limit(const settings_t *s)
{
    plan_choice_t choice = s->choice;
    if (choice.time_limit_s > 0) choice.time_limit_s = fmax(1e-3, s->start + s->choice.time_limit_s - plani_now());
    return choice;
}

/* [s/B] */
static double combining(const settings_t *s)
{
    return s->combine > 0 ? 1 / (double)s->combine : 0;
}

/* The optimum of single trees at the slice size asked for, or else at that of the first candidate. */
static int prove(const cli_t *cli, const settings_t *s, const plani_described_t *on, const plan_ranking_t *ranking,
                 plani_proved_t *proved)
{
    plan_error_t err = {PLAN_OK, ""};
    size_t slice = s->choice.slice > 0 ? s->choice.slice : ranking->ncandidates > 0 ? ranking->candidate[0].slice : 0;
    double limit = s->choice.time_limit_s > 0 ? within_limit(s).time_limit_s : PROOF_S;
    if (slice == 0 || slice > s->bytes) slice = s->bytes > 0 ? s->bytes : 1;
    plan_status_t rc = s->reduces
                           ? plani_prove_reduction(on->pf, s->root, combining(s), (double)slice, limit, proved, &err)
                           : plani_prove_tree(on->pf, s->root, (double)slice, limit, proved, &err);
    return rc == PLAN_OK ? CLI_DONE : cli_fail_status(cli, rc, &err);
}

static int plan_on(const cli_t *cli, const settings_t *s, const plani_described_t *on)
{
    plan_error_t err = {PLAN_OK, ""};
    plan_choice_t choice = within_limit(s);
    plani_request_t request = {.pf = on->pf,
                               .root = s->root,
                               .choice = &choice,
                               .n = 1,
                               .bytes = {s->bytes},
                               .complete = 1,
                               .hosts = on->hosts,
                               .sparse = on->sparse,
                               .reduces = s->reduces,
                               .combine_s_per_byte = combining(s)};
    plani_decision_t decision;
    plani_proved_t proved = {.tree = NULL};
    int status = CLI_DONE;

    if (s->out != NULL) request.n = plani_ladder(s->bytes, request.bytes);
    plan_status_t rc = (plan_status_t)plani_decide(&request, &decision, &err);
    if (rc != PLAN_OK) status = cli_fail_status(cli, rc, &err);
    if (s->prove && status == CLI_DONE) status = prove(cli, s, on, decision.ranking[decision.n - 1], &proved);
    if (s->out != NULL && status == CLI_DONE) status = write_plan(cli, s, decision.plan);
    if (status == CLI_DONE && !to_stdout(s))
        status = print_ranking(cli, s, on->pf, decision.ranking[decision.n - 1], &proved);
    if (status == CLI_DONE && s->out != NULL && !s->json && !to_stdout(s))
        fprintf(cli->out, "\nplan of %zu size range%s written to %s\n", plan_data(decision.plan)->nranges,
                plan_data(decision.plan)->nranges == 1 ? "" : "s", s->out);
    plan_tree_destroy(&proved.tree);
    plani_decision_clear(&decision);
    return status;
}

/* Whether there is such a root, and the plan can be written. */
static int check(const cli_t *cli, const settings_t *s, int ranks)
{
    if (s->root >= ranks)
        return cli_fail(cli, CLI_USAGE, "plan: --root %d: %s has the ranks 0 to %d", s->root, s->path, ranks - 1);
    return to_stdout(s) ? CLI_GO : cli_may_write(cli, s->out);
}

static int plan_platform(const cli_t *cli, const settings_t *s, const char *text, size_t len)
{
    plani_described_t on = {.hosts = NULL};
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plan_platform_parse(text, len, s->path, &on.pf, &err);
    int status = rc != PLAN_OK ? cli_fail_status(cli, rc, &err) : check(cli, s, plan_platform_data(on.pf)->ranks);
    if (status == CLI_GO) status = plan_on(cli, s, &on);
    plani_described_clear(&on);
    return status;
}

static int plan_cluster(const cli_t *cli, const settings_t *s, const char *text, size_t len)
{
    plani_cluster_t *c = NULL;
    plani_described_t on = {.hosts = NULL};
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_cluster_parse(text, len, s->path, &c, &err);
    int status = rc != PLAN_OK ? cli_fail_status(cli, rc, &err) : check(cli, s, c->ranks);
    if (status == CLI_GO && !s->reduces && s->prove && c->ranks > PLANI_PAIRED_RANKS)
        status = cli_fail(cli, CLI_USAGE, "plan: --prove: %s has %d ranks: proofs are for up to %d, or platforms",
                          s->path, c->ranks, PLANI_PAIRED_RANKS);
    bool pairs = c != NULL && c->ranks > PLANI_PAIRED_RANKS && !plani_is_for_sparse(&s->choice);
    if (status == CLI_GO && (s->reduces || pairs)) /* reductions: trees are found with all links reversed */
        rc = plani_cluster_platform(c, &on.pf, &err);
    else if (status == CLI_GO)
        rc = plani_described_create(c, s->root, &on, &err);
    if (status == CLI_GO && rc != PLAN_OK) status = cli_fail_status(cli, rc, &err);
    if (status == CLI_GO) status = plan_on(cli, s, &on);
    plani_described_clear(&on);
    plani_cluster_destroy(&c);
    return status;
}

static int plan_file(const cli_t *cli, const settings_t *s)
{
    char *text = NULL;
    size_t len = 0;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_read_file(s->path, PLANI_MAX_FILE, &text, &len, &err);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    int status = (plani_cluster_is_one(text) ? plan_cluster : plan_platform)(cli, s, text, len);
    free(text);
    return status;
}

/* Models of the literature are scorers to the planner. */
static int find_model(const cli_t *cli, settings_t *s)
{
    const char *name = s->choice.model;
    if (name == NULL || strcmp(name, "simulation") == 0 || strcmp(name, "taulop") == 0) return CLI_GO;
    if (lit_model_from_name(name, &s->model) != PLAN_OK)
        return cli_fail(cli, CLI_USAGE, "plan: --model %.40s; known: simulation, taulop, hockney, loggp, plogp", name);
    s->choice.model = NULL;
    s->choice.scorer = lit_scorer;
    s->choice.scorer_context = &s->model;
    return CLI_GO;
}

int command_plan(const cli_t *cli, int argc, char **argv)
{
    const char *operation = "broadcast";
    settings_t s = {.slice = "auto", .bytes = SIZE_MAX, .choice = {.size = sizeof s.choice}, .start = plani_now()};
    const cli_option_t option[] = {
        {"bytes", CLI_SIZE, &s.bytes, 0, 0, "N", "message size; K, M, G are powers of 1024 (required)"},
        cli_root(&s.root),
        {"operation", CLI_TEXT, &operation, 0, 0, "NAME",
         "broadcast (default) or reduce: a reduction to the root, for plan_reduce_execute"},
        {"combine", CLI_SIZE, &s.combine, 1, 1e18, "BYTES",
         "of a reduction: bytes per second that a rank combines with its own (default: that takes no time)"},
        {"slice", CLI_TEXT, &s.slice, 0, 0, "BYTES|auto",
         "slice size; auto (default) tries powers of two; scatter-* have none"},
        cli_window(&s.choice),
        {"model", CLI_TEXT, &s.choice.model, 0, 0, "NAME",
         "performance model: taulop, or simulation (default): of the best by taulop; models of the "
         "literature, for comparison: hockney, loggp, plogp"},
        cli_only(&s.choice),
        {"seed", CLI_SEED, &s.choice.seed, 0, 0, "S", "of the local search (default 1)"},
        {"time-limit", CLI_REAL, &s.choice.time_limit_s, 0, 1e9, "S", "stop improving after about S seconds"},
        {"prove", CLI_FLAG, &s.prove, 0, 0, NULL,
         "prove how much a single tree sustains within the platform's model, by branch and bound for up to 10 s "
         "(or what is left of --time-limit)"},
        {"o", CLI_TEXT, &s.out, 0, 0, "PLAN", "write a plan file for all sizes up to N (-: instead of the table)"},
        {"json", CLI_FLAG, &s.json, 0, 0, NULL, "print bound, chosen and candidates"},
    };
    const cli_command_t cmd = {
        "plan",
        "PLATFORM|SPEC",
        "Score every candidate for a message size, best first, and choose.",
        "PLATFORM is a platform or a measured profile. SPEC is a cluster spec or machine file of any number of\n"
        "ranks. For more than 64 ranks the candidates are trees over hosts and those of MPI libraries, if no\n"
        "others are named; the bound is that of all pairs of ranks, or of the machine.\n"
        "Several trees, and rounds, have to be predicted faster by some percent to come before a single tree.\n"
        "A reduction along a tree is a broadcast in reverse: it is planned on the platform with all links reversed, "
        "by trees alone. Bottlenecks are named as in PLATFORM or SPEC.",
        "  planbcast plan three-sites.json --bytes 4M\n"
        "  planbcast plan bench/clusters/simulated/1024-ranks.json --bytes 16M\n"
        "  planbcast plan profile.json --bytes 64M --root 3 --slice 128K -o plan.json\n"
        "  planbcast plan random.json --bytes 1G --only best-tree,grow,ompi-chain --json\n"
        "  planbcast plan random.json --bytes 1G --slice 1M --prove\n"
        "  planbcast plan three-sites.json --bytes 4M --operation reduce --combine 5G -o sum.json",
        option,
        sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, &s.path, 1);

    if (rc != CLI_GO) return rc;
    if (s.bytes == SIZE_MAX) return cli_fail(cli, CLI_USAGE, "plan: --bytes is missing");
    if ((rc = cli_operation(cli, "plan", operation, &s.reduces)) != CLI_GO) return rc;
    if (s.combine > 0 && !s.reduces)
        return cli_fail(cli, CLI_USAGE, "plan: --combine is for reductions: add --operation reduce");
    if (strcmp(s.slice, "auto") != 0 &&
        (!cli_size(s.slice, &s.choice.slice) || s.choice.slice == 0 || s.choice.slice > (size_t)1 << 30))
        return cli_fail(cli, CLI_USAGE, "plan: --slice %s: give auto, or bytes from 1 to 1G, such as 64K", s.slice);
    if (s.json && to_stdout(&s))
        return cli_fail(cli, CLI_USAGE, "plan: --json and -o -: standard output takes one of them; name a file");
    if (s.prove && to_stdout(&s))
        return cli_fail(cli, CLI_USAGE, "plan: --prove and -o -: standard output has room for the plan alone");
    if ((rc = find_model(cli, &s)) != CLI_GO) return rc;
    return plan_file(cli, &s);
}
