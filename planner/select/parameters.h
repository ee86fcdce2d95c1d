/*
 * The constants of choosing, in one place. What halving and doubling each does is in
 * bench/results/constants.md, which bench/planning/constants makes.
 */
#ifndef PLANI_PARAMETERS_H
#define PLANI_PARAMETERS_H

/* ---- predictions ---- */

/** A candidate of several trees has to be predicted faster by this part for each tree beyond the first, */
#define PLANI_TREE_WEIGHT 0.025
/** and one of rounds by this part. */
#define PLANI_ROUNDS_WEIGHT 0.15
/** A smaller slice is worth its messages if it is predicted to save this part of the time. */
#define PLANI_WORTH_SMALLER 0.02

/* ---- what is tried ---- */

/** [B] Slices are powers of two from here, */
#define PLANI_LEAST_SLICE 1024
/** [B] to here, and the message whole. */
#define PLANI_MOST_SLICE 1048576
/** [B] The widest window has so much in flight, within 16 and 128 slices. */
#define PLANI_FLIGHT 4194304
/** Trees are searched for messages of 64 B, so many times as much, and so on, and for the largest. */
#define PLANI_REFINED_STEP 64
/** Of the search's own number of moves, for one of many candidates, one part of so many. */
#define PLANI_PART_OF_MOVES 4

/* ---- what is simulated ---- */

/** So many transfers are simulated, as many as two long simulations have; then only who leads. */
#define PLANI_TRANSFERS 2048
/** So many algorithms try larger and smaller slices. */
#define PLANI_CLIMB 2

#endif
