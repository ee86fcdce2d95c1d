/*
 * A periodic schedule of planbcast next to the dealing of slices over the same trees and the plan, in turns.
 *
 *     mpirun bench_periodic NAME GOAL TREES SLICE BYTES < /dev/null
 *
 * GOAL: a schedule as `planbcast schedule --to goal` writes it, from rank 0. Each rank sends its messages in the order
 * of the file, each when all of its slice is there and, with one send in flight, when the one before is over (Issend);
 * with four, when that four before is. TREES: a line for each tree of the schedule: its slices in a period, and the
 * parent of each rank. The library deals the slices over them as over those of any plan. The plan is made for the
 * platform that PLANBCAST_PROFILE names, by the model.
 *
 * Prints a row of a table in Markdown: medians of the times from the root's start to the last rank's end. Every byte is
 * checked on every rank, each time.
 */
#include <gsl/gsl_statistics_double.h>
#include <mpi.h>
#include <planbcast/mpi.h>
#include <planbcast/plan.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, AHEAD = 64, MOST_TREES = 64, MOST_FLIGHT = 4, DEALT_WINDOW = 4 };

/* A message of this rank: bytes from .. from + bytes - 1 of the broadcast. */
typedef struct {
    size_t slice, from, bytes;
    int peer, tag;
} message_t;

typedef struct {
    size_t n, room;
    message_t *at;
} list_t;

typedef enum { ONE, FOUR, DEALT, PLAN, WAYS } way_t;

static int rank, ranks;
static size_t slice, bytes;
static list_t out, in;
static char *data;
static plan_t *dealt, *plan;

