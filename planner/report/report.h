/*
 * The report: one self-contained HTML page on a machine and the plan for it. No part of libplanbcast: both tools link
 * it.
 */
#ifndef PLANI_REPORT_H
#define PLANI_REPORT_H

#include <jansson.h>
#include "graphs/machine/machine.h"
#include "lib/base/text.h"
#include "planner/plan/plan_private.h"

/** What all ranks together send and copy in a broadcast by the plan, per byte of the message; as plan_copies_t. */
typedef struct {
    double sent, written, read, single, packed, native;
} plani_copied_t;

/** The plan compared with MPI_Bcast, timed in turns. */
typedef struct {
    size_t bytes;
    const char *name;                 /* of the plan's candidate */
    double plan_s, native_s;          /* [s] medians */
    double ratio, ratio_lo, ratio_hi; /* native / plan: median and quartiles over pairs of turns */
    plani_copied_t copied;            /* all 0: not known */
} plani_compared_t;

/** What is reported. All is borrowed; what is not known is NULL or 0. */
typedef struct {
    const char *subject;            /* a file name, or what else the page is about */
    const char *command;            /* that made it */
    const plani_machine_t *machine; /* for intervals, groups and hosts */
    const plan_platform_t *pf;
    const plan_t *plan;
    const plan_candidate_t *chosen; /* for messages of `bytes` */
    size_t bytes;
    size_t nrankings; /* ascending sizes; the last is that of the table */
    plan_ranking_t *const *ranking;
    size_t ncompared; /* ascending sizes */
    const plani_compared_t *compared;
    json_t *provenance;        /* of the machine or platform */
    double combine_s_per_byte; /* [s/B] of a plan that reduces: time to combine two messages */
} plani_report_t;

/** The page; the caller frees it. \retval PLAN_ENOMEM */
plan_status_t plani_report_html(const plani_report_t *r, char **html);

/** One sentence, without a line break: what is slow here, and what the plan gains, measured or, else, by the model. */
void plani_verdict(plani_text_t *to, const plani_report_t *r);

#endif
