/* plan_measure: rank 0 runs the phases in order; the other ranks take part in the experiments. */
#include <stdlib.h>
#include <string.h>
#include "lib/mpi/comm/caller.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/report.h"
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/measure/validate.h"

/* Rank 0's options count. */
static plan_status_t check_options(const plan_options_t *o, plan_error_t *err)
{
    if (!(o->budget_s > 0) || o->budget_s > 1e6)
        return plani_fail(err, PLAN_EINVAL, "measure: a budget of %g s is not between 0 and 1000000", o->budget_s);
    return PLAN_OK;
}

static void release(plani_findings_t *s)
{
    free(s->place);
    free(s->name);
    free(s->host_first);
    free(s->rank_at);
    free(s->site);
    free(s->latency);
    free(s->rate);
    free(s->alone);
    free(s->rate_ends);
    free(s->card_out);
    free(s->card_in);
    free(s->card_ends);
    free(s->shared_out);
    free(s->shared_in);
    free(s->half_duplex);
    free(s->relay);
    free(s->burst_out);
    free(s->burst_in);
    free(s->site_rate);
    free(s->site_ends);
    free(s->card_table);
    free(s->trunk);
    free(s->trunk_table);
    free(s->meeting);
    free(s->area);
    free(s->area_trunk);
    free(s->area_table);
    free(s->class_of);
    free(s->class_);
    json_decref(s->samples);
    json_decref(s->phases);
}

/* Rank 0, once the hosts are known. */
static plan_status_t allocate(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;

    s->host_first = calloc(n + 1, sizeof *s->host_first);
    s->rank_at = calloc((size_t)s->ranks, sizeof *s->rank_at);
    s->site = calloc(n, sizeof *s->site);
    s->latency = calloc(n * n, sizeof *s->latency);
    s->rate = calloc(n * n, sizeof *s->rate);
    s->alone = calloc(n * n, sizeof *s->alone);
    s->rate_ends = calloc(n * n, sizeof *s->rate_ends);
    s->card_out = calloc(n, sizeof *s->card_out);
    s->card_in = calloc(n, sizeof *s->card_in);
    s->card_ends = calloc(2 * n, sizeof *s->card_ends);
    s->shared_out = calloc(n, sizeof *s->shared_out);
    s->shared_in = calloc(n, sizeof *s->shared_in);
    s->half_duplex = calloc(n, sizeof *s->half_duplex);
    s->relay = calloc(n, sizeof *s->relay);
    s->burst_out = calloc(n, sizeof *s->burst_out);
    s->burst_in = calloc(n, sizeof *s->burst_in);
    s->card_table = calloc(2 * n, sizeof *s->card_table);
    s->class_of = calloc(n * n, sizeof *s->class_of);
    s->samples = json_array();
    s->phases = json_array();
    return s->host_first && s->rank_at && s->site && s->latency && s->rate && s->alone && s->rate_ends && s->card_out &&
                   s->card_in && s->card_ends && s->shared_out && s->shared_in && s->half_duplex && s->relay &&
                   s->burst_out && s->burst_in && s->card_table && s->class_of && s->samples && s->phases
               ? PLAN_OK
               : PLAN_ENOMEM;
}

/* Sort ranks by host, ascending in each: host_first, rank_at. */
static void sort_ranks(plani_findings_t *s)
{
    for (int r = 0; r < s->ranks; r++) s->host_first[s->place[r].host + 1]++;
    for (int h = 0; h < s->hosts; h++) s->host_first[h + 1] += s->host_first[h];
    for (int r = 0; r < s->ranks; r++) s->rank_at[s->host_first[s->place[r].host]++] = r;
    for (int h = s->hosts; h > 0; h--) s->host_first[h] = s->host_first[h - 1];
    s->host_first[0] = 0;
}

/* Rank 0: all phases, in order. */
static int findings(plani_findings_t *s, plan_profile_t **out, plan_error_t *err)
{
    int rc = allocate(s);

    if (rc != PLAN_OK) return rc;
    sort_ranks(s);
    s->sites = s->hosts; /* each its own until sites are inferred */
    if (s->hosts > 1 && ((rc = plani_measure_meetings(s)) != PLAN_OK || (rc = plani_measure_sites(s)) != PLAN_OK ||
                         (rc = plani_measure_cards(s)) != PLAN_OK || (rc = plani_measure_trunks(s)) != PLAN_OK ||
                         (rc = plani_measure_areas(s)) != PLAN_OK || (rc = plani_measure_relays(s)) != PLAN_OK ||
                         (rc = plani_measure_bursts(s)) != PLAN_OK))
        return rc;
    if ((rc = plani_measure_memory(s)) != PLAN_OK || (rc = plani_measure_processors(s)) != PLAN_OK ||
        (rc = plani_infer_classes(s)) != PLAN_OK)
        return rc;
    if (s->nclasses > 0 && ((rc = plani_measure_ladders(s)) != PLAN_OK || (rc = plani_measure_gamma(s)) != PLAN_OK ||
                            (rc = plani_measure_passing(s)) != PLAN_OK || (rc = plani_measure_copying(s)) != PLAN_OK ||
                            (rc = plani_measure_wakes(s)) != PLAN_OK || (rc = plani_measure_shared(s)) != PLAN_OK))
        return rc;
    if ((rc = plani_phase_begin(s, PLANI_PHASE_SPARE)) != PLAN_OK) return rc;
    return plani_profile_create(s, out, err);
}

