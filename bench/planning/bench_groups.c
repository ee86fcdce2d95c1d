/* Sites out of measured flows, by the clustering of lib/mpi/measure/infer and by igraph: components of the graph of
 * pairs that lose little, and communities. Prints Markdown: of how many made-up clusters each finds the sites. */
#include <igraph/igraph.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "lib/base/splitmix.h"
#include "lib/mpi/measure/infer/infer.h"

enum { MOST = 32, CLUSTERS = 500, METHODS = 4 };
static const double APART = 0.12; /* as in infer.c */
static const char *const names[METHODS] = {"average linkage (own)", "components", "fast greedy communities",
                                           "walktrap communities"};

/* Hosts with equal cards in sites behind trunks, and what flows between them got. */
typedef struct {
    int hosts, sites, site[MOST];
    double trunk[MOST]; /* of each site, in and out, as multiples of a card */
    double rate[MOST * MOST], latency[MOST * MOST], out[MOST], in[MOST], dist[MOST * MOST];
} cluster_t;

/* All rounds of pairs, both directions at once; flows across a trunk share it equally. Rates err by some per cent, and
 * a part `disturbed` of the flows lost up to 60% to something else. */
static void meet(cluster_t *c, double disturbed, uint64_t *seed)
{
    int n = c->hosts;
    for (int round = 0; round < plani_rounds(n); round++) {
        int crossing[MOST] = {0};
        for (int u = 0; u < n; u++) {
            int v = plani_partner(n, round, u);
            crossing[c->site[u]] += v >= 0 && c->site[v] != c->site[u];
        }
        for (int u = 0; u < n; u++) {
            int v = plani_partner(n, round, u), a = c->site[u];
            if (v < 0) continue;
            int b = c->site[v];
            double rate = a == b ? 1 : fmin(1, fmin(c->trunk[a] / crossing[a], c->trunk[b] / crossing[b]));
            rate *= 1 - 0.06 * plani_random_unit(seed);
            if (plani_random_unit(seed) < disturbed) rate *= 1 - 0.6 * plani_random_unit(seed);
            c->rate[u * n + v] = 1e8 * rate;
        }
    }
}

/* What flows between two hosts miss of what their cards allow, on average of both directions, as infer.c has it. */
static void find_distances(cluster_t *c)
{
    int n = c->hosts;
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            double there = 1 - c->rate[u * n + v] / fmin(c->out[u], c->in[v]);
            double back = 1 - c->rate[v * n + u] / fmin(c->out[v], c->in[u]);
            c->dist[u * n + v] = u == v ? 0 : 0.5 * (fmax(0, there) + fmax(0, back));
        }
}

static void make(cluster_t *c, int sites, double disturbed, uint64_t *seed)
{
    *c = (cluster_t){.hosts = 4 + (int)plani_random_below(seed, MOST - 3), .sites = sites};
    if (c->hosts < 2 * sites) c->hosts = 2 * sites;
    int n = c->hosts, first[MOST];
    for (int s = 0; s < c->sites; s++) first[s] = -1;
    for (int h = 0, labels = 0; h < n; h++) { /* numbered by the lowest host */
        int s = h < 2 * c->sites ? h % c->sites : (int)plani_random_below(seed, (uint32_t)c->sites);
        if (first[s] < 0) first[s] = labels++;
        c->site[h] = first[s];
    }
    for (int s = 0; s < c->sites; s++) {
        int hosts = 0;
        for (int h = 0; h < n; h++) hosts += c->site[h] == s;
        c->trunk[s] = hosts * (0.1 + 0.5 * plani_random_unit(seed));
    }
    for (int i = 0; i < n * n; i++) c->latency[i] = 1e-4;
    meet(c, disturbed, seed);
    const plani_meetings_t m = {n, c->rate, c->rate, c->latency, 0};
    plani_card_rates(&m, c->out, c->in);
    find_distances(c);
}

