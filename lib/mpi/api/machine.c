/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/api/machine.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/report.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

/* Read a machine file into the job's machines. */
static plan_status_t take_file(plani_job_t *job, const char *path, plan_error_t *err)
{
    plani_machine_t *m = NULL;
    plan_status_t rc = plani_planner_open(err);

    if (rc == PLAN_OK) rc = plani_planner(NULL)->machine_load(path, &m, err);
    if (rc != PLAN_OK) return rc;
    if ((rc = plani_job_add(job, NULL, m, path)) == PLAN_OK) return PLAN_OK;
    plani_forget_machine(&m);
    return plani_fail(err, rc, "%s: out of memory", path);
}

/* Whether the machine is still to be measured for the first time, into the file that it is read from later. */
static bool is_to_be_made(const plan_options_t *options)
{
    return options->save_machine != NULL && strcmp(options->machine, options->save_machine) == 0 &&
           access(options->machine, F_OK) != 0 && errno == ENOENT;
}

/* The file that is given has to be one; those found by themselves are left alone if they are none, and a line says so.
 */
static plan_status_t look_for_files(plani_job_t *job, const plan_options_t *options, plan_error_t *err)
{
    char own[4096] = "";
    plan_error_t why;

    if (options->machine != NULL)
        return plani_job_has(job, options->machine) || is_to_be_made(options) ? PLAN_OK
                                                                              : take_file(job, options->machine, err);
    if (plani_job_has_looked(job)) return PLAN_OK;
    plani_user_machine(own, sizeof own);
    const char *const path[] = {own, "/etc/planbcast/machine.json"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        if (path[i][0] == '\0' || access(path[i], R_OK) != 0) continue;
        if (take_file(job, path[i], &why) == PLAN_OK) return PLAN_OK;
        plani_report(options, 0, "no machine: %s", why.text);
    }
    return PLAN_OK;
}

/* ---- all ranks ---- */

static int find_places(MPI_Comm comm, plani_comm_machine_t *g, plan_error_t *err)
{
    plani_placement_t *placement = &g->placement;
    int rc = plani_find_places(comm, placement->place, placement->name, &placement->hosts);
    if (rc < 0) return plani_fail(err, (plan_status_t)rc, "out of memory for the places of ranks");
    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "finding out where the ranks are");
    placement->known = true;
    plani_job_learn(g->job, placement);
    return 0;
}

/* ---- which hosts are known ---- */

typedef struct {
    const char **name; /* [n] */
    size_t n;
} list_t;

/* A list as text, which machines that change leave alone. */
typedef struct {
    size_t n;
    char *text; /* NULL: no hosts, or no memory */
} hosts_t;

static hosts_t hosts_of(const list_t *list)
{
    return (hosts_t){list->n, list->n > 0 ? plani_planner(NULL)->host_list_of(list->n, list->name) : NULL};
}

/* One line: how many, and which. */
static void report_hosts(const plan_options_t *options, const char *what, hosts_t hosts)
{
    if (hosts.text != NULL) plani_report(options, 0, "hosts %s: %zu, %s", what, hosts.n, hosts.text);
    free(hosts.text);
}

/* Of a placement's hosts, numbered by their lowest ranks, in a machine. */
static plan_status_t find_hosts(const plani_machine_t *m, const plani_placement_t *placement, const int *host,
                                hosts_t *known, hosts_t *taken)
{
    list_t named = {.name = calloc(2 * (size_t)placement->hosts, sizeof *named.name)}, admitted = {0};
    int next = 0;

    if (named.name == NULL) return PLAN_ENOMEM;
    admitted.name = named.name + placement->hosts;
    for (int r = 0; r < placement->ranks; r++) {
        if (placement->place[r].host != next) continue;
        list_t *list = m->host[host[r]].admitted ? &admitted : &named;
        list->name[list->n++] = m->host[host[r]].name;
        next++;
    }
    *known = hosts_of(&named);
    *taken = hosts_of(&admitted);
    free(named.name);
    return PLAN_OK;
}

