/* The stage engine equals a plain simulation and closed forms, and its cost does not depend on the number of slices. */
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include "oracle/stage_simulation.h"
#include "planner/cost/cost_cache.h"
#include "planner/taulop/score.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

static double unit(uint64_t *state)
{
    return (double)(sample_next(state) >> 11) / 9007199254740992.0;
}

enum { RANKS = 24, CHANNELS = 4, SIZES = 4, RESOURCES = 6, PAIRS = 6 };

/* A random tree of any shape from a chain to a star, and a complete platform around it. */
typedef struct {
    plan_link_t link[RANKS * RANKS];
    double bytes[CHANNELS][SIZES], gap[CHANNELS][SIZES], p2p[CHANNELS][SIZES], gamma[CHANNELS][6], send_s[RANKS];
    plan_channel_t channel[CHANNELS];
    size_t listed[RESOURCES][RANKS * RANKS];
    plan_resource_t resource[RESOURCES];
    plan_pairs_t pairs[RESOURCES][PAIRS];
    int parent[RANKS];
    plan_platform_data_t data;
} scene_t;

static void draw_channels(scene_t *s, uint64_t *state)
{
    for (int c = 0; c < CHANNELS; c++) {
        plan_channel_t *ch = &s->channel[c];
        *ch = (plan_channel_t){.name = "c", .network = c & 1};
        ch->nsizes = (size_t)(c < 2 ? 0 : sample_below(state, SIZES + 1));
        for (int i = 0; i < SIZES; i++) {
            s->bytes[c][i] = (i ? s->bytes[c][i - 1] : 0) + 1 + sample_below(state, 40);
            s->gap[c][i] = 1e-6 * (1 + unit(state) * (i + 1));
            s->p2p[c][i] = s->gap[c][i] * (0.9 + unit(state));
        }
        ch->bytes = s->bytes[c], ch->overhead_s = s->gap[c], ch->gap_s = s->gap[c], ch->p2p_s = s->p2p[c];
        ch->ngamma = (size_t)sample_below(state, 7);
        for (int i = 0; i < 6; i++) s->gamma[c][i] = i ? s->gamma[c][i - 1] + unit(state) : 1;
        ch->gamma = s->gamma[c];
    }
}

/* A table of up to three sizes, each with some numbers of messages. */
static void draw_pairs(scene_t *s, int r, uint64_t *state)
{
    double bytes = 1 + sample_below(state, 20);
    int messages = 0;

    for (int i = 0; i < PAIRS; i++) {
        bool next = sample_below(state, 3) == 0;
        messages = (next ? 0 : messages) + 1 + sample_below(state, 3);
        bytes += next ? 1 + sample_below(state, 20) : 0;
        s->pairs[r][i] = (plan_pairs_t){bytes, messages, 1e7 * (0.2 + unit(state))};
    }
    s->resource[r].npairs = (size_t)sample_below(state, PAIRS + 1);
    s->resource[r].pairs = s->pairs[r];
}

/* A burst of none to many slices; often of a card whose rate is that of all its links. */
static void draw_burst(scene_t *s, int r, uint64_t *state)
{
    plan_resource_t *x = &s->resource[r];

    x->burst_bytes = sample_below(state, sample_below(state, 2) ? 2000 : 100);
    for (size_t k = 0; k < x->nlinks && sample_below(state, 2); k++)
        s->link[x->link[k]].s_per_byte = x->s_per_byte * (0.85 + 0.3 * unit(state));
}

