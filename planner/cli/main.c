/* planbcast: the offline tool. Everything from a platform to a plan, without MPI. */
#include "planner/cli/commands.h"
#include "planner/cli/output.h"
#include <planbcast.h>
#include <string.h>

typedef struct {
    const char *name, *what;
    int (*run)(const cli_t *cli, int argc, char **argv);
} entry_t;

static const entry_t entry[] = {
    {"generate", "generate a platform: random, of Tiers levels, or of a described cluster", command_generate},
    {"import", "a machine file from Slurm's topology.conf or hwloc's XML", command_import},
    {"merge", "merge machine files", command_merge},
    {"solve", "the bound: the most slices per second that any broadcast by messages can sustain", command_solve},
    {"schedule", "the trees of the bound as a periodic schedule of steps", command_schedule},
    {"plan", "score all candidates for a message size, choose, write a plan", command_plan},
    {"tree", "print a broadcast tree of Open MPI", command_tree},
    {"predict", "predict a collective's time by the models of the literature", command_predict},
    {"select", "choose among an MPI library's own broadcasts, from timed ones or parameters", command_select},
    {"show", "describe a machine, platform, profile or plan", command_show},
    {"export", "write a plan's trees, or rules for MPI libraries, for other programs", command_export},
    {"draw", "draw a plan's trees (needs Graphviz)", command_draw},
    {"report", "write a page on a machine, platform or plan: what is slow, and what the plan gains", command_report},
    {"candidates", "list all candidates, and where they come from", command_candidates},
};
enum { ENTRIES = sizeof entry / sizeof *entry };

static void usage(FILE *out)
{
    fprintf(out,
            "usage: planbcast COMMAND [ARGUMENT]...\n\n"
            "Plans broadcasts on heterogeneous machines. Measuring and running them: planbcast-mpi.\n\ncommands:\n");
    for (int i = 0; i < ENTRIES; i++) fprintf(out, "  %-10s %s\n", entry[i].name, entry[i].what);
    fprintf(out, "\nplanbcast COMMAND --help lists options and examples; planbcast --version prints the version.\n"
                 "Exit status: 0 done, 1 failed, 2 bad usage or bad input.\n");
}

static const entry_t *find(const char *name)
{
    for (int i = 0; i < ENTRIES; i++)
        if (strcmp(name, entry[i].name) == 0) return &entry[i];
    return NULL;
}

/* `help generate random` is `generate random --help`. */
static int help(const cli_t *cli, int argc, char **argv)
{
    enum { MOST = 4 };
    char flag[] = "--help", *args[MOST + 2];
    const entry_t *e = find(argv[2]);
    int n = 0;

    if (e == NULL || argc - 2 > MOST)
        return cli_fail(cli, CLI_USAGE, "help: unknown command %s; see planbcast --help", argv[2]);
    for (int i = 2; i < argc; i++) args[n++] = argv[i];
    args[n++] = flag;
    args[n] = NULL;
    return e->run(cli, n, args);
}

static int dispatch(const cli_t *cli, int argc, char **argv)
{
    if (argc < 2) return cli_fail(cli, CLI_USAGE, "no command; see planbcast --help");
    if (strcmp(argv[1], "help") == 0 && argc > 2) return help(cli, argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(cli->out);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        fprintf(cli->out, "planbcast %s\n", PLANBCAST_VERSION);
        return CLI_DONE;
    }
    const entry_t *e = find(argv[1]);
    if (e != NULL) return e->run(cli, argc - 1, argv + 1);
    return cli_fail(cli, CLI_USAGE, "unknown command %s; see planbcast --help", argv[1]);
}

int main(int argc, char **argv)
{
    cli_t cli = {"planbcast", stdout, stderr};
    cli_hold_streams();
    cli_watch_memory();
    return cli_finish(&cli, dispatch(&cli, argc, argv));
}