static plan_status_t report_measured(const plan_options_t *options, const plani_machine_t *fresh, const bool *known)
{
    list_t named = {.name = calloc(2 * (size_t)fresh->nhosts, sizeof *named.name)}, new = {0};

    if (named.name == NULL) return PLAN_ENOMEM;
    new.name = named.name + fresh->nhosts;
    for (int h = 0; h < fresh->nhosts; h++) {
        list_t *list = known[h] ? &named : &new;
        list->name[list->n++] = fresh->host[h].name;
    }
    report_hosts(options, "known by name", hosts_of(&named));
    report_hosts(options, "measured", hosts_of(&new));
    free(named.name);
    return PLAN_OK;
}

static plan_status_t make_platform(const plan_options_t *options, plani_comm_machine_t *g, plan_error_t *err)
{
    const plani_placement_t *placement = &g->placement;
    size_t n = (size_t)placement->ranks;
    plani_found_machine_t found = {.host = malloc(n * sizeof *found.host)};
    plani_place_t *place = malloc(n * sizeof *place);
    hosts_t known = {.n = 0}, taken = {.n = 0};
    plan_status_t rc = found.host == NULL || place == NULL ? PLAN_ENOMEM : PLAN_OK;
    plan_error_t why = {.text = ""};

    const plani_machine_t *m =
        rc == PLAN_OK ? plani_job_machine(g->job, placement, options->machine, &found, &why) : NULL;
    if (m != NULL) {
        for (size_t r = 0; r < n; r++) place[r] = placement->place[r], place[r].host = found.host[r];
        rc = plani_planner(NULL)->machine_platform(m, placement->ranks, place, &g->placed, err);
        g->platform = g->placed;
        if (rc == PLAN_OK) rc = find_hosts(m, placement, found.host, &known, &taken);
        plani_job_release(g->job); /* before what the program is told: it may plan then */
        plani_report(options, 0, "machine: %s", found.from);
        report_hosts(options, "known by name", known);
        report_hosts(options, "taken for others of their kind", taken);
    } else if (why.text[0] != '\0') {
        plani_report(options, 0, "the machine has to be measured: %s", why.text);
    }
    free(found.host);
    free(place);
    return rc;
}

/* NULL: there is no machine, or no memory. The caller frees it. */
static char *text_of(const plani_machine_t *m)
{
    char *text = NULL;
    return m != NULL && plani_planner(NULL)->machine_to_json(m, &text) == PLAN_OK ? text : NULL;
}

/* Whether this rank knows a machine with all hosts; its text, unless `text` is NULL. */
static bool is_known(const plani_comm_machine_t *g, char **text)
{
    plan_error_t ignored;
    plani_found_machine_t found = {.host = malloc((size_t)g->placement.ranks * sizeof(int))};
    const plani_machine_t *m =
        found.host != NULL ? plani_job_machine(g->job, &g->placement, NULL, &found, &ignored) : NULL;
    if (text != NULL) *text = text_of(m);
    if (m != NULL) plani_job_release(g->job);
    free(found.host);
    return m != NULL;
}