static void by_igraph(const cluster_t *c, int method, int *site)
{
    int n = c->hosts;
    igraph_t graph;
    igraph_vector_t weight, modularity;
    igraph_vector_int_t ends, found;
    igraph_matrix_int_t merges;
    igraph_vector_init(&weight, 0);
    igraph_vector_init(&modularity, 0);
    igraph_vector_int_init(&ends, 0);
    igraph_vector_int_init(&found, 0);
    igraph_matrix_int_init(&merges, 0, 0);
    for (int u = 0; u < n; u++)
        for (int v = u + 1; v < n; v++) {
            double d = c->dist[u * n + v];
            if (d > APART) continue;
            igraph_vector_int_push_back(&ends, u);
            igraph_vector_int_push_back(&ends, v);
            igraph_vector_push_back(&weight, 1 - d);
        }
    igraph_create(&graph, &ends, n, IGRAPH_UNDIRECTED);
    if (method == 1) igraph_connected_components(&graph, &found, NULL, NULL, IGRAPH_WEAK);
    if (method == 2) igraph_community_fastgreedy(&graph, &weight, &merges, &modularity, &found);
    if (method == 3) igraph_community_walktrap(&graph, &weight, 4, &merges, &modularity, &found);
    for (int h = 0; h < n; h++) site[h] = (int)VECTOR(found)[h];
    igraph_destroy(&graph);
    igraph_vector_destroy(&weight);
    igraph_vector_destroy(&modularity);
    igraph_vector_int_destroy(&ends);
    igraph_vector_int_destroy(&found);
    igraph_matrix_int_destroy(&merges);
}

static void by_own(const cluster_t *c, int *site)
{
    double scratch[MOST * MOST];
    int iscratch[2 * MOST];
    const plani_meetings_t m = {c->hosts, c->rate, c->rate, c->latency, 0};
    plani_sites(&m, c->out, c->in, scratch, iscratch, site);
}

/* joined: hosts of two sites are in one group; parted: those of one in two. */
static void compare(const cluster_t *c, const int *site, bool *joined, bool *parted)
{
    *joined = *parted = false;
    for (int u = 0; u < c->hosts; u++)
        for (int v = 0; v < u; v++) {
            bool one = c->site[u] == c->site[v], found = site[u] == site[v];
            *joined = *joined || (found && !one);
            *parted = *parted || (one && !found);
        }
}

static void rows(int sites, double disturbed)
{
    int right[METHODS] = {0}, joined[METHODS] = {0}, parted[METHODS] = {0};
    clock_t time[METHODS] = {0};
    uint64_t seed = 1;
    for (int i = 0; i < CLUSTERS; i++) {
        cluster_t c;
        make(&c, sites, disturbed, &seed);
        for (int m = 0; m < METHODS; m++) {
            int site[MOST];
            bool j, p;
            clock_t start = clock();
            if (m == 0)
                by_own(&c, site);
            else
                by_igraph(&c, m, site);
            time[m] += clock() - start;
            compare(&c, site, &j, &p);
            right[m] += !j && !p, joined[m] += j, parted[m] += p;
        }
    }
    for (int m = 0; m < METHODS; m++)
        printf("| %d | %.0f%% | %s | %.1f%% | %.1f%% | %.1f%% | %.0f |\n", sites, 100 * disturbed, names[m],
               100.0 * right[m] / CLUSTERS, 100.0 * joined[m] / CLUSTERS, 100.0 * parted[m] / CLUSTERS,
               1e6 * (double)time[m] / CLOCKS_PER_SEC / CLUSTERS);
}

int main(void)
{
    printf("%d made-up clusters of up to %d hosts for each line: equal cards, and trunks of 0.1 to 0.6 of them.\n"
           "Rates err by up to 6%%; flows that something disturbs lose up to 60%%. A site that was parted is merged\n"
           "again when flows between its parts are timed alone; two sites that were joined stay so. igraph gets the\n"
           "pairs that lose at most %.0f%%, weighted by what they keep.\n\n",
           CLUSTERS, MOST, 100 * APART);
    printf("| sites | flows disturbed | method | sites right | two sites joined | a site parted | us |\n"
           "| ---: | ---: | --- | ---: | ---: | ---: | ---: |\n");
    for (int sites = 1; sites <= 4; sites++)
        for (int percent = 0; percent <= 10; percent += 5) rows(sites, percent / 100.0);
    return 0;
}
