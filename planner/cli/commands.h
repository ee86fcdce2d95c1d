/* The commands of `planbcast`, each in a file of its own: argv[0] is the command's name. */
#ifndef PLANI_CLI_COMMANDS_H
#define PLANI_CLI_COMMANDS_H

#include "planner/cli/cli.h"

int command_generate(const cli_t *cli, int argc, char **argv);
int command_import(const cli_t *cli, int argc, char **argv);
int command_merge(const cli_t *cli, int argc, char **argv);
int command_solve(const cli_t *cli, int argc, char **argv);
int command_plan(const cli_t *cli, int argc, char **argv);
int command_tree(const cli_t *cli, int argc, char **argv);
int command_predict(const cli_t *cli, int argc, char **argv);
int command_export(const cli_t *cli, int argc, char **argv);
int command_draw(const cli_t *cli, int argc, char **argv);
int command_show(const cli_t *cli, int argc, char **argv);
int command_candidates(const cli_t *cli, int argc, char **argv);
int command_report(const cli_t *cli, int argc, char **argv);
int command_schedule(const cli_t *cli, int argc, char **argv);
int command_select(const cli_t *cli, int argc, char **argv);

#endif
