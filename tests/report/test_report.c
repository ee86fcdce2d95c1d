/* The page: it is well-formed whatever names say, loads nothing, and holds all hosts, resources and figures. */
#include "suite.h"
#include "alloc.h"
#include "markup.h"
#include "graphs/generate/sites.h"
#include "planner/algorithms/described.h"
#include "planner/report/report.h"
#include "planner/report/view.h"
#include "planner/select/decide.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A machine or spec with a decision for some sizes. */
typedef struct {
    plani_machine_t *machine;
    plani_cluster_t *cluster; /* that `on` is made of */
    plani_described_t on;
    plani_decision_t decision;
    plani_report_t report;
} scene_t;

static void open_scene(const char *text, const char *only, scene_t *s)
{
    plan_error_t err = {.text = ""};
    plan_choice_t choice = {.size = sizeof choice, .only = only};

    memset(s, 0, sizeof *s);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(text, strlen(text), "scene", &s->cluster, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_parse(text, strlen(text), "scene", &s->machine, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_described_create(s->cluster, 0, &s->on, &err), PLAN_OK);
    plani_request_t request = {.pf = s->on.pf,
                               .choice = &choice,
                               .n = 3,
                               .bytes = {4096, 65536, 1 << 20},
                               .complete = 3,
                               .hosts = s->on.hosts,
                               .sparse = s->on.sparse};
    CU_ASSERT_EQUAL_FATAL(plani_decide(&request, &s->decision, &err), PLAN_OK);
    s->report = (plani_report_t){.subject = "scene.json",
                                 .command = "planbcast report scene.json -o report.html",
                                 .machine = s->machine,
                                 .pf = s->on.pf,
                                 .plan = s->decision.plan,
                                 .chosen = &s->decision.ranking[2]->candidate[0],
                                 .bytes = 1 << 20,
                                 .nrankings = 3,
                                 .ranking = s->decision.ranking,
                                 .provenance = s->machine->provenance};
}

static void close_scene(scene_t *s)
{
    plani_decision_clear(&s->decision);
    plani_described_clear(&s->on);
    plani_cluster_destroy(&s->cluster);
    plani_machine_destroy(&s->machine);
}

static char *page_of(const plani_report_t *r)
{
    char *html = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_report_html(r, &html), PLAN_OK);
    const char *wrong = markup_error(html);
    if (wrong != NULL) fprintf(stderr, "\nnot well-formed: %.200s\n", wrong);
    CU_ASSERT_PTR_NULL(wrong);
    return html;
}

#define HAS(page, text) CU_ASSERT_PTR_NOT_NULL(strstr(page, text))
#define LACKS(page, text) CU_ASSERT_PTR_NULL(strstr(page, text))

/* Swap who sends and who receives: a page on a plan of reductions, over all pairs of ranks. */
static void open_reduction(const char *text, const char *only, scene_t *s)
{
    plan_choice_t choice = {.size = sizeof choice, .only = only};
    plani_decision_t decision;

    open_scene(text, only, s);
    plani_described_clear(&s->on);
    CU_ASSERT_EQUAL_FATAL(plani_cluster_platform(s->cluster, &s->on.pf, NULL), PLAN_OK);
    plani_request_t request = {.pf = s->on.pf,
                               .choice = &choice,
                               .n = 3,
                               .bytes = {4096, 65536, 1 << 20},
                               .complete = 3,
                               .reduces = true,
                               .combine_s_per_byte = 1e-9};
    CU_ASSERT_EQUAL_FATAL(plani_decide(&request, &decision, NULL), PLAN_OK);
    plani_decision_clear(&s->decision);
    s->decision = decision;
    s->report.pf = s->on.pf;
    s->report.plan = decision.plan;
    s->report.chosen = &decision.ranking[2]->candidate[0];
    s->report.ranking = s->decision.ranking;
    s->report.combine_s_per_byte = 1e-9;
}

