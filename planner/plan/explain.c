/* plan_explain: what a plan does for one message size, and why, in a few lines of text. */
#include "graphs/trees/rounds.h"
#include "planner/plan/assignment.h"
#include "lib/base/text.h"
#include <gsl/gsl_sort_int.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *plural(double n)
{
    return n == 1 ? "" : "s";
}

static void say_what(plani_text_t *to, const plan_t *plan, const plan_candidate_t *c, size_t bytes)
{
    if (plan->reduces)
        plani_text_add(to, "%s reduced to rank %d of %d: %s", plani_bytes((double)bytes).s, plan->root, plan->ranks,
                       c->name);
    else
        plani_text_add(to, "%s from rank %d to %d rank%s: %s", plani_bytes((double)bytes).s, plan->root, plan->ranks,
                       plural(plan->ranks), c->name);
    if (c->run == PLAN_RUN_NATIVE) {
        plani_text_add(to, ", the MPI library's own %s\n", plan->reduces ? "MPI_Reduce" : "MPI_Bcast");
        return;
    }
    if (c->run == PLAN_RUN_SHARED) {
        plani_text_add(to, ", through memory that all ranks share\n");
        return;
    }
    if (!plani_is_sliced(c)) {
        plani_text_add(to, ", in one block per rank\n");
        return;
    }
    if (c->slice == 0 || c->slice >= bytes) {
        plani_text_add(to, ", sent whole\n");
        return;
    }
    size_t slices = bytes / c->slice + (bytes % c->slice != 0);
    plani_text_add(to, ", %zu slices of %s, up to %d in flight %s\n", slices, plani_bytes((double)c->slice).s,
                   c->window, c->run == PLAN_RUN_ROUNDS ? "each way" : "per child");
}

static void say_time(plani_text_t *to, const plan_candidate_t *c, const plani_note_t *note, size_t bytes)
{
    int measured = isfinite(c->measured_s);
    double s = measured ? c->measured_s : c->predicted_s;
    if (!isfinite(s)) return;
    plani_text_add(to, "%s %s", measured ? "measured" : "predicted", plani_seconds(s).s);
    if (measured && isfinite(c->predicted_s)) plani_text_add(to, " (predicted %s)", plani_seconds(c->predicted_s).s);
    if (note->at_bytes != 0 && note->at_bytes != bytes)
        plani_text_add(to, " for %s", plani_bytes((double)note->at_bytes).s);
    if (note->runner_up[0] != '\0' && isfinite(note->runner_up_s))
        plani_text_add(to, "; next best: %s, %s (%.2f times as long)", note->runner_up,
                       plani_seconds(note->runner_up_s).s, s > 0 ? note->runner_up_s / s : 1.0);
    plani_text_add(to, "\n");
}

/* [B] Of a message that is sent whole, figures are those of the size that it was planned at. */
static size_t whole_size(const plani_note_t *note, size_t bytes)
{
    return note->at_bytes != 0 ? note->at_bytes : bytes;
}

static void say_rate(plani_text_t *to, const plan_candidate_t *c, const plani_note_t *note, size_t bytes)
{
    if (!plani_is_sliced(c) || !isfinite(c->throughput)) return;
    double slice = (double)(c->slice != 0 ? c->slice : whole_size(note, bytes));
    plani_text_add(to, "by the model sustains %.4g slices/s", c->throughput);
    if (c->slice == 0 && whole_size(note, bytes) != bytes) plani_text_add(to, " of %s", plani_bytes(slice).s);
    if (slice > 0) plani_text_add(to, " (%s)", plani_rate(c->throughput * slice).s);
    if (isfinite(c->lp_ratio) && c->lp_ratio > 0)
        plani_text_add(to, ", %.1f%% of the bound of the platform planned on, %.4g", 100 * c->lp_ratio,
                       c->throughput / c->lp_ratio);
    plani_text_add(to, "\n");
}

/* host: [ranks] or NULL. */
static void say_rank(plani_text_t *to, int ranks, const int *host, const plan_platform_data_t *d, size_t rank)
{
    plani_text_add(to, "rank %zu", rank);
    if (rank >= (size_t)ranks) return;
    if (d != NULL && d->sites > 1)
        plani_text_add(to, " (host %d, site %d)", d->host[rank], d->site[rank]);
    else if (d != NULL || host != NULL)
        plani_text_add(to, " (host %d)", d != NULL ? d->host[rank] : host[rank]);
}

static void say_bottleneck(plani_text_t *to, int ranks, const int *host, const plan_platform_data_t *d,
                           const plan_candidate_t *c, size_t bytes)
{
    const plan_bottleneck_t *b = &c->bottleneck;
    if (b->at == PLAN_AT_SEND_PORT || b->at == PLAN_AT_RECV_PORT) {
        say_rank(to, ranks, host, d, b->index);
        plani_text_add(to, b->at == PLAN_AT_SEND_PORT ? ", sending" : ", receiving");
    } else if (b->at == PLAN_AT_PORT) {
        say_rank(to, ranks, host, d, b->index);
        plani_text_add(to, ", sending and receiving");
    } else if (b->at == PLAN_AT_RESOURCE && d != NULL && b->index < d->nresources) {
        plani_text_add(to, "%s", d->resource[b->index].name);
    } else if (b->at == PLAN_AT_LINK && d != NULL && b->index < d->nlinks) {
        plani_text_add(to, "the link from rank %d to rank %d", d->link[b->index].from, d->link[b->index].to);
    } else {
        plani_text_add(to, "%s %zu", b->at == PLAN_AT_RESOURCE ? "resource" : "link", b->index);
    }
    double slices = plani_is_sliced(c) || c->slice == 0 ? 1 : (double)bytes / (double)c->slice;
    plani_text_add(to, ", busy for %s %s", plani_seconds(b->seconds * slices).s,
                   plani_is_sliced(c) ? "per slice" : "in all rounds together");
}

