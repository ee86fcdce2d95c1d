/* Scoreboards and plans: the best of every candidate, slice size and window, and figures that can be recomputed. */
#include "suite.h"
#include "alloc.h"
#include "sample.h"
#include "planner/plan_private.h"
#include "planner/choose.h"
#include "planner/scoreboard.h"
#include <math.h>
#include <planbcast/generate.h>
#include <planbcast/score.h>
#include <string.h>

/* Sites of hosts, one rank per host dealt round robin; a trunk in and out of each site is shared by its links. */
static plan_platform_t *sites(int nsites, int ranks, int skip)
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
    plan_platform_data_t d = {.ranks = ranks,
                              .nlinks = m,
                              .link = link,
                              .nresources = nsites > 1 ? (size_t)(2 * nsites) : 0,
                              .resource = trunk,
                              .host = host,
                              .site = site};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, &err), PLAN_OK);
    return pf;
}

static plan_scoreboard_t *board(const plan_platform_t *pf, int root, size_t bytes, const plan_choice_t *choice)
{
    plan_scoreboard_t *sb = NULL;
    plan_error_t err = {.text = ""};
    plan_status_t rc = plan_scoreboard_create(pf, root, bytes, choice, &sb, &err);
    if (rc != PLAN_OK) fprintf(stderr, "\n%s\n", err.text);
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    return sb;
}

static const plan_candidate_t *find(const plan_scoreboard_t *sb, const char *name)
{
    for (size_t i = 0; i < sb->ncandidates; i++)
        if (strcmp(sb->candidate[i].name, name) == 0) return &sb->candidate[i];
    return NULL;
}

/* Fastest of one tree over all slice sizes above `least` and windows that may be chosen, one by one. */
static double brute_force(const plan_platform_t *pf, const plan_tree_t *tree, size_t bytes, size_t least, double best)
{
    plan_tree_t *const copy[1] = {(plan_tree_t *)(uintptr_t)tree};
    const double whole = 1;
    plani_turns_t turns;
    CU_ASSERT_EQUAL(plani_turns(pf, 1, copy, &whole, &turns), PLAN_OK);
    for (size_t slice = 0; slice <= (size_t)1 << 20; slice = slice ? 2 * slice : 1024) {
        if (slice >= bytes) break;
        if (slice != 0 && slice <= least) continue;
        for (int window = 4; window <= 16; window *= 2) {
            double s = 0;
            CU_ASSERT_EQUAL(plan_score_trees(pf, 1, copy, NULL, bytes, slice, window, &s), PLAN_OK);
            best = fmin(best, s * plani_turns_stretch(&turns, (double)bytes, s));
        }
    }
    return best;
}

/* One tree's slice: not much slower than the best, and every larger one is. */
static void check_slice(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes, double best)
{
    CU_ASSERT(c->predicted_s >= best * (1 - 1e-7));
    CU_ASSERT(c->predicted_s * (1 - PLANI_WORTH_SMALLER) <= best * (1 + 1e-7));
    if (c->slice == 0) return;
    double larger = brute_force(pf, c->tree[0], bytes, c->slice, INFINITY);
    CU_ASSERT(larger * (1 - PLANI_WORTH_SMALLER) > best * (1 - 1e-7));
}

/* Every heuristic and every topology of a board, made and scored again through the public functions alone. */
static void check_against_brute_force(const plan_platform_t *pf, int root, size_t bytes)
{
    static const double typical[] = {256, 16384, 1048576};
    const plan_choice_t stages = {.model = "taulop"};
    plan_scoreboard_t *sb = board(pf, root, bytes, &stages);
    size_t n = 0, seen = 0;
    const plan_heuristic_t *h = plan_heuristics(&n);
    double fastest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double best = INFINITY;
        const plan_candidate_t *c = find(sb, h[i].name);
        for (int k = 0; k < 3 && !h[i].routed && !h[i].needs_rates; k++) {
            plan_tree_t *tree = NULL;
            if (k > 0 && typical[k] > 4.0 * (double)bytes) break;
            if (plan_heuristic_tree(h[i].name, pf, root, typical[k], 0, NULL, &tree, NULL) == PLAN_OK)
                best = brute_force(pf, tree, bytes, 0, best);
            plan_tree_destroy(&tree);
        }
        if (!isfinite(best)) continue;
        seen++;
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        if (strcmp(h[i].name, "best-tree") == 0) { /* searches for this very size, too */
            CU_ASSERT(c->predicted_s <= best / (1 - PLANI_WORTH_SMALLER) * (1 + 1e-7));
        } else {
            check_slice(pf, c, bytes, best);
        }
    }
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) {
        plan_tree_t *tree = NULL;
        char name[64];
        if (kind == PLAN_SPLIT_BINARY) continue;
        snprintf(name, sizeof name, "ompi-%s", plan_topology_name((plan_topology_t)kind));
        CU_ASSERT_EQUAL_FATAL(plan_tree_topology((plan_topology_t)kind, sb->ranks, root, 0, &tree), PLAN_OK);
        const plan_candidate_t *c = find(sb, name);
        if (plan_tree_check(tree, pf, NULL) == PLAN_OK) {
            double best = brute_force(pf, tree, bytes, 0, INFINITY);
            CU_ASSERT_PTR_NOT_NULL_FATAL(c);
            check_slice(pf, c, bytes, best);
            seen++;
        } else {
            CU_ASSERT_PTR_NULL(c);
        }
        plan_tree_destroy(&tree);
    }
    for (size_t i = 0; i < sb->ncandidates; i++) fastest = fmin(fastest, plani_weighed(&sb->candidate[i]));
    CU_ASSERT_EQUAL(plani_weighed(&sb->candidate[0]), fastest);
    CU_ASSERT(seen >= 8);
    plan_scoreboard_destroy(&sb);
}

