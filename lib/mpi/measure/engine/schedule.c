/*
 * How the time for measuring is spent.
 *
 * Each phase may take its part of what is left, beside the parts of those that may still come: one that needs less
 * leaves more to all later ones, one that overruns takes a little of each. What nothing was planned for keeps a part,
 * too, so that the end comes within the budget.
 */
#include "lib/mpi/measure/engine/findings.h"
#include "lib/mpi/comm/report.h"
#include "lib/mpi/comm/simulator.h"
#include <math.h>

/* Which machines have this phase. */
typedef enum { ALL, SEVERAL_HOSTS, SEVERAL_SITES, ONE_HOST, SHARED_HOSTS } when_t;

/* Parts: percent of the budget on several hosts in several sites, about. */
static const struct {
    const char *name;
    double part;
    when_t when;
} phases[PLANI_PHASES] = {
    [PLANI_PHASE_LATENCIES] = {"the latency between hosts", 5, SEVERAL_HOSTS},
    [PLANI_PHASE_RATES] = {"the rates between hosts", 24, SEVERAL_HOSTS},
    [PLANI_PHASE_SITES] = {"sites", 11, SEVERAL_SITES},
    [PLANI_PHASE_CARDS] = {"network cards", 13, SEVERAL_HOSTS},
    [PLANI_PHASE_TRUNKS] = {"trunks between sites", 17, SEVERAL_SITES},
    [PLANI_PHASE_AREAS] = {"trunks that sites share", 4, SEVERAL_SITES},
    [PLANI_PHASE_RELAYS] = {"relays", 4, SEVERAL_SITES},
    [PLANI_PHASE_BURSTS] = {"bursts", 5, SEVERAL_HOSTS},
    [PLANI_PHASE_MEMORY] = {"memory", 3, SHARED_HOSTS},
    [PLANI_PHASE_PROCESSORS] = {"processors", 2, ALL},
    [PLANI_PHASE_LADDERS] = {"channel classes", 7, ALL},
    [PLANI_PHASE_FLAT_TREES] = {"flat trees", 3, ALL},
    [PLANI_PHASE_PASSING] = {"passing on", 5, SEVERAL_HOSTS},
    [PLANI_PHASE_COPYING] = {"copying", 20, ONE_HOST},
    [PLANI_PHASE_WAKING] = {"waking", 1, ALL},
    [PLANI_PHASE_SHARED] = {"shared memory", 5, ONE_HOST},
    [PLANI_PHASE_SPARE] = {NULL, 4, ALL},
};

/* As far as is known by now: each host may be a site of its own at first. */
static bool comes(const plani_findings_t *s, plani_phase_t phase)
{
    switch (phases[phase].when) {
    case SEVERAL_HOSTS:
        return s->hosts > 1;
    case SEVERAL_SITES:
        return s->sites > 1;
    case ONE_HOST:
        return s->hosts == 1;
    case SHARED_HOSTS:
        return s->ranks > s->hosts;
    default:
        return true;
    }
}

/* [s] What this phase may take of what is left now. */
static double due(const plani_findings_t *s, plani_phase_t phase, double left)
{
    double parts = 0;

    for (int k = (int)phase; k < PLANI_PHASES; k++) parts += k == (int)phase || comes(s, k) ? phases[k].part : 0;
    return left * phases[phase].part / parts;
}

int plani_phase_begin(plani_findings_t *s, plani_phase_t phase)
{
    double now = MPI_Wtime();
    int rc = PLAN_OK;

    if (s->phase != NULL) {
        json_t *row = json_pack("{s:s, s:f}", "phase", s->phase, "seconds", plani_rounded(now - s->phase_start));
        if (row == NULL || json_array_append_new(s->phases, row) != 0) rc = PLAN_ENOMEM;
    }
    s->phase = phases[phase].name;
    s->phase_start = now;
    s->phase_s = due(s, phase, fmax(0, s->start + s->budget - now));
    if (s->phase != NULL)
        plani_report(s->options, 1, "measuring %s (%.1f of at most %.1f s)", s->phase, now - s->start, s->budget);
    return rc;
}

/* Where flows end by count, however long they take, the budget ends nothing. */
double plani_phase_left(const plani_findings_t *s, double share)
{
    return PLANI_FLOWS_BY_COUNT ? INFINITY : s->phase_start + share * s->phase_s - MPI_Wtime();
}

double plani_phase_slot(const plani_findings_t *s, double share, int steps, double least, double most)
{
    static const double DRAINED = 1.5; /* what is under way when a flow's time is over takes half of it again */
    double left = plani_phase_left(s, share);

    if (steps < 1) return most;
    return fmin(most, fmax(least, (left / steps - s->engine->agree_s) / DRAINED));
}

bool plani_phase_time_left(const plani_findings_t *s, double share)
{
    return plani_phase_left(s, share) > 0;
}

double plani_long_enough(double seconds, double rate)
{
    static const double ENOUGH = 375e3; /* [B] */

    return rate > 0 ? fmax(seconds, fmin(4 * seconds, ENOUGH / rate)) : seconds;
}
