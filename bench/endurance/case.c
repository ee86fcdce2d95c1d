/*
 * A case: communicators made from MPI_COMM_WORLD, each with several plans and a sequence of broadcasts without
 * synchronisation between them, mixed with point-to-point messages of the application. All ranks draw the same case
 * from (seed, number) before the first broadcast. Buffers are checked after the last.
 */
#include "case.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 1 << 16 }; /* [B] */

/* ---- communicators ---- */

typedef enum { DUPLICATE, REVERSED, SHUFFLED, SPLIT, NEIGHBOURS, ALONE, WAYS } way_t;

static way_t way_of(rng_t *r)
{
    static const size_t chance[WAYS] = {6, 3, 3, 5, 3, 1};
    size_t at = rng_below(r, 21), way = 0;
    while (at >= chance[way]) at -= chance[way++];
    return (way_t)way;
}

/* A random communicator of some or all ranks of `world`; *id numbers the ones that one split creates. */
static MPI_Comm communicator(rng_t *r, MPI_Comm world, uint64_t *id)
{
    const way_t way = way_of(r);
    int rank, ranks, color = 0, key;
    MPI_Comm comm = MPI_COMM_NULL;

    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    key = rank;
    const size_t parts = 2 + rng_below(r, 3);
    rng_t each = rng_of(rng_next(r), (uint64_t)rank, 0, 0);
    if (way == REVERSED) key = -rank;
    if (way == SHUFFLED) key = (int)rng_below(&each, 1000);
    if (way == SPLIT) color = (int)rng_below(&each, parts);
    if (way == NEIGHBOURS) color = (int)((size_t)rank / parts);
    if (way == ALONE) color = rank;
    if (way == DUPLICATE)
        MPI_Comm_dup(world, &comm);
    else
        MPI_Comm_split(world, color, key, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    *id = (uint64_t)color;
    return comm;
}

/* ---- preparation ---- */

/* Print this rank's buffer, for debugging (options_t.tell). */
static void tell(const cast_t *c)
{
    static char text[1 << 16];
    text[0] = '\0';
    describe_type(c->layout.type, text, sizeof text);
    printf("%s: %lld of %s at displacement %lld\n", c->line, (long long)c->layout.count, text,
           -(long long)c->layout.origin);
    fflush(stdout);
}

/* Not while other threads bind: see planbcast/mpi.h. */
static void bind_again(lane_t *lane)
{
    plan_error_t err;
    plan_t **plan = &lane->plan[lane->again];
    plan_destroy(plan);
    lane->is_lost = plan_bind(lane->comm, lane->offline[lane->again], plan, &err) != 0;
    if (lane->is_lost) report(lane->o, lane->number, "plan_bind again: %s", err.text);
}

static void *run_lane(void *arg)
{
    lane_t *lane = arg;
    for (int i = 0; i < lane->ncasts; i++) {
        traffic_step(lane->traffic, i);
        if (i == lane->again_at && lane->again >= 0) bind_again(lane);
        cast_run(lane, i);
    }
    lane->wrong_messages = traffic_step(lane->traffic, lane->ncasts);
    watch_say(lane->thread, NULL);
    return NULL;
}

static void bind_plans(lane_t *lane, const names_t *names, rng_t *r, counts_t *counts)
{
    const options_t *o = lane->o;
    const int wanted = 1 + (int)rng_below(r, MOST_PLANS);
    plan_error_t err;
    int root = 0, name = 0;
    rng_t mine = {0};

    for (int p = 0; p < wanted; p++) {
        if (p == 0 || !rng_one_in(r, 5)) { /* else the last one, bound a second time */
            root = (int)rng_below(r, (size_t)lane->ranks);
            name = (int)(p == 0 ? (size_t)lane->number % (size_t)names->n : rng_below(r, (size_t)names->n));
            mine = rng_of(rng_next(r), 0, 0, 0);
        }
        rng_t draw = mine;
        plan_t **offline = &lane->offline[lane->nplans];
        if (o->only != NULL) name = candidates_find(names, o->only);
        if (lane->rank == 0) *offline = candidates_plan(names, name, lane->ranks, root, lane->most, &draw);
        if (plan_bind(lane->comm, *offline, &lane->plan[lane->nplans], &err) == 0) {
            lane->nplans++;
            continue;
        }
        report(o, lane->number, "plan_bind of %s: %s", names->name[name], err.text);
        counts->failures++;
        plan_destroy(offline);
    }
}

/* Bind plans of rank 0, and draw broadcasts on them. Collective; one lane after the other. */
static void prepare(lane_t *lane, const names_t *names, counts_t *counts)
{
    const options_t *o = lane->o;
    rng_t r = rng_of(o->seed, (uint64_t)lane->number, lane->id, 0);
    const bool brief = !rng_one_in(&r, 6);
    size_t budget = 2 * o->most / (brief ? 8 : 1);
    unsigned char out[MOST_CASTS] = {0};

    lane->most = brief && o->most > SHORT ? SHORT : o->most;
    bind_plans(lane, names, &r, counts);
    lane->ncasts = 20 + (int)rng_below(&r, MOST_CASTS - 20);
    lane->again =
        rng_one_in(&r, 3) && o->threads == 1 && lane->nplans > 0 ? (int)rng_below(&r, (size_t)lane->nplans) : -1;
    lane->again_at = (int)rng_below(&r, (size_t)lane->ncasts);
    for (int i = 0; i < lane->ncasts; i++) {
        cast_draw(lane, names, i, &budget, counts);
        out[i] = lane->cast[i].left_out;
    }
    MPI_Allreduce(MPI_IN_PLACE, out, lane->ncasts, MPI_UNSIGNED_CHAR, MPI_MAX, lane->comm);
    for (int i = 0; i < lane->ncasts; i++) lane->cast[i].left_out = out[i] != 0;
    if (o->tell >= 0 && o->tell < lane->ncasts) tell(&lane->cast[o->tell]);
    lane->traffic = traffic_create(lane->comm, lane->ncasts, &r);
}

/* ---- checks ---- */

static void finish(lane_t *lane, counts_t *counts)
{
    int reports = 0;
    for (int i = 0; i < lane->ncasts; i++) {
        if (lane->cast[i].left_out)
            counts->left_out++;
        else
            cast_check(lane, i, &reports, counts);
        layout_destroy(&lane->cast[i].layout);
    }
    if (lane->o->misuse) misuse_check(lane, counts);
    if (lane->wrong_messages > 0) {
        report(lane->o, lane->number, "%d point-to-point messages are wrong", lane->wrong_messages);
        counts->failures += lane->wrong_messages;
    }
    traffic_destroy(lane->traffic);
    counts->failures += lane->is_lost;
    for (int p = 0; p < lane->nplans; p++) {
        plan_destroy(&lane->plan[p]);
        plan_destroy(&lane->offline[p]);
    }
    MPI_Comm_free(&lane->comm);
}

void case_run(const options_t *o, const names_t *names, long number, counts_t *counts)
{
    rng_t r = rng_of(o->seed, (uint64_t)number, 0, 0);
    pthread_t thread[MOST_THREADS];
    lane_t *lane = calloc((size_t)o->threads, sizeof *lane);
    uint64_t id;

    if (lane == NULL) abort();
    watch_start(o->patience_s);
    for (int i = 0; i < o->threads; i++) {
        lane[i] = (lane_t){.o = o, .number = number, .thread = i};
        lane[i].comm = communicator(&r, MPI_COMM_WORLD, &id);
        lane[i].id = 1 + id * MOST_THREADS + (uint64_t)i;
        MPI_Comm_rank(lane[i].comm, &lane[i].rank);
        MPI_Comm_size(lane[i].comm, &lane[i].ranks);
    }
    for (int i = 0; i < o->threads; i++) prepare(&lane[i], names, counts);
    if (o->threads == 1)
        run_lane(&lane[0]);
    else {
        for (int i = 0; i < o->threads; i++)
            if (pthread_create(&thread[i], NULL, run_lane, &lane[i]) != 0) abort();
        for (int i = 0; i < o->threads; i++) pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < o->threads; i++) finish(&lane[i], counts);
    free(lane);
}
