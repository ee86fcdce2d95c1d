/* Options: `--name value`, `--name=value`, `-o value`; `--` ends options. */
#include "planner/cli/cli.h"
#include "lib/base/base.h"
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32 };

bool cli_size(const char *text, size_t *bytes)
{
    static const char unit[] = "KMGTkmgt";
    char *end;
    if (text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno != 0) return false;
    const char *u = *end != '\0' ? strchr(unit, *end) : NULL;
    if (u != NULL) {
        int shift = 10 * (int)((u - unit) % 4 + 1);
        if (n > SIZE_MAX >> shift) return false;
        n <<= shift;
        end++;
        if (end[0] == 'i' && end[1] == 'B') end++;
        if (end[0] == 'B') end++;
    }
    if (*end != '\0' || n > INT64_MAX) return false; /* JSON has no larger integers */
    *bytes = (size_t)n;
    return true;
}

size_t cli_ascending(const char *list, bool (*read)(const char *text, size_t *number), size_t least, size_t most,
                     size_t room, size_t *x)
{
    for (size_t n = 0; n < room;) {
        char text[24] = "";
        size_t len = strcspn(list, ",");
        if (len == 0 || len >= sizeof text) return 0;
        memcpy(text, list, len);
        if (!read(text, &x[n]) || x[n] < least || x[n] > most || (n > 0 && x[n] <= x[n - 1])) return 0;
        n++;
        if (list[len] == '\0') return n;
        list += len + 1;
    }
    return 0;
}

static bool in_range(const cli_option_t *o, double x)
{
    return o->min == 0 && o->max == 0 ? x >= 0 : x >= o->min && x <= o->max;
}

static int bad_value(const cli_t *cli, const cli_command_t *cmd, const cli_option_t *o, const char *text)
{
    const char *dash = o->name[1] != '\0' ? "--" : "-";
    if (o->kind == CLI_TEXT) return cli_fail(cli, CLI_USAGE, "%s: %s%s needs a value", cmd->name, dash, o->name);
    if (o->kind == CLI_SEED)
        return cli_fail(cli, CLI_USAGE, "%s: %s%s %s: give a whole number from 0 to 2^64 - 1", cmd->name, dash, o->name,
                        text);
    if (o->kind == CLI_SIZE && o->max > 0)
        return cli_fail(cli, CLI_USAGE, "%s: %s%s %s: give %.0f to %.0f bytes, such as 4096, 64K or 4M", cmd->name,
                        dash, o->name, text, o->min, o->max);
    if (o->kind == CLI_SIZE)
        return cli_fail(cli, CLI_USAGE, "%s: %s%s %s: give bytes, such as 4096, 64K or 4M", cmd->name, dash, o->name,
                        text);
    if (o->max > 0)
        return cli_fail(cli, CLI_USAGE, "%s: %s%s %s: give a %snumber from %.10g to %.10g", cmd->name, dash, o->name,
                        text, o->kind == CLI_REAL ? "" : "whole ", o->min, o->max);
    return cli_fail(cli, CLI_USAGE, "%s: %s%s %s: give a %snumber that is not negative", cmd->name, dash, o->name, text,
                    o->kind == CLI_REAL ? "" : "whole ");
}

static bool store(const cli_option_t *o, const char *text)
{
    uint64_t n;
    double x;
    size_t bytes;

    switch (o->kind) {
    case CLI_FLAG:
        *(bool *)o->to = true;
        return true;
    case CLI_TEXT:
        *(const char **)o->to = text;
        return text[0] != '\0';
    case CLI_INT:
        if (!plani_read_whole(text, &n) || n > INT_MAX || !in_range(o, (double)n)) return false;
        *(int *)o->to = (int)n;
        return true;
    case CLI_SIZE:
        if (!cli_size(text, &bytes) || !in_range(o, (double)bytes)) return false;
        *(size_t *)o->to = bytes;
        return true;
    case CLI_REAL:
        if (!plani_read_real(text, &x) || !in_range(o, x)) return false;
        *(double *)o->to = x;
        return true;
    case CLI_SEED:
        return plani_read_whole(text, o->to);
    }
    return false;
}

/* The option that `arg` names; *value: the text after '=', if any. */
static const cli_option_t *find(const cli_command_t *cmd, const char *arg, const char **value)
{
    const char *name = arg + (arg[1] == '-' ? 2 : 1);
    size_t len = strcspn(name, "=");
    bool single = arg[1] != '-';

    *value = name[len] == '=' ? name + len + 1 : NULL;
    for (size_t i = 0; i < cmd->noptions; i++) {
        const cli_option_t *o = &cmd->option[i];
        if (strlen(o->name) == len && strncmp(o->name, name, len) == 0 && single == (len == 1)) return o;
    }
    return NULL;
}

