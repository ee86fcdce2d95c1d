/*
 * A job on a cluster that changes while it runs: changing SAVE BYTES COMMAND
 *
 * Plans, broadcasts and reviews; runs the shell command on rank 0, with the rank that the root sends to first and that
 * forwards as $RELAY; broadcasts and reviews again, which renews the plan; broadcasts and reviews once more. Rank 0
 * prints a line of JSON for each review. SAVE: the file for the machine.
 */
#include <math.h>
#include <planbcast.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 20 };
static char *buffer;
static int rank;

static void stop(int rc, const char *what, const plan_error_t *err)
{
    if (rc == 0) return;
    fprintf(stderr, "rank %d: %s: %d %s\n", rank, what, rc, err->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* One broadcast. Each time another rank comes late, by some ms. \return [s] from the root's start to the last end */
static double cast(plan_t *plan, size_t bytes, int turn, bool late)
{
    plan_error_t none = {.text = ""};
    plan_span_t mine, all;
    double offset = 0;
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    plan_clock_sync(MPI_COMM_WORLD, &offset);
    MPI_Barrier(MPI_COMM_WORLD);
    if (late && rank == turn % ranks) usleep(30000);
    if (rank == 0) memset(buffer, turn, bytes);
    double start = plan_clock();
    stop(plan_execute(plan, buffer, (MPI_Count)bytes, MPI_BYTE), "broadcast", &none);
    mine = plan_span(rank == 0, start, plan_clock(), offset);
    MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (size_t i = 0; i < bytes; i++)
        if (buffer[i] != (char)turn) stop(1, "wrong bytes", &none);
    return plan_span_seconds(all);
}

static void review(const char *when, plan_t **plan, const plan_options_t *options, bool renew, double fastest)
{
    plan_review_t r = {.size = sizeof r};
    plan_t *before = *plan;

    stop(plan_review(plan, options, renew, &r), "review", options->error);
    if (rank != 0) return;
    printf("{\"when\": \"%s\", \"fastest_s\": %.4f, \"bytes\": %zu, \"broadcasts\": %d, \"measured_s\": %.4f, "
           "\"predicted_s\": %.4f, \"off\": %s, \"resource\": \"%s\", \"was\": %.0f, \"now\": %.0f, \"measured\": %s, "
           "\"saved\": %s, \"renewed\": %s, \"hash\": \"%016llx\"}\n",
           when, fastest, r.bytes, r.broadcasts, r.measured_s, r.predicted_s, r.off ? "true" : "false", r.resource,
           r.was_bytes_per_s, r.now_bytes_per_s, r.measured ? "true" : "false", r.saved ? "true" : "false",
           r.renewed ? "true" : "false", (unsigned long long)plan_data(*plan)->hash);
    if (r.renewed != (before != *plan)) printf("renewed and the plan do not agree\n");
    fflush(stdout);
}

static double some(plan_t *plan, size_t bytes, bool late)
{
    double fastest = INFINITY;
    for (int i = 0; i < TIMES; i++) fastest = fmin(fastest, cast(plan, i % 4 == 3 ? bytes / 4 : bytes, i, late));
    return fastest;
}

static void report(void *context, int level, const char *line)
{
    (void)context;
    if (level == 0) fprintf(stderr, "%s\n", line);
}

/* The root's first child that forwards. */
static int relay_of(const plan_t *plan, size_t bytes)
{
    const plan_tree_t *tree = plan_chosen(plan, bytes)->tree[0];
    int n = 0, below = 0;
    const int *child = plan_tree_children(tree, 0, &n);
    for (int i = 0; i < n; i++)
        if (plan_tree_children(tree, child[i], &below) != NULL && below > 0) return child[i];
    return 0;
}

/* Run the command, with RELAY in its environment. */
static void change(const char *command, int relay)
{
    plan_error_t none = {.text = ""};
    char number[16];
    snprintf(number, sizeof number, "%d", relay);
    if (setenv("RELAY", number, 1) != 0 || system(command) != 0) stop(1, command, &none);
}

int main(int argc, char **argv)
{
    plan_options_t options;
    plan_error_t err = {.text = ""};
    plan_t *plan = NULL;
    double fastest;

    if (argc != 4) return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    size_t bytes = strtoul(argv[2], NULL, 10);
    if ((buffer = malloc(bytes)) == NULL) stop(PLAN_ENOMEM, "memory", &err);
    stop(plan_options_init(&options, &err), "options", &err);
    options.error = &err, options.save_machine = argv[1], options.report = report;
    stop(plan_bcast(MPI_COMM_WORLD, 0, bytes, &options, &plan), "plan", &err);
    fastest = some(plan, bytes, false);
    review("unchanged", &plan, &options, true, fastest);
    fastest = some(plan, bytes, true);
    review("unchanged, late", &plan, &options, true, fastest);
    if (rank == 0) change(argv[3], relay_of(plan, bytes));
    fastest = some(plan, bytes, false);
    review("changed", &plan, &options, true, fastest);
    fastest = some(plan, bytes, false);
    review("renewed", &plan, &options, false, fastest);
    plan_destroy(&plan);
    free(buffer);
    return MPI_Finalize();
}
