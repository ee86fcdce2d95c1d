/* Every candidate of the planner, forced, with random slices and windows; and random trees. */
#include "endurance.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64, MOST_TREES = 5, MOST_RANGES = 3, MOST_KEPT = 8192 };

static const char *const anything = "random-trees";

/* ---- a synthetic platform ---- */

/* A platform with links of random costs between all ranks, on hosts of a few ranks each, or on one. It depends on the
 * number of ranks only. */
static plan_platform_t *platform_of(int ranks, bool one_host)
{
    static const double sizes[2] = {1, 1 << 24}, times[2] = {1e-6, 1e-2};
    rng_t r = rng_of((uint64_t)ranks, one_host, 0, 0);
    plan_link_t *link = calloc((size_t)(ranks * ranks), sizeof *link);
    int host[MOST_RANKS];
    plan_platform_t *pf = NULL;
    plan_platform_data_t data = {.size = sizeof data, .ranks = ranks, .link = link, .host = host};

    if (link == NULL) abort();
    for (int u = 0; u < ranks; u++) {
        host[u] = one_host ? 0 : u / 3;
        for (int v = 0; v < ranks; v++) {
            if (u == v) continue;
            double cost = 1e-9 * (double)(1 + rng_below(&r, 9));
            link[data.nlinks++] = (plan_link_t){.from = u,
                                                .to = v,
                                                .latency_s = 1e-6 * (double)(1 + rng_below(&r, 9)),
                                                .s_per_byte = cost,
                                                .channel = -1};
        }
    }
    if (one_host) data.nshared = 2, data.shared_bytes = sizes, data.shared_s = times;
    if (plan_platform_create(&data, &pf, NULL) != PLAN_OK) abort();
    free(link);
    return pf;
}

