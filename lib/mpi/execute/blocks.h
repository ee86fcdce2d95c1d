/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a datatype. Private to blocks*.c. */
#ifndef PLANI_BLOCKS_H
#define PLANI_BLOCKS_H

#include "graphs/trees/rounds.h"
#include "lib/mpi/execute/binding.h"

/** A datatype as blocks of elements of inner datatypes, in packed order. */
struct plani_block_type {
    MPI_Datatype type;
    bool owned;      /* `type` is freed */
    size_t size;     /* packed [B] */
    MPI_Aint extent; /* [B] */
    bool gap_behind; /* an element is contiguous, but a gap follows before the next */
    bool dense;      /* MPI defines it, and its packed bytes are those in memory */
    bool taken;      /* the members below are filled in */
    size_t n;        /* blocks; 0: cannot be taken apart */
    /* Blocks in a regular pattern: */
    MPI_Aint displacement, stride; /* [B] of the first block; from each to the next */
    size_t length;                 /* inner elements per block */
    /* or listed: */
    MPI_Aint *at;  /* [n] [B] displacements, or NULL */
    int *lengths;  /* [n] inner elements; INT_MAX: that many, or more */
    size_t *start; /* [n + 1] packed bytes before each block */
    size_t ninner; /* 1: the same for all blocks; or n */
    plani_block_type_t **inner;
};

/** Fill in the blocks: n == 0 where the datatype cannot be taken apart. 0, PLAN_ENOMEM or an MPI error code. */
int plani_blocks_take_apart(plani_block_type_t *t);

#endif
