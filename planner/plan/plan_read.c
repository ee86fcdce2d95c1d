/* Reading plan files. Errors are one line that names the file, the place and the remedy. */
#include "graphs/trees/rounds.h"
#include "planner/plan/plan_private.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANGES 65536

typedef struct {
    int ranks, root;
    bool reduces;
    size_t ntrees, nranges;
    plan_tree_t **tree;          /* [ntrees] owned; candidates borrow them */
    plan_candidate_t *candidate; /* [nranges] */
    plan_range_t *range;         /* [nranges] */
    plani_note_t *note;          /* [nranges] */
    int *hosts;                  /* [ranks] or NULL */
} reader_t;

/* An optional number; NAN if absent. */
static plan_status_t figure(const plani_json_t *object, const char *key, double *out)
{
    *out = NAN;
    return plani_json_number_or(object, key, out);
}

/* [ranks] integers from low to high; *out is NULL if the key is absent and not `wanted`. */
static plan_status_t integers(const plani_json_t *object, const char *key, bool wanted, int ranks, int low, int high,
                              int **out)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list_of_ranks(object, key, wanted, ranks, &list);
    if (rc != PLAN_OK || list.value == NULL) return rc;
    if ((*out = malloc((size_t)ranks * sizeof **out)) == NULL) return plani_json_no_memory(&list);
    return plani_json_as_ints(&list, low, high, *out);
}

static plan_status_t read_tree(const reader_t *r, const plani_json_t *at, plan_tree_t **out)
{
    plan_status_t rc = PLAN_OK;
    int *parent = NULL, *order = NULL;
    const plani_json_t place = plani_json_member(at, "parent");

    if ((rc = integers(at, "parent", true, r->ranks, -1, r->ranks - 1, &parent)) != PLAN_OK) goto done;
    if ((rc = integers(at, "order", false, r->ranks, 0, INT_MAX, &order)) != PLAN_OK) goto done;
    rc = plan_tree_create(r->ranks, parent, order, out);
    if (rc == PLAN_ENOMEM)
        rc = plani_json_no_memory(at);
    else if (rc != PLAN_OK)
        rc = plani_json_fail(&place,
                             "is not a tree: give every rank one parent that leads to the root, and the root -1");
    else if (plan_tree_data(*out)->root != r->root)
        rc = plani_json_fail(&place, "has the root %d; the plan's root is %d", plan_tree_data(*out)->root, r->root);
done:
    free(parent);
    free(order);
    return rc;
}

static plan_status_t read_trees(reader_t *r, const plani_json_t *doc)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(doc, "trees", true, &list);
    if (rc != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if ((r->tree = calloc(n + 1, sizeof(plan_tree_t *))) == NULL) return plani_json_no_memory(&list);
    r->ntrees = n;
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = read_tree(r, &at, &r->tree[i]);
    }
    return rc;
}

/* Windows of the links into the ranks, optional for each tree of a range. */
static plan_status_t read_windows(const reader_t *r, const plani_json_t *at, size_t ntrees, size_t t,
                                  plan_candidate_t *c)
{
    size_t ranks = (size_t)r->ranks;
    int *window = NULL;
    plan_status_t rc = integers(at, "windows", false, r->ranks, 1, PLANI_MAX_WINDOW, &window);
    if (rc != PLAN_OK || window == NULL) goto done;
    if (c->link_window == NULL) {
        if ((c->link_window = malloc(ntrees * ranks * sizeof *window)) == NULL) {
            rc = plani_json_no_memory(at);
            goto done;
        }
        for (size_t k = 0; k < ntrees * ranks; k++) c->link_window[k] = c->window;
    }
    memcpy(c->link_window + t * ranks, window, ranks * sizeof *window);
done:
    free(window);
    return rc;
}

/* One of a range's trees: {"tree": index, "rate": slices/s, "windows": [...]}. */
static plan_status_t read_share(const reader_t *r, const plani_json_t *at, plan_tree_t **tree, double *rate)
{
    plani_json_t share = plani_json_member(at, "rate");
    plan_status_t rc;
    int index = 0;
    if (r->ntrees == 0) return plani_json_fail(at, "needs a tree; list the trees in the plan's \"trees\"");
    if ((rc = plani_json_int(at, "tree", 0, (int)r->ntrees - 1, &index)) != PLAN_OK) return rc;
    if ((rc = plani_json_number(at, "rate", rate)) != PLAN_OK) return rc;
    if (!(*rate > 0)) return plani_json_fail(&share, "is %g; give slices/s > 0", *rate);
    *tree = r->tree[index];
    return PLAN_OK;
}

