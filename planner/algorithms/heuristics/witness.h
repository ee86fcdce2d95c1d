/* Is every rank still reachable from the root without this link? Asked once per link, while links disappear. */
#ifndef PLANI_WITNESS_H
#define PLANI_WITNESS_H

#include <stdbool.h>
#include <planbcast/platform.h>

/**
 * The links that are left, with a spanning tree among them as witness that all ranks are reachable. Deleting a link
 * outside the witness is free; for a link of the witness, one backward search looks for another way into the part that
 * it cuts off. A link that could not go can never go later, because links only disappear.
 */
typedef struct {
    const plan_platform_data_t *d;
    int root;
    size_t left;      /* links not deleted */
    bool *gone;       /* [nlinks] */
    size_t *via;      /* [ranks] the witness's link into v */
    size_t *in_link;  /* [nlinks] grouped by `to`; deleted ones are dropped when met */
    size_t *in_count; /* [ranks] */
    size_t *next;     /* [ranks] in a search: the link that leads on towards the cut-off rank */
    int *queue;       /* [ranks] */
    int *mark;        /* [ranks] what is known in this search: below[] */
    int *trail;       /* [ranks] */
    int search;       /* number of the search, so that mark[] need not be cleared */
} plani_witness_t;

/** Needs every rank reachable from root. */
plan_status_t plani_witness_create(const plan_platform_data_t *d, int root, plani_witness_t *w);
void plani_witness_clear(plani_witness_t *w);

/** Delete the link if every rank stays reachable; false: it stays for good. */
bool plani_witness_delete(plani_witness_t *w, size_t link);

#endif
