/* Rankings: their candidates, their order, and figures that are recomputed. */
#include "lp/direct.h"
#include "planner/cost/bound.h"
#include "graphs/trees/trees.h"
#include "suite.h"
#include "rankings.h"
#include "planner/plan/plan_private.h"
#include "planner/taulop/score.h"
#include <math.h>
#include <string.h>

static plan_candidate_t on_paper(const char *name, double predicted_s, double throughput)
{
    plan_candidate_t c = {.size = sizeof c, .run = PLAN_RUN_TREES, .predicted_s = predicted_s, .measured_s = NAN};
    snprintf(c.name, sizeof c.name, "%s", name);
    c.throughput = throughput;
    return c;
}

static void ties_go_to_the_higher_throughput(void)
{
    plan_candidate_t c[] = {on_paper("slow", 2, 9), on_paper("first", 1, 3), on_paper("none", 1, NAN),
                            on_paper("best", 1, 5), on_paper("second", 1, 3)};
    plan_ranking_t ranking = {.ncandidates = 5, .candidate = c};
    static const char *const order[] = {"best", "first", "second", "none", "slow"};
    plani_ranking_sort(&ranking);
    for (size_t i = 0; i < 5; i++) CU_ASSERT_STRING_EQUAL(c[i].name, order[i]);
}

/* Runnable before not, measured before predicted, unknown last, ties as they were. */
static void ranking_are_sorted_as_promised(void)
{
    plan_candidate_t c[] = {{.name = "paper", .run = PLAN_RUN_NOT, .measured_s = NAN, .predicted_s = NAN},
                            {.name = "native", .run = PLAN_RUN_NATIVE, .measured_s = NAN, .predicted_s = NAN},
                            {.name = "a", .measured_s = NAN, .predicted_s = 2},
                            {.name = "b", .measured_s = NAN, .predicted_s = 2},
                            {.name = "c", .measured_s = 5, .predicted_s = 3},
                            {.name = "d", .measured_s = 4, .predicted_s = 9},
                            {.name = "e", .measured_s = NAN, .predicted_s = 1}};
    static const char *const want[] = {"d", "c", "e", "a", "b", "native", "paper"};
    plan_ranking_t ranking = {.ncandidates = 7, .candidate = c};
    plani_ranking_sort(&ranking);
    for (int i = 0; i < 7; i++) CU_ASSERT_STRING_EQUAL(c[i].name, want[i]);
}

/* Ten trees that are predicted 20% faster lose, and win from 25% on; rounds and two trees have to save less. */
static void more_trees_have_to_save_more(void)
{
    plan_candidate_t c[] = {{.name = "ten", .ntrees = 10, .measured_s = NAN, .predicted_s = 1 / 1.2},
                            {.name = "rounds", .run = PLAN_RUN_ROUNDS, .measured_s = NAN, .predicted_s = 1 / 1.14},
                            {.name = "two", .ntrees = 2, .measured_s = NAN, .predicted_s = 1 / 1.03},
                            {.name = "one", .ntrees = 1, .measured_s = NAN, .predicted_s = 1}};
    static const char *const want[] = {"two", "one", "rounds", "ten"};
    plan_ranking_t ranking = {.ncandidates = 4, .candidate = c};
    plani_ranking_sort(&ranking);
    for (int i = 0; i < 4; i++) CU_ASSERT_STRING_EQUAL(c[i].name, want[i]);
    c[3].predicted_s = 1 / 1.25; /* the ten trees */
    plani_ranking_sort(&ranking);
    CU_ASSERT_STRING_EQUAL(c[0].name, "ten");
    CU_ASSERT_STRING_EQUAL(c[1].name, "two");
}

/* Seconds that one average slice holds the busiest port or resource, from the parents alone. */
static double period(const plan_platform_t *pf, const plan_candidate_t *c, double slice)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double port[2][12] = {{0}}, resource[24] = {0}, total = 0, worst = 0;
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t l = 0; l < d->nlinks; l++)
        for (size_t t = 0; t < c->ntrees; t++) {
            if (plan_tree_data(c->tree[t])->parent[d->link[l].to] != d->link[l].from) continue;
            double seconds = c->rate[t] / total * plan_link_cost(&d->link[l], slice);
            port[0][d->link[l].from] += seconds;
            port[1][d->link[l].to] += seconds;
            for (size_t i = 0; i < d->nresources; i++)
                for (size_t k = 0; k < d->resource[i].nlinks; k++)
                    if (d->resource[i].link[k] == l)
                        resource[i] += c->rate[t] / total * plan_resource_cost(&d->resource[i], slice);
        }
    for (int r = 0; r < d->ranks; r++) worst = fmax(worst, fmax(port[0][r], port[1][r]));
    for (size_t i = 0; i < d->nresources; i++) worst = fmax(worst, resource[i]);
    return worst;
}

