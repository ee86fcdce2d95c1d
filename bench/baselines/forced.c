/* coll/tuned reads its forced algorithm and segment size, both MPI_T control variables, when a communicator is created.
 * Whole components are preferred by an info key. */
#include "forced.h"
#include <stdbool.h>
#include <stdio.h>

const size_t forced_segment[FORCED_SEGMENTS] = {0, 8 << 10, 32 << 10, 128 << 10, 512 << 10};

enum { NAME = 80 };

/* Read an integer control variable, or write it if `write`; false: there is none, or it is not writable. */
static bool control(const char *name, int *value, bool write)
{
    int index, count;
    MPI_T_cvar_handle handle;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return false;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return false;
    int rc = write ? MPI_T_cvar_write(handle, value) : MPI_T_cvar_read(handle, value);
    MPI_T_cvar_handle_free(&handle);
    return rc == MPI_SUCCESS;
}

/* Collective: whether it holds on all ranks. */
static bool everywhere(MPI_Comm comm, bool here)
{
    int mine = here, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

/* Those that send no segments, such as barrier, have no variable for their size. */
static bool force(const char *collective, int algorithm, size_t segment)
{
    char which[NAME], in[NAME];
    int size = (int)segment;

    snprintf(which, sizeof which, "coll_tuned_%s_algorithm", collective);
    snprintf(in, sizeof in, "coll_tuned_%s_algorithm_segmentsize", collective);
    return control(which, &algorithm, true) && (control(in, &size, true) || segment == 0);
}

/* Duplicate a communicator; the duplicate prefers this component for its collectives. */
static MPI_Comm prefer(MPI_Comm comm, const char *component)
{
    MPI_Comm new;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", component);
    MPI_Comm_dup_with_info(comm, info, &new);
    MPI_Info_free(&info);
    return new;
}

MPI_Comm forced_algorithm(MPI_Comm comm, const char *collective, int algorithm, size_t segment)
{
    MPI_Comm new = MPI_COMM_NULL;
    int dynamic = 0;
    bool can = control("coll_tuned_use_dynamic_rules", &dynamic, false) && dynamic;

    if (everywhere(comm, can && force(collective, algorithm, segment)))
        new = prefer(comm, "tuned"); /* in Open MPI 5 han comes before it */
    if (can) force(collective, 0, 0);
    return new;
}

static bool is_on_one_host(MPI_Comm comm)
{
    MPI_Comm near;
    int all = 0, here = 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(comm, &all);
    MPI_Comm_size(near, &here);
    MPI_Comm_free(&near);
    return here == all;
}

int forced_components(MPI_Comm comm, forced_component_t component[FORCED_COMPONENTS])
{
    static const char *const name[FORCED_COMPONENTS] = {"han", "adapt", "acoll", "sm", "xhc"};
    enum { BETWEEN_HOSTS = 3 }; /* the first ones; the others need shared memory */
    int n = 0, most = is_on_one_host(comm) ? FORCED_COMPONENTS : BETWEEN_HOSTS;

    for (int i = 0; i < most; i++) {
        char priority[NAME];
        int value = -1;
        snprintf(priority, sizeof priority, "coll_%s_priority", name[i]);
        if (!everywhere(comm, control(priority, &value, false) && value > 0)) continue;
        component[n++] = (forced_component_t){.name = name[i], .comm = prefer(comm, name[i])};
    }
    return n;
}
