/*
 * Every heuristic's throughput and the bound, on the platforms of section 5 of Beaumont, Marchal, Robert 2004:
 *
 *     paper_001 INSTANCES TIERS [PART PARTS]
 *
 * INSTANCES random platforms for each number of ranks and density of Table 2; TIERS Tiers-like platforms of 30 and of
 * 65 ranks, and as many by each reading of tiers.h. A run takes every PARTS-th of these from the PART-th on. Prints a
 * line for each platform, port model and candidate:
 *
 *     random|tiers|NAME OF READING  ranks  density asked for  density found  seed  one|multi  candidate  bound [1/s]
 *     throughput [1/s]  seconds
 *
 * For the readings, only the candidates of Table 3.
 *
 *     paper_001 brief INSTANCES TIERS
 *
 * The same platforms but for the readings, and only the candidates of Table 3, with one port.
 *
 *     paper_001 reading NAME TIERS PART PARTS
 *
 * All candidates on the platforms of one reading.
 *
 *     paper_001 readings
 *
 * A line for each: name, what it means.
 *
 * The bound is that of the one-port program in both models, as in section 5.2.2.
 */
#include "tiers.h"
#include "planner/algorithms/heuristics/heuristic.h"
#include "planner/cost/cost.h"
#include <planbcast/generate.h>
#include <planbcast/plan.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double slice = 1e6; /* [B]; there is no latency: its size does not matter */
static const char *const table3[] = {"prune-simple", "prune-degree", "grow", "lp-grow", "lp-prune", "binomial-paths"};
static const struct {
    const char *name;
    size_t most; /* trees; 0: a candidate of the planner that knows how many */
} several[] = {{"2-trees", 2}, {"4-trees", 4}, {"lp-trees", 0}};

/* A platform and its bound. */
typedef struct {
    const char *family;
    int ranks;
    double density; /* asked for; 0: not asked for */
    unsigned long seed;
    int brief; /* Table 3 alone */
    plan_platform_t *one, *multi;
    plan_steady_t *bound;
} instance_t;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static plan_status_t one_tree(const plan_heuristic_t *h, const plan_platform_t *pf, const double *rates,
                              double *throughput)
{
    plan_status_t rc = PLAN_OK;
    if (h->routed) {
        int *uses = calloc(plan_platform_data(pf)->nlinks + 1, sizeof *uses);
        if (uses == NULL) return PLAN_ENOMEM;
        if ((rc = plani_binomial_paths(pf, 0, slice, uses)) == PLAN_OK)
            rc = plani_throughput_of_uses(pf, uses, slice, throughput, NULL);
        free(uses);
        return rc;
    }
    plan_tree_t *tree = NULL;
    if ((rc = plan_heuristic_tree(h->name, pf, 0, slice, 0, rates, &tree, NULL)) == PLAN_OK)
        rc = plan_throughput(pf, 1, &tree, NULL, slice, throughput, NULL);
    plan_tree_destroy(&tree);
    return rc;
}

/* Throughput of a candidate of several trees, for a message so long that latency is negligible. */
static plan_status_t packed_trees(const char *name, const plan_platform_t *pf, double *throughput)
{
    const plan_choice_t choice = {.size = sizeof choice, .only = name, .slice = (size_t)slice};
    plan_ranking_t *ranking = NULL;
    plan_status_t rc = plan_ranking_create(pf, 0, (size_t)1e12, &choice, &ranking, NULL);
    if (rc == PLAN_OK && ranking->ncandidates == 0) rc = PLAN_EUNSUPPORTED;
    if (rc == PLAN_OK) *throughput = ranking->candidate[0].throughput;
    plan_ranking_destroy(&ranking);
    return rc;
}

