/*
 * Trees for Graphviz: a box per site and per host of several ranks; an edge per link that is used, in the colours of
 * the trees that use it, thicker the longer it is busy. The bottleneck is red. Trees that are higher than wide go from
 * left to right. The root is at the top or left; of a reduction, arrows lead there. Beyond 64 ranks, and for rounds and
 * shared memory, export_dot_groups.c draws.
 */
#include "planner/plan/export_dot.h"
#include "planner/plan/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COLOURS 8
static const char *const colour[COLOURS] = {"#1f5fa8", "#d1600f", "#2a8a4a", "#a3367f",
                                            "#8a6d00", "#5a4fb0", "#6b4a3a", "#177e89"};

/* Escape markup and control characters of HTML-like labels. */
void plani_dot_escaped(plani_text_t *to, const char *s)
{
    for (; *s != '\0'; s++) {
        if (*s == '&' || *s == '<' || *s == '>')
            plani_text_add(to, *s == '&' ? "&amp;" : *s == '<' ? "&lt;" : "&gt;");
        else
            plani_text_add(to, "%c", (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s);
    }
}

/* The resource that is the bottleneck; NULL if something else is, or it is unknown. */
static const plan_resource_t *busiest_resource(const plani_export_t *x)
{
    const plan_bottleneck_t *b = &x->c.bottleneck;
    bool named = x->d != NULL && b->at == PLAN_AT_RESOURCE && b->seconds > 0 && b->index < x->d->nresources;
    return named ? &x->d->resource[b->index] : NULL;
}

bool plani_dot_is_busiest(const plani_export_t *x, int u, int v)
{
    const plan_platform_data_t *d = x->d;
    const plan_bottleneck_t *b = &x->c.bottleneck;
    bool resource = busiest_resource(x) != NULL, link = b->at == PLAN_AT_LINK && b->seconds > 0;

    if (d == NULL || (!resource && !link)) return false;
    if (x->plan->reduces) {
        int swap = u;
        u = v, v = swap;
    }
    for (size_t l = d->out_first[u]; l < d->out_first[u + 1]; l++) {
        if (d->link[l].to != v) continue;
        if (link && b->index == l) return true;
        for (size_t k = d->use_first[l]; resource && k < d->use_first[l + 1]; k++)
            if (d->use[k] == b->index) return true;
    }
    return false;
}

void plani_dot_title(const plani_export_t *x, plani_text_t *to)
{
    const plan_candidate_t *c = &x->c;
    plani_text_add(to, "  label=<<table border=\"0\" cellspacing=\"2\"><tr><td colspan=\"2\"><b>");
    plani_dot_escaped(to, c->name);
    plani_text_add(to, "</b>: %s", x->plan->reduces ? "reduction of " : "");
    if (!plani_is_sent(c))
        plani_text_add(to, "%s through shared memory", plani_bytes((double)x->bytes).s);
    else if (c->run == PLAN_RUN_ROUNDS && c->schedule != PLAN_CIRCULANT)
        plani_text_add(to, "%s, in one block per rank", plani_bytes((double)x->bytes).s);
    else if (c->slice != 0 && c->slice < x->bytes)
        plani_text_add(to, "%s in slices of %s", plani_bytes((double)x->bytes).s, plani_bytes((double)c->slice).s);
    else
        plani_text_add(to, "%s, sent whole", plani_bytes((double)x->bytes).s);
    if (c->run == PLAN_RUN_ROUNDS) plani_text_add(to, ", in rounds of %s", plan_schedule_name(c->schedule));
    if (isfinite(c->lp_ratio) && x->plan->ranks > 1)
        plani_text_add(to, ", %.0f%% of the best throughput possible", 100 * c->lp_ratio);
    plani_text_add(to, "</td></tr>");
    const plan_resource_t *busiest = busiest_resource(x);
    if (busiest != NULL) {
        plani_text_add(to, "<tr><td colspan=\"2\"><font color=\"" RED "\">bottleneck: ");
        plani_dot_escaped(to, busiest->name);
        plani_text_add(to, ", busy for %s per slice</font></td></tr>", plani_seconds(c->bottleneck.seconds).s);
    }
    for (size_t t = 0; t < c->ntrees && c->ntrees > 1; t++)
        plani_text_add(to,
                       "<tr><td align=\"right\"><font color=\"%s\"><b>&#9473;&#9473;</b></font></td><td align=\"left\">"
                       "tree %zu carries %.0f%%, height %d</td></tr>",
                       colour[t % COLOURS], t + 1, 100 * c->rate[t] / x->total, plan_tree_data(c->tree[t])->height);
    plani_text_add(to, "</table>>;\n");
}

/* The name of the rank's host, if it is the only one there; else NULL. */
static const char *own_name(const plani_export_t *x, int r)
{
    const char *const *names = x->d != NULL ? x->d->host_name : NULL;
    if (names == NULL || names[x->host[r]][0] == '\0') return NULL;
    for (int v = 0; v < x->plan->ranks; v++)
        if (v != r && x->host[v] == x->host[r]) return NULL;
    return names[x->host[r]];
}

static void put_node(const plani_export_t *x, int r, const char *indent, plani_text_t *to)
{
    bool busiest = plani_is_at_rank(&x->c.bottleneck, r) && x->plan->ranks > 1;
    const char *name = own_name(x, r);
    plani_text_add(to, "%s%d [", indent, r);
    if (r == x->plan->root)
        plani_text_add(to, "fillcolor=\"#22303f\", fontcolor=white, %s", name != NULL ? "" : "shape=doublecircle, ");
    if (busiest) plani_text_add(to, "color=\"" RED "\", penwidth=2.5, tooltip=\"busiest port\", ");
    if (name == NULL) {
        plani_text_add(to, "label=\"%d\"];\n", r);
        return;
    }
    plani_text_add(to,
                   "shape=box, style=\"rounded,filled\", fixedsize=false, height=0.3, tooltip=\"rank %d\", label=", r);
    plani_text_add_quoted(to, name);
    plani_text_add(to, "];\n");
}

/* A box's label: the name of the host or site, else its number. */
void plani_dot_place(plani_text_t *to, const char *what, const char *const *names, int place)
{
    char number[32];
    snprintf(number, sizeof number, "%s %d", what, place);
    plani_text_add(to, "label=");
    plani_text_add_quoted(to, names != NULL && names[place][0] != '\0' ? names[place] : number);
}

/* The ranks of one host, in a box if there are several; called for each rank, only the host's lowest has an effect. */
static void put_host(const plani_export_t *x, int first, const char *indent, plani_text_t *to)
{
    int n = 0;
    for (int r = 0; r < x->plan->ranks; r++) {
        n += x->host[r] == x->host[first];
        if (r < first && x->host[r] == x->host[first]) return;
    }
    if (n > 1) {
        plani_text_add(to, "%ssubgraph cluster_host_%d { ", indent, x->host[first]);
        plani_dot_place(to, "host", x->d != NULL ? x->d->host_name : NULL, x->host[first]);
        plani_text_add(to, "; style=\"rounded,filled\"; color=\"#b9c3cd\"; fillcolor=white; fontsize=9; "
                           "labeljust=l;\n");
    }
    for (int r = first; r < x->plan->ranks; r++)
        if (x->host[r] == x->host[first]) put_node(x, r, indent, to);
    if (n > 1) plani_text_add(to, "%s}\n", indent);
}

static void put_nodes(const plani_export_t *x, plani_text_t *to)
{
    static const char *const tint[] = {"#eef4fb", "#fdf3ea", "#eef8f0", "#f8eef5", "#faf6e3", "#f1effa"};
    int sites = x->d != NULL ? x->d->sites : 1;
    for (int s = 0; s < sites; s++) {
        if (sites > 1) {
            plani_text_add(to, "  subgraph cluster_site_%d { ", s);
            plani_dot_place(to, "site", x->d->site_name, s);
            plani_text_add(to, "; style=\"rounded,filled\"; color=\"#9fb0c0\"; fillcolor=\"%s\"; labeljust=l;\n",
                           tint[s % 6]);
        }
        for (int r = 0; r < x->plan->ranks; r++) {
            if (sites > 1 && x->site[r] != s) continue;
            if (x->host != NULL)
                put_host(x, r, sites > 1 ? "    " : "  ", to);
            else
                put_node(x, r, "  ", to);
        }
        if (sites > 1) plani_text_add(to, "  }\n");
    }
}

/* The edge of u and its child v, once for all trees that use it; called for each, only the first tree t has an effect.
 */
static void put_edge(const plani_export_t *x, size_t t, int u, int v, plani_text_t *to)
{
    const plan_candidate_t *c = &x->c;
    double rate = 0, cost = x->cost != NULL ? x->cost[t * (size_t)x->plan->ranks + (size_t)v] : 0;
    for (size_t k = 0; k < c->ntrees; k++) {
        if (plan_tree_data(c->tree[k])->parent[v] != u) continue;
        if (k < t) return;
        rate += c->rate[k];
    }
    bool busiest = plani_dot_is_busiest(x, u, v);
    plani_text_add(to, "  %d -> %d [%scolor=\"%s", u, v, x->plan->reduces ? "dir=back, " : "", busiest ? RED : "");
    for (size_t k = t, n = 0; k < c->ntrees && !busiest; k++)
        if (plan_tree_data(c->tree[k])->parent[v] == u) plani_text_add(to, n++ ? ":%s" : "%s", colour[k % COLOURS]);
    plani_text_add(to, "\"");
    if (busiest) plani_text_add(to, ", fontcolor=\"" RED "\", arrowsize=1%s", cost > 0 ? "" : ", penwidth=3");
    if (cost > 0) {
        double busy = isfinite(c->throughput) ? fmin(1, rate / x->total * c->throughput * cost) : 0;
        plani_text_add(to, ", penwidth=");
        plani_text_add_double(to, busiest ? 3 : round(100 * (1 + 2 * busy)) / 100);
        plani_text_add(to, ", label=\" %s", plani_seconds(cost).s);
        if (c->ntrees > 1) plani_text_add(to, "\\n %.0f%%", 100 * rate / x->total);
        plani_text_add(to, "\", tooltip=\"busy %.0f%% of the time\"", 100 * busy);
    } else if (c->ntrees > 1) {
        plani_text_add(to, ", label=\" %.0f%%\"", 100 * rate / x->total);
    }
    plani_text_add(to, "];\n");
}

/* Whether the first tree has more levels than any level has ranks. */
static bool is_high(const plani_export_t *x)
{
    const plan_tree_data_t *t = plan_tree_data(x->c.tree[0]);
    int at_depth = 0, depth = -1, widest = 0;

    for (int i = 0; i < t->ranks; i++) {
        int r = t->breadth_first[i];
        at_depth = t->depth[r] == depth ? at_depth + 1 : 1;
        depth = t->depth[r];
        if (at_depth > widest) widest = at_depth;
    }
    return t->height + 1 > widest;
}

void plani_export_dot(const plani_export_t *x, plani_text_t *to)
{
    if (x->plan->ranks > PLANI_DOT_RANKS || !plani_has_trees(&x->c)) {
        plani_export_dot_groups(x, to);
        return;
    }
    plani_text_add(to, "digraph plan {\n"
                       "  graph [fontname=\"Helvetica\", fontsize=11, labelloc=t, nodesep=0.4, ranksep=0.55, pad=0.2,\n"
                       "         newrank=true, bgcolor=white, fontcolor=\"#22303f\"];\n"
                       "  node [shape=circle, style=filled, fillcolor=\"#ffffff\", color=\"#4a5a6a\", fixedsize=true,\n"
                       "        width=0.42, fontname=\"Helvetica\", fontsize=11];\n"
                       "  edge [fontname=\"Helvetica\", fontsize=8, fontcolor=\"#4a5a6a\", arrowsize=0.6];\n");
    if (is_high(x)) plani_text_add(to, "  rankdir=LR;\n");
    plani_dot_title(x, to);
    put_nodes(x, to);
    for (size_t t = 0; t < x->c.ntrees; t++)
        for (int i = 0; i < x->plan->ranks; i++) {
            int n = 0, u = plan_tree_data(x->c.tree[t])->breadth_first[i];
            const int *child = plan_tree_children(x->c.tree[t], u, &n);
            for (int k = 0; k < n; k++) put_edge(x, t, u, child[k], to);
        }
    plani_text_add(to, "}\n");
}
