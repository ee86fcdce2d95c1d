/* Which candidates of a ranking are worth timing: they differ in shape and in slice, and the cheaper a broadcast,
 * the more of them. */
#ifndef PLANI_FINALISTS_H
#define PLANI_FINALISTS_H

#include <stdbool.h>
#include <planbcast/plan.h>

#define PLANI_FINALISTS 48 /* room for those of one size */
#define PLANI_VARIANTS 5   /* of one candidate at most */

typedef struct {
    int least; /* so many where there are as many; 0: none; more than there are candidates: all */
    double
        budget_s;   /* for timing them all; beyond `least`, more where several runs of each take less than half of it */
    double aside_s; /* what a run takes besides its broadcast [s] */
    const plan_ranking_t *before; /* a smaller size, timed; NULL: nothing is known */
} plani_finals_t;

/**
 * What c is expected to take [s]: its predicted time, times what it took longer than predicted at the size before, or,
 * if it was not timed there, the best of its shape; half as much (in powers) of that as of what the best of all took
 * longer, for where a model errs at one size it errs less at the next. If none of its shape was timed, and with nothing
 * known, the weighed prediction.
 */
double plani_expected(const plan_ranking_t *before, const plan_candidate_t *c);

/** What c takes [s] if it, or the best of its shape if it was not timed, errs as much as before; NAN: nothing is known
 * of either. */
double plani_corrected(const plan_ranking_t *before, const plan_candidate_t *c);

/**
 * Planned candidates that are worth timing, the one expected fastest first, each broadcast once.
 *
 * Always the model's own choice; the best of each shape, for where the model errs, it errs for a whole shape; then who
 * is expected fastest, but no more than two that the model cannot tell apart. Who was far behind at the size before, or
 * is expected to be, is left out.
 * \param[out] pick indices of ranking->candidate \return how many
 */
size_t plani_finalists(const plan_ranking_t *ranking, const plani_finals_t *how, size_t pick[PLANI_FINALISTS]);

/** Was the candidate of this name far behind at the size before, which was not much smaller? */
bool plani_is_hopeless(const plan_ranking_t *before, const plan_ranking_t *ranking, const char *name);

/** c with this slice and window, if `choice` lets it, it does anything else, and each tree gets a slice; its trees are
 * c's. */
bool plani_variant(const plan_platform_t *pf, const plan_choice_t *choice, const plan_candidate_t *c, size_t bytes,
                   size_t slice, int window, plan_candidate_t *v);

/**
 * c with half and double the slice, half and double the window, and sent whole, as far as `choice` does not fix them
 * and they do anything else; predicted like c. Their trees are c's. \return how many
 */
int plani_variants(const plan_platform_t *pf, const plan_choice_t *choice, const plan_candidate_t *c, size_t bytes,
                   plan_candidate_t v[PLANI_VARIANTS]);

#endif
