/*
 * Every message of a broadcast in GOAL (Hoefler, Siebert, Lumsdaine 2009), the schedules that LogGOPSim (Hoefler,
 * Schneider, Lumsdaine 2010) simulates.
 *
 * Operations of a rank are in the executor's order: slice by slice, each received from the parent and then sent to the
 * children in their order. "a requires b": a begins when b is over; "a irequires b": when b has begun.
 *
 * - What is sent has been received. Sends begin in their order.
 * - A slice goes to a child when the slice a window before it is over there. That is when the child has it only where
 *   the simulator lets a send wait for its receive (messages above its S): acknowledgements are no messages here.
 * - What goes through shared memory inside a host is a message like the others.
 *
 * A reduction goes up the trees: each slice is received from the children, combined with each in their order (calc, in
 * ns), and then sent to the parent.
 *
 * - A slice is combined when the one before it in its tree is.
 * - A receive waits for memory: until the slice a window before it is combined, and, from the first child, whose memory
 *   takes the sum, until that two windows before it has been sent.
 */
#include "planner/exports/exports.h"
#include "lib/base/base.h"
#include "planner/plan/assignment.h"
#include "planner/plan/plan_private.h"
#include "planner/plan/rounds.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_MESSAGES = 4000000 }; /* 100 bytes of text each */

typedef struct {
    const plan_candidate_t *c;
    int ranks, root;
    bool reduces;
    double combine_s_per_byte;
    size_t bytes, slice, slices;
    int *tree_of; /* [slices, at most PLANI_PERIOD] */
} goal_t;

/* Labels are "r", "s" and "c" (calc) with the number of the slice, and the child's place where there are several. */
static size_t length_of(const goal_t *g, size_t k)
{
    return k + 1 < g->slices ? g->slice : g->bytes - k * g->slice;
}

static int tree_of(const goal_t *g, size_t k)
{
    return g->c->ntrees > 1 ? g->tree_of[k % PLANI_PERIOD] : 0;
}

static int window_of(const goal_t *g, int t, int child)
{
    const int *own = g->c->link_window;
    return own != NULL ? own[(size_t)t * (size_t)g->ranks + (size_t)child] : g->c->window;
}

/* The slice that is `back` before slice k in its tree; SIZE_MAX: there is none. */
static size_t earlier(const goal_t *g, size_t k, int back)
{
    int t = tree_of(g, k);
    while (back > 0 && k > 0) back -= tree_of(g, --k) == t;
    return back > 0 ? SIZE_MAX : k;
}

/* A slice of one rank. *last: the label of its last send, as slice and place; SIZE_MAX: none. */
static void put_slice(const goal_t *g, int rank, size_t k, size_t last[2], plani_text_t *to)
{
    int t = tree_of(g, k), children = 0;
    const plan_tree_t *tree = g->c->tree[t];
    const int *child = plan_tree_children(tree, rank, &children);
    size_t bytes = length_of(g, k);

    if (rank != g->root)
        plani_text_add(to, "r%zu: recv %zub from %d tag %zu\n", k, bytes, plan_tree_data(tree)->parent[rank], k);
    for (int i = 0; i < children; i++) {
        size_t before = earlier(g, k, window_of(g, t, child[i]));
        plani_text_add(to, "s%zu_%d: send %zub to %d tag %zu\n", k, i, bytes, child[i], k);
        if (rank != g->root) plani_text_add(to, "s%zu_%d requires r%zu\n", k, i, k);
        if (before != SIZE_MAX) plani_text_add(to, "s%zu_%d requires s%zu_%d\n", k, i, before, i);
        if (last[0] != SIZE_MAX) plani_text_add(to, "s%zu_%d irequires s%zu_%zu\n", k, i, last[0], last[1]);
        last[0] = k, last[1] = (size_t)i;
    }
}

