/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_review: whether a plan's broadcasts take as long as predicted, and which resource has changed if not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "lib/mpi/api/load.h"
#include "lib/mpi/api/timed.h"
#include "lib/mpi/api/machine.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/caller.h"
#include "lib/mpi/comm/report.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/measure/again.h"
#include "planner/plan/plan_private.h"

static const double BRIEF = 1e-3; /* [s] clocks of different hosts agree to some tenths of that */

typedef struct {
    plani_binding_t *b;
    const plan_t *plan;
    plan_options_t options; /* rank 0: those that count */
    plani_comm_machine_t comm_machine;
    plan_error_t *err;
    plan_review_t *review;
    /* Rank 0: */
    plani_timing_t *timing;     /* [ranks * PLANI_TIMINGS] */
    plani_machine_t *machine;   /* a copy; NULL: only a platform is known */
    const char *from;           /* of it */
    int *host;                  /* [ranks] */
    plan_platform_t *placed;    /* of the machine */
    plani_machine_part_t *part; /* of its resources; NULL: another platform counts */
    plan_platform_t *loaded;    /* of options.load_profile */
    const plan_platform_t *pf;  /* one of these, or the caller's */
    double *arrival;            /* [ranks] */
    plani_change_t change[PLANI_CHANGES];
    size_t nchanges;
    plani_machine_part_t changed; /* measured again */
    plani_again_found_t again;
} reviewing_t;

/* ---- what is known ---- */

static plan_status_t read_options(reviewing_t *v, const plan_options_t *options)
{
    plan_status_t rc = PLAN_OK;
    if (v->b->rank != 0) return PLAN_OK;
    if (options == NULL)
        rc = plan_options_init(&v->options, v->err);
    else if ((rc = plani_options_check(options, v->err)) == PLAN_OK)
        v->options = *options;
    return rc == PLAN_OK ? plani_planner_open(v->err) : rc;
}

/* The times of all ranks on rank 0, by its clock. */
static int gather(reviewing_t *v)
{
    plani_timings_t mine = v->b->timings;
    size_t n = (size_t)v->b->ranks * PLANI_TIMINGS;
    double offset = 0;
    int rc = 0;

    if (v->b->rank == 0 && ((v->timing = calloc(n, sizeof *v->timing)) == NULL ||
                            (v->arrival = calloc((size_t)v->b->ranks, sizeof *v->arrival)) == NULL ||
                            (v->host = calloc((size_t)v->b->ranks, sizeof *v->host)) == NULL))
        rc = plani_fail(v->err, PLAN_ENOMEM, "out of memory for the times of %d ranks", v->b->ranks);
    if ((rc = plani_agree(v->b->comm, rc, v->err)) != 0) return rc;
    if ((rc = plan_clock_sync(v->b->comm, &offset)) != MPI_SUCCESS) return plani_mpi_fail(v->err, rc, "a review");
    for (int i = 0; i < PLANI_TIMINGS; i++) mine.of[i].entry_s += offset, mine.of[i].last_s += offset;
    rc = PMPI_Gather(mine.of, (int)sizeof mine.of, MPI_BYTE, v->timing, (int)sizeof mine.of, MPI_BYTE, 0, v->b->comm);
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(v->err, rc, "a review");
}

static plan_status_t none_known(const reviewing_t *v)
{
    return plani_fail(v->err, PLAN_EUNSUPPORTED, "no machine with all hosts is known; plan_bcast measures it");
}

/* Rank 0: the machine as it is known, with a resource for every trunk. */
static plan_status_t place_machine(reviewing_t *v)
{
    const plani_placement_t *placement = &v->comm_machine.placement;
    plani_found_machine_t found = {.host = v->host};
    const plani_machine_t *m = plani_job_machine(v->comm_machine.job, placement, v->options.machine, &found, v->err);
    plani_machine_t *filled = NULL;
    plani_place_t *place = malloc((size_t)placement->ranks * sizeof *place);
    plan_status_t rc = place == NULL ? PLAN_ENOMEM : m == NULL ? none_known(v) : PLAN_OK;

    if (rc == PLAN_OK) rc = plani_planner(NULL)->machine_copy(m, &v->machine);
    for (int r = 0; r < placement->ranks && rc == PLAN_OK; r++)
        if ((v->host[r] = plani_planner(NULL)->machine_find(v->machine, m->host[v->host[r]].name)) < 0)
            rc = PLAN_EMISMATCH;
    if (rc == PLAN_OK) rc = plani_planner(NULL)->machine_copy(m, &filled);
    if (rc == PLAN_OK) {
        plani_planner(NULL)->machine_fill_trunks(filled);
        for (int r = 0; r < placement->ranks; r++) place[r] = placement->place[r], place[r].host = v->host[r];
        rc = plani_planner(NULL)->machine_platform_of_parts(filled, placement->ranks, place, &v->placed, &v->part,
                                                            v->err);
    }
    if (m != NULL) plani_job_release(v->comm_machine.job);
    v->from = found.from, v->pf = v->placed;
    plani_forget_machine(&filled);
    free(place);
    return rc;
}

