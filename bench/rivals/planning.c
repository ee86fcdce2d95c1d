#include "rivals.h"
#include <planbcast/generate.h>
#include <stdio.h>
#include <stdlib.h>

/* The machine's profile, from the results folder where a run before this one left it. */
static int find_profile(MPI_Comm comm, const options_t *o, const plan_options_t *options, plan_profile_t **profile)
{
    char path[4096] = "";
    int rank, known = 0, rc = 0;

    MPI_Comm_rank(comm, &rank);
    if (o->out != NULL) snprintf(path, sizeof path, "%s/profile.json", o->out);
    if (rank == 0 && o->out != NULL) known = plan_profile_load(path, profile, NULL) == PLAN_OK;
    if ((rc = MPI_Bcast(&known, 1, MPI_INT, 0, comm)) != 0 || known) return rc;
    if ((rc = plan_measure(comm, options, profile)) != 0) return rc;
    if (rank == 0 && o->out != NULL) rc = plan_profile_save(*profile, path, options->error);
    int mpi = MPI_Bcast(&rc, 1, MPI_INT, 0, comm);
    return mpi != 0 ? mpi : rc;
}

/* What the planner makes of a cluster that it knows, however the measuring went. */
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
    options.platform = pf; /* rank 0's counts */
    rc = plan_bcast(comm, o->root, o->bytes[o->nsizes - 1], &options, &p->ideal);
    plan_platform_destroy(&pf);
    return rc;
}

int planning_make(MPI_Comm comm, const options_t *o, planning_t *p, plan_error_t *err)
{
    plan_options_t options;
    plan_profile_t *profile = NULL;
    int rank, rc = plan_options_init(&options, err);
    size_t most = o->bytes[o->nsizes - 1];

    MPI_Comm_rank(comm, &rank);
    if (rc != 0) return rc;
    options.error = err;
    options.budget_s = o->plan_budget_s;
    double start = MPI_Wtime();
    if ((rc = find_profile(comm, o, &options, &profile)) != 0) goto done;
    p->measuring_s = MPI_Wtime() - start;
    if (rank == 0) options.platform = plan_profile_platform(profile);
    options.mode = PLAN_ESTIMATE;
    start = MPI_Wtime();
    if ((rc = plan_bcast(comm, o->root, most, &options, &p->estimated)) != 0) goto done;
    p->estimating_s = MPI_Wtime() - start;
    options.mode = PLAN_MEASURE;
    start = MPI_Wtime();
    if ((rc = plan_bcast(comm, o->root, most, &options, &p->measured)) != 0) goto done;
    p->timing_s = MPI_Wtime() - start;
    rc = plan_for_spec(comm, o, options, p);
done:
    plan_profile_destroy(&profile);
    return rc;
}

void planning_clear(planning_t *p)
{
    plan_destroy(&p->estimated);
    plan_destroy(&p->measured);
    plan_destroy(&p->ideal);
}
