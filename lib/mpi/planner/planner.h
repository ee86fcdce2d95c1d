/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The planner as the MPI side calls it: one table of functions, and the only header of the MPI side that includes those
 * of graphs and planner but for plans, trees and schedules. What needs an outside library other than MPI is behind it.
 *
 * The shared library opens the planner's, libplanbcast-planner.so, when a rank first asks for the table: rank 0 of a
 * communicator that is planned for, one rank of each host that is looked at, and ranks that know machines which that
 * rank 0 does not. In a static library, in the tools and in tests the planner is linked (linked.c).
 */
#ifndef PLANI_PLANNER_H
#define PLANI_PLANNER_H

#include <planbcast/mpi.h>
#include "graphs/machine/machine.h"
#include "planner/select/decide.h"
#include "planner/select/diagnose.h"

struct plani_again;
struct plani_again_found;
struct plani_engine;
struct plani_measuring;
struct plani_sampler;
struct plani_tuning;

/** The processors that a thread may run on, by their numbers in Linux. */
enum { PLANI_CPUS = 8192 };
typedef struct {
    bool known;
    unsigned char may[PLANI_CPUS / 8]; /* bit k % 8 of byte k / 8 is that of processor k */
} plani_cpus_t;

/** A broadcast that validated a measured platform. */
typedef struct {
    char name[64]; /* of the candidate */
    size_t bytes;
    double predicted_s, measured_s; /* the fastest run */
} plani_tried_t;

typedef struct {
    int n;
    plani_tried_t at[8];
} plani_validation_t;

/** All functions are local. They return a plan_status_t or, where they run experiments, an MPI error code, too. Objects
 * are destroyed by the table that made them. */
