#include "lib/mpi/execute/binding.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/execute/record.h"
#include "lib/mpi/execute/sink.h"
#include "planner/plan/plan_private.h"

/* The range that serves a message. The last one takes all that is larger. */
static const plani_part_t *part_for(const plani_binding_t *b, size_t bytes)
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

/* What goes by rounds or MPI_Bcast: a record first, and then as it says. */
static int run_after_record(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, plani_found_t *other)
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

/* By the range `part`, of more than no bytes. */
static int run(plani_binding_t *b, const plani_part_t *part, plani_view_t *view)
{
    plani_found_t other = {.any = false};
    int rc;

    if (part->run == PLAN_RUN_TREES) return plani_run(b, part, view, &other);
    if (part->run == PLAN_RUN_NATIVE && plani_is_native_alone(view->bytes)) return plani_run_native(b, view, false);
    if (part->run == PLAN_RUN_SHARED)
        rc = plani_run_shared(b, b->root, view, &other);
    else
        rc = run_after_record(b, part, view, &other);
    if (other.any) plani_sink(b, &other, NULL);
    return rc;
}

/* No bytes: the record says so, and all find out who expects some. */
static int run_nothing(plani_binding_t *b)
{
    plani_found_t other = {.any = false};
    plani_record_t record = {.range = (uint32_t)b->nparts};
    int rc = plani_record_cast(b, b->root, &record, &other);

    if (other.any) plani_sink(b, &other, NULL);
    if (rc != 0 || (record.bytes == 0 && !record.failed)) return rc;
    plani_follow_record(b, &record);
    return PLAN_EDISAGREE;
}

/* PLANBCAST_CHECK. A rank whose arguments are bad intends nothing that another could: it is named. */
static int compare(plani_binding_t *b, const plani_view_t *view, int opened)
{
    const plani_intent_t mine = {
        .bytes = opened == 0 ? view->bytes : UINT64_MAX, .root = (uint64_t)b->root, .hash = b->hash};
    return plani_check(b->common, &mine, b->number + 1, &b->error);
}

/* Nothing is read from the user's side, nor written to it. */
static void leave_out_data(plani_view_t *view)
{
    view->none = true;
    view->direct = false;
}

/* Its place among the broadcasts by all plans that share a ring. */
static void take_order(plani_binding_t *b)
{
    if (b->common != NULL) b->order = ++b->common->order;
}

/* A rank whose arguments are bad, but tell the size, serves others in MPI_Bcast; else it passes on what comes. */
static void run_without_data(plani_binding_t *b, const plani_part_t *part, plani_view_t *view)
{
    if (part == NULL && view->bytes > 0) part = part_for(b, view->bytes);
    leave_out_data(view);
    if (view->bytes > 0 && part->run == PLAN_RUN_NATIVE && plani_is_native_alone(view->bytes))
        plani_run_native(b, view, false);
    else
        plani_give_up(b, NULL, NULL);
}

static int take_part(plani_binding_t *b, const plani_part_t *part, plani_view_t *view, int opened)
{
    b->number++;
    take_order(b);
    if (b->ranks == 1) return opened;
    if (plani_tags_meet(&b->tags, b->number)) PMPI_Barrier(b->comm);
    if (opened != 0) {
        run_without_data(b, part, view);
        return opened;
    }
    if (view->bytes == 0) return run_nothing(b);
    return run(b, part != NULL ? part : part_for(b, view->bytes), view);
}

/* By the range `part`, or, NULL, by the one that serves the message. Where arguments differ no rank begins, and none
 * counts the broadcast: they may have come with different plans. */
static int execute(plan_t *plan, const plani_part_t *part, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_view_t view;
    plani_binding_t *b = plan->binding;
    int rc = 0, opened = plani_view_open(&view, buffer, count, datatype, b->comm);

    if (b->checked && b->ranks > 1) rc = compare(b, &view, opened);
    if (rc == 0) rc = take_part(b, part, &view, opened);
    plani_view_close(&view);
    return rc;
}

/* Whether a broadcast can be asked for. */
static int check(const plan_t *plan)
{
    int over = 0;
    if (plan == NULL || plan->binding == NULL) return PLAN_EINVAL;
    MPI_Finalized(&over);
    if (over) return PLAN_EINVAL;
    return ((plani_binding_t *)plan->binding)->broken ? PLAN_EBROKEN : 0;
}

static void explain(plan_error_t *error, int rc)
{
    if (rc > 0)
        plani_mpi_fail(error, rc, "broadcast");
    else
        plani_fail(error, (plan_status_t)rc, "broadcast: %s", plan_status_string((plan_status_t)rc));
}

/* The plan is broken, and the others may not know. What goes through shared memory is let pass, or they would wait for
 * ever, in broadcasts by other plans too. */
static void stand_aside(plani_binding_t *b, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    plani_view_t view;
    plani_found_t other = {.any = false};

    if (b->checked) { /* they wait for what this rank intends */
        compare(b, NULL, PLAN_EBROKEN);
        return;
    }
    take_order(b);
    int rc = plani_view_open(&view, buffer, count, datatype, b->comm);
    if (rc == 0 && view.bytes > 0 && part_for(b, view.bytes)->run == PLAN_RUN_SHARED) {
        leave_out_data(&view);
        plani_run_shared(b, b->root, &view, &other);
    }
    plani_view_close(&view);
}

int plan_execute(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    int rc = check(plan);
    plani_binding_t *b = plan != NULL ? plan->binding : NULL;
    if (rc != 0 && rc != PLAN_EBROKEN) return rc;
    if (atomic_flag_test_and_set_explicit(&b->busy, memory_order_acquire)) return PLAN_EBUSY;
    plani_clear(&b->error);
    if (rc == PLAN_EBROKEN)
        stand_aside(b, buffer, count, datatype);
    else
        rc = execute(plan, NULL, buffer, count, datatype);
    if (rc != 0 && b->error.status != (plan_status_t)rc) explain(&b->error, rc);
    atomic_flag_clear_explicit(&b->busy, memory_order_release);
    return rc;
}

int plani_execute_range(plan_t *plan, size_t range, void *buffer, size_t bytes)
{
    plani_binding_t *b = plan->binding;
    return execute(plan, &b->part[range], buffer, (MPI_Count)bytes, MPI_BYTE);
}

const char *plan_execute_error(const plan_t *plan)
{
    return plan == NULL || plan->binding == NULL ? "" : ((plani_binding_t *)plan->binding)->error.text;
}
