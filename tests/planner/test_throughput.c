/* Throughput of trees computed by hand, and against a naive implementation. */
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include <math.h>
#include <planbcast/heuristics.h>
#include <planbcast/plan.h>
#include <string.h>

/*
 *      0 --2--> 1 --3--> 3        at 1 byte; 1 -> 3 and 0 -> 2 share a wire of 5 s per slice
 *      0 --4--> 2 --8--> 3
 */
static plan_platform_t *diamond(const double *send_s)
{
    static const plan_link_t link[] = {
        {0, 1, 1, 1, 0, -1}, {0, 2, 0, 4, 9, -1}, {1, 3, 0, 3, 0, -1}, {2, 3, 0, 8, 0, -1}};
    static const size_t wire[] = {1, 2};
    static const plan_resource_t resource = {.name = "wire", .s_per_byte = 3.5, .nlinks = 2, .link = wire};
    plan_platform_t *pf = NULL;
    const plan_platform_data_t d = {.size = sizeof d,
                                    .ranks = 4,
                                    .nlinks = 4,
                                    .link = link,
                                    .nresources = 1,
                                    .resource = &resource,
                                    .ports = send_s != NULL ? PLAN_PORTS_MULTI : PLAN_PORTS_ONE,
                                    .send_s = send_s};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static plan_tree_t *tree(int n, const int *parent)
{
    plan_tree_t *t = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_tree_create(n, parent, NULL, &t), PLAN_OK);
    return t;
}

static const int over_1[] = {-1, 0, 0, 1}, over_2[] = {-1, 0, 0, 2};

/* Over 1: send port of 0 is held 2 + 4 s, of 1 3 s; the wire twice 3.5 s. */
static void the_busiest_resource_holds_a_tree_up(void)
{
    plan_platform_t *pf = diamond(NULL);
    plan_tree_t *t = tree(4, over_1);
    plan_bottleneck_t at;
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(tp, 1.0 / 7, 1e-15);
    CU_ASSERT(at.at == PLAN_AT_RESOURCE && at.index == 0 && at.seconds == 7);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 10, &tp, NULL), PLAN_OK); /* latency counts once */
    CU_ASSERT_DOUBLE_EQUAL(tp, 1.0 / 70, 1e-15);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* Over 2 the send port of 2 and the receive port of 3 are held 8 s: the send port is named. */
static void of_equals_the_send_port_is_named(void)
{
    plan_platform_t *pf = diamond(NULL);
    plan_tree_t *t = tree(4, over_2);
    plan_bottleneck_t at;
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(tp, 0.125, 1e-15);
    CU_ASSERT(at.at == PLAN_AT_SEND_PORT && at.index == 2 && at.seconds == 8);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* Three quarters over 1 and one over 2: send port of 0: 6 s; receive port of 3: 4.25 s; wire: 3.5 * 1.75 = 6.125 s. */
static void trees_share_by_proportion(void)
{
    plan_platform_t *pf = diamond(NULL);
    plan_tree_t *t[] = {tree(4, over_1), tree(4, over_2)};
    const double share[] = {6, 2};
    plan_bottleneck_t at;
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, 2, t, share, 1, &tp, &at), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(tp, 1 / 6.125, 1e-15);
    CU_ASSERT(at.at == PLAN_AT_RESOURCE && at.seconds == 6.125);
    plan_tree_destroy(&t[0]);
    plan_tree_destroy(&t[1]);
    plan_platform_destroy(&pf);
}

/* Period of 0: max(2 * 2.5, 2, 4) = 5; of 2: max(1, 8) = 8 on its link; without the wire's 3.5. */
static void several_ports_overlap_links_but_not_senders(void)
{
    const double send[] = {2.5, 1, 1, 1};
    plan_platform_t *pf = diamond(send);
    plan_tree_t *t[] = {tree(4, over_1), tree(4, over_2)};
    plan_bottleneck_t at;
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t[1], NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT(at.at == PLAN_AT_LINK && at.index == 3 && at.seconds == 8 && tp == 0.125);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t[0], NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT(at.at == PLAN_AT_RESOURCE && at.seconds == 7);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t[0], NULL, 0.5, &tp, &at), PLAN_OK); /* send_s is per slice */
    CU_ASSERT(at.at == PLAN_AT_SEND_PORT && at.index == 0 && at.seconds == 5 && tp == 0.2);
    plan_tree_destroy(&t[0]);
    plan_tree_destroy(&t[1]);
    plan_platform_destroy(&pf);
}