static void draw(scene_t *s, uint64_t *state)
{
    int n = 1 + sample_below(state, RANKS), reach = 1 + sample_below(state, n), order[RANKS] = {0};
    size_t nlinks = 0;

    for (int i = 0; i < n; i++) {
        int k = sample_below(state, i + 1);
        order[i] = order[k], order[k] = i;
    }
    s->parent[order[0]] = -1;
    for (int i = 1; i < n; i++) s->parent[order[i]] = order[i - 1 - sample_below(state, i < reach ? i : reach)];
    for (int u = 0; u < n; u++) {
        s->send_s[u] = 1e-6 * unit(state);
        for (int v = 0; v < n; v++)
            if (u != v)
                s->link[nlinks++] = (plan_link_t){u,
                                                  v,
                                                  1e-6 * unit(state),
                                                  1e-7 * (0.1 + unit(state)),
                                                  1e-5 * unit(state) * sample_below(state, 2),
                                                  sample_below(state, CHANNELS + 1) - 1};
    }
    draw_channels(s, state);
    for (int r = 0; r < RESOURCES; r++) {
        size_t k = 0;
        for (size_t l = 0; l < nlinks; l++)
            if (sample_below(state, 3) == 0) s->listed[r][k++] = l;
        s->resource[r] = (plan_resource_t){.name = "r",
                                           .s_per_message = r % 2 ? 1e-5 * unit(state) : 0,
                                           .s_per_byte = 1e-7 * (0.1 + unit(state)),
                                           .nlinks = k,
                                           .link = s->listed[r]};
        if (sample_below(state, 2)) draw_pairs(s, r, state);
        if (sample_below(state, 3) == 0) draw_burst(s, r, state);
    }
    bool multi = sample_below(state, 8) == 0;
    s->data = (plan_platform_data_t){.size = sizeof(plan_platform_data_t),
                                     .ranks = n,
                                     .nlinks = nlinks,
                                     .link = s->link,
                                     .nresources = (size_t)sample_below(state, RESOURCES + 1),
                                     .resource = s->resource,
                                     .ports = multi ? PLAN_PORTS_MULTI : PLAN_PORTS_ONE,
                                     .send_s = multi ? s->send_s : NULL,
                                     .nchannels = CHANNELS,
                                     .channel = s->channel};
}

static int differ(double a, double b)
{
    return !(fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)));
}

static scene_t scene;

static void engine_equals_the_plain_simulation(void)
{
    uint64_t state = 1;
    int wrong = 0, more = 0, fewer = 0, shorter = 0;

    for (int round = 0; round < 1500; round++) {
        draw(&scene, &state);
        plan_platform_t *pf = NULL;
        plan_tree_t *tree = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&scene.data, &pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_tree_create(scene.data.ranks, scene.parent, NULL, &tree), PLAN_OK);
        size_t slice = 1 + (size_t)sample_below(&state, 60),
               bytes = (size_t)sample_below(&state, sample_below(&state, 2) ? 1800 : 200);
        int window = sample_below(&state, 5);
        double t = -1, expected = oracle_stage_simulation(plan_platform_data(pf), scene.parent, bytes, slice, window);
        CU_ASSERT_EQUAL(plani_score_taulop(pf, tree, bytes, slice, window, &t), PLAN_OK);
        wrong += differ(t, expected);
        size_t n = (bytes + slice - 1) / slice, height = (size_t)plan_tree_data(tree)->height;
        more += n > height + 1, fewer += n > 1 && n<height, shorter += bytes % slice> 0 && n > 1;
        plan_tree_destroy(&tree);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(more > 100 && fewer > 100 && shorter > 100); /* the sample has all the cases */
}

/* A tree scored again and again, which keeps costs and full pipelines, and the same made again for each score. */
typedef struct {
    plan_platform_t *pf;
    plan_tree_t *tree;
    plani_cost_cache_t *costs;
    plani_stages_t *kept;
    int wrong, again; /* scores that differ, and those of full pipelines of whole slices, after the first time around */
} twice_t;