static plan_status_t read_shares(const reader_t *r, const plani_json_t *at, plan_candidate_t *c)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(at, "trees", true, &list);
    size_t n = plani_json_size(&list);
    if (rc != PLAN_OK || n == 0) return rc;
    if (n > PLANI_MAX_TREES) return plani_json_fail(&list, "holds %zu trees; give at most %d", n, PLANI_MAX_TREES);
    c->tree = calloc(n, sizeof(plan_tree_t *));
    c->rate = calloc(n, sizeof *c->rate);
    if (c->tree == NULL || c->rate == NULL) return plani_json_no_memory(&list);
    c->ntrees = n;
    for (size_t t = 0; t < n && rc == PLAN_OK; t++) {
        plani_json_t share = plani_json_element(&list, t);
        rc = read_share(r, &share, &c->tree[t], &c->rate[t]);
        if (rc == PLAN_OK) rc = read_windows(r, &share, n, t, c);
    }
    return rc;
}

/* For rounds: the schedule, and the rank at each place. */
static plan_status_t read_schedule(const reader_t *r, const plani_json_t *at, plan_candidate_t *c)
{
    const char *name = NULL;
    plani_json_t schedule = plani_json_member(at, "schedule");
    plan_status_t rc = plani_json_string(at, "schedule", &name);
    if (rc != PLAN_OK) return rc;
    if (plani_schedule_from_name(name, &c->schedule) != PLAN_OK)
        return plani_json_fail(&schedule, "is unknown; give \"scatter-ring\", \"scatter-doubling\" or \"circulant\"");
    rc = integers(at, "order", true, r->ranks, 0, r->ranks - 1, &c->order);
    if (rc == PLAN_OK) c->places = r->ranks;
    return rc;
}

static plan_status_t read_run(const reader_t *r, const plani_json_t *at, plan_candidate_t *c)
{
    static const plan_run_t runs[] = {PLAN_RUN_TREES, PLAN_RUN_HOSTS, PLAN_RUN_ROUNDS, PLAN_RUN_SHARED,
                                      PLAN_RUN_NATIVE};
    enum { RUNS = sizeof runs / sizeof *runs };
    const char *name = NULL;
    plani_json_t run = plani_json_member(at, "run");
    plan_status_t rc = plani_json_string(at, "run", &name);
    if (rc != PLAN_OK) return rc;
    size_t i = 0;
    while (i < RUNS && strcmp(name, plani_run_name(runs[i])) != 0) i++;
    if (i == RUNS)
        return plani_json_fail(&run, "is unknown; give \"trees\", \"hosts\", \"rounds\", \"shared\" or \"native\"");
    c->run = runs[i];
    if (r->reduces && !plani_can_reduce(c->run))
        return plani_json_fail(&run, "cannot reduce; give \"trees\" or \"native\"");
    return c->run == PLAN_RUN_ROUNDS ? read_schedule(r, at, c) : PLAN_OK;
}

static plan_status_t read_name(const plani_json_t *object, char name[64])
{
    const char *s = NULL;
    plani_json_t at = plani_json_member(object, "name");
    plan_status_t rc = plani_json_string(object, "name", &s);
    if (rc != PLAN_OK) return rc;
    if (!plani_is_name(s, 64)) return plani_json_fail(&at, "is not a name; give 1 to 63 letters, digits and dashes");
    memcpy(name, s, strlen(s) + 1);
    return PLAN_OK;
}

static plan_status_t read_bottleneck(const plani_json_t *range, plan_bottleneck_t *b)
{
    const char *name = NULL;
    plani_json_t at, where;
    plan_status_t rc = plani_json_object(range, "bottleneck", false, &at);
    if (rc != PLAN_OK || at.value == NULL) return rc;
    if ((rc = plani_json_string(&at, "at", &name)) != PLAN_OK) return rc;
    int k = 0;
    while (plani_bottleneck_name(k) != NULL && strcmp(name, plani_bottleneck_name(k)) != 0) k++;
    if (plani_bottleneck_name(k) == NULL) {
        where = plani_json_member(&at, "at");
        return plani_json_fail(&where,
                               "is unknown; give \"send port\", \"receive port\", \"port\", \"resource\" or \"link\"");
    }
    b->at = k;
    if ((rc = plani_json_size_t(&at, "index", &b->index)) != PLAN_OK) return rc;
    return figure(&at, "seconds", &b->seconds);
}

