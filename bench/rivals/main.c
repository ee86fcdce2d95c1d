/* Planned broadcasts against every broadcast of Open MPI, on one communicator, in one run. */
#include "rivals.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank;

/* Collective: rank 0's failure is everybody's. */
static bool failed(int rc, const plan_error_t *err)
{
    int worst = rc != 0, all = 0;
    MPI_Allreduce(&worst, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && all) fprintf(stderr, "bench_rivals: %s\n", err->text[0] ? err->text : "MPI failed");
    return all;
}

/* Sizes that have no result yet; the same on all ranks. */
static void leave_out_done(options_t *o)
{
    int left = 0;
    for (int i = 0; i < o->nsizes; i++)
        if (!report_exists(o, o->bytes[i])) o->bytes[left++] = o->bytes[i];
    if (rank == 0 && left < o->nsizes)
        fprintf(stderr, "bench_rivals: %d sizes of %d are in %s already\n", o->nsizes - left, o->nsizes, o->out);
    o->nsizes = left;
    MPI_Bcast(&o->nsizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(o->bytes, (int)sizeof o->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Connections and memory are set up outside the timed rounds. */
static void warm_up(const options_t *o, const settings_t *s)
{
    enum { BYTES = 32768 };
    static char buffer[BYTES];
    for (int i = 0; i < s->n; i++) {
        int skip = rank == 0 && guard_broken(s->at[i].name, BYTES);
        MPI_Bcast(&skip, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (skip) continue;
        if (rank == 0) guard_watch(s->at[i].name, BYTES, 60);
        if (s->at[i].plan != NULL)
            plan_execute(s->at[i].plan, buffer, BYTES, MPI_BYTE);
        else
            MPI_Bcast(buffer, BYTES, MPI_BYTE, o->root, s->at[i].comm);
        MPI_Barrier(MPI_COMM_WORLD); /* who hangs is seen here */
    }
    if (rank == 0) guard_rest();
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "[########............]  40%  three-sites, 1048576 B, 2:41 to go", on a line that the next one replaces. */
static void say(const options_t *o, const char *what, size_t bytes)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], size[32] = "";

    if (!o->progress || rank != 0) return;
    double spent = now() - o->since_s, total = o->total_s > spent ? o->total_s : spent;
    int full = (int)(WIDTH * spent / total), left = (int)(total - spent);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = '\0';
    if (bytes > 0) snprintf(size, sizeof size, "%zu B", bytes);
    fprintf(stderr, "\r\033[K[%s] %3.0f%%  %s, %s%s, %d:%02d to go", bar, 100 * spent / total, o->title, what, size,
            left / 60, left % 60);
    fflush(stderr);
}

static void unsay(const options_t *o)
{
    if (o->progress && rank == 0) fprintf(stderr, "\r\033[K");
}

/* One message size with its candidates; on rank 0, `broken` counts plans that delivered wrong bytes. */
static int run_cell(const report_t *r, settings_t *s, double budget_s, before_t *before, cell_t *cell, int *broken)
{
    const options_t *o = r->options;
    plan_error_t err = {.text = ""};

    if (failed(candidates_add(MPI_COMM_WORLD, r->planning, o->root, cell->bytes, o->regret, s, &err), &err)) return 1;
    snprintf(err.text, sizeof err.text, "a broadcast failed");
    if (failed(race(MPI_COMM_WORLD, o, s, before, budget_s, cell), &err)) return 1;
    if (rank == 0) {
        for (int k = 0; k < s->n; k++) *broken += s->at[k].plan != NULL && cell->entry[k].wrong != 0;
        before_take(s, cell, before);
        unsay(o);
        report_row(r, cell);
    }
    int rc = rank == 0 && o->out != NULL ? report_save(r, cell) : 0;
    candidates_clear(s);
    MPI_Bcast(&rc, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return rc;
}

static int run_cells(const report_t *r, settings_t *s, double start)
{
    const options_t *o = r->options;
    cell_t *cell = malloc(sizeof *cell);
    before_t *before = malloc(sizeof *before);
    int bad = 0, broken = 0;

    if (cell == NULL || before == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    *before = (before_t){.bytes = 0};
    for (int i = 0; i < o->nsizes && bad == 0; i++) {
        memset(cell, 0, sizeof *cell);
        cell->bytes = o->bytes[i];
        say(o, "", cell->bytes);
        if (rank == 0 && i == 0) report_load_before(o, o->bytes[0], before);
        double share = budget_share(o, r->limits, i, o->budget_s - (MPI_Wtime() - start));
        bad = run_cell(r, s, share, before, cell, &broken);
    }
    free(before);
    free(cell);
    bad |= broken > 0;
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return bad;
}

static int prepare(options_t *o, planning_t *planning, limits_t *limits)
{
    plan_error_t err = {.text = ""};

    if (failed(limits_find(o->spec, o->root, limits, &err), &err)) return 1;
    budget_fit(o, limits, rank == 0);
    say(o, "measuring and planning", 0);
    if (rank == 0) guard_watch("planning", 1, 600 + 3 * o->budget_s);
    int rc = planning_make(MPI_COMM_WORLD, o, planning, &err);
    if (rank == 0) guard_rest();
    unsay(o);
    return failed(rc, &err);
}

static int compare(options_t *o)
{
    planning_t planning = {.profile = NULL};
    limits_t limits;
    settings_t settings;
    report_t report = {o, &settings, &planning, &limits, 0};
    double start = MPI_Wtime();
    int bad = 1;

    MPI_Comm_size(MPI_COMM_WORLD, &report.ranks);
    leave_out_done(o);
    if (o->nsizes == 0) return 0;
    if (rank == 0) guard_open(o);
    if (prepare(o, &planning, &limits) == 0) {
        settings_create(MPI_COMM_WORLD, &planning, &settings);
        warm_up(o, &settings);
        if (rank == 0) report_heading(&report);
        bad = run_cells(&report, &settings, start);
        settings_clear(&settings);
    }
    planning_clear(&planning);
    if (rank == 0) guard_close();
    return bad;
}

/* The words of the command, with a space between. */
static void join(int argc, char **argv, char *text, size_t room)
{
    text[0] = '\0';
    for (int i = 0; i < argc; i++) {
        const char *word = i == 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[i];
        if (strlen(text) + strlen(word) + 2 > room) break;
        if (i > 0) strcat(text, " ");
        strcat(text, word);
    }
}

int main(int argc, char **argv)
{
    static char command[2048];
    options_t o;
    int provided, status;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    join(argc, argv, command, sizeof command);
    int stop = options_read(argc, argv, rank == 0, &o);
    o.command = command;
    status = stop ? stop - 1 : compare(&o);
    MPI_T_finalize();
    MPI_Finalize();
    return status;
}
