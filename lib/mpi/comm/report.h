/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress and explanations for the caller of the library. */
#ifndef PLANI_REPORT_H
#define PLANI_REPORT_H

#include <planbcast/mpi.h>

/** Pass one line to options->report, if set. */
void plani_report(const plan_options_t *options, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
