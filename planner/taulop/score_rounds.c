/*
 * The makespan of a schedule of rounds.
 *
 * A rank sends in a round once it has received everything of earlier rounds, so a round lasts until its slowest
 * transfer has arrived. The transfers of one round share resources, which are busy for the sum of their times. A
 * resource with a burst is busy for that sum less its tokens. Its bucket does not fill while the last transfer is in
 * flight. Rounds in which the same ranks send as many blocks to the same ranks are worked out once.
 */
#include "graphs/trees/rounds.h"
#include "planner/plan/rounds.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <stdlib.h>
#include <string.h>
#include "lib/base/base.h"
#include "planner/cost/cost_cache.h"

struct plani_rounds {
    const plan_platform_t *pf;
    const plan_platform_data_t *d;
    plani_cost_cache_t *costs;
    plan_schedule_kind_t kind;
    int *order;             /* [ranks] */
    plani_schedule_t *part; /* [ranks] by place */
    plani_demand_t *load;   /* [nresources] of one round, */
    double *flight;         /* [nresources] and the longest flight of those [s] */
    double *held; /* [2 ranks + nlinks + nresources] by all rounds: send ports, receive ports, links, resources [s] */
    plani_buckets_t buckets; /* of the resources with a burst, in their order */
    double record_s;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bytes of blocks of a message; past the last block it goes on at the first. */
static size_t bytes_of(plani_blocks_t b, size_t blocks, size_t block, size_t bytes)
{
    size_t end = b.first + b.count, last = least(end, blocks);
    return least(last * block, bytes) - least(b.first * block, bytes) + least((end - last) * block, bytes);
}

/* Add a transfer to the round and to the loads of its resources. */
static void load_link(plani_rounds_t *x, size_t link, double bytes, double flight)
{
    const plan_platform_data_t *d = x->d;

    for (size_t k = d->use_first[link]; k < d->use_first[link + 1]; k++) {
        plani_demand_t *sum = &x->load[d->use[k]];
        *sum = (plani_demand_t){sum->messages + 1, sum->bytes + bytes};
        x->flight[d->use[k]] = plani_max(x->flight[d->use[k]], flight);
    }
}

/* How long that many equal rounds last; `whole`: all blocks are of full size. */
static double last_for(plani_rounds_t *x, size_t round, size_t times, size_t blocks, size_t block, size_t bytes,
                       bool whole)
{
    const plan_platform_data_t *d = x->d;
    plani_cost_row_t *row = x->kind == PLAN_CIRCULANT ? plani_cost_cache_row(x->costs, (double)block) : NULL;
    double longest = 0;

    memset(x->held, 0, (size_t)d->ranks * sizeof *x->held);
    memset(x->load, 0, d->nresources * sizeof *x->load);
    memset(x->flight, 0, d->nresources * sizeof *x->flight);
    for (int v = 0; v < d->ranks; v++) {
        plani_blocks_t out = plani_schedule_round(&x->part[v], blocks, round).out;
        size_t n = out.count == 0 ? 0 : whole ? out.count * block : bytes_of(out, blocks, block, bytes);
        if (n == 0) continue;
        int from = x->order[v], to = x->order[out.place];
        size_t l = plan_platform_find_link(x->pf, from, to);
        plani_time_t t = plani_cached_link(n == block ? row : NULL, d, l, (double)n);
        longest = plani_max(longest, t.free_through + t.flight);
        if (d->send_s != NULL || plani_takes_turns(d)) x->held[from] += plani_send_time(d, l, (double)n);
        if (plani_takes_turns(d)) x->held[to] += plani_receive_time(d, l, (double)n);
        longest = plani_max(longest, plani_max(x->held[from], x->held[to]));
        load_link(x, l, (double)n, t.flight);
    }
    for (size_t i = 0, b = 0; i < d->nresources; i++) {
        double seconds = plani_resource_time(&d->resource[i], x->load[i].messages, x->load[i].bytes);
        if (d->resource[i].burst_bytes > 0)
            x->buckets.load[b++] = seconds + x->flight[i];
        else
            longest = plani_max(longest, seconds);
    }
    return plani_buckets_pass(&x->buckets, longest, (double)times);
}

size_t plani_block_size(plan_schedule_kind_t kind, size_t blocks, size_t bytes, size_t slice)
{
    return kind == PLAN_CIRCULANT && slice > 0 ? slice : bytes / blocks + (bytes % blocks != 0);
}

double plani_rounds_score(plani_rounds_t *x, size_t bytes, size_t slice)
{
    double seconds = 0;
    size_t blocks = plani_schedule_blocks(x->kind, x->d->ranks, bytes, slice), round = 0, times = 0;
    size_t block = plani_block_size(x->kind, blocks, bytes, slice);

    plani_buckets_rest(&x->buckets);
    for (size_t g = 0; bytes > 0 && plani_schedule_group(&x->part[0], blocks, g, &round, &times); g++)
        seconds += last_for(x, round, times, blocks, block, bytes, times > 1);
    return seconds;
}

/* Add what the transfers of that many equal rounds occupy, as in plan_throughput. */
static void hold(plani_rounds_t *x, size_t round, double times, size_t blocks, size_t block, size_t bytes)
{
    const plan_platform_data_t *d = x->d;
    double *link = x->held + 2 * (size_t)d->ranks, *resource = link + d->nlinks;

    for (int v = 0; v < d->ranks; v++) {
        plani_blocks_t out = plani_schedule_round(&x->part[v], blocks, round).out;
        size_t n = out.count > 0 ? bytes_of(out, blocks, block, bytes) : 0;
        if (n == 0) continue;
        int from = x->order[v], to = x->order[out.place];
        size_t l = plan_platform_find_link(x->pf, from, to);
        x->held[from] += times * plani_send_time(d, l, (double)n);
        x->held[plani_receive_port(d, to)] += times * plani_receive_time(d, l, (double)n);
        link[l] += times * plani_own_cost(d, l, (double)n);
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
            resource[d->use[k]] += times * plan_resource_cost(&d->resource[d->use[k]], (double)n);
    }
}

plan_bottleneck_t plani_rounds_bottleneck(plani_rounds_t *x, size_t bytes, size_t slice)
{
    size_t ranks = (size_t)x->d->ranks, ports = 2 * ranks, links = ports + x->d->nlinks, all = links + x->d->nresources,
           top = 0, round = 0, times = 0;
    size_t blocks = plani_schedule_blocks(x->kind, x->d->ranks, bytes, slice),
           block = plani_block_size(x->kind, blocks, bytes, slice);

    memset(x->held, 0, all * sizeof *x->held);
    for (size_t g = 0; bytes > 0 && plani_schedule_group(&x->part[0], blocks, g, &round, &times); g++)
        hold(x, round, (double)times, blocks, block, bytes);
    for (size_t i = 1; i < all; i++)
        if (x->held[i] > x->held[top]) top = i;
    double slices = slice > 0 && bytes > 0 ? (double)bytes / (double)slice : 1;
    plan_bottleneck_t b = {.seconds = x->held[top] / slices};
    b.at = top < ranks   ? plani_takes_turns(x->d) ? PLAN_AT_PORT : PLAN_AT_SEND_PORT
           : top < ports ? PLAN_AT_RECV_PORT
           : top < links ? PLAN_AT_LINK
                         : PLAN_AT_RESOURCE;
    b.index = top - (top < ranks ? 0 : top < ports ? ranks : top < links ? ports : links);
    return b;
}

/* Every pair of ranks that communicates does so in the groups of a message of many blocks. */
static plan_status_t check_links(const plani_rounds_t *x)
{
    size_t blocks = x->kind == PLAN_CIRCULANT ? 8 * (size_t)PLANI_SCHEDULE_STEPS : (size_t)x->d->ranks;
    size_t round = 0, times = 0;
    for (size_t g = 0; plani_schedule_group(&x->part[0], blocks, g, &round, &times); g++)
        for (int v = 0; v < x->d->ranks; v++) {
            plani_blocks_t out = plani_schedule_round(&x->part[v], blocks, round).out;
            if (out.count > 0 && plan_platform_find_link(x->pf, x->order[v], x->order[out.place]) == (size_t)-1)
                return PLAN_ENOTREE;
        }
    return PLAN_OK;
}

/* Of the record that comes before the rounds, where the platform has its links. A rank's number from the root on, less
 * its lowest bit, is that of its parent (lib/mpi/execute/record.c). */
static plan_status_t time_record(plani_rounds_t *x)
{
    plan_tree_t *tree = NULL;
    plani_stages_t *stages = NULL;
    plan_status_t rc = plan_tree_topology(PLAN_KNOMIAL, x->d->ranks, x->order[0], 2, &tree);

    if (rc == PLAN_OK) rc = plani_stages_create(x->pf, tree, NULL, &stages);
    if (rc == PLAN_OK) x->record_s = plani_stages_score(stages, plani_cut(PLANI_ROUNDS_RECORD, 0), 0, INFINITY);
    plani_stages_destroy(&stages);
    plan_tree_destroy(&tree);
    return rc == PLAN_ENOTREE ? PLAN_OK : rc;
}

plan_status_t plani_rounds_create(const plan_platform_t *pf, plan_schedule_kind_t kind, const int *order,
                                  plani_cost_cache_t *costs, plani_rounds_t **out)
{
    plan_status_t rc = PLAN_ENOMEM;
    const plan_platform_data_t *d = plan_platform_data(pf);
    size_t n = (size_t)d->ranks;
    plani_rounds_t *x = calloc(1, sizeof *x);

    if (x == NULL) return PLAN_ENOMEM;
    *x = (plani_rounds_t){.pf = pf, .d = d, .costs = costs, .kind = kind};
    x->order = malloc(n * sizeof *x->order);
    x->part = calloc(n, sizeof *x->part);
    x->load = calloc(d->nresources + 1, sizeof *x->load);
    x->flight = calloc(d->nresources + 1, sizeof *x->flight);
    x->held = calloc(2 * n + d->nlinks + d->nresources, sizeof *x->held);
    if (!x->order || !x->part || !x->load || !x->flight || !x->held) goto done;
    if (plani_buckets_create(d->nresources, &x->buckets) != PLAN_OK) goto done;
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resource[i].burst_bytes > 0) plani_buckets_add(&x->buckets, &d->resource[i]);
    memcpy(x->order, order, n * sizeof *order);
    for (int v = 0; v < d->ranks; v++)
        if ((rc = plani_schedule_init(kind, d->ranks, v, &x->part[v])) != PLAN_OK) goto done;
    if ((rc = check_links(x)) != PLAN_OK || (rc = time_record(x)) != PLAN_OK) goto done;
    *out = x, x = NULL;
done:
    plani_rounds_destroy(&x);
    return rc;
}

