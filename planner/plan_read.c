/* Plan files, read: what cannot be trusted is refused in one line that names the file, the place and the mend. */
#include "planner/plan_private.h"
#include "lib/base/base.h"
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE ((size_t)1 << 30) /* [B] */
#define MAX_RANGES 65536

typedef struct {
    const char *name; /* of the file, for errors */
    plan_error_t *err;
    int ranks, root;
    size_t ntrees, nranges;
    plan_tree_t **tree;          /* [ntrees] owned; lent to the candidates */
    plan_candidate_t *candidate; /* [nranges] */
    plan_range_t *range;         /* [nranges] */
    plani_note_t *note;          /* [nranges] */
    int *hosts;                  /* [ranks] or NULL */
} reader_t;

static plan_status_t integer(reader_t *r, const json_t *at, const char *place, const char *key, json_int_t low,
                             json_int_t high, json_int_t *out)
{
    const json_t *v = json_object_get(at, key);
    if (!json_is_integer(v) || json_integer_value(v) < low || json_integer_value(v) > high)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"%s\": give an integer from %lld to %lld", r->name, place, key,
                          (long long)low, (long long)high);
    *out = json_integer_value(v);
    return PLAN_OK;
}

/* An optional figure: NAN if it is not there. */
static plan_status_t figure(reader_t *r, const json_t *at, const char *place, const char *key, double *out)
{
    const json_t *v = json_object_get(at, key);
    *out = NAN;
    if (v == NULL || json_is_null(v)) return PLAN_OK;
    if (!json_is_number(v) || !isfinite(json_number_value(v)))
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"%s\": give a finite number, or leave it out", r->name, place,
                          key);
    *out = json_number_value(v);
    return PLAN_OK;
}

/* [ranks] integers from low to high; NULL in *out if the key is absent and may be. */
static plan_status_t integers(reader_t *r, const json_t *at, const char *place, const char *key, bool needed, int low,
                              int high, int **out)
{
    const json_t *v = json_object_get(at, key);
    *out = NULL;
    if (v == NULL && !needed) return PLAN_OK;
    if (!json_is_array(v) || json_array_size(v) != (size_t)r->ranks)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"%s\": give a list of %d integers, one per rank", r->name,
                          place, key, r->ranks);
    int *list = malloc((size_t)r->ranks * sizeof *list);
    if (list == NULL) return plani_fail(r->err, PLAN_ENOMEM, "%s: out of memory", r->name);
    for (int i = 0; i < r->ranks; i++) {
        const json_t *x = json_array_get(v, (size_t)i);
        if (!json_is_integer(x) || json_integer_value(x) < low || json_integer_value(x) > high) {
            free(list);
            return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"%s\"[%d]: give an integer from %d to %d", r->name, place,
                              key, i, low, high);
        }
        list[i] = (int)json_integer_value(x);
    }
    *out = list;
    return PLAN_OK;
}

static plan_status_t read_tree(reader_t *r, const json_t *at, size_t i)
{
    plan_status_t rc = PLAN_OK;
    int *parent = NULL, *order = NULL;
    char place[48];

    snprintf(place, sizeof place, "trees[%zu]: ", i);
    if ((rc = integers(r, at, place, "parent", true, -1, r->ranks - 1, &parent)) != PLAN_OK) goto done;
    if ((rc = integers(r, at, place, "order", false, 0, INT_MAX, &order)) != PLAN_OK) goto done;
    rc = plan_tree_create(r->ranks, parent, order, &r->tree[i]);
    if (rc == PLAN_ENOMEM) plani_fail(r->err, rc, "%s: out of memory", r->name);
    if (rc != PLAN_OK && rc != PLAN_ENOMEM)
        rc = plani_fail(
            r->err, PLAN_EFORMAT,
            "%s: %s\"parent\" is no tree: give every rank one parent that leads to the root, and the root -1", r->name,
            place);
    if (rc == PLAN_OK && plan_tree_root(r->tree[i]) != r->root)
        rc = plani_fail(r->err, PLAN_EFORMAT, "%s: %sthe tree's root is %d; the plan's \"root\" is %d", r->name, place,
                        plan_tree_root(r->tree[i]), r->root);
done:
    free(parent);
    free(order);
    return rc;
}