static plan_status_t few_trees(size_t most, const plan_platform_t *pf, const plan_steady_t *bound, double *throughput)
{
    plan_tree_t *tree[PLAN_MOST_TREES];
    double share[PLAN_MOST_TREES];
    size_t n = 0;
    plan_status_t rc = plan_few_trees(pf, 0, slice, most, bound, 0, 0, tree, share, &n, NULL);
    if (rc != PLAN_OK) return rc;
    rc = plan_throughput(pf, n, tree, share, slice, throughput, NULL);
    for (size_t i = 0; i < n; i++) plan_tree_destroy(&tree[i]);
    return rc;
}

static void line(const instance_t *i, int multi, const char *name, double throughput, double seconds)
{
    const plan_platform_data_t *d = plan_platform_data(i->one);
    printf("%s\t%d\t%.2f\t%.4f\t%lu\t%s\t%s\t%.9g\t%.9g\t%.3g\n", i->family, i->ranks, i->density,
           (double)d->nlinks / ((double)d->ranks * (d->ranks - 1)), i->seed, multi ? "multi" : "one", name,
           plan_steady_data(i->bound)->upper, throughput, seconds);
}

static int in_table3(const char *name)
{
    for (size_t k = 0; k < sizeof table3 / sizeof *table3; k++)
        if (strcmp(table3[k], name) == 0) return 1;
    return 0;
}

static plan_status_t compare(const instance_t *i, int multi)
{
    const plan_platform_t *pf = multi ? i->multi : i->one;
    plan_status_t rc = PLAN_OK;
    double throughput = 0, start;
    size_t n;
    const plan_heuristic_t *h = plan_heuristics(&n);

    for (size_t k = 0; k < n; k++) {
        start = now();
        if (i->brief && !in_table3(h[k].name)) continue;
        rc = one_tree(&h[k], pf, plan_steady_data(i->bound)->rate, &throughput);
        if (rc == PLAN_EUNSUPPORTED) continue; /* a shape for platforms in which all are linked to all */
        if (rc != PLAN_OK) return rc;
        line(i, multi, h[k].name, throughput, now() - start);
    }
    for (size_t k = 0; k < sizeof several / sizeof *several && !i->brief; k++) {
        start = now();
        rc = several[k].most > 0 ? few_trees(several[k].most, pf, i->bound, &throughput)
                                 : packed_trees(several[k].name, pf, &throughput);
        if (rc != PLAN_OK) return rc;
        line(i, multi, several[k].name, throughput, now() - start);
    }
    return rc;
}

/* Takes ownership of pf. */
static plan_status_t study(instance_t *i, plan_platform_t *pf)
{
    const plan_steady_options_t options = {.size = sizeof options, .gap = 1e-6, .pack_trees = !i->brief};
    plan_status_t rc = plan_generate_several_ports(pf, &i->multi);
    i->one = pf;
    if (rc == PLAN_OK) rc = plan_platform_bound(pf, 0, slice, &options, &i->bound, NULL);
    if (rc == PLAN_OK) rc = compare(i, 0);
    if (rc == PLAN_OK && !i->brief) rc = compare(i, 1);
    plan_steady_destroy(&i->bound);
    plan_platform_destroy(&i->multi);
    plan_platform_destroy(&i->one);
    fflush(stdout);
    return rc;
}

/* Counts platforms; part `part` of `parts` takes every parts-th. */
typedef struct {
    long which, part, parts;
} turn_t;

static int mine(turn_t *t)
{
    return t->which++ % t->parts == t->part;
}

static plan_status_t random_ones(long instances, int brief, turn_t *turn)
{
    for (int ranks = 50; ranks >= 10; ranks -= 10) /* the long ones first: parts end together */
        for (int step = 1; step <= 5; step++)
            for (unsigned long seed = 1; seed <= (unsigned long)instances; seed++) {
                instance_t i = {
                    .family = "random", .ranks = ranks, .density = 0.04 * step, .seed = seed, .brief = brief};
                plan_platform_t *pf = NULL;
                if (!mine(turn)) continue;
                plan_status_t rc = plan_generate_random(i.ranks, i.density, seed, &pf);
                if (rc == PLAN_OK) rc = study(&i, pf);
                if (rc != PLAN_OK) return rc;
            }
    return PLAN_OK;
}

