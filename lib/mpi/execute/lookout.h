/* Finding out that the others run another broadcast than this rank expects, private. */
#ifndef PLANI_LOOKOUT_H
#define PLANI_LOOKOUT_H

#include "lib/mpi/execute/binding.h"

enum {
    PLANI_SHARED_MEMORY = -1, /* a slice in shared memory is waited for, */
    PLANI_NOTHING = -2        /* nothing: all that comes is worth knowing */
};

/** Whether a rank that has looked for something in vain so often should use plani_look, which takes longer. Soon and
 * then rarely: where ranks outnumber processors, each look may last as long as others compute. */
static inline bool plani_look_now(unsigned look)
{
    return look >= 64 && ((look & (look - 1)) == 0 || look % 1024 == 0);
}

/**
 * Whether something of the current broadcast has come that this rank does not wait for: by another range of the plan,
 * or of another number of bytes. Looks at what MPI has for it from each rank that sends to it in some range, in a
 * record, or in shared memory, and takes nothing.
 *
 * \param expected  tag base of the messages that are waited for, or PLANI_SHARED_MEMORY or PLANI_NOTHING
 * \param *found    what has come; untouched if nothing has
 */
bool plani_look(const plani_binding_t *b, int expected, plani_found_t *found);

#endif
