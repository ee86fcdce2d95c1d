/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan once, broadcast often: the three calls that a program makes.
 *
 *     mpicc broadcast.c -o broadcast $(pkg-config --cflags --libs planbcast)
 *     mpirun -n 4 ./broadcast
 */
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 18, TIMES = 10 };

/* Called on rank 0 alone. */
static void say(void *context, int level, const char *line)
{
    (void)context;
    if (level == 0) printf("%s\n", line);
}

static void fail(const char *what, int rc, const plan_error_t *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (rc > 0) MPI_Error_string(rc, text, &length); /* positive: an error of MPI; negative: a plan_status_t */
    if (err->text[0] != '\0')
        fprintf(stderr, "%s: %s\n", what, err->text);
    else
        fprintf(stderr, "%s: %s\n", what, rc > 0 ? text : plan_status_string((plan_status_t)rc));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    static double x[COUNT];
    plan_error_t err = {.text = ""};
    plan_options_t options;
    plan_t *plan = NULL;
    int rank, rc, wrong = 0, wrongs = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    if ((rc = plan_options_init(&options, &err)) != PLAN_OK) fail("options", rc, &err);
    options.budget_s = 2; /* for measuring; or what was measured before: options.machine = "machine.json" */
    options.report = say;
    options.error = &err;
    if ((rc = plan_bcast(MPI_COMM_WORLD, 0, sizeof x, &options, &plan)) != 0) fail("plan_bcast", rc, &err);

    for (int t = 0; t < TIMES; t++) {
        for (int i = 0; i < COUNT && rank == 0; i++) x[i] = i + t;
        if ((rc = plan_execute(plan, x, COUNT, MPI_DOUBLE)) != 0) fail("plan_execute", rc, &err);
        for (int i = 0; i < COUNT; i++) wrong |= x[i] != i + t;
    }
    plan_destroy(&plan);

    MPI_Reduce(&wrong, &wrongs, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d broadcasts of %zu bytes: %s\n", TIMES, sizeof x, wrongs ? "WRONG" : "all right");
    MPI_Finalize();
    return rank == 0 && wrongs ? 1 : 0;
}
