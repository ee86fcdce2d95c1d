/*
 * Schedules of rounds, as lib/mpi/execute/rounds.c runs them: first a record of the broadcast comes to each place, from
 * which it goes on down a binomial tree over ranks; then each place sends its transfers in the order of the rounds,
 * each when its bytes have arrived in earlier rounds, up to `window` at once. Long runs of blocks are split into
 * several transfers; for huge messages into fewer than the executor uses, so that there are not many more than
 * PLANI_SIMULATED_TRANSFERS.
 */
#include <math.h>
#include "graphs/trees/rounds.h"
#include <stdint.h>
#include <stdlib.h>
#include "planner/simulate/simulation_private.h"
#include "planner/plan/rounds.h"

enum { MOST_PLACES = 128, CACHED = 8 };

typedef struct {
    size_t round, offset, len; /* [B] */
    int to;                    /* place */
    size_t in;                 /* its index among the arrivals there */
} transfer_t;

/* Bytes that are awaited before any of them is sent on in a later round. */
typedef struct {
    size_t round, offset, len;
    bool here;
} arrival_t;

/* The transfers of one place. */
typedef struct {
    size_t nout, nin, out_room, in_room;
    transfer_t *out; /* in the order of the rounds, as in[] */
    arrival_t *in;
    size_t sent, done, arrived; /* numbers; of in[] those without a gap */
    struct {
        int to;
        size_t len, route;
    } known[CACHED];
    size_t nknown;
} place_t;

typedef struct {
    plani_simulation_t *x;
    const int *order;
    size_t bytes, blocks, block, window;
    size_t longest;         /* transfer [B] */
    double begun_s;         /* when the last record arrives */
    plani_schedule_t *part; /* [ranks] by place */
    place_t *place;         /* [ranks] */
} run_t;

static size_t clip(const run_t *run, size_t block)
{
    return block >= run->blocks || block * run->block > run->bytes ? run->bytes : block * run->block;
}

static plan_status_t add_transfer(place_t *from, place_t *to, transfer_t t, arrival_t a)
{
    transfer_t *out = plani_grown(from->out, from->nout, &from->out_room, sizeof *out);
    if (out == NULL) return PLAN_ENOMEM;
    from->out = out;
    arrival_t *in = plani_grown(to->in, to->nin, &to->in_room, sizeof *in);
    if (in == NULL) return PLAN_ENOMEM;
    to->in = in;
    t.in = to->nin;
    out[from->nout++] = t;
    in[to->nin++] = a;
    return PLAN_OK;
}

static plan_status_t add_run(run_t *run, int v, int to, size_t round, size_t from, size_t end)
{
    plan_status_t rc = PLAN_OK;
    for (size_t len; from < end && rc == PLAN_OK; from += len) {
        len = end - from < run->longest ? end - from : run->longest;
        rc = add_transfer(&run->place[v], &run->place[to], (transfer_t){round, from, len, to, 0},
                          (arrival_t){round, from, len, false});
    }
    return rc;
}

/* Records arrive in round 0, are sent on in round 1, and data after that: all of them awaits a record. None waits for
 * word of another, so all count as done. A rank's number from the root on, less its lowest bit, is that of its parent
 * (lib/mpi/execute/record.c). */
static plan_status_t make_records(run_t *run)
{
    int ranks = run->x->d->ranks, root = run->order[0], high = 1;
    int *at = malloc((size_t)ranks * sizeof *at);
    plan_status_t rc = at != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (int v = 0; v < ranks && rc == PLAN_OK; v++) at[(run->order[v] - root + ranks) % ranks] = v;
    while (high < ranks) high *= 2;
    for (int bit = high / 2; bit > 0; bit /= 2)
        for (int k = bit; k < ranks && rc == PLAN_OK; k += 2 * bit) {
            int from = at[k - bit], to = at[k];
            if (plan_platform_find_link(run->x->pf, run->order[from], run->order[to]) == (size_t)-1) continue;
            rc = add_transfer(&run->place[from], &run->place[to], (transfer_t){1, 0, PLANI_ROUNDS_RECORD, to, 0},
                              (arrival_t){0, 0, run->bytes, false});
            run->place[from].done++;
        }
    free(at);
    return rc;
}

/* List the transfers of all places. In each round a place receives from at most one, so in[] is ordered by rounds, too.
 * */
static plan_status_t make_transfers(run_t *run)
{
    size_t rounds = plani_schedule_rounds(&run->part[0], run->blocks);
    plan_status_t rc = PLAN_OK;

    for (size_t r = 0; r < rounds; r++)
        for (int v = 0; v < run->x->d->ranks && rc == PLAN_OK; v++) {
            plani_blocks_t b = plani_schedule_round(&run->part[v], run->blocks, r).out;
            size_t last = b.first + b.count;
            if (b.count == 0) continue;
            rc = add_run(run, v, b.place, r + 2, clip(run, b.first), clip(run, last));
            if (rc == PLAN_OK && last > run->blocks)
                rc = add_run(run, v, b.place, r + 2, 0, clip(run, last - run->blocks));
        }
    return rc;
}

