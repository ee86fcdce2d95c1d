/* Platforms made up: for experiments, tests and planning ahead. */
#ifndef PLANBCAST_GENERATE_H
#define PLANBCAST_GENERATE_H

#include <stdint.h>
#include <planbcast/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Random platform by Table 2 of Beaumont, Marchal, Robert 2004: each ordered pair (read: documented in the source) is
 * linked with probability `density`; bandwidth Gaussian, mean 100 MB/s, deviation 20 MB/s (redrawn below 10 MB/s);
 * every rank is reachable from every other (documented how). Same seed, same platform, on every machine.
 *
 * \retval PLAN_EINVAL ranks < 1 or density outside (0, 1]
 */
PLAN_API plan_status_t plan_generate_random(int ranks, double density, uint64_t seed, plan_platform_t **out);

/** Tiers-like platform of WAN, MAN and LAN levels, after Calvert, Doar, Zegura 1997; ranks >= 4 (the papers: 30, 65).
 */
PLAN_API plan_status_t plan_generate_tiers(int ranks, uint64_t seed, plan_platform_t **out);

/**
 * Platform of a cluster described by sites, trunks, hosts and cards (JSON, format "planbcast-cluster", version 1, see
 * bench/clusters/README.md): every ordered pair of ranks is a link; cards and trunks are resources.
 */
PLAN_API plan_status_t plan_generate_sites(const char *spec_path, plan_platform_t **out, plan_error_t *err);

#ifdef __cplusplus
}
#endif
#endif
