/* Start-up time and bandwidth of N receivers, out of times. */
#ifndef BENCH_PAIRS_FIT_H
#define BENCH_PAIRS_FIT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Fit T(s) = tau + N s / BW, eq. (2) of Thune et al. 2023, to relative errors by Huber's regression; tau >= 0.
 *
 * \param bytes        [n] s > 0, of two values at least
 * \param seconds      [n] T > 0
 * \param[out] tau_s   [s]
 * \param[out] bytes_per_s  BW [B/s]
 * \return false: no fit
 */
bool pairs_fit(size_t n, const double *bytes, const double *seconds, int receivers, double *tau_s, double *bytes_per_s);

#endif
