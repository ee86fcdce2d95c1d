/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/caller.h"
#include "lib/mpi/execute/bind.h"
#include "lib/mpi/execute/common.h"
#include "lib/mpi/execute/reduce.h"
#include "lib/mpi/api/load.h"
#include "lib/mpi/api/machine.h"
#include "lib/mpi/autotune/tune.h"
#include "lib/mpi/comm/report.h"
#include "lib/base/base.h"
#include "planner/plan/plan_private.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the other ranks learn of rank 0's options. */
typedef struct {
    int mode;
    int given; /* the platform is passed or loaded */
    int check; /* arguments of broadcasts */
    int keep;  /* the plan serves other communicators, too */
} orders_t;

/* The plan that rank 0 could reuse, made for an equal communicator. */
typedef struct {
    unsigned long long hash, root, max_bytes; /* hash 0: nothing */
    int check, reduces;
} offer_t;

typedef struct {
    MPI_Comm comm;
    int rank, ranks, root;
    size_t max_bytes;
    bool reduces;           /* plan reductions, not broadcasts */
    plan_options_t options; /* rank 0: the options that apply */
    orders_t orders;
    plani_comm_machine_t comm_machine;
    uint64_t wish;                   /* rank 0: hash of the request; 0: no later request can be equal */
    plan_platform_t *loaded;         /* rank 0, if loaded */
    const plan_platform_t *platform; /* rank 0: to plan for */
    plan_t *plan;                    /* rank 0: not bound yet */
    plan_error_t *err;
} planning_t;

/* Check that all ranks pass the same valid arguments. */
static int check_arguments(planning_t *p, bool place)
{
    int rc = plani_agree(
        p->comm, place ? 0 : plani_fail(p->err, PLAN_EINVAL, "the output argument for the plan is NULL"), p->err);
    if (rc == 0) rc = plani_agree_value(p->comm, "the kind of plan", p->reduces, p->err);
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
                               .check = p->options.check,
                               .keep = p->wish != 0};
        if (rc == PLAN_OK && !(p->options.budget_s > 0 && isfinite(p->options.budget_s)))
            rc = plani_fail(p->err, PLAN_EINVAL, "budget_s is %g; give seconds above 0", p->options.budget_s);
        if (rc == PLAN_OK) rc = plani_planner_open(p->err);
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

static int find_together(planning_t *p)
{
    int rc = plani_comm_machine_find(p->comm, &p->options, &p->comm_machine, p->err);
    p->platform = p->comm_machine.platform;
    return rc;
}

static void report_plan(const planning_t *p)
{
    for (size_t i = 0; i < plan_data(p->plan)->nranges; i++) {
        plan_range_t r = plan_data(p->plan)->range[i];
        bool measured = r.chosen->measured_s > 0;
        plani_report(&p->options, 0, "up to %s: %s, %s, %s %s", plani_bytes((double)r.up_to).s, r.chosen->name,
                     plani_sending(r.chosen, r.up_to).s, measured ? "measured" : "predicted",
                     plani_seconds(measured ? r.chosen->measured_s : r.chosen->predicted_s).s);
    }
}

/* Rank 0 chooses. All ranks take part where candidates are timed. */
static int choose(planning_t *p)
{
    plani_request_t request = {.pf = p->platform, .root = p->root, .choice = &p->options.choice, .reduces = p->reduces};
    const plani_tuning_t tuning = plani_tuning_of(&p->options);
    plani_decision_t decision;

    if (p->rank == 0 && p->max_bytes > PLANI_MAX_BYTES)
        request.n = 1, request.bytes[0] = p->max_bytes; /* which is refused */
    else if (p->rank == 0)
        request.n = plani_planner(NULL)->ladder(p->max_bytes, request.bytes);
    if (p->rank == 0 && p->reduces) request.combine_s_per_byte = plani_combining();
    int rc = plani_decide_together(p->comm, &request, &tuning, &p->options, &decision, p->err);
    p->plan = decision.plan, decision.plan = NULL;
    if (p->rank == 0) plani_planner(NULL)->decision_clear(&decision);
    return rc;
}

/* ---- equal communicators ---- */

static uint64_t hash_text(uint64_t h, const char *text)
{
    size_t len = text != NULL ? strlen(text) : 0;
    return plani_hash_bytes(plani_hash_u64(h, text != NULL ? len : SIZE_MAX), text, len);
}

static uint64_t hash_real(uint64_t h, double x)
{
    return plani_hash_bytes(h, &x, sizeof x);
}

/* Hash of the request: equal requests share a plan. 0 where the caller passes functions or a platform, or files are
 * read or written. */
static uint64_t wish_of(const planning_t *p, const plan_options_t *o)
{
    uint64_t h = PLANI_HASH_START;
    bool own = o->platform != NULL || o->load_profile != NULL || o->save_profile != NULL || o->save_machine != NULL ||
               o->choice.scorer != NULL;

    if (own) return 0;
    h = plani_hash_u64(plani_hash_u64(h, (uint64_t)p->root), p->max_bytes);
    h = plani_hash_u64(h, p->reduces);
    h = plani_hash_u64(plani_hash_u64(h, (uint64_t)o->mode), (uint64_t)o->shortlist);
    h = plani_hash_u64(plani_hash_u64(h, o->choice.slice), (uint64_t)o->choice.window);
    h = hash_text(hash_text(h, o->choice.model), o->choice.only);
    h = hash_real(hash_real(h, o->budget_s), o->choice.time_limit_s);
    h = plani_hash_u64(plani_hash_u64(h, o->choice.seed), o->choice.include_native);
    h = hash_text(h, o->machine);
    return h != 0 ? h : 1;
}

