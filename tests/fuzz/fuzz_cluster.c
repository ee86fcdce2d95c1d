/* For any bytes, a cluster spec is read or refused with one line; no crash, no leak. Specs that are read
 * place every rank on a host, as many on each as they say. */
#include "fuzz.h"
#include "graphs/machine/cluster.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plani_cluster_t *c = NULL;
    plan_error_t err;
    plan_status_t rc = plani_cluster_parse((const char *)data, size, "fuzz", &c, &err);
    if (rc != PLAN_OK) {
        claim_refusal(rc, c, &err);
        return 0;
    }
    int *left = calloc((size_t)c->nhosts, sizeof *left), ranks = 0;
    claim(left != NULL && c->nhosts > 0 && c->ngroups > 0 && c->nsites > 0, "a spec of nothing");
    for (int h = 0; h < c->nhosts; h++) {
        left[h] = c->host[h].ranks;
        ranks += left[h];
        claim(c->host[h].group >= 0 && c->host[h].group < c->ngroups, "a host in no group");
    }
    claim(ranks == c->ranks, "ranks that no host has");
    for (int g = 0; g < c->ngroups; g++) claim(c->group[g].above < g && c->group[g].site < c->nsites, "a group above");
    for (int r = 0; r < c->ranks; r++) claim(left[c->host_of[r]]-- > 0, "a host with too many ranks");
    free(left);
    plani_cluster_destroy(&c);
    return 0;
}
