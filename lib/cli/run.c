/* The main job: measure, plan, time the finalists, broadcast, check every byte, and print the scoreboard. */
#include "lib/cli/tool.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEASURE, PLAN, TIME, RUN, STAGES };
static const char *const stage_name[STAGES] = {"measuring", "planning", "timing finalists",
                                               "broadcasting and checking"};

/* One run on one rank. Boards, profile and platform live on rank 0 alone; the plan lives everywhere. */
typedef struct {
    MPI_Comm comm;
    const cli_t *cli;
    const tool_options_t *opt;
    bool leader;
    int ranks;
    plan_profile_t *profile;
    const plan_platform_t *pf;
    plan_scoreboard_t *board[TOOL_MAX_SIZES]; /* one per message size */
    plan_t *plan;
    tool_row_t row[TOOL_MAX_SIZES];
    double stage_s[STAGES];
    plan_error_t err;
} run_t;

static int load_profile(run_t *r)
{
    int rc = PLAN_OK;
    if (r->leader) {
        rc = plan_profile_load(r->opt->profile, &r->profile, &r->err);
        if (rc == PLAN_OK) {
            int ranks = plan_platform_data(plan_profile_platform(r->profile))->ranks;
            if (ranks != r->ranks) {
                rc = r->err.status = PLAN_EMISMATCH;
                snprintf(r->err.text, sizeof r->err.text, "%s: is of %d ranks, but %d run here; measure again",
                         r->opt->profile, ranks, r->ranks);
            }
        }
    }
    return tool_from_leader(r->comm, rc);
}

static int measure(run_t *r)
{
    plan_options_t o;
    int rc = tool_from_leader(r->comm, plan_options_init(&o, &r->err));
    if (rc != PLAN_OK) return rc;
    if (r->opt->budget_s > 0) o.budget_s = r->opt->budget_s;
    if (r->opt->progress) o.report = tool_progress, o.report_context = r->cli->err;
    o.error = &r->err;
    rc = r->opt->profile != NULL ? load_profile(r) : plan_measure(r->comm, &o, &r->profile);
    if (r->opt->progress) fprintf(r->cli->err, "\r\033[K");
    if (rc != PLAN_OK) return rc;
    if (r->leader) {
        r->pf = plan_profile_platform(r->profile);
        if (r->opt->save != NULL) rc = plan_profile_save(r->profile, r->opt->save, &r->err);
    }
    return tool_from_leader(r->comm, rc);
}

static int plan_on_paper(run_t *r)
{
    int rc = PLAN_OK;
    for (size_t i = 0; r->leader && rc == PLAN_OK && i < r->opt->nsizes; i++)
        rc = plan_scoreboard_create(r->pf, r->opt->root, r->opt->bytes[i], &r->opt->choice, &r->board[i], &r->err);
    return tool_from_leader(r->comm, rc);
}

static bool same_tree(const plan_tree_t *a, const plan_tree_t *b)
{
    for (int u = 0; u < plan_tree_ranks(a); u++) {
        int na, nb;
        const int *ca = plan_tree_children(a, u, &na), *cb = plan_tree_children(b, u, &nb);
        if (na != nb || (na > 0 && memcmp(ca, cb, (size_t)na * sizeof *ca) != 0)) return false;
    }
    return true;
}

/* Two heuristics often find the same tree: time it once. */
static bool same_run(const plan_candidate_t *a, const plan_candidate_t *b)
{
    if (a->run != b->run || a->slice != b->slice || a->window != b->window || a->ntrees != b->ntrees) return false;
    for (size_t k = 0; k < a->ntrees; k++)
        if (a->rate[k] != b->rate[k] || !same_tree(a->tree[k], b->tree[k])) return false;
    return true;
}

static double known_time(const plan_scoreboard_t *sb, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (isfinite(sb->candidate[j].measured_s) && same_run(&sb->candidate[j], &sb->candidate[i]))
            return sb->candidate[j].measured_s;
    return NAN;
}

