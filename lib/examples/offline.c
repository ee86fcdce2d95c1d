/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan without MPI: describe a machine, ask for the bound and the best candidate, and say why it is the best.
 *
 *     cc offline.c -o offline $(pkg-config --cflags --libs planbcast-planner) && ./offline
 */
#include <planbcast.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 6, LINKS = RANKS * (RANKS - 1), BYTES = 4 << 20 };

/* Two hosts of three ranks; all messages between the hosts share one cable. */
static plan_status_t two_hosts(plan_platform_t **pf, plan_error_t *err)
{
    static const int host[RANKS] = {0, 1, 0, 1, 0, 1};
    plan_link_t link[LINKS];
    size_t n = 0, out[LINKS], nout = 0;

    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++) {
            if (u == v) continue;
            bool far = host[u] != host[v];
            if (host[u] == 0 && far) out[nout++] = n;
            link[n++] = (plan_link_t){.from = u,
                                      .to = v,
                                      .latency_s = far ? 2e-5 : 5e-7,   /* s */
                                      .s_per_byte = far ? 8e-9 : 1e-10, /* 125 MB/s, 10 GB/s */
                                      .channel = -1};
        }
    const plan_resource_t cable = {.name = "cable", .s_per_byte = 8e-9, .nlinks = nout, .link = out};
    const plan_platform_data_t data = {.size = sizeof data,
                                       .name = "two hosts",
                                       .ranks = RANKS,
                                       .nlinks = n,
                                       .link = link,
                                       .nresources = 1,
                                       .resource = &cable,
                                       .host = host};
    return plan_platform_create(&data, pf, err);
}

int main(void)
{
    plan_error_t err = {.text = ""};
    plan_platform_t *pf = NULL;
    plan_ranking_t *ranking = NULL;
    plan_t *plan = NULL;
    char *why = NULL;
    plan_status_t rc;

    printf("planbcast %s\n", plan_version());
    if ((rc = two_hosts(&pf, &err)) != PLAN_OK) goto done;
    if ((rc = plan_ranking_create(pf, 0, BYTES, NULL, &ranking, &err)) != PLAN_OK) goto done;
    for (size_t i = 0; i < ranking->ncandidates && ranking->candidate[i].run != PLAN_RUN_NOT; i++) /* best first */
        printf("%-18s %8.3f ms\n", ranking->candidate[i].name, 1e3 * ranking->candidate[i].predicted_s);
    if ((rc = plan_create(pf, 0, BYTES, NULL, &plan, &err)) != PLAN_OK) goto done;
    if ((rc = plan_explain(plan, pf, BYTES, &why)) != PLAN_OK) goto done;
    printf("\n%s", why);
    if ((rc = plan_platform_save(pf, "machine.json", &err)) != PLAN_OK) goto done; /* for `planbcast show`, ... */
    rc = plan_save(plan, "plan.json", &err); /* for plan_bind, `planbcast draw`, ... */
done:
    if (rc != PLAN_OK) fprintf(stderr, "%s\n", err.text[0] != '\0' ? err.text : plan_status_string(rc));
    free(why);
    plan_destroy(&plan);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
    return rc == PLAN_OK ? 0 : 1;
}
