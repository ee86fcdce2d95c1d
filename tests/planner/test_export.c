/* Exports: exact text in the library's own format and for Graphviz, complete contents where igraph writes the file. */
#include "suite.h"
#include "alloc.h"
#include "plans.h"
#include "lib/base/base.h"

/* Ranks 0, 1 on host 0; 2, 3 on host 1; 4 on host 2, which is another site. */
static plan_platform_t *platform(int ranks)
{
    const int host[] = {0, 0, 1, 1, 2}, site[] = {0, 0, 0, 0, 1};
    plan_link_t link[20];
    plan_platform_data_t d = {.size = sizeof d, .ranks = ranks, .link = link, .host = host, .site = site};
    plan_platform_t *pf = NULL;
    for (int u = 0; u < ranks; u++)
        for (int v = 0; v < ranks; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, 1e-6, site[u] == site[v] ? 1e-9 : 1e-8, 0, -1};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

static const int chain[] = {-1, 0, 1, 2, 3}, star[] = {-1, 0, 0, 0, 0}, order[] = {0, 3, 2, 1, 0};

/* One tree up to 1000 B, two up to 1 MiB, MPI_Bcast beyond. */
static plan_t *sample(void)
{
    plan_candidate_t c[] = {one_tree("a<b>&c", 5, star, order, 0, 1), two_trees("lp-trees", 5, chain, star, 300, 100),
                            one_tree("native", 5, NULL, NULL, 0, 1)};
    const plan_range_t range[] = {{1000, &c[0]}, {1 << 20, &c[1]}, {1 << 30, &c[2]}};
    plan_t *plan = NULL;
    c[1].throughput = 400;
    c[1].bottleneck = (plan_bottleneck_t){.at = PLAN_AT_SEND_PORT, .index = 3, .seconds = 0.0025};
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(5, 0, 3, range, NULL, &plan), PLAN_OK);
    for (int i = 0; i < 3; i++) plani_candidate_clear(&c[i]);
    return plan;
}

static char *export(const plan_t *plan, const plan_platform_t *pf, size_t bytes, const char *format)
{
    char *text = NULL;
    plan_error_t err = {.text = ""};
    CU_ASSERT_EQUAL_FATAL(plan_export(plan, pf, bytes, format, &text, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    return text;
}

static void parents_are_a_line_per_tree(void)
{
    plan_t *plan = sample();
    char *one = export(plan, NULL, 5, "parents"), *two = export(plan, NULL, 1 << 20, "parents");
    char *fast = export(plan, NULL, 65536, "parents"); /* one slice goes down the faster of the two */
    CU_ASSERT_STRING_EQUAL(one, "-1 0 0 0 0\n");
    CU_ASSERT_STRING_EQUAL(two, "-1 0 1 2 3\n-1 0 0 0 0\n");
    CU_ASSERT_STRING_EQUAL(fast, "-1 0 1 2 3\n");
    free(one), free(two), free(fast);
    plan_destroy(&plan);
}

static void json_tells_who_sends_to_whom(void)
{
    plan_t *plan = sample();
    plan_platform_t *pf = platform(5);
    char *text = export(plan, pf, 1000, "json");
    CU_ASSERT_STRING_EQUAL(text, "{\n  \"format\": \"planbcast-trees\",\n  \"version\": 1,\n  \"name\": \"a<b>&c\",\n"
                                 "  \"run\": \"trees\",\n  \"ranks\": 5,\n  \"root\": 0,\n"
                                 "  \"bytes\": 1000,\n  \"slice\": 0,\n  \"window\": 1,\n  \"hosts\": [0,0,1,1,2],\n"
                                 "  \"trees\": [\n    {\"rate\": 333.3333333333333,\n     \"parent\": [-1,0,0,0,0],\n"
                                 "     \"children\": [[4,3,2,1],[],[],[],[]],\n"
                                 "     \"cost_s\": [0,2.0000000000000003e-06,2.0000000000000003e-06,"
                                 "2.0000000000000003e-06,1.1000000000000001e-05]}\n  ]\n}\n");
    free(text);
    text = export(plan, NULL, 1 << 21, "json");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"run\": \"native\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"trees\": [\n  ]"));
    free(text);
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
}