/* The next candidate to time on this board, -1 when enough are timed; native always is. */
static int next_finalist(plan_scoreboard_t *sb, int *left)
{
    for (size_t i = 0; i < sb->ncandidates; i++) {
        plan_candidate_t *c = &sb->candidate[i];
        if (c->run == PLAN_RUN_NOT || isfinite(c->measured_s)) continue;
        if (c->run == PLAN_RUN_TREES) {
            if (*left <= 0 || !isfinite(c->predicted_s)) continue;
            if (isfinite(c->measured_s = known_time(sb, i))) continue;
            --*left;
        }
        return (int)i;
    }
    return -1;
}

static int time_finalists(run_t *r, size_t s)
{
    int rc = PLAN_OK, left = r->opt->finalists;
    for (;;) {
        int at = r->leader ? next_finalist(r->board[s], &left) : 0;
        if ((rc = MPI_Bcast(&at, 1, MPI_INT, 0, r->comm)) != MPI_SUCCESS || at < 0) break;
        plan_candidate_t *c = r->leader ? &r->board[s]->candidate[at] : NULL;
        double seconds;
        rc = plan_time_candidate(r->comm, r->opt->root, c, r->opt->bytes[s], r->opt->time_s, &seconds);
        if (rc != PLAN_OK) break;
        if (r->leader) c->measured_s = seconds;
    }
    if (r->leader) plan_scoreboard_sort(r->board[s]);
    return rc;
}

/* Ranges around the sizes that were looked at: each reaches to the geometric mean with the next. */
static int make_plan(run_t *r)
{
    plan_range_t range[TOOL_MAX_SIZES];
    plan_t *offline = NULL;
    size_t n = r->opt->nsizes;
    int rc = PLAN_OK;

    if (r->leader) {
        for (size_t i = 0; i < n; i++) {
            range[i].chosen = &r->board[i]->candidate[0];
            range[i].up_to =
                i + 1 < n ? (size_t)sqrt((double)r->opt->bytes[i] * (double)r->opt->bytes[i + 1]) : r->opt->bytes[i];
            if (range[i].up_to < r->opt->bytes[i]) range[i].up_to = r->opt->bytes[i];
        }
        rc = plan_from_ranges(r->ranks, r->opt->root, n, range, plan_platform_data(r->pf)->host, &offline);
        if (rc == PLAN_OK && r->opt->plan_out != NULL) rc = plan_save(offline, r->opt->plan_out, &r->err);
    }
    rc = tool_from_leader(r->comm, rc);
    if (rc == PLAN_OK) rc = plan_bind(r->comm, offline, &r->plan, &r->err);
    plan_destroy(&offline);
    return rc;
}

