#include "lp/program.h"
#include "trial.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <gsl/gsl_sort_double.h>
#include "platforms.h"

enum { REPEAT = 7 };              /* solves of a short trial */
static const double SHORT = 0.05; /* [s] */

static int solve_once(const trial_t *t, const bench_platform_t *b, outcome_t *out)
{
    const plan_steady_options_t how = {.size = sizeof how, .time_limit_s = t->limit_s};
    plan_steady_t *s = NULL;
    plan_error_t err = {PLAN_OK, ""};
    clock_t start = clock();

    if (t->solve(&b->p, &how, &s, &err) != PLAN_OK) {
        snprintf(out->why, sizeof out->why, "%.90s", err.text);
        return -1;
    }
    out->cpu_s = (double)(clock() - start) / CLOCKS_PER_SEC;
    out->links = b->p.nlinks;
    const plan_steady_data_t *d = plan_steady_data(s);
    out->rounds = d->rounds;
    out->seconds = d->seconds;
    out->throughput = d->throughput;
    out->upper = d->upper;
    snprintf(out->method, sizeof out->method, "%s", d->method);
    plan_steady_destroy(&s);
    return 0;
}

static void run(const trial_t *t, outcome_t *out)
{
    double seconds[REPEAT];
    bench_platform_t b;
    int n = 0;

    if (bench_platform(t->kind, t->ranks, t->parameter, t->seed, &b) != 0) {
        snprintf(out->why, sizeof out->why, "no class \"%.20s\", or no memory", t->kind);
        return;
    }
    do {
        if (solve_once(t, &b, out) != 0) break;
        seconds[n++] = out->seconds;
    } while (n < REPEAT && out->seconds < SHORT);
    bench_platform_free(&b);
    if (n == 0) return;
    gsl_sort(seconds, 1, (size_t)n);
    out->seconds = seconds[n / 2];
}

/* In the child process: solve, and write the outcome to the pipe. */
static void report(const trial_t *t, int to)
{
    outcome_t out = {0};

    run(t, &out);
    _exit(write(to, &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
}

int trial(const trial_t *t, outcome_t *out)
{
    int end[2], status = 0;
    struct rusage used;

    *out = (outcome_t){0};
    snprintf(out->why, sizeof out->why, "no process for it, or it died");
    fflush(NULL);
    if (pipe(end) != 0) return -1;
    pid_t child = fork();
    if (child == 0) report(t, end[1]);
    close(end[1]);
    if (child > 0 && read(end[0], out, sizeof *out) == (ssize_t)sizeof *out && wait4(child, &status, 0, &used) == child)
        out->peak_bytes = 1024.0 * (double)used.ru_maxrss;
    close(end[0]);
    return out->why[0] == '\0' ? 0 : -1;
}