static void score_twice(twice_t *t, size_t slices, size_t slice, size_t rest, int window, bool first)
{
    plani_cut_t cut = plani_cut(slices * slice + rest, slice);
    plani_stages_t *fresh = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_stages_create(t->pf, t->tree, NULL, &fresh), PLAN_OK);
    double want = plani_stages_score(fresh, cut, window, INFINITY), limit = want * (slices % 2 ? 0.9 : 1.1);
    t->wrong += plani_stages_score(t->kept, cut, window, INFINITY) != want;
    double most = plani_stages_score(t->kept, cut, window, limit);
    t->wrong += most != want && !(most == INFINITY && want > limit);
    plani_stages_time_links(t->kept, cut, window); /* as for several trees */
    t->wrong += plani_stages_run(t->kept, cut, INFINITY) != want;
    t->again += !first && rest == 0 && cut.n > (size_t)window && cut.n > (size_t)plan_tree_data(t->tree)->height;
    plani_stages_destroy(&fresh);
}

/* Ascending, and descending: more slice sizes and windows than are kept at once, with short last slices between. */
static void score_in_both_directions(twice_t *t)
{
    for (int way = 0; way < 2; way++)
        for (int i = 0; i < 9; i++)
            for (int k = 0; k < 63; k++) {
                size_t slices = (size_t)1 << (way == 0 ? i : 8 - i), slice = 1 + 3 * (size_t)(k % 21);
                size_t rest = k % 5 == 1 ? slice / 2 : 0;
                score_twice(t, slices, slice, rest, k / 21 * 2, way == 0 && i == 0);
                if (k % 3 == 0) score_twice(t, slices + 1, slice, 0, k / 21 * 2, false);
            }
}

/* To the last bit. */
static void what_is_kept_of_full_pipelines_changes_no_score(void)
{
    uint64_t state = 7;
    int bursts = 0, fluid = 0, again = 0;

    for (int round = 0; round < 40; round++) {
        twice_t t = {.wrong = 0};
        draw(&scene, &state);
        for (int c = 0; c < CHANNELS; c++) scene.channel[c].fluid = round % 4 == 3 && scene.data.send_s == NULL;
        if (round % 4 == 1) scene.data.nresources = 0;
        for (size_t r = 0; r < scene.data.nresources; r++) {
            if (round % 4 == 2) scene.resource[r].burst_bytes = 0;
            bursts += scene.resource[r].burst_bytes > 0;
        }
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&scene.data, &t.pf, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_tree_create(scene.data.ranks, scene.parent, NULL, &t.tree), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_cost_cache_create(plan_platform_data(t.pf), 6, &t.costs), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_stages_create(t.pf, t.tree, t.costs, &t.kept), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_stages_keep(t.kept), PLAN_OK);
        fluid += scene.channel[0].fluid;
        score_in_both_directions(&t);
        CU_ASSERT_EQUAL(t.wrong, 0);
        again += t.again;
        plani_stages_destroy(&t.kept);
        plani_cost_cache_destroy(&t.costs);
        plan_tree_destroy(&t.tree);
        plan_platform_destroy(&t.pf);
    }
    CU_ASSERT(bursts > 10 && fluid > 3 && again > 10000);
}

/* A star or chain over links of T = 1 us + 1 ns/B, on its own platform. */
static plan_platform_t *uniform(int n, double delay_s)
{
    plan_link_t *link = calloc((size_t)n * (size_t)n, sizeof *link);
    size_t k = 0;
    plan_platform_t *pf = NULL;
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++)
            if (u != v) link[k++] = (plan_link_t){u, v, 1e-6, 1e-9, delay_s, -1};
    plan_platform_data_t d = {.size = sizeof d, .ranks = n, .nlinks = k, .link = link};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    free(link);
    return pf;
}

static double score(const plan_platform_t *pf, plan_topology_t kind, size_t bytes, size_t slice, int window)
{
    plan_tree_t *tree = NULL;
    double t = NAN;
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(kind, plan_platform_data(pf)->ranks, 0, 0, &tree), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_taulop(pf, tree, bytes, slice, window, &t), PLAN_OK);
    plan_tree_destroy(&tree);
    return t;
}

