/* Settings of all linear programs in lp/. */
#ifndef PLANI_SIMPLEX_H
#define PLANI_SIMPLEX_H

#include <glpk.h>
#include <planbcast/status.h>

/** No output, tolerances of 1e-9, a limit on iterations that grows with the program, until `deadline` (0: none). */
glp_smcp plani_simplex_settings(glp_prob *prob, double deadline);
/** Delete the program, if there is one, behind plani_glpk's guard. */
plan_status_t plani_discard(glp_prob **prob);

#endif
