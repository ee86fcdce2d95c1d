/* The phases of measuring, in their order, and the profile. */
#include <stdlib.h>
#include "lib/mpi/decide/decide.h"
#include "lib/mpi/measure/phases/findings.h"

static void release(plani_findings_t *s)
{
    free(s->host_first);
    free(s->rank_at);
    free(s->site);
    free(s->whole);
    free(s->fan);
    free(s->latency);
    free(s->rate);
    free(s->alone);
    free(s->slowest);
    free(s->rate_ends);
    free(s->card_out);
    free(s->card_in);
    free(s->card_ends);
    free(s->shared_out);
    free(s->shared_in);
    free(s->half_duplex);
    free(s->card_unseen);
    free(s->relay);
    free(s->relay_ends);
    free(s->burst_out);
    free(s->burst_in);
    free(s->site_rate);
    free(s->site_ends);
    free(s->card_table);
    free(s->trunk);
    free(s->trunk_table);
    free(s->area);
    free(s->area_trunk);
    free(s->area_table);
    free(s->class_of);
    free(s->class_);
    json_decref(s->samples);
    json_decref(s->phases);
}

static plan_status_t allocate(plani_findings_t *s)
{
    size_t n = (size_t)s->hosts;

    s->host_first = calloc(n + 1, sizeof *s->host_first);
    s->rank_at = calloc((size_t)s->ranks, sizeof *s->rank_at);
    s->site = calloc(n, sizeof *s->site);
    s->whole = calloc(n, sizeof *s->whole);
    s->fan = calloc(n, sizeof *s->fan);
    s->latency = calloc(n * n, sizeof *s->latency);
    s->rate = calloc(n * n, sizeof *s->rate);
    s->slowest = calloc(n * n, sizeof *s->slowest);
    s->alone = calloc(n * n, sizeof *s->alone);
    s->rate_ends = calloc(n * n, sizeof *s->rate_ends);
    s->card_out = calloc(n, sizeof *s->card_out);
    s->card_in = calloc(n, sizeof *s->card_in);
    s->card_ends = calloc(2 * n, sizeof *s->card_ends);
    s->shared_out = calloc(n, sizeof *s->shared_out);
    s->shared_in = calloc(n, sizeof *s->shared_in);
    s->half_duplex = calloc(n, sizeof *s->half_duplex);
    s->card_unseen = calloc(2 * n, sizeof *s->card_unseen);
    s->relay = calloc(n, sizeof *s->relay);
    s->relay_ends = calloc(n, sizeof *s->relay_ends);
    s->burst_out = calloc(n, sizeof *s->burst_out);
    s->burst_in = calloc(n, sizeof *s->burst_in);
    s->card_table = calloc(2 * n, sizeof *s->card_table);
    s->class_of = calloc(n * n, sizeof *s->class_of);
    s->samples = json_array();
    s->phases = json_array();
    return s->host_first && s->rank_at && s->site && s->whole && s->fan && s->latency && s->rate && s->slowest &&
                   s->alone && s->rate_ends && s->card_out && s->card_in && s->card_ends && s->shared_out &&
                   s->shared_in && s->half_duplex && s->card_unseen && s->relay && s->relay_ends && s->burst_out &&
                   s->burst_in && s->card_table && s->class_of && s->samples && s->phases
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

static int findings(plani_findings_t *s, plan_profile_t **out, plan_error_t *err)
{
    int rc = allocate(s);

    if (rc != PLAN_OK) return rc;
    sort_ranks(s);
    s->sites = s->hosts; /* each its own until sites are inferred */
    if (s->hosts > 1 && ((rc = plani_measure_meetings(s)) != PLAN_OK || (rc = plani_measure_sites(s)) != PLAN_OK ||
                         (rc = plani_measure_cards(s)) != PLAN_OK || (rc = plani_measure_trunks(s)) != PLAN_OK ||
                         (rc = plani_measure_areas(s)) != PLAN_OK || (rc = plani_measure_relays(s)) != PLAN_OK ||
                         (rc = plani_measure_bursts(s)) != PLAN_OK || (rc = plani_measure_cards_again(s)) != PLAN_OK))
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

int plani_run_phases(plani_measuring_t *m, plan_profile_t **out, plan_error_t *err)
{
    plani_findings_t s = {.engine = m->engine,
                          .options = m->options,
                          .library = m->library,
                          .tick = m->tick,
                          .start = m->start,
                          .budget = m->budget,
                          .ranks = m->engine->ranks,
                          .hosts = m->hosts,
                          .place = m->place,
                          .name = m->name};
    int rc = findings(&s, out, err);

    m->left_out = s.left_out;
    release(&s);
    return rc;
}