static int explain(int rc, plan_error_t *err)
{
    char text[MPI_MAX_ERROR_STRING];
    int len = 0;

    if (rc > 0 && MPI_Error_string(rc, text, &len) == MPI_SUCCESS)
        plani_fail(err, PLAN_EIO, "measure: MPI failed: %.*s", len, text);
    else if (rc < 0 && (err == NULL || err->status != (plan_status_t)rc))
        plani_fail(err, (plan_status_t)rc, "measure: %s", plan_status_string((plan_status_t)rc));
    return rc;
}

/* Everything that all ranks do together before the phases. opening [s]: time since this rank entered plan_measure. The
 * budget starts when the last rank entered, which is the one with the shortest opening. */
static int prepare(plani_engine_t *engine, const plan_options_t *options, plan_status_t read, bool place,
                   double opening, plani_findings_t *s, plan_error_t *err)
{
    plan_status_t mine = engine->rank == 0 ? read : PLAN_OK; /* rank 0's environment counts */

    if (engine->rank == 0 && mine == PLAN_OK)
        mine = place ? check_options(options, err)
                     : plani_fail(err, PLAN_EINVAL, "the output argument for the profile is NULL");
    if (mine == PLAN_OK && (s->place = calloc((size_t)engine->ranks, sizeof *s->place)) == NULL) mine = PLAN_ENOMEM;
    if (mine == PLAN_OK && (s->name = calloc((size_t)engine->ranks, sizeof *s->name)) == NULL) mine = PLAN_ENOMEM;
    int rc = plani_engine_agree(engine, mine);
    if (rc == MPI_SUCCESS)
        rc = plani_engine_agree(engine, plani_find_places(engine->comm, s->place, s->name, &s->hosts));
    double start = MPI_Wtime(), all[2];
    for (int k = 0; k < 3 && rc == MPI_SUCCESS; k++) rc = plani_engine_agree(engine, MPI_SUCCESS);
    const double mine_s[2] = {(MPI_Wtime() - start) / 3, -opening};
    if (rc == MPI_SUCCESS) rc = MPI_Allreduce(mine_s, all, 2, MPI_DOUBLE, MPI_MAX, engine->comm);
    if (rc == MPI_SUCCESS) engine->agree_s = all[0], s->start += all[1];
    return rc;
}

/* Part of the budget for validating broadcasts. */
static const double validating = 0.05;

/* Validate the profile by broadcasts. `profile` is NULL on ranks other than 0; left_out: steps of measuring. */
static int validate(plani_engine_t *engine, const plan_options_t *options, size_t left_out, plan_profile_t *profile,
                    plan_error_t *err)
{
    const plan_platform_t *pf = profile != NULL ? plan_profile_platform(profile) : NULL;
    json_t *tried = NULL;
    int rc = plani_validate(engine->comm, pf, validating * options->budget_s, &tried, err);

    if (rc != 0 || profile == NULL) return rc;
    double off = plani_validation_error(tried);
    if (left_out > 0)
        plani_report(options, 0, "measured, but not to be trusted: time did not allow %zu steps", left_out);
    if (json_array_size(tried) > 0)
        plani_report(options, 0,
                     off > PLANI_OFF
                         ? "measured, but not to be trusted: of %zu broadcasts that tried it one took "
                           "%.0f%% more or less than predicted"
                         : "measured; %zu broadcasts that tried it took within %.0f%% of what was predicted",
                     json_array_size(tried), 100 * off);
    return plani_profile_add(profile, "validation", tried) == PLAN_OK ? 0 : PLAN_ENOMEM;
}

int plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out)
{
    plani_engine_t engine;
    plan_options_t defaults;
    plani_findings_t s = {0};
    plan_error_t *err = plani_options_error(options);
    plan_status_t read = PLAN_OK;

    plani_clear(err);
    if (options == NULL || (read = plani_options_check(options, err)) != PLAN_OK) {
        plan_status_t rc = plan_options_init(&defaults, NULL);
        if (options == NULL) read = rc;
        options = &defaults;
    }
    if (out != NULL) *out = NULL;
    double came = MPI_Wtime();
    int rc = plani_engine_open(comm, &engine, err);
    if (rc != MPI_SUCCESS) return explain(rc, err);
    s.start = MPI_Wtime();
    s.engine = &engine, s.options = options, s.ranks = engine.ranks;
    s.budget = (1 - validating) * options->budget_s;
    plan_profile_t *profile = NULL;
    if ((rc = prepare(&engine, options, read, out != NULL, s.start - came, &s, err)) == MPI_SUCCESS) {
        rc =
            engine.rank != 0 ? plani_engine_serve(&engine) : plani_engine_dismiss(&engine, findings(&s, &profile, err));
        if (rc == MPI_SUCCESS) rc = plani_engine_agree(&engine, validate(&engine, options, s.left_out, profile, err));
    }
    if (rc != MPI_SUCCESS) plan_profile_destroy(&profile);
    if (engine.rank == 0 && out != NULL) *out = profile;
    release(&s);
    plani_engine_close(&engine);
    return explain(rc, err);
}
