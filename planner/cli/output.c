#include "planner/cli/output.h"
#include "planner/plan/plan_private.h"
#include "planner/report/view.h"
#include "planner/select/ranking.h"
#include "graphs/machine/machine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *cli_json_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *cli_json_ints(const int *x, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) json_array_append_new(list, json_integer(x[i]));
    return list;
}

size_t cli_largest(const plan_t *plan, size_t otherwise)
{
    size_t end = plan != NULL ? plan_data(plan)->range[plan_data(plan)->nranges - 1].up_to : SIZE_MAX;
    return end != SIZE_MAX ? end : otherwise;
}

/* A message that is sent whole has its size as slice size, so that programs can divide by it. */
static json_t *candidate(const plan_candidate_t *c, size_t bytes)
{
    size_t slice = c->slice == 0 && plani_is_sent(c) ? bytes : c->slice;
    json_t *trees = json_array();
    for (size_t k = 0; k < c->ntrees; k++)
        json_array_append_new(
            trees, json_pack("{s:o, s:o}", "rate", cli_json_real(c->rate[k]), "parent",
                             cli_json_ints(plan_tree_data(c->tree[k])->parent, plan_tree_data(c->tree[k])->ranks)));
    json_t *all = json_pack("{s:s, s:I, s:i, s:o, s:o, s:o, s:o, s:o}", "name", c->name, "slice", (json_int_t)slice,
                            "window", c->window, "throughput", cli_json_real(c->throughput), "bytes_per_s",
                            cli_json_real(c->throughput * (double)slice), "lp_ratio", cli_json_real(c->lp_ratio),
                            "predicted_s", cli_json_real(c->predicted_s), "trees", trees);
    if (all != NULL && c->run == PLAN_RUN_ROUNDS) {
        json_object_set_new(all, "schedule", json_string(plan_schedule_name(c->schedule)));
        json_object_set_new(all, "order", cli_json_ints(c->order, c->places));
    }
    if (all != NULL && isfinite(c->measured_s)) json_object_set_new(all, "measured_s", json_real(c->measured_s));
    return all;
}

json_t *cli_json_ranking(const plan_ranking_t *ranking)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ranking->ncandidates; i++)
        json_array_append_new(list, candidate(&ranking->candidate[i], ranking->bytes));
    double bytes_per_s = ranking->bound * (double)ranking->bound_slice;
    json_t *all =
        json_pack("{s:I, s:o, s:o, s:I, s:o, s:s, s:o}", "bytes", (json_int_t)ranking->bytes, "bound",
                  cli_json_real(ranking->bound), "bound_bytes_per_s", cli_json_real(bytes_per_s), "bound_slice",
                  (json_int_t)ranking->bound_slice, "bound_gap", cli_json_real(ranking->bound_gap), "chosen",
                  ranking->ncandidates ? ranking->candidate[0].name : "", "candidates", list);
    if (all != NULL && ranking->bound_of_machine) json_object_set_new(all, "method", json_string("machine"));
    return all;
}

void cli_print_bound(FILE *out, const plan_ranking_t *ranking)
{
    double slice = (double)ranking->bound_slice;
    fprintf(out, "bound%s: %.6g slices/s of %s = %s, ", plani_ranking_shares_memory(ranking) ? " of messages" : "",
            ranking->bound, plani_bytes(slice).s, plani_rate(ranking->bound * slice).s);
    if (ranking->bound_of_machine)
        fprintf(out, "of the machine as described or measured\n");
    else
        fprintf(out, "of the platform's links, ports and resources, certified to %.2g\n", ranking->bound_gap);
}

static bool starved;

static void *watched_malloc(size_t size)
{
    void *p = malloc(size);
    if (p == NULL) starved = true;
    return p;
}

void cli_watch_memory(void)
{
    json_set_alloc_funcs(watched_malloc, free);
}

