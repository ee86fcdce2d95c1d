/* A machine, as `planbcast show` prints it. */
#ifndef PLANI_CLI_SHOW_MACHINE_H
#define PLANI_CLI_SHOW_MACHINE_H

#include "graphs/machine/machine.h"
#include "planner/cli/cli.h"

/** Groups, kinds, hosts, rates (slowest first) and where they come from: as tables, or as JSON. \return the exit status
 */
int cli_show_machine(const cli_t *cli, const plani_machine_t *m, bool json);

#endif
