/* Typed access to JSON files, with errors that name the place. */
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; /* most levels of a place in an error */

/* Write a place such as "links[3].from", truncated to `room`. */
static void write_place(const plani_json_t *at, char *out, size_t room)
{
    const plani_json_t *chain[MAX_DEPTH];
    int depth = 0;
    size_t used = 0;

    for (; at->up != NULL && depth < MAX_DEPTH; at = at->up) chain[depth++] = at;
    out[0] = '\0';
    while (depth-- > 0 && used < room) {
        const plani_json_t *step = chain[depth];
        int n = step->key ? snprintf(out + used, room - used, "%s%s", used ? "." : "", step->key)
                          : snprintf(out + used, room - used, "[%zu]", step->index);
        if (n < 0) return;
        used += (size_t)n;
    }
}

static const char *file_of(const plani_json_t *at)
{
    while (at->up != NULL) at = at->up;
    return at->key;
}

plan_status_t plani_json_fail(const plani_json_t *at, const char *format, ...)
{
    char place[400], text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_place(at, place, sizeof place);
    return plani_fail(at->err, PLAN_EFORMAT, "%s: %s%s%s", file_of(at), place, place[0] && text[0] ? " " : "", text);
}

plan_status_t plani_json_check_amount(const plani_json_t *at, double x, double most)
{
    return x >= 0 && x <= most ? PLAN_OK : plani_json_fail(at, "is %g; give a number from 0 to %g", x, most);
}

plan_status_t plani_json_no_memory(const plani_json_t *at)
{
    plani_json_fail(at, "is too much for this machine's memory");
    if (at->err != NULL) at->err->status = PLAN_ENOMEM;
    return PLAN_ENOMEM;
}

/* jansson reports a failed allocation as a syntax error; and if later allocations succeed, it may have lost characters
 * of a string, or read past its end. So allocations are intercepted while it parses, and after one has failed all
 * others fail. Those of other threads pass through. */
static json_malloc_t usual_malloc;
static _Thread_local bool watching, starved;

static void *watched_malloc(size_t size)
{
    void *p = watching && starved ? NULL : usual_malloc(size);
    if (watching && p == NULL) starved = true;
    return p;
}

static json_t *load_watched(const char *text, size_t len, json_error_t *why)
{
    json_malloc_t its_malloc;
    json_free_t its_free;

    plani_lock();
    json_get_alloc_funcs(&its_malloc, &its_free);
    usual_malloc = its_malloc;
    json_set_alloc_funcs(watched_malloc, its_free);
    watching = true, starved = false;
    json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES, why);
    watching = false;
    json_set_alloc_funcs(its_malloc, its_free);
    plani_unlock();
    if (!starved) return value;
    json_decref(value);
    return NULL;
}

plan_status_t plani_json_load(const char *text, size_t len, const char *file, plan_error_t *err, plani_json_t *doc)
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark; RFC 8259, section 8.1 */
    size_t skip = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    json_error_t why;
    json_t *value = load_watched(text + skip, len - skip, &why);

    *doc = (plani_json_t){.key = file, .err = err};
    if (value == NULL && starved) return plani_fail(err, PLAN_ENOMEM, "%s: out of memory", file);
    if (value == NULL)
        return plani_fail(err, PLAN_EFORMAT, "%s: line %d, column %d: not JSON: %s", file, why.line, why.column,
                          why.text);
    doc->value = value;
    if (json_is_object(value)) return PLAN_OK;
    plani_json_close(doc);
    return plani_fail(err, PLAN_EFORMAT, "%s: holds a list; it should be an object { ... }", file);
}

void plani_json_close(plani_json_t *doc)
{
    json_decref(doc->value);
    doc->value = NULL;
}

bool plani_json_is_format(const plani_json_t *doc, const char *format)
{
    const char *is = json_string_value(json_object_get(doc->value, "format"));
    return is != NULL && strcmp(is, format) == 0;
}

plan_status_t plani_json_format(const plani_json_t *doc, const char *format, int version)
{
    plani_json_t f = plani_json_member(doc, "format"), v = plani_json_member(doc, "version");

    if (f.value == NULL) return plani_json_fail(&f, "is missing; it should be \"%s\"", format);
    if (!plani_json_is_format(doc, format))
        return plani_json_fail(&f, "is \"%.60s\"; it should be \"%s\"",
                               json_is_string(f.value) ? json_string_value(f.value) : "no string", format);
    if (v.value == NULL) return plani_json_fail(&v, "is missing; it should be %d", version);
    if (!json_is_integer(v.value) || json_integer_value(v.value) != version)
        return plani_json_fail(&v, "is not %d, the only one that this planbcast reads", version);
    return PLAN_OK;
}

plani_json_t plani_json_member(const plani_json_t *object, const char *key)
{
    return (plani_json_t){object, key, 0, json_object_get(object->value, key), object->err};
}

plani_json_t plani_json_element(const plani_json_t *list, size_t i)
{
    return (plani_json_t){list, NULL, i, json_array_get(list->value, i), list->err};
}

