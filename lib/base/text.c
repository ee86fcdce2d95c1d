/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and the NUL. */
static bool make_room(plani_text_t *t, size_t n)
{
    if (t->failed) return false;
    if (t->room - t->len > n) return true;
    size_t room = t->room ? t->room : 256;
    while (room - t->len <= n) room *= 2;
    char *more = realloc(t->at, room);
    if (more == NULL) {
        t->failed = true;
        return false;
    }
    t->at = more;
    t->room = room;
    return true;
}

static void add_bytes(plani_text_t *t, const char *s, size_t n)
{
    if (!make_room(t, n)) return;
    memcpy(t->at + t->len, s, n);
    t->len += n;
    t->at[t->len] = '\0';
}

void plani_text_add(plani_text_t *t, const char *format, ...)
{
    char small[256];
    va_list args;

    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) {
        t->failed = true;
    } else if ((size_t)n < sizeof small) {
        add_bytes(t, small, (size_t)n);
    } else if (make_room(t, (size_t)n)) {
        va_start(args, format);
        vsnprintf(t->at + t->len, (size_t)n + 1, format, args);
        va_end(args);
        t->len += (size_t)n;
    }
}

void plani_text_add_ints(plani_text_t *t, const int *x, int n)
{
    for (int i = 0; i < n; i++) plani_text_add(t, i > 0 ? ",%d" : "%d", x[i]);
}

void plani_text_add_double(plani_text_t *t, double x)
{
    char digits[40], out[40];
    size_t n = 0;

    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, x);
        if (strtod(digits, NULL) == x) break;
    }
    for (const char *c = digits; *c != '\0' && n < sizeof out; c++) {
        bool plain = strchr("0123456789+-e", *c) != NULL;
        if (plain)
            out[n++] = *c;
        else if (n > 0 && out[n - 1] != '.') /* the locale's decimal point, one byte or several */
            out[n++] = '.';
    }
    add_bytes(t, out, n);
}

void plani_text_add_quoted(plani_text_t *t, const char *s)
{
    if (s == NULL) {
        add_bytes(t, "null", 4);
        return;
    }
    add_bytes(t, "\"", 1);
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            plani_text_add(t, "\\%c", c);
        else if (c < 0x20)
            plani_text_add(t, "\\u%04x", c);
        else
            add_bytes(t, s, 1);
    }
    add_bytes(t, "\"", 1);
}

plan_status_t plani_text_take(plani_text_t *t, char **text)
{
    plan_status_t rc = PLAN_OK;

    add_bytes(t, "", 0); /* an empty text is "" */
    if (t->failed) {
        free(t->at);
        rc = PLAN_ENOMEM;
    } else {
        *text = t->at;
    }
    *t = (plani_text_t){0};
    return rc;
}