static void the_best_of_all_slices_and_windows_is_found(void)
{
    plan_platform_t *pf = sites(3, 9, 0), *gaps = sites(2, 8, 5);
    static const size_t bytes[] = {1, 1000, 50000, 4 << 20};
    for (size_t i = 0; i < 4; i++) {
        check_against_brute_force(pf, 0, bytes[i]);
        check_against_brute_force(gaps, 3, bytes[i]);
    }
    plan_platform_destroy(&pf);
    plan_platform_destroy(&gaps);
}

/* Slices of 1 KiB were chosen for a gain of 0.1% over slices of many times the size. */
static void small_slices_are_not_chosen_for_little(void)
{
    const plan_link_t link[] = {{0, 1, 1e-8, 1e-9, 0, -1}, {1, 2, 1e-8, 1e-9, 0, -1}};
    const plan_platform_data_t d = {.ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    const plan_choice_t stages = {.model = "taulop"};
    plan_scoreboard_t *sb = board(pf, 0, 4 << 20, &stages);
    const plan_candidate_t *c = &sb->candidate[0];
    double fastest = brute_force(pf, c->tree[0], 4 << 20, 0, INFINITY);
    CU_ASSERT_EQUAL(c->slice, 65536); /* the last rank waits for one slice more: 1.6% of 64 */
    CU_ASSERT(c->predicted_s > fastest && c->predicted_s < 1.02 * fastest);
    plan_scoreboard_destroy(&sb);
    plan_platform_destroy(&pf);
}

static plan_candidate_t on_paper(const char *name, double predicted_s, double throughput)
{
    plan_candidate_t c = {.run = PLAN_RUN_TREES, .predicted_s = predicted_s, .measured_s = NAN};
    snprintf(c.name, sizeof c.name, "%s", name);
    c.throughput = throughput;
    return c;
}

static void ties_go_to_the_higher_throughput(void)
{
    plan_candidate_t c[] = {on_paper("slow", 2, 9), on_paper("first", 1, 3), on_paper("none", 1, NAN),
                            on_paper("best", 1, 5), on_paper("second", 1, 3)};
    plan_scoreboard_t sb = {.ncandidates = 5, .candidate = c};
    static const char *const order[] = {"best", "first", "second", "none", "slow"};
    plan_scoreboard_sort(&sb);
    for (size_t i = 0; i < 5; i++) CU_ASSERT_STRING_EQUAL(c[i].name, order[i]);
}

/* Seconds that one average slice holds the busiest port or resource, from the parents alone. */
static double period(const plan_platform_t *pf, const plan_candidate_t *c, double slice)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double port[2][12] = {{0}}, resource[24] = {0}, total = 0, worst = 0;
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t l = 0; l < d->nlinks; l++)
        for (size_t t = 0; t < c->ntrees; t++) {
            if (plan_tree_parents(c->tree[t])[d->link[l].to] != d->link[l].from) continue;
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
        plan_choice_t choice = {.slice = 16384};
        plan_scoreboard_t *sb = board(pf, 1, 1 << 20, &choice);
        plan_steady_options_t options = {.method = PLAN_STEADY_DIRECT};
        plan_steady_t *direct = NULL;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, 1, 16384, &options, &direct, NULL), PLAN_OK);
        double bound = plan_steady_throughput(direct), best = 0;
        CU_ASSERT_EQUAL(sb->bound_slice, 16384);
        CU_ASSERT_DOUBLE_EQUAL(sb->bound, bound, 2e-8 * bound);
        for (size_t i = 0; i < sb->ncandidates; i++) {
            const plan_candidate_t *c = &sb->candidate[i];
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
        plan_scoreboard_destroy(&sb);
        plan_platform_destroy(&pf);
    }
}

