/* How a few given trees share the slices best. */
#ifndef PLANI_SHARES_H
#define PLANI_SHARES_H

#include <stddef.h>
#include <planbcast/status.h>

/**
 * Rates of `trees` given trees whose sum is greatest, with no row (port, resource, link) held for more than a second
 * per second: the steady-state program over these trees alone.
 *
 * \param load [trees * rows] seconds for which a slice of each tree holds each row; each tree holds some row
 * \param[out] rate [trees] slices/s, at least 0; untouched on error
 * \retval PLAN_ENOMEM
 * \retval PLAN_ESOLVER GLPK gave up
 */
plan_status_t plani_share_rows(size_t trees, size_t rows, const double *load, double *rate);

#endif
