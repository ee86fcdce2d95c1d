#include <planbcast/mpi.h>
#include <string.h>

plan_status_t plan_options_init(plan_options_t *options, plan_error_t *err)
{
    (void)err;
    memset(options, 0, sizeof *options);
    options->budget_s = 10;
    options->finalists = 4;
    return PLAN_OK;
}