static int take_given(reviewing_t *v)
{
    int rc = 0;

    v->pf = v->options.platform;
    if (v->b->rank == 0 && plan_platform_data(v->pf)->ranks != v->b->ranks)
        rc = plani_fail(v->err, PLAN_EMISMATCH, "the platform has %d ranks and the plan %d",
                        plan_platform_data(v->pf)->ranks, v->b->ranks);
    return plani_agree(v->b->comm, rc, v->err);
}

static int take_profile(reviewing_t *v)
{
    int rc = plani_load_platform(v->b->comm, NULL, v->options.load_profile, &v->loaded, v->err);
    v->pf = v->loaded;
    return rc;
}

static int take_machine(reviewing_t *v)
{
    bool found = false;
    int rc;

    if ((rc = plani_comm_machine_open(v->b->comm, &v->comm_machine, v->err)) != 0) return rc;
    if ((rc = plani_comm_machine_locate(v->b->comm, &v->options, &v->comm_machine, &found, v->err)) != 0) return rc;
    if (!found) return none_known(v);
    return plani_agree(v->b->comm, v->b->rank == 0 ? place_machine(v) : 0, v->err);
}

/* The platform that broadcasts are compared with: the one that plan_bcast takes with these options. */
static int find_platform(reviewing_t *v)
{
    int own[2] = {v->options.platform != NULL, v->options.load_profile != NULL}, rc; /* none but on rank 0 */

    if ((rc = PMPI_Bcast(own, 2, MPI_INT, 0, v->b->comm)) != MPI_SUCCESS) return plani_mpi_fail(v->err, rc, "a review");
    return own[0] ? take_given(v) : own[1] ? take_profile(v) : take_machine(v);
}

/* ---- what the times say ---- */

static const char *host_name(const reviewing_t *v, plani_machine_part_t part)
{
    return v->machine->host[part.which].name;
}

static void name_change(reviewing_t *v, const plani_change_t *c)
{
    plan_review_t *r = v->review;
    const plan_resource_t *resource = &plan_platform_data(v->pf)->resource[c->resource];
    plani_machine_part_t part = {PLANI_PART_OTHER, false, 0};
    static const char *const way[] = {"outbound", "inbound", "half-duplex"};

    if (v->part != NULL) part = v->part[c->resource];
    if (part.direction == PLANI_PART_OTHER)
        snprintf(r->resource, sizeof r->resource, "%s", resource->name);
    else
        snprintf(r->resource, sizeof r->resource, "%s %s of %.80s", way[part.direction], part.trunk ? "trunk" : "card",
                 part.trunk ? v->machine->group[part.which].name : host_name(v, part));
    r->was_bytes_per_s = 1 / resource->s_per_byte;
    r->now_bytes_per_s = c->factor / resource->s_per_byte;
}

/* Compare broadcasts of one size with the prediction. */
static plan_status_t compare_size(reviewing_t *v, const plani_timed_size_t *t)
{
    plan_review_t *r = v->review;
    double last = 0;
    plan_status_t rc =
        plani_planner(NULL)->predict_arrivals(v->pf, v->plan->range[t->range].chosen, t->bytes, v->arrival);

    if (rc != PLAN_OK) return rc;
    for (int k = 0; k < v->b->ranks; k++) last = fmax(last, v->arrival[k]);
    if (last < BRIEF) return PLAN_OK;
    r->bytes = t->bytes, r->broadcasts = t->n;
    r->measured_s = t->median_s, r->predicted_s = last, r->off = plani_is_off(t, last);
    return PLAN_OK;
}

/* Rank 0. The broadcasts that take longest show rates best: others also show latencies, and what ranks lose that wait
 * for a processor. */
