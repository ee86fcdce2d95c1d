/* A merge of two machines under way. Private to machine_merge*.c. */
#ifndef PLANI_MACHINE_MERGE_H
#define PLANI_MACHINE_MERGE_H

#include "graphs/machine/machine.h"

typedef struct {
    const plani_machine_t *a, *b; /* what is known, and what is added */
    plani_machine_t *m;
    int *same;     /* [b->nhosts] the host of a; -1: a new one */
    int *kind;     /* [b->nkinds] of m */
    int *group;    /* [b->ngroups] node: groups of a, then new ones */
    int *fed;      /* [a->ngroups] groups of b that are this one; -1: not all of their known hosts agree */
    int *number;   /* [nodes] the group of m */
    int *channel;  /* [b->nchannels] of m; -1: not copied yet */
    int *host_a;   /* [a->nhosts] of m; -1: left out */
    bool *renewed; /* [a->nhosts] b's entry counts */
    int nodes;
    plani_machine_group_t *node; /* [a->ngroups + b->ngroups] `above` is a node */
} plani_merging_t;

/** The channel of m that is this one of b. -1: none, or out of memory. */
plan_status_t plani_merge_channel(plani_merging_t *k, int channel, int *out);
/** All paths of m, after its hosts. PLAN_ENOMEM. */
plan_status_t plani_merge_paths(plani_merging_t *k);

#endif
