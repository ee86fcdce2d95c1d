/*
 * Random platforms by Table 2 of Beaumont, Marchal, Robert 2004.
 *
 * Read so: the density is the probability of each ordered pair, u -> v and v -> u being drawn apart, with costs of
 * their own. The paper does not say how its platforms came to be connected, and at its smallest densities (10 ranks,
 * 0.04: 3.6 links expected, where 10 are needed) hardly any draw is. Here a platform is drawn again until every rank
 * reaches every other, up to 100 times; the last draw is then connected: one link from each strongly connected
 * component to the next, in a random circle. So sparse platforms are denser than asked for.
 */
#include <planbcast/generate.h>
#include "graphs/generate/draw.h"
#include "graphs/platform/components.h"
#include "lib/base/base.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { REDRAWS = 100 };
#define MAX_PAIRS 2e7 /* drawn in vain, at most */

static plan_status_t draw(int ranks, double density, plani_rng_t *rng, plani_links_t *links)
{
    links->n = 0;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++) {
            if (u == v || plani_rng_unit(rng) >= density) continue;
            if (plani_links_draw(links, rng, u, v) != PLAN_OK) return PLAN_ENOMEM;
        }
    return PLAN_OK;
}

static bool has_link(const plani_links_t *links, size_t n, int from, int to)
{
    for (size_t i = 0; i < n; i++)
        if (links->link[i].from == from && links->link[i].to == to) return true;
    return false;
}

/* A random rank of each component, then the components in random order: member[i] -> member[i + 1] closes a circle. */
static plan_status_t connect(int ranks, int components, const int *component, plani_rng_t *rng, plani_links_t *links)
{
    plan_status_t rc = PLAN_OK;
    int *member[2] = {malloc((size_t)components * sizeof(int)), malloc((size_t)components * sizeof(int))};
    int *size = calloc((size_t)components, sizeof *size);

    if (member[0] == NULL || member[1] == NULL || size == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (int r = 0; r < ranks; r++) { /* the k-th of a component replaces the one kept with probability 1/k */
        int c = component[r];
        size[c]++;
        for (int end = 0; end < 2; end++)
            if (plani_rng_below(rng, (uint64_t)size[c]) == 0) member[end][c] = r;
    }
    for (int i = components - 1; i > 0; i--) {
        int j = (int)plani_rng_below(rng, (uint64_t)i + 1);
        for (int end = 0; end < 2; end++) {
            int swap = member[end][i];
            member[end][i] = member[end][j], member[end][j] = swap;
        }
    }
    size_t drawn = links->n;
    for (int i = 0; i < components && rc == PLAN_OK; i++) {
        int from = member[0][i], to = member[1][(i + 1) % components];
        if (!has_link(links, drawn, from, to)) rc = plani_links_draw(links, rng, from, to);
    }
done:
    free(member[0]);
    free(member[1]);
    free(size);
    return rc;
}

static plan_status_t draw_connected(int ranks, double density, plani_rng_t *rng, plani_links_t *links)
{
    plan_status_t rc = PLAN_OK;
    int components = 0, *component = malloc((size_t)ranks * sizeof *component);
    double pairs = 0;

    if (component == NULL) return PLAN_ENOMEM;
    for (int i = 0; i < REDRAWS && components != 1 && (i == 0 || pairs < MAX_PAIRS); i++) {
        if ((rc = draw(ranks, density, rng, links)) != PLAN_OK) goto done;
        if ((rc = plani_components(ranks, links->link, links->n, PLANI_STRONG, component, &components)) != PLAN_OK)
            goto done;
        pairs += (double)ranks * ranks;
    }
    if (components > 1) rc = connect(ranks, components, component, rng, links);
done:
    free(component);
    return rc;
}

plan_status_t plan_generate_random(int ranks, double density, uint64_t seed, plan_platform_t **out)
{
    plan_status_t rc = PLAN_OK;
    plani_rng_t rng;
    plani_links_t links = {0};
    char name[96];

    if (ranks < 1 || ranks > PLAN_MOST_GENERATED_RANKS || !(density > 0 && density <= 1) || out == NULL)
        return PLAN_EINVAL;
    plani_rng_seed(&rng, seed);
    if ((rc = draw_connected(ranks, density, &rng, &links)) != PLAN_OK) goto done;
    snprintf(name, sizeof name, "random, %d ranks, density %g, seed %llu", ranks, density, (unsigned long long)seed);
    const plan_platform_data_t data = {
        .size = sizeof data, .name = name, .ranks = ranks, .nlinks = links.n, .link = links.link};
    rc = plan_platform_create(&data, out, NULL);
done:
    free(links.link);
    return rc;
}

/* [s] and [s/B]: a share of the shortest of n links. Without latency that of least s_per_byte is the shortest at every
 * size. With latencies the least of each is taken, which is never more than the shortest. */
static void share_of_shortest(const plan_platform_data_t *d, const size_t *index, size_t first, size_t end,
                              double share, double *start, double *rate)
{
    for (size_t k = first; k < end; k++) {
        const plan_link_t *l = &d->link[index != NULL ? index[k] : k];
        *start = k == first ? share * l->latency_s : plani_min(*start, share * l->latency_s);
        *rate = k == first ? share * l->s_per_byte : plani_min(*rate, share * l->s_per_byte);
    }
}

plan_status_t plan_generate_ports(const plan_platform_t *pf, plan_ports_t ports, bool receive, plan_platform_t **out)
{
    static const double send_share = 0.80, receive_share = 0.20;
    if (pf == NULL || out == NULL || plan_platform_data(pf)->ports != PLAN_PORTS_ONE) return PLAN_EINVAL;
    if (ports != PLAN_PORTS_MULTI && (ports != PLAN_PORTS_ONE_WAY || receive)) return PLAN_EINVAL;
    plan_platform_data_t d = *plan_platform_data(pf);
    size_t n = (size_t)d.ranks;
    double *time = calloc(4 * n, sizeof *time);

    if (time == NULL) return PLAN_ENOMEM;
    for (size_t u = 0; u < n; u++) {
        share_of_shortest(&d, NULL, d.out_first[u], d.out_first[u + 1], send_share, &time[u], &time[n + u]);
        share_of_shortest(&d, d.in_link, d.in_first[u], d.in_first[u + 1], receive_share, &time[2 * n + u],
                          &time[3 * n + u]);
    }
    d.ports = ports;
    if (ports == PLAN_PORTS_MULTI) d.send_s = time, d.send_s_per_byte = time + n;
    if (receive) d.receive_s = time + 2 * n, d.receive_s_per_byte = time + 3 * n;
    plan_status_t rc = plan_platform_create(&d, out, NULL);
    free(time);
    return rc;
}

plan_status_t plan_generate_several_ports(const plan_platform_t *pf, plan_platform_t **out)
{
    return plan_generate_ports(pf, PLAN_PORTS_MULTI, false, out);
}
