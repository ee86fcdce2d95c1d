/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/comm/wait.h"
#include <planbcast/mpi.h>
#include <math.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

void plani_sleep(double seconds)
{
    const struct timespec nap = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    if (seconds > 0) nanosleep(&nap, NULL);
}

void plani_give_way(unsigned look)
{
    enum { PATIENCE = 10 };
    if (!plani_yield() && look > PATIENCE) sched_yield();
}

/* How often the processor was taken from this process while it could have gone on, also by its own yields. */
static long takeovers(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? used.ru_nivcsw : 0;
}

void plani_rest_begin(plani_rest_t *rest)
{
    *rest = (plani_rest_t){.begun_s = plan_clock(), .takeovers = takeovers()};
}

bool plani_rest_due(plani_rest_t *rest)
{
    static const double SHORT_S = 20e-3; /* in shorter broadcasts no rank sleeps */
    double now_s = plan_clock();

    if (rest->since_s == 0) rest->since_s = now_s;
    if (PLANI_MUST_BLOCK || now_s < rest->begun_s + SHORT_S) return false;
    if (!rest->shared) rest->shared = takeovers() > rest->takeovers;
    return rest->shared;
}

void plani_nap(plani_rest_t *rest)
{
    static const double LEAST_S = 20e-6;
    double nap_s = rest->usual_s / (rest->napped++ == 0 ? 2 : 4);
    plani_sleep(fmin(fmax(nap_s, LEAST_S), PLANI_LONGEST_NAP_S));
}

void plani_rested(plani_rest_t *rest)
{
    double waited_s = rest->since_s > 0 ? plan_clock() - rest->since_s : 0;
    rest->usual_s += (waited_s - rest->usual_s) / 4;
    rest->since_s = 0;
    rest->napped = 0;
}

/* MPI_Wait of MPICH does not yield: with more ranks than cores, the sender might have to wait for a processor. */
int plani_await(MPI_Request *request, MPI_Status *status)
{
    int flag = 0;
    if (PLANI_MUST_BLOCK) return MPI_Wait(request, status);
    for (unsigned look = 0;; look++) {
        int rc = MPI_Test(request, &flag, status);
        if (flag || rc != MPI_SUCCESS) return rc;
        plani_give_way(look);
    }
}

void plani_wait_for_fiber(plani_fiber_t *fiber)
{
    for (unsigned look = 0; !plani_fiber_is_done(fiber); look++)
        if (plani_fibers_single())
            plani_fiber_run_alone(fiber);
        else
            plani_give_way(look);
}

int plani_calm_wait(MPI_Request *request)
{
    enum { FIRST_NAP = 20000, LONGEST_NAP = 5000000 }; /* [ns] */
    struct timespec nap = {0, 0};
    int done = 0;

    if (PLANI_MUST_BLOCK) return MPI_Wait(request, MPI_STATUS_IGNORE);
    for (int tries = 0;; tries++) {
        int rc = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (rc != MPI_SUCCESS || done) return rc;
        if (tries < 20) {
            sched_yield();
        } else { /* an eighth longer each time: the wait ends at most about an eighth late */
            nap.tv_nsec = nap.tv_nsec == 0 ? FIRST_NAP : nap.tv_nsec + nap.tv_nsec / 8;
            if (nap.tv_nsec > LONGEST_NAP) nap.tv_nsec = LONGEST_NAP;
            nanosleep(&nap, NULL);
        }
    }
}
