/* SPDX-License-Identifier: BSD-3-Clause */
/* plan_execute: the range for the size of a message, and the ways to run it. */
#include "lib/mpi/execute/binding.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/over.h"
#include "lib/mpi/comm/wait.h"
#include "lib/mpi/execute/record.h"
#include "lib/mpi/execute/sink.h"
#include "planner/plan/plan_private.h"

const plani_part_t *plani_part_for(const plani_binding_t *b, size_t bytes)
{
    size_t low = 0, high = b->nparts - 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (b->up_to[mid] < bytes)
            low = mid + 1;
        else
            high = mid;
    }
    return &b->part[low];
}

/* Rounds or MPI_Bcast: a record first, then as the record says. */
static int run_after_record(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, plani_unexpected_t *other)
{
    const plani_record_t mine = {.bytes = view->bytes,
                                 .range = (uint32_t)(part - b->part),
                                 .closed = part->run == PLAN_RUN_NATIVE && !view->direct};
    plani_record_t record = mine;
    int ready = 0;

    if (part->run == PLAN_RUN_NATIVE && b->rank == b->root) ready = plani_native_prepare(b, view);
    record.failed = ready != 0;
    int rc = plani_record_cast(b, b->root, &record, other);
    if (ready != 0) return ready;
    if (rc != 0) return rc;
    if (record.failed || record.bytes != mine.bytes || record.range != mine.range) {
        plani_follow_record(b, &record);
        return PLAN_EDISAGREE;
    }
    return part->run == PLAN_RUN_ROUNDS ? plani_run_rounds(b, part, view) : plani_run_native(b, view, record.closed);
}

/* Run a message of at least one byte by range `part`. */
static int run(plani_binding_t *b, const plani_part_t *part, plani_view_t *view)
{
    plani_unexpected_t other = {.any = false};
    int rc;

    if (part->run == PLAN_RUN_TREES) return plani_run(b, part, view, &other);
    if (part->run == PLAN_RUN_NATIVE && plani_is_native_alone(view->bytes)) return plani_run_native(b, view, false);
    if (part->run == PLAN_RUN_SHARED)
        rc = plani_run_shared(b, (size_t)(part - b->part), view, &other);
    else
        rc = run_after_record(b, part, view, &other);
    if (other.any) plani_sink(b, &other, NULL);
    return rc;
}

/* No bytes: a record says so, and ranks that expect another size detect it. */
PLANI_COLD static int run_nothing(plani_binding_t *b)
{
    plani_unexpected_t other = {.any = false};
    plani_record_t record = {.range = (uint32_t)b->nparts};
    int rc = plani_record_cast(b, b->root, &record, &other);

    if (other.any) plani_sink(b, &other, NULL);
    if (rc != 0 || (record.bytes == 0 && !record.failed)) return rc;
    plani_follow_record(b, &record);
    return PLAN_EDISAGREE;
}

static plan_error_t *error_of(plani_binding_t *b)
{
    return b->started.runs ? &b->started.error : &b->error;
}

/* PLANBCAST_CHECK. Bad arguments (opened != 0) count as UINT64_MAX bytes, so that the rank is named. */
PLANI_COLD static int compare(plani_binding_t *b, const plani_view_t *view, int opened)
{
    const plani_arguments_t mine = {
        .bytes = opened == 0 ? view->bytes : UINT64_MAX, .root = (uint64_t)b->root, .hash = b->hash};
    return plani_check(b->common, &mine, b->number + 1, error_of(b));
}

/* From now on neither read nor write the user's buffer. */
static void leave_out_data(plani_view_t *view)
{
    view->none = true;
    view->direct = false;
}

/* Number the broadcast among those of all plans that share a ring. */
static void take_order(plani_binding_t *b)
{
    if (b->common != NULL) b->order = ++b->common->order;
}

/* A rank with bad arguments forwards what it receives. If it knows the size, it takes part in a short MPI_Bcast. */
PLANI_COLD static void run_without_data(plani_binding_t *b, const plani_part_t *part, plani_view_t *view)
{
    if (part == NULL && view->bytes > 0) part = plani_part_for(b, view->bytes);
    leave_out_data(view);
    if (view->bytes > 0 && part->run == PLAN_RUN_NATIVE && plani_is_native_alone(view->bytes))
        plani_run_native(b, view, false);
    else
        plani_give_up(b, NULL, NULL);
}

/* While a rank waits here, broadcasts that are under way go on. */
PLANI_COLD int plani_meet(plani_binding_t *b)
{
    MPI_Request request;
    int rc = PMPI_Ibarrier(b->comm, &request);
    if (rc == MPI_SUCCESS) rc = plani_await(&request, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS) b->broken = true; /* tags would be used again too early */
    return rc;
}

static int take_part(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, int opened)
{
    b->number++;
    take_order(b);
    if (b->ranks == 1) return opened;
    int met = plani_tags_meet(&b->tags, b->number) ? plani_meet(b) : MPI_SUCCESS;
    if (met != MPI_SUCCESS) return met;
    if (opened != 0) {
        run_without_data(b, part, view);
        return opened;
    }
    if (view->bytes == 0) return run_nothing(b);
    return run(b, part != NULL ? part : plani_part_for(b, view->bytes), view);
}

