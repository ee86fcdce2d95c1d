/* The best rates of a few given trees. */
#ifndef PLANI_SHARES_H
#define PLANI_SHARES_H

#include <stddef.h>
#include <planbcast/status.h>

/**
 * Rates of `trees` given trees with the largest sum, such that no row (port, resource, link) is occupied for more than
 * 1 second per second: the steady-state program over these trees only.
 *
 * \param load [trees * rows] [s] for which a slice of each tree occupies each row; each tree occupies some row
 * \param[out] rate [trees] slices/s, at least 0; untouched on error
 * \retval PLAN_ENOMEM
 * \retval PLAN_ESOLVER GLPK failed
 */
plan_status_t plani_share_rows(size_t trees, size_t rows, const double *load, double *rate);

#endif
