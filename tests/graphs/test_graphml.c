/* GraphML is read as a platform, and the global state of igraph is restored. */
#include "suite.h"
#include <planbcast/platform.h>
#include <igraph/igraph.h>
#include <string.h>

#define XML(direction, keys, body)                                                                                     \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">" keys       \
    "<graph id=\"G\" edgedefault=\"" direction "\"><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/>" body              \
    "</graph></graphml>"
#define KEY(name, type) "<key id=\"" name "\" for=\"edge\" attr.name=\"" name "\" attr.type=\"" type "\"/>"
#define KEYS KEY("latency_s", "double") KEY("s_per_byte", "double")
#define EDGE(from, to, latency, rate)                                                                                  \
    "<edge source=\"" from "\" target=\"" to "\"><data key=\"latency_s\">" latency                                     \
    "</data><data key=\"s_per_byte\">" rate "</data></edge>"

static plan_status_t parse(const char *text, plan_platform_t **pf, plan_error_t *err)
{
    return plan_platform_parse(text, strlen(text), "FILE", pf, err);
}

static void edges_become_links(void)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(
        parse(XML("directed", KEYS, EDGE("c", "a", "1e-6", "2e-9") EDGE("a", "b", "0", "1e-9")), &pf, &err), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT(d->ranks == 3 && d->nlinks == 2);
    CU_ASSERT(d->link[0].from == 0 && d->link[0].to == 1 && d->link[0].s_per_byte == 1e-9);
    CU_ASSERT(d->link[1].from == 2 && d->link[1].to == 0 && d->link[1].latency_s == 1e-6);
    plan_platform_destroy(&pf);
}

static void undirected_edges_become_links_both_ways(void)
{
    plan_platform_t *pf = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(
        parse(XML("undirected", KEYS, EDGE("c", "a", "1e-6", "2e-9") EDGE("a", "b", "0", "1e-9")), &pf, &err), PLAN_OK);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_EQUAL_FATAL(d->nlinks, 4);
    CU_ASSERT(d->link[1].from == 0 && d->link[1].to == 2 && d->link[1].latency_s == 1e-6);
    CU_ASSERT(d->link[3].from == 2 && d->link[3].to == 0 && d->link[3].latency_s == 1e-6);
    plan_platform_destroy(&pf);
}

static void bad_graphml_is_refused_in_one_line(void)
{
    static const struct {
        const char *text, *place;
    } refused[] = {
        {"<", "not GraphML"},
        {"<html></html>", "not GraphML"},
        {"<graphml><graph>", "not GraphML"},
        {XML("directed", KEYS, EDGE("a", "b", "1e-6", "-1")), "links[0].s_per_byte is -1"},
        {XML("directed", KEYS, EDGE("a", "b", "1", "1") EDGE("b", "b", "1", "1")),
         "links[1] goes from rank 1 to itself"},
        {XML("directed", KEYS, EDGE("a", "b", "1", "1") EDGE("a", "b", "1", "1")), "links[0] and links[1] both"},
        {XML("directed", "", "<edge source=\"a\" target=\"b\"/>"), "links[0] costs nothing"},
        {XML("directed", KEY("latency_s", "string") KEY("s_per_byte", "double"), EDGE("a", "b", "x", "1")),
         "links[0].latency_s is nan"},
        {"<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"directed\"/></graphml>",
         "holds 0 nodes"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        plan_platform_t *pf = NULL;
        plan_error_t err;
        CU_ASSERT_EQUAL(parse(refused[i].text, &pf, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL(pf);
        if (strstr(err.text, refused[i].place) == NULL)
            printf("\n   wanted \"%s\" in \"%s\"", refused[i].place, err.text);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, refused[i].place));
        CU_ASSERT_EQUAL(strncmp(err.text, "FILE: ", 6), 0);
    }
}

static void note(const char *reason, const char *file, int line, igraph_error_t code)
{
    (void)reason, (void)file, (void)line, (void)code;
}

static void igraph_is_left_as_it_was_found(void)
{
    plan_platform_t *pf = NULL;
    igraph_error_handler_t *before = igraph_set_error_handler(note);
    CU_ASSERT_EQUAL(parse("<nonsense", &pf, NULL), PLAN_EFORMAT);
    CU_ASSERT_EQUAL(parse(XML("directed", KEYS, EDGE("a", "b", "1", "1")), &pf, NULL), PLAN_OK);
    CU_ASSERT_PTR_EQUAL((void *)igraph_set_error_handler(before), (void *)note);
    CU_ASSERT_FALSE(igraph_has_attribute_table());
    plan_platform_destroy(&pf);
}

SUITE_MAIN("graphml", TEST(edges_become_links), TEST(undirected_edges_become_links_both_ways),
           TEST(bad_graphml_is_refused_in_one_line), TEST(igraph_is_left_as_it_was_found))
