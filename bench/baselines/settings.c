/* The settings that are compared: plans, MPI_Bcast as it decides, and Open MPI's broadcasts by force. */
#include "baselines.h"
#include "forced.h"
#include <stdio.h>

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

enum { TUNED = sizeof tuned / sizeof *tuned };

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

bool settings_add_forced(MPI_Comm comm, settings_t *s, int algorithm, const char *name, size_t bytes)
{
    MPI_Comm forced = forced_algorithm(comm, "bcast", algorithm, bytes);
    if (forced == MPI_COMM_NULL) return false;
    setting_t *new = settings_add(s, KIND_BASELINE, name, bytes);
    new->algorithm = algorithm;
    new->comm = forced;
    return true;
}

static void add_tuned(MPI_Comm comm, settings_t *s)
{
    for (int a = 0; a < TUNED; a++)
        for (int i = 0; i < (tuned[a].segments ? FORCED_SEGMENTS : 1); i++)
            if (!settings_add_forced(comm, s, tuned[a].algorithm, tuned[a].name, forced_segment[i])) return;
}

void settings_create(MPI_Comm comm, const planning_t *p, settings_t *s)
{
    forced_component_t component[FORCED_COMPONENTS];
    int n;

    s->n = 0;
    settings_add(s, KIND_PLAN, "plan, estimated", 0)->plan = p->estimated;
    if (p->measured != NULL) settings_add(s, KIND_PLAN, "plan, measured", 0)->plan = p->measured;
    if (p->ideal != NULL) settings_add(s, KIND_PLAN, "plan, from the spec", 0)->plan = p->ideal;
    if (p->by_default != NULL) settings_add(s, KIND_PLAN, "plan, by default", 0)->plan = p->by_default;
    MPI_Comm_dup(comm, &settings_add(s, KIND_DEFAULT, "default", 0)->comm);
    add_tuned(comm, s);
    n = forced_components(comm, component);
    for (int i = 0; i < n; i++) settings_add(s, KIND_BASELINE, component[i].name, 0)->comm = component[i].comm;
}

void settings_clear(settings_t *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->at[i].comm != MPI_COMM_NULL) MPI_Comm_free(&s->at[i].comm);
    s->n = 0;
}
