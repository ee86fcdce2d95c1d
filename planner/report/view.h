/* Groups and hosts of a machine as pictures show them, whether it is a machine, a platform, or known from a plan. */
#ifndef PLANI_REPORT_VIEW_H
#define PLANI_REPORT_VIEW_H

#include <stdbool.h>
#include "planner/report/page.h"
#include "planner/report/report.h"

typedef struct {
    char name[64];
    int above;      /* -1: none; else lower than its own number */
    int outermost;  /* the group around it that is in no other */
    int hosts;      /* in it and in the groups in it */
    double out, in; /* [B/s] of its trunk; 0: no limit known */
    int machine;    /* its number in the machine; -1 */
} plani_view_group_t;

typedef struct {
    char name[64];
    const char *full; /* its whole name; NULL: it has none */
    int group;        /* -1: none */
    int kind;         /* hosts of equal rates */
    double out, in;   /* [B/s] of its card; 0: not known */
    int ranks, first; /* how many, and the lowest; -1: none */
    int machine;
} plani_view_host_t;

typedef struct {
    int ngroups, nhosts, nkinds;
    plani_view_group_t *group;
    plani_view_host_t *host;
    int ranks;
    int *host_of;           /* [ranks] */
    double median, fastest; /* [B/s] of all cards and trunks; 0: none is known */
} plani_view_t;

/** Of the machine's hosts that have ranks of the platform (without a platform: all), else of the platform, else of the
 * plan. \retval PLAN_ENOMEM then there is nothing to clear */
plan_status_t plani_view_create(const plani_report_t *r, plani_view_t *out);
void plani_view_clear(plani_view_t *view);

/** Whether the plan is for reductions, whose messages go up the trees. */
static inline bool plani_report_reduces(const plani_report_t *r)
{
    return r->plan != NULL && plan_data(r->plan)->reduces;
}

/** What the plan is compared with: "MPI_Bcast" or "MPI_Reduce". */
static inline const char *plani_report_native(const plani_report_t *r)
{
    return plani_report_reduces(r) ? "MPI_Reduce" : "MPI_Bcast";
}

/** The outermost group of a host; -1: none. */
int plani_view_outermost(const plani_view_t *view, int host);
/** Whether a host is in a group or in a group in it. */
bool plani_view_holds(const plani_view_t *view, int group, int host);

/** Where a resource is: the card of a host or the trunk of a group, the host as a whole (neither out nor in), or
 * nowhere. */
typedef struct {
    int host, group;
    bool out, in;
} plani_view_place_t;
plani_view_place_t plani_view_place(const plani_view_t *view, const plan_platform_data_t *d, size_t resource);

/** "rank 3", or with a host's name "a-1, rank 3". */
plani_label_t plani_view_rank(const plani_view_t *view, int rank);

/** A resource's name, in which numbered hosts and sites have their names: "host 0 out" becomes "host a-0 out". */
typedef struct {
    char s[200];
} plani_resource_name_t;
plani_resource_name_t plani_resource_name(const plan_platform_data_t *d, size_t resource);

/** The candidate whose trees or rounds are shown where the chosen one has none; NULL: there is none. */
const plan_candidate_t *plani_report_sent(const plani_report_t *r, bool trees);

#endif
