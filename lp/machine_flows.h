/* Limits of single flows, which the program of machine_program.c leaves out. */
#ifndef PLANI_MACHINE_FLOWS_H
#define PLANI_MACHINE_FLOWS_H

#include "lp/machine.h"

/**
 * Lower the bound to what the problem's limits of flows allow, and say what all resources are worth then.
 * \param children, number [nodes] how many each has, and how many equal ones there are in the whole machine
 * \retval PLAN_EINVAL bad limits or hosts; `err` names the node
 */
plan_status_t plani_flows_bound(const plani_machine_problem_t *p, const int *children, const double *number,
                                plani_machine_bound_t *bound, plan_error_t *err);

#endif
