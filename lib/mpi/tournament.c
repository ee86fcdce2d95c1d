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

enum { TURNS = 2 };                /* of the winner and MPI_Bcast */
static const double NOISE = 0.025; /* what two measured times may differ by without meaning it */
static const double NEAR = 1.5;    /* times as long: so far off, MPI_Bcast is not timed again */

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
    plani_match_t *match;
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

static int time_one(tournament_t *t, plan_candidate_t *c, size_t bytes)
{
    order_t order = {.go = 1, .bytes = bytes, .budget_s = t->match->time_s};
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

/* Two heuristics often find the same tree: it is timed once. */
static bool known(const plan_scoreboard_t *sb, size_t i, double *seconds)
{
    for (size_t j = 0; j < i; j++)
        if (isfinite(sb->candidate[j].measured_s) && plani_same_broadcast(&sb->candidate[j], &sb->candidate[i])) {
            *seconds = sb->candidate[j].measured_s;
            return true;
        }
    return false;
}

/* The winner and MPI_Bcast once more in turns, if they are near each other: the machine may have changed its pace
 * between the first timing and the last. The least of the medians counts, on both sides. */
static int decide(tournament_t *t, plan_scoreboard_t *sb)
{
    plan_candidate_t *winner = &sb->candidate[0], *native = NULL;
    for (size_t i = 1; i < sb->ncandidates; i++)
        if (sb->candidate[i].run == PLAN_RUN_NATIVE) native = &sb->candidate[i];
    if (native == NULL || !(native->measured_s < NEAR * winner->measured_s)) return 0;
    for (int turn = 0; turn < TURNS; turn++) {
        plan_candidate_t *side[] = {native, winner};
        for (int i = 0; i < 2; i++) {
            double before = side[i]->measured_s;
            int rc = time_one(t, side[i], sb->bytes);
            if (rc != 0) return rc;
            side[i]->measured_s = fmin(before, side[i]->measured_s);
        }
    }
    plan_scoreboard_sort(sb);
    return 0;
}

static int play(tournament_t *t, plan_scoreboard_t *sb)
{
    int finalists = 0, rc;
    for (size_t i = 0; i < sb->ncandidates; i++) {
        plan_candidate_t *c = &sb->candidate[i];
        if (c->run == PLAN_RUN_NOT || known(sb, i, &c->measured_s)) continue;
        if (c->run == PLAN_RUN_TREES && finalists++ >= t->match->finalists) continue;
        if ((rc = time_one(t, c, sb->bytes)) != 0) return rc;
    }
    plan_scoreboard_sort(sb);
    if ((rc = decide(t, sb)) != 0) return rc;
    prefer_native(sb);
    return 0;
}

/* Rank 0's part. */
static int lead(tournament_t *t, const plan_platform_t *pf)
{
    plani_match_t *m = t->match;
    plan_choice_t choice = t->options->choice;
    plani_workshop_t workshop;
    double start = MPI_Wtime();
    int rc;

    choice.include_native = m->finalists >= 0;
    if ((rc = plani_workshop_open(pf, t->root, &choice, &workshop, t->err)) != PLAN_OK) return rc;
    rc = plani_workshop_build(&workshop, m->bytes[m->n - 1], t->err);
    for (size_t i = 0; i < m->n && rc == 0; i++)
        rc = plani_scoreboard_draw(&workshop, m->bytes[i], &m->board[i], t->err);
    plani_workshop_clear(&workshop);
    double drawn = MPI_Wtime();
    for (size_t i = 0; i < m->n && rc == 0 && m->finalists >= 0; i++) rc = play(t, m->board[i]);
    m->planning_s = drawn - start;
    m->timing_s = MPI_Wtime() - drawn;
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

void plani_match_clear(plani_match_t *m)
{
    for (size_t i = 0; i < m->n; i++) plan_scoreboard_destroy(&m->board[i]);
}

int plani_tournament(MPI_Comm comm, const plan_platform_t *pf, int root, const plan_options_t *options,
                     plani_match_t *match, plan_error_t *err)
{
    tournament_t t = {.comm = comm, .root = root, .options = options, .match = match, .err = err};
    int rank = 0, rc;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        rc = lead(&t, pf);
        order_t end = {.rc = rc};
        int told = PMPI_Bcast(&end, (int)sizeof end, MPI_BYTE, 0, comm);
        if (rc == 0 && told != MPI_SUCCESS) rc = plani_mpi_fail(err, told, "timing candidates");
    } else {
        rc = follow(&t);
    }
    return plani_agree(comm, rc, err);
}

/* From 64 bytes in steps of four up to max_bytes. */
static void ladder(size_t max_bytes, plani_match_t *m)
{
    for (size_t s = 64; s < max_bytes && m->n < PLANI_MATCH_SIZES - 1; s *= 4) m->bytes[m->n++] = s;
    m->bytes[m->n++] = max_bytes > 0 ? max_bytes : 1;
}

int plani_plan_by_clock(MPI_Comm comm, const plan_platform_t *pf, int root, size_t max_bytes,
                        const plan_options_t *options, plan_t **out, plan_error_t *err)
{
    plani_match_t m = {.finalists = options->finalists < 0 ? 0 : options->finalists};

    ladder(max_bytes, &m);
    m.time_s = options->budget_s / (double)m.n / (m.finalists + 1 + 2 * TURNS); /* MPI_Bcast, and the turns */
    int rc = plani_tournament(comm, pf, root, options, &m, err);
    if (rc == 0 && pf != NULL)
        rc = plani_plan_from_scoreboards(m.n, (const plan_scoreboard_t *const *)m.board, NULL,
                                         plan_platform_data(pf)->host, out, err);
    plani_match_clear(&m);
    return plani_agree(comm, rc, err);
}