typedef struct {
    /* The first two members are in the same place in every version. */
    size_t size;         /* [B] of this table */
    const char *version; /* PLANBCAST_VERSION */

    /* Machines and platforms: graphs/machine/machine.h, planbcast/platform.h. */
    plan_status_t (*machine_load)(const char *path, plani_machine_t **out, plan_error_t *err);
    plan_status_t (*machine_parse)(const char *text, size_t len, const char *file, plani_machine_t **out,
                                   plan_error_t *err);
    plan_status_t (*machine_copy)(const plani_machine_t *m, plani_machine_t **out);
    void (*machine_destroy)(plani_machine_t **m);
    plan_status_t (*machine_to_json)(const plani_machine_t *m, char **text);
    plan_status_t (*machine_add_to_file)(const plani_machine_t *m, const char *path, char **kept, plan_error_t *err);
    plan_status_t (*machine_renew_file)(const plani_machine_t *m, plani_machine_part_t part, double bytes_per_s,
                                        plani_ends_t interval, const char *path, plan_error_t *err);
    int (*machine_find)(const plani_machine_t *m, const char *name);
    plan_status_t (*machine_match)(plani_machine_t *m, int n, const char *const *name, const char *const *signature,
                                   bool several_ranks, int *host, int *admitted, plan_error_t *err);
    plan_status_t (*machine_merge)(const plani_machine_t *known, const plani_machine_t *more, plani_machine_t **out,
                                   plan_error_t *err);
    plan_status_t (*machine_kept)(const plani_machine_t *all, const plani_machine_t *newer, char **text);
    plan_status_t (*machine_set_rate)(plani_machine_t *m, plani_machine_part_t part, double bytes_per_s,
                                      plani_ends_t interval);
    void (*machine_fill_trunks)(plani_machine_t *m);
    plan_status_t (*machine_platform)(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                      plan_platform_t **out, plan_error_t *err);
    plan_status_t (*machine_platform_of_parts)(const plani_machine_t *m, int ranks, const plani_place_t *place,
                                               plan_platform_t **out, plani_machine_part_t **part, plan_error_t *err);
    char *(*host_list_of)(size_t n, const char *const *name);
    plan_status_t (*platform_load)(const char *path, plan_platform_t **out, plan_error_t *err);

    /* Choosing: planner/select. */
    size_t (*ladder)(size_t max_bytes, size_t bytes[PLANI_SIZES]);
    /** plani_decide, with candidates timed by the sampler unless the tuning's mode is PLAN_ESTIMATE. */
    int (*decide)(const plani_request_t *request, const struct plani_tuning *tuning, const plan_options_t *options,
                  struct plani_sampler *sampler, plani_decision_t *decision, plan_error_t *err);
    void (*decision_clear)(plani_decision_t *decision);
    plan_status_t (*predict_arrivals)(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes,
                                      double *arrival);
    plan_status_t (*diagnose)(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes,
                              const double *observed, plani_change_t change[PLANI_CHANGES], size_t *n);

    /* Measuring: lib/mpi/measure/phases, run by rank 0 while the others serve the engine. */
    int (*measure)(struct plani_measuring *measuring, plan_profile_t **out, plan_error_t *err);
    int (*measure_again)(struct plani_engine *engine, const struct plani_again *what, struct plani_again_found *found);
    /** The broadcasts to validate a platform with: the ranking of the largest message size of which four runs of each
     * candidate are predicted to fit into each_s [s], or of the least size. */
    plan_status_t (*to_validate)(const plan_platform_t *pf, double each_s, plan_ranking_t **out, plan_error_t *err);
    void (*ranking_destroy)(plan_ranking_t **ranking);
    /**
     * What hwloc says of this host: the caches and packages that hold each of n ranks, and a text that describes its
     * hardware (plani_signature), whatever part of it this job may use.
     * \param may       [n] where each may run
     * \param place     [n] place[] is set; host is left alone
     * \param signature [room]
     */
    void (*look_around)(int n, const plani_cpus_t *may, plani_place_t *place, char *signature, size_t room);

    /* Plans: planbcast/plan.h. */
    plan_status_t (*plan_load)(const char *path, plan_t **out, plan_error_t *err);
    plan_status_t (*plan_load_all)(const char *path, plan_t ***plans, size_t *n, plan_error_t *err);
    plan_status_t (*plan_parse)(const char *text, size_t len, const char *name_for_errors, plan_t **out,
                                plan_error_t *err);
    plan_status_t (*plan_save)(const plan_t *plan, const char *path, plan_error_t *err);
    plan_status_t (*plan_to_json)(const plan_t *plan, char **text);
    plan_status_t (*plan_explain)(const plan_t *plan, const plan_platform_t *pf, size_t bytes, char **text);

    /* Profiles: planbcast/mpi.h. */
    void (*profile_destroy)(plan_profile_t **profile);
    const plan_platform_t *(*profile_platform)(const plan_profile_t *profile);
    const plani_machine_t *(*profile_machine)(const plan_profile_t *profile);
    plan_status_t (*profile_save)(const plan_profile_t *profile, const char *path, plan_error_t *err);
    plan_status_t (*profile_load)(const char *path, plan_profile_t **out, plan_error_t *err);
    /** Note how broadcasts validated it. *off: the largest relative error (plani_validation_error). */
    plan_status_t (*profile_validated)(plan_profile_t *profile, const plani_validation_t *validation, double *off);
} plani_planner_t;

/** The table, which stays. NULL: there is none, and err names the file and the remedy (PLAN_EIO: it cannot be opened,
 * PLAN_EMISMATCH: it is of another version). After a first success it does not fail. */
const plani_planner_t *plani_planner(plan_error_t *err);

/** The same, as a status. */
static inline plan_status_t plani_planner_open(plan_error_t *err)
{
    plan_error_t line = {.status = PLAN_OK}, *to = err != NULL ? err : &line;
    return plani_planner(to) != NULL ? PLAN_OK : to->status;
}

/** What the planner's library exports. */
extern PLAN_API const plani_planner_t plani_planner_table;

/** Destroy objects of the planner, if there are any: NULL-safe without opening it. */
static inline void plani_forget_machine(plani_machine_t **m)
{
    if (*m != NULL) plani_planner(NULL)->machine_destroy(m);
}

static inline void plani_forget_profile(plan_profile_t **profile)
{
    if (*profile != NULL) plani_planner(NULL)->profile_destroy(profile);
}

#endif
