/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading decimal numbers. */
#include "lib/base/base.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool plani_read_real(const char *text, double *x)
{
    enum { MOST = 100 };
    char local[4 * MOST + 1], *end;
    const char *point = localeconv()->decimal_point;
    size_t len = strlen(text), n = 0;

    /* strtod also accepts spaces, hexadecimal, infinities and NaN, and expects the locale's decimal point. */
    if (strspn(text, "+-.0123456789eE") != len || text[0] == '+' || len > MOST || strlen(point) > 4) return false;
    for (; *text != '\0'; text++)
        if (*text == '.')
            for (const char *c = point; *c != '\0'; c++) local[n++] = *c;
        else
            local[n++] = *text;
    local[n] = '\0';
    double value = strtod(local, &end);
    if (end == local || *end != '\0' || !isfinite(value)) return false;
    *x = value;
    return true;
}

bool plani_read_whole(const char *text, uint64_t *n)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) return false;
    *n = value;
    return true;
}