void plani_rounds_destroy(plani_rounds_t **rounds)
{
    plani_rounds_t *x = *rounds;
    *rounds = NULL;
    if (x == NULL) return;
    free(x->order);
    free(x->part);
    free(x->load);
    free(x->flight);
    free(x->held);
    plani_buckets_clear(&x->buckets);
    free(x);
}

double plani_rounds_record(const plani_rounds_t *rounds)
{
    return rounds->record_s;
}

plan_schedule_kind_t plani_rounds_kind(const plani_rounds_t *rounds)
{
    return rounds->kind;
}

int *plani_rounds_order(const plani_rounds_t *rounds)
{
    return rounds->order;
}

/* Every rank once. */
static plan_status_t check_order(const int *order, int ranks)
{
    char *seen = calloc((size_t)ranks, 1);
    plan_status_t rc = seen == NULL ? PLAN_ENOMEM : PLAN_OK;
    for (int v = 0; v < ranks && rc == PLAN_OK; v++) {
        if (order[v] < 0 || order[v] >= ranks || seen[order[v]])
            rc = PLAN_EINVAL;
        else
            seen[order[v]] = 1;
    }
    free(seen);
    return rc;
}

plan_status_t plani_score_rounds(const plan_platform_t *pf, plan_schedule_kind_t kind, const int *order, size_t bytes,
                                 size_t slice, double *seconds)
{
    plani_rounds_t *x = NULL;
    plan_status_t rc;

    if (pf == NULL || order == NULL || seconds == NULL || (unsigned)kind >= PLAN_SCHEDULES) return PLAN_EINVAL;
    if ((rc = check_order(order, plan_platform_data(pf)->ranks)) != PLAN_OK) return rc;
    if ((rc = plani_rounds_create(pf, kind, order, NULL, &x)) != PLAN_OK) return rc;
    *seconds = plani_rounds_score(x, bytes, slice);
    plani_rounds_destroy(&x);
    return PLAN_OK;
}