static int take(const cli_t *cli, const cli_command_t *cmd, int argc, char **argv, int *i, bool seen[MAX_OPTIONS])
{
    const char *value;
    const cli_option_t *o = find(cmd, argv[*i], &value);

    if (o == NULL)
        return cli_fail(cli, CLI_USAGE, "%s: unknown option %s; see %s %s --help", cmd->name, argv[*i], cli->tool,
                        cmd->name);
    if (seen[o - cmd->option]) return cli_fail(cli, CLI_USAGE, "%s: %s is given twice", cmd->name, argv[*i]);
    seen[o - cmd->option] = true;
    if (o->kind == CLI_FLAG) {
        if (value != NULL) return cli_fail(cli, CLI_USAGE, "%s: --%s takes no value", cmd->name, o->name);
    } else if (value == NULL) {
        if (*i + 1 >= argc) return cli_fail(cli, CLI_USAGE, "%s: %s needs a value", cmd->name, argv[*i]);
        value = argv[++*i];
    }
    return store(o, value) ? CLI_GO : bad_value(cli, cmd, o, value);
}

int cli_parse_list(const cli_t *cli, const cli_command_t *cmd, int argc, char **argv, const char **operand, int least,
                   int most, int *found)
{
    bool seen[MAX_OPTIONS] = {false}, only_operands = false;
    int n = 0;

    for (int i = 1; i < argc; i++) {
        if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
            if (n == most)
                return cli_fail(cli, CLI_USAGE, "%s: %s is one argument too many; see %s %s --help", cmd->name, argv[i],
                                cli->tool, cmd->name);
            if (argv[i][0] == '\0')
                return cli_fail(cli, CLI_USAGE, "%s: %s is empty; see %s %s --help", cmd->name, cmd->operands,
                                cli->tool, cmd->name);
            operand[n++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_help(cli, cmd);
            return CLI_DONE;
        } else {
            int rc = take(cli, cmd, argc, argv, &i, seen);
            if (rc != CLI_GO) return rc;
        }
    }
    if (n < least)
        return cli_fail(cli, CLI_USAGE, "%s: %s is missing; see %s %s --help", cmd->name, cmd->operands, cli->tool,
                        cmd->name);
    *found = n;
    return CLI_GO;
}

int cli_parse(const cli_t *cli, const cli_command_t *cmd, int argc, char **argv, const char **operand, int noperands)
{
    int found;
    return cli_parse_list(cli, cmd, argc, argv, operand, noperands, noperands, &found);
}

enum { HELP_WIDTH = 110, OPTION_WIDTH = 25 };

/* Print a text that begins in this column. Lines are wrapped to HELP_WIDTH columns, and the new ones indented. */
static void print_wrapped(FILE *out, const char *text, int column, int indent)
{
    for (const char *next; *text != '\0'; text = next) {
        int len = (int)strcspn(text, " \n");
        next = text + len + (text[len] != '\0');
        fprintf(out, "%.*s", len, text);
        column += len;
        if (*next == '\0') return;
        if (text[len] == '\n' || column + 1 + (int)strcspn(next, " \n") > HELP_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (text[len] == ' ') {
            fputc(' ', out);
            column++;
        }
    }
}

void cli_help(const cli_t *cli, const cli_command_t *cmd)
{
    if (cli->out == NULL) return;
    fprintf(cli->out, "usage: %s %s%s%s%s\n\n%s\n", cli->tool, cmd->name, cmd->operands[0] ? " " : "", cmd->operands,
            cmd->noptions ? " [OPTION]..." : "", cmd->summary);
    if (cmd->details != NULL) {
        fputc('\n', cli->out);
        print_wrapped(cli->out, cmd->details, 0, 0);
        fputc('\n', cli->out);
    }
    fprintf(cli->out, "\noptions:\n");
    for (size_t i = 0; i < cmd->noptions; i++) {
        const cli_option_t *o = &cmd->option[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s", o->name[1] ? "--" : "-", o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        fprintf(cli->out, "  %-22s ", left);
        print_wrapped(cli->out, o->help, OPTION_WIDTH, OPTION_WIDTH);
        fputc('\n', cli->out);
    }
    fprintf(cli->out, "  %-22s %s\n\nexamples:\n%s\n", "--help", "this text", cmd->examples);
}
