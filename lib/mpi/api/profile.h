/* The inside of a profile, private. */
#ifndef PLANI_PROFILE_H
#define PLANI_PROFILE_H

#include <jansson.h>
#include <planbcast/mpi.h>
#include "graphs/machine/machine.h"

/** The machine in it, borrowed; NULL: the file has none. */
const plani_machine_t *plani_profile_machine(const plan_profile_t *profile);
/** The whole file of a profile; borrowed. */
const json_t *plani_profile_document(const plan_profile_t *profile);

#endif
