#include "planner/cost/times.h"
#include <stdlib.h>

enum { MOST_LINKS = 20000 }; /* a megabyte for each row */

struct plani_times {
    const plan_platform_data_t *d;
    size_t room, n;
    unsigned long now;
    plani_row_t *row;   /* [room] the first n in use */
    plani_time_t *link; /* [room * nlinks] of all rows */
    double *held;       /* [room * nresources * PLANI_CROWD] */
};

plan_status_t plani_times_create(const plan_platform_data_t *d, size_t rows, plani_times_t **out)
{
    *out = NULL;
    if (d->nlinks > MOST_LINKS) return PLAN_OK;
    plani_times_t *times = calloc(1, sizeof *times);
    if (times == NULL) return PLAN_ENOMEM;
    *times = (plani_times_t){.d = d, .room = rows};
    times->row = calloc(rows, sizeof *times->row);
    times->link = malloc((rows * d->nlinks + 1) * sizeof *times->link);
    times->held = malloc((rows * d->nresources * PLANI_CROWD + 1) * sizeof *times->held);
    *out = times;
    if (times->row != NULL && times->link != NULL && times->held != NULL) return PLAN_OK;
    plani_times_destroy(out);
    return PLAN_ENOMEM;
}

void plani_times_destroy(plani_times_t **times)
{
    if (*times == NULL) return;
    free((*times)->row);
    free((*times)->link);
    free((*times)->held);
    free(*times);
    *times = NULL;
}

/* A row that is free, or the one that has not been asked for the longest. */
static plani_row_t *oldest(plani_times_t *times)
{
    size_t links = times->d->nlinks, held = times->d->nresources * PLANI_CROWD, at = 0;
    if (times->n < times->room) {
        at = times->n++;
        times->row[at] = (plani_row_t){.link = times->link + at * links, .held = times->held + at * held};
    } else {
        for (size_t i = 1; i < times->n; i++)
            if (times->row[i].used < times->row[at].used) at = i;
    }
    for (size_t l = 0; l < links; l++) times->row[at].link[l].through = -1;
    for (size_t i = 0; i < held; i++) times->row[at].held[i] = -1;
    return &times->row[at];
}

plani_row_t *plani_times_row(plani_times_t *times, double bytes)
{
    size_t i = 0;
    if (times == NULL) return NULL;
    while (i < times->n && times->row[i].bytes != bytes) i++;
    plani_row_t *row = i < times->n ? &times->row[i] : oldest(times);
    row->bytes = bytes;
    row->used = ++times->now;
    return row;
}