/* Change the picture knowingly: look at it (dot -Tpng), then store it as the new golden file. */
static void dot_is_as_it_was_looked_at(void)
{
    plan_t *plan = sample();
    plan_platform_t *pf = platform(5);
    size_t len = 0;
    char *golden = NULL, *text = export(plan, pf, 1 << 20, "dot");
    plan_error_t err = {.text = ""};
    CU_ASSERT_EQUAL(plani_read_file(GOLDEN_DOT, 1 << 20, &golden, &len, &err), PLAN_OK);
    if (golden == NULL || strcmp(text, golden) != 0) fprintf(stderr, "\n%s\n%s", err.text, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(golden);
    CU_ASSERT_STRING_EQUAL(text, golden);
    free(text), free(golden);
    text = export(plan, NULL, 10, "dot");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "<b>a&lt;b&gt;&amp;c</b>"));
    CU_ASSERT_PTR_NULL(strstr(text, "cluster_site"));
    free(text);
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
}

/* Ranks 1 and 2 of one host, without a link between them. */
static void shared_memory_is_no_link(void)
{
    static const plan_link_t link[] = {{0, 1, 1e-3, 0, 0, -1}};
    static const int host[] = {0, 1, 1}, parent[] = {-1, 0, 1};
    const plan_platform_data_t d = {.size = sizeof d, .ranks = 3, .link = link, .nlinks = 1, .host = host};
    plan_candidate_t c = one_tree("two-level", 3, parent, NULL, 1000, 1);
    const plan_range_t range = {1000, &c};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;

    c.run = PLAN_RUN_HOSTS;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(3, 0, 1, &range, host, &plan), PLAN_OK);
    char *text = export(plan, pf, 1000, "dot");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "0 -> 1 [color=\"#1f5fa8\", penwidth=1.67, label=\" 1 ms"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 -> 2 [color=\"#1f5fa8\"];"));
    free(text);
    text = export(plan, pf, 1000, "json");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"cost_s\": [0,0.001,0]"));
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
    plani_candidate_clear(&c);
}

/* Planned at 1 MiB, sent whole: at 1 B the root's port is busy for four times 1 us, and the slice to rank 4 a quarter.
 */
static void dot_is_of_the_size_asked_for(void)
{
    plan_candidate_t c = one_tree("t", 5, star, NULL, 0, 1);
    const plan_range_t range = {1 << 20, &c};
    const plani_note_t note = {.at_bytes = 1 << 20, .runner_up_s = NAN};
    plan_platform_t *pf = platform(5);
    plan_t *plan = NULL;

    c.throughput = c.rate[0] = 73;
    CU_ASSERT_EQUAL_FATAL(plani_plan_create(5, 0, 1, &range, &note, NULL, &plan, NULL), PLAN_OK);
    char *text = export(plan, pf, 1, "dot");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "tooltip=\"busy 25% of the time\""));
    CU_ASSERT_PTR_NULL(strstr(text, "of the best throughput possible"));
    free(text);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
    plani_candidate_clear(&c);
}

