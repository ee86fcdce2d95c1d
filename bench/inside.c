/*
 * Candidates and MPI_Bcast in turns in one run, with the processor time that they take: for broadcasts inside hosts.
 *
 *     mpirun -n 16 bench_inside [[least bytes:]most bytes[@root] [candidate[/slice[xwindow]]]...]
 *
 * Prints, for 8 B or the smallest to the largest message, for each candidate (default: shared-memory) and MPI_Bcast:
 * the median time from the root's start to the last rank's end; and of some broadcasts back to back the processor time
 * and the context switches of all ranks per broadcast, and their copies per byte (plan_copies; those of MPI are not
 * known). `copying` is the part of the time that all ranks take to copy a
 * message of this size, each from one own buffer to another. The machine is measured as for any plan, or read from
 * PLANBCAST_MACHINE.
 */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <mpi.h>
#include <planbcast/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    ROUNDS = 31,
    LARGE_ROUNDS = 11,
    WAYS = 6,
    PAGE = 4096,
    BEHIND = 16 /* [B] a page begins the message: there malloc's large blocks do */
};

static int rank, ranks, root, ways;

/* Broadcast by the plan, or by MPI_Bcast if it is NULL. */
static void broadcast(plan_t *plan, char *buffer, size_t bytes)
{
    if (plan != NULL)
        plan_execute(plan, buffer, (MPI_Count)bytes, MPI_BYTE);
    else
        MPI_Bcast(buffer, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
}

/* A candidate's name, or NAME/SLICExWINDOW. Planning is collective and has agreed on its result: all ranks end. */
static plan_t *make_plan(size_t most, char *candidate)
{
    char *fixed = strchr(candidate, '/');
    plan_t *plan = NULL;
    plan_error_t err;
    plan_options_t options = {.size = sizeof options};

    plan_options_init(&options, &err);
    options.error = &err;
    if (fixed != NULL) {
        *fixed = '\0';
        options.choice.slice = strtoul(fixed + 1, &fixed, 10);
        options.choice.window = *fixed == 'x' ? (int)strtol(fixed + 1, NULL, 10) : 0;
    }
    options.choice.only = candidate;
    options.mode = PLAN_ESTIMATE;
    if (plan_bcast(MPI_COMM_WORLD, root, most, &options, &plan) == 0) return plan;
    if (rank == 0) fprintf(stderr, "bench_inside: %s\n", err.text);
    MPI_Finalize();
    exit(1);
}

/* [s] One broadcast that all ranks begin at the same time, at rank 0. */
static double timed(plan_t *plan, char *buffer, size_t bytes, double offset)
{
    plan_span_t mine, all = {0};
    plan_line_up(MPI_COMM_WORLD, offset);
    double start = plan_clock();
    broadcast(plan, buffer, bytes);
    mine = plan_span(rank == root, start, plan_clock(), offset);
    MPI_Reduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return plan_span_seconds(all);
}

typedef struct {
    double processor_s, switches, copied; /* of all ranks; copied: [B] */
} effort_t;

/* [B] This rank has copied so far in broadcasts by the plan. */
static double copied(const plan_t *plan)
{
    plan_copies_t c = {.size = sizeof c};
    if (plan == NULL || plan_copies(plan, &c) != 0) return 0;
    return (double)(c.written + c.read + c.single + c.packed);
}

static effort_t effort(const plan_t *plan)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (effort_t){.processor_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
                      .switches = (double)(used.ru_nvcsw + used.ru_nivcsw),
                      .copied = copied(plan)};
}

