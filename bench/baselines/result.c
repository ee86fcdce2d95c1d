/* Prints a cell as a row of a table, and writes it with all samples as JSON. */
#include "baselines.h"
#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <planbcast/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATH = 4096 };
static const char *const kinds[] = {"plan", "default", "baseline", "candidate"};

/* "713 ms" */
static const char *seconds(double s, char text[32])
{
    static const struct {
        double from, scale;
        const char *unit;
    } unit[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "us"}};
    int i = 0;
    while (s < unit[i].from) i++;
    snprintf(text, 32, isfinite(s) ? "%.3g %s" : "-", s * unit[i].scale, unit[i].unit);
    return text;
}

void report_heading(const report_t *r)
{
    char a[32], b[32], c[32];
    const planning_t *p = r->planning;
    printf("%d ranks, root %d, %d settings; measured the machine in %s, planned in %s, timed candidates in %s\n",
           r->ranks, r->options->root, r->settings->n, seconds(p->measuring_s, a), seconds(p->estimating_s, b),
           seconds(p->timing_s, c));
    if (r->limits->ingress_s_per_byte > 0)
        printf("bottleneck ingress: %s, %.4g MB/s; bound of the linear program: %.4g MB/s\n", r->limits->ingress,
               1e-6 / r->limits->ingress_s_per_byte, 1e-6 / r->limits->lp_s_per_byte);
    printf("%9s  %9s %9s %9s  %9s %-22s %9s  %6s %6s %6s %6s  %6s\n", "message", "estimated", "measured", "spec's",
           "baseline", "its name", "default", "baseline/", "baseline/", "baseline/", "deflt/", "ingress/");
    printf("%9s  %9s %9s %9s  %9s %-22s %9s  %6s %6s %6s %6s  %6s\n", "", "plan", "plan", "plan", "", "", "", "estim.",
           "meas.", "spec's", "meas.", "meas.");
    fflush(stdout);
}

/* Share of the ingress rate in percent; "-" for small messages, most of which pass as a burst, and within one host. */
static const char *share_of_ingress(const report_t *r, const cell_t *c, double s, char text[32])
{
    enum { SHAPED = 65536 };
    double least_s = (double)c->bytes * r->limits->ingress_s_per_byte;
    if (c->bytes < SHAPED || !(least_s > 0)) return "-";
    snprintf(text, 32, "%.1f%%", 100 * least_s / s);
    return text;
}

/* [s] NAN: there is no such plan. */
static double median_by(const plan_t *plan, const settings_t *s, const cell_t *c)
{
    for (int i = 0; i < s->n && plan != NULL; i++)
        if (s->at[i].plan == plan) return c->entry[i].median;
    return NAN;
}

void report_row(const report_t *r, const cell_t *c)
{
    char t[7][32];
    const settings_t *s = r->settings;
    int baseline = cell_best(s, c, KIND_BASELINE), native = cell_best(s, c, KIND_DEFAULT);
    double est = median_by(r->planning->estimated, s, c), meas = median_by(r->planning->measured, s, c);
    double best = baseline < 0 ? NAN : c->entry[baseline].median, def = c->entry[native].median;
    double ideal = median_by(r->planning->ideal, s, c);

    printf("%9s  %9s %9s %9s  %9s %-22s %9s  %6.2f %6.2f %6.2f %6.2f  %6s\n", bytes_text(c->bytes, t[0]),
           seconds(est, t[1]), seconds(meas, t[2]), seconds(ideal, t[3]), seconds(best, t[4]),
           baseline < 0 ? "-" : s->at[baseline].name, seconds(def, t[5]), best / est, best / meas, best / ideal,
           def / meas, share_of_ingress(r, c, meas, t[6]));
    for (int i = 0; i < s->n; i++)
        if (c->entry[i].wrong > 0) printf("%9s  %s: %lld bytes WRONG\n", "", s->at[i].name, c->entry[i].wrong);
    fflush(stdout);
}

static json_t *real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

/* The candidate that a plan executes for this size. */
static json_t *chosen(const plan_t *plan, size_t n)
{
    const plan_candidate_t *c = plan_chosen(plan, n);
    return json_pack("{s:s, s:I, s:i, s:I, s:o}", "candidate", c->name, "slice", (json_int_t)c->slice, "window",
                     c->window, "trees", (json_int_t)c->ntrees, "predicted_s", real(c->predicted_s));
}

static json_t *entry(const settings_t *all, int i, const entry_t *e, size_t n)
{
    const setting_t *s = &all->at[i];
    json_t *samples = json_array();
    if (e->skipped[0] != '\0')
        return json_pack("{s:s, s:s, s:s}", "name", s->name, "kind", kinds[s->kind], "skipped", e->skipped);
    for (int k = 0; k < e->n; k++) json_array_append_new(samples, json_real(e->sample[k]));
    json_t *j = json_pack("{s:s, s:s, s:i, s:I, s:o, s:o, s:o, s:b, s:I, s:o}", "name", s->name, "kind", kinds[s->kind],
                          "algorithm", s->algorithm, "segment", (json_int_t)s->segment, "median_s", real(e->median),
                          "low_s", real(e->low), "high_s", real(e->high), "dropped", (int)e->dropped, "wrong_bytes",
                          (json_int_t)e->wrong, "samples_s", samples);
    if (s->same_as >= 0) json_object_set_new(j, "same_as", json_string(all->at[s->same_as].name));
    if (s->plan != NULL) json_object_set_new(j, "chosen", chosen(s->plan, n));
    return j;
}

