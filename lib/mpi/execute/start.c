/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan_start, plan_test, plan_wait: a broadcast as a fiber, by the same code as plan_execute. Where that would wait,
 * the fiber stops until one of these calls, or plan_execute, moves it on.
 *
 * Without fibers (another C library, no memory for the stack, simulated time) the broadcast runs in plan_start.
 */
#include "lib/base/base.h"
#include "lib/mpi/comm/over.h"
#include "lib/mpi/comm/wait.h"
#include "lib/mpi/execute/binding.h"
#include "planner/plan/plan_private.h"

static void run(void *binding)
{
    plani_binding_t *b = binding;
    b->started.rc = plani_broadcast(b, NULL, &b->started.view, b->started.opened);
    plani_view_close(&b->started.view);
}

static bool is_done(const plani_started_t *s)
{
    return s->fiber == NULL || plani_fiber_is_done(s->fiber);
}

static int finish(plani_binding_t *b)
{
    plani_started_t *s = &b->started;
    if (s->fiber != NULL) plani_wait_for_fiber(s->fiber);
    s->under_way = false;
    b->error = s->error;
    return s->rc;
}

/* With bad arguments the broadcast takes its course here, without data, as in plan_execute: nothing is left to wait
 * for. */
static int start(plani_binding_t *b, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_started_t *s = &b->started;

    s->opened = plani_view_open(&s->view, buffer, count, datatype, b->comm, &b->named);
    if (s->opened == 0) s->opened = plani_view_keep_type(&s->view);
    s->runs = true;
    plani_clear(&s->error);
    if (s->fiber == NULL && b->ranks > 1) s->fiber = plani_fiber_create();
    if (s->fiber != NULL)
        plani_fiber_start(s->fiber, run, b);
    else
        run(b);
    s->under_way = s->opened == 0;
    return s->under_way ? 0 : finish(b);
}

int plan_start(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_binding_t *b;
    int rc = plani_claim(plan, false, &b);

    if (rc != 0 && rc != PLAN_EBROKEN) return rc;
    if (rc == PLAN_EBROKEN)
        plani_stand_aside(b, buffer, count, datatype);
    else
        rc = start(b, buffer, count, datatype);
    return plani_give_back(b, rc);
}

/* Claim a plan with a broadcast under way. */
static int claim_started(const plan_t *plan, plani_binding_t **binding)
{
    plani_binding_t *b = plan != NULL ? plan->binding : NULL;

    if (b == NULL || plani_is_over()) return PLAN_EINVAL;
    if (atomic_flag_test_and_set_explicit(&b->busy, memory_order_acquire)) return PLAN_EBUSY;
    plani_clear(&b->error);
    *binding = b;
    if (b->started.under_way) return 0;
    return plani_give_back(
        b, plani_fail(&b->error, PLAN_EINVAL, "no broadcast by this plan is under way: plan_start begins one"));
}

int plan_test(plan_t *plan, bool *done)
{
    plani_binding_t *b;
    int rc = done == NULL ? PLAN_EINVAL : claim_started(plan, &b);

    if (done != NULL) *done = false;
    if (rc != 0) return rc;
    plani_fibers_progress();
    if (!is_done(&b->started)) return plani_give_back(b, 0);
    *done = true;
    return plani_give_back(b, finish(b));
}

int plan_wait(plan_t *plan)
{
    plani_binding_t *b;
    int rc = claim_started(plan, &b);

    return rc != 0 ? rc : plani_give_back(b, finish(b));
}