size_t plani_json_size(const plani_json_t *list)
{
    return json_array_size(list->value);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

plan_status_t plani_json_as_number(const plani_json_t *at, double *x)
{
    if (!json_is_number(at->value)) return plani_json_fail(at, "is not a number; give one");
    double value = json_number_value(at->value);
    if (!isfinite(value)) return plani_json_fail(at, "is not finite; give a finite number");
    *x = value + 0.0; /* -0 becomes 0, which reads back as it is written */
    return PLAN_OK;
}

plan_status_t plani_json_as_int(const plani_json_t *at, int low, int high, int *x)
{
    double value;

    if (!json_is_number(at->value))
        return plani_json_fail(at, "is not a number; give a whole number from %d to %d", low, high);
    value = json_number_value(at->value);
    if (!(value >= low && value <= high) || value != floor(value))
        return plani_json_fail(at, "is %.17g; give a whole number from %d to %d", value, low, high);
    *x = (int)value;
    return PLAN_OK;
}

plan_status_t plani_json_as_string(const plani_json_t *at, const char **s)
{
    if (!json_is_string(at->value)) return plani_json_fail(at, "is not a string; give one in quotes");
    *s = json_string_value(at->value);
    return PLAN_OK;
}

static plan_status_t as_size(const plani_json_t *at, size_t *x)
{
    double value;

    if (!json_is_number(at->value)) return plani_json_fail(at, "is not a number; give a whole number >= 0");
    if (json_is_integer(at->value) && json_integer_value(at->value) >= 0) {
        *x = (size_t)json_integer_value(at->value);
        return PLAN_OK;
    }
    value = json_number_value(at->value);
    if (!(value >= 0 && value <= 9007199254740992.0) || value != floor(value))
        return plani_json_fail(at, "is %.17g; give a whole number >= 0", value);
    *x = (size_t)value;
    return PLAN_OK;
}

static plan_status_t as_bool(const plani_json_t *at, bool *x)
{
    if (!json_is_boolean(at->value)) return plani_json_fail(at, "is not a boolean; give true or false");
    *x = json_is_true(at->value);
    return PLAN_OK;
}

plan_status_t plani_json_as_numbers(const plani_json_t *list, double *x)
{
    for (size_t i = 0; i < plani_json_size(list); i++) {
        plani_json_t at = plani_json_element(list, i);
        plan_status_t rc = plani_json_as_number(&at, &x[i]);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

plan_status_t plani_json_as_ints(const plani_json_t *list, int low, int high, int *x)
{
    for (size_t i = 0; i < plani_json_size(list); i++) {
        plani_json_t at = plani_json_element(list, i);
        plan_status_t rc = plani_json_as_int(&at, low, high, &x[i]);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

/* --- members ------------------------------------------------------------------------------------------------------ */

/* Find a member; `object` must be an object. null counts as absent if the member is not wanted. */
static plan_status_t find(const plani_json_t *object, const char *key, bool wanted, plani_json_t *at)
{
    *at = plani_json_member(object, key);
    if (!json_is_object(object->value)) return plani_json_fail(object, "should be an object { ... }");
    if (!wanted && json_is_null(at->value)) at->value = NULL;
    if (wanted && at->value == NULL) return plani_json_fail(at, "is missing; add it");
    return PLAN_OK;
}

#define MEMBER(wanted, read)                                                                                           \
    do {                                                                                                               \
        plani_json_t at;                                                                                               \
        plan_status_t rc = find(object, key, wanted, &at);                                                             \
        return rc != PLAN_OK || at.value == NULL ? rc : (read);                                                        \
    } while (0)

plan_status_t plani_json_number(const plani_json_t *object, const char *key, double *x)
{
    MEMBER(true, plani_json_as_number(&at, x));
}

plan_status_t plani_json_number_or(const plani_json_t *object, const char *key, double *x)
{
    MEMBER(false, plani_json_as_number(&at, x));
}

plan_status_t plani_json_int(const plani_json_t *object, const char *key, int low, int high, int *x)
{
    MEMBER(true, plani_json_as_int(&at, low, high, x));
}

plan_status_t plani_json_int_or(const plani_json_t *object, const char *key, int low, int high, int *x)
{
    MEMBER(false, plani_json_as_int(&at, low, high, x));
}

plan_status_t plani_json_size_t(const plani_json_t *object, const char *key, size_t *x)
{
    MEMBER(true, as_size(&at, x));
}

plan_status_t plani_json_size_t_or(const plani_json_t *object, const char *key, size_t *x)
{
    MEMBER(false, as_size(&at, x));
}

plan_status_t plani_json_string(const plani_json_t *object, const char *key, const char **s)
{
    MEMBER(true, plani_json_as_string(&at, s));
}

plan_status_t plani_json_string_or(const plani_json_t *object, const char *key, const char **s)
{
    MEMBER(false, plani_json_as_string(&at, s));
}

plan_status_t plani_json_bool_or(const plani_json_t *object, const char *key, bool *x)
{
    MEMBER(false, as_bool(&at, x));
}

plan_status_t plani_json_list(const plani_json_t *object, const char *key, bool wanted, plani_json_t *list)
{
    plan_status_t rc = find(object, key, wanted, list);
    if (rc == PLAN_OK && list->value != NULL && !json_is_array(list->value))
        rc = plani_json_fail(list, "should be a list [ ... ]");
    return rc;
}

plan_status_t plani_json_list_of_ranks(const plani_json_t *object, const char *key, bool wanted, int ranks,
                                       plani_json_t *list)
{
    plan_status_t rc = plani_json_list(object, key, wanted, list);
    if (rc != PLAN_OK || list->value == NULL || plani_json_size(list) == (size_t)ranks) return rc;
    return plani_json_fail(list, "holds %zu entries; give one for each of the %d ranks", plani_json_size(list), ranks);
}

plan_status_t plani_json_object(const plani_json_t *object, const char *key, bool wanted, plani_json_t *member)
{
    plan_status_t rc = find(object, key, wanted, member);
    if (rc == PLAN_OK && member->value != NULL && !json_is_object(member->value))
        rc = plani_json_fail(member, "should be an object { ... }");
    return rc;
}