static json_t *provenance(const options_t *o)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], host[256] = "", date[32];
    int len;
    time_t now = time(NULL);
    MPI_Get_library_version(version, &len);
    version[strcspn(version, "\n")] = '\0';
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return json_pack("{s:s, s:s?, s:s, s:s, s:s, s:i, s:s, s:I}", "planbcast", PLANBCAST_VERSION, "commit", o->commit,
                     "mpi", version, "date", date, "host", host, "processors", (int)sysconf(_SC_NPROCESSORS_ONLN),
                     "command", o->command, "seed", (json_int_t)o->seed);
}

/* The candidates that measure mode timed for this size. */
static json_t *trials(const planning_t *p, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(p->trials); i++) {
        json_t *trial = json_array_get(p->trials, i);
        if (json_integer_value(json_object_get(trial, "bytes")) == (json_int_t)n) json_array_append(list, trial);
    }
    return list;
}

static json_t *cell(const report_t *r, const cell_t *c)
{
    const settings_t *s = r->settings;
    const limits_t *l = r->limits;
    double n = (double)c->bytes;
    json_t *list = json_array();

    for (int i = 0; i < s->n; i++)
        if (c->entry[i].n > 0 || c->entry[i].skipped[0] != '\0')
            json_array_append_new(list, entry(s, i, &c->entry[i], c->bytes));
    return json_pack(
        "{s:s, s:i, s:s?, s:i, s:i, s:I, s:f, s:{s:o, s:o, s:s, s:o}, s:{s:o, s:o, s:o, s:o}, s:o, s:o, s:o}", "format",
        "planbcast-baselines", "version", 2, "spec", r->options->spec, "ranks", r->ranks, "root", r->options->root,
        "bytes", (json_int_t)c->bytes, "spent_s", c->spent_s, "limits", "lp_s", real(n * l->lp_s_per_byte), "ingress_s",
        real(n * l->ingress_s_per_byte), "ingress", l->ingress, "burst_s", real(l->burst_s), "costs", "measuring_s",
        real(r->planning->measuring_s), "loading_s", real(r->planning->loading_s), "estimating_s",
        real(r->planning->estimating_s), "timing_s", real(r->planning->timing_s), "provenance", provenance(r->options),
        "timing", trials(r->planning, c->bytes), "settings", list);
}

static void name_file(const options_t *o, size_t n, const char *ending, char path[PATH])
{
    snprintf(path, PATH, "%s/%zu.json%s", o->out, n, ending);
}

bool report_exists(const options_t *o, size_t n)
{
    char path[PATH];
    if (o->out == NULL) return false;
    name_file(o, n, "", path);
    return access(path, F_OK) == 0;
}

int report_save(const report_t *r, const cell_t *c)
{
    char path[PATH], beside[PATH];
    json_t *j = cell(r, c);
    name_file(r->options, c->bytes, "", path);
    name_file(r->options, c->bytes, ".part", beside);
    int rc = j == NULL ? -1 : json_dump_file(j, beside, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    json_decref(j);
    if (rc == 0) rc = rename(beside, path);
    if (rc != 0) {
        fprintf(stderr, "bench_baselines: %s: cannot be written: %s\n", path, strerror(errno));
        unlink(beside);
    }
    return rc;
}

static kind_t kind_of(const char *name)
{
    int k = 0;
    while (k < KINDS - 1 && strcmp(kinds[k], name) != 0) k++;
    return (kind_t)k;
}

/* The least size above `above` and below `below` that has a result; 0: none. */
static size_t next_result(const options_t *o, size_t above, size_t below)
{
    DIR *folder = opendir(o->out);
    size_t least = 0;
    for (struct dirent *d; folder != NULL && (d = readdir(folder)) != NULL;) {
        char *end;
        size_t size = strtoull(d->d_name, &end, 10);
        bool fits = end != d->d_name && strcmp(end, ".json") == 0 && size > above && size < below;
        if (fits && (least == 0 || size < least)) least = size;
    }
    if (folder != NULL) closedir(folder);
    return least;
}

/* The settings with a median, one after the other; false: no more. */
static bool next_median(const json_t *settings, size_t *i, const char **name, kind_t *kind, double *median)
{
    for (; *i < json_array_size(settings); ++*i) {
        const json_t *one = json_array_get(settings, *i), *m = json_object_get(one, "median_s");
        const char *k = json_string_value(json_object_get(one, "kind"));
        *name = json_string_value(json_object_get(one, "name"));
        if (*name == NULL || k == NULL || !json_is_number(m)) continue;
        *kind = kind_of(k);
        *median = json_number_value(m);
        ++*i;
        return true;
    }
    return false;
}

void report_load_before(const options_t *o, size_t n, before_t *b)
{
    char path[PATH];
    const char *name;
    kind_t kind;
    double median;

    *b = (before_t){.bytes = 0};
    if (o->out == NULL) return;
    for (size_t size = 0; (size = next_result(o, size, n)) > 0;) {
        name_file(o, size, "", path);
        json_t *j = json_load_file(path, 0, NULL);
        const json_t *settings = json_object_get(j, "settings");
        b->bytes = size;
        for (int k = 0; k < KINDS; k++) b->best[k] = NAN;
        for (size_t i = 0; next_median(settings, &i, &name, &kind, &median);)
            b->best[kind] = fmin(b->best[kind], median);
        for (size_t i = 0; next_median(settings, &i, &name, &kind, &median);) before_note(b, name, kind, median);
        json_decref(j);
    }
}
