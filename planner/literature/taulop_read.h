/* tau-Lop parameters out of JSON: {"o_shm": s, "o_net": s, "L_shm": s, "L_net": s, "Q": 1.5, "gamma_shm": [...],
 * "gamma_net": [...]}. */
#ifndef LIT_TAULOP_READ_H
#define LIT_TAULOP_READ_H

#include "graphs/platform/json.h"
#include "planner/literature/taulop.h"

enum { LIT_GAMMAS = 4096 };

/** Room for the factors that a lit_taulop_t points to. */
typedef struct {
    double shm[LIT_GAMMAS], net[LIT_GAMMAS];
} lit_gamma_t;

/** Q, gamma_shm and gamma_net, which all algorithms share; 0 and none where absent. \retval PLAN_EFORMAT */
plan_status_t lit_taulop_read_shared(const plani_json_t *object, lit_gamma_t *gamma, lit_taulop_t *p);

/** o_shm, o_net, L_shm and L_net [s], 0 where absent. \retval PLAN_EFORMAT also where all are zero */
plan_status_t lit_taulop_read_costs(const plani_json_t *object, lit_taulop_t *p);

#endif
