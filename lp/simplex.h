/* What every linear program of this component has in common. */
#ifndef PLANI_SIMPLEX_H
#define PLANI_SIMPLEX_H

#include <glpk.h>
#include <planbcast/status.h>

/** Silent, to 1e-9, for as many iterations as go with the program's size, until `deadline` (0: none). */
glp_smcp plani_simplex_settings(glp_prob *prob, double deadline);
/** Delete the program, if there is one, behind plani_glpk's guard. */
plan_status_t plani_discard(glp_prob **prob);

#endif
