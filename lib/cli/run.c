/* `run`: measure, plan, time the best, broadcast, check every byte, and print the ranking. */
#include "lib/cli/tool.h"
#include "lib/mpi/api/load.h"
#include "lib/mpi/measure/phases/profile.h"
#include "planner/plan/plan_private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One run on one rank. */
typedef struct {
    tool_session_t s;
    plan_t *plan;
    tool_row_t row[PLANI_SIZES];
    plan_review_t review;
    double checking_s;
    plani_compared_t compared[PLANI_SIZES];
    char *summary; /* rank 0: what is slow here, and what the plan gains */
} run_t;

static int bind_plan(run_t *r)
{
    tool_session_t *s = &r->s;
    const plan_t *plan = s->decision.plan; /* NULL on all ranks but 0 */
    int rc = PLAN_OK;

    if (plan != NULL && s->opt->plan_out != NULL) rc = plan_save(plan, s->opt->plan_out, &s->err);
    rc = tool_from_leader(s->comm, rc);
    return rc == PLAN_OK ? plan_bind(s->comm, plan, &r->plan, &s->err) : rc;
}

static int compare_and_check(run_t *r)
{
    double start = MPI_Wtime();
    for (size_t i = 0; i < r->s.opt->n; i++) {
        int rc = tool_compare(r->s.comm, r->plan, r->s.opt->bytes[i], 4 * r->s.opt->time_s, &r->row[i]);
        if (rc != PLAN_OK) return rc;
    }
    r->checking_s = MPI_Wtime() - start;
    return PLAN_OK;
}

/* Whether the broadcasts are as fast as predicted. A machine that was loaded from a file is updated there. Plans of
 * reductions are not reviewed. */
static int review(run_t *r)
{
    plan_options_t o = r->s.options;

    if (r->s.opt->reduces) return PLAN_OK;
    r->review.size = sizeof r->review;
    o.mode = r->s.opt->estimate ? PLAN_ESTIMATE : r->s.opt->measure ? PLAN_MEASURE : o.mode;
    if (r->s.loaded != NULL) o.platform = r->s.loaded;
    if (o.save_machine == NULL && r->s.comm_machine.profile == NULL) o.save_machine = o.machine;
    int rc = plan_review(&r->plan, &o, r->s.opt->renew, &r->review);
    if (rc != PLAN_EUNSUPPORTED || r->s.opt->renew) return rc;
    o.platform = r->s.pf; /* a machine whose hosts cannot be told apart by name is not kept */
    return plan_review(&r->plan, &o, false, &r->review);
}

static void tell_machine(const run_t *r)
{
    FILE *out = r->s.cli->out;
    if (out == NULL || r->s.opt->json) return;
    const plan_platform_data_t *d = plan_platform_data(r->s.pf);
    bool known = r->s.opt->profile != NULL || r->s.comm_machine.profile == NULL;
    fprintf(out, "\n1. The machine, %s in %.2f s: %d ranks on %d host%s in %d site%s\n\n",
            known ? "loaded" : "measured", r->s.measuring_s, d->ranks, d->hosts, d->hosts == 1 ? "" : "s", d->sites,
            d->sites == 1 ? "" : "s");
    if (r->s.machine.len > 0) fprintf(out, "%s\n", r->s.machine.at);
    (void)cli_print_platform(out, r->s.pf); /* short of memory, the table is cut off */
    if (r->s.comm_machine.profile != NULL) tool_print_validation(out, r->s.comm_machine.profile);
    fflush(out);
}

static void tell_ranking(const run_t *r)
{
    FILE *out = r->s.cli->out;
    char *why = NULL;
    if (out == NULL || r->s.opt->json) return;
    const plan_ranking_t *ranking = r->s.decision.ranking[r->s.decision.n - 1];
    fprintf(out, "\n2. The ranking for %s; planned in %.2f s, candidates timed in %.2f s\n\n",
            plani_bytes((double)ranking->bytes).s, tool_planning_s(&r->s.decision), r->s.decision.tuning_s);
    if (r->s.ranks > 1) {
        fprintf(out, "  ");
        cli_print_bound(out, ranking);
        fprintf(out, "\n");
    }
    cli_print_ranking(out, ranking);
    fprintf(out, "\n3. The plan for %s: %s\n", plani_bytes((double)ranking->bytes).s, ranking->candidate[0].name);
    if (plani_is_sent(&ranking->candidate[0])) {
        fprintf(out, "\n");
        cli_print_trees(out, &ranking->candidate[0], r->s.pf, r->s.opt->reduces);
    }
    if (plan_explain(r->plan, r->s.pf, ranking->bytes, &why) == PLAN_OK) fprintf(out, "\n%s", why);
    free(why);
    fflush(out);
}