/* Four ranks in a chain, one slice: three times the cost of a link; n slices: n + 2 times. */
static void a_chain_takes_slices_plus_hops(void)
{
    plan_platform_t *pf = uniform(4, 0);
    double one = 1e-6 + 1000 * 1e-9;
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 1000, 0, 0), 3 * one, 1e-18);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 7000, 1000, 0), 9 * one, 1e-17);
    CU_ASSERT_EQUAL(score(pf, PLAN_PIPELINE, 0, 1000, 0), 0);
    plan_platform_destroy(&pf);
    pf = uniform(1, 0);
    CU_ASSERT_EQUAL(score(pf, PLAN_PIPELINE, 1000, 10, 0), 0);
    plan_platform_destroy(&pf);
}

/* The executor does not wait for one send before it begins the next, nor does the model. */
static void sends_of_a_whole_message_overlap(void)
{
    double gamma[] = {1, 1.1, 1.2};
    plan_link_t link[] = {{0, 1, 1e-6, 0, 0, 0}, {0, 2, 1e-6, 0, 0, 0}, {0, 3, 1e-6, 0, 0, 0}};
    plan_channel_t channel = {.name = "n", .ngamma = 3, .gamma = gamma};
    plan_platform_data_t d = {
        .size = sizeof d, .ranks = 4, .nlinks = 3, .link = link, .nchannels = 1, .channel = &channel};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_LINEAR, 500, 0, 0), 1.2e-6, 1e-18);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_LINEAR, 500, 100, 0), 5 * 1.2e-6, 1e-18);
    plan_platform_destroy(&pf);
}

/* 2^40 slices of a byte: n - 1 stages beyond the first hop, and no time to wait for them. */
static void a_trillion_slices_are_no_work(void)
{
    plan_platform_t *pf = uniform(50, 0);
    double one = 1e-6 + 1e-9, n = 1099511627776.0;
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, (size_t)1 << 40, 1, 0) / ((n + 48) * one), 1, 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, SIZE_MAX, 1, 0) / (18446744073709551615.0 * one), 1, 1e-14);
    plan_platform_destroy(&pf);
}

/* Flights are paid once along the path; a window of 1 pays them there and back for every slice, and a wide one never.
 */
static void a_window_bounds_the_rate_of_long_links(void)
{
    plan_platform_t *pf = uniform(3, 1e-4);
    double one = 2e-6;
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 10000, 1000, 0), 11 * one + 2e-4, 1e-16);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 10000, 1000, 1), 11 * (one + 2e-4) + 2e-4, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 10000, 1000, 2), 11 * (one + 2e-4) / 2 + 2e-4, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 10000, 1000, 10), 11 * one + 2e-4, 1e-16);
    plan_platform_destroy(&pf);
}

/* One network transfer and 12 within the host at Q = 12 are two network transfers; at 11 within, one. */
static void mixed_flat_trees_count_by_q(void)
{
    double net[] = {1, 1.5, 1.9}, shm[] = {1, 1.01};
    plan_channel_t channel[] = {{.name = "shm", .ngamma = 2, .gamma = shm},
                                {.name = "net", .network = true, .ngamma = 3, .gamma = net}};
    for (int within = 11; within <= 12; within++) {
        plan_link_t link[13];
        for (int v = 1; v <= within + 1; v++) link[v - 1] = (plan_link_t){0, v, v == 1 ? 12e-6 : 1e-6, 0, 0, v == 1};
        plan_platform_data_t d = {.size = sizeof d,
                                  .ranks = within + 2,
                                  .nlinks = (size_t)within + 1,
                                  .link = link,
                                  .nchannels = 2,
                                  .channel = channel};
        plan_platform_t *pf = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_LINEAR, 8, 8, 0), (within == 12 ? 1.5 : 1) * 12e-6, 1e-17);
        plan_platform_destroy(&pf);
    }
}