static plan_status_t tiers(long instances, int brief, turn_t *turn)
{
    for (int ranks = 65; ranks >= 30; ranks -= 35)
        for (unsigned long seed = 1; seed <= (unsigned long)instances; seed++) {
            instance_t i = {.family = "tiers", .ranks = ranks, .seed = seed, .brief = brief};
            plan_platform_t *pf = NULL;
            if (!mine(turn)) continue;
            plan_status_t rc = plan_generate_tiers(ranks, seed, &pf);
            if (rc == PLAN_OK) rc = study(&i, pf);
            if (rc != PLAN_OK) return rc;
        }
    return PLAN_OK;
}

/* The candidates of Table 3 for all readings, or all candidates for one reading. */
static plan_status_t by_readings(const char *only, long instances, turn_t *turn)
{
    static const int ranks[] = {30, 65};
    const tiers_reading_t *r;
    bool found = only == NULL;
    for (int which = 0; (r = tiers_reading(which)) != NULL; which++) {
        found |= only != NULL && strcmp(only, r->name) == 0;
        for (int size = 1; size >= 0 && (only == NULL || strcmp(only, r->name) == 0); size--)
            for (unsigned long seed = 1; seed <= (unsigned long)instances; seed++) {
                instance_t i = {.family = r->name, .ranks = ranks[size], .seed = seed, .brief = only == NULL};
                plan_platform_t *pf = NULL;
                if (!mine(turn)) continue;
                plan_status_t rc = tiers_generate(r, size, seed, &pf);
                if (rc == PLAN_OK) rc = study(&i, pf);
                if (rc != PLAN_OK) return rc;
            }
    }
    return found ? PLAN_OK : PLAN_EINVAL;
}

static int name_readings(void)
{
    const tiers_reading_t *r;
    for (int which = 0; (r = tiers_reading(which)) != NULL; which++) printf("%s\t%s\n", r->name, r->what);
    return 0;
}

int main(int argc, char **argv)
{
    const int brief = argc == 4 && strcmp(argv[1], "brief") == 0;
    const char *only = argc == 6 && strcmp(argv[1], "reading") == 0 ? argv[2] : NULL;
    if (argc == 2 && strcmp(argv[1], "readings") == 0) return name_readings();
    if (argc != 3 && argc != 5 && !brief && only == NULL) {
        fprintf(stderr, "usage: paper_001 INSTANCES TIERS [PART PARTS], or: paper_001 brief INSTANCES TIERS, "
                        "or: paper_001 reading NAME TIERS PART PARTS, or: paper_001 readings\n");
        return 2;
    }
    turn_t turn = {.part = argc > 4 ? atol(argv[argc - 2]) : 0, .parts = argc > 4 ? atol(argv[argc - 1]) : 1};
    const char *const *number = (const char *const *)argv + (only != NULL || brief ? 2 : 1);
    long instances = only == NULL ? atol(number[0]) : 0, platforms = atol(number[1]);
    if (turn.part < 0 || turn.parts <= turn.part || instances < 0 || platforms < 0) {
        fprintf(stderr, "paper_001: PART counts from 0 to PARTS - 1, and instances are not negative\n");
        return 2;
    }
    plan_status_t rc = only == NULL ? tiers(platforms, brief, &turn) : PLAN_OK;
    if (rc == PLAN_OK && !brief) rc = by_readings(only, platforms, &turn);
    if (rc == PLAN_OK) rc = random_ones(instances, brief, &turn);
    if (rc != PLAN_OK) fprintf(stderr, "paper_001: %s\n", plan_status_string(rc));
    return rc == PLAN_OK ? 0 : 1;
}
