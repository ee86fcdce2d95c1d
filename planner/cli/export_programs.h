/* planbcast export to programs that broadcast, or simulate, without this library. */
#ifndef PLANI_CLI_EXPORT_PROGRAMS_H
#define PLANI_CLI_EXPORT_PROGRAMS_H

#include <stdbool.h>
#include "planner/cli/cli.h"

typedef struct {
    const char *input, *platform, *format, *out;
    size_t bytes; /* SIZE_MAX: not given */
    int root;     /* -1: not given */
    const char *sizes, *release, *base, *coordinates;
    const char *operation; /* NULL: not given */
    size_t combine;        /* [B/s] 0: not given */
} cli_export_t;

/** [B] The message size: --bytes, else the plan's largest, else 16M. */
size_t cli_export_bytes(const cli_export_t *s, const plan_t *plan);
/** Whether `format` is one of these programs'. */
bool cli_is_program(const char *format);
/** Their names, for help and errors: "ompi-rules, ...". */
extern const char *const cli_programs;
/** Whether the options are of the format. CLI_GO, or CLI_USAGE after one line of error. */
int cli_export_check(const cli_t *cli, const cli_export_t *s);
/** Whether the trees or messages are those of reductions, which `plan` says (NULL: there is none), else --operation;
 * the plan is for --root, too. CLI_GO, or CLI_USAGE after one line of error. */
int cli_export_reduces(const cli_t *cli, const cli_export_t *s, const plan_t *plan, bool *reduces);
/** CLI_GO and the text, which the caller frees, or the exit status after one line of error. */
int cli_export_program(const cli_t *cli, const cli_export_t *s, char **text);

#endif