/* Four ranks, 0.1 us for the software of a hop; each wire lets 3 kB pass at once, then 1 kB in 1 us. */
static void a_burst_passes_each_hop_at_once(void)
{
    plan_link_t link[12];
    size_t index[12], k = 0;
    plan_resource_t wire[12];
    for (int u = 0; u < 4; u++)
        for (int v = 0; v < 4; v++) {
            if (u == v) continue;
            index[k] = k;
            link[k] = (plan_link_t){u, v, 1e-7, 1e-9, 0, -1};
            wire[k] = (plan_resource_t){
                .name = "wire", .s_per_byte = 1e-9, .burst_bytes = 3000, .nlinks = 1, .link = &index[k]};
            k++;
        }
    plan_platform_data_t d = {
        .size = sizeof d, .ranks = 4, .nlinks = k, .link = link, .nresources = k, .resource = wire};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 2000, 0, 0), 3e-7, 1e-18);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 10000, 0, 0), 21e-6, 1e-17); /* all but the burst, three times */
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 10000, 1000, 0), 7.2e-6, 1e-17); /* all but the burst, once */
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_PIPELINE, 1000000, 1000, 0), 997.2e-6, 1e-15);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_LINEAR, 2000, 0, 0), 3e-7, 1e-18);
    CU_ASSERT_DOUBLE_EQUAL(score(pf, PLAN_LINEAR, 10000, 0, 0), 7e-6, 1e-17); /* each child has its own wire */
    plan_platform_destroy(&pf);
}

