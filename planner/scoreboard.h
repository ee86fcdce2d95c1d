/* Drawing up scoreboards from a workshop: shared with the planning of all sizes. */
#ifndef PLANI_SCOREBOARD_H
#define PLANI_SCOREBOARD_H

#include "planner/workshop.h"

/** How a form does best. */
typedef struct {
    size_t form; /* index in the workshop */
    size_t slice;
    int window;
    double seconds;
} plani_best_t;

/** Whether `a` is better than `b`, beyond what rounding can tell: equals go to the one that came first. */
static inline bool plani_faster(double a, double b)
{
    return a < b * (1 - 1e-9);
}

/** The slice sizes to try for a message, whole (0) first, then from large to small. \return how many, at most 16 */
size_t plani_slices(const plan_choice_t *choice, size_t bytes, size_t slice[16]);
/** Best slice size and window for each form that no earlier one equals; seconds is INFINITY for twins. [nforms] */
plan_status_t plani_best_of_forms(const plani_workshop_t *ws, size_t bytes, plani_best_t *best);
/** The candidate that a form is at this slice size and window. */
plan_status_t plani_candidate_from_form(plani_workshop_t *ws, const plani_best_t *best, size_t bytes,
                                        plan_candidate_t *out, plan_error_t *err);
/** As plan_scoreboard_create, in a workshop that has been built. */
plan_status_t plani_scoreboard_draw(plani_workshop_t *ws, size_t bytes, plan_scoreboard_t **out, plan_error_t *err);

#endif