static _Noreturn void give_up(const char *why, const char *what)
{
    fprintf(stderr, "bench_periodic: %s%s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* ---- the schedule ---- */

static void add(list_t *list, size_t k, size_t n, int peer, int tag)
{
    size_t from = k * slice;
    if (list->n == list->room) {
        list->room = list->room > 0 ? 2 * list->room : 256;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (list->at == NULL) give_up("out of memory", "");
    }
    for (size_t i = list->n; i-- > 0;) /* the part before this one, of the same slice */
        if (list->at[i].slice == k && list->at[i].peer == peer) {
            from = list->at[i].from + list->at[i].bytes;
            break;
        }
    list->at[list->n++] = (message_t){.slice = k, .from = from, .bytes = n, .peer = peer, .tag = tag};
}

/* This rank's messages; labels begin with "s" or "r" and the slice. */
static void read_goal(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256], way[8];
    int of = -1, peer, tag;
    size_t k, n;

    if (f == NULL) give_up(": cannot be opened", path);
    while (fgets(line, sizeof line, f) != NULL) {
        sscanf(line, "rank %d {", &of);
        if (of != rank) continue;
        if (sscanf(line, "s%zu_%*d_%*d: send %zub %7s %d tag %d", &k, &n, way, &peer, &tag) == 5)
            add(&out, k, n, peer, tag);
        else if (sscanf(line, "r%zu_%*d: recv %zub %7s %d tag %d", &k, &n, way, &peer, &tag) == 5)
            add(&in, k, n, peer, tag);
    }
    fclose(f);
    if (rank != 0 && in.n == 0) give_up(": has no messages for some rank", path);
}

static size_t length_of(size_t k)
{
    return bytes - k * slice < slice ? bytes - k * slice : slice;
}

/* The receives that have come, in any order. */
static void take(MPI_Request *request, size_t posted, size_t *got, bool *moved)
{
    for (size_t i = posted > AHEAD ? posted - AHEAD : 0; i < posted; i++) {
        int done = 0;
        if (request[i] == MPI_REQUEST_NULL) continue;
        MPI_Test(&request[i], &done, MPI_STATUS_IGNORE);
        if (done) got[in.at[i].slice] += in.at[i].bytes, *moved = true;
    }
}

/* Receives in their order too: at most AHEAD are posted beyond the first that has not come. */
static void run_schedule(size_t flight)
{
    size_t slices = (bytes - 1) / slice + 1, posted = 0, first = 0, sent = 0, done = 0;
    size_t *got = calloc(slices, sizeof *got);
    MPI_Request *request = malloc((in.n + 1) * sizeof *request), open[MOST_FLIGHT];

    if (got == NULL || request == NULL) give_up("out of memory", "");
    for (size_t k = 0; k < slices && rank == 0; k++) got[k] = length_of(k);
    for (size_t i = 0; i < flight; i++) open[i] = MPI_REQUEST_NULL;
    while (first < in.n || done < out.n) {
        bool moved = false;
        for (; posted < in.n && posted < first + AHEAD; posted++)
            MPI_Irecv(data + in.at[posted].from, (int)in.at[posted].bytes, MPI_BYTE, in.at[posted].peer,
                      in.at[posted].tag, MPI_COMM_WORLD, &request[posted]);
        take(request, posted, got, &moved);
        while (first < posted && request[first] == MPI_REQUEST_NULL) first++;
        for (int over = 1; done < sent && over;) {
            MPI_Test(&open[done % flight], &over, MPI_STATUS_IGNORE);
            done += over != 0;
            moved = moved || over;
        }
        for (; sent < out.n && sent < done + flight && got[out.at[sent].slice] == length_of(out.at[sent].slice);
             sent++) {
            MPI_Issend(data + out.at[sent].from, (int)out.at[sent].bytes, MPI_BYTE, out.at[sent].peer, out.at[sent].tag,
                       MPI_COMM_WORLD, &open[sent % flight]);
            moved = true;
        }
        if (!moved) sched_yield();
    }
    free(request);
    free(got);
}

/* ---- the same trees, dealt ---- */

static size_t read_trees(const char *path, plan_tree_t **tree, double *rate)
{
    FILE *f = fopen(path, "r");
    int *parent = malloc((size_t)ranks * sizeof *parent);
    size_t n = 0;

    if (f == NULL || parent == NULL) give_up(": cannot be opened", path);
    while (n < MOST_TREES && fscanf(f, "%lf", &rate[n]) == 1) {
        for (int v = 0; v < ranks; v++)
            if (fscanf(f, "%d", &parent[v]) != 1) give_up(": ends too soon", path);
        if (plan_tree_create(ranks, parent, NULL, &tree[n]) != PLAN_OK) give_up(": holds no tree", path);
        n++;
    }
    fclose(f);
    free(parent);
    return n;
}

/* Rank 0's plan of one range. */
static plan_t *plan_of_trees(const char *path)
{
    plan_tree_t *tree[MOST_TREES];
    double rate[MOST_TREES];
    plan_candidate_t c = {.size = sizeof c, .name = "dealt", .run = PLAN_RUN_TREES, .slice = slice};
    const plan_range_t range = {bytes, &c};
    plan_t *made = NULL;

    c.ntrees = read_trees(path, tree, rate);
    c.tree = tree, c.rate = rate;
    c.window = DEALT_WINDOW;
    if (plan_from_ranges(ranks, 0, 1, &range, NULL, &made) != PLAN_OK) give_up(": makes no plan", path);
    for (size_t t = 0; t < c.ntrees; t++) plan_tree_destroy(&tree[t]);
    return made;
}

static void make_plans(const char *trees)
{
    plan_t *mine = rank == 0 ? plan_of_trees(trees) : NULL;
    plan_error_t err = {.text = ""};
    plan_options_t options;

    plan_options_init(&options, &err);
    options.error = &err;
    options.mode = PLAN_ESTIMATE;
    if (plan_bind(MPI_COMM_WORLD, mine, &dealt, &err) != 0 ||
        plan_bcast(MPI_COMM_WORLD, 0, bytes, &options, &plan) != 0)
        give_up(err.text, "no plan: ");
    plan_destroy(&mine);
}

/* ---- in turns ---- */

static void broadcast(way_t way)
{
    int rc = 0;
    if (way == ONE || way == FOUR) run_schedule(way == ONE ? 1 : MOST_FLIGHT);
    if (way == DEALT || way == PLAN) rc = plan_execute(way == DEALT ? dealt : plan, data, (MPI_Count)bytes, MPI_BYTE);
    if (rc != 0) give_up("a broadcast failed", "");
}

static char byte_of(size_t i, int turn)
{
    return (char)(i * 7 + i / 251 + (size_t)turn);
}

/* [s] of a broadcast that all ranks begin at the same time */
static double time_of(way_t way, int turn)
{
    plan_span_t span, all = {0};
    double offset = 0;

    for (size_t i = 0; i < bytes; i++) data[i] = rank == 0 ? byte_of(i, turn) : 0;
    plan_clock_sync(MPI_COMM_WORLD, &offset);
    plan_line_up(MPI_COMM_WORLD, offset);
    double start = plan_clock();
    broadcast(way);
    span = plan_span(rank == 0, start, plan_clock(), offset);
    MPI_Reduce(&span, &all, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != byte_of(i, turn)) give_up("wrong bytes", "");
    MPI_Barrier(MPI_COMM_WORLD);
    return plan_span_seconds(all);
}

int main(int argc, char **argv)
{
    double sample[WAYS][RUNS], median[WAYS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    slice = argc == 6 ? strtoull(argv[4], NULL, 10) : 0;
    bytes = argc == 6 ? strtoull(argv[5], NULL, 10) : 0;
    if (slice < 1 || bytes < 1 || bytes > 1 << 30)
        give_up("usage: mpirun bench_periodic NAME GOAL TREES SLICE BYTES; up to 1 GiB", "");
    if ((data = malloc(bytes)) == NULL) give_up("out of memory", "");
    read_goal(argv[2]);
    make_plans(argv[3]);
    for (int turn = 0; turn < RUNS; turn++)
        for (int way = 0; way < WAYS; way++) sample[way][turn] = time_of((way_t)way, turn * WAYS + way);
    for (int way = 0; way < WAYS; way++) median[way] = gsl_stats_median(sample[way], 1, RUNS);
    const plan_candidate_t *c = plan_chosen(plan, bytes);
    if (rank == 0)
        printf("| %s | %.1f ms | %.1f ms | %.1f ms | %s, %.1f ms |\n", argv[1], 1e3 * median[ONE], 1e3 * median[FOUR],
               1e3 * median[DEALT], c->name, 1e3 * median[PLAN]);
    plan_destroy(&dealt);
    plan_destroy(&plan);
    free(data);
    free(out.at);
    free(in.at);
    MPI_Finalize();
    return 0;
}