/* Throughputs follow from the parents; no candidate beats the direct program; several trees come close to it. */
static void figures_agree_with_the_direct_program(void)
{
    for (int seed = 0; seed < 4; seed++) {
        plan_platform_t *pf = sites(1 + seed, 6 + seed, seed == 2 ? 4 : 0);
        plan_choice_t choice = {.size = sizeof choice, .slice = 16384};
        plan_ranking_t *ranking = ranking_of(pf, 1, 1 << 20, &choice);
        const plan_steady_options_t options = {.size = sizeof options, .gap = 0};
        plan_steady_t *direct = NULL;
        CU_ASSERT_EQUAL_FATAL(
            plani_platform_bound_by(plani_steady_direct, pf, 1, 16384, false, &options, &direct, NULL), PLAN_OK);
        double bound = plan_steady_data(direct)->throughput, best = 0;
        CU_ASSERT_EQUAL(ranking->bound_slice, 16384);
        CU_ASSERT_DOUBLE_EQUAL(ranking->bound, bound, 2e-8 * bound);
        for (size_t i = 0; i < ranking->ncandidates; i++) {
            const plan_candidate_t *c = &ranking->candidate[i];
            CU_ASSERT_EQUAL(c->slice, 16384);
            CU_ASSERT(c->throughput <= bound * (1 + 1e-6) && c->lp_ratio <= 1 + 1e-6);
            CU_ASSERT_DOUBLE_EQUAL(c->lp_ratio, c->throughput / bound, 2e-8);
            if (c->run != PLAN_RUN_TREES) continue;
            CU_ASSERT_DOUBLE_EQUAL(1 / c->throughput, period(pf, c, 16384), 1e-9 / c->throughput);
            double sum = 0;
            for (size_t t = 0; t < c->ntrees; t++) sum += c->rate[t];
            CU_ASSERT_DOUBLE_EQUAL(sum, c->throughput, 1e-9 * sum);
            best = fmax(best, c->lp_ratio);
        }
        CU_ASSERT(best > 0.85);
        plan_steady_destroy(&direct);
        plan_ranking_destroy(&ranking);
        plan_platform_destroy(&pf);
    }
}

/* Each candidate's figures are those of its own slices, and the ranking's bound is the winner's: which is found finely,
 * others only so far that shares of them hold to PLANI_COARSE_GAP. */
static void check_figures(const plan_platform_t *pf, const plan_ranking_t *ranking)
{
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        const plan_candidate_t *c = &ranking->candidate[i];
        plan_steady_t *s = NULL;
        double slice = (double)(c->slice ? c->slice : ranking->bytes), sum = 0;
        double tolerance = slice == (double)ranking->bound_slice ? 1e-5 : PLANI_COARSE_GAP;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, ranking->root, slice, NULL, &s, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(c->lp_ratio, c->throughput / plan_steady_data(s)->upper, tolerance);
        if (i == 0) CU_ASSERT_EQUAL(ranking->bound_slice, c->slice ? c->slice : ranking->bytes);
        if (i == 0) CU_ASSERT_DOUBLE_EQUAL(ranking->bound, plan_steady_data(s)->upper, tolerance * ranking->bound);
        plan_steady_destroy(&s);
        if (c->run == PLAN_RUN_ROUNDS)
            CU_ASSERT_DOUBLE_EQUAL(c->throughput * slice, (double)ranking->bytes / c->predicted_s,
                                   1e-9 * c->throughput * slice);
        if (c->run != PLAN_RUN_TREES) continue;
        CU_ASSERT_DOUBLE_EQUAL(1 / c->throughput, period(pf, c, slice), 1e-9 / c->throughput);
        for (size_t t = 0; t < c->ntrees; t++) sum += c->rate[t];
        CU_ASSERT_DOUBLE_EQUAL(sum, c->throughput, 1e-9 * sum);
    }
}