static bool has_bottleneck(const plan_candidate_t *c)
{
    return isfinite(c->bottleneck.seconds) && c->bottleneck.seconds > 0;
}

plan_status_t plani_bottleneck_text(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, char **text)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    plani_text_t t = {0};

    *text = NULL;
    if (!has_bottleneck(c)) return PLAN_OK;
    say_bottleneck(&t, d->ranks, NULL, d, c, bytes);
    return plani_text_take(&t, text);
}

/* Number of different values; 0 if out of memory. */
static int distinct(const int *group, int n)
{
    int *sorted = malloc((size_t)n * sizeof *sorted), count = 1;
    if (sorted == NULL) return 0;
    memcpy(sorted, group, (size_t)n * sizeof *sorted);
    gsl_sort_int(sorted, 1, (size_t)n);
    for (int i = 1; i < n; i++) count += sorted[i] != sorted[i - 1];
    free(sorted);
    return count;
}

/* Number of links between hosts; any tree has at least the number of hosts less one. */
static void say_crossings(plani_text_t *to, const plan_tree_t *tree, const int *host)
{
    int n = plan_tree_data(tree)->ranks, crossings = 0, hosts = distinct(host, n);
    const int *parent = plan_tree_data(tree)->parent;
    for (int v = 0; v < n; v++) crossings += parent[v] >= 0 && host[parent[v]] != host[v];
    to->failed = to->failed || hosts == 0;
    if (hosts > 1)
        plani_text_add(to, "; %d link%s between hosts, where %d is the least", crossings, plural(crossings), hosts - 1);
}

static void say_rounds(plani_text_t *to, const plan_t *plan, const plan_candidate_t *c, size_t bytes)
{
    plani_schedule_t s;
    if (bytes == 0 || plani_schedule_init(c->schedule, c->places, 0, &s) != PLAN_OK) return;
    size_t blocks = plani_schedule_blocks(c->schedule, c->places, bytes, c->slice);
    plani_text_add(to, "schedule %s: %zu block%s in %zu rounds, the ranks in the order",
                   plan_schedule_name(c->schedule), blocks, plural((double)blocks), plani_schedule_rounds(&s, blocks));
    for (int v = 0; v < plan->ranks && v < 16; v++) plani_text_add(to, " %d", c->order[v]);
    plani_text_add(to, plan->ranks > 16 ? " ...\n" : "\n");
}

static void say_shape(plani_text_t *to, const plan_t *plan, const plan_platform_data_t *d, const plan_candidate_t *c)
{
    const int *hosts = d != NULL ? d->host : plan->hosts;
    double total = 0;
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t t = 0; t < c->ntrees; t++) {
        int n = 0;
        const int *child = plan_tree_children(c->tree[t], plan->root, &n);
        if (c->ntrees == 1)
            plani_text_add(to, "one tree");
        else
            plani_text_add(to, "tree %zu with %.1f%% of the slices", t + 1, 100 * c->rate[t] / total);
        plani_text_add(to, ": height %d, rank %d %s", plan_tree_data(c->tree[t])->height, plan->root,
                       plan->reduces ? "receives from" : "sends to");
        for (int i = 0; i < n && i < 8; i++) plani_text_add(to, "%s %d", i ? "," : "", child[i]);
        if (n == 0) plani_text_add(to, " nobody");
        if (n > 8) plani_text_add(to, ", ... (%d ranks)", n);
        if (hosts != NULL) say_crossings(to, c->tree[t], hosts);
        plani_text_add(to, "\n");
    }
}

plan_status_t plan_explain(const plan_t *plan, const plan_platform_t *pf, size_t bytes, char **text)
{
    plani_text_t t = {0};
    if (plan == NULL || text == NULL) return PLAN_EINVAL;
    const plan_platform_data_t *d = pf != NULL ? plan_platform_data(pf) : NULL;
    size_t i = plani_plan_index(plan, bytes);
    plan_candidate_t c;

    if (d != NULL && d->ranks != plan->ranks) return PLAN_EMISMATCH;
    plan_status_t rc = plani_candidate_copy(&plan->candidate[i], &c);
    if (rc != PLAN_OK) return rc;
    plani_candidate_narrow(&c, bytes);
    say_what(&t, plan, &c, bytes);
    say_time(&t, &c, &plan->note[i], bytes);
    if (plani_is_sent(&c)) {
        say_rate(&t, &c, &plan->note[i], bytes);
        if (has_bottleneck(&c)) {
            plani_text_add(&t, "bottleneck: ");
            say_bottleneck(&t, plan->ranks, plan->hosts, d, &c, bytes);
            size_t whole = c.slice == 0 ? whole_size(&plan->note[i], bytes) : bytes;
            if (whole != bytes) plani_text_add(&t, " of %s", plani_bytes((double)whole).s);
            plani_text_add(&t, "\n");
        }
    }
    if (plani_has_trees(&c)) say_shape(&t, plan, d, &c);
    if (c.run == PLAN_RUN_ROUNDS) say_rounds(&t, plan, &c, bytes);
    plani_candidate_clear(&c);
    return plani_text_take(&t, text);
}
