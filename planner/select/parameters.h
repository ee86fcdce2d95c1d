/*
 * The constants of choosing, in one place. Where each comes from, and what halving and doubling it does, is in
 * planner/README.md; bench/planning/constants makes that table, by setting them on the compiler's command line.
 */
#ifndef PLANI_PARAMETERS_H
#define PLANI_PARAMETERS_H

/* ---- predictions ---- */

/** A candidate of several trees has to be predicted faster by this part for each tree beyond the first, */
#ifndef PLANI_TREE_WEIGHT
#define PLANI_TREE_WEIGHT 0.025
#endif
/** and one of rounds by this part. */
#ifndef PLANI_ROUNDS_WEIGHT
#define PLANI_ROUNDS_WEIGHT 0.15
#endif
/** A smaller slice is worth its messages if it is predicted to save this part of the time. */
#ifndef PLANI_WORTH_SMALLER
#define PLANI_WORTH_SMALLER 0.02
#endif

/* ---- what is tried ---- */

/** [B] Slices are powers of two from here, */
#ifndef PLANI_LEAST_SLICE
#define PLANI_LEAST_SLICE 1024
#endif
/** [B] to here, and the message whole. */
#ifndef PLANI_MOST_SLICE
#define PLANI_MOST_SLICE 1048576
#endif
/** [B] The widest window has so much in flight, within 16 and 128 slices. */
#ifndef PLANI_FLIGHT
#define PLANI_FLIGHT 4194304
#endif
/** Trees are searched for messages of 64 B, so many times as much, and so on, and for the largest. */
#ifndef PLANI_REFINED_STEP
#define PLANI_REFINED_STEP 64
#endif
/** Of the search's own number of moves, for one of many candidates, one part of so many. */
#ifndef PLANI_PART_OF_MOVES
#define PLANI_PART_OF_MOVES 4
#endif

/* ---- what is simulated ---- */

/** Candidates that stages see beyond so many times the best are not simulated, and cannot win, unless simulations of
 * all others take longer than that. */
#ifndef PLANI_REACH
#define PLANI_REACH 3.0
#endif
/** So many transfers are simulated, as many as two long simulations have; then only who leads. */
#ifndef PLANI_TRANSFERS
#define PLANI_TRANSFERS 2048
#endif
/** So many algorithms try larger and smaller slices. */
#ifndef PLANI_CLIMB
#define PLANI_CLIMB 2
#endif

#endif
