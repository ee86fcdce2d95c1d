/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
        return "profile, plan and communicator are incompatible";
    case PLAN_EDISAGREE:
        return "ranks hold different plans or pass different arguments";
    case PLAN_EUNSUPPORTED:
        return "not supported by this build or platform";
    case PLAN_EBUSY:
        return "a broadcast by this plan is under way";
    case PLAN_EBROKEN:
        return "an earlier broadcast by this plan failed on the way; plan again";
    }
    return "unknown status";
}

/* Cut the middle out of a line that is too long: it begins with the file and ends with the remedy. */
static void shorten(char *to, size_t room, const char *line, size_t len)
{
    static const char gap[] = " ... ";
    size_t head = (room - sizeof gap) / 2, tail = room - sizeof gap - head;

    memcpy(to, line, head);
    memcpy(to + head, gap, sizeof gap - 1);
    memcpy(to + head + sizeof gap - 1, line + len - tail, tail + 1);
}

plan_status_t plani_fail(plan_error_t *err, plan_status_t status, const char *format, ...)
{
    if (err != NULL) {
        char line[8192]; /* room for the longest path */
        va_list args;
        va_start(args, format);
        err->status = status;
        vsnprintf(line, sizeof line, format, args);
        va_end(args);
        size_t len = strlen(line);
        if (len < sizeof err->text)
            memcpy(err->text, line, len + 1);
        else
            shorten(err->text, sizeof err->text, line, len);
        for (char *c = err->text; *c != '\0'; c++) /* names from files may have control characters */
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

plan_status_t plani_check_size(const char *type, size_t given, size_t known, plan_error_t *err)
{
    if (given == known) return PLAN_OK;
    return plani_fail(err, PLAN_EINVAL,
                      "a %s of size %zu, where this library knows %zu: begin it with .size = sizeof, and compile with "
                      "the headers of this version",
                      type, given, known);
}
