/* A broadcast by plan_start with the arguments and the result of plan_execute, whose place it takes in tests that are
 * compiled with plan_execute=cast_by_start. */
#include <planbcast/mpi.h>
#include <sched.h>

int cast_by_start(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype)
{
    bool done = false;
    int rc = plan_start(plan, buffer, count, datatype);
    for (int i = 0; i < 100 && rc == 0 && !done; i++) {
        if ((rc = plan_test(plan, &done)) == 0) sched_yield();
    }
    return rc != 0 || done ? rc : plan_wait(plan);
}
