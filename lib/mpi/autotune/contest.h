/* The candidates of one message size against each other, private to the tournament: contest.c has the races that find
 * who is fastest, encore.c looks at the best few again at other times, arena.c lets all ranks take part. Rank 0's, but
 * for plani_arena_follow. */
#ifndef PLANI_CONTEST_H
#define PLANI_CONTEST_H

#include "lib/mpi/autotune/race.h"
#include "lib/mpi/autotune/time.h"
#include "planner/select/finalists.h"

/** Where and for whom races are run. */
typedef struct {
    MPI_Comm comm;
    int root;
    const plan_options_t *options;
    const plan_platform_t *pf;
    int finalists;  /* at least */
    double aside_s; /* what a run takes besides its broadcast, by the last race [s] */
    plan_error_t *err;
} plani_arena_t;

/** Collective: rank 0's call lets the others run the race that they are waiting for; it is reported as `what`. */
int plani_arena_race(plani_arena_t *a, const char *what, plani_heat_t *heat, plani_runner_t *runner, int n);
/** What a runner took in the race, or the races, called `what`. */
void plani_arena_report(const plani_arena_t *a, const char *what, size_t bytes, const plani_runner_t *r);
/** Rank 0 tells the others that no more races come, and how it ended. */
int plani_arena_close(const plani_arena_t *a, int rc);
/** The other ranks: run races until rank 0 closes. \return how it ended */
int plani_arena_follow(const plani_arena_t *a);

enum {
    PLANI_ENCORE = 6, /* who are looked at again: the best, MPI_Bcast among them */
    PLANI_LAPS = 12   /* so often at most */
};

/** The best of a size, which has been played. */
typedef struct {
    plan_ranking_t *ranking; /* NULL: nobody is looked at again */
    int n;
    plan_candidate_t c[PLANI_ENCORE];
    plani_runner_t runner[PLANI_ENCORE]; /* of the last lap */
    plani_runner_t all[PLANI_ENCORE];    /* of all laps: samples in times of their lap's pace, until it is settled */
    int laps;                            /* the contest is the first */
    double pace[PLANI_LAPS];             /* the mean of all who ran in a lap [s] */
} plani_encore_t;

/**
 * Find who is fastest at the size of the ranking: a race of all that are worth it, then rematches of the best with
 * variants of its slice and window and with who came close. Whoever won comes first in the ranking: MPI_Bcast, unless a
 * plan beats it (plani_runner_beats). `encore` receives the best where they are brief; else nobody.
 * \param before the ranking of the size before, played; NULL: none
 */
int plani_contest_play(plani_arena_t *a, const plan_ranking_t *before, plan_ranking_t *ranking, double budget_s,
                       plani_encore_t *encore);
/** Nothing is run: who won at the size before comes first, in the same slices; if that is not possible, who is expected
 * to be fastest by what was timed there. */
void plani_contest_expect(const plani_arena_t *a, const plan_ranking_t *before, plan_ranking_t *ranking);
/** The plan that won at the size before, with the slice and window that were found for it there. \return whose form of
 * ranking's it is; ranking->ncandidates: nobody's */
size_t plani_contest_heir(const plani_arena_t *a, const plan_ranking_t *before, const plan_ranking_t *ranking,
                          plan_candidate_t *heir);
/** What c took [s], to all of the ranking that do the same: heuristics often find the same tree. */
void plani_contest_enter(plan_ranking_t *ranking, const plan_candidate_t *c, double seconds);
/** c goes in v's slices and window from now on, as predicted for v. */
void plani_contest_adopt(plan_candidate_t *c, const plan_candidate_t *v);
/** The candidate at i comes first, the others by their times. */
void plani_contest_crown(plan_ranking_t *ranking, size_t i);

/** A duel: the few who are expected to be fastest and MPI_Bcast, a few runs each, at all sizes of the match that time
 * and memory do for; who wins comes first on its ranking, and tells what to expect at larger sizes. */
int plani_duel(plani_arena_t *a, plani_match_t *m);

/** What an encore takes at least [s]: a lap of a few runs, the first of them cold, would tell less than nothing. */
double plani_encore_time(const plani_arena_t *a, const plani_encore_t *e);
/** One more race of the same. A machine has moods that last for seconds; encores minutes or seconds apart share them.
 */
int plani_encore_run(plani_arena_t *a, plani_encore_t *e, double budget_s);
/** What the runners took counts as a lap, each run but the first, which is cold, in times of the lap's pace. */
void plani_encore_count(plani_encore_t *e);
/** By the median of all runs: who won comes first in the ranking; MPI_Bcast, unless a plan beats it. */
void plani_encore_settle(const plani_arena_t *a, plani_encore_t *e);

#endif
