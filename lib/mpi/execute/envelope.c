/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/envelope.h"

int plani_envelope(MPI_Datatype type, plani_envelope_t *e)
{
    *e = (plani_envelope_t){.combiner = MPI_COMBINER_NAMED};
#if MPI_VERSION >= 4
    MPI_Count nints, naints, ntypes;
    int rc = MPI_Type_get_envelope_c(type, &nints, &naints, &e->nlarge, &ntypes, &e->combiner);
    e->nints = (int)nints, e->naints = (int)naints, e->ntypes = (int)ntypes; /* the constructor took ints */
    return rc;
#else
    return MPI_Type_get_envelope(type, &e->nints, &e->naints, &e->ntypes, &e->combiner);
#endif
}

int plani_free_inner(MPI_Datatype *type)
{
    plani_envelope_t e;
    int rc = plani_envelope(*type, &e);
    return rc != MPI_SUCCESS || plani_is_predefined(&e) ? rc : MPI_Type_free(type);
}

int plani_only_inner(MPI_Datatype type, const plani_envelope_t *e, MPI_Count numbers[PLANI_NUMBERS],
                     MPI_Datatype *inner)
{
    int ints[PLANI_NUMBERS];
    MPI_Aint aints[PLANI_NUMBERS];

#if MPI_VERSION >= 4
    if (e->nlarge > 0)
        return MPI_Type_get_contents_c(type, e->nints, e->naints, e->nlarge, 1, ints, aints, numbers, inner);
#endif
    int rc = MPI_Type_get_contents(type, e->nints, e->naints, 1, ints, aints, inner);
    for (int i = 0; i < e->nints && rc == MPI_SUCCESS; i++) numbers[i] = ints[i];
    return rc;
}
