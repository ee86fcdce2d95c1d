/* The best single tree, proved: the least period of all spanning arborescences. */
#ifndef PLANI_SINGLE_TREE_H
#define PLANI_SINGLE_TREE_H

#include <stddef.h>
#include <planbcast/status.h>

/** What is held when a link is in the tree. Plain arrays, all borrowed. */
typedef struct {
    int ranks, root;
    size_t nlinks;
    const int *from, *to;  /* [nlinks] sorted by (from, to) */
    const double *cost;    /* [nlinks] [s] > 0: a tree with this link has at least this period */
    const double *busy;    /* [nlinks] [s] >= 0: time for which a slice occupies the sender's port */
    const double *receive; /* [nlinks] [s] >= 0: time for which it occupies the receiver's port, by which that sends;
                              NULL: none */
    size_t nresources;
    const size_t *resource_first; /* [nresources + 1] into resource_link */
    const size_t *resource_link;  /* links of each resource */
    const double *resource_cost;  /* [nresources] [s] > 0 per slice */
} plani_tree_program_t;

/** The best tree known, and what is proved. */
typedef struct {
    size_t *via;   /* [ranks] the link into each rank, (size_t)-1 for the root */
    double period; /* [s] of that tree */
    double proven; /* [s] no tree has a smaller one; equals `period` when the tree is proved to be the best */
    int programs;  /* integer programs that were solved */
} plani_tree_proof_t;

/** Two periods that differ by less than this part are one. */
#define PLANI_SAME_PERIOD 1e-6

/**
 * Close the gap between proven and period, from both ends. The caller sets via and period to some tree's, and proven
 * to a lower bound or 0.
 *
 * Is there a tree of a period of at most tau? The program has a variable for each set of children ("star") that a rank
 * can serve within tau, for near the optimum there are few; where a rank has more than some thousands, it has a
 * knapsack row and a row for the number of children. Further there is a 0/1 variable for each link, one link into each
 * rank, a row for each resource, and a row for each cut between the root and some rank that a solution violates.
 * tau is bisected, at first with the linear relaxation, then with branch and bound for what is left.
 *
 * \param limit_s time for all of it [s]; when it has passed, proven < period
 * \retval PLAN_ESOLVER GLPK failed; proof has what was found before
 */
plan_status_t plani_tree_prove(const plani_tree_program_t *program, double limit_s, plani_tree_proof_t *proof,
                               plan_error_t *err);

#endif
