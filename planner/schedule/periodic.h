/* Broadcasts over several trees as a periodic schedule. */
#ifndef PLANI_PERIODIC_H
#define PLANI_PERIODIC_H

#include "lib/base/text.h"
#include "planner/schedule/matchings.h"
#include <planbcast/platform.h>
#include <planbcast/steady.h>

enum { PLANI_MOST_PER_PERIOD = 10000 };

/** A slice on a link, or a part of it where the transfer is interrupted. */
typedef struct {
    size_t step, link;      /* indices: of the step in which it begins, of the platform's link */
    int slice;              /* of the period: 0 .. slices - 1 */
    int part;               /* 0, 1, ...: of this slice on this link */
    double begin, end;      /* of the slice: 0 .. 1 */
    double start_s, length; /* [s] in the period */
    int lag;                /* the slice is one of those that the root sent first so many periods before */
} plani_piece_t;

/**
 * In each period of period_s the root sends `slices` new slices, a batch, each down a tree of its own, and every piece
 * takes place once. Batch b takes place in period b + lag of each piece. So slice k of a message is number
 * k % slices of batch k / slices. Zero-initialise.
 */
typedef struct {
    int ranks, root, slices;
    double slice;     /* [B] */
    double bound;     /* [slices/s] no broadcast sustains more */
    size_t ntrees;    /* with a slice in the period */
    int *per_tree;    /* [ntrees] slices in a period */
    int *parent;      /* [ntrees * ranks] -1: the root */
    int *tree_of;     /* [slices] ascending */
    int height;       /* of the highest tree */
    double ports_s;   /* [s] the busiest port in a period: the steps take as long */
    double period_s;  /* [s] that, or longer: the busiest resource */
    double *finish_s; /* [slices] when each slice of batch 0 is on all ranks */
    double startup_s; /* [s] the latest of them */
    plani_matchings_t steps;
    size_t npieces;
    plani_piece_t *piece; /* [npieces] by (start_s, link) */
    size_t *into_first;   /* [slices * ranks + 1] the pieces of slice k into rank v are those from k * ranks + v on, */
    size_t *into;         /* [npieces] by time */
} plani_periodic_t;

/**
 * A periodic schedule that sustains nearly the bound. (Beaumont, Marchal, Robert 2004, section 4.1, refer for one to
 * Beaumont, Legrand, Marchal, Robert 2004, and print none; this one is ours.) The trees of the bound get whole numbers
 * of slices, of at most `most` in all: of all such roundings by largest remainders, the one of the highest throughput.
 * Their transfers in a period are divided into steps (plani_matchings_create). Each slice is sent on as soon as the
 * order of the steps permits, at the latest in the period after the one in which it came. So the first batch takes at
 * most `height` periods where links have no delay.
 *
 * Ports are free of conflicts at each moment. Resources have time for all that a period asks of them, but may be asked
 * for more than they carry at one moment.
 *
 * \param steady  the bound of pf from `root` at this slice size [B], with its trees
 * \retval PLAN_EINVAL        `most` is not 1 .. PLANI_MOST_PER_PERIOD, or steady has no trees or is of another platform
 * \retval PLAN_EUNSUPPORTED  a platform without ports: it has nothing that steps keep apart; or delays of more than a
 *                            million periods
 */
plan_status_t plani_periodic_create(const plan_platform_t *pf, int root, double slice, int most,
                                    const plan_steady_t *steady, plani_periodic_t *out, plan_error_t *err);
/**
 * The same for one message of so many slices, > 0: with fewer than `most` slices per period if the message then takes
 * less time. Shorter periods start faster and sustain less; of every throughput the shortest is tried.
 */
plan_status_t plani_periodic_create_for(const plan_platform_t *pf, int root, double slice, int most, size_t slices,
                                        const plan_steady_t *steady, plani_periodic_t *out, plan_error_t *err);
void plani_periodic_clear(plani_periodic_t *p);

/** [slices/s] */
static inline double plani_periodic_throughput(const plani_periodic_t *p)
{
    return p->slices / p->period_s;
}
/** [s] When the last rank has a message of so many slices, > 0. */
double plani_periodic_time(const plani_periodic_t *p, size_t slices);

/**
 * Every message of a broadcast of `bytes` in GOAL (see planner/exports/goal.c). A rank's sends follow one another in
 * the order of the schedule, each when the one before is over, and so do its receives. The parts of a slice that is
 * interrupted are messages of their own, of whole bytes.
 * \retval PLAN_EUNSUPPORTED more than 4,000,000 messages
 */
plan_status_t plani_periodic_put_goal(const plani_periodic_t *p, const plan_platform_t *pf, size_t bytes,
                                      plani_text_t *to, plan_error_t *err);
/**
 * An SVG picture of all periods until the first batch is on all ranks, and one more.
 * \retval PLAN_EUNSUPPORTED more than 20,000 transfers
 */
plan_status_t plani_periodic_put_svg(const plani_periodic_t *p, const plan_platform_t *pf, plani_text_t *to,
                                     plan_error_t *err);

#endif
