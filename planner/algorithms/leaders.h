/*
 * Broadcasts in two levels: trees between hosts, along which one rank of each host, its leader, receives and sends, and
 * shared memory inside hosts. Their trees are planned on the platform of the leaders alone.
 */
#ifndef PLANI_LEADERS_H
#define PLANI_LEADERS_H

#include <planbcast/platform.h>
#include <planbcast/tree.h>

/**
 * The links between leaders, with what they share. The root leads its host, elsewhere it is the first rank.
 *
 * \param[out] leader [hosts], by host: also the order of ranks of `out`
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_leaders_create(const plan_platform_t *pf, int root, int *leader, plan_platform_t **out,
                                   plan_error_t *err);

/** Inside a host every rank feeds up to four others: the parents of all its members but the first, member [n]. */
void plani_spread_inside(const int *member, int n, int *parent);

/** The tree of all ranks to a tree of leaders: inside each host every rank feeds up to four, the leader first, for
 * executors that lack shared memory. PLAN_ENOMEM. */
plan_status_t plani_leaders_expand(const plan_platform_data_t *d, const int *leader, const plan_tree_t *tree,
                                   plan_tree_t **out);

#endif
