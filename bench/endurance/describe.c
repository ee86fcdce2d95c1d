/* Datatypes as text, for reports: how they were constructed. */
#include "endurance.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 24 }; /* entries of a list */

static void add(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(char *out, size_t room, const char *format, ...)
{
    size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, room - used, format, args);
    va_end(args);
}

static const char *constructor(int combiner)
{
    return combiner == MPI_COMBINER_DUP              ? "dup"
           : combiner == MPI_COMBINER_CONTIGUOUS     ? "contiguous"
           : combiner == MPI_COMBINER_VECTOR         ? "vector"
           : combiner == MPI_COMBINER_HVECTOR        ? "hvector"
           : combiner == MPI_COMBINER_INDEXED        ? "indexed"
           : combiner == MPI_COMBINER_HINDEXED       ? "hindexed"
           : combiner == MPI_COMBINER_INDEXED_BLOCK  ? "indexed_block"
           : combiner == MPI_COMBINER_HINDEXED_BLOCK ? "hindexed_block"
           : combiner == MPI_COMBINER_STRUCT         ? "struct"
           : combiner == MPI_COMBINER_SUBARRAY       ? "subarray"
           : combiner == MPI_COMBINER_RESIZED        ? "resized"
                                                     : "other";
}

/* constructor([integers], [addresses], types): as the arguments of MPI_Type_get_contents. */
void describe_type(MPI_Datatype type, char *out, size_t room)
{
    int nints, naints, ntypes, combiner, len;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Type_get_envelope(type, &nints, &naints, &ntypes, &combiner);
    if (combiner == MPI_COMBINER_NAMED) {
        MPI_Type_get_name(type, name, &len);
        add(out, room, "%s", name);
        return;
    }
    int *ints = calloc((size_t)nints + 1, sizeof *ints);
    MPI_Aint *aints = calloc((size_t)naints + 1, sizeof *aints);
    MPI_Datatype *types = calloc((size_t)ntypes + 1, sizeof *types);
    if (ints == NULL || aints == NULL || types == NULL) abort();
    MPI_Type_get_contents(type, nints, naints, ntypes, ints, aints, types);
    add(out, room, "%s(", constructor(combiner));
    for (int i = 0; i < nints && i < SHOWN; i++) add(out, room, "%s%d", i ? " " : "", ints[i]);
    add(out, room, "%s", naints > 0 ? "; " : "");
    for (int i = 0; i < naints && i < SHOWN; i++) add(out, room, "%s%lld", i ? " " : "", (long long)aints[i]);
    for (int i = 0; i < ntypes; i++) {
        int inner[4];
        add(out, room, ", ");
        describe_type(types[i], out, room);
        MPI_Type_get_envelope(types[i], &inner[0], &inner[1], &inner[2], &inner[3]);
        if (inner[3] != MPI_COMBINER_NAMED) MPI_Type_free(&types[i]);
    }
    add(out, room, ")");
    free(ints);
    free(aints);
    free(types);
}
