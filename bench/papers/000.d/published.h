/* The numbers printed in Nuriyev et al. 2022, read from the files of this folder. */
#ifndef PAPER_000_PUBLISHED_H
#define PAPER_000_PUBLISHED_H

#include <stddef.h>
#include "planner/literature/taulop.h"
#include "planner/taulop/score.h"

enum { ALGORITHMS = 6, CLUSTERS = 3, MOST_CELLS = 64, MOST_GAMMAS = 16, EQUATIONS = 9 };

/* The paper's six algorithms: linear, K-chain, chain, split-binary, binary and binomial tree. */
extern const plan_topology_t algorithm[ALGORITHMS];

/* Table 2, one row on one cluster, with the gammas and Q of that cluster. */
typedef struct {
    lit_taulop_t taulop;
    double shm[MOST_GAMMAS], net[MOST_GAMMAS];
} row_t;

typedef struct {
    const char *name;
    int ranks_per_host;
    row_t row[ALGORITHMS];
} cluster_t;

/* One line of Table 3. */
typedef struct {
    int cluster, ranks;
    size_t bytes;
    int best, model, native;           /* algorithms */
    int model_penalty, native_penalty; /* [%] */
} cell_t;

/* One line of equation (20). */
typedef struct {
    size_t bytes;
    double o_net, L_shm, L_net, seconds;
} equation_t;

typedef struct {
    cluster_t cluster[CLUSTERS];
    int ncells;
    cell_t cell[MOST_CELLS];
    equation_t equation[EQUATIONS];
} published_t;

/* 0: failed; one line on standard error names the file and the reason. */
int published_read(const char *folder, published_t *p);

#endif
