/* Times planned broadcasts and every broadcast algorithm of Open MPI on one communicator in one run. */
#include "baselines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* Collective: whether any rank failed. */
static bool failed(int rc, const plan_error_t *err)
{
    int worst = rc != 0, all = 0;
    MPI_Allreduce(&worst, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && all) fprintf(stderr, "bench_baselines: %s\n", err->text[0] ? err->text : "MPI failed");
    return all;
}

/* Leave out sizes whose results are in OUT already; by rank 0's view, the same on all ranks. */
static void leave_out_done(options_t *o)
{
    int left = 0;
    for (int i = 0; i < o->nsizes; i++)
        if (!report_exists(o, o->bytes[i])) o->bytes[left++] = o->bytes[i];
    if (rank == 0 && left < o->nsizes)
        fprintf(stderr, "bench_baselines: %d sizes of %d are in %s already\n", o->nsizes - left, o->nsizes, o->out);
    o->nsizes = left;
    MPI_Bcast(&o->nsizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(o->bytes, (int)sizeof o->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* One broadcast of each setting, so that connections and buffers are set up before the timed rounds. */
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
        MPI_Barrier(MPI_COMM_WORLD); /* a setting that hangs hangs before the next is named in OUT/running */
    }
    if (rank == 0) guard_rest();
}

/* One message size with its candidates; on rank 0, `broken` counts plans that delivered wrong bytes. */
static int run_cell(const report_t *r, settings_t *s, double budget_s, before_t *before, cell_t *cell, int *broken)
{
    const options_t *o = r->options;
    plan_error_t err = {.text = ""};

    if (failed(candidates_add(MPI_COMM_WORLD, r->planning, o->root, cell->bytes, o->regret, s, &err), &err)) return 1;
    snprintf(err.text, sizeof err.text, "a broadcast failed");
    if (failed(eliminate(MPI_COMM_WORLD, o, s, before, budget_s, cell), &err)) return 1;
    if (rank == 0) {
        for (int k = 0; k < s->n; k++) *broken += s->at[k].plan != NULL && cell->entry[k].wrong != 0;
        before_take(s, cell, before);
        progress_unsay(o);
        report_row(r, cell);
    }
    int rc = rank == 0 && o->out != NULL ? report_save(r, cell) : 0;
    candidates_clear(s);
    MPI_Bcast(&rc, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return rc;
}

/* Whether the time left suffices for the next size, as predicted from smaller ones; the same on all ranks. */
static bool fits(const options_t *o, const settings_t *s, const before_t *before, size_t bytes, double left_s)
{
    char text[32];
    double least = rank == 0 && bytes > 65536 ? sampling_least(s, before, o->regret, bytes) : 0;
    int fit = !(least > 1.2 * left_s);
    if (!fit) {
        progress_unsay(o);
        fprintf(stderr, "bench_baselines: messages of %s or more are left out: they take %.0f s, and %.0f s are left\n",
                bytes_text(bytes, text), least, left_s);
    }
    MPI_Bcast(&fit, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return fit;
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
        if (rank == 0 && i == 0) report_load_before(o, o->bytes[0], before);
        double left = o->budget_s - (MPI_Wtime() - start);
        if (!fits(o, s, before, cell->bytes, left)) break;
        bad = run_cell(r, s, budget_share(o, r->limits, i, left), before, cell, &broken);
    }
    free(before);
    free(cell);
    bad |= broken > 0;
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return bad;
}

/* The time that planning may take: measuring (unless there is a profile) and timing candidates [s]. */
static double planning_seconds(const options_t *o)
{
    char path[4096];
    planning_file(o, path, sizeof path);
    int known = access(path, R_OK) == 0;
    MPI_Bcast(&known, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (known ? 1 : 2) * o->plan_budget_s;
}

static int prepare(options_t *o, planning_t *planning, limits_t *limits)
{
    plan_error_t err = {.text = ""};

    if (failed(limits_find(o->spec, o->root, limits, &err), &err)) return 1;
    budget_fit(o, limits, planning_seconds(o), rank == 0);
    if (rank == 0) progress_say(o, "measuring and planning");
    if (rank == 0) guard_watch("planning", 1, 600 + 3 * o->budget_s);
    int rc = planning_make(MPI_COMM_WORLD, o, planning, &err);
    if (rank == 0) guard_rest();
    if (rank == 0) progress_unsay(o);
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
