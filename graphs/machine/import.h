/* Machines from files of other programs. */
#ifndef PLANI_IMPORT_H
#define PLANI_IMPORT_H

#include "graphs/machine/machine.h"

/** What such files do not hold. */
typedef struct {
    double out_bytes_per_s, in_bytes_per_s; /* of every host's card */
    double speed_unit;                      /* [B/s] of LinkSpeed=1; Slurm leaves the unit open */
    double latency_s;                       /* of every card and trunk */
    double memory_bytes_per_s;
} plani_import_t;

/**
 * Slurm's topology.conf (plugins topology/tree and topology/block): switches, or blocks, become groups, their nodes
 * hosts of one kind; LinkSpeed of a switch below another one becomes the rate of its trunk. Uses up the text.
 *
 * \retval PLAN_EFORMAT `err` names the file, the line and what is wrong
 */
plan_status_t plani_import_slurm(char *text, const char *file, const plani_import_t *how, plani_machine_t **out,
                                 plan_error_t *err);

/** A text in hwloc's XML, NUL-terminated, and the file that it is from. */
typedef struct {
    const char *text, *file;
    size_t len;
} plani_xml_t;

/**
 * import_hwloc.c, which is linked with hwloc: each text is a host, with the name that lstopo notes or that of its file.
 * Hosts of equal hardware are of one kind; all are in one group. `how` has the rates of cards; the signatures are those
 * of hosts with cards of this nominal rate. \retval PLAN_EFORMAT `err` names the file and what is wrong
 */
plan_status_t plani_import_hwloc(size_t n, const plani_xml_t *xml, const plani_import_t *how, plani_machine_t **out,
                                 plan_error_t *err);

#endif
