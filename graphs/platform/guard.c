/* Handlers around calls of igraph. */
#include "graphs/platform/guard.h"
#include "lib/base/base.h"

plani_igraph_t plani_igraph_enter(void)
{
    plani_lock();
    return (plani_igraph_t){igraph_set_error_handler(igraph_error_handler_ignore),
                            igraph_set_warning_handler(igraph_warning_handler_ignore),
                            igraph_set_attribute_table(&igraph_cattribute_table)};
}

void plani_igraph_leave(plani_igraph_t before)
{
    igraph_set_attribute_table(before.table);
    igraph_set_warning_handler(before.warning);
    igraph_set_error_handler(before.error);
    plani_unlock();
}
