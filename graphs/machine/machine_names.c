/* Lists of host names, as resource managers write them: "n[001-064,070],login". */
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

/* "[001-064,070]": the names that this part of them makes. *at is behind the bracket afterwards. */
static plan_status_t expand(const char *prefix, const char **at, plan_status_t (*each)(void *, const char *),
                            void *context, const char **why)
{
    char name[NAME];
    do {
        unsigned long first = 0, last = 0;
        int width = 0, other = 0;
        ++*at; /* past '[' or ',' */
        *why = "a bracket should hold numbers and ranges, such as [001-064,070]";
        if (!read_number(at, &first, &width)) return PLAN_EFORMAT;
        last = first;
        if (**at == '-' && (++*at, !read_number(at, &last, &other) || last < first)) return PLAN_EFORMAT;
        for (unsigned long i = first; i <= last; i++) {
            int len = snprintf(name, sizeof name, "%s%0*lu", prefix, width, i);
            if (len >= NAME) return PLAN_EFORMAT;
            plan_status_t rc = each(context, name);
            if (rc != PLAN_OK) {
                *why = NULL;
                return rc;
            }
        }
    } while (**at == ',');
    *why = "a bracket is not closed, or something follows it";
    if (**at != ']') return PLAN_EFORMAT;
    ++*at;
    return **at == ',' || **at == '\0' ? PLAN_OK : PLAN_EFORMAT;
}

plan_status_t plani_host_list(const char *list, plan_status_t (*each)(void *context, const char *name), void *context,
                              const char **why)
{
    const char *at = list;
    char prefix[NAME];
    for (;;) {
        size_t len = strcspn(at, "[],");
        *why = "a name is empty or too long";
        if (len >= sizeof prefix) return PLAN_EFORMAT;
        memcpy(prefix, at, len);
        prefix[len] = '\0';
        at += len;
        if (len == 0 && *at != '[') return PLAN_EFORMAT;
        *why = "']' without '['";
        if (*at == ']') return PLAN_EFORMAT;
        bool plain = *at != '[';
        plan_status_t rc = plain ? each(context, prefix) : expand(prefix, &at, each, context, why);
        if (rc != PLAN_OK && plain) *why = NULL;
        if (rc != PLAN_OK) return rc;
        if (*at == '\0') return PLAN_OK;
        at++;
    }
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
