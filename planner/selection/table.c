/* Tables of timed broadcasts. */
#include "planner/selection/selection.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6, LEAST = 5, LINE = 256 };

typedef struct {
    const char *file;
    size_t line;
    const plani_target_t *library;
    plan_error_t *err;
} reader_t;

static const plani_setting_t *find_setting(const plani_target_t *library, const char *name)
{
    char with[64];
    const plani_setting_t *s = plani_target_find(library, name);
    if (s == NULL && strlen(name) < 32) {
        snprintf(with, sizeof with, "%s/4", name);
        s = plani_target_find(library, with);
    }
    return s;
}

/* The way's index; -2: there are too many. */
static int find_way(sel_table_t *t, const plani_setting_t *setting, size_t segment)
{
    for (int w = 0; w < t->nways; w++)
        if (t->way[w].setting == setting && t->way[w].segment == segment) return w;
    if (t->nways == SEL_WAYS) return -2;
    t->way[t->nways] = (sel_way_t){setting, segment};
    return t->nways++;
}

/* Split a line at blanks, in place; the number of fields, one more than FIELDS for too many. */
static size_t split(char *line, char *field[FIELDS])
{
    size_t n = 0;
    line[strcspn(line, "#\r")] = '\0';
    char *rest = NULL;
    for (char *at = strtok_r(line, " \t", &rest); at != NULL; at = strtok_r(NULL, " \t", &rest)) {
        if (n == FIELDS) return FIELDS + 1;
        field[n++] = at;
    }
    return n;
}

static plan_status_t bad(const reader_t *r, const char *what, const char *remedy)
{
    return plani_fail(r->err, PLAN_EFORMAT, "%s:%zu: %.60s: %s", r->file, r->line, what, remedy);
}

static bool read_ranks(const char *text, int *n)
{
    uint64_t value;
    if (!plani_read_whole(text, &value) || value < 1 || value > PLANI_MAX_RANKS) return false;
    *n = (int)value;
    return true;
}

static plan_status_t read_numbers(const reader_t *r, size_t n, char *const *field, sel_timing_t *t, size_t *segment)
{
    uint64_t bytes, piece = 0;
    if (!read_ranks(field[1], &t->layout.ranks)) return bad(r, field[1], "give the number of ranks, up to 1048576");
    if (!read_ranks(field[2], &t->layout.per_host)) return bad(r, field[2], "give the ranks of each host");
    if (!plani_read_whole(field[3], &bytes) || bytes < 1 || bytes > INT64_MAX)
        return bad(r, field[3], "give the size of the message in bytes, from 1");
    if (!plani_read_real(field[4], &t->seconds) || !(t->seconds > 0))
        return bad(r, field[4], "give the time in seconds, above 0");
    if (n > LEAST && (!plani_read_whole(field[5], &piece) || piece > INT64_MAX))
        return bad(r, field[5], "give the segment size in bytes, 0 for whole messages");
    if (t->layout.per_host > t->layout.ranks) t->layout.per_host = t->layout.ranks;
    t->bytes = bytes;
    *segment = piece;
    return PLAN_OK;
}

static plan_status_t read_way(const reader_t *r, const char *name, int ranks, size_t segment, sel_table_t *table,
                              int *way)
{
    const plani_setting_t *setting = find_setting(r->library, name);
    *way = SEL_DEFAULT;
    if (strcmp(name, "default") == 0) return PLAN_OK;
    if (setting == NULL)
        return plani_fail(r->err, PLAN_EFORMAT, "%s:%zu: %.60s: no broadcast of %s; see planbcast select --help",
                          r->file, r->line, name, r->library->name);
    if (segment > 0 && !setting->segments) return bad(r, name, "cannot be sent in segments");
    *way = find_way(table, setting, segment);
    if (setting->shape == PLANI_SHAPE_BINE && (ranks & (ranks - 1)) != 0)
        return bad(r, name, "has a power of two of ranks");
    return *way >= 0 ? PLAN_OK : bad(r, name, "more than 32 algorithms and segment sizes");
}

