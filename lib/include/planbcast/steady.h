/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound: the steady-state linear program of Beaumont, Marchal, Robert 2004, program (2), on resources. */
#ifndef PLANBCAST_STEADY_H
#define PLANBCAST_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experimental ---- */

/** A solution of the program. Immutable. */
typedef struct plan_steady plan_steady_t;

/** Options of solving. Set `size`; all else may be 0. */
typedef struct {
    size_t size;         /* sizeof(plan_steady_options_t) */
    double gap;          /* stop at this relative gap; 0: 1e-6 */
    double enough;       /* a gap to stop at if reaching `gap` would take long; 0: none */
    double time_limit_s; /* stop after this time with the gap reached by then; 0: none */
    bool pack_trees;     /* pack the rates into trees, which carry the throughput up to a part of 1e-5 or `gap` */
    /** Solutions for the same ranks, links and resources at other costs, such as other slice sizes. Their rates and
     * dual values give bounds for this program, too; if these are within the gap, nothing is solved. */
    const plan_steady_t *const *known; /* [nknown] borrowed */
    size_t nknown;
} plan_steady_options_t;

/**
 * The bound of a platform: the program's value on its links, ports and resources at this slice size.
 *
 * Resources whose rates are guesses limit nothing. Without ports, only resources and links limit it, apart from links
 * that have the rate of a host's card which is a guess; with several, each link, the time send_u of each sender, and
 * resources. (Section 5.2.2 of Beaumont, Marchal, Robert 2004 compares trees of several ports with the program of one;
 * for that bound, ask with PLAN_PORTS_ONE.)
 *
 * NULL options: the defaults, with packing.
 *
 * \param slice [B] slice size, > 0
 *
 * \retval PLAN_EINVAL        slice <= 0, root out of range, one rank (nothing to send), or a known solution for other
 *                            ranks, links or resources
 * \retval PLAN_EUNREACHABLE  a rank cannot be reached: the throughput is 0
 * \retval PLAN_ETIME         the limit passed before any feasible solution
 * \retval PLAN_ESOLVER       GLPK failed
 */
PLAN_API plan_status_t plan_platform_bound(const plan_platform_t *pf, int root, double slice,
                                           const plan_steady_options_t *options, plan_steady_t **out,
                                           plan_error_t *err);
/** Free a solution; sets *s to NULL. NULL-safe. */
PLAN_API void plan_steady_destroy(plan_steady_t **s);

/** The content of a solution. */
typedef struct {
    double throughput, upper; /* [slices/s] certified lower and upper end; the lower is the throughput of `rate` */
    double gap;               /* (upper - throughput) / upper */
    double seconds;           /* [s] time of solving, without packing */
    int rounds;               /* iterations of all methods together */
    const char *method;       /* the one that closed the gap */
    /** [nlinks] n_uv [slices/s], feasible, and within the gap of the optimum. Optimal rates are seldom unique, and
     * depend on the method. Without a time limit the same platform and options give the same rates, to the bit, on the
     * same machine and version. */
    const double *rate;
    size_t ntrees;                 /* 0 if not packed */
    const double *tree_rate;       /* [ntrees] [slices/s], largest first */
    const int *const *tree_parent; /* [ntrees][ranks] */
} plan_steady_data_t;

/** Read a solution; valid as long as the solution. */
PLAN_API const plan_steady_data_t *plan_steady_data(const plan_steady_t *s);

#ifdef __cplusplus
}
#endif
#endif
