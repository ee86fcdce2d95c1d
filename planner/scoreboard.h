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

#define PLANI_SLICES 16 /* more than are tried */
/**
 * A smaller slice is worth its messages if it is predicted to save this part of the time: the model knows no less, and
 * knows nothing of the processors' time for each message.
 */
#define PLANI_WORTH_SMALLER 0.02

/** The slice sizes to try for a message, whole (0) first, then from large to small. \return how many */
size_t plani_slices(const plan_choice_t *choice, size_t bytes, size_t slice[PLANI_SLICES]);

/** Every form at every slice size. */
typedef struct {
    size_t slices;
    plani_best_t *at; /* [nforms * slices] with the best window; INFINITY seconds for twins of earlier forms */
} plani_scores_t;

/** at[] is the caller's to free, also on failure. */
plan_status_t plani_score_forms(const plani_workshop_t *ws, size_t bytes, plani_scores_t *scores);
/**
 * The best of an item's forms: the largest slice at which it is within PLANI_WORTH_SMALLER of its fastest.
 * seconds is INFINITY if the item has no forms.
 */
plani_best_t plani_best_of_item(const plani_workshop_t *ws, const plani_scores_t *scores, size_t item);
/** The candidate that a form is at this slice size and window. */
plan_status_t plani_candidate_from_form(plani_workshop_t *ws, const plani_best_t *best, size_t bytes,
                                        plan_candidate_t *out, plan_error_t *err);
/** As plan_scoreboard_create, in a workshop that has been built. */
plan_status_t plani_scoreboard_draw(plani_workshop_t *ws, size_t bytes, plan_scoreboard_t **out, plan_error_t *err);

#endif
