/* Machines out of what other programs know. */
#ifndef PLANI_IMPORT_H
#define PLANI_IMPORT_H

#include "graphs/machine/machine.h"

/** What such files do not say. */
typedef struct {
    double out_bytes_per_s, in_bytes_per_s; /* of every host's card */
    double speed_unit;                      /* [B/s] of LinkSpeed=1; Slurm leaves the unit open */
    double latency_s;                       /* of every card and trunk */
    double memory_bytes_per_s;
} plani_import_t;

/**
 * Slurm's topology.conf (plugin topology/tree): switches become groups, their nodes hosts of one kind; LinkSpeed of a
 * switch below another one becomes the rate of its trunk. Uses up the text.
 * \retval PLAN_EFORMAT `err` names the file, the line and what is wrong
 */
plan_status_t plani_import_slurm(char *text, const char *file, const plani_import_t *how, plani_machine_t **out,
                                 plan_error_t *err);

#endif
