/*
 * Candidates for Graphviz that have no trees, or too many ranks to draw each: nodes are ranks, or all ranks of a site,
 * or, on one site, of a host; an edge stands for all links from one to the other that are used.
 */
#include "planner/plan/export_dot.h"
#include <stdlib.h>
#include "graphs/trees/rounds.h"

enum { MOST_ROUNDS = 256 }; /* of a schedule: later ones repeat its links */

/* A link that is used, between nodes; of a reduction, messages go from `to` to `from`. */
typedef struct {
    int from, to;
    bool busiest;
} sent_t;

typedef struct {
    const plani_export_t *x;
    const int *node; /* [ranks] NULL: ranks are nodes */
    bool sites;      /* nodes are sites; else hosts */
    size_t n, room;
    sent_t *sent; /* [n] */
    bool failed;
} groups_t;

static void choose_nodes(groups_t *g)
{
    const plani_export_t *x = g->x;
    if (x->plan->ranks <= PLANI_DOT_RANKS) return;
    g->sites = x->d != NULL && x->d->sites > 1;
    g->node = g->sites ? x->site : x->host;
}

static int node_of(const groups_t *g, int rank)
{
    return g->node != NULL ? g->node[rank] : rank;
}

static void add(groups_t *g, int u, int v)
{
    if (node_of(g, u) == node_of(g, v)) return;
    if (g->n == g->room) {
        size_t room = g->room > 0 ? 2 * g->room : 256;
        sent_t *more = realloc(g->sent, room * sizeof *more);
        if (more == NULL) {
            g->failed = true;
            return;
        }
        g->sent = more, g->room = room;
    }
    g->sent[g->n++] = (sent_t){node_of(g, u), node_of(g, v), plani_dot_is_busiest(g->x, u, v)};
}

static void add_trees(groups_t *g)
{
    for (size_t t = 0; t < g->x->c.ntrees; t++) {
        const int *parent = plan_tree_data(g->x->c.tree[t])->parent;
        for (int v = 0; v < g->x->plan->ranks; v++)
            if (parent[v] >= 0) add(g, parent[v], v);
    }
}

/* Each link of a schedule once for every round that uses it. */
static void add_rounds(groups_t *g)
{
    const plan_candidate_t *c = &g->x->c;
    for (int place = 0; place < c->places; place++) {
        plani_schedule_t s;
        if (g->x->bytes == 0 || plani_schedule_init(c->schedule, c->places, place, &s) != PLAN_OK) return;
        size_t blocks = plani_schedule_blocks(c->schedule, c->places, g->x->bytes, c->slice);
        size_t rounds = plani_schedule_rounds(&s, blocks);
        for (size_t i = 0; i < rounds && i < MOST_ROUNDS; i++) {
            plani_schedule_round_t round = plani_schedule_round(&s, blocks, i);
            if (round.out.count > 0) add(g, c->order[place], c->order[round.out.place]);
        }
    }
}

