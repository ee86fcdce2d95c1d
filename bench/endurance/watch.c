/* A timer that turns a hang into a failure, and a process that stops this one at random times. */
#include "endurance.h"
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const char *_Atomic doing[MOST_THREADS];

/* The timers of all ranks expire at about the same time. Each waits 3 s before it ends the job, so that all can print.
 */
static void ring(int signal)
{
    static const char hangs[] = "endurance: HANGS: ";
    (void)signal;
    for (int i = 0; i < MOST_THREADS; i++) {
        const char *line = atomic_load(&doing[i]);
        char text[LINE + sizeof hangs + 1];
        size_t n = sizeof hangs - 1;
        if (line == NULL) continue;
        memcpy(text, hangs, n);
        for (size_t k = 0; k < LINE && line[k] != '\0'; k++) text[n++] = line[k];
        text[n++] = '\n';
        if (write(STDERR_FILENO, text, n) < 0) break;
    }
    for (int left = 3; left > 0;) left = (int)sleep((unsigned)left);
    _exit(3);
}

void watch_start(int seconds)
{
    struct sigaction action = {.sa_handler = ring};
    sigaction(SIGALRM, &action, NULL);
    alarm((unsigned)seconds);
}

void watch_say(int thread, const char *line)
{
    atomic_store(&doing[thread], line);
}

void give_way(void)
{
    sched_yield();
}

void nap(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) != 0) continue;
}

void watch_stop_at_times(double mean_s, uint64_t seed)
{
    rng_t r = rng_of(seed, 0x57, (uint64_t)getpid(), 0); /* times of stops are not reproduced with a case */
    pid_t me = getpid();
    if (mean_s <= 0 || fork() != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == me) {
        nap(2 * mean_s * (double)rng_below(&r, 1000) / 1000);
        if (getppid() != me || kill(me, SIGSTOP) != 0) break;
        nap(0.05 + (rng_one_in(&r, 4) ? 3.0 : 0.5) * (double)rng_below(&r, 1000) / 1000);
        if (getppid() != me || kill(me, SIGCONT) != 0) break;
    }
    _exit(0);
}
