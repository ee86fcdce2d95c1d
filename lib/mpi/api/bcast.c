#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/caller.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/common.h"
#include "lib/mpi/api/load.h"
#include "lib/mpi/autotune/tune.h"
#include "lib/mpi/comm/report.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* What rank 0's options have the others know. */
typedef struct {
    int mode;
    int given; /* the platform is passed or loaded */
    int check; /* arguments of broadcasts */
} orders_t;

typedef struct {
    MPI_Comm comm;
    int rank, ranks, root;
    size_t max_bytes;
    plan_options_t options; /* rank 0: those that count */
    orders_t orders;
    plan_profile_t *profile;         /* rank 0, if measured */
    plan_platform_t *loaded;         /* rank 0, if loaded */
    plan_platform_t *reduced;        /* rank 0, where there is no shared memory available: without it */
    const plan_platform_t *platform; /* rank 0: to plan for */
    plan_t *plan;                    /* rank 0: not bound yet */
    plan_error_t *err;
} planning_t;

/* All ranks pass the same arguments, and they make sense. */
static int check_arguments(planning_t *p, bool place)
{
    int rc = plani_agree(p->comm, place ? 0 : plani_fail(p->err, PLAN_EINVAL, "nowhere to put the plan"), p->err);
    if (rc == 0) rc = plani_agree_value(p->comm, "root", p->root, p->err);
    if (rc == 0) rc = plani_agree_value(p->comm, "max_bytes", (long long)p->max_bytes, p->err);
    if (rc != 0) return rc;
    if (p->root < 0 || p->root >= p->ranks)
        return plani_fail(p->err, PLAN_EINVAL, "root is %d; ranks are 0 to %d", p->root, p->ranks - 1);
    if (p->max_bytes > LLONG_MAX)
        return plani_fail(p->err, PLAN_EINVAL, "max_bytes is %zu; give at most %lld", p->max_bytes, LLONG_MAX);
    return 0;
}

static int settle_options(planning_t *p, const plan_options_t *options)
{
    plan_status_t rc = PLAN_OK;

    if (p->rank == 0) {
        if (options != NULL && (rc = plani_options_check(options, p->err)) == PLAN_OK)
            p->options = *options;
        else if (options == NULL)
            rc = plan_options_init(&p->options, p->err);
        if (rc == PLAN_OK && (p->options.mode < PLAN_ESTIMATE || p->options.mode > PLAN_DEFAULT))
            rc = plani_fail(p->err, PLAN_EINVAL,
                            "mode is %d; choose PLAN_DEFAULT, PLAN_ESTIMATE, PLAN_DUEL or PLAN_MEASURE",
                            (int)p->options.mode);
        if (p->options.mode == PLAN_DEFAULT) p->options.mode = p->options.platform != NULL ? PLAN_ESTIMATE : PLAN_DUEL;
        p->orders = (orders_t){.mode = p->options.mode,
                               .given = p->options.platform != NULL || p->options.load_profile != NULL,
                               .check = p->options.check};
        if (rc == PLAN_OK && !(p->options.budget_s > 0 && isfinite(p->options.budget_s)))
            rc = plani_fail(p->err, PLAN_EINVAL, "budget_s is %g; give seconds above 0", p->options.budget_s);
    }
    p->options.error = p->err;
    int agreed = plani_agree(p->comm, rc, p->err);
    if (agreed != 0) return agreed;
    int mpi = PMPI_Bcast(&p->orders, (int)sizeof p->orders, MPI_BYTE, 0, p->comm);
    return mpi == MPI_SUCCESS ? 0 : plani_mpi_fail(p->err, mpi, "planning");
}

/* The platform that is passed or loaded. */
static int take_together(planning_t *p)
{
    const plan_platform_t *given = p->options.platform;
    int rc = plani_load_platform(p->comm, given, p->options.load_profile, &p->loaded, p->err);
    if (rc == 0 && p->rank == 0) p->platform = given != NULL ? given : p->loaded;
    return rc;
}

static int measure_together(planning_t *p)
{
    int rc = plan_measure(p->comm, &p->options, &p->profile);
    if (rc == 0 && p->rank == 0) p->platform = plan_profile_platform(p->profile);
    if (rc == 0 && p->rank == 0 && p->options.save_profile != NULL)
        rc = plan_profile_save(p->profile, p->options.save_profile, p->err);
    return plani_agree(p->comm, rc, p->err);
}

