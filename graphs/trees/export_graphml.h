/* Trees as one GraphML multigraph: for igraph, NetworkX, Gephi, yEd and others. */
#ifndef PLANI_EXPORT_GRAPHML_H
#define PLANI_EXPORT_GRAPHML_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>
#include <planbcast/tree.h>

typedef struct {
    const char *name; /* of the graph */
    int ranks, root;
    bool upwards;           /* edges lead from children to parents, as of a reduction */
    const int *host, *site; /* [ranks] or NULL */
    size_t ntrees;
    plan_tree_t *const *tree;
    const double *rate; /* [ntrees] slices/s */
    const double *cost; /* [ntrees * ranks] [s] that a slice occupies the link to (upwards: from) rank v in tree t; or
                           NULL */
} plani_graphml_t;

/**
 * Nodes have the attributes `rank`, `root` and, if known, `host` and `site`; edges have `tree`, `order` among the
 * parent's children, `rate` and, if known, `cost_s`. *text is freed with free().
 */
plan_status_t plani_graphml_write(const plani_graphml_t *g, char **text);

#endif