/* Receive slice k from child i, and combine it. `before`: the slice before it in its tree; SIZE_MAX: none. */
static void put_child(const goal_t *g, int rank, size_t k, int i, size_t before, plani_text_t *to)
{
    int t = tree_of(g, k), children = 0;
    const int *child = plan_tree_children(g->c->tree[t], rank, &children);
    size_t window = earlier(g, k, window_of(g, t, child[i])), sent = earlier(g, k, 2 * g->c->window);

    plani_text_add(to, "r%zu_%d: recv %zub from %d tag %zu\n", k, i, length_of(g, k), child[i], k);
    if (window != SIZE_MAX) plani_text_add(to, "r%zu_%d requires c%zu_%d\n", k, i, window, children - 1);
    if (i == 0 && rank != g->root && sent != SIZE_MAX) plani_text_add(to, "r%zu_0 requires s%zu\n", k, sent);
    plani_text_add(to, "c%zu_%d: calc %.0f\n", k, i, (double)length_of(g, k) * g->combine_s_per_byte * 1e9);
    plani_text_add(to, "c%zu_%d requires r%zu_%d\n", k, i, k, i);
    if (i > 0)
        plani_text_add(to, "c%zu_%d requires c%zu_%d\n", k, i, k, i - 1);
    else if (before != SIZE_MAX)
        plani_text_add(to, "c%zu_0 requires c%zu_%d\n", k, before, children - 1);
}

static void put_slice_up(const goal_t *g, int rank, size_t k, plani_text_t *to)
{
    int t = tree_of(g, k), children = 0;
    size_t before = earlier(g, k, 1), window = earlier(g, k, window_of(g, t, rank));

    plan_tree_children(g->c->tree[t], rank, &children);
    for (int i = 0; i < children; i++) put_child(g, rank, k, i, before, to);
    if (rank == g->root) return;
    plani_text_add(to, "s%zu: send %zub to %d tag %zu\n", k, length_of(g, k),
                   plan_tree_data(g->c->tree[t])->parent[rank], k);
    if (children > 0) plani_text_add(to, "s%zu requires c%zu_%d\n", k, k, children - 1);
    if (window != SIZE_MAX) plani_text_add(to, "s%zu requires s%zu\n", k, window);
    if (before != SIZE_MAX) plani_text_add(to, "s%zu irequires s%zu\n", k, before);
}

/* As the executor assigns them: the first period repeats. */
static plan_status_t assign(goal_t *g)
{
    int n = g->slices < PLANI_PERIOD ? (int)g->slices : PLANI_PERIOD, assigned[PLANI_MAX_TREES];
    unsigned weight[PLANI_MAX_TREES];
    if ((g->tree_of = malloc((size_t)n * sizeof *g->tree_of)) == NULL) return PLAN_ENOMEM;
    plani_slice_weights((int)g->c->ntrees, g->c->rate, weight);
    plani_assign_slices((int)g->c->ntrees, weight, n, assigned, g->tree_of);
    return PLAN_OK;
}

static plan_status_t put_trees(goal_t *g, plani_text_t *to)
{
    plan_status_t rc = assign(g);
    for (int r = 0; r < g->ranks && rc == PLAN_OK; r++) {
        size_t last[2] = {SIZE_MAX, SIZE_MAX};
        plani_text_add(to, "\nrank %d {\n", r);
        for (size_t k = 0; k < g->slices; k++)
            if (g->reduces)
                put_slice_up(g, r, k, to);
            else
                put_slice(g, r, k, last, to);
        plani_text_add(to, "}\n");
    }
    free(g->tree_of);
    return rc;
}

/* ---- rounds ---- */

/* One place's messages. */
typedef struct {
    const goal_t *g;
    plani_schedule_t schedule;
    size_t block, blocks, tags;   /* size of a block [B], number of blocks, tags of a round */
    size_t *run, *origin;         /* [blocks] the first receive of the run that brought a block, where it began [B] */
    size_t receives, sends, last; /* last: the receive that was required last */
    bool received;                /* the record, of which `records` have been sent on */
    int records;
} place_t;

static size_t at_byte(const place_t *p, size_t block)
{
    return block * p->block < p->g->bytes ? block * p->block : p->g->bytes;
}