/* Links lead up alone, to rank 0: a reduction has them, at their costs, and a broadcast has not. */
static void of_reductions_edges_lead_to_the_root(void)
{
    static const plan_link_t up[] = {{1, 0, 1e-6, 0, 0, -1}, {2, 0, 2e-6, 0, 0, -1}, {3, 2, 3e-6, 0, 0, -1}};
    static const int parent[] = {-1, 0, 0, 2};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 4, .link = up, .nlinks = 3};
    plan_candidate_t c = one_tree("t", 4, parent, NULL, 1, 1);
    const plan_range_t range = {1000, &c};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    char *text = NULL;

    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_LINK, .index = 2, .seconds = 3e-6};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(4, 0, 1, &range, NULL, &plan), PLAN_OK);
    CU_ASSERT_EQUAL(plan_export(plan, pf, 1000, "json", &text, NULL), PLAN_EMISMATCH);
    plani_plan_let_reduce(plan);
    text = export(plan, pf, 1000, "json");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"operation\": \"reduce\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"parent\": [-1,0,0,2]"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"cost_s\": [0,1e-06,2e-06,3e-06]"));
    free(text);
    text = export(plan, pf, 1000, "graphml");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "<edge source=\"n1\" target=\"n0\">"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "<edge source=\"n3\" target=\"n2\">"));
    free(text);
    text = export(plan, pf, 1000, "dot");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  0 -> 1 [dir=back, color=\"#1f5fa8\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  2 -> 3 [dir=back, color=\"#c8102e\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "<b>t</b>: reduction of "));
    free(text);
    plani_candidate_clear(&c);
    plan_destroy(&plan);
    plan_platform_destroy(&pf);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

static void graphml_holds_every_transfer(void)
{
    plan_t *plan = sample();
    plan_platform_t *pf = platform(5);
    char *with = export(plan, pf, 1 << 20, "graphml"), *without = export(plan, NULL, 1, "graphml");
    CU_ASSERT_EQUAL(count(with, "<node "), 5);
    CU_ASSERT_EQUAL(count(with, "<edge "), 8);
    CU_ASSERT_EQUAL(count(with, "<data key=\"cost_s\">"), 8);
    CU_ASSERT_EQUAL(count(with, "<data key=\"rate\">300</data>"), 4);
    CU_ASSERT_EQUAL(count(with, "<data key=\"host\">"), 5);
    CU_ASSERT_EQUAL(count(without, "<edge "), 4);
    CU_ASSERT_EQUAL(count(without, "cost_s"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(without, "a&lt;b&gt;&amp;c"));
    CU_ASSERT_EQUAL(count(without, "<data key=\"root\">true</data>"), 1);
    for (int r = 0; r < 5; r++) { /* the children of 0 are 4, 3, 2, 1; then the first tree is a chain */
        char node[200], edge[200];
        snprintf(node, sizeof node, "\"n%d\">\n      <data key=\"rank\">%d</data>\n      <data key=\"root\">%s<", r, r,
                 r == 0 ? "true" : "false");
        CU_ASSERT_PTR_NOT_NULL(strstr(without, node));
        CU_ASSERT_PTR_NOT_NULL(strstr(with, node));
        if (r == 0) continue;
        snprintf(edge, sizeof edge,
                 "source=\"n0\" target=\"n%d\">\n      <data key=\"tree\">0</data>\n      "
                 "<data key=\"order\">%d</data>",
                 r, 4 - r);
        CU_ASSERT_PTR_NOT_NULL(strstr(without, edge));
        snprintf(edge, sizeof edge,
                 "source=\"n%d\" target=\"n%d\">\n      <data key=\"tree\">0</data>\n      "
                 "<data key=\"order\">0</data>",
                 r - 1, r);
        CU_ASSERT_PTR_NOT_NULL(strstr(with, edge));
        snprintf(edge, sizeof edge,
                 "source=\"n0\" target=\"n%d\">\n      <data key=\"tree\">1</data>\n      "
                 "<data key=\"order\">%d</data>",
                 r, r - 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(with, edge));
    }
    free(with), free(without);
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
}

/* Costs are a platform's, shares of the slices the plan's. */
static void dot_tells_shares_without_a_platform(void)
{
    plan_t *plan = sample();
    char *one = export(plan, NULL, 5, "dot"), *two = export(plan, NULL, 1 << 20, "dot");
    CU_ASSERT_EQUAL(count(one, " -> "), 4);
    CU_ASSERT_EQUAL(count(one, "%\"]"), 0);
    CU_ASSERT_EQUAL(count(one, "slices"), 0); /* it is sent whole */
    CU_ASSERT_EQUAL(count(two, "1 MiB in slices of 64 KiB"), 1);
    CU_ASSERT_EQUAL(count(two, " -> "), 7); /* both use 0 -> 1 */
    CU_ASSERT_EQUAL(count(two, "label=\" 100%\"]"), 1);
    CU_ASSERT_EQUAL(count(two, "label=\" 75%\"]"), 3);
    CU_ASSERT_EQUAL(count(two, "label=\" 25%\"]"), 3);
    free(one), free(two);
    plan_destroy(&plan);
}

/* Two sites of two ranks; the trunk 0 -> 2 holds the plan up. Names may hold anything that JSON may. */
static void dot_names_places_and_what_holds_the_plan_up(void)
{
    const int host[] = {0, 1, 2, 2}, site[] = {0, 0, 1, 1}, parent[] = {-1, 0, 0, 2};
    const char *const hosts[] = {"a", "b", "c \"x\""}, *const sites[] = {"here", NULL};
    const plan_link_t link[] = {{0, 1, 1e-6, 1e-9, 0, -1}, {0, 2, 1e-6, 1e-9, 0, -1}, {2, 3, 1e-6, 1e-9, 0, -1}};
    const size_t through[] = {1};
    const plan_resource_t trunk = {.name = "<trunk>\x01", .nlinks = 1, .link = through, .s_per_byte = 1e-8};
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = 4,
                              .nlinks = 3,
                              .link = link,
                              .nresources = 1,
                              .resource = &trunk,
                              .host = host,
                              .site = site,
                              .hosts = 3,
                              .host_name = hosts,
                              .sites = 2,
                              .site_name = sites};
    plan_candidate_t c = one_tree("grow", 4, parent, NULL, 1000, 1);
    const plan_range_t range[] = {{1000, &c}};
    plan_platform_t *pf = NULL;
    plan_t *plan = NULL;
    c.bottleneck = (plan_bottleneck_t){.at = PLAN_AT_RESOURCE, .index = 0, .seconds = 1e-5};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(4, 0, 1, range, NULL, &plan), PLAN_OK);
    char *text = export(plan, pf, 1000, "dot"), *without = export(plan, NULL, 1000, "dot");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, ">bottleneck: &lt;trunk&gt;?, busy for 10 us per slice<"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "0 -> 2 [color=\"#c8102e\", fontcolor=\"#c8102e\", arrowsize=1, penwidth=3"));
    CU_ASSERT_EQUAL(count(text, "[color=\"#c8102e\""), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "tooltip=\"rank 1\", label=\"b\"];"));
    CU_ASSERT_EQUAL(count(text, "fontcolor=\"#c8102e\""), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "cluster_site_0 { label=\"here\";"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "cluster_site_1 { label=\"site 1\";"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "cluster_host_2 { label=\"c \\\"x\\\"\";"));
    CU_ASSERT_EQUAL(count(without, "#c8102e"), 0);
    free(text), free(without);
    plani_candidate_clear(&c);
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
}