static plan_status_t read_trees(reader_t *r, const json_t *top)
{
    const json_t *list = json_object_get(top, "trees");
    plan_status_t rc = PLAN_OK;
    if (!json_is_array(list)) return plani_fail(r->err, PLAN_EFORMAT, "%s: \"trees\": give a list", r->name);
    size_t n = json_array_size(list);
    if ((r->tree = calloc(n + 1, sizeof(plan_tree_t *))) == NULL)
        return plani_fail(r->err, PLAN_ENOMEM, "%s: out of memory", r->name);
    r->ntrees = n;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) rc = read_tree(r, json_array_get(list, i), i);
    return rc;
}

/* The trees of one range: {"tree": index, "rate": slices/s}. */
static plan_status_t read_shares(reader_t *r, const json_t *at, const char *place, plan_candidate_t *c)
{
    const json_t *list = json_object_get(at, "trees");
    plan_status_t rc = PLAN_OK;
    if (!json_is_array(list) || json_array_size(list) > PLANI_MAX_TREES)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"trees\": give a list of at most %d", r->name, place,
                          PLANI_MAX_TREES);
    size_t n = json_array_size(list);
    if (n == 0) return PLAN_OK;
    c->tree = calloc(n, sizeof(plan_tree_t *));
    c->rate = calloc(n, sizeof *c->rate);
    if (c->tree == NULL || c->rate == NULL) return plani_fail(r->err, PLAN_ENOMEM, "%s: out of memory", r->name);
    c->ntrees = n;
    for (size_t t = 0; t < n && rc == PLAN_OK; t++) {
        json_int_t index = 0;
        char inner[96];
        snprintf(inner, sizeof inner, "%strees[%zu]: ", place, t);
        const json_t *x = json_array_get(list, t);
        if (r->ntrees == 0) return plani_fail(r->err, PLAN_EFORMAT, "%s: \"trees\": list the trees here", r->name);
        rc = integer(r, x, inner, "tree", 0, (json_int_t)r->ntrees - 1, &index);
        if (rc == PLAN_OK) rc = figure(r, x, inner, "rate", &c->rate[t]);
        if (rc == PLAN_OK && !(c->rate[t] > 0))
            rc = plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"rate\": give slices/s > 0", r->name, inner);
        if (rc == PLAN_OK) c->tree[t] = r->tree[index];
    }
    return rc;
}

/* Of rounds: which schedule, and the rank at each place. */
static plan_status_t read_schedule(reader_t *r, const json_t *at, const char *place, plan_candidate_t *c)
{
    const char *name = json_string_value(json_object_get(at, "schedule"));
    if (name == NULL || plan_schedule_from_name(name, &c->schedule) != PLAN_OK)
        return plani_fail(r->err, PLAN_EFORMAT,
                          "%s: %s\"schedule\": give \"scatter-ring\", \"scatter-doubling\" or \"circulant\"", r->name,
                          place);
    plan_status_t rc = integers(r, at, place, "order", true, 0, r->ranks - 1, &c->order);
    if (rc == PLAN_OK) c->places = r->ranks;
    return rc;
}

static plan_status_t read_run(reader_t *r, const json_t *at, const char *place, plan_candidate_t *c)
{
    static const plan_run_t runs[] = {PLAN_RUN_TREES, PLAN_RUN_ROUNDS, PLAN_RUN_NATIVE};
    const char *run = json_string_value(json_object_get(at, "run"));
    size_t i = 0;
    while (i < 3 && (run == NULL || strcmp(run, plani_run_name(runs[i])) != 0)) i++;
    if (i == 3)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"run\": give \"trees\", \"rounds\" or \"native\"", r->name,
                          place);
    c->run = runs[i];
    return c->run == PLAN_RUN_ROUNDS ? read_schedule(r, at, place, c) : PLAN_OK;
}

static plan_status_t read_name(reader_t *r, const json_t *at, const char *place, const char *key, char name[64])
{
    const json_t *v = json_object_get(at, key);
    const char *s = json_string_value(v);
    if (s == NULL || !plani_is_name(s, 64) || strlen(s) != json_string_length(v))
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"%s\": give a name of 1 to 63 letters, digits and dashes",
                          r->name, place, key);
    memcpy(name, s, strlen(s) + 1);
    return PLAN_OK;
}