static bool is_awaited(const place_t *p, const transfer_t *t)
{
    for (size_t i = p->arrived; i < p->nin && p->in[i].round < t->round; i++)
        if (p->in[i].offset < t->offset + t->len && t->offset < p->in[i].offset + p->in[i].len) return true;
    return false;
}

static plan_status_t find_route(run_t *run, int v, const transfer_t *t, size_t *route)
{
    place_t *p = &run->place[v];

    for (size_t i = 0; i < p->nknown && i < CACHED; i++)
        if (p->known[i].to == t->to && p->known[i].len == t->len) {
            *route = p->known[i].route;
            return PLAN_OK;
        }
    size_t link = plan_platform_find_link(run->x->pf, run->order[v], run->order[t->to]);
    if (link == (size_t)-1) return PLAN_ENOTREE;
    plan_status_t rc = plani_network_route(run->x, link, NULL, (double)t->len, 1, route);
    if (rc != PLAN_OK) return rc;
    size_t i = p->nknown++ % CACHED;
    p->known[i].to = t->to, p->known[i].len = t->len, p->known[i].route = *route;
    return PLAN_OK;
}

static plan_status_t post_sends(run_t *run, int v)
{
    place_t *p = &run->place[v];

    while (p->sent < p->nout && (p->sent < p->done || p->sent - p->done < run->window) &&
           !is_awaited(p, &p->out[p->sent])) {
        const transfer_t *t = &p->out[p->sent];
        size_t route;
        plan_status_t rc = find_route(run, v, t, &route);
        if (rc != PLAN_OK) return rc;
        rc = plani_network_send(run->x, route, t->in == 0, p->sent++ * (size_t)run->x->d->ranks + (size_t)v);
        if (rc != PLAN_OK) return rc;
    }
    return PLAN_OK;
}

static plan_status_t play(run_t *run, double *end)
{
    plan_status_t rc = PLAN_OK;
    size_t ranks = (size_t)run->x->d->ranks;

    *end = 0;
    for (int v = 0; v < run->x->d->ranks && rc == PLAN_OK; v++) rc = post_sends(run, v);
    for (plani_notice_t notice; rc == PLAN_OK && plani_network_next(run->x, &notice);) {
        int v = (int)(notice.what % ranks);
        const transfer_t *t = &run->place[v].out[notice.what / ranks];
        place_t *to = &run->place[t->to];
        if (!notice.arrived) {
            plani_network_forget(run->x, notice.message);
            run->place[v].done += t->round > 1; /* no record */
            rc = post_sends(run, v);
            continue;
        }
        plani_network_announce(run->x, notice.message);
        *end = run->x->now;
        if (t->round == 1) run->begun_s = run->x->now;
        to->in[t->in].here = true;
        while (to->arrived < to->nin && to->in[to->arrived].here) to->arrived++;
        rc = post_sends(run, t->to);
    }
    return rc;
}

plan_status_t plani_simulate_rounds(plani_simulation_t *x, plan_schedule_kind_t kind, const int *order,
                                    plani_pipeline_t how, double *seconds)
{
    size_t ranks = (size_t)x->d->ranks, blocks = plani_schedule_blocks(kind, x->d->ranks, how.bytes, how.slice),
           most = blocks;
    run_t run = {.x = x, .order = order, .bytes = how.bytes, .window = how.window > 0 ? (size_t)how.window : SIZE_MAX};
    plan_status_t rc = PLAN_ENOMEM;
    double end = 0;

    if (ranks > MOST_PLACES) return PLAN_EUNSUPPORTED;
    *seconds = 0;
    if (how.bytes == 0 || ranks == 1) return PLAN_OK;
    if (kind == PLAN_CIRCULANT && most > PLANI_SIMULATED_TRANSFERS / ranks) most = PLANI_SIMULATED_TRANSFERS / ranks;
    run.block = plani_block_size(kind, blocks, how.bytes, how.slice);
    run.blocks = most;
    if (most < blocks) run.bytes = most * run.block;
    run.longest = run.bytes / PLANI_SIMULATED_TRANSFERS * ranks; /* every place receives all bytes */
    if (run.longest < PLANI_LONGEST_TRANSFER) run.longest = PLANI_LONGEST_TRANSFER;
    plani_network_clear(x);
    run.part = malloc(ranks * sizeof *run.part);
    run.place = calloc(ranks, sizeof *run.place);
    if (run.part == NULL || run.place == NULL) goto done;
    for (int v = 0; v < x->d->ranks; v++)
        if ((rc = plani_schedule_init(kind, x->d->ranks, v, &run.part[v])) != PLAN_OK) goto done;
    if ((rc = make_records(&run)) != PLAN_OK || (rc = make_transfers(&run)) != PLAN_OK ||
        (rc = play(&run, &end)) != PLAN_OK)
        goto done;
    *seconds =
        run.begun_s + (end - run.begun_s) * (double)plani_schedule_rounds(&run.part[0], blocks) /
                          (double)plani_schedule_rounds(&run.part[0], most); /* of a circulant all take equally long */
done:
    for (size_t v = 0; v < ranks && run.place != NULL; v++) {
        free(run.place[v].out);
        free(run.place[v].in);
    }
    free(run.place);
    free(run.part);
    return rc;
}