/* Per broadcast, at rank 0. */
static effort_t busy(plan_t *plan, char *buffer, size_t bytes)
{
    int n = bytes > 1 << 20 ? 8 : 256;
    effort_t all = {0};
    MPI_Barrier(MPI_COMM_WORLD);
    effort_t before = effort(plan);
    for (int i = 0; i < n; i++) broadcast(plan, buffer, bytes);
    effort_t after = effort(plan);
    effort_t mine = {after.processor_s - before.processor_s, after.switches - before.switches,
                     after.copied - before.copied};
    MPI_Reduce(&mine, &all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return (effort_t){all.processor_s / n, all.switches / n, all.copied / n};
}

/* [s] All ranks copy a message at the same time, each between own buffers: until the last has, at rank 0. */
static double copying(char *buffer, char *other, size_t bytes)
{
    double best = INFINITY, last = 0;
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double mine = MPI_Wtime();
        memcpy(buffer, other, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        mine = MPI_Wtime() - mine;
        MPI_Reduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        best = fmin(best, last);
    }
    return best;
}

static void compare(plan_t *const *plan, size_t bytes, char *buffer, char *other)
{
    double sample[WAYS][ROUNDS], offset = 0;
    effort_t used[WAYS];
    int rounds = bytes > 1 << 20 ? LARGE_ROUNDS : ROUNDS;

    for (int i = -2; i < rounds; i++) { /* the first two warm up */
        if (bytes >= 1024 || i % 8 == 0 || i < 0) plan_clock_sync(MPI_COMM_WORLD, &offset);
        for (int k = 0; k < ways; k++) {
            int way = (k + i + 2) % ways;
            double s = timed(plan[way], buffer, bytes, offset);
            if (i >= 0) sample[way][i] = s;
        }
    }
    for (int k = 0; k < ways; k++) used[k] = busy(plan[k], buffer, bytes);
    double copies_s = copying(buffer, other, bytes);
    if (rank != 0) return;
    printf("%9zu", bytes);
    for (int k = 0; k < ways; k++) {
        double median = gsl_stats_median(sample[k], 1, (size_t)rounds);
        printf("   %11.1f %9.1f %8.0f %6.0f%%", median * 1e6, used[k].processor_s * 1e6, used[k].switches,
               100 * copies_s / median);
        if (plan[k] != NULL) printf(" %6.1f", used[k].copied / (double)bytes);
    }
    for (int k = 0; k + 1 < ways; k++) {
        const plan_candidate_t *chosen = plan_chosen(plan[k], bytes);
        printf("   %s, slices of %zu, window %d", chosen->name, chosen->slice, chosen->window);
    }
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *end = "", shared[] = "shared-memory", *names[] = {shared}, **name = argc > 2 ? argv + 2 : names;
    long least = 8, most = argc > 1 ? strtol(argv[1], &end, 10) : 64 << 20;
    plan_t *plan[WAYS] = {NULL};

    ways = argc > 2 ? argc - 1 : 2; /* MPI_Bcast is the last */
    if (*end == ':') least = most, most = strtol(end + 1, &end, 10);
    if (*end == '@') root = (int)strtol(end + 1, &end, 10);
    bool wrong = ways > WAYS || *end != '\0' || least < 8 || most < least || most > 1 << 30 || root < 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (wrong) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: mpirun bench_inside [[LEAST:]MOST BYTES[@ROOT] [CANDIDATE[/SLICE[xWINDOW]]]...]; five "
                    "candidates at most\n");
        MPI_Finalize();
        return 2;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (root >= ranks) root = ranks - 1;
    const size_t room = ((size_t)most / PAGE + 2) * PAGE;
    for (int k = 0; k < ways - 1; k++) plan[k] = make_plan((size_t)most, name[k]);
    char *block[2] = {aligned_alloc(PAGE, room), aligned_alloc(PAGE, room)};
    if (block[0] == NULL || block[1] == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    char *buffer = block[0] + BEHIND, *other = block[1] + BEHIND;
    memset(buffer, rank, (size_t)most);
    memset(other, rank, (size_t)most);
    if (rank == 0) {
        printf("%d ranks, microseconds\n%9s", ranks, "");
        for (int k = 0; k < ways; k++)
            printf("   %*s", plan[k] != NULL ? 45 : 38, plan[k] != NULL ? name[k] : "MPI_Bcast");
        printf("\n%9s", "bytes");
        for (int k = 0; k < ways; k++)
            printf("   %11s %9s %8s %7s%s", "time", "processor", "switches", "copying",
                   plan[k] != NULL ? " copies" : "");
        printf("\n");
    }
    for (size_t bytes = (size_t)least; bytes <= (size_t)most; bytes *= bytes < 1024 ? 8 : 4)
        compare(plan, bytes, buffer, other);
    for (int k = 0; k < ways - 1; k++) plan_destroy(&plan[k]);
    free(block[0]);
    free(block[1]);
    MPI_Finalize();
    return 0;
}
