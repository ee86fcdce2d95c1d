/* Times one broadcast algorithm of SimGrid, and planned broadcasts, in simulated time. bench/simgrid/run starts this
 * program once for each algorithm of SimGrid. Options, elimination and result files are those of bench/baselines. */
#include "bench/baselines/baselines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const selector[] = {"ompi", "mpich", "mvapich2", "impi"};
enum { SELECTORS = sizeof selector / sizeof *selector };

static bool is_selector(const char *name)
{
    for (int i = 0; i < SELECTORS; i++)
        if (strcmp(name, selector[i]) == 0) return true;
    return false;
}

static setting_t *add(settings_t *s, kind_t kind, const char *format, const char *name)
{
    setting_t *new = &s->at[s->n++];
    *new = (setting_t){.kind = kind, .comm = MPI_COMM_NULL, .same_as = -1};
    snprintf(new->name, sizeof new->name, format, name);
    return new;
}

/* MPI_Bcast uses the algorithm or selector `name`; Open MPI's selector, the first, counts as the default. Plans that
 * were timed against MPI_Bcast when they were made depend on the selector, and are timed with each of them. The others
 * are timed with the first selector only. */
static void choose_settings(const char *name, const planning_t *p, settings_t *s)
{
    bool first = strcmp(name, selector[0]) == 0;

    s->n = 0;
    if (first) {
        add(s, KIND_PLAN, "plan, estimated%s", "")->plan = p->estimated;
        if (p->measured != NULL) add(s, KIND_PLAN, "plan, measured%s", "")->plan = p->measured;
        if (p->ideal != NULL) add(s, KIND_PLAN, "plan, from the spec%s", "")->plan = p->ideal;
        if (p->by_default != NULL) add(s, KIND_PLAN, "plan, default%s", "")->plan = p->by_default;
    } else if (is_selector(name)) {
        if (p->measured != NULL) add(s, KIND_PLAN, "plan, measured beside %s", name)->plan = p->measured;
        if (p->by_default != NULL) add(s, KIND_PLAN, "plan, default beside %s", name)->plan = p->by_default;
    }
    add(s, first ? KIND_DEFAULT : KIND_BASELINE, "%s", name)->comm = MPI_COMM_WORLD;
}

/* Collective: whether any rank failed. */
static bool failed(int rc, const plan_error_t *err)
{
    int rank, all = 0, worst = rc != 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&worst, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && all) fprintf(stderr, "bench_simgrid: %s\n", err->text[0] ? err->text : "MPI failed");
    return all;
}

static bool time_sizes(const report_t *r, int rank)
{
    static const before_t nothing; /* two rounds need no predictions */
    plan_error_t err = {.text = "a broadcast failed"};
    bool wrong = false;

    for (int i = 0; i < r->options->nsizes && !wrong; i++) {
        cell_t *cell = calloc(1, sizeof *cell);
        if (cell == NULL) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        cell->bytes = r->options->bytes[i];
        wrong = failed(eliminate(MPI_COMM_WORLD, r->options, r->settings, &nothing, r->options->budget_s, cell), &err);
        for (int k = 0; k < r->settings->n && rank == 0 && !wrong; k++) {
            const entry_t *e = &cell->entry[k];
            printf("%9zu  %-30s %.6g s%s\n", cell->bytes, r->settings->at[k].name, e->median,
                   e->wrong ? "  WRONG BYTES" : "");
            wrong = e->wrong > 0;
        }
        if (rank == 0 && !wrong) wrong = report_save(r, cell) != 0;
        free(cell);
        wrong = failed(wrong, &(plan_error_t){.text = "wrong bytes, or results that cannot be written"});
    }
    return wrong;
}

/* Whether plans are made in the run with this selector: those that do not depend on MPI_Bcast only with the first. */
static bool has_plans(const char *name, const options_t *o)
{
    return is_selector(name) && (strcmp(name, selector[0]) == 0 || !o->estimate || o->by_default);
}

static int compare(const char *name, options_t *o, int rank)
{
    plan_error_t err = {.text = ""};
    planning_t planning = {.estimated = NULL};
    limits_t limits;
    settings_t settings;
    report_t report = {o, &settings, &planning, &limits, 0};

    MPI_Comm_size(MPI_COMM_WORLD, &report.ranks);
    if (failed(rank == 0 ? limits_find(o->spec, o->root, &limits, &err) : 0, &err)) return EXIT_FAILURE;
    bool bad = has_plans(name, o) && failed(planning_make(MPI_COMM_WORLD, o, &planning, &err), &err);
    if (!bad) {
        choose_settings(name, &planning, &settings);
        bad = time_sizes(&report, rank);
    }
    planning_clear(&planning);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    options_t o;
    int rank, status = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2 || argv[1][0] == '-') {
        if (rank == 0)
            fprintf(stderr, "bench_simgrid: name the broadcast of SimGrid, then give options of bench_baselines\n");
    } else {
        int stop = options_read(argc - 1, argv + 1, rank == 0, &o);
        o.command = argv[1];
        if (!stop && (o.out == NULL || o.spec == NULL)) {
            if (rank == 0) fprintf(stderr, "bench_simgrid: --spec and --out are wanted\n");
        } else {
            status = stop ? stop - 1 : compare(argv[1], &o, rank);
        }
    }
    MPI_Finalize();
    return status;
}