/* Each candidate's figures are those of its own slices, and the board's bound is the winner's. */
static void check_figures(const plan_platform_t *pf, const plan_scoreboard_t *sb, double tolerance)
{
    for (size_t i = 0; i < sb->ncandidates; i++) {
        const plan_candidate_t *c = &sb->candidate[i];
        plan_steady_t *s = NULL;
        double slice = (double)(c->slice ? c->slice : sb->bytes), sum = 0;
        CU_ASSERT_EQUAL_FATAL(plan_platform_bound(pf, sb->root, slice, NULL, &s, NULL), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(c->lp_ratio, c->throughput / plan_steady_upper(s), tolerance);
        if (i == 0) CU_ASSERT_EQUAL(sb->bound_slice, c->slice ? c->slice : sb->bytes);
        if (i == 0) CU_ASSERT_DOUBLE_EQUAL(sb->bound, plan_steady_upper(s), tolerance * sb->bound);
        plan_steady_destroy(&s);
        if (c->run == PLAN_RUN_ROUNDS)
            CU_ASSERT_DOUBLE_EQUAL(c->throughput * slice, (double)sb->bytes / c->predicted_s,
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
    plan_scoreboard_t *sb = board(pf, 0, 1 << 20, NULL);
    check_figures(pf, sb, 1e-5);
    plan_scoreboard_destroy(&sb);
    plan_platform_destroy(&pf);
}

/* Timing may find other slices to be better: then throughput, share of the bound and rates are those of these. */
static void figures_follow_the_slices_that_were_timed_best(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_scoreboard_t *sb = NULL;
    plani_workshop_t ws;
    CU_ASSERT_EQUAL_FATAL(plani_workshop_open(pf, 0, NULL, &ws, NULL), PLAN_OK);
    ws.gap = PLANI_COARSE_GAP;
    CU_ASSERT_EQUAL_FATAL(plani_workshop_build(&ws, 1 << 20, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&ws, 1 << 20, &sb, NULL), PLAN_OK);
    for (size_t i = 0; i < sb->ncandidates; i++) {
        plan_candidate_t *c = &sb->candidate[i];
        bool sliced = c->run == PLAN_RUN_TREES || c->schedule == PLAN_CIRCULANT;
        if (plani_is_planned(c) && sliced) c->slice = i % 3 == 0 ? 0 : i % 3 == 1 ? 4096 : 3 * 65536;
    }
    CU_ASSERT_EQUAL(plani_scoreboard_restate(&ws, sb, NULL), PLAN_OK);
    check_figures(pf, sb, PLANI_COARSE_GAP);
    plan_scoreboard_destroy(&sb);
    plani_workshop_clear(&ws);
    plan_platform_destroy(&pf);
}

/* Both trees of split binary span all ranks, and each rank's partner hands it the half that its side lacks. */
static void split_binary_runs_as_two_trees(void)
{
    for (int ranks = 1; ranks <= 12; ranks++) {
        plan_platform_t *pf = sites(1, ranks, 0);
        for (int root = 0; root < ranks; root += 2) {
            plan_choice_t choice = {.only = "ompi-split-binary"};
            plan_scoreboard_t *sb = board(pf, root, 1 << 20, &choice);
            const plan_candidate_t *c = &sb->candidate[0];
            int partner[12];
            plan_tree_t *whole = NULL;
            CU_ASSERT_EQUAL(sb->ncandidates, 1);
            CU_ASSERT_EQUAL_FATAL(c->ntrees, ranks < 3 ? 1 : 2);
            plan_split_binary_partners(ranks, root, partner);
            CU_ASSERT_EQUAL_FATAL(plan_tree_topology(PLAN_SPLIT_BINARY, ranks, root, 0, &whole), PLAN_OK);
            for (int r = 0; r < ranks && c->ntrees == 2; r++) {
                int a = plan_tree_parents(c->tree[0])[r], b = plan_tree_parents(c->tree[1])[r];
                int up = plan_tree_parents(whole)[r];
                if (r == root) continue;
                CU_ASSERT((a == up && b == partner[r]) || (b == up && a == partner[r]));
            }
            plan_tree_destroy(&whole);
            plan_scoreboard_destroy(&sb);
        }
        plan_platform_destroy(&pf);
    }
}

static void what_is_asked_for_is_considered(void)
{
    plan_platform_t *pf = sites(2, 6, 0);
    plan_error_t err;
    plan_scoreboard_t *none = NULL;
    plan_choice_t choice = {.only = "ompi-chain,native,grow,binomial-paths", .window = 7};
    plan_scoreboard_t *sb = board(pf, 0, 100000, &choice);
    CU_ASSERT_EQUAL(sb->ncandidates, 4);
    CU_ASSERT_STRING_EQUAL(sb->candidate[2].name, "native");
    CU_ASSERT_EQUAL(sb->candidate[2].run, PLAN_RUN_NATIVE);
    CU_ASSERT_STRING_EQUAL(sb->candidate[3].name, "binomial-paths");
    CU_ASSERT_EQUAL(sb->candidate[3].run, PLAN_RUN_NOT);
    CU_ASSERT(isfinite(sb->candidate[3].throughput) && isnan(sb->candidate[3].predicted_s));
    CU_ASSERT_EQUAL(sb->candidate[0].window, 7);
    plan_scoreboard_destroy(&sb);
    static const struct {
        plan_choice_t choice;
        int root;
        const char *needle;
    } bad[] = {{{.only = "grow,nonsense"}, 0, "\"nonsense\"; known: prune-simple"},
               {{.only = "grow,"}, 0, "\"\""},
               {{.only = ""}, 0, "\"\""},
               {{.only = "gro"}, 0, "\"gro\""},
               {{.model = "logp"}, 0, "logp"},
               {{.slice = (size_t)2 << 30}, 0, "slice"},
               {{.window = -1}, 0, "window"},
               {{.time_limit_s = NAN}, 0, "time limit"},
               {{0}, 6, "root 6"},
               {{0}, -1, "root -1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CU_ASSERT_EQUAL(plan_scoreboard_create(pf, bad[i].root, 1, &bad[i].choice, &none, &err), PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].needle));
        CU_ASSERT_PTR_NULL_FATAL(none);
    }
    plan_platform_destroy(&pf);
}

static void what_the_platform_has_no_links_for_is_left_out(void)
{
    plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {1, 2, 1e-6, 1e-9, 0, -1}, {2, 3, 1e-6, 1e-9, 0, -1}};
    plan_platform_data_t d = {.ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plan_error_t err;
    plan_choice_t flat = {.only = "ompi-linear"};
    plan_scoreboard_t *none = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_scoreboard_t *sb = board(pf, 0, 4096, NULL);
    CU_ASSERT_PTR_NOT_NULL(find(sb, "ompi-pipeline"));
    CU_ASSERT_PTR_NULL(find(sb, "ompi-linear"));
    CU_ASSERT_DOUBLE_EQUAL(sb->candidate[0].lp_ratio, 1, 1e-5);
    plan_scoreboard_destroy(&sb);
    CU_ASSERT_EQUAL(plan_scoreboard_create(pf, 0, 4096, &flat, &none, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_EQUAL(plan_scoreboard_create(pf, 1, 4096, NULL, &none, &err), PLAN_EUNREACHABLE);
    CU_ASSERT_PTR_NULL(none);
    plan_platform_destroy(&pf);
}

/* Ranks that only receive have no way to others, which trees do not need and the routed broadcast does. */
static void ranks_that_send_nothing_are_served(void)
{
    const plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {0, 2, 1e-6, 1e-9, 0, -1}, {0, 3, 1e-6, 1e-9, 0, -1}};
    const plan_platform_data_t d = {.ranks = 4, .nlinks = 3, .link = link};
    plan_platform_t *pf = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, &err), PLAN_OK);
    plan_scoreboard_t *sb = board(pf, 0, 1 << 20, NULL);
    CU_ASSERT_PTR_NULL(find(sb, "binomial-paths"));
    CU_ASSERT_DOUBLE_EQUAL(sb->candidate[0].lp_ratio, 1, 1e-6);
    CU_ASSERT_EQUAL(plan_tree_height(sb->candidate[0].tree[0]), 1);
    plan_scoreboard_destroy(&sb);
    plan_platform_destroy(&pf);
}

/* Slices that are larger than the message are no more than the message. */
static void rounds_sustain_no_more_than_the_bound(void)
{
    plan_platform_t *pf = sites(2, 8, 0);
    for (size_t slice = 1 << 10; slice <= 1 << 24; slice <<= 7)
        for (size_t bytes = 1; bytes <= 1 << 20; bytes <<= 10) {
            plan_choice_t choice = {.only = "circulant,scatter-ring,scatter-doubling", .slice = slice};
            plan_scoreboard_t *sb = board(pf, 0, bytes, &choice);
            CU_ASSERT_EQUAL(sb->ncandidates, 3);
            for (size_t i = 0; i < sb->ncandidates; i++) {
                const plan_candidate_t *c = &sb->candidate[i];
                CU_ASSERT_EQUAL(c->run, PLAN_RUN_ROUNDS);
                CU_ASSERT_DOUBLE_EQUAL(c->throughput * c->predicted_s * (double)slice, (double)bytes, 1e-6 * bytes);
                if (c->schedule == PLAN_CIRCULANT) CU_ASSERT(c->lp_ratio <= 1 + 1e-6);
            }
            plan_scoreboard_destroy(&sb);
        }
    plan_platform_destroy(&pf);
}

static void one_rank_needs_nothing(void)
{
    plan_platform_data_t d = {.ranks = 1};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_scoreboard_t *sb = board(pf, 0, 4096, NULL);
    CU_ASSERT_EQUAL(sb->candidate[0].run, PLAN_RUN_TREES);
    CU_ASSERT_EQUAL(sb->candidate[0].predicted_s, 0);
    CU_ASSERT_EQUAL(sb->candidate[0].lp_ratio, 1);
    plan_scoreboard_destroy(&sb);
    CU_ASSERT_EQUAL(plan_create(pf, 0, 1 << 20, NULL, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_nranges(plan), 1);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* Runnable before not, measured before predicted, unknown last, ties as they were. */
static void boards_are_sorted_as_promised(void)
{
    plan_candidate_t c[] = {{.name = "paper", .run = PLAN_RUN_NOT, .measured_s = NAN, .predicted_s = NAN},
                            {.name = "native", .run = PLAN_RUN_NATIVE, .measured_s = NAN, .predicted_s = NAN},
                            {.name = "a", .measured_s = NAN, .predicted_s = 2},
                            {.name = "b", .measured_s = NAN, .predicted_s = 2},
                            {.name = "c", .measured_s = 5, .predicted_s = 3},
                            {.name = "d", .measured_s = 4, .predicted_s = 9},
                            {.name = "e", .measured_s = NAN, .predicted_s = 1}};
    static const char *const want[] = {"d", "c", "e", "a", "b", "native", "paper"};
    plan_scoreboard_t sb = {.ncandidates = 7, .candidate = c};
    plan_scoreboard_sort(&sb);
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
    plan_scoreboard_t sb = {.ncandidates = 4, .candidate = c};
    plan_scoreboard_sort(&sb);
    for (int i = 0; i < 4; i++) CU_ASSERT_STRING_EQUAL(c[i].name, want[i]);
    c[3].predicted_s = 1 / 1.25; /* the ten trees */
    plan_scoreboard_sort(&sb);
    CU_ASSERT_STRING_EQUAL(c[0].name, "ten");
    CU_ASSERT_STRING_EQUAL(c[1].name, "two");
}

/* At every size the plan's choice is as fast as the board's winner, but for the neighbourhood of a border. */
static void plans_serve_every_size_well(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_t *plan = NULL, *again = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 2, 8 << 20, NULL, &plan, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 2, 8 << 20, NULL, &again, &err), PLAN_OK);
    CU_ASSERT_EQUAL(plan_hash(plan), plan_hash(again));
    CU_ASSERT_EQUAL(plan_range(plan, plan_nranges(plan) - 1).up_to, 8 << 20);
    CU_ASSERT_EQUAL(plan_hosts(plan)[4], 4);
    CU_ASSERT(plan_nranges(plan) >= 2);
    for (size_t bytes = 1; bytes <= (size_t)8 << 20; bytes *= 3) {
        const plan_candidate_t *c = plan_chosen(plan, bytes);
        plan_scoreboard_t *sb = board(pf, 2, bytes, NULL);
        double s = 0;
        CU_ASSERT_EQUAL(plan_score_trees(pf, c->ntrees, c->tree, c->rate, bytes, c->slice, c->window, &s), PLAN_OK);
        CU_ASSERT(s <= 1.1 * sb->candidate[0].predicted_s);
        plan_scoreboard_destroy(&sb);
    }
    plan_destroy(&plan);
    plan_destroy(&again);
    plan_platform_destroy(&pf);
}

static void measured_times_decide_a_plan(void)
{
    plan_platform_t *pf = sites(1, 6, 0);
    plan_choice_t choice = {.only = "ompi-chain,ompi-binomial,native"};
    plan_scoreboard_t *sb[2] = {board(pf, 0, 100, &choice), board(pf, 0, 10000, &choice)};
    plan_t *plan = NULL;
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < sb[i]->ncandidates; k++) sb[i]->candidate[k].measured_s = 2;
        ((plan_candidate_t *)(uintptr_t)find(sb[i], i ? "native" : "ompi-chain"))->measured_s = 1;
        plan_scoreboard_sort(sb[i]);
    }
    CU_ASSERT_EQUAL_FATAL(plani_plan_from_scoreboards(2, (const plan_scoreboard_t *const *)sb, NULL, NULL, &plan, NULL),
                          PLAN_OK);
    CU_ASSERT_EQUAL(plan_nranges(plan), 2);
    CU_ASSERT_EQUAL(plan_range(plan, 0).up_to, 1000); /* sqrt(100 * 10000) */
    CU_ASSERT_STRING_EQUAL(plan_chosen(plan, 1000)->name, "ompi-chain");
    CU_ASSERT_STRING_EQUAL(plan_chosen(plan, 1001)->name, "native");
    plan_destroy(&plan);
    plan_scoreboard_destroy(&sb[0]), plan_scoreboard_destroy(&sb[1]);
    plan_platform_destroy(&pf);
}

/* Sizes that there was no time for go on with what won before: its time stays with it. */
static void what_was_timed_once_is_kept(void)
{
    plan_platform_t *pf = sites(1, 6, 0);
    plan_choice_t choice = {.only = "ompi-binomial"};
    plan_scoreboard_t *sb[2] = {board(pf, 0, 100, &choice), board(pf, 0, 200, &choice)};
    plan_t *plan = NULL;
    ((plan_candidate_t *)(uintptr_t)find(sb[0], "ompi-binomial"))->measured_s = 1;
    CU_ASSERT_EQUAL_FATAL(plani_plan_from_scoreboards(2, (const plan_scoreboard_t *const *)sb, NULL, NULL, &plan, NULL),
                          PLAN_OK);
    CU_ASSERT_EQUAL(plan_nranges(plan), 1);
    CU_ASSERT_EQUAL(plan_range(plan, 0).up_to, 200);
    CU_ASSERT_EQUAL(plan_range(plan, 0).chosen->measured_s, 1);
    plan_destroy(&plan);
    plan_scoreboard_destroy(&sb[0]), plan_scoreboard_destroy(&sb[1]);
    plan_platform_destroy(&pf);
}

/* What a plan of 4 MiB for nine ranks in three sites says holds all of `lines`, of which the last is NULL. */
static void explains(const char *only, const char *const *lines)
{
    plan_platform_t *pf = sites(3, 9, 0);
    plan_choice_t choice = {.only = only, .slice = 65536};
    plan_t *plan = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 0, 4 << 20, &choice, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_explain(plan, pf, 4 << 20, &text), PLAN_OK);
    for (; *lines != NULL; lines++) {
        if (strstr(text, *lines) == NULL) fprintf(stderr, "\nnot found: %s in\n%s", *lines, text);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, *lines));
    }
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