/* A chain is higher than wide, and goes from left to right; a star does not. */
static void dot_is_wide_rather_than_high(void)
{
    plan_t *plan = sample();
    char *high = export(plan, NULL, 65536, "dot"), *flat = export(plan, NULL, 5, "dot");
    CU_ASSERT_EQUAL(count(high, "rankdir=LR"), 1);
    CU_ASSERT_EQUAL(count(flat, "rankdir=LR"), 0);
    free(high), free(flat);
    plan_destroy(&plan);
}

static plan_t *plan_of(plan_candidate_t *c, int ranks, const int *hosts)
{
    const plan_range_t range = {1 << 20, c};
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(ranks, 0, 1, &range, hosts, &plan), PLAN_OK);
    plani_candidate_clear(c);
    return plan;
}

/* A ring of 4: everybody sends to the next, and the scatter adds the links 0 -> 2, 0 -> 1 and 2 -> 3. */
static void dot_draws_rounds_and_shared_memory(void)
{
    const int places[] = {0, 2, 1, 3};
    plan_candidate_t rounds = in_rounds("scatter-ring", PLAN_SCATTER_RING, 4, places, 0, 1),
                     shared = one_tree("shared-memory", 4, NULL, NULL, 0, 1);
    shared.run = PLAN_RUN_SHARED;
    plan_t *ring = plan_of(&rounds, 4, NULL), *memory = plan_of(&shared, 4, NULL);
    char *text = export(ring, NULL, 4000, "dot"), *other = export(memory, NULL, 4000, "dot");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "in rounds of scatter-ring"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "layout=circo"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  2 -> 1 [")); /* places 1 -> 2 */
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  0 -> 1 [")); /* the scatter: places 0 -> 2 */
    CU_ASSERT_EQUAL(count(other, "memory -> "), 3);
    CU_ASSERT_EQUAL(count(other, " -> memory ["), 1);
    free(text), free(other);
    plan_destroy(&ring);
    plan_destroy(&memory);
}

/* 80 ranks on 4 hosts, down a chain: one node for each host, and 3 edges. */
static void dot_collapses_many_ranks_to_their_hosts(void)
{
    int parent[80], hosts[80];
    for (int r = 0; r < 80; r++) parent[r] = r - 1, hosts[r] = r / 20;
    plan_candidate_t c = one_tree("ompi-pipeline", 80, parent, NULL, 1000, 1);
    plan_t *plan = plan_of(&c, 80, hosts);
    char *text = export(plan, NULL, 4000, "dot");
    CU_ASSERT_EQUAL(count(text, "xlabel=\"20 ranks\""), 4);
    CU_ASSERT_EQUAL(count(text, " -> "), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  0 -> 1 ["));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "label=\"host 3\""));
    free(text);
    char *again = NULL;
    plan_error_t err;
    ALLOC_EACH(plan_export(plan, NULL, 4000, "dot", &again, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(again);
    plan_destroy(&plan);
}

static void what_cannot_be_exported_is_refused(void)
{
    plan_t *plan = sample();
    plan_platform_t *small = platform(3), *lacking = NULL;
    const plan_link_t link[] = {{0, 1, 1, 1, 0, -1}};
    plan_platform_data_t d = {.size = sizeof d, .ranks = 5, .nlinks = 1, .link = link};
    char *text = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &lacking, NULL), PLAN_OK);
    CU_ASSERT_EQUAL(plan_export(plan, NULL, 5, "pdf", &text, &err), PLAN_EINVAL);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "\"pdf\"; known: dot"));
    CU_ASSERT_EQUAL(plan_export(plan, NULL, 1 << 25, "dot", &text, &err), PLAN_EUNSUPPORTED);
    CU_ASSERT_EQUAL(plan_export(plan, small, 5, "dot", &text, &err), PLAN_EMISMATCH);
    CU_ASSERT_EQUAL(plan_export(plan, lacking, 5, "json", &text, &err), PLAN_EMISMATCH);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "from rank 0 to rank 2"));
    CU_ASSERT_PTR_NULL(text);
    plan_platform_destroy(&small);
    plan_platform_destroy(&lacking);
    plan_destroy(&plan);
}