static plan_status_t read_bottleneck(reader_t *r, const json_t *at, const char *place, plan_bottleneck_t *b)
{
    static const char *const names[] = {"send port", "receive port", "resource", "link"};
    const json_t *v = json_object_get(at, "bottleneck");
    char inner[96];
    json_int_t index = 0;
    plan_status_t rc;
    if (v == NULL || json_is_null(v)) return PLAN_OK;
    snprintf(inner, sizeof inner, "%s\"bottleneck\": ", place);
    const char *where = json_string_value(json_object_get(v, "at"));
    int k = PLAN_AT_LINK;
    while (k >= 0 && (where == NULL || strcmp(where, names[k]) != 0)) k--;
    if (k < 0)
        return plani_fail(r->err, PLAN_EFORMAT,
                          "%s: %s\"at\": give \"send port\", \"receive port\", \"resource\" or \"link\"", r->name,
                          inner);
    b->at = k;
    if ((rc = integer(r, v, inner, "index", 0, INT64_MAX, &index)) != PLAN_OK) return rc;
    b->index = (size_t)index;
    return figure(r, v, inner, "seconds", &b->seconds);
}

/* What explains a range and decides nothing. */
static plan_status_t read_notes(reader_t *r, const json_t *at, const char *place, plan_candidate_t *c,
                                plani_note_t *note)
{
    plan_status_t rc;
    json_int_t bytes = 0;
    note->runner_up_s = NAN;
    if ((rc = figure(r, at, place, "throughput", &c->throughput)) != PLAN_OK) return rc;
    if ((rc = figure(r, at, place, "lp_ratio", &c->lp_ratio)) != PLAN_OK) return rc;
    if ((rc = figure(r, at, place, "predicted_s", &c->predicted_s)) != PLAN_OK) return rc;
    if ((rc = figure(r, at, place, "measured_s", &c->measured_s)) != PLAN_OK) return rc;
    if (json_object_get(at, "at_bytes") != NULL) {
        if ((rc = integer(r, at, place, "at_bytes", 0, INT64_MAX, &bytes)) != PLAN_OK) return rc;
        note->at_bytes = (size_t)bytes;
    }
    const json_t *second = json_object_get(at, "runner_up");
    if (second != NULL && !json_is_null(second)) {
        char inner[96];
        snprintf(inner, sizeof inner, "%s\"runner_up\": ", place);
        if ((rc = read_name(r, second, inner, "name", note->runner_up)) != PLAN_OK) return rc;
        if ((rc = figure(r, second, inner, "seconds", &note->runner_up_s)) != PLAN_OK) return rc;
    }
    return read_bottleneck(r, at, place, &c->bottleneck);
}

static plan_status_t read_range(reader_t *r, const json_t *at, size_t i)
{
    plan_candidate_t *c = &r->candidate[i];
    plan_status_t rc;
    json_int_t up_to = 0, slice = 0, window = 0;
    plan_error_t why;
    char place[48];

    snprintf(place, sizeof place, "ranges[%zu]: ", i);
    r->range[i] = (plan_range_t){.up_to = SIZE_MAX, .chosen = c};
    if (!json_is_null(json_object_get(at, "up_to")) || i + 1 < r->nranges) {
        if ((rc = integer(r, at, place, "up_to", 0, INT64_MAX, &up_to)) != PLAN_OK) return rc;
        r->range[i].up_to = (size_t)up_to;
    }
    if (i > 0 && r->range[i].up_to <= r->range[i - 1].up_to)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: %s\"up_to\": give more than the %zu B of the range before",
                          r->name, place, r->range[i - 1].up_to);
    if ((rc = read_name(r, at, place, "name", c->name)) != PLAN_OK) return rc;
    if ((rc = read_run(r, at, place, c)) != PLAN_OK) return rc;
    if ((rc = integer(r, at, place, "slice", 0, (json_int_t)PLANI_MAX_SLICE, &slice)) != PLAN_OK) return rc;
    if ((rc = integer(r, at, place, "window", 1, PLANI_MAX_WINDOW, &window)) != PLAN_OK) return rc;
    c->slice = (size_t)slice;
    c->window = (int)window;
    if ((rc = read_shares(r, at, place, c)) != PLAN_OK) return rc;
    if ((rc = read_notes(r, at, place, c, &r->note[i])) != PLAN_OK) return rc;
    if ((rc = plani_candidate_check(c, r->ranks, r->root, &why)) != PLAN_OK)
        return plani_fail(r->err, rc == PLAN_ENOMEM ? rc : PLAN_EFORMAT, "%s: %s%s", r->name, place, why.text);
    return PLAN_OK;
}

