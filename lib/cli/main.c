/* planbcast-mpi: measure and run, under mpirun. */
#include "lib/cli/tool.h"
#include "lib/mpi/comm/simulator.h"
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpirun -n RANKS planbcast-mpi COMMAND [OPTION]...\n\n"
    "Measures the machine under an MPI job and runs planned broadcasts on it. Planning without MPI: planbcast.\n\n"
    "commands:\n"
    "  run        measure, plan, broadcast or reduce, check every byte, print the ranking\n"
    "  bench      time every candidate and MPI_Bcast; report the regret of the model's choice\n"
    "  measure    measure the machine and save its profile\n\n"
    "planbcast-mpi COMMAND --help lists options and examples; planbcast-mpi --version prints the version.\n"
    "Variables set defaults of options, as those of plan_options_init: PLANBCAST_BUDGET, _MODE, _MACHINE, _PROFILE,\n"
    "_SAVE_MACHINE, _SAVE_PROFILE, _MODEL, _CANDIDATES and _SLICE.\n"
    "Exit status: 0 done, 1 failed, 2 bad usage or bad input.\n";

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* `help run` is `run --help`. CLI_GO if there is no such command. */
static int help(const cli_t *cli, const char *command)
{
    char name[16], flag[] = "--help", *args[] = {name, flag, NULL};

    snprintf(name, sizeof name, "%s", command);
    if (strcmp(command, "run") == 0) return tool_run(MPI_COMM_NULL, cli, 2, args);
    if (strcmp(command, "bench") == 0) return tool_bench(MPI_COMM_NULL, cli, 2, args);
    if (strcmp(command, "measure") == 0) return tool_measure(MPI_COMM_NULL, cli, 2, args);
    return CLI_GO;
}

/* CLI_GO, or the exit status if the command line asks for help or the version alone. */
static int tell(const cli_t *cli, int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";

    if (argc == 3 && is_help(argv[2])) return help(cli, command);
    if (argc == 3 && strcmp(command, "help") == 0) return help(cli, argv[2]);
    if (is_help(command) || strcmp(command, "help") == 0) {
        if (cli->out != NULL) fputs(usage, cli->out);
        return CLI_DONE;
    }
    if (strcmp(command, "--version") == 0) {
        if (cli->out != NULL) fprintf(cli->out, "planbcast-mpi %s\n", PLANBCAST_VERSION);
        return CLI_DONE;
    }
    return CLI_GO;
}

static int dispatch(MPI_Comm comm, const cli_t *cli, int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    int status = tell(cli, argc, argv);

    if (status != CLI_GO) return status;
    if (strcmp(command, "run") == 0) return tool_run(comm, cli, argc - 1, argv + 1);
    if (strcmp(command, "bench") == 0) return tool_bench(comm, cli, argc - 1, argv + 1);
    if (strcmp(command, "measure") == 0) return tool_measure(comm, cli, argc - 1, argv + 1);
    if (command[0] == '\0') return cli_fail(cli, CLI_USAGE, "no command; see planbcast-mpi --help");
    if (argc == 3 && strcmp(command, "help") == 0) command = argv[2];
    return cli_fail(cli, CLI_USAGE, "unknown command %s; see planbcast-mpi --help", command);
}

/* The number that a launcher gave this process; 0 outside a job. */
static int number_in_job(void)
{
    static const char *const variable[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
        const char *number = getenv(variable[i]);
        if (number != NULL) return (int)strtol(number, NULL, 10);
    }
    return 0;
}

int main(int argc, char **argv)
{
    cli_t cli = {"planbcast-mpi", NULL, NULL};
    MPI_Comm comm;
    int rank, status, worst;

    cli_hold_streams();
    cli_watch_memory();
    /* Before MPI_Init: where there is no job, as on login nodes and where packages are built, it may fail. */
    if (PLANI_NUMBERED_PROCESSES) {
        bool first = number_in_job() == 0;
        cli_t early = {cli.tool, first ? stdout : NULL, first ? stderr : NULL};
        if ((status = tell(&early, argc, argv)) != CLI_GO) return cli_finish(&early, status);
    }
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return CLI_FAILED;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) cli.out = stdout, cli.err = stderr;
    status = cli_finish(&cli, dispatch(comm, &cli, argc, argv));
    if (MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) worst = CLI_FAILED;
    MPI_Comm_free(&comm);
    MPI_Finalize();
    /* One status for all ranks, so that mpirun prints no messages about single ranks. */
    return worst;
}
