/* planbcast predict messages: many messages at once, by the models of Thune et al. 2023. */
#ifndef PLANI_CLI_PREDICT_MESSAGES_H
#define PLANI_CLI_PREDICT_MESSAGES_H

#include "planner/cli/cli.h"
#include "planner/literature/contention.h"

typedef struct {
    lit_contention_t model;
    int ranks, per_host, per_socket; /* in blocks; negative: one host, one socket for each host */
    const char *rates, *messages;    /* files */
    bool json;
} cli_messages_t;

/** \return the exit status, after the output or one line of error */
int cli_predict_messages(const cli_t *cli, const cli_messages_t *request);

#endif