/* The receives that bring bytes begin .. end - 1. */
static void put_requirements(place_t *p, size_t begin, size_t end, plani_text_t *to)
{
    for (size_t b = begin / p->block; p->schedule.place != 0 && b * p->block < end; b++) {
        size_t first = begin > b * p->block ? begin : b * p->block, last = end - 1;
        if (last >= (b + 1) * p->block) last = (b + 1) * p->block - 1;
        size_t r = p->run[b] + (first - p->origin[b]) / PLANI_LONGEST_TRANSFER;
        for (; r <= p->run[b] + (last - p->origin[b]) / PLANI_LONGEST_TRANSFER; r++) {
            if (r != p->last) plani_text_add(to, "s%zu requires r%zu\n", p->sends, r);
            p->last = r;
        }
    }
}

/* What is sent after the record, or with it. */
static void put_after_record(const place_t *p, const char *label, plani_text_t *to)
{
    if (p->records > 0)
        plani_text_add(to, "%s requires h%d\n", label, p->records - 1);
    else if (p->received)
        plani_text_add(to, "%s requires h\n", label);
}

static void put_send(place_t *p, size_t begin, size_t end, int peer, size_t tag, plani_text_t *to)
{
    plani_text_add(to, "s%zu: send %zub to %d tag %zu\n", p->sends, end - begin, peer, tag);
    p->last = SIZE_MAX;
    put_requirements(p, begin, end, to);
    if (p->sends > 0)
        plani_text_add(to, "s%zu irequires s%zu\n", p->sends, p->sends - 1);
    else
        put_after_record(p, "s0", to);
    p->sends++;
}

/*
 * The record that comes to each rank before its rounds, by which ranks notice that others passed other arguments: down
 * a binomial tree over ranks, in which a rank's number from the root on, less its lowest bit, is that of its parent
 * (lib/mpi/execute/record.c). Label h is its receive, h0, h1, ... are its sends.
 */
static void put_record(place_t *p, int rank, size_t tag, plani_text_t *to)
{
    int ranks = p->g->ranks, root = p->g->root, at = (rank - root + ranks) % ranks, high = 1;
    p->received = at != 0, p->records = 0;
    if (at != 0)
        plani_text_add(to, "h: recv %db from %d tag %zu\n", PLANI_ROUNDS_RECORD, ((at & (at - 1)) + root) % ranks, tag);
    while (high < ranks && (at & high) == 0) high *= 2;
    for (int bit = high / 2; bit > 0; bit /= 2) {
        char label[16];
        if (at + bit >= ranks) continue;
        snprintf(label, sizeof label, "h%d", p->records);
        plani_text_add(to, "%s: send %db to %d tag %zu\n", label, PLANI_ROUNDS_RECORD, (at + bit + root) % ranks, tag);
        put_after_record(p, label, to);
        p->records++;
    }
}

/* Blocks first .. last - 1 in the executor's transfers. */
static void put_run(place_t *p, bool out, size_t first, size_t last, int peer, size_t *tag, plani_text_t *to)
{
    size_t begin = at_byte(p, first), end = at_byte(p, last);
    for (size_t b = first; b < last && !out; b++) p->run[b] = p->receives, p->origin[b] = begin;
    for (; begin < end; begin += PLANI_LONGEST_TRANSFER, (*tag)++) {
        size_t upto = end - begin < PLANI_LONGEST_TRANSFER ? end : begin + PLANI_LONGEST_TRANSFER;
        if (out)
            put_send(p, begin, upto, peer, *tag, to);
        else
            plani_text_add(to, "r%zu: recv %zub from %d tag %zu\n", p->receives++, upto - begin, peer, *tag);
    }
}

/* A run may go on at the start of the message. */
static void put_blocks(place_t *p, bool out, plani_blocks_t run, size_t round, plani_text_t *to)
{
    size_t end = run.first + run.count, tag = round * p->tags;
    if (run.count == 0) return;
    int peer = p->g->c->order[run.place];
    put_run(p, out, run.first, end < p->blocks ? end : p->blocks, peer, &tag, to);
    if (end > p->blocks) put_run(p, out, 0, end - p->blocks, peer, &tag, to);
}

