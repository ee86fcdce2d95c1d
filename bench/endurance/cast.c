/* One broadcast: draws, runs and checks it. */
#include "case.h"
#include <stdio.h>

enum { MOST_REPORTS = 5 };

/* Around the borders of the plan's slices and ranges, mostly. */
static size_t draw_bytes(const lane_t *lane, const plan_t *plan, rng_t *r)
{
    const size_t most = lane->most;
    size_t bytes;
    if (rng_one_in(r, 60)) return rng_below(r, most + 1);
    if (plan == NULL || rng_one_in(r, 5)) return rng_below(r, rng_one_in(r, 4) ? 60000 : 600);
    const plan_range_t range = plan_data(plan)->range[rng_below(r, plan_data(plan)->nranges)];
    const size_t slice = range.chosen->slice, low = range.up_to < 2000 ? 0 : range.up_to;
    switch (rng_below(r, 8)) {
    case 0:
        return rng_below(r, 3);
    case 1:
        bytes = low > most ? 0 : low;
        break;
    case 2:
        bytes = (size_t)lane->ranks * (1 + rng_below(r, 300));
        break;
    case 3:
        bytes = slice * (1 + rng_below(r, 30));
        break;
    case 4:
        bytes = rng_one_in(r, 4) ? 256 << rng_below(r, 11) : 256; /* where MPI and the library change protocols */
        break;
    default:
        bytes = slice * (1 + rng_below(r, 3));
    }
    bytes += rng_below(r, 3);
    if (bytes > 0) bytes--;
    return bytes > most ? rng_below(r, 60000 < most ? 60000 : most + 1) : bytes;
}

static void describe(const lane_t *lane, cast_t *c, int i, const plan_t *plan)
{
    static const char *const uses[USES] = {"",
                                           ", NULL at",
                                           ", count 0 at",
                                           ", count -1 at",
                                           ", no datatype at",
                                           ", another count at",
                                           ", half at all but",
                                           ", another plan at"};
    const plan_candidate_t *chosen = plan ? plan_chosen(plan, c->bytes) : NULL;
    char wrong[40] = "";
    if (c->use != USE_RIGHT)
        snprintf(wrong, sizeof wrong, "%s %d", uses[c->use], c->use == USE_SHORT ? c->root : c->culprit);
    snprintf(c->line, sizeof c->line,
             "%s --seed %llu --case %ld: rank %d of %d in broadcast %d: %zu B from %d by %s of plan %d (slice %zu, "
             "window %d)%s%s",
             lane->o->replay, (unsigned long long)lane->o->seed, lane->number, lane->rank, lane->ranks, i, c->bytes,
             c->root, chosen ? chosen->name : "MPI_Bcast", c->plan, chosen ? chosen->slice : 0,
             chosen ? chosen->window : 0, wrong, c->suspect ? ", after misuse" : "");
}

void cast_draw(lane_t *lane, const names_t *names, int i, size_t *budget, counts_t *counts)
{
    cast_t *c = &lane->cast[i];
    rng_t r = rng_of(lane->o->seed, (uint64_t)lane->number, lane->id, 1000 + (uint64_t)i);
    rng_t own = rng_of(rng_next(&r), (uint64_t)lane->rank, 0, 0);
    const plan_t *plan = NULL;

    *c = (cast_t){.plan = lane->nplans, .name = NATIVE};
    if (lane->nplans > 0 && !rng_one_in(&r, 16)) plan = lane->plan[c->plan = (int)rng_below(&r, (size_t)lane->nplans)];
    c->root = plan ? plan_data(plan)->root : (int)rng_below(&r, (size_t)lane->ranks);
    c->bytes = draw_bytes(lane, plan, &r);
    if (c->bytes > *budget) c->bytes = rng_below(&r, 600);
    *budget -= c->bytes < *budget ? c->bytes : *budget;
    c->kind = rng_one_in(&r, 3) ? LAYOUT_BYTES : (layout_kind_t)rng_below(&r, LAYOUTS);
    if (plan == NULL && c->kind == LAYOUT_OWN) c->kind = LAYOUT_SAME; /* MPI_Bcast may cut each rank's own type */
    c->message = rng_next(&r);
    layout_create(c->kind, lane->o->hollow, c->bytes, &r, &own, &c->layout);
    c->bytes = c->layout.whole.bytes;
    if (rng_one_in(&own, 40)) c->nap_s = 1e-6 * (double)rng_below(&own, 3000);
    if (plan) c->name = candidates_find(names, plan_chosen(plan, c->bytes)->name);
    if (plan && lane->o->misuse) misuse_draw(lane, i);
    c->left_out = c->kind != LAYOUT_BYTES && !layout_is_right_in_mpi(&c->layout, c->message);
    layout_fill(&c->layout, lane->rank == c->root, c->message);
    counts->layouts[c->kind]++;
    describe(lane, c, i, plan);
}

void cast_run(lane_t *lane, int i)
{
    cast_t *c = &lane->cast[i];
    layout_t *l = &c->layout;
    const bool wrong = c->culprit == lane->rank;
    void *buffer = wrong && c->use == USE_NULL ? NULL : l->buffer;
    MPI_Count count = wrong && c->use == USE_NEGATIVE ? -1 : wrong && c->use == USE_NOTHING ? 0 : l->count;
    const int plan = wrong && c->use == USE_PLAN ? (c->plan + 1) % lane->nplans : c->plan;
    MPI_Datatype type = wrong && c->use == USE_NO_TYPE ? MPI_DATATYPE_NULL : l->type;

    if (c->nap_s > 0) nap(c->nap_s);
    watch_say(lane->thread, c->line);
    if (c->left_out) return;
    c->rc = c->plan < lane->nplans ? plan_execute(lane->plan[plan], buffer, count, type)
                                   : MPI_Bcast(buffer, (int)count, type, c->root, lane->comm);
}

/* What the layout should hold after the broadcast. */
static content_t expected(const lane_t *lane, const cast_t *c)
{
    const bool mine = misuse_is_mine(lane, c);
    if (lane->rank == c->root) return CONTENT_MESSAGE;                /* a root's buffer is only read */
    if (lane->o->check && c->use != USE_RIGHT) return CONTENT_BEFORE; /* nothing is sent */
    if (mine && c->use != USE_OTHER && c->use != USE_SHORT) return CONTENT_BEFORE;
    return c->rc != 0 || mine ? CONTENT_ANY : CONTENT_MESSAGE;
}

void cast_check(lane_t *lane, int i, int *reports, counts_t *counts)
{
    const cast_t *c = &lane->cast[i];
    char what[LINE] = "";
    const bool native = c->plan == lane->nplans,
               may_fail = c->use != USE_RIGHT || (c->suspect && c->rc == PLAN_EBROKEN);
    const size_t wrong = layout_check(&c->layout, expected(lane, c), c->message, what, sizeof what);

    counts->rank_broadcasts[c->name < 0 ? 0 : c->name]++;
    counts->broadcasts[c->name < 0 ? 0 : c->name] += lane->rank == 0;
    counts->misused += c->use != USE_RIGHT;
    counts->refused += c->suspect && c->use == USE_RIGHT && c->rc != 0;
    if (wrong == 0 && (c->rc == 0 || may_fail)) return;
    if (native)
        counts->native_wrong++;
    else
        counts->failures++;
    if ((*reports)++ < MOST_REPORTS)
        report(lane->o, -1, "%s: %s: status %d, %s", native ? "MPI ITSELF FAILED" : "FAILED", c->line, c->rc, what);
}
