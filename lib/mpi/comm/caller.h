/* SPDX-License-Identifier: BSD-3-Clause */
/* Options from callers that may have been compiled with headers of another version. Private. */
#ifndef PLANI_CALLER_H
#define PLANI_CALLER_H

#include <planbcast/mpi.h>
#include "lib/base/base.h"

/** The caller's plan_error_t, or NULL. `size` and `error` have the same offsets in every version. */
static inline plan_error_t *plani_options_error(const plan_options_t *o)
{
    enum { MOST = 4096 }; /* [B] larger than any version: then size has not been filled in */
    return o != NULL && o->size > offsetof(plan_options_t, error) && o->size < MOST ? o->error : NULL;
}

static inline plan_status_t plani_options_check(const plan_options_t *o, plan_error_t *err)
{
    return plani_check_size("plan_options_t", o->size, sizeof *o, err);
}

#endif
