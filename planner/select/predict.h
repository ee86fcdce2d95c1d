/* How long an instance of an algorithm takes: one predictor for all of planning, at three fidelities. */
#ifndef PLANI_PREDICT_H
#define PLANI_PREDICT_H

#include "planner/algorithms/context.h"

typedef enum {
    PLANI_BOUND,     /* its steady state: what the busiest port or resource needs, without filling and draining */
    PLANI_STAGES,    /* tau-Lop's stages, or what the caller's own model says */
    PLANI_SIMULATION /* message by message; stages where the context does not simulate, or the kind is not known */
} plani_fidelity_t;

typedef struct {
    double seconds;
    double throughput;            /* PLANI_BOUND: slices/s in steady state */
    plan_bottleneck_t bottleneck; /* PLANI_BOUND: what that is limited by */
} plani_prediction_t;

/**
 * What the instance takes for a message that is pipelined like this.
 *
 * \retval PLAN_ENOMEM, or what the caller's model returns
 *
 * What it answers depends on its arguments and on the platform alone, not on earlier calls.
 */
plan_status_t plani_predict(plani_context_t *ctx, size_t instance, plani_pipeline_t how, plani_fidelity_t fidelity,
                            plani_prediction_t *out);

/** Whether `a` is less than `b` beyond rounding: of equals the first is kept. */
static inline bool plani_faster(double a, double b)
{
    return a < b * (1 - 1e-9);
}

#endif