static plan_status_t read_line(const reader_t *r, char *line, sel_table_t *table, size_t *room)
{
    char *field[FIELDS];
    size_t n = split(line, field), segment = 0;
    sel_timing_t t;
    plan_status_t rc;

    if (n == 0 || (table->n == 0 && strcmp(field[0], "algorithm") == 0)) return PLAN_OK;
    if (n < LEAST || n > FIELDS)
        return bad(r, field[0],
                   "give algorithm, ranks, ranks per host, bytes, seconds and, where it is not 0, segment");
    if ((rc = read_numbers(r, n, field, &t, &segment)) != PLAN_OK) return rc;
    if ((rc = read_way(r, field[0], t.layout.ranks, segment, table, &t.way)) != PLAN_OK) return rc;
    sel_timing_t *more = plani_grown(table->timing, table->n, room, sizeof *more);
    if (more == NULL) return plani_fail(r->err, PLAN_ENOMEM, "out of memory for %s", r->file);
    table->timing = more;
    table->timing[table->n++] = t;
    return PLAN_OK;
}

/* ---- order ---- */

static int by_ways(const sel_way_t *a, const sel_way_t *b)
{
    if (a->setting != b->setting) return a->setting < b->setting ? -1 : 1;
    return (a->segment > b->segment) - (a->segment < b->segment);
}

/* Ways in the order of the library, whatever the table's. */
static void sort_ways(sel_table_t *t)
{
    sel_way_t before[SEL_WAYS];
    memcpy(before, t->way, sizeof before);
    for (int i = 1; i < t->nways; i++)
        for (int k = i; k > 0 && by_ways(&t->way[k], &t->way[k - 1]) < 0; k--) {
            sel_way_t w = t->way[k];
            t->way[k] = t->way[k - 1];
            t->way[k - 1] = w;
        }
    for (size_t i = 0; i < t->n; i++)
        if (t->timing[i].way >= 0)
            t->timing[i].way = find_way(t, before[t->timing[i].way].setting, before[t->timing[i].way].segment);
}

#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y)) return (x) < (y) ? -1 : 1

static int by_key(const void *x, const void *y)
{
    const sel_timing_t *a = x, *b = y;
    COMPARE(a->way, b->way);
    COMPARE(a->layout.ranks, b->layout.ranks);
    COMPARE(a->layout.per_host, b->layout.per_host);
    COMPARE(a->bytes, b->bytes);
    COMPARE(a->seconds, b->seconds);
    return 0;
}

static plan_status_t read_lines(reader_t *r, const char *text, size_t len, sel_table_t *out)
{
    size_t room = 0;
    plan_status_t rc = PLAN_OK;
    for (const char *at = text, *end = text + len; at < end && rc == PLAN_OK;) {
        char line[LINE];
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop != NULL ? stop : end) - at), text_only;
        r->line++;
        for (text_only = 0; text_only < n && at[text_only] != '#';) text_only++;
        if (text_only >= LINE) return bad(r, "a line", "has more than 255 characters");
        memcpy(line, at, text_only);
        line[text_only] = '\0';
        rc = read_line(r, line, out, &room);
        at = stop != NULL ? stop + 1 : end;
    }
    return rc;
}

plan_status_t sel_table_parse(const char *text, size_t len, const char *file, const plani_target_t *library,
                              sel_table_t *out, plan_error_t *err)
{
    reader_t r = {file, 0, library, err};
    *out = (sel_table_t){.library = library};
    plan_status_t rc = read_lines(&r, text, len, out);
    if (rc == PLAN_OK && out->nways == 0)
        rc = plani_fail(err, PLAN_EFORMAT, "%s: no timed broadcast; see planbcast select --help", file);
    if (rc == PLAN_OK) {
        sort_ways(out);
        qsort(out->timing, out->n, sizeof *out->timing, by_key);
    } else {
        sel_table_clear(out);
    }
    return rc;
}

void sel_table_clear(sel_table_t *table)
{
    free(table->timing);
    *table = (sel_table_t){.n = 0};
}

/* Timings of one key are neighbours, in the order of their times. */
double sel_table_time(const sel_table_t *t, int way, sel_layout_t layout, size_t bytes)
{
    size_t first = 0, n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const sel_timing_t *x = &t->timing[i];
        if (x->way != way || x->bytes != bytes || !sel_same_layout(x->layout, layout)) continue;
        if (n++ == 0) first = i;
    }
    if (n == 0) return NAN;
    return (t->timing[first + (n - 1) / 2].seconds + t->timing[first + n / 2].seconds) / 2;
}

plani_doing_t sel_doing(const sel_way_t *way)
{
    plani_rule_t r = {.setting = way->setting, .segment = way->segment};
    plani_doing_t t = plani_doing(&r);
    if (way->segment == 0) snprintf(t.s, sizeof t.s, "%s", way->setting->name);
    return t;
}