static void every_failing_allocation_comes_back(void)
{
    plan_t *plan = sample();
    plan_platform_t *pf = platform(5);
    static const char *const format[] = {"dot", "json", "parents", "graphml"};
    for (int i = 0; i < 4; i++) {
        char *text = NULL;
        plan_error_t err;
        ALLOC_EACH(plan_export(plan, pf, 5000, format[i], &text, &err), {
            CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
            CU_ASSERT_EQUAL(err.status, PLAN_ENOMEM);
        });
        free(text);
    }
    plan_platform_destroy(&pf);
    plan_destroy(&plan);
}

SUITE_MAIN("export", TEST(parents_are_a_line_per_tree), TEST(json_tells_who_sends_to_whom),
           TEST(dot_is_as_it_was_looked_at), TEST(dot_names_places_and_what_holds_the_plan_up),
           TEST(dot_is_wide_rather_than_high), TEST(dot_draws_rounds_and_shared_memory),
           TEST(dot_collapses_many_ranks_to_their_hosts), TEST(dot_tells_shares_without_a_platform),
           TEST(shared_memory_is_no_link), TEST(dot_is_of_the_size_asked_for),
           TEST(of_reductions_edges_lead_to_the_root), TEST(graphml_holds_every_transfer),
           TEST(what_cannot_be_exported_is_refused), TEST(every_failing_allocation_comes_back))
