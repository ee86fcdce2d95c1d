/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine under a communicator: known to the job, in a file, or measured. Private. */
#ifndef PLANI_API_MACHINE_H
#define PLANI_API_MACHINE_H

#include "lib/mpi/api/job.h"

/** What a communicator is planned on. Zero-initialise; plani_comm_machine_close, also after a failure. */
typedef struct {
    plani_job_t *job; /* NULL: nothing is kept */
    plani_placement_t placement;
    const plan_platform_t *platform; /* rank 0: one of the next two's */
    plan_platform_t *placed;         /* of a machine that was known */
    plan_profile_t *profile;         /* measured */
} plani_comm_machine_t;

/** Who and where the ranks are, as far as this process knows. Collective. */
int plani_comm_machine_open(MPI_Comm comm, plani_comm_machine_t *comm_machine, plan_error_t *err);
void plani_comm_machine_close(plani_comm_machine_t *comm_machine);
/**
 * Find the platform: of a machine that one of the ranks knows, or that is in a file (options->machine, else the user's,
 * else the system's); else it is measured, and known to all ranks from then on. Collective; rank 0's options count.
 * \retval PLAN_EIO, PLAN_EFORMAT options->machine is no machine
 * \return as plan_bcast
 */
int plani_comm_machine_find(MPI_Comm comm, const plan_options_t *options, plani_comm_machine_t *comm_machine,
                            plan_error_t *err);

/**
 * The first part of plani_comm_machine_find: see that rank 0's job knows a machine with all hosts, if any rank does or
 * a file has it. Nothing is measured. Collective. \param found whether there is one
 */
int plani_comm_machine_locate(MPI_Comm comm, const plan_options_t *options, plani_comm_machine_t *comm_machine,
                              bool *found, plan_error_t *err);

/** Let all ranks know a machine of rank 0 that has changed, as from `from`; others pass NULL. It comes before those
 * that are known. Collective. */
int plani_comm_machine_update(MPI_Comm comm, plani_comm_machine_t *comm_machine, const plani_machine_t *machine,
                              const char *from, plan_error_t *err);

/** options.c: the file in the user's configuration folder, which need not be there; false, and "": there is no folder.
 */
bool plani_user_machine(char *path, size_t room);

#endif
