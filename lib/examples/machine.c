/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measure once, save, and load: the machine goes to a file, which later runs find, and candidates are timed for longer.
 *
 *     mpicc machine.c -o machine $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 4 ./machine my-machine.json     # measures, and writes the file
 *     mpirun -n 4 ./machine my-machine.json     # reads it
 */
#include <planbcast/mpi.h>
#include <stdio.h>

enum { BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    static char x[BYTES];
    plan_options_t options;
    plan_error_t err = {.text = ""};
    plan_t *plan = NULL;
    int rank, rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if ((rc = plan_options_init(&options, &err)) != PLAN_OK || argc != 2) goto done;
    options.error = &err;
    options.budget_s = 2;
    options.mode = PLAN_MEASURE;    /* time candidates, and choose by times and model */
    options.machine = argv[1];      /* loaded, if it is there */
    options.save_machine = argv[1]; /* what it lacks is measured, and added */
    if ((rc = plan_bcast(MPI_COMM_WORLD, 0, BYTES, &options, &plan)) != 0) goto done;
    if (rank == 0) x[BYTES - 1] = 42;
    rc = plan_execute(plan, x, BYTES, MPI_BYTE);
    if (rank == 0 && rc == 0) rc = plan_save(plan, "saved-plan.json", &err); /* for plan_load and plan_bind */
done:
    if (rc != 0) fprintf(stderr, "machine: error %d: %s\n", rc, err.text);
    if (rank == 0 && rc == 0 && argc == 2) printf("%d bytes: %s\n", BYTES, x[BYTES - 1] == 42 ? "all right" : "WRONG");
    if (rc != 0 || argc != 2) MPI_Abort(MPI_COMM_WORLD, 1);
    plan_destroy(&plan);
    MPI_Finalize();
    return 0;
}
