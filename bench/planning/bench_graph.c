/* Questions on the graph of a platform, by own code and by igraph: reachability, shortest paths, minimum-cost
 * arborescences. Prints Markdown. */
#include <igraph/igraph.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/lp/platforms.h"
#include "graphs/platform/paths.h"
#include "graphs/platform/reach.h"
#include "lp/lp.h"

enum { BATCHES = 5, MOST = 512 };
static const double LEAST_S = 2e-3; /* of a batch */

/* One platform, as each of the questions wants it. */
typedef struct {
    const char *kind;
    plan_platform_t *pf;
    const plan_platform_data_t *d;
    plani_paths_t *paths;
    plani_lp_t *lp;
    plani_arb_t *arb;
    size_t *via;    /* [ranks] */
    double *dist;   /* [ranks] */
    bool *finished; /* [ranks] */
    igraph_t graph; /* links of d; those of lp are d's without the links into the root */
    igraph_vector_t weight;
    igraph_vector_int_t found;
    double value; /* of the last arborescence */
    bool failed;
} asked_t;

/* [us] of the processor, the least of BATCHES means. */
static double least_us(void (*run)(asked_t *), asked_t *a)
{
    double least = INFINITY;
    for (int i = 0; i < BATCHES; i++) {
        clock_t start = clock(), end;
        int n = 0;
        do {
            run(a);
            n++;
            end = clock();
        } while ((double)(end - start) < LEAST_S * CLOCKS_PER_SEC);
        least = fmin(least, 1e6 * (double)(end - start) / CLOCKS_PER_SEC / n);
    }
    return least;
}

/* igraph ends the program if memory runs out: nothing else can go wrong here. */
static void make_graph(asked_t *a)
{
    igraph_vector_int_t ends;
    igraph_vector_int_init(&ends, 2 * (igraph_integer_t)a->d->nlinks);
    for (size_t l = 0; l < a->d->nlinks; l++) {
        VECTOR(ends)[2 * l] = a->d->link[l].from;
        VECTOR(ends)[2 * l + 1] = a->d->link[l].to;
    }
    igraph_create(&a->graph, &ends, a->d->ranks, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&ends);
}

static void remake_graph(asked_t *a)
{
    igraph_destroy(&a->graph);
    make_graph(a);
}

/* ---- which ranks the root reaches ---- */

static void reach_own(asked_t *a)
{
    a->failed |= plani_platform_reaches_all(a->pf, 0, NULL) != PLAN_OK;
}

static void reach_igraph(asked_t *a)
{
    igraph_subcomponent(&a->graph, &a->found, 0, IGRAPH_OUT);
    a->failed |= igraph_vector_int_size(&a->found) != a->d->ranks;
}

/* ---- shortest paths from one rank ---- */

/* Dijkstra 1959, without a heap. */
static void paths_own(asked_t *a)
{
    const plan_platform_data_t *d = a->d;
    for (int v = 0; v < d->ranks; v++) a->dist[v] = v == 0 ? 0 : INFINITY, a->finished[v] = false;
    for (;;) {
        int u = -1;
        for (int v = 0; v < d->ranks; v++)
            if (!a->finished[v] && isfinite(a->dist[v]) && (u < 0 || a->dist[v] < a->dist[u])) u = v;
        if (u < 0) return;
        a->finished[u] = true;
        for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) {
            double there = a->dist[u] + VECTOR(a->weight)[l];
            if (there < a->dist[d->link[l].to]) a->dist[d->link[l].to] = there, a->via[d->link[l].to] = l;
        }
    }
}

static void paths_igraph(asked_t *a)
{
    a->failed |= plani_paths_from(a->paths, 0, a->via) != PLAN_OK;
}

/* ---- minimum-cost arborescences ---- */

static void tree_own(asked_t *a)
{
    a->value = plani_arb_solve(a->arb, a->lp, NULL, a->lp->m, a->lp->cost, a->via);
}

static void tree_igraph(asked_t *a)
{
    igraph_minimum_spanning_tree(&a->graph, &a->found, &a->weight);
}

/* The cost of igraph's tree, its links directed away from the root; INFINITY if the platform lacks one of these. */
static double directed_cost(asked_t *a)
{
    const plan_platform_data_t *d = a->d;
    double sum = 0;
    for (int v = 0; v < d->ranks; v++) a->finished[v] = v == 0;
    for (int joined = 1; joined < d->ranks; joined++)
        for (igraph_integer_t i = 0; i < igraph_vector_int_size(&a->found); i++) {
            const plan_link_t *l = &d->link[VECTOR(a->found)[i]];
            int u = a->finished[l->from] ? l->from : l->to, v = u == l->from ? l->to : l->from;
            if (!a->finished[u] || a->finished[v]) continue;
            size_t k = d->out_first[u];
            while (k < d->out_first[u + 1] && d->link[k].to != v) k++;
            sum += k < d->out_first[u + 1] ? VECTOR(a->weight)[k] : INFINITY;
            a->finished[v] = true;
            break;
        }
    return sum / a->lp->unit_s;
}

