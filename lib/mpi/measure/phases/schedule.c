/*
 * How the time for measuring is divided.
 *
 * When a phase begins, the remaining time is divided among it and the phases that may still follow, in proportion to
 * their parts. A phase that needs less leaves more to all later ones; one that overruns takes a little from each. A
 * reserve has a part, too, so that measuring ends within the budget.
 */
#include "lib/mpi/measure/phases/findings.h"
#include "lib/mpi/comm/report.h"
#include <limits.h>
#include <math.h>

/* The machines that this phase is for. */
typedef enum { ALL, SEVERAL_HOSTS, SEVERAL_SITES, ONE_HOST, SHARED_HOSTS } when_t;

/* Share of the budget, about in per cent where there are several hosts in several sites. */
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
    [PLANI_PHASE_BURSTS] = {"bursts", 4, SEVERAL_HOSTS},
    [PLANI_PHASE_CARDS_AGAIN] = {"network cards again", 3, SEVERAL_HOSTS},
    [PLANI_PHASE_MEMORY] = {"memory", 3, SHARED_HOSTS},
    [PLANI_PHASE_PROCESSORS] = {"processors", 2, ALL},
    [PLANI_PHASE_LADDERS] = {"channel classes", 7, ALL},
    [PLANI_PHASE_FLAT_TREES] = {"flat trees", 3, ALL},
    [PLANI_PHASE_PASSING] = {"forwarding", 5, SEVERAL_HOSTS},
    [PLANI_PHASE_COPYING] = {"copying", 20, ONE_HOST},
    [PLANI_PHASE_WAKING] = {"wake-up delay", 1, ALL},
    [PLANI_PHASE_SHARED] = {"shared memory", 5, SHARED_HOSTS},
    [PLANI_PHASE_SPARE] = {NULL, 4, ALL},
};

/* Whether this phase may still follow. Until sites are known, each host counts as a site. */
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

/* [s] This phase's share of the `left` seconds. */
static double due(const plani_findings_t *s, plani_phase_t phase, double left)
{
    double parts = 0;

    for (int k = (int)phase; k < PLANI_PHASES; k++) parts += k == (int)phase || comes(s, k) ? phases[k].part : 0;
    return left * phases[phase].part / parts;
}

int plani_phase_begin(plani_findings_t *s, plani_phase_t phase)
{
    double now = s->engine->now();
    int rc = PLAN_OK;

    if (s->phase != NULL) {
        json_t *row =
            json_pack("{s:s, s:f, s:f, s:I}", "phase", s->phase, "seconds", plani_rounded(now - s->phase_start),
                      "share_s", plani_rounded(s->phase_s), "left_out", (json_int_t)(s->left_out - s->left_before));
        if (row == NULL || json_array_append_new(s->phases, row) != 0) rc = PLAN_ENOMEM;
    }
    s->left_before = s->left_out;
    s->phase = phases[phase].name;
    s->phase_start = now;
    s->phase_s = due(s, phase, fmax(0, s->start + s->budget - now));
    if (s->phase != NULL)
        plani_report(s->options, 1, "measuring %s (%.1f of at most %.1f s)", s->phase, now - s->start, s->budget);
    return rc;
}

double plani_phase_left(const plani_findings_t *s, double share)
{
    return s->phase_start + share * s->phase_s - s->engine->now();
}

double plani_phase_deadline(const plani_findings_t *s)
{
    return fmin(s->phase_start + 2 * s->phase_s, s->start + s->budget);
}

static const double DRAINED = 1.5; /* times a flow's seconds: bytes in flight at their end take half as long */

int plani_phase_steps(const plani_findings_t *s, double share, double seconds)
{
    double steps = plani_phase_left(s, share) / (s->engine->agree_s + DRAINED * seconds);

    return steps < 0 ? 0 : steps < INT_MAX ? (int)steps : INT_MAX;
}

double plani_phase_slot(const plani_findings_t *s, double share, int steps, double least, double most)
{
    double left = plani_phase_left(s, share);

    if (steps < 1) return most;
    return fmin(most, fmax(least, (left / steps - s->engine->agree_s) / DRAINED));
}

bool plani_phase_time_left(const plani_findings_t *s, double share)
{
    return plani_phase_left(s, share) > 0;
}

double plani_flow_most(const plani_findings_t *s, double most)
{
    static const double LATENCIES = 60;

    for (int i = 0; i < s->hosts * s->hosts; i++) most = fmax(most, LATENCIES * s->latency[i]);
    return most;
}

double plani_long_enough(double seconds, double rate)
{
    static const double ENOUGH = 375e3; /* [B] that should pass in the time of the flow */

    return rate > 0 ? fmax(seconds, fmin(4 * seconds, ENOUGH / rate)) : seconds;
}
