#include "lib/mpi/comm/wait.h"
#include <math.h>
#include <sched.h>
#include <time.h>

void plani_sleep(double seconds)
{
    const struct timespec nap = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
    if (seconds > 0) nanosleep(&nap, NULL);
}

void plani_give_way(int look)
{
    enum { PATIENCE = 100 };
    if (look > PATIENCE) sched_yield();
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
