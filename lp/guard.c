/* Calling GLPK so that its errors do not end the process. */
#include "lp/lp.h"
#include "lib/base/base.h"
#include <glpk.h>
#include <setjmp.h>

static void jump_back(void *info)
{
    longjmp(*(jmp_buf *)info, 1);
}

/* GLPK turns its terminal output on to report an error: suppress that, too. */
static int swallow(void *info, const char *text)
{
    (void)info;
    (void)text;
    return 1;
}

plan_status_t plani_glpk(void (*body)(void *), void *arg, glp_prob **prob)
{
    jmp_buf back;
    if (glp_init_env() > 1) return PLAN_ENOMEM; /* else GLPK would end the process */
    volatile int output = GLP_ON;
    volatile plan_status_t rc = PLAN_OK;

    if (setjmp(back) == 0) {
        glp_error_hook(jump_back, &back);
        glp_term_hook(swallow, NULL);
        output = glp_term_out(GLP_OFF);
        body(arg);
    } else {
        rc = PLAN_ESOLVER;
        if (prob != NULL) *prob = NULL;
    }
    /* GLPK cannot return the hooks of before, and one of ours would later jump into a dead frame. */
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    glp_term_out(output);
    return rc;
}

bool plani_glpk_begin(void)
{
    return glp_init_env() == 0;
}

void plani_glpk_end(bool begun)
{
    if (begun) glp_free_env();
}

double plani_left(double deadline)
{
    return deadline > 0 ? deadline - plani_now() : 1e9;
}