static plan_status_t read_ranges(reader_t *r, const json_t *top)
{
    const json_t *list = json_object_get(top, "ranges");
    plan_status_t rc = PLAN_OK;
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > MAX_RANGES)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: \"ranges\": give a list of 1 to %d", r->name, MAX_RANGES);
    r->nranges = json_array_size(list);
    r->candidate = calloc(r->nranges, sizeof *r->candidate);
    r->range = calloc(r->nranges, sizeof *r->range);
    r->note = calloc(r->nranges, sizeof *r->note);
    if (r->candidate == NULL || r->range == NULL || r->note == NULL)
        return plani_fail(r->err, PLAN_ENOMEM, "%s: out of memory", r->name);
    for (size_t i = 0; i < r->nranges && rc == PLAN_OK; i++) rc = read_range(r, json_array_get(list, i), i);
    return rc;
}

static plan_status_t read_head(reader_t *r, const json_t *top)
{
    plan_status_t rc;
    json_int_t v = 0;
    const char *format = json_string_value(json_object_get(top, "format"));
    if (!json_is_object(top)) return plani_fail(r->err, PLAN_EFORMAT, "%s: give one JSON object", r->name);
    if (format == NULL || strcmp(format, "planbcast-plan") != 0)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: \"format\": a plan says \"planbcast-plan\" here", r->name);
    v = json_integer_value(json_object_get(top, "version"));
    if (v != 1)
        return plani_fail(r->err, PLAN_EFORMAT, "%s: \"version\": this release reads version 1 alone; plan again",
                          r->name);
    if ((rc = integer(r, top, "", "ranks", 1, PLANI_MAX_RANKS, &v)) != PLAN_OK) return rc;
    r->ranks = (int)v;
    if ((rc = integer(r, top, "", "root", 0, r->ranks - 1, &v)) != PLAN_OK) return rc;
    r->root = (int)v;
    return integers(r, top, "", "hosts", false, 0, INT_MAX, &r->hosts);
}

/* A file that carries its hash is held to it. */
static plan_status_t check_hash(reader_t *r, const json_t *top, const plan_t *plan)
{
    const json_t *v = json_object_get(top, "hash");
    char hash[20];
    if (v == NULL) return PLAN_OK;
    snprintf(hash, sizeof hash, "%016" PRIx64, plan_hash(plan));
    if (json_string_value(v) != NULL && strcmp(json_string_value(v), hash) == 0) return PLAN_OK;
    return plani_fail(r->err, PLAN_EFORMAT,
                      "%s: \"hash\": the content hashes to %s; if you meant to edit it, say so here", r->name, hash);
}

static void reader_clear(reader_t *r)
{
    for (size_t i = 0; i < r->ntrees; i++) plan_tree_destroy(&r->tree[i]);
    if (r->candidate != NULL)
        for (size_t i = 0; i < r->nranges; i++) {
            free(r->candidate[i].tree);
            free(r->candidate[i].rate);
            free(r->candidate[i].order);
        }
    free(r->tree);
    free(r->candidate);
    free(r->range);
    free(r->note);
    free(r->hosts);
}

plan_status_t plan_parse(const char *text, size_t len, const char *name_for_errors, plan_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    reader_t r = {.name = name_for_errors, .err = err};
    plan_t *plan = NULL;
    json_error_t why = {.text = ""};
    json_t *top = NULL;

    plani_clear(err);
    if ((top = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why)) == NULL) {
        rc = json_error_code(&why) == json_error_out_of_memory ? PLAN_ENOMEM : PLAN_EFORMAT;
        plani_fail(err, rc, "%s: line %d, column %d: %s", r.name, why.line, why.column,
                   rc == PLAN_ENOMEM ? "out of memory" : why.text);
        goto done;
    }
    if ((rc = read_head(&r, top)) != PLAN_OK) goto done;
    if ((rc = read_trees(&r, top)) != PLAN_OK) goto done;
    if ((rc = read_ranges(&r, top)) != PLAN_OK) goto done;
    rc = plani_plan_create(r.ranks, r.root, r.nranges, r.range, r.note, r.hosts, &plan, err);
    if (rc != PLAN_OK) goto done;
    if ((rc = check_hash(&r, top, plan)) != PLAN_OK) goto done;
    *out = plan, plan = NULL;
done:
    json_decref(top);
    reader_clear(&r);
    plan_destroy(&plan);
    return rc;
}

plan_status_t plan_load(const char *path, plan_t **out, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    plan_status_t rc = plani_read_file(path, MAX_FILE, &text, &len, err);
    if (rc == PLAN_OK) rc = plan_parse(text, len, path, out, err);
    free(text);
    return rc;
}