static plan_status_t compare(reviewing_t *v)
{
    plani_timed_size_t timed[PLANI_TIMINGS];
    plani_all_timings_t all = {v->b->ranks, v->b->root, v->timing};
    size_t n = plani_timed_sizes(all, timed), longest = 0;
    plan_status_t rc = PLAN_OK;

    for (size_t i = 1; i < n; i++)
        if (timed[i].median_s > timed[longest].median_s) longest = i;
    if (n > 0) rc = compare_size(v, &timed[longest]);
    if (rc != PLAN_OK || !v->review->off) return rc;
    if (!plani_timed_arrivals(all, v->review->bytes, v->arrival)) return PLAN_OK; /* ranks began too unevenly */
    rc = plani_planner(NULL)->diagnose(v->pf, plan_chosen(v->plan, v->review->bytes), v->review->bytes, v->arrival,
                                       v->change, &v->nchanges);
    if (v->nchanges > 0) name_change(v, &v->change[0]);
    return rc;
}

/* ---- measuring again ---- */

/* Rank 0: whether the i-th change is of something that can be measured. */
static bool can_measure(const reviewing_t *v, size_t i)
{
    return i < v->nchanges && v->part != NULL && v->part[v->change[i].resource].direction != PLANI_PART_OTHER;
}

/* Measure the i-th change's resource again. *changed: it is nearer to what the times say than to what it was. */
static int measure_change(reviewing_t *v, size_t i, int *changed)
{
    plani_again_t what = {.machine = v->machine, .host = v->host};
    const plani_again_found_t *found = &v->again;

    if (v->b->rank == 0) {
        name_change(v, &v->change[i]);
        what.part = v->part[v->change[i].resource];
        what.rate = fmin(v->review->was_bytes_per_s, v->review->now_bytes_per_s);
    }
    int rc = plani_measure_again(v->b->comm, &what, &v->again, v->err);
    if (v->b->rank == 0 && rc == 0) {
        plan_review_t *r = v->review;
        *changed = plani_again_changed(found, r->was_bytes_per_s, r->now_bytes_per_s);
        plani_report(&v->options, 0, "measured again: %s carries %s%s, %s in the machine", r->resource,
                     found->at_least ? "at least " : "", plani_rate(found->rate).s, plani_rate(r->was_bytes_per_s).s);
        if (*changed) r->now_bytes_per_s = found->rate, r->measured = true, v->changed = what.part;
        if (*changed) rc = plani_planner(NULL)->machine_set_rate(v->machine, what.part, found->rate, found->ends);
    }
    return plani_agree(v->b->comm, rc, v->err);
}

/* What explains the times best is measured; if it has not changed, the next best, and so on. */
static int measure_changes(reviewing_t *v, int *changed)
{
    int rc = 0, go;

    *changed = 0;
    for (size_t i = 0; i < PLANI_CHANGES && rc == 0 && !*changed; i++) {
        go = v->b->rank == 0 && can_measure(v, i);
        if ((rc = PMPI_Bcast(&go, 1, MPI_INT, 0, v->b->comm)) != MPI_SUCCESS)
            return plani_mpi_fail(v->err, rc, "a review");
        if (go) rc = measure_change(v, i, changed);
        if (rc == 0 && (rc = PMPI_Bcast(changed, 1, MPI_INT, 0, v->b->comm)) != MPI_SUCCESS)
            return plani_mpi_fail(v->err, rc, "a review");
        if (go && !*changed) v->review->resource[0] = '\0'; /* none of those that could be measured */
    }
    return rc;
}

/* Rank 0: the new rate alone, for others may have changed the file since this job read it. */
static plan_status_t save(reviewing_t *v)
{
    plan_error_t why = {.text = ""};
    plan_status_t rc = plani_planner(NULL)->machine_renew_file(v->machine, v->changed, v->again.rate, v->again.ends,
                                                               v->options.save_machine, &why);

    v->review->saved = rc == PLAN_OK;
    if (rc == PLAN_EMISMATCH) {
        plani_report(&v->options, 0, "the new rate is not saved: %s", why.text);
        return PLAN_OK;
    }
    return rc == PLAN_OK ? rc : plani_fail(v->err, rc, "%s", why.text);
}

/* The changed machine is known to all ranks, and its new rate saved. */
static int update(reviewing_t *v)
{
    int rc = v->b->rank == 0 && v->options.save_machine != NULL ? save(v) : 0;

    if ((rc = plani_agree(v->b->comm, rc, v->err)) != 0) return rc;
    return plani_comm_machine_update(v->b->comm, &v->comm_machine, v->machine, v->from, v->err);
}

