/* Calling igraph from a library: errors are returned as codes, nothing is printed, one thread at a time. */
#ifndef PLANI_GUARD_H
#define PLANI_GUARD_H

#include <igraph/igraph.h>

/** The previous handlers, to be restored. */
typedef struct {
    igraph_error_handler_t *error;
    igraph_warning_handler_t *warning;
    igraph_attribute_table_t *table;
} plani_igraph_t;

/**
 * Enclose all calls of igraph on graphs, and their destruction. igraph's handlers, attribute table and cleanup stack
 * are global, unless it was built thread safe (Debian's is not). So between these two calls, which do not nest, no
 * other thread of this library is in igraph.
 */
plani_igraph_t plani_igraph_enter(void);
void plani_igraph_leave(plani_igraph_t before);

#endif