/* The trunk into `south` is slow. */
static const char two_groups[] =
    "{\"format\":\"planbcast-machine\",\"version\":1,\"name\":\"two groups\",\"kinds\":[{\"name\":\"fast\","
    "\"out\":{\"bytes_per_s\":1e8,\"bytes_per_s_interval\":[9.8e7,1.02e8]},\"in\":{\"bytes_per_s\":1e8},"
    "\"latency_s\":5e-5},{\"name\":\"old\",\"out\":{\"bytes_per_s\":4e7},\"in\":{\"bytes_per_s\":6e7},"
    "\"latency_s\":5e-5}],\"groups\":[{\"name\":\"north\",\"out\":{\"bytes_per_s\":5e7},\"in\":{\"bytes_per_s\":5e7},"
    "\"hosts\":[{\"names\":\"n[1-3]\",\"kind\":\"fast\"}]},{\"name\":\"south\",\"out\":{\"bytes_per_s\":5e7},\"in\":{"
    "\"bytes_per_s\":1e7,\"bytes_per_s_interval\":[9.9e6,1.01e7]},\"hosts\":[{\"names\":\"s[1-2]\",\"kind\":\"fast\"},"
    "{\"names\":\"s3\",\"kind\":\"old\"}]}],\"provenance\":{\"date\":\"2026-11-24\",\"mpi\":\"Open MPI v4.1.4\","
    "\"validation\":[{\"name\":\"best-tree\",\"bytes\":1048576,\"predicted_s\":0.1,\"measured_s\":0.13}]}}";

static void page_holds_hosts_trunks_and_the_slow_one_first(void)
{
    static const char *const held[] = {"n1",
                                       "n2",
                                       "n3",
                                       "s1",
                                       "s2",
                                       "s3",
                                       "north",
                                       "south",
                                       "host n1 out",
                                       "host s3 in",
                                       "south trunk in",
                                       "north trunk out",
                                       "9.9 MB/s to 10.1 MB/s",
                                       "2026-11-24",
                                       "Not to be trusted",
                                       "id=\"machine\"",
                                       "id=\"plan\"",
                                       "id=\"sizes\"",
                                       "id=\"ranking\"",
                                       "id=\"timeline\"",
                                       "id=\"resources\"",
                                       "id=\"heat\"",
                                       "id=\"provenance\"",
                                       "planbcast report scene.json -o report.html"};
    scene_t s;
    open_scene(two_groups, NULL, &s);
    char *page = page_of(&s.report);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) HAS(page, held[i]);
    HAS(page, "<p class=\"verdict\">What is slow here is south trunk in (10 MB/s); by the model the plan takes ");
    const char *row = strstr(page, "<tr class=\"worst\"><td>south trunk in</td><td>10 MB/s</td>");
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT(row < strstr(page, "<td>north trunk out</td>"));
    HAS(page, "<div class=\"group worst\"><div class=\"head\"><b>south</b>");
    CU_ASSERT_EQUAL(markup_count(page, "<div class=\"group"), 2);
    free(page);
    close_scene(&s);
}

static void page_loads_nothing_and_has_no_script(void)
{
    static const char *const foreign[] = {"http:", "https:",  "src=",     "url(",    "@import",
                                          "<link", "<script", "href=\"h", "<iframe", "<object"};
    scene_t s;
    open_scene(two_groups, NULL, &s);
    char *page = page_of(&s.report);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) LACKS(page, foreign[i]);
    HAS(page, "prefers-color-scheme:dark");
    HAS(page, "@media print");
    HAS(page, "width=device-width");
    free(page);
    close_scene(&s);
}