/* If PLANBCAST_CHECK finds different arguments, no rank begins or counts the broadcast, for ranks may have passed
 * different plans. */
PLANI_HOT int plani_broadcast(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, int opened)
{
    int rc = 0;
    if (b->common != NULL) plani_common_begin_turn(b->common);
    if (b->checked && b->ranks > 1) rc = compare(b, view, opened);
    if (rc == 0) rc = take_part(b, part, view, opened);
    if (b->common != NULL) plani_common_end_turn(b->common);
    return rc;
}

/* Run by range `part`; NULL: by the range for the size. */
static int execute(plani_binding_t *b, const plani_part_t *part, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_view_t view;
    int opened = plani_view_open(&view, buffer, count, datatype, b->comm, &b->named);
    b->started.runs = false;
    int rc = plani_broadcast(b, part, &view, opened);
    plani_view_close(&view);
    return rc;
}

PLANI_COLD static void explain(plan_error_t *error, int rc, const char *what)
{
    if (rc > 0)
        plani_mpi_fail(error, rc, what);
    else
        plani_fail(error, (plan_status_t)rc, "%s: %s", what, plan_status_string((plan_status_t)rc));
}

/* In shared memory this rank lets all slices pass, or the others would wait for ever, also in broadcasts by other
 * plans. */
PLANI_COLD static void let_pass(plani_binding_t *b, plani_view_t *view, int opened)
{
    plani_unexpected_t other = {.any = false};
    const plani_part_t *part = opened == 0 && view->bytes > 0 ? plani_part_for(b, view->bytes) : NULL;

    b->number++; /* as those who take part */
    take_order(b);
    if (part != NULL && part->run == PLAN_RUN_SHARED) {
        leave_out_data(view);
        plani_run_shared(b, (size_t)(part - b->part), view, &other);
    } else if (part != NULL && part->hosts) {
        plani_host_ring_skip(b, part, view->bytes);
    }
}

PLANI_COLD void plani_stand_aside(plani_binding_t *b, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_view_t view;
    int opened = plani_view_open(&view, buffer, count, datatype, b->comm, &b->named);

    b->started.runs = false;
    if (b->common != NULL) plani_common_begin_turn(b->common);
    if (b->checked)
        compare(b, NULL, PLAN_EBROKEN); /* the others wait for this rank's arguments */
    else
        let_pass(b, &view, opened);
    if (b->common != NULL) plani_common_end_turn(b->common);
    plani_view_close(&view);
}

PLANI_HOT int plani_claim(const plan_t *plan, bool reduces, plani_binding_t **binding)
{
    plani_binding_t *b = plan != NULL ? plan->binding : NULL;

    if (b == NULL || plani_is_over() || (b->reducer != NULL) != reduces) return PLAN_EINVAL;
    if (atomic_flag_test_and_set_explicit(&b->busy, memory_order_acquire)) return PLAN_EBUSY;
    plani_clear(&b->error);
    *binding = b;
    if (!b->started.under_way) return b->broken ? PLAN_EBROKEN : 0;
    return plani_give_back(b, plani_fail(&b->error, PLAN_EBUSY,
                                         "a broadcast by this plan is under way: end it by plan_wait or plan_test"));
}

int plani_give_back(plani_binding_t *b, int rc)
{
    if (rc != 0 && b->error.status != (plan_status_t)rc)
        explain(&b->error, rc, b->reducer != NULL ? "reduce" : "broadcast");
    atomic_flag_clear_explicit(&b->busy, memory_order_release);
    return rc;
}

PLANI_HOT int plan_execute(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_binding_t *b;
    int rc = plani_claim(plan, false, &b);

    if (rc != 0 && rc != PLAN_EBROKEN) return rc;
    if (rc == PLAN_EBROKEN)
        plani_stand_aside(b, buffer, count, datatype);
    else
        rc = execute(b, NULL, buffer, count, datatype);
    return plani_give_back(b, rc);
}

int plani_execute_range(plan_t *plan, size_t range, void *buffer, size_t bytes)
{
    plani_binding_t *b = plan->binding;
    return execute(b, &b->part[range], buffer, (MPI_Count)bytes, MPI_BYTE);
}

int plan_copies(const plan_t *plan, plan_copies_t *copies)
{
    const plani_binding_t *b = plan != NULL ? plan->binding : NULL;
    plan_error_t line;

    if (b == NULL || b->reducer != NULL || copies == NULL) return PLAN_EINVAL;
    if (plani_check_size("plan_copies_t", copies->size, sizeof *copies, &line) != PLAN_OK) return PLAN_EINVAL;
    *copies = b->copies;
    copies->size = sizeof *copies;
    return 0;
}

const char *plan_execute_error(const plan_t *plan)
{
    return plan == NULL || plan->binding == NULL ? "" : ((plani_binding_t *)plan->binding)->error.text;
}