static uint64_t key_of(const planning_t *p, const char *machine)
{
    return plani_job_key(p->comm_machine.job, &p->comm_machine.placement, machine, p->wish);
}

/* Rank 0: look for a plan of an equal request. Wrong arguments are reported later. */
static void make_offer(planning_t *p, const plan_options_t *options, offer_t *offer)
{
    plan_options_t o;
    plan_error_t ignored;
    plan_status_t rc = options != NULL ? plani_options_check(options, &ignored) : plan_options_init(&o, &ignored);

    if (rc != PLAN_OK || p->comm_machine.job == NULL) return;
    if (options != NULL) o = *options;
    p->wish = wish_of(p, &o);
    if (p->wish != 0 && p->comm_machine.placement.known)
        offer->hash = plani_job_plan_hash(p->comm_machine.job, key_of(p, o.machine));
    offer->root = (unsigned long long)p->root, offer->max_bytes = p->max_bytes, offer->check = o.check;
    offer->reduces = p->reduces;
    if (offer->hash != 0) plani_report(&o, 0, "the plan of an equal communicator");
}

/* Bind the plan of an equal communicator, if all ranks have it. *out stays NULL where they have not. */
static int reuse(planning_t *p, const plan_options_t *options, plan_t **out)
{
    offer_t offer = {0};
    plan_t *plan = NULL;
    int rc, mine, all = 0;

    if (p->rank == 0) make_offer(p, options, &offer);
    if ((rc = PMPI_Bcast(&offer, (int)sizeof offer, MPI_BYTE, 0, p->comm)) != MPI_SUCCESS)
        return plani_mpi_fail(p->err, rc, "planning");
    if (offer.hash == 0) return 0;
    bool fits = p->comm_machine.job != NULL && out != NULL && offer.root == (unsigned long long)p->root &&
                offer.max_bytes == p->max_bytes && offer.reduces == (int)p->reduces;
    if (fits) plan = plani_job_plan(p->comm_machine.job, offer.hash, p->ranks, p->root);
    mine = plan != NULL && plani_attach(plan, p->comm) == PLAN_OK;
    if ((rc = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, p->comm)) != MPI_SUCCESS)
        plani_mpi_fail(p->err, rc, "planning");
    if (rc == 0 && all) rc = p->reduces ? plani_attach_reduce(plan, p->err) : plani_attach_shared(plan, p->err);
    if (rc == PLAN_EUNSUPPORTED) rc = all = 0; /* no room for shared memory: plan without it */
    if (rc == 0 && all && offer.check) rc = plani_attach_check(plan, p->err);
    if (rc == 0 && all) {
        *out = plan;
        return 0;
    }
    plani_detach(plan);
    plan_destroy(&plan);
    return rc;
}

/* For the next one, on all ranks. */
static int keep(planning_t *p, plan_t *plan)
{
    plan_status_t rc = PLAN_OK;
    if (!p->orders.keep) return 0;
    if (p->comm_machine.job != NULL)
        rc = plani_job_keep(p->comm_machine.job, p->rank == 0 ? key_of(p, p->options.machine) : 0, plan);
    return plani_agree(p->comm, rc, p->err);
}

static int plan_together(planning_t *p, const plan_options_t *options, plan_t **out)
{
    int rc;

    if ((rc = check_arguments(p, out != NULL)) != 0) return rc;
    if ((rc = settle_options(p, options)) != 0) return rc;
    if ((rc = p->orders.given ? take_together(p) : find_together(p)) != 0) return rc;
    if ((rc = choose(p)) != 0) return rc;
    if ((rc = plani_bind(p->comm, p->plan, out, p->err)) != 0) return rc;
    rc = p->orders.check ? plani_attach_check(*out, p->err) : 0;
    if (rc == 0) rc = keep(p, *out);
    if (rc != 0) {
        plani_detach(*out);
        plan_destroy(out);
    } else if (p->rank == 0) {
        report_plan(p);
    }
    return rc;
}

static int plan_for(MPI_Comm comm, planning_t p, const plan_options_t *options, plan_t **plan)
{
    plan_error_t line = {.status = PLAN_OK};
    int rc;

    p.err = plani_options_error(options) != NULL ? options->error : &line;
    plani_clear(p.err);
    if (plan != NULL) *plan = NULL;
    if ((rc = plani_comm_dup(comm, &p.comm, p.err)) != 0) return rc;
    MPI_Comm_rank(p.comm, &p.rank);
    MPI_Comm_size(p.comm, &p.ranks);
    rc = plani_comm_machine_open(p.comm, &p.comm_machine, p.err);
    if (rc == 0) rc = reuse(&p, options, plan);
    if (rc == 0 && (plan == NULL || *plan == NULL)) rc = plan_together(&p, options, plan);
    plani_comm_machine_close(&p.comm_machine);
    plan_destroy(&p.plan);
    plan_platform_destroy(&p.loaded);
    if (rc != 0)
        MPI_Comm_free(&p.comm);
    else
        plani_clear(p.err); /* candidates for which there was not enough memory */
    return rc;
}

int plan_bcast(MPI_Comm comm, int root, size_t max_bytes, const plan_options_t *options, plan_t **plan)
{
    return plan_for(comm, (planning_t){.comm = MPI_COMM_NULL, .root = root, .max_bytes = max_bytes}, options, plan);
}

int plan_reduce(MPI_Comm comm, int root, size_t max_bytes, const plan_options_t *options, plan_t **plan)
{
    return plan_for(comm, (planning_t){.comm = MPI_COMM_NULL, .root = root, .max_bytes = max_bytes, .reduces = true},
                    options, plan);
}