static void report_plan(const planning_t *p)
{
    for (size_t i = 0; i < plan_data(p->plan)->nranges; i++) {
        plan_range_t r = plan_data(p->plan)->range[i];
        bool measured = r.chosen->measured_s > 0;
        plani_report(&p->options, 0, "up to %s: %s, %s, %s %s", plani_bytes((double)r.up_to).s, r.chosen->name,
                     plani_manner(r.chosen, r.up_to).s, measured ? "measured" : "predicted",
                     plani_seconds(measured ? r.chosen->measured_s : r.chosen->predicted_s).s);
    }
}

/* Where the platform has broadcasts through shared memory, see whether there is room for them now; if not, plan
 * without. */
static int look_for_shared_memory(planning_t *p)
{
    plani_common_t *common = plani_common_of(p->comm);
    int rc = 0, wanted = p->rank == 0 && p->ranks > 1 && plan_platform_data(p->platform)->nshared > 0;

    if ((rc = PMPI_Bcast(&wanted, 1, MPI_INT, 0, p->comm)) != MPI_SUCCESS)
        return plani_mpi_fail(p->err, rc, "planning");
    if (!wanted || (rc = plani_common_ring(common, p->comm, p->err)) != PLAN_EUNSUPPORTED) return rc;
    rc = 0;
    if (p->rank == 0) {
        plan_platform_data_t d = *plan_platform_data(p->platform);
        plani_report(&p->options, 0, "without shared memory: %s", p->err->text);
        d.nshared = 0;
        rc = plan_platform_create(&d, &p->reduced, p->err);
        p->platform = p->reduced;
    }
    plani_clear(p->err);
    return plani_agree(p->comm, rc, p->err);
}

/* Rank 0 chooses; with the others' help where something is to be timed. */
static int choose(planning_t *p)
{
    plani_request_t request = {.pf = p->platform, .root = p->root, .choice = &p->options.choice};
    const plani_tuning_t tuning = plani_tuning_of(&p->options);
    plani_decision_t decision;

    if (p->rank == 0 && p->max_bytes > PLANI_MAX_BYTES)
        request.n = 1, request.bytes[0] = p->max_bytes; /* which is refused */
    else if (p->rank == 0)
        request.n = plani_ladder(p->max_bytes, request.bytes);
    int rc = plani_decide_together(p->comm, &request, &tuning, &p->options, &decision, p->err);
    p->plan = decision.plan, decision.plan = NULL;
    plani_decision_clear(&decision);
    return rc;
}

static int plan_together(planning_t *p, const plan_options_t *options, plan_t **out)
{
    int rc;

    if ((rc = check_arguments(p, out != NULL)) != 0) return rc;
    if ((rc = settle_options(p, options)) != 0) return rc;
    if ((rc = p->orders.given ? take_together(p) : measure_together(p)) != 0) return rc;
    if ((rc = look_for_shared_memory(p)) != 0) return rc;
    if ((rc = choose(p)) != 0) return rc;
    if ((rc = plani_bind(p->comm, p->plan, out, p->err)) != 0) return rc;
    if (p->orders.check && (rc = plani_attach_check(*out, p->err)) != 0) {
        plani_detach(*out);
        plan_destroy(out);
        return rc;
    }
    if (p->rank == 0) report_plan(p);
    return 0;
}

int plan_bcast(MPI_Comm comm, int root, size_t max_bytes, const plan_options_t *options, plan_t **plan)
{
    plan_error_t line;
    planning_t p = {.comm = MPI_COMM_NULL, .root = root, .max_bytes = max_bytes, .err = &line};
    int rc;

    if (plani_options_error(options) != NULL) p.err = options->error;
    plani_clear(p.err);
    if (plan != NULL) *plan = NULL;
    if ((rc = plani_comm_dup(comm, &p.comm, p.err)) != 0) return rc;
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.ranks);
    rc = plan_together(&p, options, plan);
    plan_destroy(&p.plan);
    plan_profile_destroy(&p.profile);
    plan_platform_destroy(&p.loaded);
    plan_platform_destroy(&p.reduced);
    if (rc != 0)
        MPI_Comm_free(&p.comm);
    else
        plani_clear(p.err); /* candidates that memory did not do for */
    return rc;
}