/* What is sent in a round was received before it, but the receive of a round may be listed first. */
static plan_status_t put_place(place_t *p, int place, plani_text_t *to)
{
    const plan_candidate_t *c = p->g->c;
    plan_status_t rc = plani_schedule_init(c->schedule, p->g->ranks, place, &p->schedule);
    size_t rounds = rc == PLAN_OK ? plani_schedule_rounds(&p->schedule, p->blocks) : 0;
    p->receives = p->sends = 0;
    put_record(p, c->order[place], rounds * p->tags, to);
    for (size_t k = 0; k < rounds; k++) {
        plani_schedule_round_t round = plani_schedule_round(&p->schedule, p->blocks, k);
        put_blocks(p, true, round.out, k, to);
        put_blocks(p, false, round.in, k, to);
    }
    return rc;
}

static plan_status_t put_rounds(goal_t *g, plani_text_t *to)
{
    const plan_candidate_t *c = g->c;
    place_t p = {.g = g, .blocks = plani_schedule_blocks(c->schedule, g->ranks, g->bytes, c->slice)};
    plan_status_t rc = PLAN_OK;

    p.block = plani_block_size(c->schedule, p.blocks, g->bytes, c->slice);
    p.tags = g->bytes / PLANI_LONGEST_TRANSFER + 3;
    p.run = calloc(p.blocks, sizeof *p.run);
    p.origin = calloc(p.blocks, sizeof *p.origin);
    if (p.run == NULL || p.origin == NULL) rc = PLAN_ENOMEM;
    for (int place = 0; place < g->ranks && rc == PLAN_OK; place++) {
        plani_text_add(to, "\nrank %d {\n", c->order[place]);
        rc = put_place(&p, place, to);
        plani_text_add(to, "}\n");
    }
    free(p.run);
    free(p.origin);
    return rc;
}

/* ---- */

static plan_status_t check(const goal_t *g, plan_error_t *err)
{
    double each = g->c->run == PLAN_RUN_ROUNDS ? (double)g->bytes / PLANI_LONGEST_TRANSFER + 2 * g->ranks : 0;
    double messages = ((double)g->slices + each) * g->ranks;
    if (!plani_is_sent(g->c))
        return plani_fail(err, PLAN_EUNSUPPORTED,
                          "for %zu B the plan runs %s, whose messages are not known; give another "
                          "size",
                          g->bytes,
                          g->c->run != PLAN_RUN_NATIVE ? "broadcasts through shared memory"
                          : g->reduces                 ? "MPI_Reduce"
                                                       : "MPI_Bcast");
    if (messages > MOST_MESSAGES)
        return plani_fail(err, PLAN_EUNSUPPORTED, "%.0f messages of %zu B; give a size with at most %d", messages,
                          g->bytes, (int)MOST_MESSAGES);
    return PLAN_OK;
}

static plan_status_t put(goal_t g, plani_text_t *to, plan_error_t *err)
{
    const plan_candidate_t *c = g.c;
    if (g.bytes < 1) g.bytes = 1;
    g.slice = c->slice == 0 || c->slice > PLANI_CHUNK ? PLANI_CHUNK : c->slice;
    g.slices = (g.bytes - 1) / g.slice + 1;
    plan_status_t rc = check(&g, err);
    if (rc != PLAN_OK) return rc;
    plani_text_add(to, "// %s, %s, %s rank %d, by planbcast\nnum_ranks %d\n", c->name, plani_sending(c, g.bytes).s,
                   g.reduces ? "reduced to" : "from", g.root, g.ranks);
    rc = c->run == PLAN_RUN_ROUNDS ? put_rounds(&g, to) : put_trees(&g, to);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "out of memory for a schedule of %d ranks", g.ranks);
}

plan_status_t plani_put_goal(const plan_candidate_t *c, int ranks, int root, size_t bytes, plani_text_t *to,
                             plan_error_t *err)
{
    return put((goal_t){.c = c, .ranks = ranks, .root = root, .bytes = bytes}, to, err);
}

plan_status_t plani_put_goal_reduction(const plan_candidate_t *c, int ranks, int root, size_t bytes,
                                       double combine_s_per_byte, plani_text_t *to, plan_error_t *err)
{
    return put((goal_t){.c = c,
                        .ranks = ranks,
                        .root = root,
                        .reduces = true,
                        .combine_s_per_byte = combine_s_per_byte,
                        .bytes = bytes},
               to, err);
}