static void plans_explain_themselves(void)
{
    static const char *const tree[] = {"4 MiB from rank 0 to 9 ranks: grow, 64 slices of 64 KiB",
                                       "next best: ompi-binomial",
                                       "% of the bound: no broadcast here can exceed ",
                                       "held up by rank 3 (host 3, site 0), sending: busy for 5.74 ms",
                                       "one tree: height ",
                                       "links between hosts, where 8 is the least",
                                       NULL};
    static const char *const trees[] = {"tree 1 with ", "tree 2 with ", NULL};
    static const char *const slices[] = {"circulant, 64 slices of 64 KiB, up to 4 in flight each way",
                                         "sustains ",
                                         "% of the bound",
                                         "held up by trunk ",
                                         " per slice",
                                         "schedule circulant: 64 blocks in 67 rounds, the ranks in the order 0",
                                         NULL};
    static const char *const blocks[] = {"scatter-ring, in one block per rank", "held up by trunk ",
                                         " in all rounds together", "schedule scatter-ring: 9 blocks in 12 rounds",
                                         NULL};
    explains("grow,ompi-binomial", tree);
    explains("two-tree", trees);
    explains("circulant", slices);
    explains("scatter-ring", blocks);
}

static void every_failing_allocation_comes_back(void)
{
    plan_platform_t *pf = sites(2, 4, 0);
    plan_choice_t choice = {.only = "grow,ompi-split-binary,binomial-paths,native", .slice = 4096};
    plan_scoreboard_t *sb = NULL;
    plan_t *plan = NULL;
    plan_error_t err;
    ALLOC_EACH(plan_scoreboard_create(pf, 0, 65536, &choice, &sb, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    CU_ASSERT_EQUAL(sb->ncandidates, 4);
    plan_scoreboard_destroy(&sb);
    choice.only = "grow,lp-trees";
    ALLOC_EACH(plan_create(pf, 0, 512, &choice, &plan, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

/* Two workshops for messages of up to `most` bytes: one scores all, the other looks for winners only. */
static void open_twice(const plan_platform_t *pf, int root, const plan_choice_t *choice, size_t most,
                       plani_workshop_t *all, plani_workshop_t *winners)
{
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plani_workshop_open(pf, root, choice, all, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_workshop_open(pf, root, choice, winners, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_workshop_build(all, most, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_workshop_build(winners, most, &err), PLAN_OK);
    winners->winners = true;
}

/* Plans leave out what smaller messages rule out; the winner is that of a board on which all are scored. */
static void what_smaller_messages_rule_out_does_not_win(void)
{
    const plan_choice_t stages = {.model = "taulop"};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plan_platform_t *pf = NULL;
        plani_workshop_t all, winners;
        plan_error_t err;
        CU_ASSERT_EQUAL_FATAL(plan_generate_random(10, seed % 2 ? 1 : 0.4, seed, &pf), PLAN_OK);
        open_twice(pf, 3, &stages, 16 << 20, &all, &winners);
        for (size_t bytes = 64; bytes <= 16 << 20; bytes *= 2) {
            plan_scoreboard_t *a = NULL, *w = NULL;
            CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&all, bytes, &a, &err), PLAN_OK);
            CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&winners, bytes, &w, &err), PLAN_OK);
            CU_ASSERT_STRING_EQUAL(a->candidate[0].name, w->candidate[0].name);
            CU_ASSERT_EQUAL(a->candidate[0].predicted_s, w->candidate[0].predicted_s);
            plan_scoreboard_destroy(&a);
            plan_scoreboard_destroy(&w);
        }
        plani_workshop_clear(&all);
        plani_workshop_clear(&winners);
        plan_platform_destroy(&pf);
    }
}

/* How long one candidate's replay takes, weighed for flows that take turns. */
static double replayed(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes)
{
    plani_replay_t *x = NULL;
    plani_turns_t turns;
    double share[PLANI_MENU_ROOM], total = 0, t = 0;
    CU_ASSERT_EQUAL_FATAL(plani_replay_create(pf, &x), PLAN_OK);
    if (c->run == PLAN_RUN_ROUNDS) {
        CU_ASSERT_EQUAL(plani_replay_rounds(x, c->schedule, c->order, bytes, c->slice, c->window, &t), PLAN_OK);
    } else {
        for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
        for (size_t k = 0; k < c->ntrees; k++) share[k] = c->rate[k] / total;
        CU_ASSERT_EQUAL(plani_replay_trees(x, c->ntrees, c->tree, share, bytes, c->slice, c->window, &t), PLAN_OK);
        CU_ASSERT_EQUAL(plani_turns(pf, c->ntrees, c->tree, share, &turns), PLAN_OK);
        t *= plani_turns_stretch(&turns, (double)bytes, t);
    }
    plani_replay_destroy(&x);
    return t;
}

/* Messages that are cut in many slices: every candidate is predicted by its replay, and none at its slice comes before
 * a faster one.
 */
static void the_last_word_has_the_replay(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    for (size_t bytes = 100000; bytes <= 4 << 20; bytes *= 6) {
        plan_scoreboard_t *sb = board(pf, 0, bytes, NULL);
        for (size_t i = 0; i < sb->ncandidates; i++) {
            const plan_candidate_t *c = &sb->candidate[i];
            if (!plani_is_planned(c)) continue;
            CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, replayed(pf, c, bytes), 1e-9 * c->predicted_s);
            CU_ASSERT(plani_weighed(c) >= plani_weighed(&sb->candidate[0]));
        }
        plan_scoreboard_destroy(&sb);
    }
    plan_platform_destroy(&pf);
}

/* Where only winners count few are replayed; what wins is hardly slower than what wins of all. */
static void few_replays_find_almost_the_best(void)
{
    const plan_choice_t replay = {.model = "replay"};
    plani_workshop_t all, winners;
    plan_error_t err;
    plan_platform_t *pf = sites(3, 9, 0);
    open_twice(pf, 0, &replay, 4 << 20, &all, &winners);
    for (size_t bytes = 1024; bytes <= 4 << 20; bytes *= 2) {
        plan_scoreboard_t *a = NULL, *w = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&all, bytes, &a, &err), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&winners, bytes, &w, &err), PLAN_OK);
        CU_ASSERT(plani_weighed(&w->candidate[0]) <= 1.05 * plani_weighed(&a->candidate[0]));
        plan_scoreboard_destroy(&a);
        plan_scoreboard_destroy(&w);
    }
    plani_workshop_clear(&all);
    plani_workshop_clear(&winners);
    plan_platform_destroy(&pf);
}

