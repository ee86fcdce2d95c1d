/*
 * Broadcasts with wrong arguments on one or more ranks. At least one rank must return an error. No rank may hang or
 * write outside its buffer. A rank that returns PLAN_OK must have the message. Later broadcasts by the same plan are
 * right or refused until it is bound again; those by other plans are right. With PLANBCAST_CHECK all ranks return an
 * error, and nothing is sent.
 */
#include "case.h"

/* Draws a third of a lane's plans, of which from a random broadcast on one in twelve is misused. */
static bool is_misused(const lane_t *lane, int plan, int i)
{
    rng_t r = rng_of(lane->o->seed, (uint64_t)lane->number, lane->id, 500 + (uint64_t)plan);
    if (!rng_one_in(&r, 3) || lane->ranks == 1) return false;
    return i >= (int)rng_below(&r, 100) && rng_one_in(&(rng_t){rng_next(&r) + (uint64_t)i}, 12);
}

bool misuse_is_mine(const lane_t *lane, const cast_t *c)
{
    if (c->use == USE_RIGHT) return false;
    return c->use == USE_SHORT ? lane->rank != c->root : lane->rank == c->culprit;
}

/* Short messages of ranges that use MPI_Bcast are not checked, so ranks with different sizes may hang; see
 * planbcast/mpi.h. */
static bool may_hang(const plan_t *plan, size_t bytes, size_t other)
{
    enum { ALONE = 8192 };
    return (bytes <= ALONE && plan_chosen(plan, bytes)->run == PLAN_RUN_NATIVE) ||
           (other <= ALONE && plan_chosen(plan, other)->run == PLAN_RUN_NATIVE);
}

/* The wrong number of bytes that a rank passes instead of c->bytes. */
static size_t draw_other(const cast_t *c, rng_t *r)
{
    size_t bytes = 1 + rng_below(r, 2 * c->bytes);
    if (c->use == USE_SHORT) return rng_one_in(r, 2) ? c->bytes - 1 : c->bytes / 2;
    if (rng_one_in(r, 3)) bytes = c->bytes - 1; /* the least difference */
    return bytes == c->bytes ? bytes + 1 : bytes;
}

void misuse_draw(lane_t *lane, int i)
{
    cast_t *c = &lane->cast[i];
    rng_t r = rng_of(lane->o->seed, (uint64_t)lane->number, lane->id, 5000 + (uint64_t)i), none = r;
    const int since = c->plan == lane->again && i >= lane->again_at ? lane->again_at : 0; /* bound again: no errors */

    c->culprit = -1;
    for (int k = since; k < i; k++)
        if (lane->cast[k].plan == c->plan && lane->cast[k].use != USE_RIGHT) c->suspect = true;
    if (c->bytes < 2 || !is_misused(lane, c->plan, i)) return;
    c->use = (use_t)(1 + rng_below(&r, lane->o->check && lane->nplans > 1 ? USE_PLAN : USE_SHORT));
    c->culprit = (int)rng_below(&r, (size_t)lane->ranks);
    const bool differs = c->use == USE_OTHER || c->use == USE_SHORT;
    const size_t other = differs ? draw_other(c, &r) : c->use == USE_NOTHING ? 0 : c->bytes;
    if (!lane->o->check && may_hang(lane->plan[c->plan], c->bytes, other)) c->use = USE_RIGHT;
    /* USE_NULL needs a plain buffer: with displacements other than 0, NULL is MPI_BOTTOM and thus valid */
    if (!misuse_is_mine(lane, c) || !(differs || c->use == USE_NULL)) return;
    layout_destroy(&c->layout);
    layout_create(LAYOUT_BYTES, true, other, &none, &r, &c->layout);
}

void misuse_check(lane_t *lane, counts_t *counts)
{
    unsigned char failed[MOST_CASTS];
    for (int i = 0; i < lane->ncasts; i++) failed[i] = lane->cast[i].rc != 0;
    MPI_Allreduce(MPI_IN_PLACE, failed, lane->ncasts, MPI_UNSIGNED_CHAR, MPI_MAX, lane->comm);
    for (int i = 0; i < lane->ncasts; i++) {
        const cast_t *c = &lane->cast[i];
        bool wrong = c->use != USE_RIGHT && !failed[i];
        if (c->use == USE_NOTHING && c->culprit != c->root) wrong = false; /* nobody above it can know */
        if (misuse_is_mine(lane, c) && c->rc == 0 && c->use != USE_NOTHING && lane->rank != c->root) wrong = true;
        if (lane->o->check && c->use != USE_RIGHT) wrong = c->rc == 0; /* all know */
        if (!wrong || c->left_out) continue;
        counts->failures++;
        report(lane->o, -1, "FAILED: %s: status 0 of what is wrong", c->line);
    }
}
