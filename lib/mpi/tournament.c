#include "lib/mpi/time.h"
#include "lib/base/base.h"
#include "lib/mpi/agree.h"
#include "planner/choose.h"
#include "planner/scoreboard.h"
#include "planner/units.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 32 };
static const double NOISE = 0.025; /* what two measured times may differ by without meaning it */

/* What rank 0 has the others do next. */
typedef struct {
    int go; /* 0: no more */
    int rc; /* then: how it ended */
    unsigned long long bytes;
    double budget_s;
} order_t;

typedef struct {
    MPI_Comm comm;
    int root;
    const plan_options_t *options;
    plani_workshop_t workshop;
    double budget_s; /* for each timing */
    size_t n;
    plan_scoreboard_t *board[SIZES];
    plan_error_t *err;
} tournament_t;

void plani_report(const plan_options_t *options, int level, const char *format, ...)
{
    char line[512];
    va_list args;
    if (options->report == NULL) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    options->report(options->report_context, level, line);
}

/* From 64 bytes in steps of four up to max_bytes. */
static size_t ladder(size_t max_bytes, size_t *size)
{
    size_t n = 0;
    for (size_t s = 64; s < max_bytes && n < SIZES - 1; s *= 4) size[n++] = s;
    size[n++] = max_bytes > 0 ? max_bytes : 1;
    return n;
}

static int time_one(tournament_t *t, plan_candidate_t *c, size_t bytes)
{
    order_t order = {.go = 1, .bytes = bytes, .budget_s = t->budget_s};
    int rc = PMPI_Bcast(&order, (int)sizeof order, MPI_BYTE, 0, t->comm);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(t->err, rc, "timing candidates");
    rc = plani_time(t->comm, t->root, c, bytes, order.budget_s, &c->measured_s, t->err);
    if (rc != 0) return rc;
    plani_report(t->options, 1, "timing %s: %s in slices of %s, window %d: %s", plani_bytes((double)bytes).s, c->name,
                 c->slice ? plani_bytes((double)c->slice).s : "all", c->window, plani_seconds(c->measured_s).s);
    return 0;
}

/* MPI_Bcast keeps its place unless something is clearly faster. */
static void prefer_native(plan_scoreboard_t *sb)
{
    for (size_t i = 1; i < sb->ncandidates; i++) {
        plan_candidate_t *c = &sb->candidate[i], native = *c;
        if (c->run != PLAN_RUN_NATIVE || !(c->measured_s <= sb->candidate[0].measured_s * (1 + NOISE))) continue;
        memmove(&sb->candidate[1], &sb->candidate[0], i * sizeof *c);
        sb->candidate[0] = native;
    }
}

static int play(tournament_t *t, size_t bytes, plan_scoreboard_t *sb)
{
    int finalists = 0;
    for (size_t i = 0; i < sb->ncandidates; i++) {
        plan_candidate_t *c = &sb->candidate[i];
        if (c->run == PLAN_RUN_NOT) continue;
        if (c->run == PLAN_RUN_TREES && finalists++ >= t->options->finalists) continue;
        int rc = time_one(t, c, bytes);
        if (rc != 0) return rc;
    }
    plan_scoreboard_sort(sb);
    prefer_native(sb);
    return 0;
}

/* Rank 0's part. */
static int lead(tournament_t *t, const plan_platform_t *pf, size_t max_bytes, plan_t **out)
{
    size_t size[SIZES];
    plan_choice_t choice = t->options->choice;
    int rc;

    choice.include_native = true;
    if ((rc = plani_workshop_open(pf, t->root, &choice, &t->workshop, t->err)) != PLAN_OK) return rc;
    t->n = ladder(max_bytes, size);
    int finalists = t->options->finalists < 0 ? 0 : t->options->finalists;
    t->budget_s = t->options->budget_s / (double)t->n / (finalists + 1.0);
    rc = plani_workshop_build(&t->workshop, size[t->n - 1], t->err);
    for (size_t i = 0; i < t->n && rc == 0; i++)
        if ((rc = plani_scoreboard_draw(&t->workshop, size[i], &t->board[i], t->err)) == PLAN_OK)
            rc = play(t, size[i], t->board[i]);
    if (rc == 0)
        rc = plani_plan_from_scoreboards(t->n, (const plan_scoreboard_t *const *)t->board, NULL,
                                         plan_platform_data(pf)->host, out, t->err);
    for (size_t i = 0; i < t->n; i++) plan_scoreboard_destroy(&t->board[i]);
    plani_workshop_clear(&t->workshop);
    return rc;
}

/* The other ranks': until rank 0 has done. A timing that fails does so on all ranks, and rank 0 says how it ended. */
static int follow(tournament_t *t)
{
    for (;;) {
        order_t order;
        double seconds;
        int rc = PMPI_Bcast(&order, (int)sizeof order, MPI_BYTE, 0, t->comm);
        if (rc != MPI_SUCCESS) return plani_mpi_fail(t->err, rc, "timing candidates");
        if (!order.go) return order.rc;
        plani_time(t->comm, t->root, NULL, (size_t)order.bytes, order.budget_s, &seconds, t->err);
    }
}

int plani_tournament(MPI_Comm comm, const plan_platform_t *pf, int root, size_t max_bytes,
                     const plan_options_t *options, plan_t **out, plan_error_t *err)
{
    tournament_t t = {.comm = comm, .root = root, .options = options, .err = err};
    int rank = 0, rc;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        rc = lead(&t, pf, max_bytes, out);
        order_t end = {.rc = rc};
        int told = PMPI_Bcast(&end, (int)sizeof end, MPI_BYTE, 0, comm);
        if (rc == 0 && told != MPI_SUCCESS) rc = plani_mpi_fail(err, told, "timing candidates");
    } else {
        rc = follow(&t);
    }
    return plani_agree(comm, rc, err);
}