/* Let all ranks have the text that rank `owner` has; the others' is NULL. The caller frees it. */
static int tell(MPI_Comm comm, int owner, char **text, plan_error_t *err)
{
    unsigned long long size = *text != NULL ? strlen(*text) : 0;
    int rank = 0, rc = PLAN_OK;

    MPI_Comm_rank(comm, &rank);
    if ((rc = PMPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, owner, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "sending the machine");
    if (size == 0 || size > INT_MAX || (rank != owner && (*text = calloc((size_t)size + 1, 1)) == NULL))
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for the machine");
    if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    rc = PMPI_Bcast(*text, (int)size, MPI_BYTE, owner, comm);
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(err, rc, "sending the machine");
}

/* The same, and the job keeps it; not on ranks that know it. Takes over the text. */
static int tell_job(MPI_Comm comm, plani_job_t *job, int owner, char *text, bool known, plan_error_t *err)
{
    int rc = tell(comm, owner, &text, err);

    if (rc == 0 && job != NULL && !known && plani_job_add(job, text, NULL, "measured by this job") == PLAN_OK) return 0;
    free(text);
    return rc;
}

int plani_comm_machine_locate(MPI_Comm comm, const plan_options_t *options, plani_comm_machine_t *g, bool *found,
                              plan_error_t *err)
{
    int rank = 0, rc = 0, owner = INT_MAX, everywhere = g->job != NULL && g->placement.known, all = 0;

    MPI_Comm_rank(comm, &rank);
    if ((rc = MPI_Allreduce(&everywhere, &all, 1, MPI_INT, MPI_MIN, comm)) != MPI_SUCCESS)
        return plani_mpi_fail(err, rc, "planning");
    if (!all && (rc = find_places(comm, g, err)) != 0) return rc;
    if (rank == 0 && g->job != NULL) rc = look_for_files(g->job, options, err);
    if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    int mine = rank == 0 && is_known(g, NULL) ? 0 : INT_MAX;
    owner = mine;
    if ((rc = PMPI_Bcast(&owner, 1, MPI_INT, 0, comm)) != MPI_SUCCESS) return plani_mpi_fail(err, rc, "planning");
    if (owner != 0) { /* the others read what they have been told */
        mine = is_known(g, NULL) ? rank : INT_MAX;
        if ((rc = MPI_Allreduce(&mine, &owner, 1, MPI_INT, MPI_MIN, comm)) != MPI_SUCCESS)
            return plani_mpi_fail(err, rc, "planning");
    }
    if (owner != INT_MAX && owner != 0) {
        char *text = NULL;
        if (rank == owner) is_known(g, &text);
        rc = tell_job(comm, g->job, owner, text, mine != INT_MAX, err);
    }
    *found = owner != INT_MAX;
    return rc;
}

/* What is kept of an older machine although the newer one says otherwise. Takes over the text, which may be NULL. */
static void report_kept(const plan_options_t *options, const char *where, char *kept)
{
    if (kept != NULL) plani_report(options, 0, "measured otherwise, but kept %s: %s", where, kept);
    free(kept);
}

/* Save it together with what the file says. A file of hosts that cannot be told apart stays as it is. */
static plan_status_t save(const plan_options_t *options, const plani_machine_t *m, plan_error_t *err)
{
    char *kept = NULL;
    plan_error_t why;
    plan_status_t rc = plani_planner(NULL)->machine_add_to_file(m, options->save_machine, &kept, &why);

    report_kept(options, "in the file", kept);
    if (rc == PLAN_EMISMATCH) {
        plani_report(options, 0, "the machine is not saved: %s", why.text);
        return PLAN_OK;
    }
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "%s", why.text);
}

/* Rank 0: what was measured, together with what the job knew. *both: NULL where the job knew nothing of it. */
static plan_status_t take_measured(const plan_options_t *options, plani_comm_machine_t *g, plani_machine_t **both,
                                   plan_error_t *err)
{
    const plani_machine_t *fresh = plani_planner(NULL)->profile_machine(g->profile);
    bool *known = malloc((size_t)fresh->nhosts * sizeof *known);
    char *kept = NULL;
    plan_status_t rc = known != NULL ? plani_job_merge(g->job, fresh, known, both) : PLAN_ENOMEM;

    g->platform = plan_profile_platform(g->profile);
    if (rc == PLAN_OK) rc = report_measured(options, fresh, known);
    if (rc == PLAN_OK && *both != NULL) rc = plani_planner(NULL)->machine_kept(*both, fresh, &kept);
    report_kept(options, "as the job knew it", kept);
    free(known);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "out of memory for the machine");
}