bool candidates_list(bool shared, names_t *names)
{
    const plan_choice_t all = {.size = sizeof all, .slice = 4096, .include_native = true, .model = "taulop"};
    *names = (names_t){.n = 1};
    snprintf(names->name[0], sizeof names->name[0], "%s", anything);
    for (int one_host = 0; one_host < 2; one_host++) {
        plan_platform_t *pf = platform_of(6, one_host);
        plan_ranking_t *ranking = NULL;
        if (plan_ranking_create(pf, 0, 1 << 20, &all, &ranking, NULL) != PLAN_OK) return false;
        for (size_t i = 0; i < ranking->ncandidates && names->n < MOST_NAMES; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            if (c->run == PLAN_RUN_NOT || (c->run == PLAN_RUN_SHARED && !shared) ||
                candidates_find(names, c->name) >= 0)
                continue;
            memcpy(names->name[names->n++], c->name, sizeof c->name);
        }
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
    return true;
}

int candidates_find(const names_t *names, const char *name)
{
    for (int i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0) return i;
    return -1;
}

/* ---- candidates ---- */

static plan_tree_t *random_tree(rng_t *r, int ranks, int root)
{
    int at[MOST_RANKS], parent[MOST_RANKS], order[MOST_RANKS];
    plan_tree_t *tree = NULL;
    for (int i = 0; i < ranks; i++) at[i] = i;
    at[0] = root, at[root] = 0;
    for (int i = ranks - 1; i > 1; i--) {
        int j = 1 + (int)rng_below(r, (size_t)i), swap = at[i];
        at[i] = at[j], at[j] = swap;
    }
    parent[root] = -1;
    for (int i = 1; i < ranks; i++) parent[at[i]] = at[rng_below(r, (size_t)i)];
    for (int i = 0; i < ranks; i++) order[i] = (int)rng_below(r, (size_t)ranks);
    if (plan_tree_create(ranks, parent, order, &tree) != PLAN_OK) abort();
    return tree;
}

static plan_candidate_t random_trees(rng_t *r, int ranks, int root)
{
    plan_candidate_t c = {.size = sizeof c, .window = 1, .ntrees = 1 + rng_below(r, MOST_TREES)};
    c.run = rng_below(r, 2) == 0 ? PLAN_RUN_TREES : PLAN_RUN_HOSTS;
    snprintf(c.name, sizeof c.name, "%s", anything);
    c.tree = calloc(c.ntrees, sizeof *c.tree);
    c.rate = calloc(c.ntrees, sizeof *c.rate);
    if (c.tree == NULL || c.rate == NULL) abort();
    for (size_t t = 0; t < c.ntrees; t++) {
        c.tree[t] = random_tree(r, ranks, root);
        c.rate[t] = (double)(1 + rng_below(r, 40));
    }
    return c;
}

static void free_trees(plan_candidate_t *c)
{
    for (size_t t = 0; t < c->ntrees; t++) plan_tree_destroy(&c->tree[t]);
    free(c->tree);
    free(c->rate);
}

/* A plan of one candidate by name; NULL: it is not executable on either platform. */
static plan_t *planned(const char *name, int ranks, int root)
{
    const plan_choice_t choice = {.size = sizeof choice, .slice = 8192, .only = name, .model = "taulop"};
    plan_ranking_t *ranking = NULL;
    plan_t *plan = NULL;
    for (int one_host = 0; one_host < 2 && plan == NULL; one_host++) {
        plan_platform_t *pf = platform_of(ranks, one_host);
        if (plan_ranking_create(pf, root, 1 << 20, &choice, &ranking, NULL) == PLAN_OK &&
            ranking->candidate[0].run != PLAN_RUN_NOT) {
            const plan_range_t all = {.up_to = 1 << 20, .chosen = &ranking->candidate[0]};
            if (plan_from_ranges(ranks, root, 1, &all, NULL, &plan) != PLAN_OK) abort();
        }
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
    return plan;
}

/* Cache of plans, since planning takes longer than broadcasts. */
static struct {
    struct {
        int name, ranks, root;
        plan_t *plan; /* NULL: there is none */
    } at[MOST_KEPT];
    int n;
} kept;

static const plan_candidate_t *look_up(const names_t *names, int name, int ranks, int root)
{
    int i = 0;
    while (i < kept.n && (kept.at[i].name != name || kept.at[i].ranks != ranks || kept.at[i].root != root)) i++;
    if (i == MOST_KEPT) return NULL;
    if (i == kept.n) {
        kept.at[i].name = name, kept.at[i].ranks = ranks, kept.at[i].root = root;
        kept.at[i].plan = planned(names->name[name], ranks, root);
        kept.n++;
    }
    return kept.at[i].plan != NULL ? plan_chosen(kept.at[i].plan, 1) : NULL;
}

void candidates_forget(void)
{
    for (int i = 0; i < kept.n; i++) plan_destroy(&kept.at[i].plan);
    kept.n = 0;
}

/* One candidate with random slice and window; messages of `most` bytes have about a thousand slices at most. */
static plan_candidate_t draw(const names_t *names, int name, int ranks, int root, size_t most, rng_t *r, bool *owned)
{
    static const size_t usual[] = {64, 1000, 1024, 4096, 8192, 65536, 131072, 262144};
    const plan_candidate_t *known = NULL;
    plan_candidate_t c = {.size = sizeof c, .run = PLAN_RUN_NATIVE, .window = 1};

    if (strcmp(names->name[name], "native") == 0)
        memcpy(c.name, names->name[name], sizeof c.name);
    else if (name != 0)
        known = look_up(names, name, ranks, root);
    if (known != NULL) c = *known; /* borrows its trees */
    *owned = known == NULL && c.name[0] == '\0';
    if (*owned) c = random_trees(r, ranks, root);
    c.window = 1 + (int)rng_below(r, rng_one_in(r, 3) ? 40 : 4);
    c.slice = rng_one_in(r, 6)   ? 0
              : rng_one_in(r, 2) ? usual[rng_below(r, sizeof usual / sizeof *usual)]
                                 : 1 + rng_below(r, rng_one_in(r, 2) ? 100 : 20000);
    const size_t least = most / 1000; /* more slices would take too long */
    if (c.slice > 0 && c.slice < least) c.slice = least + rng_below(r, 100);
    return c;
}

plan_t *candidates_plan(const names_t *names, int first, int ranks, int root, size_t most, rng_t *r)
{
    plan_candidate_t c[MOST_RANGES];
    plan_range_t range[MOST_RANGES];
    size_t n = rng_one_in(r, 2) ? 1 : 1 + rng_below(r, MOST_RANGES), up_to = 0;
    plan_t *plan = NULL;
    bool owned[MOST_RANGES];

    for (size_t i = 0; i < n; i++) {
        up_to += 1 + rng_below(r, i == 0 ? 5000 : 60000);
        if (i + 1 == n) up_to = most > up_to ? most : up_to;
        const int name = i == 0 ? first : (int)rng_below(r, (size_t)names->n);
        c[i] = draw(names, name, ranks, root, up_to, r, &owned[i]);
        range[i] = (plan_range_t){.up_to = up_to, .chosen = &c[i]};
    }
    if (plan_from_ranges(ranks, root, n, range, NULL, &plan) != PLAN_OK) plan = NULL;
    for (size_t i = 0; i < n; i++)
        if (owned[i]) free_trees(&c[i]);
    return plan;
}
