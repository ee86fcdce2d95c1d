/* Open MPI's broadcasts, each on a communicator of its own. coll/tuned reads its forced algorithm and segment size,
 * both MPI_T control variables, when a communicator is created. coll_tuned_use_dynamic_rules must be set at start.
 * Whole components are preferred by an info key, if their priorities are positive. In Open MPI 4, priorities
 * of 1 of han, adapt and sm allow them without changing the default decision. */
#include "baselines.h"
#include <stdio.h>
#include <string.h>

static const struct {
    int algorithm;
    const char *name;
    bool segments; /* heeds the segment size */
} tuned[] = {{1, "linear", false},
             {2, "chain", true},
             {3, "pipeline", true},
             {4, "split_binary", true},
             {5, "binary", true},
             {6, "binomial", true},
             {7, "knomial", true},
             {8, "scatter_allgather", false},
             {9, "scatter_allgather_ring", false}};
static const size_t segment[] = {0, 8 << 10, 32 << 10, 128 << 10, 512 << 10};

enum { TUNED = sizeof tuned / sizeof *tuned, SEGMENTS = sizeof segment / sizeof *segment };

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

static bool force(int algorithm, size_t bytes)
{
    int size = (int)bytes;
    return control("coll_tuned_bcast_algorithm", &algorithm, true) &&
           control("coll_tuned_bcast_algorithm_segmentsize", &size, true);
}

setting_t *settings_add(settings_t *s, kind_t kind, const char *name, size_t bytes)
{
    setting_t *new = &s->at[s->n++];
    *new = (setting_t){.kind = kind, .segment = bytes, .comm = MPI_COMM_NULL, .same_as = -1};
    if (bytes > 0)
        snprintf(new->name, sizeof new->name, "%s/%zuK", name, bytes >> 10);
    else
        snprintf(new->name, sizeof new->name, "%s", name);
    return new;
}

/* Duplicate a communicator; the duplicate prefers this component for its collectives. */
static void prefer(MPI_Comm comm, const char *component, MPI_Comm *new)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "ompi_comm_coll_preference", component);
    MPI_Comm_dup_with_info(comm, info, new);
    MPI_Info_free(&info);
}

bool settings_add_forced(MPI_Comm comm, settings_t *s, int algorithm, const char *name, size_t bytes)
{
    if (!everywhere(comm, force(algorithm, bytes))) return false;
    setting_t *new = settings_add(s, KIND_BASELINE, name, bytes);
    new->algorithm = algorithm;
    prefer(comm, "tuned", &new->comm); /* in Open MPI 5 han comes before it */
    force(0, 0);
    return true;
}

static void add_tuned(MPI_Comm comm, settings_t *s)
{
    int dynamic = 0;
    if (!everywhere(comm, control("coll_tuned_use_dynamic_rules", &dynamic, false) && dynamic)) return;
    for (int a = 0; a < TUNED; a++)
        for (int i = 0; i < (tuned[a].segments ? SEGMENTS : 1); i++)
            if (!settings_add_forced(comm, s, tuned[a].algorithm, tuned[a].name, segment[i])) return;
}

/* A baseline by another component than coll/tuned. */
static void add_component(MPI_Comm comm, settings_t *s, const char *name, const char *priority)
{
    int value = -1;

    if (!everywhere(comm, control(priority, &value, false) && value > 0)) return;
    prefer(comm, name, &settings_add(s, KIND_BASELINE, name, 0)->comm);
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

void settings_create(MPI_Comm comm, const planning_t *p, settings_t *s)
{
    s->n = 0;
    settings_add(s, KIND_PLAN, "plan, estimated", 0)->plan = p->estimated;
    settings_add(s, KIND_PLAN, "plan, measured", 0)->plan = p->measured;
    if (p->ideal != NULL) settings_add(s, KIND_PLAN, "plan, from the spec", 0)->plan = p->ideal;
    if (p->by_default != NULL) settings_add(s, KIND_PLAN, "plan, by default", 0)->plan = p->by_default;
    MPI_Comm_dup(comm, &settings_add(s, KIND_DEFAULT, "default", 0)->comm);
    add_tuned(comm, s);
    add_component(comm, s, "han", "coll_han_priority");
    add_component(comm, s, "adapt", "coll_adapt_priority");
    add_component(comm, s, "acoll", "coll_acoll_priority");
    if (!is_on_one_host(comm)) return;
    add_component(comm, s, "sm", "coll_sm_priority");
    add_component(comm, s, "xhc", "coll_xhc_priority");
}

void settings_clear(settings_t *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].comm != MPI_COMM_NULL) MPI_Comm_free(&s->at[i].comm);
    s->n = 0;
}
