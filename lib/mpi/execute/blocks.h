/* A datatype taken apart: for lib/mpi/blocks*.c alone. */
#ifndef PLANI_BLOCKS_H
#define PLANI_BLOCKS_H

#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/binding.h"

/** Blocks of `length` inner elements each; in packed order. */
struct plani_block_type {
    MPI_Datatype type;
    bool owned;      /* `type` is freed */
    size_t size;     /* packed [B] */
    MPI_Aint extent; /* [B] */
    bool gap_behind; /* the data of an element have no gap, but one follows before the next */
    bool taken;      /* what follows is filled in */
    size_t n;        /* blocks; 0: cannot be taken apart */
    /* Blocks in a regular pattern: */
    MPI_Aint displacement, stride; /* of the first; from each to the next [B] */
    int length;
    /* or listed: */
    MPI_Aint *at;  /* [n] or NULL */
    int *lengths;  /* [n] */
    size_t *start; /* [n + 1] packed bytes before each block */
    size_t ninner; /* 1 for all, or n */
    plani_block_type_t **inner;
};

/** Fill in the blocks: n == 0 where the datatype cannot be taken apart. 0, PLAN_ENOMEM or an MPI error code. */
int plani_blocks_take_apart(plani_block_type_t *t);

#endif
