/* The platform of a cluster: that of its ranks on the machine that it was read from, or that a spec describes. */
#include <planbcast/generate.h>
#include "graphs/generate/sites.h"
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include <stdlib.h>

enum { MOST_RANKS = 4096 };

static plani_place_t *places(const plani_cluster_t *c)
{
    plani_place_t *place = malloc((size_t)c->ranks * sizeof *place);
    for (int r = 0; r < c->ranks && place != NULL; r++)
        place[r] = (plani_place_t){.host = c->host_of[r], .place = {-1, -1, -1}};
    return place;
}

plan_status_t plani_cluster_platform_of(const plani_cluster_t *cluster, size_t nlinks, const int *from, const int *to,
                                        plan_platform_t **out, plan_error_t *err)
{
    const plani_machine_described_t described = {
        .nlinks = nlinks, .from = from, .to = to, .site_name = (const char *const *)cluster->site_name};
    plani_machine_t *made = NULL;
    plani_place_t *place = places(cluster);
    plan_status_t rc = place != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc == PLAN_OK && cluster->machine == NULL) rc = plani_machine_of_cluster(cluster, &made);
    if (rc == PLAN_OK)
        rc = plani_machine_platform_described(made != NULL ? made : cluster->machine, cluster->ranks, place, &described,
                                              out, err);
    else
        plani_fail(err, rc, "out of memory for a platform of %d ranks", cluster->ranks);
    free(place);
    plani_machine_destroy(&made);
    return rc;
}

plan_status_t plani_cluster_platform(const plani_cluster_t *cluster, plan_platform_t **out, plan_error_t *err)
{
    if (cluster->ranks > MOST_RANKS)
        return plani_fail(err, PLAN_EINVAL,
                          "a platform with a link for each pair of %d ranks is too large; up to %d ranks are allowed, "
                          "and `planbcast plan SPEC` without --only plans broadcasts for more",
                          cluster->ranks, MOST_RANKS);
    return plani_cluster_platform_of(cluster, 0, NULL, NULL, out, err);
}

plan_status_t plan_generate_sites(const char *spec_path, plan_platform_t **out, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    plani_cluster_t *cluster = NULL;

    if (spec_path == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no cluster spec given");
    plani_clear(err);
    if ((rc = plani_cluster_load(spec_path, &cluster, err)) == PLAN_OK) rc = plani_cluster_platform(cluster, out, err);
    plani_cluster_destroy(&cluster);
    return rc;
}
