/*
 * Large members that nobody looks at: three quarters of a profile are raw samples, and making values of them takes
 * longer than all the rest of reading it. They are skipped in the text, which must be JSON there, too. Whatever is not
 * plainly so (escapes beyond the usual, other than ASCII, deep nesting) is left to the parser and its messages.
 */
#include "graphs/json.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

/* Each reads from p on and tells where it ends; NULL: not plainly JSON. p may be NULL. */

static const char *skip_space(const char *p, const char *end)
{
    while (p != NULL && p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    return p;
}

static const char *skip_char(const char *p, const char *end, char c)
{
    p = skip_space(p, end);
    return p != NULL && p < end && *p == c ? p + 1 : NULL;
}

static const char *skip_string(const char *p, const char *end)
{
    if ((p = skip_char(p, end, '"')) == NULL) return NULL;
    for (; p < end && *p != '"'; p++) {
        if (*p < ' ' || *p > '~') return NULL; /* whether char is signed or not */
        if (*p == '\\' && (++p == end || *p == '\0' || strchr("\"\\/bfnrt", *p) == NULL)) return NULL;
    }
    return p < end ? p + 1 : NULL;
}

static const char *skip_digits(const char *p, const char *end)
{
    const char *first = p;
    while (p != NULL && p < end && *p >= '0' && *p <= '9') p++;
    return p != first ? p : NULL;
}

static const char *skip_number(const char *p, const char *end)
{
    if (p < end && *p == '-') p++;
    const char *first = p;
    if ((p = skip_digits(p, end)) == NULL || (*first == '0' && p > first + 1)) return NULL;
    if (p < end && *p == '.') p = skip_digits(p + 1, end);
    if (p == NULL || p == end || (*p != 'e' && *p != 'E')) return p;
    p++;
    if (p < end && (*p == '+' || *p == '-')) p++;
    return skip_digits(p, end);
}

static const char *skip_word(const char *p, const char *end)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);
        if ((size_t)(end - p) >= n && memcmp(p, words[i], n) == 0) return p + n;
    }
    return NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than MAX_DEPTH */
static const char *skip_value(const char *p, const char *end, int depth)
{
    p = skip_space(p, end);
    if (p == NULL || p == end || depth > MAX_DEPTH) return NULL;
    if (*p == '"') return skip_string(p, end);
    if (*p != '[' && *p != '{') return *p == '-' || (*p >= '0' && *p <= '9') ? skip_number(p, end) : skip_word(p, end);
    char open = *p++, close = open == '[' ? ']' : '}';
    const char *empty = skip_char(p, end, close);
    if (empty != NULL) return empty;
    for (;;) {
        if (open == '{') p = skip_char(skip_string(p, end), end, ':');
        p = skip_space(skip_value(p, end, depth + 1), end);
        if (p == NULL || p == end) return NULL;
        if (*p == close) return p + 1;
        if (*p++ != ',') return NULL;
    }
}

/* The value of a member of the outermost object: from *value to what is returned. */
static const char *find_member(const char *text, const char *end, const char *key, const char **value)
{
    size_t n = strlen(key);
    const char *p = skip_char(text, end, '{');

    while (p != NULL) {
        const char *name = skip_space(p, end);
        const char *after = skip_string(name, end);
        p = skip_char(after, end, ':');
        *value = p;
        p = skip_value(p, end, 0);
        if (p != NULL && (size_t)(after - name) == n + 2 && memcmp(name + 1, key, n) == 0) return p;
        p = skip_char(p, end, ',');
    }
    return NULL;
}

plan_status_t plani_json_load_without(const char *text, size_t len, const char *key, const char *file,
                                      plan_error_t *err, plani_json_t *doc)
{
    static const char nothing[] = "null";
    const char *value = NULL, *end = text + len, *after = find_member(text, end, key, &value);

    if (after == NULL) return plani_json_load(text, len, file, err, doc);
    size_t before = (size_t)(value - text), behind = (size_t)(end - after), null = sizeof nothing - 1;
    char *rest = malloc(before + null + behind);
    if (rest == NULL) return plani_fail(err, PLAN_ENOMEM, "%s: out of memory", file);
    memcpy(rest, text, before);
    memcpy(rest + before, nothing, null);
    memcpy(rest + before + null, after, behind);
    plan_status_t rc = plani_json_load(rest, before + null + behind, file, err, doc);
    free(rest);
    return rc == PLAN_EFORMAT ? plani_json_load(text, len, file, err, doc) : rc; /* with the right line and column */
}