/* [B] The end of the last range that plan_bcast takes, or the message that was compared, if that is larger. */
static size_t largest_planned(const reviewing_t *v)
{
    size_t i = v->plan->nranges;
    while (i > 0 && v->plan->range[i - 1].up_to > PLANI_MAX_BYTES) i--;
    size_t most = i > 0 ? v->plan->range[i - 1].up_to : 0;
    return most > v->review->bytes ? most : v->review->bytes;
}

static int renew(reviewing_t *v, plan_t **plan, const plan_options_t *options)
{
    plan_t *fresh = NULL;
    int changed = 0, rc = measure_changes(v, &changed);

    if (rc != 0 || !changed) return rc;
    if ((rc = update(v)) != 0) return rc;
    if ((rc = plan_bcast(v->b->comm, v->b->root, largest_planned(v), options, &fresh)) != 0) return rc;
    plan_destroy(plan);
    *plan = fresh;
    v->review->renewed = true;
    return 0;
}

/* ---- the whole ---- */

static void explain(plan_review_t *r)
{
    char why[256] = ": no single resource explains it";

    if (r->resource[0] != '\0')
        snprintf(why, sizeof why, ": %.100s %s %s, %s in the machine%s", r->resource,
                 r->measured ? "carries" : "seems to carry about", plani_rate(r->now_bytes_per_s).s,
                 plani_rate(r->was_bytes_per_s).s, r->renewed ? "; the plan is renewed" : "");
    if (r->bytes == 0)
        snprintf(r->text, sizeof r->text, "too few broadcasts of 1 ms or more to compare with the prediction");
    else
        snprintf(r->text, sizeof r->text, "%s: %s, %s predicted%s", plani_bytes((double)r->bytes).s,
                 plani_seconds(r->measured_s).s, plani_seconds(r->predicted_s).s, r->off ? why : "");
}

static int review(reviewing_t *v)
{
    int rc;

    if ((rc = gather(v)) != 0) return rc;
    if ((rc = find_platform(v)) != 0) return rc;
    if ((rc = plani_agree(v->b->comm, v->b->rank == 0 ? compare(v) : 0, v->err)) != 0) return rc;
    rc = PMPI_Bcast(v->review, (int)sizeof *v->review, MPI_BYTE, 0, v->b->comm);
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(v->err, rc, "a review");
}

static void release(reviewing_t *v)
{
    plani_comm_machine_close(&v->comm_machine);
    plani_forget_machine(&v->machine);
    plan_platform_destroy(&v->placed);
    plan_platform_destroy(&v->loaded);
    free(v->part);
    free(v->timing);
    free(v->arrival);
    free(v->host);
}

int plan_review(plan_t **plan, const plan_options_t *options, bool wanted, plan_review_t *out)
{
    plan_error_t line = {.text = ""}, *err = plani_options_error(options) != NULL ? options->error : &line;
    plan_review_t found = {.size = sizeof found};

    plani_clear(err);
    if (plan == NULL || *plan == NULL || (*plan)->binding == NULL ||
        ((plani_binding_t *)(*plan)->binding)->reducer != NULL)
        return plani_fail(err, PLAN_EINVAL, "a review needs a plan for broadcasts that is bound to a communicator");
    reviewing_t v = {.b = (*plan)->binding, .plan = *plan, .err = err, .review = &found};
    if (v.b->started.under_way) /* which may use the plan's communicator */
        return plani_fail(err, PLAN_EBUSY, "a broadcast by the plan is under way: end it before the review");
    MPI_Comm comm = v.b->comm;
    int rank = v.b->rank, rc = out != NULL ? plani_check_size("plan_review_t", out->size, sizeof *out, err)
                                           : plani_fail(err, PLAN_EINVAL, "the output argument for the review is NULL");

    if (rc == 0) rc = read_options(&v, options);
    rc = plani_agree(comm, rc, err);
    if (rc == 0 && v.b->ranks > 1) rc = review(&v);
    if (rc == 0 &&
        (rc = PMPI_Bcast(&wanted, (int)sizeof wanted, MPI_BYTE, 0, comm)) != MPI_SUCCESS) /* rank 0's counts */
        plani_mpi_fail(err, rc, "a review");
    if (rc == 0 && wanted && found.off && (rc = renew(&v, plan, options)) == 0) {
        comm = ((plani_binding_t *)(*plan)->binding)->comm;
        rc = PMPI_Bcast(&found, (int)sizeof found, MPI_BYTE, 0, comm);
    }
    if (rc == 0) explain(&found), *out = found;
    if (rank == 0 && rc == 0) plani_report(&v.options, 0, "%s", out->text);
    release(&v);
    return rc;
}
