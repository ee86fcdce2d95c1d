/* planbcast-mpi measure: the profile of the machine under this job. */
#include "lib/cli/tool.h"
#include "lib/mpi/measure/phases/profile.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before minutes of measuring: the file is one that the machine can be merged with, or there is none. Rank 0. */
static int may_merge(const cli_t *cli, const char *path)
{
    struct stat st;
    plani_machine_t *m = NULL;
    plan_error_t err = {PLAN_OK, ""};

    if (cli->err == NULL || path == NULL || stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return CLI_GO;
    plan_status_t rc = plani_machine_load(path, &m, &err);
    plani_machine_destroy(&m);
    return rc == PLAN_OK ? CLI_GO : cli_fail_status(cli, rc, &err);
}

static int measure(MPI_Comm comm, const cli_t *cli, double budget, const char *path, const char *machine, bool progress)
{
    plan_options_t o;
    plan_error_t err = {PLAN_OK, ""};
    plan_profile_t *profile = NULL;
    char *kept = NULL;
    double start = MPI_Wtime();
    int rc = tool_from_leader(comm, plan_options_init(&o, &err)), status = CLI_DONE;

    if (rc == PLAN_OK) {
        o.budget_s = budget > 0 ? budget : o.budget_s;
        o.error = &err;
        if (progress) o.report = tool_progress, o.report_context = cli->err;
        rc = plan_measure(comm, &o, &profile);
    }
    if (progress) fprintf(cli->err, "\r\033[K");
    if (rc == PLAN_OK && path != NULL)
        rc = tool_from_leader(comm, profile != NULL ? plan_profile_save(profile, path, &err) : PLAN_OK);
    if (rc == PLAN_OK && machine != NULL)
        rc = tool_from_leader(
            comm, profile != NULL ? plani_machine_add_to_file(plani_profile_machine(profile), machine, &kept, &err)
                                  : PLAN_OK);
    if (rc != PLAN_OK) {
        free(kept);
        return tool_fail(cli, rc, &err);
    }
    if (cli->out != NULL) {
        const plan_platform_data_t *d = plan_platform_data(plan_profile_platform(profile));
        fprintf(cli->out, "%d ranks on %d host%s in %d site%s, measured in %.2f s, saved in %s\n\n", d->ranks, d->hosts,
                d->hosts == 1 ? "" : "s", d->sites, d->sites == 1 ? "" : "s", MPI_Wtime() - start,
                machine != NULL ? machine : path);
        plan_status_t printed = cli_print_platform(cli->out, plan_profile_platform(profile));
        if (printed != PLAN_OK) status = cli_fail_status(cli, printed, NULL);
        cli_print_pieces(cli->out, plani_profile_document(profile));
        tool_print_validation(cli->out, profile);
        if (kept != NULL)
            fprintf(cli->out, "\n  %s says otherwise, and keeps %s: remove it before measuring to replace them.\n",
                    machine, kept);
    }
    free(kept);
    plan_profile_destroy(&profile);
    return status;
}

int tool_measure(MPI_Comm comm, const cli_t *cli, int argc, char **argv)
{
    const char *out = NULL, *machine = NULL;
    double budget = 0;
    bool progress = false;
    const cli_option_t option[] = {
        {"machine", CLI_TEXT, &machine, 0, 0, "FILE", "the machine, for all jobs on these hosts"},
        {"o", CLI_TEXT, &out, 0, 0, "FILE", "the profile of this job: its platform and the samples"},
        tool_budget(&budget),
        tool_show_progress(&progress),
    };
    const cli_command_t cmd = {
        "measure",
        "",
        "Measure the machine under this job, and save it.",
        "A machine file serves every job on some of its hosts, with any number of ranks. plan_bcast and `run` load "
        "the one that PLANBCAST_MACHINE names, or else planbcast/machine.json in $XDG_CONFIG_HOME (by default "
        "~/.config), or else /etc/planbcast/machine.json. Figures of an existing FILE stay, and what it lacks is "
        "added, as by `run --save-machine`. A profile is the platform of this job's ranks with the raw samples: "
        "planbcast plans from it, and `run --profile` loads it.",
        "  mkdir -p ~/.config/planbcast && mpirun -n 8 planbcast-mpi measure --machine "
        "~/.config/planbcast/machine.json\n"
        "  mpirun -n 8 planbcast-mpi measure -o profile.json\n"
        "  mpirun --hostfile hosts planbcast-mpi measure -o profile.json --budget 30",
        option,
        sizeof option / sizeof *option};
    int rc = cli_parse(cli, &cmd, argc, argv, NULL, 0);
    if (rc != CLI_GO) return rc;
    if (out == NULL && machine == NULL)
        return cli_fail(cli, CLI_USAGE, "measure: give --machine FILE, or -o FILE, or both");
    if ((rc = tool_may_write(comm, cli, out)) != CLI_GO || (rc = tool_may_write(comm, cli, machine)) != CLI_GO ||
        (rc = tool_from_leader(comm, may_merge(cli, machine))) != CLI_GO)
        return rc;
    progress = cli->err != NULL && (progress || isatty(STDERR_FILENO));
    return measure(comm, cli, budget, out, machine, progress);
}