static void ratios_are_to_the_bound_at_the_own_slice(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_ranking_t *ranking = ranking_of(pf, 0, 1 << 20, NULL);
    check_figures(pf, ranking);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

/* Timing may find other slices to be better: then throughput, share of the bound and rates are those of these. */
static void figures_follow_the_slices_that_were_timed_best(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_ranking_t *ranking = NULL;
    plani_context_t ctx;
    open_context(pf, 0, NULL, 1 << 20, &ctx);
    CU_ASSERT_EQUAL_FATAL(plani_rank(&ctx, 1 << 20, true, &ranking, NULL), PLAN_OK);
    for (size_t i = 0; i < ranking->ncandidates; i++) {
        plan_candidate_t *c = &ranking->candidate[i];
        bool sliced = c->run == PLAN_RUN_TREES || c->schedule == PLAN_CIRCULANT;
        bool whole = i % 3 == 0 && c->ntrees <= 1; /* in which there is nothing for a second tree */
        if (plani_is_planned(c) && sliced) c->slice = whole ? 0 : i % 3 == 1 ? 4096 : 3 * 65536;
    }
    CU_ASSERT_EQUAL(plani_ranking_complete(&ctx, ranking, NULL), PLAN_OK);
    check_figures(pf, ranking);
    plan_ranking_destroy(&ranking);
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* Once all time is over, other slice sizes bound this one: the interval holds what the solver finds. */
static void late_bounds_follow_from_other_slices(void)
{
    static const double asked[] = {64, 3000, 20000, 1 << 22};
    plan_platform_t *pf = sites(3, 9, 0);
    plani_context_t ctx;
    CU_ASSERT_EQUAL_FATAL(plani_context_open(pf, 0, NULL, true, &ctx, NULL), PLAN_OK);
    const plani_bound_t *b = NULL;
    for (double slice = 256; slice <= 1 << 16; slice *= 256)
        CU_ASSERT_EQUAL_FATAL(plani_context_bound(&ctx, slice, true, &b, NULL), PLAN_OK);
    ctx.deadline = 1e-9;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        plan_steady_t *steady = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_context_bound(&ctx, asked[i], false, &b, NULL), PLAN_OK);
        CU_ASSERT_PTR_NULL(b->steady);
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 0, asked[i], NULL, &steady, NULL), PLAN_OK);
        CU_ASSERT(b->bound >= plan_steady_data(steady)->throughput * (1 - 1e-6));
        CU_ASSERT(b->bound * (1 - b->gap) <= plan_steady_data(steady)->upper * (1 + 1e-6));
        CU_ASSERT(b->gap >= 0 && b->gap < 1);
        plan_steady_destroy(&steady);
    }
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* Slices that are larger than the message are no more than the message. */
static void rounds_sustain_no_more_than_the_bound(void)
{
    plan_platform_t *pf = sites(2, 8, 0);
    for (size_t slice = 1 << 10; slice <= 1 << 24; slice <<= 7)
        for (size_t bytes = 1; bytes <= 1 << 20; bytes <<= 10) {
            plan_choice_t choice = {
                .size = sizeof choice, .only = "circulant,scatter-ring,scatter-doubling", .slice = slice};
            plan_ranking_t *ranking = ranking_of(pf, 0, bytes, &choice);
            CU_ASSERT_EQUAL(ranking->ncandidates, 3);
            for (size_t i = 0; i < ranking->ncandidates; i++) {
                const plan_candidate_t *c = &ranking->candidate[i];
                CU_ASSERT_EQUAL(c->run, PLAN_RUN_ROUNDS);
                CU_ASSERT_DOUBLE_EQUAL(c->throughput * c->predicted_s * (double)slice, (double)bytes, 1e-6 * bytes);
                if (c->schedule == PLAN_CIRCULANT) CU_ASSERT(c->lp_ratio <= 1 + 1e-6);
            }
            plan_ranking_destroy(&ranking);
        }
    plan_platform_destroy(&pf);
}

