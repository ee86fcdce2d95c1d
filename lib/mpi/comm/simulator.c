/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/simulator.h"
#include <stdlib.h>
#include <string.h>

#ifdef PLANBCAST_SIMULATED
#include <mpi.h>

void *plani_pool_create(size_t size)
{
    return SMPI_SHARED_MALLOC(size);
}

void plani_pool_destroy(void *pool)
{
    if (pool != NULL) SMPI_SHARED_FREE(pool);
}
#else
void *plani_pool_create(size_t size)
{
    void *pool = calloc(1, size); /* touched below: untouched pages share one zero page, and copy too fast */
    if (pool != NULL) memset(pool, 1, size);
    return pool;
}

void plani_pool_destroy(void *pool)
{
    free(pool);
}
#endif
