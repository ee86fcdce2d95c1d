/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with units, as text. */
#include "planner/plan/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Three significant digits, without trailing zeros or decimal point. Values that round to zero have no sign. */
static plani_quantity_t scaled(double x, const char *unit)
{
    plani_quantity_t w;
    double size = fabs(x);
    int digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    if (size < 0.005) x = 0;
    snprintf(w.s, sizeof w.s, "%.*f", digits, x);
    if (digits > 0) {
        size_t n = strlen(w.s);
        while (w.s[n - 1] == '0') n--;
        if (w.s[n - 1] < '0' || w.s[n - 1] > '9') n--;
        w.s[n] = '\0';
    }
    for (char *c = w.s; *c != '\0'; c++)
        if (*c == ',') *c = '.';
    snprintf(w.s + strlen(w.s), sizeof w.s - strlen(w.s), " %s", unit);
    return w;
}

plani_quantity_t plani_bytes(double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t u = 0;
    if (!isfinite(bytes)) return (plani_quantity_t){"-"};
    while (bytes >= 1023.5 && u + 1 < sizeof unit / sizeof *unit) bytes /= 1024, u++;
    return scaled(fmin(bytes, 1e15), unit[u]);
}

plani_quantity_t plani_seconds(double s)
{
    static const char *const unit[] = {"s", "ms", "us", "ns"};
    size_t u = 0;
    if (!isfinite(s)) return (plani_quantity_t){"-"};
    while (s != 0 && fabs(s) < 0.9995 && u + 1 < sizeof unit / sizeof *unit) s *= 1000, u++;
    return scaled(fmin(s, 1e15), unit[u]);
}

plani_quantity_t plani_rate(double r)
{
    static const char *const unit[] = {"B/s", "kB/s", "MB/s", "GB/s"};
    size_t u = 0;
    if (!isfinite(r)) return (plani_quantity_t){"-"};
    while (r >= 999.5 && u + 1 < sizeof unit / sizeof *unit) r /= 1000, u++;
    return scaled(fmin(r, 1e15), unit[u]);
}