static int broadcast_and_check(run_t *r)
{
    for (size_t i = 0; i < r->opt->nsizes; i++) {
        int rc = tool_compare(r->comm, r->plan, r->opt->bytes[i], 4 * r->opt->time_s, &r->row[i]);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

static void introduce(const run_t *r)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int len;
    if (r->cli->out == NULL || r->opt->json) return;
    MPI_Get_library_version(version, &len);
    version[strcspn(version, ",\n")] = '\0';
    fprintf(r->cli->out, "planbcast %s, %s: broadcasts from rank %d to %d ranks\n", PLANBCAST_VERSION, version,
            r->opt->root, r->ranks);
    fflush(r->cli->out);
}

static void tell_machine(const run_t *r)
{
    FILE *out = r->cli->out;
    if (out == NULL || r->opt->json) return;
    const plan_platform_data_t *d = plan_platform_data(r->pf);
    fprintf(out, "\n1. The machine, %s in %.2f s: %d ranks on %d host%s in %d site%s\n\n",
            r->opt->profile != NULL ? "loaded" : "measured", r->stage_s[MEASURE], d->ranks, d->hosts,
            d->hosts == 1 ? "" : "s", d->sites, d->sites == 1 ? "" : "s");
    cli_print_platform(out, r->pf);
    fflush(out);
}

static void tell_scoreboard(const run_t *r)
{
    FILE *out = r->cli->out;
    char size[32], rate[32], slice[32], *why = NULL;
    if (out == NULL || r->opt->json) return;
    const plan_scoreboard_t *sb = r->board[r->opt->nsizes - 1];
    fprintf(out, "\n2. The scoreboard for %s; planned in %.2f s, finalists timed in %.2f s\n\n",
            cli_bytes((double)sb->bytes, size), r->stage_s[PLAN], r->stage_s[TIME]);
    if (r->ranks > 1)
        fprintf(out, "  Bound: %s in slices of %s; no broadcast sustains more (certified to %.1g)\n\n",
                cli_rate(sb->bound * (double)sb->bound_slice, rate), cli_bytes((double)sb->bound_slice, slice),
                sb->bound_gap);
    cli_print_scoreboard(out, sb);
    fprintf(out, "\n3. The plan for %s: %s\n\n", size, sb->candidate[0].name);
    if (sb->candidate[0].run == PLAN_RUN_TREES) cli_print_trees(out, &sb->candidate[0], r->pf);
    if (plan_explain(r->plan, r->pf, sb->bytes, &why) == PLAN_OK) fprintf(out, "\n%s", why);
    free(why);
    fflush(out);
}

static void tell_end(const run_t *r)
{
    FILE *out = r->cli->out;
    if (out == NULL || r->opt->json) return;
    fprintf(out, "\n4. The broadcast, by the plan and by MPI_Bcast in turns\n\n");
    tool_print_rows(out, r->row, r->opt->nsizes);
    fprintf(out, "\n  seconds:");
    for (int i = 0; i < STAGES; i++) fprintf(out, "%s %s %.2f", i ? "," : "", stage_name[i], r->stage_s[i]);
    fprintf(out, "\n");
    if (r->opt->save != NULL) fprintf(out, "  profile saved in %s\n", r->opt->save);
    if (r->opt->plan_out != NULL) fprintf(out, "  plan saved in %s\n", r->opt->plan_out);
}

static int tell_json(const run_t *r)
{
    if (r->cli->out == NULL || !r->opt->json) return CLI_DONE;
    json_t *boards = json_array(), *stages = json_object();
    const plan_platform_data_t *d = plan_platform_data(r->pf);
    for (size_t i = 0; i < r->opt->nsizes; i++) json_array_append_new(boards, cli_json_scoreboard(r->board[i]));
    for (int i = 0; i < STAGES; i++) json_object_set_new(stages, stage_name[i], json_real(r->stage_s[i]));
    return cli_print_json(r->cli, json_pack("{s:i, s:i, s:i, s:o, s:o, s:o}", "ranks", r->ranks, "hosts", d->hosts,
                                            "sites", d->sites, "scoreboards", boards, "broadcasts",
                                            tool_json_rows(r->row, r->opt->nsizes), "seconds", stages));
}

static int stage(run_t *r, int which, int (*work)(run_t *))
{
    double start = MPI_Wtime();
    int rc = work(r);
    r->stage_s[which] += MPI_Wtime() - start;
    return rc;
}

static int time_all(run_t *r)
{
    int rc = PLAN_OK;
    for (size_t i = 0; rc == PLAN_OK && !r->opt->estimate && i < r->opt->nsizes; i++) rc = time_finalists(r, i);
    return rc == PLAN_OK ? make_plan(r) : rc;
}

static int run(MPI_Comm comm, const cli_t *cli, const tool_options_t *options)
{
    run_t r = {.comm = comm, .cli = cli, .opt = options};
    int rank, rc, status = CLI_DONE;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &r.ranks);
    r.leader = rank == 0;
    if (options->root >= r.ranks)
        return cli_fail(cli, CLI_USAGE, "run: --root %d: this job has the ranks 0 to %d", options->root, r.ranks - 1);
    introduce(&r);
    if ((rc = stage(&r, MEASURE, measure)) != PLAN_OK) goto done;
    tell_machine(&r);
    if ((rc = stage(&r, PLAN, plan_on_paper)) != PLAN_OK) goto done;
    if ((rc = stage(&r, TIME, time_all)) != PLAN_OK) goto done;
    tell_scoreboard(&r);
    if ((rc = stage(&r, RUN, broadcast_and_check)) != PLAN_OK) goto done;
    tell_end(&r);
    status = tell_json(&r);
    for (size_t i = 0; i < options->nsizes; i++)
        if (r.row[i].wrong != 0) status = CLI_FAILED;
done:
    if (rc != PLAN_OK) status = tool_fail(cli, rc, &r.err);
    for (size_t i = 0; i < options->nsizes; i++) plan_scoreboard_destroy(&r.board[i]);
    plan_destroy(&r.plan);
    plan_profile_destroy(&r.profile);
    return status;
}