/* Rank 0: whether files can be written, before measuring takes its time. */
static plan_status_t may_save(const plan_options_t *options, plan_error_t *err)
{
    plan_status_t rc = options->save_profile != NULL ? plani_may_write(options->save_profile, err) : PLAN_OK;
    return rc == PLAN_OK && options->save_machine != NULL ? plani_may_write(options->save_machine, err) : rc;
}

/* Rank 0. Where one file cannot be written, the other is. */
static plan_status_t save_measured(const plan_options_t *options, const plani_comm_machine_t *g,
                                   const plani_machine_t *m, plan_error_t *err)
{
    plan_error_t second;
    plan_status_t rc = PLAN_OK, also = PLAN_OK;

    if (options->save_profile != NULL) rc = plan_profile_save(g->profile, options->save_profile, err);
    if (options->save_machine != NULL) also = save(options, m, rc == PLAN_OK ? err : &second);
    return rc == PLAN_OK ? also : rc;
}

static int measure(MPI_Comm comm, const plan_options_t *options, plani_comm_machine_t *g, plan_error_t *err)
{
    plani_machine_t *both = NULL;
    int rank = 0, rc;

    MPI_Comm_rank(comm, &rank);
    if ((rc = plani_agree(comm, rank == 0 ? may_save(options, err) : 0, err)) != 0) return rc;
    if ((rc = plani_agree(comm, plan_measure(comm, options, &g->profile), err)) != 0) return rc;
    if (rank == 0) rc = take_measured(options, g, &both, err);
    if ((rc = plani_agree(comm, rc, err)) == 0) {
        const plani_machine_t *fresh = rank == 0 ? plani_planner(NULL)->profile_machine(g->profile) : NULL,
                              *m = both != NULL ? both : fresh;
        rc = tell_job(comm, g->job, 0, text_of(m), false, err);
        if (rc == 0) rc = plani_agree(comm, rank == 0 ? save_measured(options, g, m, err) : 0, err);
    }
    plani_forget_machine(&both);
    return rc;
}

int plani_comm_machine_open(MPI_Comm comm, plani_comm_machine_t *g, plan_error_t *err)
{
    int rc = plani_job_find(&g->job);
    if (rc == 0) rc = plani_placement_open(g->job, comm, &g->placement);
    return plani_agree(comm, rc, err);
}

void plani_comm_machine_close(plani_comm_machine_t *g)
{
    plani_placement_close(&g->placement);
    plan_profile_destroy(&g->profile);
    plan_platform_destroy(&g->placed);
    g->platform = NULL;
}

int plani_comm_machine_find(MPI_Comm comm, const plan_options_t *options, plani_comm_machine_t *g, plan_error_t *err)
{
    bool found = false;
    int rank = 0, rc = plani_comm_machine_locate(comm, options, g, &found, err);

    if (rc != 0) return rc;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) rc = make_platform(options, g, err);
    if ((rc = plani_agree(comm, rc, err)) != 0) return rc;
    int made = g->platform != NULL; /* rank 0 may know a host by a name that another has too, and not use the machine */
    if ((rc = PMPI_Bcast(&made, 1, MPI_INT, 0, comm)) != MPI_SUCCESS) return plani_mpi_fail(err, rc, "planning");
    return found && made ? 0 : measure(comm, options, g, err);
}

int plani_comm_machine_update(MPI_Comm comm, plani_comm_machine_t *g, const plani_machine_t *machine, const char *from,
                              plan_error_t *err)
{
    char where[4096] = "", *text = text_of(machine);
    int rank = 0, rc = PLAN_OK;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0) snprintf(where, sizeof where, "%s", from);
    rc = plani_hear(comm, where, sizeof where, err);
    if (rc == 0) rc = tell(comm, 0, &text, err);
    if (rc == 0 && g->job != NULL) rc = plani_job_prefer(g->job, text, where);
    if (rc != 0 || g->job == NULL) free(text); /* else it is the job's */
    return plani_agree(comm, rc, err);
}