/* What the page and the last sentence are made of. Rank 0. */
static plani_report_t about(run_t *r)
{
    const plani_decision_t *d = &r->s.decision;
    const plan_profile_t *profile = r->s.comm_machine.profile;
    const plan_ranking_t *last = d->ranking[d->n - 1];

    for (size_t i = 0; i < r->s.opt->n; i++)
        r->compared[i] = (plani_compared_t){.bytes = r->row[i].bytes,
                                            .name = r->row[i].chosen,
                                            .plan_s = r->row[i].plan_s,
                                            .native_s = r->row[i].native_s,
                                            .ratio = r->row[i].ratio,
                                            .ratio_lo = r->row[i].ratio_lo,
                                            .ratio_hi = r->row[i].ratio_hi,
                                            .copied = r->row[i].copied};
    return (plani_report_t){.subject = "this job",
                            .command = r->s.opt->command.s,
                            .machine = profile != NULL ? plani_profile_machine(profile) : NULL,
                            .provenance =
                                profile != NULL ? json_object_get(plani_profile_document(profile), "provenance") : NULL,
                            .pf = r->s.pf,
                            .plan = r->plan,
                            .chosen = &last->candidate[0],
                            .bytes = last->bytes,
                            .nrankings = d->n,
                            .ranking = d->ranking,
                            .combine_s_per_byte = r->s.combine_s_per_byte,
                            .ncompared = r->s.ranks > 1 ? r->s.opt->n : 0,
                            .compared = r->compared};
}

/* The sentence, and the page where it is asked for. */
static int report(run_t *r)
{
    plani_text_t summary = {0};
    char *html = NULL;

    if (r->s.cli->out == NULL) return CLI_DONE;
    const plani_report_t page = about(r);
    plani_verdict(&summary, &page);
    plan_status_t rc = plani_text_take(&summary, &r->summary);
    if (rc == PLAN_OK && r->s.opt->report != NULL) rc = plani_report_html(&page, &html);
    int status = rc != PLAN_OK  ? cli_fail_status(r->s.cli, rc, NULL)
                 : html != NULL ? cli_write(r->s.cli, r->s.opt->report, html)
                                : CLI_DONE;
    free(html);
    return status;
}

static void tell_end(const run_t *r)
{
    FILE *out = r->s.cli->out;
    if (out == NULL || r->s.opt->json) return;
    bool reduces = r->s.opt->reduces;
    fprintf(out, "\n4. The %s, by the plan and by %s in turns\n\n", reduces ? "reduction" : "broadcast",
            tool_native(reduces));
    tool_print_rows(out, r->row, r->s.opt->n, reduces);
    fprintf(out, "\n  seconds: measuring %.2f, planning %.2f, timing candidates %.2f, %s and checking %.2f\n",
            r->s.measuring_s, tool_planning_s(&r->s.decision), r->s.decision.tuning_s,
            reduces ? "reducing" : "broadcasting", r->checking_s);
    if (r->review.off) fprintf(out, "  off the prediction: %s\n", r->review.text);
    bool measured = r->s.comm_machine.profile != NULL;
    if (measured && r->s.opt->save != NULL) fprintf(out, "  profile saved in %s\n", r->s.opt->save);
    if ((measured || r->review.saved) && r->s.opt->save_machine != NULL)
        fprintf(out, "  machine saved in %s\n", r->s.opt->save_machine);
    else if (r->review.saved)
        fprintf(out, "  machine saved in %s\n", r->s.options.machine);
    if (r->s.opt->plan_out != NULL) fprintf(out, "  plan saved in %s\n", r->s.opt->plan_out);
    if (r->s.opt->report != NULL) fprintf(out, "  report written to %s\n", r->s.opt->report);
    if (r->summary != NULL) fprintf(out, "\n%s\n", r->summary);
}

static int tell_json(const run_t *r)
{
    const tool_result_t result = {.command = "run",
                                  .row = r->row,
                                  .nrows = r->s.opt->n,
                                  .review = r->s.opt->reduces ? NULL : &r->review,
                                  .broadcasting_s = r->checking_s,
                                  .summary = r->summary};
    return r->s.cli->out != NULL && r->s.opt->json ? tool_print_json(&r->s, &result) : CLI_DONE;
}

static int run(MPI_Comm comm, const cli_t *cli, const tool_options_t *options)
{
    run_t r = {.plan = NULL};
    int rc, status = tool_session_open(&r.s, comm, cli, options);

    if (status != CLI_GO) return status;
    tell_machine(&r);
    bool all = options->json || options->report != NULL;
    if ((rc = tool_session_decide(&r.s, all ? options->n : 1)) != PLAN_OK || (rc = bind_plan(&r)) != PLAN_OK) goto done;
    tell_ranking(&r);
    if ((rc = compare_and_check(&r)) != PLAN_OK || (rc = review(&r)) != PLAN_OK) goto done;
    int written = report(&r);
    tell_end(&r);
    status = tell_json(&r);
    if (status == CLI_DONE) status = written;
    for (size_t i = 0; i < options->n; i++)
        if (r.row[i].wrong != 0) status = CLI_FAILED;
done:
    if (rc != PLAN_OK) status = tool_fail(cli, rc, &r.s.err);
    free(r.summary);
    plan_destroy(&r.plan);
    tool_session_close(&r.s);
    return status;
}