int tool_run(MPI_Comm comm, const cli_t *cli, int argc, char **argv)
{
    tool_options_t o = {.time_s = 0.5, .finalists = 4, .choice = {.include_native = true}};
    const char *sizes = "8,4K,64K,1M,4M";
    const cli_option_t option[] = {
        {"bytes", CLI_TEXT, &sizes, 0, 0, "N,N,...", "message sizes (default 8,4K,64K,1M,4M)"},
        {"root", CLI_INT, &o.root, 0, 0, "R", "the rank that broadcasts (default 0)"},
        {"budget", CLI_REAL, &o.budget_s, 0.01, 86400, "S", "seconds for measuring the machine (default 10)"},
        {"time", CLI_REAL, &o.time_s, 0.001, 3600, "S", "seconds for timing one candidate at one size (default 0.5)"},
        {"finalists", CLI_INT, &o.finalists, 0, 1000, "K", "candidates timed per size (default 4)"},
        {"estimate", CLI_FLAG, &o.estimate, 0, 0, NULL, "trust the model: choose without timing"},
        {"profile", CLI_TEXT, &o.profile, 0, 0, "FILE", "load this profile instead of measuring"},
        {"save-profile", CLI_TEXT, &o.save, 0, 0, "FILE", "save what was measured"},
        {"save-plan", CLI_TEXT, &o.plan_out, 0, 0, "FILE", "save the plan"},
        {"slice", CLI_SIZE, &o.choice.slice, 1, 1073741824., "BYTES", "fixed slice size (default: chosen)"},
        {"window", CLI_INT, &o.choice.window, 1, 1024, "W", "fixed window (default: chosen)"},
        {"only", CLI_TEXT, &o.choice.only, 0, 0, "A,B,...", "consider only these candidates"},
        {"model", CLI_TEXT, &o.choice.model, 0, 0, "NAME", "performance model: taulop (default)"},
        {"json", CLI_FLAG, &o.json, 0, 0, NULL, "print everything as one JSON object"},
        {"progress", CLI_FLAG, &o.progress, 0, 0, NULL, "show progress even if standard error is no terminal"},
    };
    const cli_command_t cmd = {"run",
                               "",
                               "The main job: measure, plan, broadcast, check every byte, and print the scoreboard.",
                               "The scoreboard is printed for the largest size; every size is broadcast by the plan "
                               "and by MPI_Bcast in turns.",
                               "  mpirun -n 4 planbcast-mpi run\n"
                               "  mpirun -n 8 planbcast-mpi run --bytes 64K,16M --root 3 --save-plan plan.json\n"
                               "  mpirun -n 8 planbcast-mpi run --profile profile.json --estimate --json",
                               option,
                               sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);
    if (rc != CLI_GO) return rc;
    if (!tool_sizes(sizes, o.bytes, &o.nsizes))
        return cli_fail(cli, CLI_USAGE, "run: --bytes %s: give up to %d sizes, such as 8,64K,4M", sizes,
                        TOOL_MAX_SIZES);
    o.progress = cli->err != NULL && (o.progress || isatty(STDERR_FILENO));
    return run(comm, cli, &o);
}
