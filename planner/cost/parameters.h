/*
 * The constants of planning, in one place: what was fitted or chosen. What halving and doubling each does to choices is
 * in bench/results/constants.md, which bench/planning/constants makes. Limits of memory and time stand where they act.
 */
#ifndef PLANI_PARAMETERS_H
#define PLANI_PARAMETERS_H

/* ---- predictions ---- */

/** A candidate of several trees has to be predicted faster by this part for each tree beyond the first, */
#define PLANI_TREE_WEIGHT 0.025
/** and one of rounds by this part. */
#define PLANI_ROUNDS_WEIGHT 0.15
/** So have slices that MPI sends once their receiver has agreed (rendezvous), before those that it sends at once. */
#define PLANI_RENDEZVOUS_WEIGHT 0.05
/** A smaller slice is worth its messages if it is predicted to save this part of the time. */
#define PLANI_WORTH_SMALLER 0.02
/** Measured rates of a link and of the card that it crosses may differ by this part. */
#define PLANI_MISSED 0.1

/* ---- slices and windows ---- */

/** [B] Slices are powers of two from here, */
#define PLANI_LEAST_SLICE 1024
/** [B] to here, and the message whole. */
#define PLANI_MOST_SLICE 1048576
/** Up to this many slices in flight per child, all links have the same window, and beyond, none has a smaller one. */
#define PLANI_COMMON_WINDOW 16
/** [B] Several trees have up to this much in flight per child where that costs less than PLANI_WORTH_SMALLER, */
#define PLANI_IN_FLIGHT 65536
/** but no more than one part of this many of the message. */
#define PLANI_PART_IN_FLIGHT 32
/** [B] Largest slice through shared memory inside hosts: the executor's PLANI_SLOT. */
#define PLANI_MOST_INSIDE 262144
/** The widest window that is tried. */
#define PLANI_WIDEST_WINDOW 128

/* ---- trees ---- */

/** Moves per rank of a search for the tree of the highest throughput: two fifths of the search's default. */
#define PLANI_THROUGHPUT_MOVES_PER_RANK 4000
/** The same of a tree for one message size, of which many are made. */
#define PLANI_MOVES_PER_RANK 500
/** Moves per rank and tree of a search for several: a tenth of the search's default. */
#define PLANI_MOVES_PER_NODE 600
/** Of the default number of moves of the search by predicted time, one part of this many. */
#define PLANI_PART_OF_MOVES 4
/** A tree for one message size is not searched at slice sizes at which the best start takes this many times the least.
 */
#define PLANI_FAR 2.0
/** Trees are searched for the largest message, for one part of this many of it, and so on, down to 64 B. */
#define PLANI_REFINED_STEP 64
/** No more trees are added to a few that come so near to the bound. */
#define PLANI_NEAR 0.005

/* ---- what is simulated ---- */

/** Candidates are simulated until they have had this many transfers, as many as two long simulations have. */
#define PLANI_TRANSFERS 2048
/** At least this many algorithms try larger and smaller slices. */
#define PLANI_CLIMB 4

#endif
