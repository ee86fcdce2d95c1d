/* Trees drawn in text. */
#include "planner/cli/output.h"
#include <string.h>

enum { WIDTH = 100, MOST_LINES = 40, MOST_TREES = 4 };

typedef struct {
    FILE *out;
    const plan_tree_t *tree;
    const plan_platform_data_t *pf; /* NULL: names no hosts and sites */
    bool hosts, sites;              /* whether to print these */
    const char *arrow;              /* from a rank to the next of a chain */
    char indent[160];
    int column; /* characters on this line */
    int lines;  /* lines left */
    bool cut;
} drawing_t;

/* Whether to print hosts and sites: not hosts that are numbered like the ranks and have no names. */
static void find_places(drawing_t *d)
{
    if (d->pf == NULL) return;
    d->sites = d->pf->sites > 1;
    for (int r = 0; r < d->pf->ranks && !d->hosts; r++) d->hosts = d->pf->hosts > 1 && d->pf->host[r] != r;
    d->hosts = d->hosts || d->pf->host_name != NULL;
}

static void print_place(drawing_t *d, const char *what, const char *const *names, int place)
{
    char name[40];
    if (names != NULL && names[place][0] != '\0')
        d->column += fprintf(d->out, "%s", cli_name(names[place], name));
    else
        d->column += fprintf(d->out, "%s %d", what, place);
}

static void print_rank(drawing_t *d, int rank)
{
    d->column += fprintf(d->out, "%d", rank);
    if (!d->hosts && !d->sites) return;
    d->column += fprintf(d->out, " (");
    if (d->hosts) print_place(d, "host", d->pf->host_name, d->pf->host[rank]);
    if (d->hosts && d->sites) d->column += fprintf(d->out, ", ");
    if (d->sites) print_place(d, "site", d->pf->site_name, d->pf->site[rank]);
    d->column += fprintf(d->out, ")");
}

/* Print a rank and, on the same line, the chain below it; returns the last rank of the chain. */
static int print_chain(drawing_t *d, int rank)
{
    int n;
    const int *child = plan_tree_children(d->tree, rank, &n);

    d->column = 0;
    print_rank(d, rank);
    for (; n == 1; child = plan_tree_children(d->tree, rank, &n)) {
        rank = child[0];
        if (d->column > WIDTH - 20) { /* continue on the next line */
            if (--d->lines < 0) {
                d->cut = true;
                break;
            }
            fprintf(d->out, "\n  %s   ", d->indent);
            d->column = 0;
        }
        d->column += fprintf(d->out, " %s ", d->arrow);
        print_rank(d, rank);
    }
    fprintf(d->out, "\n");
    return rank;
}

static void print_below(drawing_t *d, int rank, bool last)
{
    size_t used = strlen(d->indent);
    bool root = rank == plan_tree_data(d->tree)->root;
    int n;

    if (--d->lines < 0) {
        d->cut = true;
        return;
    }
    fprintf(d->out, "  %s%s", d->indent, root ? "" : last ? "`- " : "|- ");
    if (!root && used + 4 < sizeof d->indent)
        snprintf(d->indent + used, sizeof d->indent - used, "%s", last ? "   " : "|  ");
    const int *child = plan_tree_children(d->tree, print_chain(d, rank), &n);
    for (int i = 0; i < n && !d->cut; i++) print_below(d, child[i], i == n - 1);
    d->indent[used] = '\0';
}

static void print_tree(FILE *out, const plan_tree_t *tree, const plan_platform_t *pf, int lines, const char *arrow)
{
    drawing_t d = {
        .out = out, .tree = tree, .pf = pf != NULL ? plan_platform_data(pf) : NULL, .arrow = arrow, .lines = lines};
    find_places(&d);
    print_below(&d, plan_tree_data(tree)->root, true);
    if (d.cut) fprintf(out, "  ... cut after %d lines\n", lines);
}

void cli_print_tree(FILE *out, const plan_tree_t *tree, const plan_platform_t *pf, int lines)
{
    print_tree(out, tree, pf, lines, "->");
}

/* For rounds: the order of ranks. */
static void print_order(FILE *out, const plan_candidate_t *c, const plan_platform_t *pf)
{
    enum { MOST_RANKS = 200 };
    drawing_t d = {.out = out, .pf = pf != NULL ? plan_platform_data(pf) : NULL};
    find_places(&d);
    fprintf(out, "  rounds of %s among, in this order\n  ", plan_schedule_name(c->schedule));
    for (int v = 0; v < c->places && v < MOST_RANKS; v++) {
        if (d.column > WIDTH - 20) {
            fprintf(out, "\n  ");
            d.column = 0;
        }
        print_rank(&d, c->order[v]);
        d.column += fprintf(out, v + 1 < c->places ? ", " : "");
    }
    fprintf(out, "%s\n", c->places > MOST_RANKS ? "..." : "");
}

void cli_print_trees(FILE *out, const plan_candidate_t *c, const plan_platform_t *pf, bool reduces)
{
    double total = 0;

    if (c->run == PLAN_RUN_ROUNDS) print_order(out, c, pf);
    for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
    for (size_t k = 0; k < c->ntrees && k < MOST_TREES; k++) {
        if (c->ntrees > 1)
            fprintf(out, "  tree %zu of %zu: %.1f%% of the slices\n", k + 1, c->ntrees, 100 * c->rate[k] / total);
        print_tree(out, c->tree[k], pf, MOST_LINES, reduces ? "<-" : "->");
    }
    if (c->ntrees > MOST_TREES) fprintf(out, "  ... and %zu more trees\n", c->ntrees - MOST_TREES);
}