/* Members that only explain the choice. */
static plan_status_t read_notes(const plani_json_t *at, plan_candidate_t *c, plani_note_t *note)
{
    plan_status_t rc;
    plani_json_t second;
    note->runner_up_s = NAN;
    if ((rc = figure(at, "throughput", &c->throughput)) != PLAN_OK) return rc;
    if ((rc = figure(at, "lp_ratio", &c->lp_ratio)) != PLAN_OK) return rc;
    if ((rc = figure(at, "predicted_s", &c->predicted_s)) != PLAN_OK) return rc;
    if ((rc = figure(at, "measured_s", &c->measured_s)) != PLAN_OK) return rc;
    if ((rc = plani_json_size_t_or(at, "at_bytes", &note->at_bytes)) != PLAN_OK) return rc;
    if ((rc = plani_json_object(at, "runner_up", false, &second)) != PLAN_OK) return rc;
    if (second.value != NULL) {
        if ((rc = read_name(&second, note->runner_up)) != PLAN_OK) return rc;
        if ((rc = figure(&second, "seconds", &note->runner_up_s)) != PLAN_OK) return rc;
    }
    return read_bottleneck(at, &c->bottleneck);
}

/* The end of range i: after that of the one before; optional for the last range. */
static plan_status_t read_end(const reader_t *r, const plani_json_t *at, size_t i, size_t *up_to)
{
    plani_json_t end = plani_json_member(at, "up_to");
    plan_status_t rc = PLAN_OK;
    *up_to = SIZE_MAX;
    if (i + 1 < r->nranges)
        rc = plani_json_size_t(at, "up_to", up_to);
    else
        rc = plani_json_size_t_or(at, "up_to", up_to);
    if (rc != PLAN_OK || i == 0 || *up_to > r->range[i - 1].up_to) return rc;
    return plani_json_fail(&end, "is %zu; give more than the %zu B of the range before", *up_to, r->range[i - 1].up_to);
}

static plan_status_t read_range(reader_t *r, const plani_json_t *at, size_t i)
{
    plan_candidate_t *c = &r->candidate[i];
    plan_status_t rc;
    plan_error_t why;

    r->range[i].chosen = c;
    if ((rc = read_end(r, at, i, &r->range[i].up_to)) != PLAN_OK) return rc;
    if ((rc = read_name(at, c->name)) != PLAN_OK) return rc;
    if ((rc = read_run(r, at, c)) != PLAN_OK) return rc;
    if ((rc = plani_json_size_t(at, "slice", &c->slice)) != PLAN_OK) return rc;
    if ((rc = plani_json_int(at, "window", 1, PLANI_MAX_WINDOW, &c->window)) != PLAN_OK) return rc;
    if ((rc = read_shares(r, at, c)) != PLAN_OK) return rc;
    if ((rc = read_notes(at, c, &r->note[i])) != PLAN_OK) return rc;
    rc = plani_candidate_check(c, r->ranks, r->root, &why);
    if (rc == PLAN_ENOMEM) return plani_json_no_memory(at);
    return rc == PLAN_OK ? rc : plani_json_fail(at, "not executable: %s", why.text);
}

static plan_status_t read_ranges(reader_t *r, const plani_json_t *doc)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(doc, "ranges", true, &list);
    if (rc != PLAN_OK) return rc;
    size_t n = plani_json_size(&list);
    if (n < 1 || n > MAX_RANGES) return plani_json_fail(&list, "holds %zu ranges; give 1 to %d", n, MAX_RANGES);
    r->nranges = n;
    r->candidate = calloc(n, sizeof *r->candidate);
    r->range = calloc(n, sizeof *r->range);
    r->note = calloc(n, sizeof *r->note);
    if (r->candidate == NULL || r->range == NULL || r->note == NULL) return plani_json_no_memory(&list);
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        r->candidate[i].size = sizeof r->candidate[i];
        rc = read_range(r, &at, i);
    }
    return rc;
}

/* Optional: broadcasts, unless it says otherwise. */
static plan_status_t read_operation(reader_t *r, const plani_json_t *doc)
{
    const char *name = "broadcast";
    const plani_json_t at = plani_json_member(doc, "operation");
    plan_status_t rc = plani_json_string_or(doc, "operation", &name);
    if (rc != PLAN_OK) return rc;
    r->reduces = strcmp(name, "reduce") == 0;
    if (r->reduces || strcmp(name, "broadcast") == 0) return PLAN_OK;
    return plani_json_fail(&at, "is unknown; give \"broadcast\" or \"reduce\"");
}

static plan_status_t read_head(reader_t *r, const plani_json_t *doc)
{
    plan_status_t rc;
    if ((rc = plani_json_format(doc, "planbcast-plan", 1)) != PLAN_OK) return rc;
    if ((rc = read_operation(r, doc)) != PLAN_OK) return rc;
    if ((rc = plani_json_int(doc, "ranks", 1, PLANI_MAX_RANKS, &r->ranks)) != PLAN_OK) return rc;
    if ((rc = plani_json_int(doc, "root", 0, r->ranks - 1, &r->root)) != PLAN_OK) return rc;
    return integers(doc, "hosts", false, r->ranks, 0, PLANI_MAX_RANKS - 1, &r->hosts);
}

