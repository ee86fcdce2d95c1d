#include "baselines.h"
#include <jansson.h>
#include <math.h>
#include <planbcast/generate.h>
#include <stdio.h>
#include <unistd.h>

/* The duration of the measurement as recorded in a profile [s]; NAN: not recorded. */
static double measured_in(const char *path)
{
    json_t *j = json_load_file(path, 0, NULL);
    const json_t *seconds = json_object_get(json_object_get(j, "provenance"), "seconds");
    double s = json_is_number(seconds) ? json_number_value(seconds) : NAN;
    json_decref(j);
    return s;
}

void planning_file(const options_t *o, char *path, size_t room)
{
    path[0] = '\0';
    if (o->out != NULL) snprintf(path, room, "%s/profile.json", o->out);
    if (o->profile != NULL) snprintf(path, room, "%s", o->profile);
}

/* The machine's profile from its file, or measured and saved now. It is loaded in both cases, to time the loading. */
static int find_profile(MPI_Comm comm, const options_t *o, const plan_options_t *options, planning_t *p)
{
    char path[4096];
    int rank, known = 0, rc = 0;

    MPI_Comm_rank(comm, &rank);
    planning_file(o, path, sizeof path);
    if (rank == 0 && path[0] != '\0') known = access(path, R_OK) == 0;
    if ((rc = MPI_Bcast(&known, 1, MPI_INT, 0, comm)) != 0) return rc;
    double start = MPI_Wtime();
    if (!known && (rc = plan_measure(comm, options, &p->profile)) != 0) return rc;
    p->measuring_s = MPI_Wtime() - start;
    p->loading_s = NAN;
    if (rank == 0 && path[0] != '\0') {
        if (!known) rc = plan_profile_save(p->profile, path, options->error);
        plan_profile_destroy(&p->profile);
        start = MPI_Wtime();
        if (rc == 0) rc = plan_profile_load(path, &p->profile, options->error);
        p->loading_s = MPI_Wtime() - start;
        if (known) p->measuring_s = measured_in(path);
    }
    int mpi = MPI_Bcast(&rc, 1, MPI_INT, 0, comm);
    return mpi != 0 ? mpi : rc;
}

/* The plan for the platform of the spec, which does not depend on measurements. */
static int plan_for_spec(MPI_Comm comm, const options_t *o, plan_options_t options, planning_t *p)
{
    plan_platform_t *pf = NULL;
    int rank, rc = 0;

    if (o->spec == NULL) return 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) rc = plan_generate_sites(o->spec, &pf, options.error);
    int mpi = MPI_Bcast(&rc, 1, MPI_INT, 0, comm);
    if (mpi != 0 || rc != 0) return mpi != 0 ? mpi : rc;
    options.mode = PLAN_ESTIMATE;
    options.platform = pf; /* only rank 0's is used */
    rc = plan_bcast(comm, o->root, o->bytes[o->nsizes - 1], &options, &p->ideal);
    plan_platform_destroy(&pf);
    return rc;
}

/* The plan of a program that passes no options but the budget. plan_bcast measures the machine itself; the profile is
 * saved if there is none yet. */
static int plan_by_default(MPI_Comm comm, const options_t *o, plan_options_t options, planning_t *p)
{
    char path[4096];

    if (!o->by_default) return 0;
    planning_file(o, path, sizeof path);
    if (path[0] != '\0' && access(path, R_OK) != 0) options.save_profile = path;
    return plan_bcast(comm, o->root, o->bytes[o->nsizes - 1], &options, &p->by_default);
}

static void take_down(void *context, const plan_trial_t *t)
{
    json_t *samples = json_array();
    for (size_t i = 0; i < t->runs; i++) json_array_append_new(samples, json_real(t->sample_s[i]));
    json_array_append_new(((planning_t *)context)->trials,
                          json_pack("{s:I, s:s, s:I, s:i, s:f, s:f, s:f, s:b, s:o}", "bytes", (json_int_t)t->bytes,
                                    "name", t->name, "slice", (json_int_t)t->slice, "window", t->window, "median_s",
                                    t->median_s, "low_s", t->low_s, "high_s", t->high_s, "chosen", t->chosen,
                                    "samples_s", samples));
}

int planning_make(MPI_Comm comm, const options_t *o, planning_t *p, plan_error_t *err)
{
    plan_options_t options;
    int rank, rc = plan_options_init(&options, err);
    size_t most = o->bytes[o->nsizes - 1];

    MPI_Comm_rank(comm, &rank);
    if (rc != 0) return rc;
    options.error = err;
    options.budget_s = o->plan_budget_s;
    if ((rc = plan_by_default(comm, o, options, p)) != 0) return rc;
    if ((rc = find_profile(comm, o, &options, p)) != 0) return rc;
    if (rank == 0) options.platform = plan_profile_platform(p->profile);
    options.mode = PLAN_ESTIMATE;
    double start = MPI_Wtime();
    if ((rc = plan_bcast(comm, o->root, most, &options, &p->estimated)) != 0) return rc;
    p->estimating_s = MPI_Wtime() - start;
    p->timing_s = 0;
    if (o->estimate) return 0;
    options.mode = PLAN_MEASURE;
    options.trial = take_down, options.report_context = p;
    p->trials = json_array();
    start = MPI_Wtime();
    if ((rc = plan_bcast(comm, o->root, most, &options, &p->measured)) != 0) return rc;
    p->timing_s = MPI_Wtime() - start;
    options.trial = NULL;
    return plan_for_spec(comm, o, options, p);
}

void planning_clear(planning_t *p)
{
    plan_destroy(&p->estimated);
    plan_destroy(&p->measured);
    plan_destroy(&p->ideal);
    plan_destroy(&p->by_default);
    plan_profile_destroy(&p->profile);
    json_decref(p->trials);
    p->trials = NULL;
}
