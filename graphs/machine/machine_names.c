/* Lists of host names, as resource managers write them: "n[001-064,070],rack[0-3]-[00-15],login". */
#include "graphs/machine/machine.h"
#include "lib/base/text.h"
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256, DIGITS = 9 };

/* A number of 1 to DIGITS digits; *width: how many. */
static bool read_number(const char **at, unsigned long *number, int *width)
{
    *number = 0;
    for (*width = 0; isdigit((unsigned char)**at) && *width <= DIGITS; ++*at, ++*width)
        *number = 10 * *number + (unsigned long)(**at - '0');
    return *width > 0 && *width <= DIGITS;
}

typedef struct {
    plan_status_t (*each)(void *context, const char *name);
    void *context;
    const char *why;
    char name[NAME + DIGITS + 1];
} expansion_t;

static plan_status_t refuse(expansion_t *x, const char *why)
{
    x->why = why;
    return PLAN_EFORMAT;
}

/* All names that begin with the first `len` bytes of x->name and go on as at *at says, which is where they end
 * afterwards. `behind`: a bracket has just ended. */
static plan_status_t expand(expansion_t *x, size_t len, bool behind, const char **at)
{
    static const char *const bracket = "a bracket should hold numbers and ranges, such as [001-064,070]";
    size_t more = strcspn(*at, "[],");
    const char *open = *at + more, *close = strchr(open, ']');

    if (len + more >= NAME) return refuse(x, "a name is too long");
    memcpy(x->name + len, *at, more);
    x->name[len += more] = '\0';
    *at = open;
    if (*open == ']') return refuse(x, "']' without '['");
    if (*open != '[') {
        if (len == 0) return refuse(x, "a name is empty");
        if (behind && more > 0) return refuse(x, "a bracket is not the last of its name");
        x->why = NULL;
        return x->each(x->context, x->name);
    }
    if (close == NULL) return refuse(x, "a bracket is not closed");
    do {
        unsigned long first = 0, last = 0;
        int width = 0, other = 0;
        if (++open, !read_number(&open, &first, &width)) return refuse(x, bracket);
        last = first;
        if (*open == '-' && (++open, !read_number(&open, &last, &other) || last < first)) return refuse(x, bracket);
        for (unsigned long i = first; i <= last; i++) {
            int digits = snprintf(x->name + len, DIGITS + 2, "%0*lu", width, i);
            *at = close + 1;
            plan_status_t rc = expand(x, len + (size_t)digits, true, at);
            if (rc != PLAN_OK) return rc;
        }
    } while (*open == ',');
    return open == close ? PLAN_OK : refuse(x, bracket);
}

plan_status_t plani_host_list(const char *list, plan_status_t (*each)(void *context, const char *name), void *context,
                              const char **why)
{
    expansion_t x = {.each = each, .context = context};
    plan_status_t rc = expand(&x, 0, false, &list);

    while (rc == PLAN_OK && *list == ',') list++, rc = expand(&x, 0, false, &list);
    *why = x.why;
    return rc;
}

/* ---- the other way ---- */

/* A name as text and a number at its end of `width` digits; width 0: it has none. */
typedef struct {
    int prefix, width;
    unsigned long number;
} parts_t;

static parts_t part(const char *name)
{
    parts_t p = {.prefix = (int)strlen(name)};
    while (p.prefix > 0 && p.width < DIGITS && isdigit((unsigned char)name[p.prefix - 1])) p.prefix--, p.width++;
    if (p.width > 0) p.number = strtoul(name + p.prefix, NULL, 10);
    return p;
}

/* Whether a bracket with `a` in it may hold `b` as well. */
static bool are_like(const char *a, const char *b)
{
    parts_t p = part(a), q = part(b);
    return p.width > 0 && p.width == q.width && p.prefix == q.prefix && strncmp(a, b, (size_t)p.prefix) == 0;
}

bool plani_is_host_list(const char *name)
{
    return strpbrk(name, "[],") != NULL;
}

char *plani_host_list_of(size_t n, const char *const *name)
{
    plani_text_t t = {0};
    char *text = NULL;

    for (size_t i = 0, end; i < n; i = end) {
        parts_t p = part(name[i]);
        for (end = i + 1; end < n && are_like(name[i], name[end]); end++) {
        }
        if (i > 0) plani_text_add(&t, ",");
        if (end == i + 1) {
            plani_text_add(&t, "%s", name[i]);
            continue;
        }
        plani_text_add(&t, "%.*s[", p.prefix, name[i]);
        for (size_t k = i, last; k < end; k = last + 1) {
            unsigned long first = part(name[k]).number;
            for (last = k; last + 1 < end && part(name[last + 1]).number == first + (last + 1 - k); last++) {
            }
            plani_text_add(&t, "%s%0*lu", k > i ? "," : "", p.width, first);
            if (last > k) plani_text_add(&t, "-%0*lu", p.width, part(name[last]).number);
        }
        plani_text_add(&t, "]");
    }
    if (n == 0) plani_text_add(&t, "%s", "");
    return plani_text_take(&t, &text) == PLAN_OK ? text : NULL;
}