/* Both trees of split binary span all ranks, and each rank's partner hands it the half that its side lacks. */
static void split_binary_runs_as_two_trees(void)
{
    for (int ranks = 1; ranks <= 12; ranks++) {
        plan_platform_t *pf = sites(1, ranks, 0);
        for (int root = 0; root < ranks; root += 2) {
            plan_choice_t choice = {.size = sizeof choice, .only = "ompi-split-binary"};
            plan_ranking_t *ranking = ranking_of(pf, root, 1 << 20, &choice);
            const plan_candidate_t *c = &ranking->candidate[0];
            int partner[12];
            plan_tree_t *whole = NULL;
            CU_ASSERT_EQUAL(ranking->ncandidates, 1);
            CU_ASSERT_EQUAL_FATAL(c->ntrees, ranks < 3 ? 1 : 2);
            plani_split_binary_partners(ranks, root, partner);
            CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_SPLIT_BINARY, ranks, root, 0, &whole), PLAN_OK);
            for (int r = 0; r < ranks && c->ntrees == 2; r++) {
                int a = plan_tree_data(c->tree[0])->parent[r], b = plan_tree_data(c->tree[1])->parent[r];
                int up = plan_tree_data(whole)->parent[r];
                if (r == root) continue;
                CU_ASSERT((a == up && b == partner[r]) || (b == up && a == partner[r]));
            }
            plan_tree_destroy(&whole);
            plan_ranking_destroy(&ranking);
        }
        plan_platform_destroy(&pf);
    }
}

/* The model that is asked for, at the slice and window that are: one tree, several, two halves, and messages as small
 * as a slice. (One site: nobody waits for a turn at its trunk, which comes on top.) */
static void predictions_are_those_of_the_model(void)
{
    plan_platform_t *pf = sites(1, 7, 0);
    static const size_t bytes[] = {1 << 20, 100001, 8192};
    const plan_choice_t choice = {.size = sizeof choice, .model = "taulop", .slice = 8192, .window = 3};

    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        plan_ranking_t *ranking = ranking_of(pf, 2, bytes[i], &choice);
        int several = 0, halves = 0;
        for (size_t k = 0; k < ranking->ncandidates; k++) {
            const plan_candidate_t *c = &ranking->candidate[k];
            double t = NAN;
            if (c->run != PLAN_RUN_TREES) continue;
            if (strcmp(c->name, "ompi-split-binary") == 0 && bytes[i] > 8192) {
                CU_ASSERT_EQUAL(plani_score_split_binary(pf, 2, bytes[i], 8192, 3, &t), PLAN_OK);
                halves++;
            } else {
                CU_ASSERT_EQUAL(plani_score_trees(pf, c->ntrees, c->tree, c->rate, bytes[i], 8192, 3, &t), PLAN_OK);
                several += c->ntrees > 1;
            }
            CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, t, 1e-9 * t);
        }
        CU_ASSERT(bytes[i] == 8192 || (several > 0 && halves == 1));
        plan_ranking_destroy(&ranking);
    }
    plan_platform_destroy(&pf);
}

