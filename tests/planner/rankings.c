#include "rankings.h"
#include "suite.h"
#include <string.h>

plan_platform_t *sites(int nsites, int ranks, int skip)
{
    enum { MOST = 12 };
    plan_link_t link[MOST * MOST];
    size_t listed[2 * MOST][MOST * MOST], count[2 * MOST] = {0}, m = 0;
    int host[MOST], site[MOST];
    plan_resource_t trunk[2 * MOST];
    char name[2 * MOST][32];
    plan_platform_t *pf = NULL;
    plan_error_t err;

    for (int r = 0; r < ranks; r++) host[r] = r, site[r] = r % nsites;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++) {
            if (u == v || (skip > 0 && (u * ranks + v) % skip == 0 && v != u + 1 && u != v + 1)) continue;
            bool far = site[u] != site[v];
            if (far) listed[2 * site[u]][count[2 * site[u]]++] = m;
            if (far) listed[2 * site[v] + 1][count[2 * site[v] + 1]++] = m;
            link[m++] = (plan_link_t){u, v, far ? 5e-4 : 2e-5 * (1 + u % 3), far ? 8e-8 : 8e-9 * (1 + v % 2), 1e-6, -1};
        }
    for (int i = 0; i < 2 * nsites; i++) {
        snprintf(name[i], sizeof name[i], "trunk %d %s", i / 2, i % 2 ? "in" : "out");
        trunk[i] = (plan_resource_t){.name = name[i], .s_per_byte = 8e-8, .nlinks = count[i], .link = listed[i]};
    }
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = ranks,
                              .nlinks = m,
                              .link = link,
                              .nresources = nsites > 1 ? (size_t)(2 * nsites) : 0,
                              .resource = trunk,
                              .host = host,
                              .site = site};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, &err), PLAN_OK);
    return pf;
}

plan_ranking_t *ranking_of(const plan_platform_t *pf, int root, size_t bytes, const plan_choice_t *choice)
{
    plan_ranking_t *ranking = NULL;
    plan_error_t err = {.text = ""};
    plan_status_t rc = plan_ranking_create(pf, root, bytes, choice, &ranking, &err);
    if (rc != PLAN_OK) fprintf(stderr, "\n%s\n", err.text);
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    return ranking;
}

const plan_candidate_t *find(const plan_ranking_t *ranking, const char *name)
{
    for (size_t i = 0; i < ranking->ncandidates; i++)
        if (strcmp(ranking->candidate[i].name, name) == 0) return &ranking->candidate[i];
    return NULL;
}

void open_context(const plan_platform_t *pf, int root, const plan_choice_t *choice, size_t most, plani_context_t *ctx)
{
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plani_context_open(pf, root, choice, true, ctx, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_context_build(ctx, most, &err), PLAN_OK);
}
