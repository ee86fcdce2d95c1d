/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/world.h"
#include <stdlib.h>
#include <string.h>
#include <planbcast/status.h>

int plani_world_ranks(MPI_Comm comm, int ranks, int *world)
{
    MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int *own = malloc((size_t)ranks * sizeof *own), rc = own == NULL ? PLAN_ENOMEM : MPI_SUCCESS;

    for (int r = 0; r < ranks && own != NULL; r++) own[r] = r;
    if (rc == MPI_SUCCESS) rc = MPI_Comm_group(comm, &mine);
    if (rc == MPI_SUCCESS) rc = MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rc == MPI_SUCCESS) rc = MPI_Group_translate_ranks(mine, ranks, own, all, world);
    if (mine != MPI_GROUP_NULL) MPI_Group_free(&mine);
    if (all != MPI_GROUP_NULL) MPI_Group_free(&all);
    free(own);
    return rc;
}

void plani_mpi_library(char text[MPI_MAX_LIBRARY_VERSION_STRING])
{
    int len = 0;

    text[0] = '\0';
    MPI_Get_library_version(text, &len);
    text[strcspn(text, "\n")] = '\0';
}
