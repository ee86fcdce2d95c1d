/* planbcast-mpi bench: times of all candidates, and the regret of the model's choice. */
#include "lib/cli/tool.h"
#include "lib/mpi/autotune/halving.h"
#include "planner/plan/plan_private.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* The executable candidate with the least predicted time. */
static const plan_candidate_t *model_pick(const plan_ranking_t *ranking)
{
    const plan_candidate_t *pick = NULL;
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (!plani_is_planned(c) || !isfinite(c->predicted_s) || !isfinite(c->measured_s)) continue;
        if (pick == NULL || c->predicted_s < pick->predicted_s) pick = c;
    }
    return pick;
}

static const plan_candidate_t *fastest(const plan_ranking_t *ranking, bool planned)
{
    const plan_candidate_t *best = NULL;
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        if (plani_is_planned(c) == planned && isfinite(c->measured_s) &&
            (best == NULL || c->measured_s < best->measured_s))
            best = c;
    }
    return best;
}

static double time_of(const plan_candidate_t *c)
{
    return c != NULL ? c->measured_s : NAN;
}

tool_choice_t tool_choice(const plan_ranking_t *ranking)
{
    tool_choice_t c = {.model = model_pick(ranking), .fastest = fastest(ranking, true)};

    c.model_s = time_of(c.model), c.fastest_s = time_of(c.fastest);
    c.native_s = time_of(fastest(ranking, false));
    c.regret = c.model != NULL ? c.model_s / fmin(c.fastest_s, c.native_s) - 1 : NAN;
    return c;
}

static void print_row(FILE *out, const plan_ranking_t *ranking)
{
    const tool_choice_t c = tool_choice(ranking);

    fprintf(out, "  %9s  %-18s %9s  %-18s %9s", plani_bytes((double)ranking->bytes).s,
            c.fastest != NULL ? c.fastest->name : "-", plani_seconds(c.fastest_s).s,
            c.model != NULL ? c.model->name : "-", plani_seconds(c.model_s).s);
    if (c.model != NULL)
        fprintf(out, " %7.1f%%", 100 * c.regret);
    else
        fprintf(out, " %8s", "-");
    fprintf(out, "  %9s\n", plani_seconds(c.native_s).s);
}

static int report(const tool_session_t *s)
{
    const tool_result_t result = {.command = "bench"};
    FILE *out = s->cli->out;

    if (out == NULL) return CLI_DONE;
    if (s->opt->json) return tool_print_json(s, &result);
    fprintf(out, "\n  %9s  %-18s %9s  %-18s %9s %8s  %9s\n", "message", "fastest plan", "time", "model's choice",
            "time", "regret", "MPI_Bcast");
    for (size_t i = 0; i < s->decision.n; i++) print_row(out, s->decision.ranking[i]);
    fprintf(out, "\n  seconds: measuring %.2f, planning %.2f, timing %.2f\n", s->measuring_s,
            tool_planning_s(&s->decision), s->decision.tuning_s);
    return CLI_DONE;
}

int tool_bench(MPI_Comm comm, const cli_t *cli, int argc, char **argv)
{
    tool_options_t o = {.choice = {.size = sizeof o.choice},
                        .time_s = 0.2,
                        .candidates = PLANI_ARMS,
                        .measure = true,
                        .command = cli_command_line(cli, argc, argv)};
    const char *sizes = "8,512,4K,32K,256K,1M,4M";
    const cli_option_t option[] = {
        {"bytes", CLI_TEXT, &sizes, 0, 0, "N,N,...", "message sizes (default 8,512,4K,32K,256K,1M,4M)"},
        cli_root(&o.root),
        tool_budget(&o.budget_s),
        {"time", CLI_REAL, &o.time_s, 0.001, 3600, "S", "seconds for one candidate at one size (default 0.2)"},
        tool_profile(&o.profile),
        tool_machine(&o.machine),
        cli_only(&o.choice),
        cli_model(&o.choice),
        {"json", CLI_FLAG, &o.json, 0, 0, NULL, "print everything as one JSON object, as run does"},
        tool_show_progress(&o.progress),
    };
    const cli_command_t cmd = {
        "bench",
        "",
        "Time every candidate and MPI_Bcast at every size, and report the regret of the model's choice.",
        "regret: time of the model's choice over the time of the fastest, MPI_Bcast included, minus 1.",
        "  mpirun -n 8 planbcast-mpi bench\n"
        "  mpirun -n 8 planbcast-mpi bench --bytes 1M,16M --profile profile.json --json",
        option,
        sizeof option / sizeof *option};
    tool_session_t s;
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);

    if (rc != CLI_GO) return rc;
    if (!tool_sizes(sizes, &o.n, o.bytes))
        return cli_fail(cli, CLI_USAGE, "bench: --bytes %s: give up to %d sizes of up to 1T, such as 8,64K,4M", sizes,
                        PLANI_SIZES);
    o.progress = cli->err != NULL && (o.progress || isatty(STDERR_FILENO));
    if ((rc = tool_session_open(&s, comm, cli, &o)) != CLI_GO) return rc;
    rc = tool_session_decide(&s, o.n);
    rc = rc == PLAN_OK ? report(&s) : tool_fail(cli, rc, &s.err);
    tool_session_close(&s);
    return rc;
}