/* A window that the long link 0->1 asks for is too wide for 1->2, which twice 1 + 2 * flight / busy slices keep busy.
 */
static void short_links_have_narrower_windows_than_long_ones(void)
{
    const double busy = 1e-6 + 8192e-9;
    plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 1e-2, -1}, {1, 2, 1e-6, 1e-9, 5e-5, -1}};
    plan_platform_data_t d = {.ranks = 3, .nlinks = 2, .link = link};
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    for (int window = 16; window <= 128; window *= 8) {
        plan_choice_t choice = {.only = "ompi-pipeline", .slice = 8192, .window = window};
        plan_scoreboard_t *sb = board(pf, 0, 1 << 20, &choice);
        const plan_candidate_t *c = &sb->candidate[0];
        if (window == 16) {
            CU_ASSERT_PTR_NULL(c->link_window);
        } else {
            CU_ASSERT_PTR_NOT_NULL_FATAL(c->link_window);
            CU_ASSERT_EQUAL(c->link_window[1], 128);
            CU_ASSERT_EQUAL(c->link_window[2], (int)ceil(2 * (busy + 2 * 5e-5) / busy));
        }
        plan_scoreboard_destroy(&sb);
    }
    plan_platform_destroy(&pf);
}

/* Without latency no window helps, and who is too far behind to be scored to the end has a narrow one, too. */
static void windows_are_wide_only_where_that_helps(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plan_platform_t *pf = sample_platform(&(sample_t){.ranks = 8, .density = 0.8, .resources = 3, .seed = seed});
        plani_workshop_t all, winners;
        plan_error_t err;
        open_twice(pf, 0, NULL, 64 << 10, &all, &winners);
        for (size_t bytes = 64; bytes <= 64 << 10; bytes *= 2) {
            plan_scoreboard_t *sb = NULL;
            CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&winners, bytes, &sb, &err), PLAN_OK);
            for (size_t i = 0; i < sb->ncandidates; i++) CU_ASSERT(sb->candidate[i].window <= 4);
            plan_scoreboard_destroy(&sb);
        }
        plani_workshop_clear(&all);
        plani_workshop_clear(&winners);
        plan_platform_destroy(&pf);
    }
}