int tool_run(MPI_Comm comm, const cli_t *cli, int argc, char **argv)
{
    tool_options_t o = {.choice = {.size = sizeof o.choice},
                        .candidates = -1,
                        .time_s = 0.5,
                        .command = cli_command_line(cli, argc, argv)};
    const char *sizes = "8,4K,64K,1M,4M", *operation = "broadcast";
    const cli_option_t option[] = {
        {"bytes", CLI_TEXT, &sizes, 0, 0, "N,N,...", "message sizes (default 8,4K,64K,1M,4M)"},
        cli_root(&o.root),
        {"operation", CLI_TEXT, &operation, 0, 0, "NAME",
         "broadcast (default) or reduce: reductions to the root, compared with MPI_Reduce"},
        tool_budget(&o.budget_s),
        {"measure", CLI_FLAG, &o.measure, 0, 0, NULL, "time candidates of all sizes for longer, not only in a duel"},
        {"time", CLI_REAL, &o.time_s, 0.001, 3600, "S",
         "seconds for one candidate at one size with --measure; for the final comparison of a size 4 S (default 0.5)"},
        {"shortlist", CLI_INT, &o.candidates, 0, 1000, "K",
         "candidates per size with --measure, which this implies (default 11)"},
        {"estimate", CLI_FLAG, &o.estimate, 0, 0, NULL, "choose by the model alone, without timing"},
        tool_profile(&o.profile),
        tool_machine(&o.machine),
        {"save-profile", CLI_TEXT, &o.save, 0, 0, "FILE", "save the measured profile, with the samples"},
        {"save-machine", CLI_TEXT, &o.save_machine, 0, 0, "FILE",
         "add the measured machine to this file, for other jobs; --machine may name the same file before it is there"},
        {"save-plan", CLI_TEXT, &o.plan_out, 0, 0, "FILE", "save the plan"},
        {"report", CLI_TEXT, &o.report, 0, 0, "FILE", "write a page on the machine and the plan, as planbcast report"},
        {"renew", CLI_FLAG, &o.renew, 0, 0, NULL,
         "if broadcasts take longer or shorter than predicted, measure the resource that explains it again, save the "
         "machine (--save-machine, else --machine) and plan again"},
        {"slice", CLI_SIZE, &o.choice.slice, 1, 1073741824., "BYTES",
         "fixed slice size (default: chosen); scatter-* have none"},
        cli_window(&o.choice),
        cli_only(&o.choice),
        cli_model(&o.choice),
        {"json", CLI_FLAG, &o.json, 0, 0, NULL, "print everything as one JSON object"},
        tool_show_progress(&o.progress),
    };
    const cli_command_t cmd = {"run",
                               "",
                               "Measure, plan, broadcast or reduce, check every byte, and print the ranking.",
                               "The ranking is printed for the largest size; every size is broadcast by the plan "
                               "and by MPI_Bcast in turns. By default the few candidates that are predicted to be "
                               "fastest at a size, and MPI_Bcast, run a few times each before one is chosen, for a "
                               "quarter of --budget at most; PLANBCAST_MODE sets another default.\n"
                               "Reductions are sums of whole numbers, which MPI_Reduce gives as well, bit by bit.",
                               "  mpirun -n 4 planbcast-mpi run\n"
                               "  mpirun -n 8 planbcast-mpi run --bytes 64K,16M --root 3 --save-plan plan.json\n"
                               "  mpirun -n 8 planbcast-mpi run --profile profile.json --estimate --json\n"
                               "  mpirun -n 8 planbcast-mpi run --operation reduce --save-plan sum.json",
                               option,
                               sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);
    if (rc != CLI_GO) return rc;
    if (!tool_sizes(sizes, &o.n, o.bytes))
        return cli_fail(cli, CLI_USAGE, "run: --bytes %s: give up to %d sizes of up to 1T, such as 8,64K,4M", sizes,
                        PLANI_SIZES);
    if ((rc = cli_operation(cli, "run", operation, &o.reduces)) != CLI_GO) return rc;
    if (o.reduces && o.renew)
        return cli_fail(cli, CLI_USAGE, "run: --operation reduce and --renew, which is for broadcasts");
    if (o.profile != NULL && o.save != NULL)
        return cli_fail(cli, CLI_USAGE,
                        "run: --profile and --save-profile: a loaded profile is not saved again; give one of them");
    if (o.profile != NULL && o.renew)
        return cli_fail(cli, CLI_USAGE, "run: --profile and --renew: a profile is not renewed; give a --machine");
    if (o.candidates >= 0) o.measure = true;
    if (o.estimate && o.measure)
        return cli_fail(cli, CLI_USAGE,
                        "run: --estimate: nothing is timed, so --measure and --shortlist make no sense");
    if ((rc = tool_may_write(comm, cli, o.save)) != CLI_GO ||
        (rc = tool_may_write(comm, cli, o.save_machine)) != CLI_GO ||
        (rc = tool_may_write(comm, cli, o.plan_out)) != CLI_GO || (rc = tool_may_write(comm, cli, o.report)) != CLI_GO)
        return rc;
    o.progress = cli->err != NULL && (o.progress || isatty(STDERR_FILENO));
    return run(comm, cli, &o);
}
