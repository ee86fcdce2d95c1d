/* planbcast select: choices among an MPI library's own broadcasts, from timed ones or from parameters. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include "lib/base/base.h"
#include "lib/base/statistics.h"
#include "planner/selection/selection.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28 };

typedef struct {
    const char *input, *library, *bytes, *fit, *ranks, *rules, *format, *release;
    int per_host;
    bool alone, leave_out, json;
} settings_t;

/* What is chosen from, and at which points. Zero-initialise. */
typedef struct {
    sel_table_t table;
    sel_given_t *given;
    sel_fit_t fit;
    bool *use; /* [rows] those that count; NULL: all */
    size_t nsizes, size[PLANI_SIZES];
    size_t nlayouts;
    sel_layout_t layout[SEL_COMMUNICATORS];
} study_t;

/* ---- lists on the command line ---- */

/* Ascending sizes "32,8K,1M"; 0: they are none. */
static size_t read_sizes(const char *list, size_t *size, size_t most)
{
    return cli_ascending(list, cli_size, 1, SIZE_MAX, most, size);
}

static bool is_in(size_t x, size_t n, const size_t *list)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x) return true;
    return false;
}

static int find_use(const cli_t *cli, const settings_t *s, study_t *y)
{
    size_t size[PLANI_SIZES], n = 0, rows = 0;
    if (s->fit == NULL && !s->leave_out) return CLI_GO;
    if ((y->use = calloc(y->table.n + 1, sizeof *y->use)) == NULL) return cli_fail_status(cli, PLAN_ENOMEM, NULL);
    if (s->leave_out) return CLI_GO; /* each size in turn */
    if ((n = read_sizes(s->fit, size, PLANI_SIZES)) == 0)
        return cli_fail(cli, CLI_USAGE, "select: --fit %.60s: give ascending sizes, such as 32,128K,512M", s->fit);
    for (size_t i = 0; i < y->table.n; i++) rows += y->use[i] = is_in(y->table.timing[i].bytes, n, size);
    return rows > 0 ? CLI_GO : cli_fail(cli, CLI_USAGE, "select: --fit %.60s: %s times no such size", s->fit, s->input);
}

