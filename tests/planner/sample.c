#include "sample.h"
#include "lib/base/splitmix.h"
#include <stdlib.h>

uint64_t sample_next(uint64_t *state)
{
    return plani_random(state);
}

int sample_below(uint64_t *state, int n)
{
    return (int)(sample_next(state) % (uint64_t)n);
}

static double unit(uint64_t *state)
{
    return (double)(sample_next(state) >> 11) / 9007199254740992.0;
}

static size_t draw_links(const sample_t *s, uint64_t *state, plan_link_t *link)
{
    size_t nlinks = 0;
    int *ring = malloc((size_t)s->ranks * sizeof *ring); /* ring[r] follows r */
    int *order = malloc((size_t)s->ranks * sizeof *order);
    for (int r = 0; r < s->ranks; r++) order[r] = r;
    for (int r = s->ranks; r-- > 1;) {
        int k = sample_below(state, r + 1), keep = order[r];
        order[r] = order[k];
        order[k] = keep;
    }
    for (int r = 0; r < s->ranks; r++) ring[order[r]] = order[(r + 1) % s->ranks];
    for (int u = 0; u < s->ranks; u++)
        for (int v = 0; v < s->ranks; v++) {
            if (u == v || (unit(state) >= s->density && ring[u] != v)) continue;
            double cost = s->costs > 0 ? 1 + sample_below(state, s->costs) : 1 + 9 * unit(state);
            link[nlinks++] = (plan_link_t){u, v, 0, cost, 0, -1};
        }
    free(ring);
    free(order);
    return nlinks;
}

plan_platform_t *sample_platform(const sample_t *s)
{
    uint64_t state = s->seed;
    size_t most = (size_t)s->ranks * (size_t)s->ranks;
    plan_link_t *link = malloc(most * sizeof *link);
    size_t *listed = malloc((size_t)(s->resources + 1) * most * sizeof *listed);
    plan_resource_t *resource = malloc((size_t)(s->resources + 1) * sizeof *resource);
    double *send = malloc((size_t)s->ranks * sizeof *send);
    plan_platform_t *pf = NULL;

    size_t nlinks = draw_links(s, &state, link);
    for (int i = 0; i < s->resources; i++) {
        size_t n = 0;
        for (size_t l = 0; l < nlinks; l++)
            if (sample_below(&state, 3) == 0) listed[(size_t)i * most + n++] = l;
        resource[i] = (plan_resource_t){.name = "shared",
                                        .s_per_message = i % 2 ? 0.75 : 0,
                                        .s_per_byte = 0.5 + sample_below(&state, 4),
                                        .guess = i >= s->resources - s->guesses,
                                        .nlinks = n,
                                        .link = listed + (size_t)i * most};
    }
    for (int r = 0; r < s->ranks; r++) send[r] = 0.5 + unit(&state);
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = s->ranks,
                                    .nlinks = nlinks,
                                    .link = link,
                                    .nresources = (size_t)s->resources,
                                    .resource = resource,
                                    .ports = s->multiport ? PLAN_PORTS_MULTI : PLAN_PORTS_ONE,
                                    .send_s = s->multiport ? send : NULL};
    if (plan_platform_create(&d, &pf, NULL) != PLAN_OK) pf = NULL;
    free(link);
    free(listed);
    free(resource);
    free(send);
    return pf;
}

plan_platform_t *sample_complete(int ranks)
{
    return sample_platform(&(sample_t){.ranks = ranks, .density = 2, .costs = 1, .seed = 1});
}
