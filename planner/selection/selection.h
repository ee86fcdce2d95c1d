/*
 * Choosing among an MPI library's own broadcasts from timed ones: the method of Nuriyev, Rico-Gallego, Lastovetsky 2022
 * for any table of times. Parameters belong to an algorithm, as in the paper; what an algorithm does is counted on its
 * messages.
 */
#ifndef PLANI_SELECTION_H
#define PLANI_SELECTION_H

#include "planner/exports/exports.h"

enum { SEL_WAYS = 32, SEL_COMMUNICATORS = 16 };

/** A way to broadcast: an algorithm of the library with a segment size. */
typedef struct {
    const plani_setting_t *setting;
    size_t segment; /* [B] 0: whole */
} sel_way_t;

/** Ranks in blocks of per_host on their hosts, the root being rank 0. */
typedef struct {
    int ranks, per_host;
} sel_layout_t;

static inline bool sel_same_layout(sel_layout_t a, sel_layout_t b)
{
    return a.ranks == b.ranks && a.per_host == b.per_host;
}

/* ---- what is timed: table.c ---- */

typedef struct {
    int way; /* SEL_DEFAULT: as the library chooses itself */
    sel_layout_t layout;
    size_t bytes;
    double seconds;
} sel_timing_t;
enum { SEL_DEFAULT = -1 };

/** Zero-initialise. */
typedef struct {
    const plani_target_t *library;
    int nways; /* in the order of the library's settings, then of segments */
    sel_way_t way[SEL_WAYS];
    size_t n;
    sel_timing_t *timing; /* [n] by way, layout, bytes */
} sel_table_t;

/**
 * Read lines of an algorithm, ranks, ranks per host, bytes, seconds and, if not 0, the segment size in bytes, separated
 * by blanks or tabs. Text behind # is ignored, and a first line that begins with "algorithm". Algorithms are called as
 * the library's settings are; "chain", "knomial" and "kary" without fan-out have Open MPI's default. "default" is the
 * library's own choice.
 * \retval PLAN_EFORMAT `err` names file, line and remedy
 */
plan_status_t sel_table_parse(const char *text, size_t len, const char *file, const plani_target_t *library,
                              sel_table_t *out, plan_error_t *err);
void sel_table_clear(sel_table_t *table);
/** The median of the times of a way; NAN: there is none. */
double sel_table_time(const sel_table_t *table, int way, sel_layout_t layout, size_t bytes);
/** Names a way: "chain/4", "chain/4 in segments of 64 KiB". */
plani_doing_t sel_doing(const sel_way_t *way);

/* ---- what an algorithm does: work.c ---- */

/** An algorithm's messages on a layout, ready to be counted. */
typedef struct sel_work sel_work_t;

/**
 * \param gamma [ngamma] of o(m): gamma[i] belongs to flat trees of i + 2 processes; none: sends cost o(m) once
 * \retval PLAN_EINVAL a layout without ranks
 */
plan_status_t sel_work_create(const sel_way_t *way, sel_layout_t layout, size_t ngamma, const double *gamma,
                              sel_work_t **out);
void sel_work_destroy(sel_work_t **work);
/**
 * Count the stages, and the bytes that pass one after the other.
 *
 * A stage counts gamma(P) of its costliest flat tree; its bytes are the most that a rank sends, a rank receives, or a
 * host sends to or receives from other hosts. So with one rank per host, for P = 2^q ranks and a message of m:
 *
 *     algorithm                 stages           bytes
 *     linear                    1                (P - 1) m
 *     binomial                  q                q (q + 1) / 2 m
 *     k-nomial, P = k^q         q                (k - 1) q (q + 1) / 2 m
 *     scatter, ring             q + P - 1        about 2 m
 *     scatter, doubling         2 q              about 2 m
 *     pipeline, n segments      P + n - 2        (P + n - 2) m / n
 */
void sel_work_count(sel_work_t *work, size_t bytes, double *stages, double *serial_bytes);

/* ---- parameters: fit.c ---- */

/** Of one way: T = o stages + L serial bytes. */
typedef struct {
    double o, L; /* [s], [s/B] */
    size_t rows; /* that they follow from */
} sel_parameters_t;

typedef struct {
    size_t bytes;
    double seconds;
} sel_point_t;