static int by_size(const void *x, const void *y)
{
    const size_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Those of --bytes; else those of the table, or the paper's. */
static int find_sizes(const cli_t *cli, const settings_t *s, study_t *y)
{
    if (s->bytes != NULL) {
        y->nsizes = read_sizes(s->bytes, y->size, PLANI_SIZES);
        if (y->nsizes > 0) return CLI_GO;
        return cli_fail(cli, CLI_USAGE, "select: --bytes %.60s: give up to 64 ascending sizes, such as 1K,64K,4M",
                        s->bytes);
    }
    for (size_t b = 16 << 10; y->given != NULL && b <= 4 << 20; b *= 2) y->size[y->nsizes++] = b;
    for (size_t i = 0; i < y->table.n; i++) {
        if (is_in(y->table.timing[i].bytes, y->nsizes, y->size)) continue;
        if (y->nsizes == PLANI_SIZES)
            return cli_fail(cli, CLI_USAGE, "%s: more than 64 sizes; name those to choose at by --bytes", s->input);
        y->size[y->nsizes++] = y->table.timing[i].bytes;
    }
    qsort(y->size, y->nsizes, sizeof *y->size, by_size);
    return CLI_GO;
}

static int by_ranks(const void *x, const void *y)
{
    const sel_layout_t *a = x, *b = y;
    if (a->ranks != b->ranks) return a->ranks < b->ranks ? -1 : 1;
    return (a->per_host > b->per_host) - (a->per_host < b->per_host);
}

static bool add_layout(study_t *y, sel_layout_t l)
{
    for (size_t i = 0; i < y->nlayouts; i++)
        if (sel_same_layout(y->layout[i], l)) return true;
    if (y->nlayouts == SEL_COMMUNICATORS) return false;
    y->layout[y->nlayouts++] = l;
    return true;
}

/* Those of --ranks; else those of the table. */
static int find_layouts(const cli_t *cli, const settings_t *s, study_t *y)
{
    size_t ranks[SEL_COMMUNICATORS], n = 0;
    bool fits = true;
    if ((s->ranks == NULL) != (s->per_host == 0) || (s->ranks == NULL && y->given != NULL))
        return cli_fail(cli, CLI_USAGE, "select: give --ranks and --ranks-per-host%s",
                        y->given != NULL ? "" : ", or neither");
    if (s->ranks != NULL && (n = read_sizes(s->ranks, ranks, SEL_COMMUNICATORS)) == 0)
        return cli_fail(cli, CLI_USAGE, "select: --ranks %.60s: give up to 16 ascending numbers, such as 64,256",
                        s->ranks);
    for (size_t i = 0; i < n; i++) {
        if (ranks[i] < 2 || ranks[i] > PLANI_MAX_RANKS)
            return cli_fail(cli, CLI_USAGE, "select: --ranks %zu: give 2 to %d", ranks[i], PLANI_MAX_RANKS);
        int p = (int)ranks[i];
        add_layout(y, (sel_layout_t){p, s->per_host < p ? s->per_host : p});
    }
    for (size_t i = 0; i < y->table.n && s->ranks == NULL; i++) fits = add_layout(y, y->table.timing[i].layout) && fits;
    if (!fits) return cli_fail(cli, CLI_USAGE, "%s: more than 16 layouts; name some by --ranks", s->input);
    qsort(y->layout, y->nlayouts, sizeof *y->layout, by_ranks);
    return CLI_GO;
}

/* ---- reading ---- */

static int read_input(const cli_t *cli, const settings_t *s, study_t *y)
{
    char *text = NULL;
    size_t len = 0;
    plan_error_t err = {PLAN_OK, ""};
    const plani_target_t *library = strcmp(s->library, "mpich") == 0  ? &plani_mpich
                                    : strcmp(s->library, "bine") == 0 ? &plani_bine
                                                                      : &plani_open_mpi;
    plan_status_t rc = plani_read_file(s->input, FILE_LIMIT, &text, &len, &err);
    if (rc == PLAN_OK && text[strspn(text, " \t\r\n")] == '{')
        rc = sel_given_parse(text, len, s->input, &y->given, &err);
    else if (rc == PLAN_OK)
        rc = sel_table_parse(text, len, s->input, library, &y->table, &err);
    free(text);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    if (y->given != NULL && (s->fit != NULL || s->alone || s->leave_out || library != &plani_open_mpi))
        return cli_fail(cli, CLI_USAGE,
                        "%s: holds parameters: --fit, --leave-one-out, --parameters-alone and --library "
                        "belong to tables of times",
                        s->input);
    if (s->leave_out && s->fit != NULL)
        return cli_fail(cli, CLI_USAGE, "select: give --fit or --leave-one-out, not both");
    return CLI_GO;
}

static int make_fit(const cli_t *cli, const settings_t *s, study_t *y)
{
    plan_error_t err = {PLAN_OK, ""};
    const sel_settings_t how = {.parameters_alone = s->alone, .use = y->use};
    if (y->given != NULL) {
        y->fit = sel_given_fit(y->given);
        return CLI_GO;
    }
    plan_status_t rc = sel_fit(&y->table, &how, &y->fit, &err);
    if (rc == PLAN_EINVAL)
        return cli_fail(cli, CLI_USAGE, "%s: nothing is left to estimate parameters from; give more sizes", s->input);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

static void clear(study_t *y)
{
    sel_fit_clear(&y->fit);
    sel_table_clear(&y->table);
    sel_given_destroy(&y->given);
    free(y->use);
}

/* ---- choices ---- */

typedef struct {
    sel_layout_t layout;
    size_t bytes;
    bool used; /* its times count in the parameters */
    int way, best;
    double predicted, measured, least, chosen_by_default; /* [s] NAN: not measured */
} choice_t;

static void look_up(const study_t *y, choice_t *c)
{
    c->least = NAN;
    c->best = -1;
    for (int w = 0; w < y->table.nways; w++) {
        double t = sel_table_time(&y->table, w, c->layout, c->bytes);
        if (t < c->least || (isfinite(t) && c->best < 0)) c->least = t, c->best = w;
    }
    c->measured = c->way >= 0 ? sel_table_time(&y->table, c->way, c->layout, c->bytes) : NAN;
    c->chosen_by_default = sel_table_time(&y->table, SEL_DEFAULT, c->layout, c->bytes);
    c->used = isfinite(c->least);
    for (size_t i = 0; i < y->table.n && y->use != NULL; i++)
        if (y->table.timing[i].bytes == c->bytes && !y->use[i]) c->used = false;
}

/* All sizes of all layouts; with --leave-one-out each by the parameters without it. */
static int choose(const cli_t *cli, const settings_t *s, study_t *y, choice_t *choice)
{
    plan_status_t rc = PLAN_OK;
    int status = CLI_GO;
    for (size_t k = 0; k < y->nsizes; k++) {
        if (s->leave_out) {
            sel_fit_clear(&y->fit);
            for (size_t i = 0; i < y->table.n; i++) y->use[i] = y->table.timing[i].bytes != y->size[k];
            if ((status = make_fit(cli, s, y)) != CLI_GO) return status;
        }
        for (size_t i = 0; i < y->nlayouts; i++) {
            choice_t *c = &choice[i * y->nsizes + k];
            *c = (choice_t){.layout = y->layout[i], .bytes = y->size[k]};
            if ((rc = sel_choose(&y->fit, c->layout, c->bytes, &c->way, &c->predicted)) != PLAN_OK)
                return cli_fail_status(cli, rc, NULL);
            look_up(y, c);
        }
    }
    return CLI_GO;
}

static const sel_table_t *table_of(const study_t *y)
{
    return y->fit.table;
}

static json_t *way_json(const study_t *y, int way)
{
    if (way < 0) return json_null();
    const sel_way_t *w = &table_of(y)->way[way];
    return json_pack("{s:s, s:s, s:I}", "algorithm", w->setting->name, "option", w->setting->option, "segment",
                     (json_int_t)w->segment);
}

static json_t *choice_json(study_t *y, const choice_t *c)
{
    json_t *all = json_object();
    for (int w = 0; w < table_of(y)->nways; w++) {
        double t = NAN;
        if (sel_predict(&y->fit, w, c->layout, c->bytes, &t) == PLAN_OK)
            json_object_set_new(all, sel_doing(&table_of(y)->way[w]).s, cli_json_real(t));
    }
    json_t *choice = json_pack(
        "{s:i, s:i, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "ranks", c->layout.ranks, "ranks_per_host",
        c->layout.per_host, "bytes", (json_int_t)c->bytes, "fitted", c->used, "chosen", way_json(y, c->way),
        "predicted_s", cli_json_real(c->predicted), "measured_s", cli_json_real(c->measured), "best",
        way_json(y, c->best), "best_s", cli_json_real(c->least), "penalty", cli_json_real(c->measured / c->least - 1),
        "default_s", cli_json_real(c->chosen_by_default), "default_penalty",
        cli_json_real(c->chosen_by_default / c->least - 1), "all_predicted_s", all);
    if (choice != NULL && y->given != NULL)
        json_object_set_new(choice, "open_mpi_3_1", json_string(sel_listing1(c->layout.ranks, c->bytes)));
    return choice;
}

static json_t *parameters_json(const study_t *y)
{
    json_t *list = json_array();
    for (int w = 0; w < y->table.nways; w++) {
        const sel_parameters_t *p = &y->fit.parameters[w];
        json_t *one = way_json(y, w);
        json_object_set_new(one, "o_s", cli_json_real(p->o));
        json_object_set_new(one, "L_s_per_byte", cli_json_real(p->L));
        json_object_set_new(one, "rows", json_integer((json_int_t)p->rows));
        json_array_append_new(list, one);
    }
    return list;
}

/* Median and worst penalty of choices at sizes that were held back (with --fit), else of all. */
typedef struct {
    size_t n;
    double median, worst, default_median, default_worst;
} summary_t;

static void middle(size_t n, double *x, double *median, double *worst)
{
    *median = *worst = NAN;
    if (n == 0) return;
    *median = plani_interval(x, (int)n).median;
    *worst = x[n - 1]; /* it is sorted now */
}

static summary_t summarise(const settings_t *s, const study_t *y, const choice_t *c)
{
    double own[SEL_COMMUNICATORS * PLANI_SIZES], by_default[SEL_COMMUNICATORS * PLANI_SIZES];
    size_t n = 0, defaults = 0;
    summary_t sum;
    for (size_t i = 0; i < y->nlayouts * y->nsizes; i++) {
        if (!isfinite(c[i].measured) || (c[i].used && s->fit != NULL)) continue;
        own[n++] = c[i].measured / c[i].least - 1;
        if (isfinite(c[i].chosen_by_default)) by_default[defaults++] = c[i].chosen_by_default / c[i].least - 1;
    }
    middle(n, own, &sum.median, &sum.worst);
    middle(defaults, by_default, &sum.default_median, &sum.default_worst);
    sum.n = n;
    return sum;
}

static int print_json(const cli_t *cli, const settings_t *s, study_t *y, const choice_t *c)
{
    json_t *choices = json_array();
    summary_t sum = summarise(s, y, c);
    for (size_t i = 0; i < y->nlayouts * y->nsizes; i++) json_array_append_new(choices, choice_json(y, &c[i]));
    return cli_print_json(cli, "planbcast-selection",
                          json_pack("{s:o, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o}}", "parameters", parameters_json(y),
                                    "s_per_byte", cli_json_real(y->given != NULL ? NAN : y->fit.s_per_byte), "choices",
                                    choices, "penalty", "choices", (json_int_t)sum.n, "median",
                                    cli_json_real(sum.median), "worst", cli_json_real(sum.worst), "default_median",
                                    cli_json_real(sum.default_median), "default_worst",
                                    cli_json_real(sum.default_worst)));
}

static void print_parameters(const cli_t *cli, const study_t *y)
{
    if (y->given != NULL) return;
    fprintf(cli->out, "T = o stages + L serial bytes\n\n  %-32s %12s %14s %5s\n", "algorithm", "o [s]", "L [s/B]",
            "times");
    for (int w = 0; w < y->table.nways; w++)
        fprintf(cli->out, "  %-32s %12.4g %14.4g %5zu\n", sel_doing(&y->table.way[w]).s, y->fit.parameters[w].o,
                y->fit.parameters[w].L, y->fit.parameters[w].rows);
    fprintf(cli->out, "\n");
}

static void print_penalty(FILE *out, double penalty)
{
    if (isfinite(penalty))
        fprintf(out, " %8.1f%%", 100 * penalty);
    else
        fprintf(out, " %9s", "-");
}

static void print_choice(const cli_t *cli, const study_t *y, const choice_t *c)
{
    const sel_table_t *t = table_of(y);
    fprintf(cli->out, "%c %9s  %-32s %10s", c->used || y->given != NULL ? ' ' : '*', plani_bytes((double)c->bytes).s,
            c->way >= 0 ? sel_doing(&t->way[c->way]).s : "-", c->way >= 0 ? plani_seconds(c->predicted).s : "-");
    if (y->given == NULL) {
        fprintf(cli->out, " %10s", isfinite(c->measured) ? plani_seconds(c->measured).s : "-");
        print_penalty(cli->out, c->measured / c->least - 1);
        print_penalty(cli->out, c->chosen_by_default / c->least - 1);
        fprintf(cli->out, "  %s", c->best >= 0 ? sel_doing(&t->way[c->best]).s : "-");
    } else {
        fprintf(cli->out, "  %s", sel_listing1(c->layout.ranks, c->bytes));
    }
    fprintf(cli->out, "\n");
}

static int print_text(const cli_t *cli, const settings_t *s, const study_t *y, const choice_t *c)
{
    summary_t sum = summarise(s, y, c);
    if (!s->leave_out) print_parameters(cli, y);
    for (size_t i = 0; i < y->nlayouts; i++) {
        fprintf(cli->out, "%d ranks, %d per host\n\n  %9s  %-32s %10s%s\n", y->layout[i].ranks, y->layout[i].per_host,
                "message", "choice", "predicted",
                y->given == NULL ? "   measured   penalty   default  best" : "  Open MPI 3.1");
        for (size_t k = 0; k < y->nsizes; k++) print_choice(cli, y, &c[i * y->nsizes + k]);
        fprintf(cli->out, "\n");
    }
    if (sum.n > 0) {
        fprintf(cli->out, "penalty of %zu choices%s: median %.1f%%, worst %.1f%%", sum.n,
                s->leave_out || s->fit != NULL ? " at sizes held back" : "", 100 * sum.median, 100 * sum.worst);
        if (isfinite(sum.default_worst))
            fprintf(cli->out, "; the library's own: %.1f%%, %.1f%%", 100 * sum.default_median, 100 * sum.default_worst);
        fprintf(cli->out, "\n");
    }
    return CLI_DONE;
}

/* ---- rules ---- */

static int put_rules(const cli_t *cli, const settings_t *s, const plani_rules_t *rules)
{
    plani_text_t to = {0};
    char *text = NULL;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = PLAN_OK;
    if (strcmp(s->format, "mpich-json") == 0) rc = plani_put_mpich_json(rules, NULL, 0, NULL, &text, &err);
    if (strcmp(s->format, "ompi-rules") == 0) plani_put_open_mpi_rules(rules, 1, &to);
    if (strcmp(s->format, "ompi-rules-2") == 0) plani_put_open_mpi_rules(rules, 2, &to);
    if (strcmp(s->format, "ompi-rules-json") == 0) plani_put_open_mpi_json(rules, &to);
    if (rc == PLAN_OK && text == NULL) rc = plani_text_take(&to, &text);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    int status = cli_write(cli, s->rules, text);
    free(text);
    return status;
}

static int write_rules(const cli_t *cli, const settings_t *s, study_t *y)
{
    plani_rules_t rules;
    plan_error_t err = {PLAN_OK, ""};
    for (size_t i = 1; i < y->nlayouts; i++)
        if (y->layout[i].ranks == y->layout[i - 1].ranks)
            return cli_fail(cli, CLI_USAGE,
                            "select: rules know ranks, not hosts: choose one layout of %d ranks by --ranks "
                            "and --ranks-per-host",
                            y->layout[i].ranks);
    plan_status_t rc = sel_rules(&y->fit, y->nlayouts, y->layout, y->size[y->nsizes - 1], &rules, &err);
    if (rc != PLAN_OK) return cli_fail_status(cli, rc, &err);
    int status = put_rules(cli, s, &rules);
    plani_rules_clear(&rules);
    return status;
}

static int check(const cli_t *cli, const settings_t *s)
{
    static const char *const formats[] = {"ompi-rules", "ompi-rules-2", "ompi-rules-json", "mpich-json"};
    bool mpich = strcmp(s->library, "mpich") == 0, known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) known = known || strcmp(s->format, formats[i]) == 0;
    bool bine = strcmp(s->library, "bine") == 0;
    if (!mpich && !bine && strcmp(s->library, "openmpi") != 0)
        return cli_fail(cli, CLI_USAGE, "select: --library %.40s; known: openmpi, mpich, bine", s->library);
    if (bine && s->rules != NULL)
        return cli_fail(cli, CLI_USAGE, "select: no library takes rules for Bine trees; leave --rules out");
    if (!known || mpich != (strcmp(s->format, "mpich-json") == 0))
        return cli_fail(cli, CLI_USAGE, "select: --format %.40s; of %s: %s", s->format, s->library,
                        mpich ? "mpich-json" : "ompi-rules, ompi-rules-2 (from 5.0.7), ompi-rules-json (from 6)");
    if (s->rules != NULL && s->leave_out)
        return cli_fail(cli, CLI_USAGE, "select: --leave-one-out tries the method; rules need all times");
    return cli_may_write(cli, s->rules);
}

static int run(const cli_t *cli, const settings_t *s, study_t *y)
{
    int rc = read_input(cli, s, y);
    if (rc == CLI_GO) rc = find_use(cli, s, y);
    if (rc == CLI_GO) rc = find_sizes(cli, s, y);
    if (rc == CLI_GO) rc = find_layouts(cli, s, y);
    if (rc == CLI_GO && !s->leave_out) rc = make_fit(cli, s, y);
    if (rc != CLI_GO) return rc;
    choice_t *choice = calloc(y->nlayouts * y->nsizes + 1, sizeof *choice);
    if (choice == NULL) return cli_fail_status(cli, PLAN_ENOMEM, NULL);
    rc = choose(cli, s, y, choice);
    bool rules_alone = s->rules != NULL && strcmp(s->rules, "-") == 0;
    if (rc == CLI_GO && s->rules != NULL && (rc = write_rules(cli, s, y)) == CLI_DONE && !rules_alone) rc = CLI_GO;
    if (rc == CLI_GO) rc = s->json ? print_json(cli, s, y, choice) : print_text(cli, s, y, choice);
    free(choice);
    return rc;
}

int command_select(const cli_t *cli, int argc, char **argv)
{
    settings_t s = {.library = "openmpi"};
    const cli_option_t option[] = {
        {"library", CLI_TEXT, &s.library, 0, 0, "NAME", "openmpi (default), mpich, or bine"},
        {"bytes", CLI_TEXT, &s.bytes, 0, 0, "LIST", "choose at these sizes (default: those of the table)"},
        {"ranks", CLI_TEXT, &s.ranks, 0, 0, "LIST", "choose for these numbers of ranks (default: those of the table)"},
        {"ranks-per-host", CLI_INT, &s.per_host, 1, PLANI_MAX_RANKS, "H", "with --ranks: in blocks of H"},
        {"fit", CLI_TEXT, &s.fit, 0, 0, "LIST", "estimate from the times of these sizes alone; * marks the others"},
        {"leave-one-out", CLI_FLAG, &s.leave_out, 0, 0, NULL, "choose at each size by the times of all others"},
        {"parameters-alone", CLI_FLAG, &s.alone, 0, 0, NULL, "predict by the parameters, as the paper does"},
        {"rules", CLI_TEXT, &s.rules, 0, 0, "FILE", "write the choices for the library, too; -: to the output alone"},
        {"format", CLI_TEXT, &s.format, 0, 0, "NAME",
         "of rules: ompi-rules (default), ompi-rules-2, ompi-rules-json; mpich-json"},
        {"json", CLI_FLAG, &s.json, 0, 0, NULL, "print parameters, choices and penalties"},
    };
    const cli_command_t cmd = {
        "select",
        "FILE",
        "Choose among an MPI library's own broadcasts, from timed ones or from parameters.",
        "The method of Nuriyev et al. 2022: parameters of each algorithm, estimated from times of that algorithm.\n"
        "FILE is a table of medians, a line each:\n"
        "  ALGORITHM RANKS RANKS_PER_HOST BYTES SECONDS [SEGMENT]\n"
        "Open MPI: linear chain/2 chain/3 chain/4 chain/8 chain/16 pipeline split_binary binary binomial knomial/4\n"
        "scatter_allgather scatter_allgather_ring; MPICH: binomial scatter_recursive_doubling_allgather\n"
        "scatter_ring_allgather kary/1 /2 /3 /4 /8 /16; default: as the library chooses. Ranks are in blocks on "
        "hosts.\n"
        "Or FILE holds the parameters of the paper for one segment size, as `planbcast predict --taulop` has them:\n"
        "  {\"segment\": 8192, \"Q\", \"gamma_shm\": [...], \"gamma_net\": [...],\n"
        "   \"algorithms\": {\"binomial\": {\"o_shm\", \"o_net\", \"L_shm\", \"L_net\"}, ...}}\n"
        "Then the choice of Open MPI 3.1 stands beside it, by the paper's Listing 1.\n"
        "A penalty is the measured time of the choice / that of the best - 1.",
        "  planbcast select times.tsv\n"
        "  planbcast select times.tsv --leave-one-out\n"
        "  planbcast select times.tsv --ranks 64,256,1024 --ranks-per-host 4 --rules bcast.rules\n"
        "  planbcast select gros.json --ranks 1000 --ranks-per-host 18",
        option,
        sizeof option / sizeof *option};
    study_t y = {.nsizes = 0};
    int rc = cli_parse(cli, &cmd, argc, argv, &s.input, 1);
    if (rc != CLI_GO) return rc;
    if (s.format == NULL) s.format = strcmp(s.library, "mpich") == 0 ? "mpich-json" : "ompi-rules";
    if ((rc = check(cli, &s)) == CLI_GO) rc = run(cli, &s, &y);
    clear(&y);
    return rc;
}
