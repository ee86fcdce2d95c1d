/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated platforms, for experiments, tests and planning ahead. */
#ifndef PLANBCAST_GENERATE_H
#define PLANBCAST_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <planbcast/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- experimental ---- */

#define PLAN_MOST_GENERATED_RANKS 16384

/**
 * Random platform by Table 2 of Beaumont, Marchal, Robert 2004: each ordered pair is linked with probability `density`;
 * bandwidth Gaussian, mean 100 MB/s, deviation 20 MB/s (drawn again below 10 MB/s); no latency. It is drawn again until
 * every rank reaches every other; after 100 draws, links are added that make it so, so that sparse platforms come out
 * denser than asked for. Same seed, same platform, on every machine (xoshiro256**).
 *
 * \retval PLAN_EINVAL ranks < 1 or > PLAN_MOST_GENERATED_RANKS, or density outside (0, 1]
 */
PLAN_API plan_status_t plan_generate_random(int ranks, double density, uint64_t seed, plan_platform_t **out);

/**
 * The same platform with several ports (PLAN_PORTS_MULTI), as Table 2 has it: sending a slice of L bytes keeps rank u
 * busy for send_u(L) = 0.80 min T_uw(L) over its links (u, w). A rank without links out: 0.
 *
 * \retval PLAN_EINVAL no platform, or one whose ports are not PLAN_PORTS_ONE
 */
PLAN_API plan_status_t plan_generate_several_ports(const plan_platform_t *pf, plan_platform_t **out);

/**
 * The same platform with other ports than PLAN_PORTS_ONE: PLAN_PORTS_ONE_WAY, or PLAN_PORTS_MULTI with send_u(L) as
 * above and, if `receive`, the overhead of receiving: receive_v(L) = 0.20 min T_wv(L) over the links (w, v) into v, the
 * most that leaves T_uv = send_u + link_uv + receive_v with link_uv >= 0. Without it, PLAN_PORTS_MULTI is
 * plan_generate_several_ports.
 *
 * \retval PLAN_EINVAL no platform, one whose ports are not PLAN_PORTS_ONE, other ports, or `receive` with one way
 */
PLAN_API plan_status_t plan_generate_ports(const plan_platform_t *pf, plan_ports_t ports, bool receive,
                                           plan_platform_t **out);

/**
 * Tiers-like platform of WAN, MAN and LAN levels, after Calvert, Doar, Zegura 1997: every node is a rank, links go both
 * ways, bandwidths are drawn as for random platforms. Ranks have about 3.5 neighbours. The density is thus 0.11 to 0.14
 * for 30 ranks and 0.05 to 0.063 for 65, within the range of Beaumont, Marchal, Robert 2004. Sites are the regions
 * around the WAN's nodes. Same seed, same platform, on every machine.
 *
 * \retval PLAN_EINVAL ranks < 4 or > PLAN_MOST_GENERATED_RANKS (the papers: 30 and 65)
 */
PLAN_API plan_status_t plan_generate_tiers(int ranks, uint64_t seed, plan_platform_t **out);

/**
 * Platform of a cluster described by sites, trunks, hosts and cards (JSON, format "planbcast-cluster", version 1, see
 * bench/clusters/README.md): every ordered pair of ranks is a link; cards and trunks are resources.
 *
 * \retval PLAN_EIO     the file cannot be read
 * \retval PLAN_EFORMAT it is no cluster spec of version 1; `err` names the file, the place and the remedy
 * \retval PLAN_EINVAL  no path, or it has more ranks than a platform with a link for each pair may have
 */
PLAN_API plan_status_t plan_generate_sites(const char *spec_path, plan_platform_t **out, plan_error_t *err);

#ifdef __cplusplus
}
#endif
#endif
