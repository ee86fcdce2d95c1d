#include "world.h"
#include <math.h>
#include "planner/taulop/score.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIB = 1024 };
#define IN_SEGMENTS(name, kind)                                                                                        \
    {name, kind, 0}, {name, kind, KIB},                                                                                \
    {                                                                                                                  \
        name, kind, 8 * KIB                                                                                            \
    }
const method_t methods[METHODS] = {IN_SEGMENTS("linear", PLAN_LINEAR), IN_SEGMENTS("binomial", PLAN_BINOMIAL),
                                   IN_SEGMENTS("binary", PLAN_BINARY), IN_SEGMENTS("split_binary", PLAN_SPLIT_BINARY),
                                   IN_SEGMENTS("pipeline", PLAN_PIPELINE)};

const char *model_name(int model)
{
    switch (model) {
    case TAULOP:
        return "taulop";
    case SIMULATION:
        return "simulation";
    default:
        return lit_model_name((lit_model_t)model);
    }
}

/* --- reading --------------------------------------------------------------------------------------------------------
 */

static plan_status_t from_profile(world_t *w, plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(w->machine);
    for (size_t c = 0; c < d->nchannels; c++)
        if (d->channel[c].network && d->channel[c].nsizes > 0)
            return lit_network_from_channel(&d->channel[c], &w->network);
    snprintf(err->text, sizeof err->text, "the profile has no network class with a ladder");
    return PLAN_EINVAL;
}

plan_status_t world_open(const char *path, world_t *w, plan_error_t *err)
{
    static char text[1 << 16];
    size_t length = 0;
    FILE *file;

    *w = (world_t){.machine = NULL};
    if (plan_platform_load(path, &w->machine, err) == PLAN_OK) return from_profile(w, err);
    if ((file = fopen(path, "r")) != NULL) {
        length = fread(text, 1, sizeof text, file);
        fclose(file);
    }
    return lit_network_parse(text, length, path, &w->network, err);
}

void world_close(world_t *w)
{
    lit_network_destroy(&w->network);
    plan_platform_destroy(&w->machine);
    for (int p = 0; p <= MOST_RANKS; p++) {
        plani_simulation_destroy(&w->simulation[p]);
        plan_platform_destroy(&w->first[p]);
    }
}

/* --- the machine's first ranks -------------------------------------------------------------------------------------
 */

typedef struct {
    plan_link_t *link;
    size_t *number; /* new index of each link of the machine; nlinks: removed */
    plan_resource_t *resource;
    size_t *uses; /* links of all resources, concatenated */
} kept_t;

static bool kept_create(const plan_platform_data_t *d, kept_t *k)
{
    *k = (kept_t){.link = malloc((d->nlinks + 1) * sizeof *k->link),
                  .number = malloc((d->nlinks + 1) * sizeof *k->number),
                  .resource = malloc((d->nresources + 1) * sizeof *k->resource),
                  .uses = malloc((d->use_first[d->nlinks] + 1) * sizeof *k->uses)};
    return k->link != NULL && k->number != NULL && k->resource != NULL && k->uses != NULL;
}

static void kept_free(kept_t *k)
{
    free(k->link);
    free(k->number);
    free(k->resource);
    free(k->uses);
}

static plan_status_t first_ranks(const plan_platform_t *machine, int ranks, plan_platform_t **out)
{
    const plan_platform_data_t *d = plan_platform_data(machine);
    plan_platform_data_t part = *d;
    size_t used = 0;
    kept_t k;

    if (!kept_create(d, &k)) {
        kept_free(&k);
        return PLAN_ENOMEM;
    }
    part.ranks = ranks;
    part.nlinks = part.nresources = 0;
    for (size_t i = 0; i < d->nlinks; i++) {
        bool stays = d->link[i].from < ranks && d->link[i].to < ranks;
        k.number[i] = stays ? part.nlinks : d->nlinks;
        if (stays) k.link[part.nlinks++] = d->link[i];
    }
    for (size_t r = 0; r < d->nresources; r++) {
        plan_resource_t *mine = &k.resource[part.nresources];
        *mine = d->resource[r];
        mine->link = k.uses + used;
        mine->nlinks = 0;
        for (size_t i = 0; i < d->resource[r].nlinks; i++)
            if (k.number[d->resource[r].link[i]] < d->nlinks)
                k.uses[used + mine->nlinks++] = k.number[d->resource[r].link[i]];
        used += mine->nlinks;
        part.nresources += mine->nlinks > 0;
    }
    part.link = k.link;
    part.resource = k.resource;
    plan_status_t rc = plan_platform_create(&part, out, NULL);
    kept_free(&k);
    return rc;
}

/* --- predictions ----------------------------------------------------------------------------------------------------
 */

/* Whether the profile has so many ranks; makes their platform and simulation. */
static bool ready(world_t *w, int ranks)
{
    if (w->machine == NULL || ranks > MOST_RANKS || ranks > plan_platform_data(w->machine)->ranks) return false;
    if (w->first[ranks] == NULL && first_ranks(w->machine, ranks, &w->first[ranks]) != PLAN_OK) return false;
    return w->simulation[ranks] != NULL ||
           plani_simulation_create(w->first[ranks], NULL, &w->simulation[ranks]) == PLAN_OK;
}

/* One message down a tree. INFINITY: it cannot be predicted. */
static double down(world_t *w, int model, int ranks, plan_tree_t *tree, size_t bytes, size_t segment)
{
    const plani_pipeline_t how = {.bytes = bytes, .slice = segment};
    double seconds = INFINITY;
    if (model == SIMULATION)
        plani_simulate_trees(w->simulation[ranks], 1, &tree, NULL, how, NULL, &seconds);
    else
        plani_score_taulop(w->first[ranks], tree, bytes, segment, 0, &seconds);
    return seconds;
}

/* By the profile's links and resources: tau-Lop and the simulation. */
static double by_platform(world_t *w, int model, int ranks, const method_t *method, size_t bytes)
{
    size_t half = bytes - bytes / 2, segment = method->segment;
    double seconds = INFINITY;
    plan_tree_t *tree = NULL;

    if (!ready(w, ranks) || plan_tree_topology(method->kind, ranks, 0, 0, &tree) != PLAN_OK) return INFINITY;
    if (method->kind != PLAN_SPLIT_BINARY) {
        seconds = down(w, model, ranks, tree, bytes, segment);
    } else if (plani_score_split_binary(w->first[ranks], 0, bytes, segment, 0, &seconds) == PLAN_OK &&
               model == SIMULATION) {
        double staged = down(w, TAULOP, ranks, tree, half, segment);
        double simulated = down(w, SIMULATION, ranks, tree, half, segment);
        seconds += simulated - staged; /* the exchange of halves stays */
        if (!isfinite(staged) || !isfinite(simulated)) seconds = INFINITY;
    }
    plan_tree_destroy(&tree);
    return seconds;
}

double world_predict(world_t *w, int model, int ranks, const method_t *method, size_t bytes)
{
    size_t segment = method->segment;
    double seconds = INFINITY;

    if (segment >= bytes) return INFINITY;
    if (model == TAULOP || model == SIMULATION) return by_platform(w, model, ranks, method, bytes);
    if (method->kind == PLAN_SPLIT_BINARY && segment == 0 && !w->printed) segment = (bytes + 1) / 2;
    lit_predict_collective(lit_network(w->network), (lit_model_t)model, LIT_BROADCAST, method->name, ranks, bytes,
                           segment, &seconds);
    return seconds;
}