/** The times of a way on a layout, by size. */
typedef struct {
    int way;
    sel_layout_t layout;
    size_t n, room;
    sel_point_t *point; /* [n] medians, ascending sizes */
} sel_curve_t;

typedef struct {
    bool parameters_alone; /* as in the paper; else between measured sizes by the times themselves */
    size_t ngamma;
    const double *gamma; /* [ngamma] as in sel_work_create */
    const bool *use;     /* [rows of the table] which count; NULL: all */
} sel_settings_t;

/** Zero-initialise. */
typedef struct {
    const sel_table_t *table; /* borrowed, as what the settings point to is */
    sel_settings_t settings;
    sel_parameters_t parameters[SEL_WAYS];
    double s_per_byte; /* [s/B] of the machine: how the times of all algorithms grow at the largest sizes */
    size_t ncurves;
    sel_curve_t *curve; /* [ncurves] by way and layout */
    size_t nknown, room;
    struct sel_known_work *known;  /* [nknown] works that were needed */
    const struct sel_given *given; /* borrowed; NULL: parameters and curves are estimated from a table */
} sel_fit_t;

/**
 * Estimate the parameters of every way from the rows of the table.
 *
 * Huber regression of the relative error, T / t - 1, so that small messages count as much as large ones; with fewer
 * than five rows least squares, for then an outlier cannot be told. No parameter is negative. Of a single row the bytes
 * take no more than s_per_byte.
 *
 * \retval PLAN_EINVAL no row counts
 */
plan_status_t sel_fit(const sel_table_t *table, const sel_settings_t *settings, sel_fit_t *out, plan_error_t *err);
void sel_fit_clear(sel_fit_t *fit);

/**
 * Predict the time of a way. INFINITY: the library does not do that, or nothing is known of it.
 *
 * By curves: between two measured sizes the geometric mean of the line and of the power of the size through them. Below
 * the smallest the line through the first two, but not less than in proportion. Beyond the largest every further stage
 * takes o, and every further serial byte the machine's s_per_byte. On a layout without times, those of the most similar
 * layout count, times the ratio by the parameters.
 */
plan_status_t sel_predict(sel_fit_t *fit, int way, sel_layout_t layout, size_t bytes, double *seconds);
/** The way of the least time, of equal ones the first; -1: none is known. */
plan_status_t sel_choose(sel_fit_t *fit, sel_layout_t layout, size_t bytes, int *way, double *seconds);
/**
 * The rules for communicators of these layouts [n], ranks ascending, and messages of up to `bytes`.
 * \retval PLAN_EINVAL nothing is known for some size
 */
plan_status_t sel_rules(sel_fit_t *fit, size_t n, const sel_layout_t *layout, size_t bytes, plani_rules_t *out,
                        plan_error_t *err);

/* ---- parameters that are given: given.c ---- */

/** The paper's parameters of several algorithms for one segment size, and a table of these ways without times. */
typedef struct sel_given sel_given_t;

/**
 * Read them from JSON,
 *
 *     {"segment": 8192, "Q": 12, "gamma_shm": [1, 1], "gamma_net": [1, 1.084, 1.17],
 *      "algorithms": {"binomial": {"o_shm": 0, "o_net": 1.9e-5, "L_shm": 8e-6, "L_net": 1.9e-5}, ...}}
 *
 * in seconds for one segment, as lit_taulop_t has them; "segment" and "algorithms" are required, and what is left out
 * is 0 or, of gamma, serial. Algorithms are trees of Open MPI. \retval PLAN_EFORMAT `err` names file, place and remedy
 */
plan_status_t sel_given_parse(const char *text, size_t len, const char *file, sel_given_t **out, plan_error_t *err);
void sel_given_destroy(sel_given_t **given);
/** What sel_predict, sel_choose and sel_rules take; borrows `given`. */
sel_fit_t sel_given_fit(const sel_given_t *given);

/* ---- Open MPI's decision: given.c ---- */

/** The decision of Open MPI 3.1 that Nuriyev et al. 2022 print as Listing 1: the broadcast's name among its settings.
 */
const char *sel_listing1(int ranks, size_t bytes);

/**
 * Huber regression of y on n >= p rows of p columns, without intercept; the median absolute residual is the scale.
 * False: it did not converge.
 */
bool sel_huber(size_t n, size_t p, const double *x, const double *y, double *c);

#endif
