/* The text of a cluster spec, as a test puts it together. */
#ifndef PLANBCAST_TESTS_SPEC_TEXT_H
#define PLANBCAST_TESTS_SPEC_TEXT_H

#include <stdio.h>
#include "graphs/machine/cluster.h"
#include "suite.h"

enum { TEXT = 65536 };
static char text[TEXT];
static size_t length;

static inline void put(const char *format, double a, double b, double c)
{
    length += (size_t)snprintf(text + length, TEXT - length, format, a, b, c);
}

static inline plani_cluster_t *parse_text(void)
{
    plani_cluster_t *c = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plani_cluster_parse(text, length, "spec", &c, &err), PLAN_OK);
    return c;
}

#endif
