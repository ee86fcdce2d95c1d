/* Lines for the caller of the library. */
#ifndef PLANI_REPORT_H
#define PLANI_REPORT_H

#include <planbcast/mpi.h>

/** One line to the caller's report, if there is one. */
void plani_report(const plan_options_t *options, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
