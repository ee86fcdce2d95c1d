/* What planbcast plan --prove prints. */
#ifndef PLANI_CLI_PROOF_H
#define PLANI_CLI_PROOF_H

#include "planner/algorithms/search/prove.h"
#include "planner/cli/cli.h"
#include <jansson.h>

/** The member "single_tree" of a ranking. */
json_t *cli_json_proof(const plani_proved_t *proved);
/** One line: the optimum, or between what it lies. */
void cli_print_proof(FILE *out, const plani_proved_t *proved);

#endif
