/* planbcast-mpi: measure and run, under mpirun. */
#include "lib/cli/tool.h"
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpirun -n RANKS planbcast-mpi COMMAND [OPTION]...\n\n"
    "Measures the machine under an MPI job and runs planned broadcasts on it. Planning without MPI: planbcast.\n\n"
    "commands:\n"
    "  run        measure, plan, broadcast, check every byte, print the ranking\n"
    "  bench      time every candidate and MPI_Bcast; report the regret of the model's choice\n"
    "  measure    measure the machine and save its profile\n\n"
    "planbcast-mpi COMMAND --help lists options and examples; planbcast-mpi --version prints the version.\n"
    "PLANBCAST_BUDGET, _MODEL, _CANDIDATES and _SLICE set defaults of options.\n"
    "Exit status: 0 done, 1 failed, 2 bad usage or bad input.\n";

static int dispatch(MPI_Comm comm, const cli_t *cli, int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (strcmp(command, "run") == 0) return tool_run(comm, cli, argc - 1, argv + 1);
    if (strcmp(command, "bench") == 0) return tool_bench(comm, cli, argc - 1, argv + 1);
    if (strcmp(command, "measure") == 0) return tool_measure(comm, cli, argc - 1, argv + 1);
    if (strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0 || strcmp(command, "help") == 0) {
        if (cli->out != NULL) fputs(usage, cli->out);
        return CLI_DONE;
    }
    if (strcmp(command, "--version") == 0) {
        if (cli->out != NULL) fprintf(cli->out, "planbcast-mpi %s\n", PLANBCAST_VERSION);
        return CLI_DONE;
    }
    if (command[0] == '\0') return cli_fail(cli, CLI_USAGE, "no command; see planbcast-mpi --help");
    return cli_fail(cli, CLI_USAGE, "unknown command %s; see planbcast-mpi --help", command);
}

int main(int argc, char **argv)
{
    cli_t cli = {"planbcast-mpi", NULL, NULL};
    MPI_Comm comm;
    int rank, status, worst;

    cli_watch_memory();
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
