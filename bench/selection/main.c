/*
 * Regret of choices among Open MPI's broadcasts, on a table as planbcast select reads it:
 *
 *     bench_selection TABLE
 *
 * Prints lines of tab-separated fields: for each method and each way of holding sizes back
 *
 *     regret  METHOD  HELD_BACK  choices  median  mean  worst  share up to 15%
 *     cell    METHOD  HELD_BACK  ranks  ranks_per_host  bytes  chosen  regret    (one size, and ends and middle alone)
 *     error   METHOD  HELD_BACK  median of |ln(predicted / measured)|
 *     known   METHOD  the three sizes that were known  choices  median  mean  worst  (all-3, one line each)
 *     time    WHAT    ns per decision
 *
 * Regret is the measured time of the choice / that of the best - 1. HELD_BACK: "one" size in turn; "ends-and-middle":
 * all but the smallest, the middle and the largest size; "all-3", "all-4", "all-5": all but 3, 4, 5 sizes, all choices
 * of those; "layout": estimated on one layout, chosen on the other ones.
 */
#include "shared.h"
#include "lib/base/base.h"
#include "lib/base/statistics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    CURVES,
    LINES,
    POWERS,
    SHAPED,
    PARAMETERS,
    ONE_HOCKNEY,
    ONE_LOGGP,
    ONE_PLOGP,
    DEFAULT,
    METHODS
} method_t;
static const char *const method_name[METHODS] = {"curves",  "lines", "powers", "shaped", "parameters",
                                                 "hockney", "loggp", "plogp",  "default"};

enum { MOST_SIZES = 20, MOST_LAYOUTS = 8 };

typedef struct {
    sel_table_t table;
    int nsizes, nlayouts;
    size_t size[MOST_SIZES];
    sel_layout_t layout[MOST_LAYOUTS];
    bool *use; /* [rows] */
} data_t;

typedef struct {
    size_t n, room, nerrors, error_room;
    double *regret, *error;
} sample_t;

/* ---- one method, estimated ---- */

typedef struct {
    method_t method;
    const sel_table_t *table;
    sel_fit_t fit;
    shared_t shared;
    bool known;
} model_t;

static model_t estimate(const data_t *d, method_t method)
{
    model_t m = {.method = method, .table = &d->table};
    plan_error_t err;
    const sel_settings_t how = {.parameters_alone = method == PARAMETERS, .use = d->use};
    if (method == SHAPED && !shared_fit(&d->table, d->use, LOGGP, &m.shared)) return m;
    if (method >= ONE_HOCKNEY && method <= ONE_PLOGP)
        m.known = shared_fit(&d->table, d->use, (shared_model_t)(method - ONE_HOCKNEY), &m.shared);
    if (method < ONE_HOCKNEY) m.known = sel_fit(&d->table, &how, &m.fit, &err) == PLAN_OK;
    return m;
}

static double between(const model_t *m, int way, sel_layout_t on, const sel_point_t *a, const sel_point_t *b,
                      double bytes)
{
    const sel_way_t *w = &m->table->way[way];
    double from = (double)a->bytes, to = (double)b->bytes, x = log(bytes / from) / log(to / from);
    if (m->method == LINES) return a->seconds + (b->seconds - a->seconds) * (bytes - from) / (to - from);
    if (m->method == POWERS) return a->seconds * pow(b->seconds / a->seconds, x);
    double low = a->seconds / shared_predict(&m->shared, w, on.ranks, a->bytes);
    double high = b->seconds / shared_predict(&m->shared, w, on.ranks, b->bytes);
    return shared_predict(&m->shared, w, on.ranks, (size_t)bytes) * low * pow(high / low, x);
}

/* Between two measured sizes, for comparison: the line; the power; LogGP's curve, drawn through the points by a factor
 * that is a power. NAN: not between. */
static double inside(const model_t *m, int way, sel_layout_t on, double bytes)
{
    for (size_t k = 0; k < m->fit.ncurves; k++) {
        const sel_curve_t *c = &m->fit.curve[k];
        if (c->way != way || !sel_same_layout(c->layout, on)) continue;
        for (size_t i = 1; i < c->n; i++)
            if (bytes > (double)c->point[i - 1].bytes && bytes < (double)c->point[i].bytes)
                return between(m, way, on, &c->point[i - 1], &c->point[i], bytes);
    }
    return NAN;
}

static double predict(model_t *m, int way, sel_layout_t on, size_t bytes)
{
    double s = NAN;
    if (m->method >= ONE_HOCKNEY) return shared_predict(&m->shared, &m->table->way[way], on.ranks, bytes);
    if (m->method > CURVES && m->method < PARAMETERS) s = inside(m, way, on, (double)bytes);
    if (isnan(s) && sel_predict(&m->fit, way, on, bytes, &s) != PLAN_OK) s = INFINITY;
    return s;
}

/* ---- one cell ---- */

typedef struct {
    int chosen, best;
    double regret;
} cell_t;

static void add(double **list, size_t *n, size_t *room, double x)
{
    double *more = plani_grown(*list, *n, room, sizeof *more);
    if (more == NULL) exit(1);
    *list = more;
    (*list)[(*n)++] = x;
}

