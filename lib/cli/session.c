/* The first steps of `run` and `bench`: measure or load, rank, time candidates. */
#include "lib/cli/tool.h"
#include "planner/algorithms/context.h"
#include "planner/select/timed_shortlist.h"
#include "lib/mpi/api/load.h"
#include "lib/mpi/comm/world.h"
#include "lib/mpi/execute/reduce.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void introduce(const tool_session_t *s)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    if (s->cli->out == NULL || s->opt->json) return;
    plani_mpi_library(version);
    version[strcspn(version, ",")] = '\0';
    fprintf(s->cli->out, "planbcast %s, %s: %s rank %d %s %d ranks\n", PLANBCAST_VERSION, version,
            s->opt->reduces ? "reductions to" : "broadcasts from", s->opt->root, s->opt->reduces ? "of" : "to",
            s->ranks);
    fflush(s->cli->out);
}

/* Options of the command line override those of the environment. */
static void take_options(const tool_options_t *given, plan_options_t *o)
{
    plan_choice_t choice = given->choice;
    if (choice.slice == 0) choice.slice = o->choice.slice;
    if (choice.model == NULL) choice.model = o->choice.model;
    if (choice.only == NULL) choice.only = o->choice.only;
    o->choice = choice;
    if (given->budget_s > 0) o->budget_s = given->budget_s;
    if (given->machine != NULL) o->machine = given->machine;
    if (given->save != NULL) o->save_profile = given->save;
    if (given->save_machine != NULL) o->save_machine = given->save_machine;
    if (given->profile != NULL || given->machine != NULL) o->load_profile = given->profile;
}

/* Mode and limits of autotuning. */
static plani_tuning_t tuning_of(const tool_session_t *s)
{
    plan_options_t o = s->options;
    if (s->opt->estimate) o.mode = PLAN_ESTIMATE;
    if (s->opt->measure) o.mode = PLAN_MEASURE;
    if (s->opt->candidates >= 0) o.shortlist = s->opt->candidates;
    plani_tuning_t t = plani_tuning_of(&o);
    if (o.mode == PLAN_MEASURE && s->opt->time_s > 0) /* variants, and MPI_Bcast */
        t.budget_s = s->opt->time_s * (double)s->opt->n * (fmin(t.candidates, 32) + 1 + PLANI_VARIANTS);
    return t;
}

/* What the library reports while it finds the machine: progress, and lines for the result. */
static void listen(void *session, int level, const char *line)
{
    tool_session_t *s = session;
    if (level == 0)
        plani_text_add(&s->machine, "  %s\n", line);
    else if (s->opt->progress)
        tool_progress(s->cli->err, level, line);
}

static int find_machine(tool_session_t *s)
{
    s->options.report = listen, s->options.report_context = s;
    int rc = plani_comm_machine_open(s->comm, &s->comm_machine, &s->err);
    if (rc == 0) rc = plani_comm_machine_find(s->comm, &s->options, &s->comm_machine, &s->err);
    s->options.report = s->opt->progress ? tool_progress : NULL;
    s->options.report_context = s->cli->err;
    s->pf = s->comm_machine.platform;
    return rc;
}

static int measure(tool_session_t *s)
{
    int rc = tool_from_leader(s->comm, plan_options_init(&s->options, &s->err));
    if (rc != PLAN_OK) return rc;
    take_options(s->opt, &s->options);
    s->options.error = &s->err;
    rc = tool_from_leader(s->comm, plani_context_check(&s->options.choice, &s->err));
    if (rc != PLAN_OK) return rc;
    if (s->options.load_profile != NULL) {
        if (s->opt->progress) s->options.report = tool_progress, s->options.report_context = s->cli->err;
        rc = plani_load_platform(s->comm, NULL, s->options.load_profile, &s->loaded, &s->err);
        s->pf = s->loaded;
        return rc;
    }
    return find_machine(s);
}

int tool_session_open(tool_session_t *s, MPI_Comm comm, const cli_t *cli, const tool_options_t *options)
{
    double start = MPI_Wtime();

    *s = (tool_session_t){.comm = comm, .cli = cli, .opt = options};
    MPI_Comm_size(comm, &s->ranks);
    if (options->root >= s->ranks)
        return cli_fail(cli, CLI_USAGE, "--root %d: this job has the ranks 0 to %d", options->root, s->ranks - 1);
    introduce(s);
    int rc = measure(s);
    s->measuring_s = MPI_Wtime() - start;
    if (rc == PLAN_OK) return CLI_GO;
    tool_session_close(s);
    bool loading = (s->options.load_profile != NULL || s->options.machine != NULL) && rc < 0;
    return loading ? cli_fail_status(cli, (plan_status_t)rc, &s->err) : tool_fail(cli, rc, &s->err);
}

int tool_session_decide(tool_session_t *s, size_t complete)
{
    plani_request_t request = {.pf = s->pf,
                               .root = s->opt->root,
                               .choice = &s->options.choice,
                               .complete = complete,
                               .reduces = s->opt->reduces};
    const plani_tuning_t tuning = tuning_of(s);
    request.n = s->opt->n;
    memcpy(request.bytes, s->opt->bytes, sizeof request.bytes);
    if (request.reduces && s->pf != NULL) request.combine_s_per_byte = s->combine_s_per_byte = plani_combining();
    int rc = plani_decide_together(s->comm, &request, &tuning, &s->options, &s->decision, &s->err);
    if (s->opt->progress) fprintf(s->cli->err, "\r\033[K");
    if (s->decision.without_sharing != NULL) s->pf = s->decision.without_sharing;
    return rc;
}

double tool_planning_s(const plani_decision_t *d)
{
    return d->trees_s + d->ranking_s + d->concluding_s;
}

void tool_session_close(tool_session_t *s)
{
    plani_decision_clear(&s->decision);
    plani_comm_machine_close(&s->comm_machine);
    plan_platform_destroy(&s->loaded);
    free(s->machine.at);
}
