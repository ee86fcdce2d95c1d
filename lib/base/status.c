#include "lib/base/base.h"
#include <stdarg.h>
#include <stdio.h>

const char *plan_status_string(plan_status_t status)
{
    switch (status) {
    case PLAN_OK:
        return "done";
    case PLAN_ENOMEM:
        return "out of memory";
    case PLAN_EINVAL:
        return "an argument is out of its range";
    case PLAN_EIO:
        return "a file cannot be read or written";
    case PLAN_EFORMAT:
        return "a file is not what it should be";
    case PLAN_EUNREACHABLE:
        return "a rank cannot be reached from the root";
    case PLAN_ENOTREE:
        return "not a spanning tree of the platform";
    case PLAN_ESOLVER:
        return "the linear programming solver failed";
    case PLAN_ETIME:
        return "the time limit passed before there was a result";
    case PLAN_EMISMATCH:
        return "profile, plan and communicator do not belong together";
    case PLAN_EDISAGREE:
        return "ranks hold different plans or arguments";
    case PLAN_EUNSUPPORTED:
        return "not supported by this build or platform";
    }
    return "unknown status";
}

plan_status_t plani_fail(plan_error_t *err, plan_status_t status, const char *format, ...)
{
    if (err != NULL) {
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        for (char *c = err->text; *c != '\0'; c++) /* names come from outside: keep the line one line */
            if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    }
    return status;
}

void plani_clear(plan_error_t *err)
{
    if (err == NULL) return;
    err->status = PLAN_OK;
    err->text[0] = '\0';
}
