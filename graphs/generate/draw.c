#include "graphs/generate/draw.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>

plan_status_t plani_links_draw(plani_links_t *links, plani_rng_t *rng, int from, int to)
{
    double bytes_per_s;

    plan_link_t *link = plani_grown(links->link, links->n, &links->room, sizeof *link);
    if (link == NULL) return PLAN_ENOMEM;
    links->link = link;
    do bytes_per_s = round(100e6 + 20e6 * plani_rng_gauss(rng));
    while (bytes_per_s < 10e6);
    links->link[links->n++] = (plan_link_t){from, to, 0, 1 / bytes_per_s, 0, -1};
    return PLAN_OK;
}
