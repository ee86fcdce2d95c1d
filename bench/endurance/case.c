/*
 * A case: communicators out of MPI_COMM_WORLD, on each some plans, and on these a row of broadcasts, one behind the
 * other without waiting for anybody, with messages of the user's own in between. Everything about it is drawn from
 * (seed, number), by all ranks alike, before the first broadcast; everything is checked after the last.
 */
#include "endurance.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CASTS = 400, MOST_PLANS = 5, MOST_REPORTS = 5, SHORT = 1 << 16 };

/* One broadcast. */
typedef struct {
    int plan; /* MPI_Bcast on the user's communicator behind the last plan */
    int name; /* of the candidate */
    int root;
    size_t bytes;
    layout_kind_t kind;
    layout_t layout;
    uint64_t message;
    double nap_s; /* of this rank, before */
    bool left_out;
    int rc;
    char line[LINE]; /* what it is */
} cast_t;

/* One thread's communicator with all that happens on it. */
typedef struct {
    const options_t *o;
    int thread;
    size_t most; /* [B] of a message */
    uint64_t id; /* what to draw from, besides the seed and the number of the case */
    long number;
    MPI_Comm comm;
    int rank, ranks, nplans, ncasts, wrong_messages;
    plan_t *plan[MOST_PLANS];
    cast_t cast[MOST_CASTS];
    traffic_t *traffic;
} lane_t;

/* ---- communicators ---- */

typedef enum { DUPLICATE, REVERSED, SHUFFLED, SPLIT, NEIGHBOURS, ALONE, WAYS } way_t;

static way_t way_of(rng_t *r)
{
    static const size_t chance[WAYS] = {6, 3, 3, 5, 3, 1};
    size_t at = rng_below(r, 21), way = 0;
    while (at >= chance[way]) at -= chance[way++];
    return (way_t)way;
}

/* Another communicator of some of the world's ranks; *id tells those apart that exist side by side. */
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

/* ---- what is broadcast ---- */