/* Choose among what is measured there; with `errors`, keep how far predictions are off. */
static cell_t try_cell(const data_t *d, model_t *m, sel_layout_t on, size_t bytes, sample_t *sample)
{
    cell_t c = {-1, -1, NAN};
    double least = INFINITY, best = INFINITY;
    for (int w = 0; w < d->table.nways; w++) {
        double measured = sel_table_time(&d->table, w, on, bytes);
        if (isnan(measured)) continue;
        if (measured < best) best = measured, c.best = w;
        if (m->method == DEFAULT) continue;
        double t = predict(m, w, on, bytes);
        if (t < least) least = t, c.chosen = w;
        if (isfinite(t) && t > 0) add(&sample->error, &sample->nerrors, &sample->error_room, fabs(log(t / measured)));
    }
    double taken = m->method == DEFAULT ? sel_table_time(&d->table, SEL_DEFAULT, on, bytes)
                   : c.chosen >= 0      ? sel_table_time(&d->table, c.chosen, on, bytes)
                                        : NAN;
    c.regret = taken / best - 1;
    if (isfinite(c.regret)) add(&sample->regret, &sample->n, &sample->room, c.regret);
    return c;
}

static void print_cell(const data_t *d, method_t method, const char *held_back, sel_layout_t on, size_t bytes, cell_t c)
{
    printf("cell\t%s\t%s\t%d\t%d\t%zu\t%s\t%s\t%.6f\n", method_name[method], held_back, on.ranks, on.per_host, bytes,
           c.chosen >= 0       ? d->table.way[c.chosen].setting->name
           : method == DEFAULT ? "default"
                               : "-",
           c.best >= 0 ? d->table.way[c.best].setting->name : "-", c.regret);
}

/* ---- what is held back ---- */

/* Estimate from the sizes whose bit is set, choose at the others. */
static void hold_back_sizes(data_t *d, method_t method, unsigned fitted, const char *cells, sample_t *sample)
{
    for (size_t i = 0; i < d->table.n; i++)
        for (int k = 0; k < d->nsizes; k++)
            if (d->table.timing[i].bytes == d->size[k]) d->use[i] = fitted >> k & 1;
    model_t m = estimate(d, method);
    for (int l = 0; l < d->nlayouts && (m.known || method == DEFAULT); l++)
        for (int k = 0; k < d->nsizes; k++) {
            if (fitted >> k & 1) continue;
            cell_t c = try_cell(d, &m, d->layout[l], d->size[k], sample);
            if (cells != NULL) print_cell(d, method, cells, d->layout[l], d->size[k], c);
        }
    sel_fit_clear(&m.fit);
}

static void hold_back_layouts(data_t *d, method_t method, sample_t *sample)
{
    for (int l = 0; l < d->nlayouts; l++) {
        for (size_t i = 0; i < d->table.n; i++) d->use[i] = d->table.timing[i].layout.ranks == d->layout[l].ranks;
        model_t m = estimate(d, method);
        for (int o = 0; o < d->nlayouts && (m.known || method == DEFAULT); o++)
            for (int k = 0; k < d->nsizes; k++) {
                if (d->layout[o].ranks == d->layout[l].ranks) continue;
                cell_t c = try_cell(d, &m, d->layout[o], d->size[k], sample);
                print_cell(d, method, "layout", d->layout[o], d->size[k], c);
            }
        sel_fit_clear(&m.fit);
    }
}

/* Sorts x. */
static double median(size_t n, double *x)
{
    return n > 0 ? plani_interval(x, (int)n).median : NAN;
}

static void report(method_t method, const char *held_back, sample_t *s)
{
    double sum = 0, good = 0, middle = median(s->n, s->regret);
    for (size_t i = 0; i < s->n; i++) sum += s->regret[i], good += s->regret[i] <= 0.15;
    if (s->n > 0)
        printf("regret\t%s\t%s\t%zu\t%.6f\t%.6f\t%.6f\t%.6f\n", method_name[method], held_back, s->n, middle,
               sum / (double)s->n, s->regret[s->n - 1], good / (double)s->n);
    if (s->nerrors > 0) printf("error\t%s\t%s\t%.6f\n", method_name[method], held_back, median(s->nerrors, s->error));
    free(s->regret);
    free(s->error);
    *s = (sample_t){.n = 0};
}

/* What one choice of known sizes led to: the regrets from the first-th on. Sorts them. */
static void print_known(const data_t *d, method_t method, unsigned fitted, const sample_t *s, size_t first)
{
    double sum = 0, worst = 0;
    const char *separator = "";
    if (s->n == first) return;
    for (size_t i = first; i < s->n; i++) sum += s->regret[i], worst = fmax(worst, s->regret[i]);
    printf("known\t%s\t", method_name[method]);
    for (int k = 0; k < d->nsizes; k++)
        if (fitted >> k & 1) printf("%s%zu", separator, d->size[k]), separator = " ";
    printf("\t%zu\t%.6f\t%.6f\t%.6f\n", s->n - first, median(s->n - first, s->regret + first),
           sum / (double)(s->n - first), worst);
}