/* Compare the hash in the file, if any, with that of the content. */
static plan_status_t check_hash(const plani_json_t *doc, const plan_t *plan)
{
    const plani_json_t at = plani_json_member(doc, "hash");
    const char *said = json_string_value(at.value);
    char hash[20];
    if (at.value == NULL) return PLAN_OK;
    snprintf(hash, sizeof hash, "%016" PRIx64, plan_data(plan)->hash);
    if (said != NULL && strcmp(said, hash) == 0) return PLAN_OK;
    return plani_json_fail(&at, "is not that of the content, %s; if you edited the plan on purpose, put this in", hash);
}

static void reader_clear(reader_t *r)
{
    for (size_t i = 0; i < r->ntrees; i++) plan_tree_destroy(&r->tree[i]);
    for (size_t i = 0; r->candidate != NULL && i < r->nranges; i++) plani_candidate_free_arrays(&r->candidate[i]);
    free(r->tree);
    free(r->candidate);
    free(r->range);
    free(r->note);
    free(r->hosts);
}

plan_status_t plan_parse(const char *text, size_t len, const char *name_for_errors, plan_t **out, plan_error_t *err)
{
    reader_t r = {.ranks = 0};
    plan_t *plan = NULL;
    plani_json_t doc;

    if (text == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no text to read a plan from");
    if (name_for_errors == NULL) name_for_errors = "plan";
    plani_clear(err);
    plan_status_t rc = plani_json_load(text, len, name_for_errors, err, &doc);
    if (rc != PLAN_OK) return rc;
    if ((rc = read_head(&r, &doc)) != PLAN_OK) goto done;
    if ((rc = read_trees(&r, &doc)) != PLAN_OK) goto done;
    if ((rc = read_ranges(&r, &doc)) != PLAN_OK) goto done;
    rc = plani_plan_create(r.ranks, r.root, r.nranges, r.range, r.note, r.hosts, &plan, err);
    if (rc != PLAN_OK) goto done;
    if (r.reduces) plani_plan_let_reduce(plan);
    if ((rc = check_hash(&doc, plan)) != PLAN_OK) goto done;
    *out = plan, plan = NULL;
done:
    plani_json_close(&doc);
    reader_clear(&r);
    plan_destroy(&plan);
    return rc;
}

plan_status_t plan_load(const char *path, plan_t **out, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    if (path == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no file to read a plan from");
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, err);
    if (rc == PLAN_OK) rc = plan_parse(text, len, path, out, err);
    free(text);
    return rc;
}

/* ---- several plans in one file ---- */

/* The length of the first JSON object in a text, or of all of it. */
static size_t first_object(const char *text, size_t len)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && text[i] == '\\')
            i++;
        else if (!quoted && text[i] == '{')
            depth++;
        else if (!quoted && text[i] == '}' && --depth == 0)
            return i + 1;
    }
    return len;
}

static size_t blanks(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && strchr(" \t\r\n", text[n]) != NULL && text[n] != '\0') n++;
    return n;
}

static void destroy_all(plan_t **plans, size_t n)
{
    for (size_t i = 0; i < n; i++) plan_destroy(&plans[i]);
    free(plans);
}

static plan_status_t parse_all(const char *text, size_t len, const char *path, plan_t ***plans, size_t *n,
                               plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plan_t **plan = NULL;
    size_t count = 0, room = 0, at = blanks(text, len);
    char name[400];

    do {
        size_t size = first_object(text + at, len - at);
        plan_t **more = plani_grown(plan, count, &room, sizeof(plan_t *));
        if (more == NULL) {
            rc = plani_fail(err, PLAN_ENOMEM, "%s: out of memory", path);
            break;
        }
        plan = more;
        snprintf(name, sizeof name, "%.350s, plan %zu", path, count + 1);
        if ((rc = plan_parse(text + at, size, count > 0 ? name : path, &plan[count], err)) != PLAN_OK) break;
        count++;
        at += size;
        at += blanks(text + at, len - at);
    } while (at < len);
    if (rc == PLAN_OK) *plans = plan, *n = count, plan = NULL, count = 0;
    destroy_all(plan, count);
    return rc;
}

plan_status_t plan_load_all(const char *path, plan_t ***plans, size_t *n, plan_error_t *err)
{
    char *text = NULL;
    size_t len = 0;
    if (path == NULL || plans == NULL || n == NULL) return plani_fail(err, PLAN_EINVAL, "no file to read plans from");
    plan_status_t rc = plani_read_file(path, PLANI_MAX_FILE, &text, &len, err);
    if (rc == PLAN_OK) rc = parse_all(text, len, path, plans, n, err);
    free(text);
    return rc;
}
