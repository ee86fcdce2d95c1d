/* What `run` and `bench` print with --json: one shape, the format planbcast-run. */
#include "lib/cli/tool.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/world.h"
#include "lib/mpi/measure/phases/profile.h"
#include <math.h>
#include <unistd.h>

static json_t *text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? json_string(text) : json_null();
}

/* Which programs, when and where, by which command, and how the machine is known. */
static json_t *provenance(const tool_session_t *s)
{
    const plan_profile_t *profile = s->comm_machine.profile;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING], host[256] = "", date[32];

    plani_mpi_library(mpi);
    gethostname(host, sizeof host - 1);
    plani_date(date);
    json_t *measured = profile != NULL ? json_object_get(plani_profile_document(profile), "provenance") : NULL;
    return json_pack("{s:s, s:s, s:s, s:o, s:i, s:s, s:o, s:o, s:O}", "planbcast", PLANBCAST_VERSION, "mpi", mpi,
                     "date", date, "host", text_or_null(host), "processors", (int)sysconf(_SC_NPROCESSORS_ONLN),
                     "command", s->opt->command.s, "profile", text_or_null(s->opt->profile), "machine",
                     text_or_null(s->machine.at), "measured", measured != NULL ? measured : json_null());
}

static json_t *name_of(const plan_candidate_t *c)
{
    return text_or_null(c != NULL ? c->name : NULL);
}

static const char *native_key(bool reduces)
{
    return reduces ? "mpi_reduce_s" : "mpi_bcast_s";
}

/* At each size: what the model would choose, what was fastest, and MPI_Bcast; of those that were timed. */
static json_t *choices(const plani_decision_t *d, bool reduces)
{
    json_t *list = json_array();

    for (size_t i = 0; i < d->n; i++) {
        const tool_choice_t c = tool_choice(d->ranking[i]);
        json_array_append_new(list, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "bytes",
                                              (json_int_t)d->ranking[i]->bytes, "model", name_of(c.model), "model_s",
                                              cli_json_real(c.model_s), "fastest", name_of(c.fastest), "fastest_s",
                                              cli_json_real(c.fastest_s), native_key(reduces),
                                              cli_json_real(c.native_s), "regret", cli_json_real(c.regret)));
    }
    return list;
}

static json_t *rankings(const plani_decision_t *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->n; i++) json_array_append_new(list, cli_json_ranking(d->ranking[i]));
    return list;
}

/* Per byte of the message. */
static json_t *copied(const plani_copied_t *c)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "sent", c->sent, "written", c->written, "read", c->read,
                     "single", c->single, "packed", c->packed, "mpi_bcast", c->native);
}

static json_t *compared(const tool_row_t *row, size_t n, bool reduces)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:I, s:s, s:o, s:o, s:o, s:i, s:I, s:o*}", "bytes", (json_int_t)row[i].bytes,
                                        "plan", row[i].chosen, "plan_s", cli_json_real(row[i].plan_s),
                                        native_key(reduces), cli_json_real(row[i].native_s), "faster_by",
                                        cli_json_real(row[i].ratio), "pairs", row[i].pairs, "wrong_bytes",
                                        (json_int_t)row[i].wrong, "copied", reduces ? NULL : copied(&row[i].copied)));
    return list;
}

static json_t *review(const plan_review_t *r)
{
    if (r == NULL) return json_null();
    return json_pack("{s:I, s:o, s:o, s:b, s:s, s:o, s:o, s:b, s:b, s:s}", "bytes", (json_int_t)r->bytes, "measured_s",
                     cli_json_real(r->measured_s), "predicted_s", cli_json_real(r->predicted_s), "off", r->off,
                     "resource", r->resource, "was_bytes_per_s", cli_json_real(r->was_bytes_per_s), "now_bytes_per_s",
                     cli_json_real(r->now_bytes_per_s), "measured", r->measured, "renewed", r->renewed, "text",
                     r->text);
}

int tool_print_json(const tool_session_t *s, const tool_result_t *r)
{
    const plan_platform_data_t *d = plan_platform_data(s->pf);
    bool reduces = s->opt->reduces;
    json_t *seconds =
        json_pack("{s:f, s:f, s:f, s:f}", "measuring", s->measuring_s, "planning", tool_planning_s(&s->decision),
                  "timing", s->decision.tuning_s, reduces ? "reducing" : "broadcasting", r->broadcasting_s);

    return cli_print_json(s->cli, "planbcast-run",
                          json_pack("{s:s, s:s, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "command",
                                    r->command, "operation", reduces ? "reduce" : "broadcast", "provenance",
                                    provenance(s), "ranks", s->ranks, "hosts", d->hosts, "sites", d->sites, "root",
                                    s->opt->root, "seconds", seconds, "rankings", rankings(&s->decision), "choices",
                                    choices(&s->decision, reduces), reduces ? "reductions" : "broadcasts",
                                    compared(r->row, r->nrows, reduces), "review", review(r->review), "summary",
                                    text_or_null(r->summary)));
}