/* Around the borders of the plan's slices and ranges, mostly. */
static size_t draw_bytes(const lane_t *lane, const plan_t *plan, rng_t *r)
{
    const size_t most = lane->most;
    size_t bytes;
    if (rng_one_in(r, 60)) return rng_below(r, most + 1);
    if (plan == NULL || rng_one_in(r, 5)) return rng_below(r, rng_one_in(r, 4) ? 60000 : 600);
    const plan_range_t range = plan_range(plan, rng_below(r, plan_nranges(plan)));
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

/* Draw broadcast i of the lane; *budget: bytes that are left for the case. */
static void draw_cast(lane_t *lane, const names_t *names, int i, size_t *budget, counts_t *counts)
{
    cast_t *c = &lane->cast[i];
    rng_t r = rng_of(lane->o->seed, (uint64_t)lane->number, lane->id, 1000 + (uint64_t)i);
    rng_t own = rng_of(rng_next(&r), (uint64_t)lane->rank, 0, 0);
    const plan_t *plan = NULL;

    *c = (cast_t){.plan = lane->nplans, .name = NATIVE};
    if (lane->nplans > 0 && !rng_one_in(&r, 16)) plan = lane->plan[c->plan = (int)rng_below(&r, (size_t)lane->nplans)];
    c->root = plan ? plan_root(plan) : (int)rng_below(&r, (size_t)lane->ranks);
    c->bytes = draw_bytes(lane, plan, &r);
    if (c->bytes > *budget) c->bytes = rng_below(&r, 600);
    *budget -= c->bytes < *budget ? c->bytes : *budget;
    c->kind = rng_one_in(&r, 3) ? LAYOUT_BYTES : (layout_kind_t)rng_below(&r, LAYOUTS);
    if (plan == NULL && c->kind == LAYOUT_OWN)
        c->kind = LAYOUT_SAME; /* MPI_Bcast of Open MPI 4.1 cuts each rank's own
                                  type into segments, and hangs */
    c->message = rng_next(&r);
    layout_create(c->kind, lane->o->hollow, c->bytes, &r, &own, &c->layout);
    c->bytes = c->layout.whole.bytes;
    if (rng_one_in(&own, 40)) c->nap_s = 1e-6 * (double)rng_below(&own, 3000);
    const char *name = plan ? plan_chosen(plan, c->bytes)->name : "MPI_Bcast";
    if (plan) c->name = candidates_find(names, name);
    c->left_out = c->kind != LAYOUT_BYTES && !layout_is_right_in_mpi(&c->layout, c->message);
    layout_fill(&c->layout, lane->rank == c->root, c->message);
    counts->layouts[c->kind]++;
    snprintf(c->line, sizeof c->line,
             "%s --seed %llu --case %ld: rank %d of %d in broadcast %d: %zu B from %d by %s of plan %d (slice %zu, "
             "window %d)",
             lane->o->replay, (unsigned long long)lane->o->seed, lane->number, lane->rank, lane->ranks, i, c->bytes,
             c->root, name, c->plan, plan ? plan_chosen(plan, c->bytes)->slice : 0,
             plan ? plan_chosen(plan, c->bytes)->window : 0);
}

/* For whoever looks for the cause of a failure. */
static void tell(const cast_t *c)
{
    static char text[1 << 16];
    text[0] = '\0';
    describe_type(c->layout.type, text, sizeof text);
    printf("%s: %lld of %s at displacement %lld\n", c->line, (long long)c->layout.count, text,
           -(long long)c->layout.origin);
    fflush(stdout);
}

/* ---- what happens ---- */

static void *run_lane(void *arg)
{
    lane_t *lane = arg;
    for (int i = 0; i < lane->ncasts; i++) {
        cast_t *c = &lane->cast[i];
        layout_t *l = &c->layout;
        traffic_step(lane->traffic, i);
        if (c->nap_s > 0) nap(c->nap_s);
        watch_say(lane->thread, c->line);
        if (c->left_out) continue;
        c->rc = c->plan < lane->nplans ? plan_execute(lane->plan[c->plan], l->buffer, l->count, l->type)
                                       : MPI_Bcast(l->buffer, (int)l->count, l->type, c->root, lane->comm);
    }
    lane->wrong_messages = traffic_step(lane->traffic, lane->ncasts);
    watch_say(lane->thread, NULL);
    return NULL;
}

/* Bind plans of rank 0, and draw broadcasts on them. Collective; one lane after the other. */
static void prepare(lane_t *lane, const names_t *names, counts_t *counts)
{
    const options_t *o = lane->o;
    rng_t r = rng_of(o->seed, (uint64_t)lane->number, lane->id, 0);
    const int wanted = 1 + (int)rng_below(&r, MOST_PLANS);
    const bool brief = !rng_one_in(&r, 6);
    size_t budget = 2 * o->most / (brief ? 8 : 1);
    plan_error_t err;
    unsigned char out[MOST_CASTS] = {0};

    lane->most = brief && o->most > SHORT ? SHORT : o->most;
    for (int p = 0; p < wanted; p++) {
        const int root = (int)rng_below(&r, (size_t)lane->ranks);
        int name = p == 0 ? (int)((unsigned long)lane->number % (unsigned long)names->n)
                          : (int)rng_below(&r, (size_t)names->n);
        rng_t mine = rng_of(rng_next(&r), 0, 0, 0);
        if (o->only != NULL) name = candidates_find(names, o->only);
        plan_t *offline = lane->rank == 0 ? candidates_plan(names, name, lane->ranks, root, lane->most, &mine) : NULL;
        int rc = plan_bind(lane->comm, offline, &lane->plan[lane->nplans], &err);
        if (rc == 0)
            lane->nplans++;
        else {
            report(o, lane->number, "plan_bind of %s: %s", names->name[name], err.text);
            counts->failures++;
        }
        plan_destroy(&offline);
    }
    lane->ncasts = 20 + (int)rng_below(&r, MOST_CASTS - 20);
    for (int i = 0; i < lane->ncasts; i++) {
        draw_cast(lane, names, i, &budget, counts);
        out[i] = lane->cast[i].left_out;
    }
    MPI_Allreduce(MPI_IN_PLACE, out, lane->ncasts, MPI_UNSIGNED_CHAR, MPI_MAX, lane->comm);
    for (int i = 0; i < lane->ncasts; i++) lane->cast[i].left_out = out[i] != 0;
    if (o->tell >= 0 && o->tell < lane->ncasts) tell(&lane->cast[o->tell]);
    lane->traffic = traffic_create(lane->comm, lane->ncasts, &r);
}

/* ---- what came of it ---- */

static void check_cast(lane_t *lane, const cast_t *c, int *reports, counts_t *counts)
{
    char what[LINE] = "";
    const bool native = c->plan == lane->nplans;
    const size_t wrong = layout_check(&c->layout, true, c->message, what, sizeof what);

    counts->rank_broadcasts[c->name < 0 ? 0 : c->name]++;
    counts->broadcasts[c->name < 0 ? 0 : c->name] += lane->rank == 0;
    if (c->rc == 0 && wrong == 0) return;
    if (native)
        counts->native_wrong++;
    else
        counts->failures++;
    if ((*reports)++ >= MOST_REPORTS) return;
    report(lane->o, -1, "%s: %s%s: status %d, %s", native ? "MPI ITSELF" : "FAILED", "", c->line, c->rc, what);
}

static void finish(lane_t *lane, counts_t *counts)
{
    int reports = 0;
    for (int i = 0; i < lane->ncasts; i++) {
        if (lane->cast[i].left_out)
            counts->left_out++;
        else
            check_cast(lane, &lane->cast[i], &reports, counts);
        layout_destroy(&lane->cast[i].layout);
    }
    if (lane->wrong_messages > 0) {
        report(lane->o, lane->number, "%d messages of the user's own are wrong", lane->wrong_messages);
        counts->failures += lane->wrong_messages;
    }
    traffic_destroy(lane->traffic);
    for (int p = 0; p < lane->nplans; p++) plan_destroy(&lane->plan[p]);
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