static void all_of(data_t *d, method_t method, int count)
{
    char name[16];
    sample_t s = {.n = 0};
    for (unsigned set = 0; set < 1u << d->nsizes; set++) {
        const size_t first = s.n;
        if (__builtin_popcount(set) != count) continue;
        hold_back_sizes(d, method, set, NULL, &s);
        if (count == 3) print_known(d, method, set, &s, first);
    }
    snprintf(name, sizeof name, "all-%d", count);
    report(method, name, &s);
}

static void regrets(data_t *d, method_t method)
{
    const unsigned all = (1u << d->nsizes) - 1, ends_and_middle = 1u | 1u << d->nsizes / 2 | 1u << (d->nsizes - 1);
    sample_t s = {.n = 0};
    for (int k = 0; k < d->nsizes; k++) hold_back_sizes(d, method, all & ~(1u << k), "one", &s);
    report(method, "one", &s);
    hold_back_sizes(d, method, ends_and_middle, "ends-and-middle", &s);
    report(method, "ends-and-middle", &s);
    hold_back_layouts(d, method, &s);
    report(method, "layout", &s);
    for (int count = 3; count <= 4; count++) all_of(d, method, count);
}

/* ---- time per decision ---- */

static void time_choices(data_t *d, method_t method)
{
    enum { ROUNDS = 2000 };
    memset(d->use, true, d->table.n);
    model_t m = estimate(d, method);
    int way = -1, n = 0;
    double s, start = plani_now();
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < d->nsizes; k++, n++)
            if (sel_choose(&m.fit, d->layout[0], d->size[k] + (size_t)i, &way, &s) != PLAN_OK) return;
    printf("time\tchoosing by %s\t%.0f\n", method_name[method], 1e9 * (plani_now() - start) / n);
    sel_fit_clear(&m.fit);
}

static void time_rules(data_t *d)
{
    enum { LOOKUPS = 10000000 };
    plani_rules_t rules;
    plan_error_t err;
    memset(d->use, true, d->table.n);
    model_t m = estimate(d, CURVES);
    if (!m.known || sel_rules(&m.fit, 1, d->layout, d->size[d->nsizes - 1], &rules, &err) != PLAN_OK) return;
    const plani_comm_rules_t *c = &rules.comm[0];
    size_t sum = 0, bytes = 1;
    double start = plani_now();
    for (int i = 0; i < LOOKUPS; i++) {
        size_t k = c->n - 1;
        while (k > 0 && c->rule[k].from > bytes) k--;
        sum += k;
        bytes = bytes * 5 % 536870909 + 1; /* sizes of all orders */
    }
    double looked_up = plani_now() - start;
    for (int i = 0; i < LOOKUPS; i++) {
        sum += (size_t)sel_listing1(d->layout[0].ranks, bytes)[0];
        bytes = bytes * 5 % 536870909 + 1;
    }
    printf("time\tlooking up in the rules\t%.1f\ntime\tListing 1\t%.1f\n", 1e9 * looked_up / LOOKUPS,
           1e9 * (plani_now() - start - looked_up) / LOOKUPS);
    if (sum == 0) printf("\n"); /* keeps the loops */
    plani_rules_clear(&rules);
    sel_fit_clear(&m.fit);
}

/* ---- the table ---- */

static int by_size(const void *x, const void *y)
{
    const size_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static bool describe(data_t *d)
{
    for (size_t i = 0; i < d->table.n; i++) {
        const sel_timing_t *t = &d->table.timing[i];
        int k = 0, l = 0;
        while (k < d->nsizes && d->size[k] != t->bytes) k++;
        while (l < d->nlayouts && !sel_same_layout(d->layout[l], t->layout)) l++;
        if (k == MOST_SIZES || l == MOST_LAYOUTS) return false;
        if (k == d->nsizes) d->size[d->nsizes++] = t->bytes;
        if (l == d->nlayouts) d->layout[d->nlayouts++] = t->layout;
    }
    qsort(d->size, (size_t)d->nsizes, sizeof *d->size, by_size);
    d->use = calloc(d->table.n, sizeof *d->use);
    return d->use != NULL && d->nsizes >= 3;
}

int main(int argc, char **argv)
{
    static data_t d;
    char *text = NULL;
    size_t len = 0;
    plan_error_t err = {PLAN_OK, ""};
    if (argc != 2) {
        fprintf(stderr, "usage: bench_selection TABLE\n");
        return 2;
    }
    if (plani_read_file(argv[1], PLANI_MAX_FILE, &text, &len, &err) != PLAN_OK ||
        sel_table_parse(text, len, argv[1], &plani_open_mpi, &d.table, &err) != PLAN_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    if (!describe(&d)) {
        fprintf(stderr, "%s: give 3 to %d sizes on up to %d layouts\n", argv[1], MOST_SIZES, MOST_LAYOUTS);
        return 2;
    }
    for (int m = 0; m < METHODS; m++) regrets(&d, (method_t)m);
    time_choices(&d, CURVES);
    time_choices(&d, PARAMETERS);
    time_rules(&d);
    sel_table_clear(&d.table);
    free(d.use);
    free(text);
    return 0;
}