static int by_ends(const void *a, const void *b)
{
    const sent_t *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void put_edges(groups_t *g, plani_text_t *to)
{
    bool trees = plani_has_trees(&g->x->c);

    if (g->n > 0) qsort(g->sent, g->n, sizeof *g->sent, by_ends);
    for (size_t i = 0, next; i < g->n; i = next) {
        bool busiest = false;
        for (next = i; next < g->n && by_ends(&g->sent[i], &g->sent[next]) == 0; next++)
            busiest = busiest || g->sent[next].busiest;
        plani_text_add(to, "  %d -> %d [%scolor=\"%s\"", g->sent[i].from, g->sent[i].to,
                       g->x->plan->reduces ? "dir=back, " : "", busiest ? RED : "#1f5fa8");
        if (busiest) plani_text_add(to, ", fontcolor=\"" RED "\", penwidth=3, arrowsize=1");
        if (trees && next - i > 1) plani_text_add(to, ", label=\" %zu links\"", next - i);
        plani_text_add(to, "];\n");
    }
}

static void put_colour(bool root, plani_text_t *to)
{
    if (root) plani_text_add(to, ", fillcolor=\"#22303f\", fontcolor=white");
    plani_text_add(to, "];\n");
}

static void put_rank(const groups_t *g, int r, plani_text_t *to)
{
    const plani_export_t *x = g->x;
    const char *const *names = x->d != NULL ? x->d->host_name : NULL;
    bool named = names != NULL && names[x->host[r]][0] != '\0';

    plani_text_add(to, "  %d [label=", r);
    if (named)
        plani_text_add_quoted(to, names[x->host[r]]);
    else
        plani_text_add(to, "\"rank %d\"", r);
    if (named) plani_text_add(to, ", xlabel=\"rank %d\"", r);
    put_colour(r == x->plan->root, to);
}

/* A rank and its node. */
typedef struct {
    int node, rank;
} member_t;

static int by_node(const void *a, const void *b)
{
    const member_t *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void put_group(const groups_t *g, int node, size_t ranks, plani_text_t *to)
{
    const plani_export_t *x = g->x;
    const char *const *names = x->d == NULL ? NULL : g->sites ? x->d->site_name : x->d->host_name;

    plani_text_add(to, "  %d [", node);
    plani_dot_place(to, g->sites ? "site" : "host", names, node);
    plani_text_add(to, ", xlabel=\"%zu rank%s\"", ranks, ranks == 1 ? "" : "s");
    put_colour(node == g->node[x->plan->root], to);
}

/* All nodes; from the shared memory an edge to each but the root's. */
static void put_nodes(groups_t *g, plani_text_t *to)
{
    size_t ranks = (size_t)g->x->plan->ranks;
    member_t *m = malloc(ranks * sizeof *m);
    int root = node_of(g, g->x->plan->root);

    g->failed = g->failed || m == NULL;
    for (size_t r = 0; r < ranks && m != NULL; r++) m[r] = (member_t){node_of(g, (int)r), (int)r};
    if (m != NULL) qsort(m, ranks, sizeof *m, by_node);
    for (size_t i = 0, next; i < ranks && m != NULL; i = next) {
        for (next = i; next < ranks && m[next].node == m[i].node;) next++;
        if (g->node != NULL)
            put_group(g, m[i].node, next - i, to);
        else
            put_rank(g, m[i].rank, to);
        if (g->x->c.run == PLAN_RUN_SHARED && m[i].node != root) plani_text_add(to, "  memory -> %d;\n", m[i].node);
    }
    free(m);
}

static void put_memory(const groups_t *g, plani_text_t *to)
{
    plani_text_add(to,
                   "  memory [label=\"memory that all ranks share\", shape=cylinder, fillcolor=\"#eef4fb\"];\n"
                   "  %d -> memory [label=\" writes\"];\n",
                   node_of(g, g->x->plan->root));
}

void plani_export_dot_groups(const plani_export_t *x, plani_text_t *to)
{
    groups_t g = {.x = x};

    choose_nodes(&g);
    plani_text_add(
        to,
        "digraph plan {\n"
        "  graph [fontname=\"Helvetica\", fontsize=11, labelloc=t, nodesep=0.3, ranksep=0.6, pad=0.2,\n"
        "         bgcolor=white, fontcolor=\"#22303f\"%s, forcelabels=true];\n"
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#4a5a6a\", height=0.3,\n"
        "        fontname=\"Helvetica\", fontsize=11];\n"
        "  edge [fontname=\"Helvetica\", fontsize=8, color=\"#4a5a6a\", fontcolor=\"#4a5a6a\", "
        "arrowsize=0.6];\n",
        x->c.run == PLAN_RUN_ROUNDS ? ", layout=circo" : "");
    plani_dot_title(x, to);
    if (x->c.run == PLAN_RUN_SHARED) put_memory(&g, to);
    put_nodes(&g, to);
    if (x->c.run == PLAN_RUN_ROUNDS) add_rounds(&g);
    if (plani_has_trees(&x->c)) add_trees(&g);
    put_edges(&g, to);
    to->failed = to->failed || g.failed;
    free(g.sent);
    plani_text_add(to, "}\n");
}
