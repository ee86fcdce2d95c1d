/* The inside of a profile, private. */
#ifndef PLANI_PROFILE_H
#define PLANI_PROFILE_H

#include <jansson.h>
#include <planbcast/mpi.h>

/** The whole file of a profile; borrowed. */
const json_t *plani_profile_document(const plan_profile_t *profile);

#endif
