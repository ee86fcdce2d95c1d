/* The content of a profile. Private. */
#ifndef PLANI_PROFILE_H
#define PLANI_PROFILE_H

#include <jansson.h>
#include <planbcast/mpi.h>
#include "graphs/machine/machine.h"

/** The machine of a profile; borrowed. NULL: the file has none. */
const plani_machine_t *plani_profile_machine(const plan_profile_t *profile);
/** The whole JSON document of a profile; borrowed. */
const json_t *plani_profile_document(const plan_profile_t *profile);

#endif
