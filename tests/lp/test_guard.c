/* A GLPK error is returned as a status, prints nothing, and all hooks are restored. */
#include "suite.h"
#include "arrays.h"
#include "lp/direct.h"
#include <glpk.h>
#include <stdio.h>
#include <unistd.h>

static void wrong_row(void *arg)
{
    glp_prob **prob = arg;
    *prob = glp_create_prob();
    glp_add_rows(*prob, 1);
    glp_set_row_bnds(*prob, 7, GLP_LO, 0, 0); /* there is no row 7 */
}

static void nothing(void *arg)
{
    (void)arg;
}

static void an_error_inside_comes_back(void)
{
    glp_prob *prob = NULL;
    CU_ASSERT_EQUAL(plani_glpk(wrong_row, &prob, &prob), PLAN_ESOLVER);
    CU_ASSERT_PTR_NULL(prob); /* given up */
    CU_ASSERT_EQUAL(plani_glpk(nothing, NULL, NULL), PLAN_OK);
}

/* Whatever GLPK writes goes to standard output: nothing does. */
static void nothing_is_printed(void)
{
    glp_prob *prob = NULL;
    FILE *file = tmpfile();
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    plan_status_t rc = plani_glpk(wrong_row, &prob, &prob);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    CU_ASSERT_EQUAL(rc, PLAN_ESOLVER);
    fseek(file, 0, SEEK_END);
    CU_ASSERT_EQUAL(ftell(file), 0);
    fclose(file);
}

static void terminal_output_is_as_before(void)
{
    glp_term_out(GLP_OFF);
    plani_glpk(nothing, NULL, NULL);
    CU_ASSERT_EQUAL(glp_term_out(GLP_ON), GLP_OFF);
    plani_glpk(nothing, NULL, NULL);
    CU_ASSERT_EQUAL(glp_term_out(GLP_ON), GLP_ON);
}

/* GLPK's own memory runs out in the middle of either method: an error or an interval, and the next call works. */
static void glpk_out_of_memory_comes_back(void)
{
    arrays_t a;
    int failed = 0;

    arrays_start(&a, 14, 0);
    for (int u = 0; u < 14; u++)
        for (int v = 0; v < 14; v++)
            if (u != v) arrays_link(&a, u, v, 1 + (3 * u + 5 * v) % 7);
    for (int direct = 0; direct < 2; direct++) {
        plani_solver_t *solve = direct ? plani_steady_direct : plani_steady_solve;
        const plan_steady_options_t o = {.size = sizeof o, .gap = 1e-9};
        plan_steady_t *s = NULL;
        plan_error_t err;
        glp_mem_limit(1); /* MB */
        plan_status_t rc = solve(&a.p, &o, &s, &err);
        glp_mem_limit(100000);
        CU_ASSERT(rc == PLAN_OK || rc == PLAN_ESOLVER);
        failed += rc == PLAN_ESOLVER;
        plan_steady_destroy(&s);
        CU_ASSERT_EQUAL(solve(&a.p, &o, &s, &err), PLAN_OK);
        plan_steady_destroy(&s);
    }
    CU_ASSERT(failed > 0);
}

SUITE_MAIN("guard", TEST(an_error_inside_comes_back), TEST(nothing_is_printed), TEST(terminal_output_is_as_before),
           TEST(glpk_out_of_memory_comes_back))
