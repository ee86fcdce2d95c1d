/* Predictions of broadcasts by the four parameters of LogGP, or by a measured profile and its simulation. */
#ifndef PAPER_004_WORLD_H
#define PAPER_004_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include "planner/literature/models.h"
#include "planner/simulate/simulation.h"
#include <planbcast/tree.h>

enum { TAULOP = LIT_MODELS, SIMULATION, MODELS, MOST_RANKS = 64 };

/** A broadcast method: an algorithm of lit_collective_algorithm and a segment size. */
typedef struct {
    const char *name;
    plan_topology_t kind;
    size_t segment; /* [B]; 0: whole */
} method_t;
enum { METHODS = 15 };
extern const method_t methods[METHODS];

typedef struct {
    bool printed; /* unsegmented split-binary sends one segment as long as the message down each half */
    lit_network_owned_t *network;
    plan_platform_t *machine;               /* NULL: there is no profile; tau-Lop and the simulation predict nothing */
    plan_platform_t *first[MOST_RANKS + 1]; /* first[p]: its ranks 0..p-1 */
    plani_simulation_t *simulation[MOST_RANKS + 1]; /* of broadcasts among these */
} world_t;

/** Read {"loggp": ...} (lit_network_parse), or a profile, of which the first network class with a curve is used. */
plan_status_t world_open(const char *path, world_t *w, plan_error_t *err);
void world_close(world_t *w);

/** "hockney", "loggp", "plogp", "taulop", "simulation"; NULL: no more. */
const char *model_name(int model);
/**
 * Predicted time [s]. INFINITY: the segment is as long as the message (which equals the unsegmented method), or the
 * model has no parameters.
 *
 * Unsegmented split-binary uses segments of half the message; with w->printed, of the whole message, as in the paper.
 * Of split-binary the simulation takes the way of the halves down the tree; their exchange is a stage of tau-Lop.
 */
double world_predict(world_t *w, int model, int ranks, const method_t *method, size_t bytes);

#endif