int cli_print_json(const cli_t *cli, const char *format, json_t *value)
{
    json_t *all = json_pack("{s:s, s:i}", "format", format, "version", 1);
    bool made = value != NULL && json_object_update(all, value) == 0;
    char *text = made ? json_dumps(all, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    json_decref(all);
    if (starved) free(text), text = NULL; /* it is incomplete */
    if (text == NULL) return cli_fail_status(cli, PLAN_ENOMEM, NULL);
    if (cli->out != NULL) fprintf(cli->out, "%s\n", text);
    free(text);
    return CLI_DONE;
}

static void print_channel(FILE *out, const plan_platform_data_t *d, size_t c)
{
    const plan_channel_t *ch = &d->channel[c];
    char name[40];
    size_t links = 0;
    double cheapest = INFINITY;

    for (size_t i = 0; i < d->nlinks; i++)
        if (d->link[i].channel == (int)c) {
            links++;
            cheapest = fmin(cheapest, d->link[i].s_per_byte);
        }
    fprintf(out, "  %-22s %6zu  %9s  %9s  %10s ", cli_name(ch->name, name), links,
            ch->nsizes ? plani_seconds(ch->p2p_s[0]).s : "-", ch->nsizes ? plani_seconds(ch->overhead_s[0]).s : "-",
            cheapest > 0 ? plani_rate(1 / cheapest).s : "-");
    for (size_t k = 1; k < ch->ngamma && k < 6; k++) fprintf(out, " %.2f", ch->gamma[k]);
    fprintf(out, "\n");
}

/* A resource, for sorting. */
typedef struct {
    double s_per_byte;
    size_t nth;
} slow_t;

static int slower(const void *a, const void *b)
{
    const slow_t *x = a, *y = b;
    if (x->s_per_byte != y->s_per_byte) return x->s_per_byte > y->s_per_byte ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static void print_resource(FILE *out, const plan_platform_data_t *d, size_t r)
{
    const plan_resource_t *of = &d->resource[r];
    char name[40];

    fprintf(out, "  %-22s %6zu  %9s  %9s  %10s\n", cli_name(plani_resource_name(d, r).s, name), of->nlinks,
            of->s_per_message > 0 ? plani_seconds(of->s_per_message).s : "", "",
            of->s_per_byte > 0 ? plani_rate(1 / of->s_per_byte).s : "-");
}

/* The slowest, and all trunks; what takes time per message alone comes last. */
static plan_status_t print_resources(FILE *out, const plan_platform_t *pf)
{
    enum { MOST = 24 };
    const plan_platform_data_t *d = plan_platform_data(pf);
    const plani_report_t about = {.pf = pf};
    plani_view_t view;
    bool messages = false;
    size_t printed = 0;

    if (d->nresources == 0) return PLAN_OK;
    slow_t *order = malloc(d->nresources * sizeof *order);
    plan_status_t rc = order != NULL ? plani_view_create(&about, &view) : PLAN_ENOMEM;
    if (rc != PLAN_OK) goto done;
    for (size_t r = 0; r < d->nresources; r++) {
        messages |= d->resource[r].s_per_message > 0;
        order[r] = (slow_t){d->resource[r].s_per_byte, r};
    }
    qsort(order, d->nresources, sizeof *order, slower);
    fprintf(out, "%s  %-22s %6s  %9s  %9s  %10s\n", d->nchannels ? "\n" : "", "shared resource", "links",
            messages ? "a message" : "", "", "bandwidth");
    for (size_t i = 0; i < d->nresources; i++) {
        if (i >= MOST && plani_view_place(&view, d, order[i].nth).group < 0) continue;
        print_resource(out, d, order[i].nth);
        printed++;
    }
    if (d->nresources > printed) fprintf(out, "  ... and %zu more, none of them slower\n", d->nresources - printed);
    plani_view_clear(&view);
done:
    free(order);
    return rc;
}

plan_status_t cli_print_platform(FILE *out, const plan_platform_t *pf)
{
    const plan_platform_data_t *d = plan_platform_data(pf);

    if (d->nchannels > 0)
        fprintf(out, "  %-22s %6s  %9s  %9s  %10s  %s\n", "channel class", "links", "latency", "overhead", "bandwidth",
                "gamma(3) (4) ...");
    for (size_t c = 0; c < d->nchannels; c++) print_channel(out, d, c);
    return print_resources(out, pf);
}

static void print_piece(FILE *out, const char *class, const json_t *piece)
{
    double per_byte = json_number_value(json_object_get(piece, "s_per_byte"));
    double latency = json_number_value(json_object_get(piece, "latency_s")); /* negative in old profiles */
    char name[40];

    fprintf(out, "  %-22s %9s  %9s  %10s\n", cli_name(class, name),
            plani_bytes(json_number_value(json_object_get(piece, "from_bytes"))).s,
            latency >= 0 ? plani_seconds(latency).s : "-", per_byte > 0 ? plani_rate(1 / per_byte).s : "-");
}

void cli_print_pieces(FILE *out, const json_t *profile)
{
    const json_t *classes = json_object_get(profile, "classes");
    bool titled = false;

    for (size_t c = 0; c < json_array_size(classes); c++) {
        const json_t *class = json_array_get(classes, c), *pieces = json_object_get(class, "pieces");
        const char *name = json_string_value(json_object_get(class, "name"));
        for (size_t i = 0; i < json_array_size(pieces); i++) {
            if (!titled) fprintf(out, "\n  %-22s %9s  %9s  %10s\n", "single messages", "from", "latency", "bandwidth");
            titled = true;
            print_piece(out, i == 0 && name != NULL ? name : "", json_array_get(pieces, i));
        }
    }
}

plani_quantity_t cli_slice(const plan_candidate_t *c)
{
    plani_quantity_t word = {"whole"};
    if (c->run == PLAN_RUN_NATIVE || c->run == PLAN_RUN_SHARED) return (plani_quantity_t){"-"};
    if (c->run == PLAN_RUN_ROUNDS && c->schedule != PLAN_CIRCULANT) return (plani_quantity_t){"per rank"};
    return c->slice ? plani_bytes((double)c->slice) : word;
}

static void print_candidate(FILE *out, const plan_ranking_t *ranking, const plan_candidate_t *c, bool measured)
{
    double slice_bytes = c->slice ? (double)c->slice : (double)ranking->bytes;
    bool rated = c->throughput > 0 && isfinite(c->throughput);

    fprintf(out, "%s %-20s %9s ", c == ranking->candidate ? "*" : " ", c->name, cli_slice(c).s);
    if (c->run == PLAN_RUN_NATIVE || c->run == PLAN_RUN_SHARED)
        fprintf(out, "%6s %5s", "-", "-");
    else if (c->run == PLAN_RUN_ROUNDS)
        fprintf(out, "%6d %5s", c->window, "-");
    else
        fprintf(out, "%6d %5zu", c->window, c->ntrees);
    fprintf(out, "  %10s ", rated ? plani_rate(c->throughput * slice_bytes).s : "-");
    if (rated && isfinite(c->lp_ratio))
        fprintf(out, "%7.1f%%", 100 * c->lp_ratio);
    else
        fprintf(out, "%8s", "-");
    fprintf(out, "  %9s", plani_seconds(c->predicted_s).s);
    if (measured) fprintf(out, "  %9s", plani_seconds(c->measured_s).s);
    fprintf(out, "%s\n", c->run == PLAN_RUN_NOT ? "  not executable" : "");
}

void cli_print_ranking(FILE *out, const plan_ranking_t *ranking)
{
    bool measured = false;
    for (size_t i = 0; i < ranking->ncandidates; i++) measured |= isfinite(ranking->candidate[i].measured_s) != 0;
    fprintf(out, "  %-20s %9s %6s %5s  %10s %8s  %9s%s\n", "candidate", "slice", "window", "trees", "throughput",
            "of bound", "predicted", measured ? "   measured" : "");
    for (size_t i = 0; i < ranking->ncandidates; i++) print_candidate(out, ranking, &ranking->candidate[i], measured);
}

/* Trunks and cards that are guesses, as far as they fit into a line. */
static void print_guesses(FILE *out, const json_t *guessed)
{
    enum { MOST = 6 };
    size_t n = json_array_size(guessed);
    char name[40];

    if (n > 0) fprintf(out, "  Not measured, but guessed for plans; bounds ignore it: ");
    for (size_t i = 0; i < n && i < MOST; i++) {
        const char *what = json_string_value(json_array_get(guessed, i));
        fprintf(out, "%s%s", i > 0 ? ", " : "", cli_name(what != NULL ? what : "", name));
    }
    if (n > MOST) fprintf(out, " and %zu more", n - MOST);
    if (n > 0) fputs(".\n", out);
}

void cli_print_validation(FILE *out, const json_t *provenance)
{
    const json_t *tried = json_object_get(provenance, "validation");
    char name[40];

    long long left_out = (long long)json_integer_value(json_object_get(provenance, "left_out"));

    if (left_out > 0)
        fprintf(out, "\n  Time did not allow %lld steps of measuring: measure again, with a larger budget.\n",
                left_out);
    print_guesses(out, json_object_get(provenance, "guessed"));
    if (json_array_size(tried) == 0) return;
    fprintf(out, "\n  tried on broadcasts         of  predicted       took\n");
    for (size_t i = 0; i < json_array_size(tried); i++) {
        const json_t *at = json_array_get(tried, i);
        double predicted = json_number_value(json_object_get(at, "predicted_s")),
               measured = json_number_value(json_object_get(at, "measured_s"));
        const char *what = json_string_value(json_object_get(at, "name"));
        fprintf(out, "  %-20s %9s  %9s  %9s  %+.0f%%\n", cli_name(what != NULL ? what : "", name),
                plani_bytes(json_number_value(json_object_get(at, "bytes"))).s, plani_seconds(predicted).s,
                plani_seconds(measured).s, 100 * (measured / predicted - 1));
    }
    if (plani_validation_error(tried) > PLANI_OFF)
        fprintf(out, "  The machine was disturbed, or is not what measuring took it for: measure again.\n");
}
