/* What is slow here, and what the plan gains, in one sentence. */
#include "planner/report/limits.h"
#include "planner/report/view.h"
#include <gsl/gsl_sort_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* [B/s] The median rate of the resources that have one; 0: none has. */
static double median_rate(const plan_platform_data_t *d, plani_text_t *to)
{
    size_t n = 0;
    double *rate = malloc((d->nresources + 1) * sizeof *rate), median = 0;

    for (size_t i = 0; i < d->nresources && rate != NULL; i++)
        if (d->resource[i].s_per_byte > 0) rate[n++] = 1 / d->resource[i].s_per_byte;
    if (n > 0) {
        gsl_sort(rate, 1, n);
        median = rate[n / 2];
    }
    to->failed = to->failed || rate == NULL;
    free(rate);
    return median;
}

static void say_resource(plani_text_t *to, const plan_platform_data_t *d, size_t index)
{
    const plan_resource_t *r = &d->resource[index];
    const plani_resource_name_t what = plani_resource_name(d, index);

    if (r->s_per_byte > 0 && 1 / r->s_per_byte * (1 + PLANI_ALIKE) < median_rate(d, to))
        plani_text_add(to, "what is slow here is %s (%s)", what.s, plani_rate(1 / r->s_per_byte).s);
    else if (r->s_per_byte > 0)
        plani_text_add(to, "nothing is slower here than its like, and %s (%s) is busiest", what.s,
                       plani_rate(1 / r->s_per_byte).s);
    else
        plani_text_add(to, "what is slow here is %s (%s a message)", what.s, plani_seconds(r->s_per_message).s);
}

/* Without a plan, what has the least rate. */
static void say_slowest(plani_text_t *to, const plani_machine_t *m)
{
    plani_limits_t l = {.n = 0};

    to->failed = plani_limits_list(m, &l) != PLAN_OK || to->failed;
    if (l.n > 0)
        plani_text_add(to, "what is slowest here is the %s (%s); the machine does not say enough for a plan",
                       l.at[0].what, plani_rate(l.at[0].bytes_per_s).s);
    else
        plani_text_add(to, "the machine does not say enough for a plan");
    plani_limits_free(&l);
}

static void say_slow(plani_text_t *to, const plani_report_t *r)
{
    const plan_platform_data_t *d = r->pf != NULL ? plan_platform_data(r->pf) : NULL;
    const plan_candidate_t *c = plani_report_sent(r, false);
    const plan_bottleneck_t b = c != NULL ? c->bottleneck : (plan_bottleneck_t){.seconds = 0};

    if (r->chosen != NULL && r->chosen->run == PLAN_RUN_SHARED)
        plani_text_add(to, "all ranks share the memory of one host");
    else if (r->pf == NULL && r->plan == NULL && r->machine != NULL)
        say_slowest(to, r->machine);
    else if (!(b.seconds > 0))
        plani_text_add(to, "what is slow here is not known");
    else if (b.at == PLAN_AT_RESOURCE && d != NULL && b.index < d->nresources)
        say_resource(to, d, b.index);
    else if (b.at == PLAN_AT_LINK && d != NULL && b.index < d->nlinks)
        plani_text_add(to, "what is slow here is the link from rank %d to rank %d (%s)", d->link[b.index].from,
                       d->link[b.index].to,
                       d->link[b.index].s_per_byte > 0 ? plani_rate(1 / d->link[b.index].s_per_byte).s : "-");
    else if (b.at == PLAN_AT_PORT)
        plani_text_add(to, "what is busiest here is rank %zu, sending and receiving", b.index);
    else if (b.at == PLAN_AT_SEND_PORT || b.at == PLAN_AT_RECV_PORT)
        plani_text_add(to, "what is busiest here is rank %zu, %s", b.index,
                       b.at == PLAN_AT_SEND_PORT ? "sending" : "receiving");
    else
        plani_text_add(to, "what is slow here is a resource without a name (give its platform)");
}

/* The fastest of Open MPI's own trees, at its best slice size; NULL: there is none. */
static const plan_candidate_t *best_of_ompi(const plan_ranking_t *last)
{
    const plan_candidate_t *best = NULL;

    for (size_t i = 0; last != NULL && i < last->ncandidates; i++) {
        const plan_candidate_t *c = &last->candidate[i];
        if (strncmp(c->name, "ompi-", 5) != 0 || !isfinite(c->predicted_s) || !plani_is_planned(c)) continue;
        if (best == NULL || c->predicted_s < best->predicted_s) best = c;
    }
    return best;
}

static void say_measured(plani_text_t *to, const plani_compared_t *c, const char *native)
{
    plani_text_add(to, "; for %s the plan takes %s", plani_bytes((double)c->bytes).s, plani_seconds(c->plan_s).s);
    plani_text_add(to, ", and %s %.2f times as long (measured)", native, c->ratio);
}

static void say_predicted(plani_text_t *to, const plani_report_t *r)
{
    const plan_candidate_t *other = best_of_ompi(r->nrankings > 0 ? r->ranking[r->nrankings - 1] : NULL);

    if (r->chosen == NULL || !isfinite(r->chosen->predicted_s)) return;
    plani_text_add(to, "; by the model the plan takes %s for %s", plani_seconds(r->chosen->predicted_s).s,
                   plani_bytes((double)r->bytes).s);
    if (other == NULL || !(r->chosen->predicted_s > 0)) return;
    double ratio = other->predicted_s / r->chosen->predicted_s;
    if (ratio < 1.005 && strncmp(r->chosen->name, "ompi-", 5) != 0)
        plani_text_add(to, ", no less than the best of Open MPI's own trees, %s at its best slice size", other->name);
    else if (strncmp(r->chosen->name, "ompi-", 5) == 0)
        plani_text_add(to, ", by one of Open MPI's own trees, %s", r->chosen->name);
    else
        plani_text_add(to, ", and the best of Open MPI's own trees, %s at its best slice size, %.2f times as long",
                       other->name, ratio);
}

void plani_verdict(plani_text_t *to, const plani_report_t *r)
{
    size_t begin = to->len;

    say_slow(to, r);
    if (r->ncompared > 0)
        say_measured(to, &r->compared[r->ncompared - 1], plani_report_native(r));
    else
        say_predicted(to, r);
    plani_text_add(to, ".");
    if (!to->failed && to->at[begin] >= 'a' && to->at[begin] <= 'z') to->at[begin] -= 'a' - 'A';
}
