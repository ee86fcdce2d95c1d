/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process keeps for the next communicators: where ranks are, the machines it knows, and plans. Private. */
#ifndef PLANI_JOB_H
#define PLANI_JOB_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <planbcast/mpi.h>
#include "lib/mpi/measure/engine/hosts.h"

/** Lives as long as MPI does. Every function is local, and may be called by several threads. */
typedef struct plani_job plani_job_t;

/** This process's; NULL: MPI has no world. PLAN_ENOMEM. */
plan_status_t plani_job_find(plani_job_t **job);

/** The ranks of a communicator, and where they are. */
typedef struct {
    int ranks, hosts;
    int *world;           /* [ranks] in MPI_COMM_WORLD; MPI_UNDEFINED outside */
    plani_place_t *place; /* [ranks] hosts numbered by lowest rank */
    plani_name_t *name;   /* [ranks] of their hosts */
    bool known;           /* place and name are filled in */
} plani_placement_t;

/** The world ranks of comm, and their places if the job knows all of them. PLAN_ENOMEM or an error of MPI. */
int plani_placement_open(plani_job_t *job, MPI_Comm comm, plani_placement_t *placement);
void plani_placement_close(plani_placement_t *placement);
/** Remember the places of a known placement. If host names turn out not to be unique, they are not used from then on.
 */
void plani_job_learn(plani_job_t *job, const plani_placement_t *placement);

/** A placement's hosts in a machine. */
typedef struct {
    int *host;        /* [ranks] the caller's: the machine's number of each rank's host */
    int admitted;     /* hosts that were matched by their kind */
    const char *from; /* where the machine comes from, for messages: a file name or a description */
} plani_found_machine_t;

/**
 * The first machine that has all hosts of a placement, those from `wanted` (NULL: from anywhere) before the others;
 * NULL: none has, and `err` says what the last one lacks. The job is locked until plani_job_release then, for another
 * thread may admit hosts to the machine.
 */
const plani_machine_t *plani_job_machine(plani_job_t *job, const plani_placement_t *placement, const char *wanted,
                                         plani_found_machine_t *found, plan_error_t *err);
void plani_job_release(plani_job_t *job);
/**
 * Merge a machine that was measured into the latest one that the job knows and that has a host in common with it.
 * \param known  [fresh->nhosts] receives which hosts that one had, by their names
 * \param merged receives the machine; NULL: there is none to merge with
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_job_merge(plani_job_t *job, const plani_machine_t *fresh, bool *known, plani_machine_t **merged);
/** Keep a machine, or, where it is NULL, the text of one, which is read when it is first needed. Takes ownership of
 * either if it succeeds. */
plan_status_t plani_job_add(plani_job_t *job, char *text, plani_machine_t *machine, const char *from);
/** The same, of the text of a machine that has changed: it is found before those that are there. */
plan_status_t plani_job_prefer(plani_job_t *job, char *text, const char *from);
/** Whether the user's and the system's files have been looked for; true from the second call on. */
bool plani_job_has_looked(plani_job_t *job);
/** Whether there is a machine from there. */
bool plani_job_has(plani_job_t *job, const char *from);

/**
 * The key of a plan: a hash of the placement, in which equal hosts are interchangeable, and of the request. 0: unknown.
 * \param wanted as of plani_job_machine \param wish   a hash of root, size and options
 */
uint64_t plani_job_key(plani_job_t *job, const plani_placement_t *placement, const char *wanted, uint64_t wish);
/** Keep a plan, shared, under a key (0: only by its hash). PLAN_ENOMEM. */
plan_status_t plani_job_keep(plani_job_t *job, uint64_t key, plan_t *plan);
/** The hash of the plan of this key; 0: there is none. */
uint64_t plani_job_plan_hash(plani_job_t *job, uint64_t key);
/** An unbound plan that shares the content of the one with this hash, root and number of ranks; NULL: there is none. */
plan_t *plani_job_plan(plani_job_t *job, uint64_t hash, int ranks, int root);

#endif
