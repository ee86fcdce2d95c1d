/* Printing the library's objects: as tables, and as JSON. */
#ifndef PLANI_CLI_OUTPUT_H
#define PLANI_CLI_OUTPUT_H

#include "planner/cli/cli.h"
#include "planner/plan/units.h"
#include <jansson.h>
#include <planbcast.h>

/** A number, or null if it is not finite: JSON has no NaN. */
json_t *cli_json_real(double x);
/** The slice size of a candidate, for a table. */
plani_quantity_t cli_slice(const plan_candidate_t *c);
json_t *cli_json_ints(const int *x, int n);
/** [B] The largest message of a plan: the end of its last range; `otherwise` where that has none, or plan is NULL. */
size_t cli_largest(const plan_t *plan, size_t otherwise);
json_t *cli_json_ranking(const plan_ranking_t *ranking);
/** A line that says what the bound is, and of what. */
void cli_print_bound(FILE *out, const plan_ranking_t *ranking);
/** Print an object, with the format's name and version 1 before its members, and release it; NULL is out of memory.
 * Each format has a schema, lib/schemas/FORMAT.schema.json. */
int cli_print_json(const cli_t *cli, const char *format, json_t *value);
/** To be called first in main: cli_print_json then detects that a part is missing because memory was short. */
void cli_watch_memory(void);

/** Channel classes, and shared resources: the slowest first, and all trunks. \retval PLAN_ENOMEM a part is printed */
plan_status_t cli_print_platform(FILE *out, const plan_platform_t *pf);
/** Print the message protocols in "classes" of a profile's document; nothing if there are none. */
void cli_print_pieces(FILE *out, const json_t *profile);
/** Print the broadcasts that tried a machine, by its provenance, and a line if it is not to be trusted; nothing if
 * there are none. */
void cli_print_validation(FILE *out, const json_t *provenance);
void cli_print_ranking(FILE *out, const plan_ranking_t *ranking);
/**
 * A tree drawn in text, at most `lines` lines: each child below its parent in send order, chains on one line. Hosts and
 * sites are named if pf is given.
 */
void cli_print_tree(FILE *out, const plan_tree_t *tree, const plan_platform_t *pf, int lines);
/** Print the trees of a candidate with their shares, at most 4 trees of 40 lines each; `reduces`: with arrows to the
 * root. */
void cli_print_trees(FILE *out, const plan_candidate_t *c, const plan_platform_t *pf, bool reduces);

#endif