/* Once time is over, the largest size alone gets a board: one candidate serves all sizes. */
static void a_plan_out_of_time_serves_all_sizes_at_once(void)
{
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    const plan_choice_t hurried = {.time_limit_s = 1e-9};

    CU_ASSERT_EQUAL_FATAL(plan_generate_random(9, 1, 3, &pf), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_create(pf, 4, 16 << 20, &hurried, &plan, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_nranges(plan), 1);
    CU_ASSERT_EQUAL(plan_range(plan, 0).up_to, 16 << 20);
    CU_ASSERT_EQUAL(plan_tree_ranks(plan_range(plan, 0).chosen->tree[0]), 9);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("choosing", TEST(windows_are_wide_only_where_that_helps), TEST(a_plan_out_of_time_serves_all_sizes_at_once),
           TEST(short_links_have_narrower_windows_than_long_ones), TEST(the_last_word_has_the_replay),
           TEST(few_replays_find_almost_the_best), TEST(what_smaller_messages_rule_out_does_not_win),
           TEST(the_best_of_all_slices_and_windows_is_found), TEST(small_slices_are_not_chosen_for_little),
           TEST(ties_go_to_the_higher_throughput), TEST(figures_agree_with_the_direct_program),
           TEST(ratios_are_to_the_bound_at_the_own_slice), TEST(figures_follow_the_slices_that_were_timed_best),
           TEST(split_binary_runs_as_two_trees), TEST(what_is_asked_for_is_considered),
           TEST(what_the_platform_has_no_links_for_is_left_out), TEST(one_rank_needs_nothing),
           TEST(boards_are_sorted_as_promised), TEST(more_trees_have_to_save_more), TEST(plans_serve_every_size_well),
           TEST(measured_times_decide_a_plan), TEST(what_was_timed_once_is_kept), TEST(plans_explain_themselves),
           TEST(ranks_that_send_nothing_are_served), TEST(rounds_sustain_no_more_than_the_bound),
           TEST(every_failing_allocation_comes_back))
