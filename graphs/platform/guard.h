/* igraph from a library: errors come back as codes, nothing is printed, and one thread at a time. */
#ifndef PLANI_GUARD_H
#define PLANI_GUARD_H

#include <igraph/igraph.h>

/** What stood before, to be put back. */
typedef struct {
    igraph_error_handler_t *error;
    igraph_warning_handler_t *warning;
    igraph_attribute_table_t *table;
} plani_igraph_t;

/**
 * Around all that calls igraph on graphs, and their destruction. Its handlers, its table of attributes and its stack of
 * unfinished work are variables of the whole process, unless it was built thread safe (Debian's is not): so between the
 * two, which do not nest, no other thread of this library is in igraph.
 */
plani_igraph_t plani_igraph_enter(void);
void plani_igraph_leave(plani_igraph_t before);

#endif
