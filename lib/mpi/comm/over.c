/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/over.h"
#include "lib/base/base.h"

atomic_bool plani_may_be_over = true;

/* MPI_COMM_SELF is being freed: that is how MPI begins to end. */
static int begin_to_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    atomic_store(&plani_may_be_over, true);
    return MPI_SUCCESS;
}

static void watch(void)
{
    int key = MPI_KEYVAL_INVALID, world = 0;

    MPI_Initialized(&world);
    if (!world || MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, begin_to_end, &key, NULL) != MPI_SUCCESS) return;
    if (MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS) atomic_store(&plani_may_be_over, false);
    MPI_Comm_free_keyval(&key); /* the attribute stays */
}

void plani_watch_for_end(void)
{
    plani_lock();
    if (atomic_load(&plani_may_be_over)) watch();
    plani_unlock();
}
