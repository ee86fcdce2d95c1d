/*
 * Broadcasts that somebody uses wrongly. Of each, some rank has to learn, nobody may hang or write beside its buffer,
 * and a rank that is told of success has the message. Later broadcasts by the same plan, until it is bound again, are
 * right or refused; those by other plans are right.
 */
#include "case.h"

/* Of a lane, some plans are misused, the others stay as they are. */
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

void misuse_draw(lane_t *lane, int i)
{
    cast_t *c = &lane->cast[i];
    rng_t r = rng_of(lane->o->seed, (uint64_t)lane->number, lane->id, 5000 + (uint64_t)i), none = r;

    c->culprit = -1;
    const int since = c->plan == lane->again && i >= lane->again_at ? lane->again_at : 0; /* bound again, all is well */
    for (int k = since; k < i; k++)
        if (lane->cast[k].plan == c->plan && lane->cast[k].use != USE_RIGHT) c->suspect = true;
    if (c->bytes < 2 || !is_misused(lane, c->plan, i)) return;
    c->use = (use_t)(1 + rng_below(&r, USES - 1));
    c->culprit = (int)rng_below(&r, (size_t)lane->ranks);
    size_t bytes = c->use == USE_SHORT ? c->bytes / 2 : 1 + rng_below(&r, 2 * c->bytes);
    if (rng_one_in(&r, 3)) bytes = c->bytes + (rng_one_in(&r, 2) ? 1 : -1); /* as little as may be */
    if (c->use == USE_SHORT && bytes > c->bytes) bytes = c->bytes - 1;
    if (bytes == c->bytes) bytes++;
    if ((c->use != USE_OTHER && c->use != USE_SHORT) || !misuse_is_mine(lane, c)) return;
    layout_destroy(&c->layout);
    layout_create(LAYOUT_BYTES, true, bytes, &none, &r, &c->layout);
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
        if (!wrong || c->left_out) continue;
        counts->failures++;
        report(lane->o, -1, "FAILED: %s: status 0 of what is wrong", c->line);
    }
}
