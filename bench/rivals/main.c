/* Planned broadcasts against every broadcast of Open MPI, on one communicator, in one run. */
#include "rivals.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (int i = 0; i < s->n; i++)
        if (s->at[i].plan != NULL)
            plan_execute(s->at[i].plan, buffer, BYTES, MPI_BYTE);
        else
            MPI_Bcast(buffer, BYTES, MPI_BYTE, o->root, s->at[i].comm);
}

static void say(const options_t *o, int done, double spent)
{
    if (!o->progress || rank != 0) return;
    if (done == o->nsizes)
        fprintf(stderr, "\r\033[K");
    else
        fprintf(stderr, "\r\033[K%d of %d sizes, %.0f s so far, about %.0f s to go", done, o->nsizes, spent,
                (o->nsizes - done) * o->budget_s);
    fflush(stderr);
}

static int run_cells(const report_t *r)
{
    const options_t *o = r->options;
    cell_t *cell = calloc((size_t)o->nsizes, sizeof *cell);
    double start = MPI_Wtime();
    int bad = 0;

    if (cell == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    for (int i = 0; i < o->nsizes && bad == 0; i++) {
        plan_error_t err = {.text = "a broadcast failed"};
        say(o, i, MPI_Wtime() - start);
        cell[i].bytes = o->bytes[i];
        if (failed(race(MPI_COMM_WORLD, o, r->settings, i > 0 ? &cell[i - 1] : NULL, &cell[i]), &err)) bad = 1;
        if (rank != 0 || bad) continue;
        for (int k = 0; k < r->settings->n; k++) bad |= cell[i].entry[k].wrong != 0;
        if (o->progress) fprintf(stderr, "\r\033[K");
        report_row(r, &cell[i]);
        if (o->out != NULL && report_save(r, &cell[i]) != 0) bad = 1;
    }
    say(o, o->nsizes, 0);
    free(cell);
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return bad;
}

static int compare(options_t *o)
{
    plan_error_t err = {.text = ""};
    planning_t planning = {NULL, NULL, NULL, 0, 0, 0};
    limits_t limits;
    settings_t settings;
    report_t report = {o, &settings, &planning, &limits, 0};
    int bad = 1;

    MPI_Comm_size(MPI_COMM_WORLD, &report.ranks);
    leave_out_done(o);
    if (o->nsizes == 0) return 0;
    if (failed(rank == 0 ? limits_find(o->spec, o->root, &limits, &err) : 0, &err)) return 1;
    if (o->progress && rank == 0) fprintf(stderr, "measuring and planning");
    int rc = planning_make(MPI_COMM_WORLD, o, &planning, &err);
    if (o->progress && rank == 0) fprintf(stderr, "\r\033[K");
    if (!failed(rc, &err)) {
        settings_create(MPI_COMM_WORLD, &planning, &settings);
        warm_up(o, &settings);
        if (rank == 0) report_heading(&report);
        bad = run_cells(&report);
        settings_clear(&settings);
    }
    planning_clear(&planning);
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
