/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/report.h"
#include <stdarg.h>
#include <stdio.h>

void plani_report(const plan_options_t *options, int level, const char *format, ...)
{
    char line[512];
    va_list args;
    if (options == NULL || options->report == NULL) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    options->report(options->report_context, level, line);
}
