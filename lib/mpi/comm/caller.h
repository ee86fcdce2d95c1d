/* Options as callers pass them, who may have been compiled with other headers. Private. */
#ifndef PLANI_CALLER_H
#define PLANI_CALLER_H

#include <planbcast/mpi.h>
#include "lib/base/base.h"

/** Where the caller wants errors explained; NULL: nowhere. size and error stand at the same place in every version. */
static inline plan_error_t *plani_options_error(const plan_options_t *o)
{
    enum { MOST = 4096 }; /* what no version is as large as was not filled in */
    return o != NULL && o->size > offsetof(plan_options_t, error) && o->size < MOST ? o->error : NULL;
}

static inline plan_status_t plani_options_check(const plan_options_t *o, plan_error_t *err)
{
    return plani_check_size("plan_options_t", o->size, sizeof *o, err);
}

#endif