/* ---- all of them, on one platform ---- */

static plan_status_t prepare(const bench_platform_t *b, asked_t *a)
{
    plan_status_t rc = PLAN_OK;
    size_t n = (size_t)b->p.ranks;
    plan_link_t *link = calloc(b->p.nlinks, sizeof *link);
    for (size_t l = 0; link != NULL && l < b->p.nlinks; l++)
        link[l] = (plan_link_t){b->from[l], b->to[l], 0, b->cost[l], 0, -1};
    plan_platform_data_t d = {.size = sizeof d, .ranks = b->p.ranks, .nlinks = b->p.nlinks, .link = link};
    a->via = calloc(n, sizeof *a->via);
    a->dist = calloc(n, sizeof *a->dist);
    a->finished = calloc(n, sizeof *a->finished);
    if (!link || !a->via || !a->dist || !a->finished) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = plan_platform_create(&d, &a->pf, NULL);
    if (rc == PLAN_OK) rc = plani_paths_create(a->pf, 1, &a->paths);
    if (rc == PLAN_OK) rc = plani_lp_create(&b->p, &a->lp, NULL);
    if (rc == PLAN_OK) rc = plani_arb_create(b->p.ranks, b->p.nlinks, &a->arb);
    free(link);
    if (rc != PLAN_OK) return rc;
    a->d = plan_platform_data(a->pf);
    igraph_vector_init(&a->weight, (igraph_integer_t)a->d->nlinks);
    for (size_t l = 0; l < a->d->nlinks; l++) VECTOR(a->weight)[l] = plan_link_cost(&a->d->link[l], 1);
    igraph_vector_int_init(&a->found, 0);
    make_graph(a);
    return PLAN_OK;
}

static void clear(asked_t *a)
{
    if (a->d != NULL) {
        igraph_destroy(&a->graph);
        igraph_vector_destroy(&a->weight);
        igraph_vector_int_destroy(&a->found);
    }
    plani_arb_destroy(&a->arb);
    plani_lp_destroy(&a->lp);
    plani_paths_destroy(&a->paths);
    plan_platform_destroy(&a->pf);
    free(a->via);
    free(a->dist);
    free(a->finished);
}

static void row(const char *question, const asked_t *a, double own, double by_igraph, double graph)
{
    printf("| %s | %s | %d | %zu | %.1f | %.1f | %.1f | %.1f | %.1f |", question, a->kind, a->d->ranks, a->d->nlinks,
           own, by_igraph, graph, by_igraph / own, (by_igraph + graph) / own);
}

static plan_status_t rows(const char *kind, int ranks)
{
    bench_platform_t b = {0};
    asked_t a = {.kind = kind};
    int made = bench_platform(kind, ranks, fmin(1, 8.0 / ranks), 1, &b);
    plan_status_t rc = made == 0 ? prepare(&b, &a) : PLAN_ENOMEM;
    if (rc == PLAN_OK) {
        double graph = least_us(remake_graph, &a);
        row("reach", &a, least_us(reach_own, &a), least_us(reach_igraph, &a), graph);
        puts(" |");
        row("paths", &a, least_us(paths_own, &a), least_us(paths_igraph, &a), graph);
        puts(" |");
        row("arborescence", &a, least_us(tree_own, &a), least_us(tree_igraph, &a), graph);
        printf(" %.2f |\n", directed_cost(&a) / a.value);
        fflush(stdout);
        if (a.failed) rc = PLAN_EUNREACHABLE;
    }
    clear(&a);
    bench_platform_free(&b);
    return rc;
}

int main(void)
{
    static const char *const kinds[] = {"complete", "hierarchical", "random"};
    plan_status_t rc = PLAN_OK;

    printf(
        "Microseconds of the processor, the least of %d. Random platforms have 8 links out of each rank on average.\n"
        "*Paths* are those from one rank; own: Dijkstra's algorithm without a heap, of this benchmark only.\n"
        "*Arborescence*: igraph 0.10 has none for directed graphs. This is its undirected minimum spanning tree,\n"
        "directed away from the root afterwards; *cost* is relative to the minimum arborescence's (inf: the\n"
        "platform lacks one of the links).\n\n",
        BATCHES);
    printf("| question | platform | ranks | links | own | igraph | making its graph | igraph / own | with its graph | "
           "cost |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int ranks = 16; ranks <= MOST && rc == PLAN_OK; ranks *= 2) rc = rows(kinds[k], ranks);
    if (rc != PLAN_OK) fprintf(stderr, "bench_graph: %s\n", plan_status_string(rc));
    return rc != PLAN_OK;
}