static void one_rank_has_no_limit(void)
{
    plan_platform_t *pf = sample_complete(1);
    const int root[] = {-1};
    plan_tree_t *t = tree(1, root);
    plan_bottleneck_t at;
    double tp = 0;
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t, NULL, 1, &tp, &at), PLAN_OK);
    CU_ASSERT(isinf(tp) && at.seconds == 0);
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

static void bad_arguments_are_refused(void)
{
    plan_platform_t *pf = diamond(NULL);
    plan_tree_t *t[] = {tree(4, over_1), tree(4, (int[]){-1, 0, 1, 2}), tree(3, (int[]){-1, 0, 0})};
    const double negative[] = {1, -1}, nothing[] = {0, 0}, nan_[] = {1, NAN};
    double tp = 5;
    CU_ASSERT_EQUAL(plan_throughput(pf, 0, t, NULL, 1, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 2, t, NULL, 1, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 2, t, negative, 1, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 2, t, nothing, 1, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 2, t, nan_, 1, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, t, NULL, 0, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, t, NULL, INFINITY, &tp, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t[1], NULL, 1, &tp, NULL), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(plan_throughput(pf, 1, &t[2], NULL, 1, &tp, NULL), PLAN_ENOTREE);
    CU_ASSERT_EQUAL(tp, 5);
    for (int i = 0; i < 3; i++) plan_tree_destroy(&t[i]);
    plan_platform_destroy(&pf);
}

/* Seconds per slice by walking all links and lists for every constraint. */
static double naive_period(const plan_platform_data_t *d, const int *const *parent, const double *share, int ntrees,
                           double slice)
{
    double worst = 0;
    for (int u = 0; u < d->ranks; u++) {
        double out = 0, in = 0, own = 0;
        for (int t = 0; t < ntrees; t++)
            for (size_t l = 0; l < d->nlinks; l++) {
                if (parent[t][d->link[l].to] != d->link[l].from) continue;
                double cost = share[t] * plan_link_cost(&d->link[l], slice);
                if (d->link[l].from == u) out += cost, own += share[t] * (d->send_s ? d->send_s[u] : 0);
                if (d->link[l].to == u) in += cost;
            }
        worst = fmax(worst, d->send_s ? own : fmax(out, in));
    }
    for (size_t l = 0; d->send_s != NULL && l < d->nlinks; l++) {
        double held = 0;
        for (int t = 0; t < ntrees; t++)
            if (parent[t][d->link[l].to] == d->link[l].from) held += share[t] * plan_link_cost(&d->link[l], slice);
        worst = fmax(worst, held);
    }
    for (size_t i = 0; i < d->nresources; i++) {
        double held = 0;
        for (int t = 0; t < ntrees; t++)
            for (size_t k = 0; k < d->resource[i].nlinks; k++) {
                const plan_link_t *l = &d->link[d->resource[i].link[k]];
                if (parent[t][l->to] == l->from)
                    held += share[t] * (d->resource[i].s_per_message + slice * d->resource[i].s_per_byte);
            }
        worst = fmax(worst, held);
    }
    return worst;
}

static void equals_a_naive_recomputation(void)
{
    uint64_t state = 7;
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        sample_t s = {.ranks = 2 + (int)(seed % 9), .density = 2, .resources = (int)(seed % 4), .seed = seed};
        s.multiport = seed % 5 == 0;
        plan_platform_t *pf = sample_platform(&s);
        int parents[3][10];
        const int *parent[3] = {parents[0], parents[1], parents[2]};
        plan_tree_t *t[3];
        double share[3], sum = 0, tp = 0;
        for (int i = 0; i < 3; i++) {
            parents[i][0] = -1;
            for (int v = 1; v < s.ranks; v++) parents[i][v] = sample_below(&state, v);
            t[i] = tree(s.ranks, parents[i]);
            sum += share[i] = sample_below(&state, 5) + (i == 0);
        }
        wrong += plan_throughput(pf, 3, t, share, 3, &tp, NULL) != PLAN_OK;
        for (int i = 0; i < 3; i++) share[i] /= sum;
        double period = naive_period(plan_platform_data(pf), parent, share, 3, 3);
        wrong += !(fabs(tp * period - 1) < 1e-12);
        for (int i = 0; i < 3; i++) plan_tree_destroy(&t[i]);
        plan_platform_destroy(&pf);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void out_of_memory_is_reported(void)
{
    plan_platform_t *pf = diamond(NULL);
    plan_tree_t *t = tree(4, over_1);
    double tp = 0;
    ALLOC_EACH(plan_throughput(pf, 1, &t, NULL, 1, &tp, NULL), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_tree_destroy(&t);
    plan_platform_destroy(&pf);
}

/* send_u(L) = send_s + L send_s_per_byte: at one slice size the same as so many seconds per slice, in steady state, by
 * the stages, by the simulation and in rounds. */
static void senders_of_several_ports_are_busy_by_the_byte(void)
{
    enum { RANKS = 6, SLICE = 1000 };
    static const char *const model[] = {"taulop", "simulation"};
    plan_link_t link[RANKS * (RANKS - 1)];
    double start[RANKS], per_byte[RANKS], whole[RANKS];
    plan_platform_t *pf[2] = {NULL, NULL};
    size_t n = 0;
    for (int u = 0; u < RANKS; u++) {
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[n++] = (plan_link_t){u, v, 1e-5, 1e-8 * (1 + (u + v) % 3), 0, -1};
        start[u] = 1e-6 * u, per_byte[u] = 6e-9 + 1e-10 * u;
        whole[u] = start[u] + SLICE * per_byte[u];
    }
    plan_platform_data_t d = {
        .size = sizeof d, .ranks = RANKS, .nlinks = n, .link = link, .ports = PLAN_PORTS_MULTI, .send_s = whole};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf[0], NULL), PLAN_OK);
    d.send_s = start, d.send_s_per_byte = per_byte;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf[1], NULL), PLAN_OK);
    for (int m = 0; m < 2; m++) {
        const plan_choice_t choice = {.size = sizeof choice, .model = model[m], .slice = SLICE};
        plan_ranking_t *r[2] = {NULL, NULL};
        for (int k = 0; k < 2; k++)
            CU_ASSERT_EQUAL_FATAL(plan_ranking_create(pf[k], 0, 12 * SLICE, &choice, &r[k], NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(r[0]->ncandidates, r[1]->ncandidates);
        for (size_t i = 0; i < r[0]->ncandidates; i++)
            for (size_t k = 0; k < r[1]->ncandidates; k++) {
                const plan_candidate_t *a = &r[0]->candidate[i], *b = &r[1]->candidate[k];
                if (strcmp(a->name, b->name) != 0 || a->run != PLAN_RUN_TREES) continue;
                CU_ASSERT_DOUBLE_EQUAL(a->throughput / b->throughput, 1, 1e-9);
                CU_ASSERT_DOUBLE_EQUAL(a->predicted_s / b->predicted_s, 1, 1e-9);
            }
        plan_ranking_destroy(&r[0]);
        plan_ranking_destroy(&r[1]);
    }
    plan_platform_destroy(&pf[0]);
    plan_platform_destroy(&pf[1]);
}

SUITE_MAIN("throughput", TEST(senders_of_several_ports_are_busy_by_the_byte),
           TEST(the_busiest_resource_holds_a_tree_up), TEST(of_equals_the_send_port_is_named),
           TEST(trees_share_by_proportion), TEST(several_ports_overlap_links_but_not_senders),
           TEST(one_rank_has_no_limit), TEST(bad_arguments_are_refused), TEST(equals_a_naive_recomputation),
           TEST(out_of_memory_is_reported))
