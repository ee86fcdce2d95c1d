/* Functions that all commands share: options, one-line errors, output. */
#ifndef PLANI_CLI_H
#define PLANI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <planbcast/plan.h>

/** Exit statuses; CLI_USAGE is for bad input, too. CLI_GO is not an exit status: continue. */
enum { CLI_GO = -1, CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/** The name of the tool, and its output streams; NULL on ranks that print nothing. */
typedef struct {
    const char *tool; /* "planbcast" */
    FILE *out, *err;
} cli_t;

typedef enum {
    CLI_FLAG, /* bool */
    CLI_TEXT, /* const char *, not empty */
    CLI_INT,  /* int */
    CLI_SIZE, /* size_t: bytes, with K, M, G or T for powers of 1024 */
    CLI_REAL, /* double */
    CLI_SEED  /* uint64_t */
} cli_kind_t;

typedef struct {
    const char *name; /* without dashes; one letter: "-o" */
    cli_kind_t kind;
    void *to;          /* untouched if the option is not given */
    double min, max;   /* of numbers, inclusive; both 0: any number >= 0 that the type holds */
    const char *value; /* name of the value in the help; NULL for flags */
    const char *help;
} cli_option_t;

typedef struct {
    const char *name;     /* "solve" */
    const char *operands; /* "PLATFORM", "" if none */
    const char *summary;  /* one line */
    const char *details;  /* more lines, or NULL */
    const char *examples; /* lines */
    const cli_option_t *option;
    size_t noptions;
} cli_command_t;

/**
 * Parse argv[1..]: options in any order, with operands between them. Exactly `noperands` operands are required.
 * \return CLI_GO, or the exit status: CLI_DONE after --help, CLI_USAGE after one line of error
 */
int cli_parse(const cli_t *cli, const cli_command_t *cmd, int argc, char **argv, const char **operand, int noperands);
/** The same with `least` to `most` operands; *found: how many. */
int cli_parse_list(const cli_t *cli, const cli_command_t *cmd, int argc, char **argv, const char **operand, int least,
                   int most, int *found);
void cli_help(const cli_t *cli, const cli_command_t *cmd);

/** Options that several commands have; the argument points to the value. */
cli_option_t cli_ranks(int *ranks);
cli_option_t cli_root(int *root);
cli_option_t cli_model(plan_choice_t *choice);
cli_option_t cli_only(plan_choice_t *choice);
cli_option_t cli_window(plan_choice_t *choice);
cli_option_t cli_out(const char **path);

/** Read the value of --operation of a command: CLI_GO, or CLI_USAGE after one line of error. */
int cli_operation(const cli_t *cli, const char *command, const char *text, bool *reduces);

/** Print one line on the error stream; returns `status`. */
int cli_fail(const cli_t *cli, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/** The same for a library error; returns CLI_USAGE for bad input, else CLI_FAILED. */
int cli_fail_status(const cli_t *cli, plan_status_t rc, const plan_error_t *err);
/** To be called last: returns CLI_FAILED instead of success if the output could not be written. */
int cli_finish(const cli_t *cli, int status);

/** Parse a size such as "64K", "4MiB", "123"; false if it is not one. */
bool cli_size(const char *text, size_t *bytes);
/**
 * Parse a list such as "2,4,8": ascending numbers from `least` to `most`, each as `read` takes it.
 * \param x [room]
 * \return how many; 0: it is no such list, or one of more than `room`
 */
size_t cli_ascending(const char *list, bool (*read)(const char *text, size_t *number), size_t least, size_t most,
                     size_t room, size_t *x);

/** The command line as one line, cut off; argv[0] is the command's name. */
typedef struct {
    char s[400];
} cli_line_t;
cli_line_t cli_command_line(const cli_t *cli, int argc, char **argv);

/** A name for a table: at most 39 characters, without control characters. */
const char *cli_name(const char *name, char text[40]);

/** CLI_GO if the file `path` can be written (or path is NULL), else the exit status after one line of error. */
int cli_may_write(const cli_t *cli, const char *path);
/** Write `text` to the file `path`, or to the output stream if path is NULL or "-". */
int cli_write(const cli_t *cli, const char *path, const char *text);
/** The same of any `len` bytes. */
int cli_write_bytes(const cli_t *cli, const char *path, const char *data, size_t len);

/** The format by the suffix of a picture's name: "svg" (also without suffix), "png" or "pdf"; NULL: another suffix. */
const char *cli_picture_format(const char *path);
/**
 * Draw a graph by Graphviz in one of these formats.
 * \return CLI_GO and the picture of *len bytes, which the caller frees, or the exit status after one line of error
 */
int cli_graphviz(const cli_t *cli, const char *dot, const char *format, char **picture, size_t *len);

/**
 * To be called first in main: opens descriptors for standard streams that are closed, on which output fails. Otherwise
 * a file opened later could get such a descriptor, and receive the output. And what exceeds the largest size of a file
 * (ulimit -f) fails as on a full disk, in place of a signal that leaves half of the file.
 */
void cli_hold_streams(void);

#endif