/* A routed broadcast is compared with others, and is none that a plan could choose. */
static void what_is_on_paper_only_is_no_choice(void)
{
    plan_platform_t *pf = sites(2, 6, 0);
    plan_choice_t choice = {.size = sizeof choice, .only = "binomial-paths"};
    plan_ranking_t *ranking = NULL;
    plan_t *plan = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL(plan_ranking_create(pf, 0, 4096, &choice, &ranking, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NULL(ranking);
    CU_ASSERT_EQUAL(plan_create(pf, 0, 4096, &choice, &plan, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_PTR_NULL(plan);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "comparison only"));
    plan_platform_destroy(&pf);
}

static void what_is_asked_for_is_considered(void)
{
    plan_platform_t *pf = sites(2, 6, 0);
    plan_error_t err;
    plan_ranking_t *none = NULL;
    plan_choice_t choice = {.size = sizeof choice, .only = "ompi-chain,native,grow,binomial-paths", .window = 7};
    plan_ranking_t *ranking = ranking_of(pf, 0, 100000, &choice);
    CU_ASSERT_EQUAL(ranking->ncandidates, 4);
    CU_ASSERT_STRING_EQUAL(ranking->candidate[2].name, "native");
    CU_ASSERT_EQUAL(ranking->candidate[2].run, PLAN_RUN_NATIVE);
    CU_ASSERT_STRING_EQUAL(ranking->candidate[3].name, "binomial-paths");
    CU_ASSERT_EQUAL(ranking->candidate[3].run, PLAN_RUN_NOT);
    CU_ASSERT(isfinite(ranking->candidate[3].throughput) && isnan(ranking->candidate[3].predicted_s));
    CU_ASSERT_EQUAL(ranking->candidate[0].window, 7);
    plan_ranking_destroy(&ranking);
    static const struct {
        plan_choice_t choice;
        int root;
        const char *needle;
    } bad[] = {{{.size = sizeof(plan_choice_t), .only = "grow,nonsense"}, 0, "\"nonsense\"; known: prune-simple"},
               {{.size = sizeof(plan_choice_t), .only = "grow,"}, 0, "\"\""},
               {{.size = sizeof(plan_choice_t), .only = ""}, 0, "\"\""},
               {{.size = sizeof(plan_choice_t), .only = "gro"}, 0, "\"gro\""},
               {{.size = sizeof(plan_choice_t), .model = "logp"}, 0, "logp"},
               {{.size = sizeof(plan_choice_t), .slice = (size_t)2 << 30}, 0, "slice"},
               {{.size = sizeof(plan_choice_t), .window = -1}, 0, "window"},
               {{.size = sizeof(plan_choice_t), .time_limit_s = NAN}, 0, "time limit"},
               {{.slice = 64}, 0, "plan_choice_t of size 0"},
               {{.size = sizeof(plan_choice_t) - 8}, 0, "with the headers of this version"},
               {{.size = sizeof(plan_choice_t)}, 6, "root is 6"},
               {{.size = sizeof(plan_choice_t)}, -1, "root is -1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CU_ASSERT_EQUAL(plan_ranking_create(pf, bad[i].root, 1, &bad[i].choice, &none, &err), PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].needle));
        CU_ASSERT_PTR_NULL_FATAL(none);
    }
    plan_platform_destroy(&pf);
}

static void what_the_platform_has_no_links_for_is_left_out(void)
{
    plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {1, 2, 1e-6, 1e-9, 0, -1}, {2, 3, 1e-6, 1e-9, 0, -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plan_error_t err;
    plan_choice_t flat = {.size = sizeof flat, .only = "ompi-linear"};
    plan_ranking_t *none = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_ranking_t *ranking = ranking_of(pf, 0, 4096, NULL);
    CU_ASSERT_PTR_NOT_NULL(find(ranking, "ompi-pipeline"));
    CU_ASSERT_PTR_NULL(find(ranking, "ompi-linear"));
    CU_ASSERT_DOUBLE_EQUAL(ranking->candidate[0].lp_ratio, 1, 1e-5);
    plan_ranking_destroy(&ranking);
    CU_ASSERT_EQUAL(plan_ranking_create(pf, 0, 4096, &flat, &none, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_EQUAL(plan_ranking_create(pf, 1, 4096, NULL, &none, &err), PLAN_EUNREACHABLE);
    CU_ASSERT_PTR_NULL(none);
    plan_platform_destroy(&pf);
}

/* Ranks that only receive have no way to others, which trees do not need and the routed broadcast does. */
static void ranks_that_send_nothing_are_served(void)
{
    const plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {0, 2, 1e-6, 1e-9, 0, -1}, {0, 3, 1e-6, 1e-9, 0, -1}};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, &err), PLAN_OK);
    plan_ranking_t *ranking = ranking_of(pf, 0, 1 << 20, NULL);
    CU_ASSERT_PTR_NULL(find(ranking, "binomial-paths"));
    CU_ASSERT_DOUBLE_EQUAL(ranking->candidate[0].lp_ratio, 1, 1e-6);
    CU_ASSERT_EQUAL(plan_tree_data(ranking->candidate[0].tree[0])->height, 1);
    plan_ranking_destroy(&ranking);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("rankings", TEST(ties_go_to_the_higher_throughput), TEST(figures_agree_with_the_direct_program),
           TEST(ratios_are_to_the_bound_at_the_own_slice), TEST(figures_follow_the_slices_that_were_timed_best),
           TEST(split_binary_runs_as_two_trees), TEST(predictions_are_those_of_the_model),
           TEST(what_is_on_paper_only_is_no_choice), TEST(what_is_asked_for_is_considered),
           TEST(what_the_platform_has_no_links_for_is_left_out), TEST(ranking_are_sorted_as_promised),
           TEST(more_trees_have_to_save_more), TEST(ranks_that_send_nothing_are_served),
           TEST(rounds_sustain_no_more_than_the_bound), TEST(late_bounds_follow_from_other_slices))