/* Names of all that JSON allows, in every place that has a name. */
static void hostile_names_stay_text(void)
{
    static const char hostile[] =
        "{\"format\":\"planbcast-machine\",\"version\":1,\"name\":\"</title><script>alert(1)</script>\",\"kinds\":["
        "{\"name\":\"<kind>\",\"out\":{\"bytes_per_s\":1e8},\"in\":{\"bytes_per_s\":1e8}}],\"groups\":["
        "{\"name\":\"\\\" onload=\\\"x\",\"out\":{\"bytes_per_s\":5e7},\"in\":{\"bytes_per_s\":5e7},\"hosts\":["
        "{\"names\":\"</b><img/src=x>\",\"kind\":\"<kind>\"},{\"names\":\"a&b;\",\"kind\":\"<kind>\"}]},"
        "{\"name\":\"\\u0001\\u202e]]>\",\"hosts\":[{\"names\":\"'q'\",\"kind\":\"<kind>\"},"
        "{\"names\":\"\\u00e9\\ufffe\",\"kind\":\"<kind>\"}]}],"
        "\"provenance\":{\"<dt>\":\"</dd>\",\"validation\":[{\"name\":\"<x>\",\"bytes\":1,\"predicted_s\":1,"
        "\"measured_s\":1}]}}";
    scene_t s;
    open_scene(hostile, NULL, &s);
    char *page = page_of(&s.report);
    LACKS(page, "<script");
    LACKS(page, "<img");
    LACKS(page, "\" onload");
    LACKS(page, "\xe2\x80\xae"); /* U+202E */
    LACKS(page, "\xef\xbf\xbe"); /* U+FFFE */
    HAS(page, "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    HAS(page, "&lt;/b&gt;&lt;img/src=x&gt;");
    HAS(page, "a&amp;b;");
    HAS(page, "&#39;q&#39;");
    HAS(page, "\xc3\xa9?");
    free(page);
    close_scene(&s);
}

/* Bytes that are not UTF-8 may come from the command line. */
static void bytes_that_are_no_text_become_marks(void)
{
    scene_t s;
    open_scene(two_groups, NULL, &s);
    s.report.subject = "a\xff\xc0\xaf\xed\xa0\x80\x1b.json";
    char *page = page_of(&s.report);
    HAS(page, "a?????.json");
    free(page);
    close_scene(&s);
}

static void measured_times_stand_beside_predicted_ones(void)
{
    const plani_compared_t row[] = {{65536, "grow", 1e-3, 3e-3, 3, 2.5, 3.5, {0, 0, 0, 0, 0, 0}},
                                    {1 << 20, "grow", 0.2, 0.84, 4.2, 4, 4.4, {3, 1, 2, 0, 0.5, 0}}};
    scene_t s;
    open_scene(two_groups, "grow,ompi-binomial", &s);
    char *without = page_of(&s.report);
    LACKS(without, "id=\"compared\"");
    LACKS(without, "measured</small>");
    s.report.ncompared = 2, s.report.compared = row;
    char *page = page_of(&s.report);
    HAS(page, "id=\"compared\"");
    HAS(page, "<td>200 ms</td><td>840 ms</td><td>4.20 x</td><td>4.00 to 4.40</td>");
    HAS(page, "<td>1 MiB</td><td>3</td><td>1</td><td>2</td><td>0</td><td>0.5</td><td>0</td>");
    HAS(page, "; for 1 MiB the plan takes 200 ms, and MPI_Bcast 4.20 times as long (measured).</p>");
    HAS(page, "<small>200 ms measured</small>");
    HAS(page, "<circle class=\"mark");
    free(without);
    free(page);
    close_scene(&s);
}

static void every_kind_of_candidate_has_a_picture(void)
{
    scene_t s;
    open_scene(two_groups, "scatter-ring", &s);
    char *page = page_of(&s.report);
    HAS(page, "Rounds of scatter-ring");
    CU_ASSERT(markup_count(page, "<span class=\"root\">") == 1);
    LACKS(page, "id=\"timeline\"");
    free(page);
    close_scene(&s);
    open_scene(two_groups, "ompi-pipeline", &s);
    page = page_of(&s.report);
    CU_ASSERT_EQUAL(markup_count(page, "<rect class=\"node"), 6);
    CU_ASSERT_EQUAL(markup_count(page, "<path class=\"edge"), 2 * 5); /* a line and its tip */
    HAS(page, "id=\"timeline\"");
    free(page);
    close_scene(&s);
}

/* 3 groups of 40 hosts: a box for each kind in each group, a node for each group. */
static void large_machines_are_collapsed(void)
{
    static const char large[] =
        "{\"format\":\"planbcast-machine\",\"version\":1,\"name\":\"large\",\"kinds\":[{\"name\":\"k\",\"out\":{"
        "\"bytes_per_s\":1e9},\"in\":{\"bytes_per_s\":1e9},\"latency_s\":1e-5}],\"groups\":["
        "{\"name\":\"a\",\"out\":{\"bytes_per_s\":1e9},\"in\":{\"bytes_per_s\":1e9},\"hosts\":[{\"names\":\"a[01-40]\","
        "\"kind\":\"k\"}]},{\"name\":\"b\",\"out\":{\"bytes_per_s\":1e9},\"in\":{\"bytes_per_s\":1e8},\"hosts\":["
        "{\"names\":\"b[01-40]\",\"kind\":\"k\"}]},{\"name\":\"c\",\"out\":{\"bytes_per_s\":1e9},\"in\":{"
        "\"bytes_per_s\":1e9},\"hosts\":[{\"names\":\"c[01-40]\",\"kind\":\"k\"}]}]}";
    scene_t s;
    open_scene(large, "host-trees", &s);
    char *page = page_of(&s.report);
    CU_ASSERT_EQUAL(markup_count(page, "<div class=\"host\">") + markup_count(page, "<div class=\"host worst\">"), 3);
    HAS(page, "<b>a[01-40]</b>");
    HAS(page, "class of hosts");
    HAS(page, "ranks)</text>");
    CU_ASSERT(strlen(page) < 500000);
    free(page);
    close_scene(&s);
}

static void plans_alone_and_one_rank_have_pages(void)
{
    static const char one[] = "{\"format\":\"planbcast-machine\",\"version\":1,\"kinds\":[{\"name\":\"k\","
                              "\"out\":{\"bytes_per_s\":1e8},\"in\":{\"bytes_per_s\":1e8}}],\"groups\":["
                              "{\"name\":\"g\",\"hosts\":[{\"names\":\"only\",\"kind\":\"k\"}]}]}";
    scene_t s;
    open_scene(two_groups, NULL, &s);
    plani_report_t alone = {.subject = "plan.json",
                            .plan = s.decision.plan,
                            .chosen = plan_chosen(s.decision.plan, 1 << 20),
                            .bytes = 1 << 20};
    char *page = page_of(&alone);
    HAS(page, "id=\"plan\"");
    HAS(page, "give its platform");
    free(page);
    close_scene(&s);
    open_scene(one, NULL, &s);
    page = page_of(&s.report);
    HAS(page, "only");
    free(page);
    alone = (plani_report_t){.subject = "m.json", .machine = s.machine};
    page = page_of(&alone);
    HAS(page, "What is slowest here is the card of k, out (100 MB/s)");
    free(page);
    close_scene(&s);
}

/* Resources are found again by their links: cards, trunks, and what a host has inside. */
static void resources_are_found_in_the_picture(void)
{
    scene_t s;
    plani_view_t v;
    open_scene(two_groups, "grow", &s);
    const plan_platform_data_t *d = plan_platform_data(s.on.pf);
    CU_ASSERT_EQUAL_FATAL(plani_view_create(&s.report, &v), PLAN_OK);
    for (size_t i = 0; i < d->nresources; i++) {
        plani_view_place_t place = plani_view_place(&v, d, i);
        char name[64] = "?";
        if (place.host >= 0)
            snprintf(name, sizeof name, "host %.30s %s", v.host[place.host].name, place.out ? "out" : "in");
        else if (place.group >= 0)
            snprintf(name, sizeof name, "%.30s trunk %s", v.group[place.group].name, place.out ? "out" : "in");
        const char *is = d->resource[i].name;
        CU_ASSERT_STRING_EQUAL(strncmp(is, "site ", 5) == 0 ? is + 5 : is, name);
    }
    plani_view_clear(&v);
    close_scene(&s);
}

static void every_failing_allocation_comes_back(void)
{
    scene_t s;
    char *html = NULL;
    open_scene(two_groups, "grow,ompi-chain,host-trees", &s);
    ALLOC_EACH(plani_report_html(&s.report, &html), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    free(html);
    close_scene(&s);
}

/* Root 0 is in `north`: what leaves `south` is slow, by the machine of two_groups turned round. */
static void a_page_on_reductions_tells_of_reductions(void)
{
    static const char *const held[] = {"Reductions of 1 MiB to rank 0 of 6 ranks",
                                       "No reduction to rank 0 sustains more than ",
                                       "combines with its own what it receives from those right of it",
                                       "The last slices, simulated",
                                       "simulated as a broadcast in reverse",
                                       "class=\"edge worst\"",
                                       "north trunk in"};
    const plani_compared_t compared = {.bytes = 1 << 20,
                                       .name = "best-tree",
                                       .plan_s = 0.1,
                                       .native_s = 0.2,
                                       .ratio = 2,
                                       .ratio_lo = 1,
                                       .ratio_hi = 3};
    scene_t s;
    open_reduction(two_groups, "ompi-chain,ompi-binomial", &s);
    s.report.compared = &compared, s.report.ncompared = 1;
    char *page = page_of(&s.report);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) HAS(page, held[i]);
    HAS(page, "<p class=\"verdict\">");
    HAS(page, "and MPI_Reduce 2.00 times as long (measured).");
    LACKS(page, "MPI_Bcast");
    free(page);
    close_scene(&s);
}

SUITE_MAIN("report", TEST(a_page_on_reductions_tells_of_reductions),
           TEST(page_holds_hosts_trunks_and_the_slow_one_first), TEST(page_loads_nothing_and_has_no_script),
           TEST(hostile_names_stay_text), TEST(bytes_that_are_no_text_become_marks),
           TEST(measured_times_stand_beside_predicted_ones), TEST(every_kind_of_candidate_has_a_picture),
           TEST(large_machines_are_collapsed), TEST(plans_alone_and_one_rank_have_pages),
           TEST(resources_are_found_in_the_picture), TEST(every_failing_allocation_comes_back))