static void what_does_not_fit_is_refused(void)
{
    plan_link_t link[] = {{0, 1, 1e-6, 0, 0, -1}, {1, 2, 1e-6, 0, 0, -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    plan_tree_t *star = NULL, *chain = NULL, *small = NULL;
    double t = 7;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_LINEAR, 3, 0, 0, &star), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_PIPELINE, 3, 0, 0, &chain), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_PIPELINE, 2, 0, 0, &small), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_taulop(pf, star, 10, 1, 0, &t), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(plani_score_taulop(pf, small, 10, 1, 0, &t), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(plani_score_taulop(pf, chain, 10, 1, -1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_taulop(NULL, chain, 10, 1, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(t, 7);
    plan_tree_destroy(&star), plan_tree_destroy(&chain), plan_tree_destroy(&small);
    plan_platform_destroy(&pf);
}

/* 0 sends to 1 through a trunk that is ten times slower than the link, and to 2 beside it. */
static void a_slow_trunk_holds_up_the_stage_but_not_the_port(void)
{
    static const plan_link_t link[] = {{0, 1, 0, 1, 0, -1}, {0, 2, 0, 1, 0, -1}, {1, 2, 0, 1, 0.5, -1}};
    static const size_t first = 0;
    const plan_resource_t trunk = {.name = "trunk", .s_per_byte = 10, .nlinks = 1, .link = &first};
    const plan_platform_data_t d = {
        .size = sizeof d, .ranks = 3, .nlinks = 3, .link = link, .nresources = 1, .resource = &trunk};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(score(pf, PLAN_LINEAR, 1, 0, 0), 10);     /* not 11: the second send does not wait */
    CU_ASSERT_EQUAL(score(pf, PLAN_PIPELINE, 3, 1, 0), 31.5); /* the trunk three times, then a link with delay */
    CU_ASSERT_EQUAL(score(pf, PLAN_PIPELINE, 3, 1, 2), 31.5); /* no window helps where the trunk is the limit */
    plan_platform_destroy(&pf);
}

/* Seven ranks, a processor that takes 1 s for every message wherever it goes: six hops are six seconds at least. */
static void messages_that_share_a_processor_add_up_in_any_tree(void)
{
    enum { N = 7 };
    plan_platform_t *cheap = uniform(N, 0), *pf = NULL;
    plan_platform_data_t d = *plan_platform_data(cheap);
    size_t all[N * N];
    for (size_t l = 0; l < d.nlinks; l++) all[l] = l;
    const plan_resource_t processor = {.name = "processor", .s_per_message = 1, .nlinks = d.nlinks, .link = all};
    d.nresources = 1;
    d.resource = &processor;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) {
        if (kind == PLAN_SPLIT_BINARY) continue; /* scored by its own function */
        CU_ASSERT_DOUBLE_EQUAL(score(pf, (plan_topology_t)kind, 1, 0, 0), N - 1, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(score(pf, (plan_topology_t)kind, 5, 1, 0), 5 * (N - 1), 1e-12);
    }
    plan_platform_destroy(&pf);
    plan_platform_destroy(&cheap);
}

/* Of two bytes on equal links, three ranks: a half down each side, and back across; who has all it needs waits not. */
static void nothing_to_split_takes_no_time(void)
{
    plan_platform_t *pf = uniform(3, 5e-6), *alone = uniform(1, 0);
    const double hop = 1e-6 + 1e-9 + 5e-6;
    double t = 7;
    CU_ASSERT_EQUAL(plani_score_split_binary(NULL, 0, 2, 0, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_split_binary(pf, 0, 2, 0, 0, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_split_binary(pf, 0, 2, 0, -1, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_split_binary(pf, 3, 2, 0, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_score_split_binary(pf, -1, 2, 0, 0, &t), PLAN_EINVAL);
    CU_ASSERT_EQUAL(t, 7);
    CU_ASSERT_EQUAL(plani_score_split_binary(pf, 2, 0, 64, 0, &t), PLAN_OK);
    CU_ASSERT_EQUAL(t, 0);
    t = 7;
    CU_ASSERT_EQUAL(plani_score_split_binary(alone, 0, 1000, 64, 0, &t), PLAN_OK);
    CU_ASSERT_EQUAL(t, 0);
    for (int root = 0; root < 3; root++) {
        CU_ASSERT_EQUAL(plani_score_split_binary(pf, root, 2, 0, 0, &t), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(t, 2 * (1e-6 + 1e-9) + 5e-6 + hop, 1e-18); /* the root's port twice, then the swap */
    }
    plan_platform_destroy(&alone);
    size_t all[6] = {0, 1, 2, 3, 4, 5}; /* and with a processor that all six links share: twice down, twice across */
    const plan_resource_t processor = {.name = "processor", .s_per_message = 1, .nlinks = 6, .link = all};
    plan_platform_data_t d = *plan_platform_data(pf);
    plan_platform_t *shared = NULL;
    d.nresources = 1, d.resource = &processor;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &shared, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plani_score_split_binary(shared, 0, 2, 0, 0, &t), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(t, 2 + 2, 1e-4);
    plan_platform_destroy(&shared);
    plan_platform_destroy(&pf);
}

static void every_failing_allocation_is_reported(void)
{
    uint64_t state = 5;
    do draw(&scene, &state);
    while (scene.data.ranks < 5 || scene.data.nresources == 0);
    plan_platform_t *pf = NULL;
    plan_tree_t *tree = NULL;
    double t = 0;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&scene.data, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(scene.data.ranks, scene.parent, NULL, &tree), PLAN_OK);
    ALLOC_EACH(plani_score_taulop(pf, tree, 1000, 10, 0, &t), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_tree_destroy(&tree);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("score", TEST(engine_equals_the_plain_simulation), TEST(what_is_kept_of_full_pipelines_changes_no_score),
           TEST(a_chain_takes_slices_plus_hops), TEST(sends_of_a_whole_message_overlap),
           TEST(a_trillion_slices_are_no_work), TEST(a_window_bounds_the_rate_of_long_links),
           TEST(mixed_flat_trees_count_by_q), TEST(a_slow_trunk_holds_up_the_stage_but_not_the_port),
           TEST(messages_that_share_a_processor_add_up_in_any_tree), TEST(a_burst_passes_each_hop_at_once),
           TEST(what_does_not_fit_is_refused), TEST(nothing_to_split_takes_no_time),
           TEST(every_failing_allocation_is_reported))
