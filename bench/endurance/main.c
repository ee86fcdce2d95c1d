/* Random broadcasts, checked byte by byte; the method is in README.md. */
#include "endurance.h"
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report(const options_t *o, long number, const char *format, ...)
{
    char text[4 * LINE], head[2 * LINE] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (number >= 0)
        snprintf(head, sizeof head, "FAILED: %s --seed %llu --case %ld: ", o->replay, (unsigned long long)o->seed,
                 number);
    fprintf(stderr, "endurance: %s%s\n", head, text);
}

static bool on_one_host(void)
{
    MPI_Comm near;
    int here, all;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &here);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_free(&near);
    return here == all;
}

/* Exchange a message between all pairs of ranks, so that TCP connections exist before the test takes links down. */
static void connect_pairs(const char *file)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int shift = 0; shift < ranks; shift++) {
        char in, out = 0;
        MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + shift) % ranks, 0, &in, 1, MPI_CHAR, (rank + ranks - shift) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *f = rank == 0 && file != NULL ? fopen(file, "w") : NULL;
    if (f != NULL) fclose(f);
}

/* Print the totals: broadcasts, and broadcasts x ranks, for each candidate that ran. */
static void print_counts(const names_t *names, const counts_t *all, long cases, double seconds)
{
    static const char *const kinds[LAYOUTS] = {"bytes", "one type", "a type for each rank", "mixtures"};
    long long broadcasts = 0, ranks = 0;
    printf("%-28s %12s %16s\n", "candidate", "broadcasts", "rank-broadcasts");
    for (int i = 0; i < COUNTERS; i++) {
        if (all->rank_broadcasts[i] == 0) continue;
        printf("%-28s %12lld %16lld\n", i == NATIVE ? "(MPI_Bcast itself)" : names->name[i], all->broadcasts[i],
               all->rank_broadcasts[i]);
        if (i == NATIVE) continue;
        broadcasts += all->broadcasts[i];
        ranks += all->rank_broadcasts[i];
    }
    printf("%-28s %12lld %16lld\n\n", "all but MPI_Bcast", broadcasts, ranks);
    for (int i = 0; i < LAYOUTS; i++) printf("buffers of %s: %lld\n", kinds[i], all->layouts[i]);
    printf("left out, for MPI itself moves the type wrongly: %lld; MPI_Bcast wrong: %lld\n", all->left_out,
           all->native_wrong);
    if (all->misused > 0)
        printf("ranks in broadcasts with wrong arguments: %lld; refused later: %lld\n", all->misused, all->refused);
    printf("%ld cases, %.0f s, %lld failures\n", cases, seconds, all->failures);
}

int main(int argc, char **argv)
{
    options_t o;
    names_t names;
    counts_t counts = {.failures = 0}, all = {.failures = 0};
    int given, rank, status = options_read(argc, argv, &o);

    if (status != 0) return status == 1 ? 0 : status;
    if (o.check) setenv("PLANBCAST_CHECK", "1", 1);
    watch_stop_at_times(o.stop_s, o.seed);
    MPI_Init_thread(&argc, &argv, o.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (o.threads > 1 && given < MPI_THREAD_MULTIPLE) {
        if (rank == 0) fprintf(stderr, "endurance: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 2;
    }
    mallopt(M_MMAP_THRESHOLD, 1 << 26); /* buffers come and go: keep their pages */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    if (!candidates_list(on_one_host(), &names)) abort();
    connect_pairs(o.ready);
    const double start = plan_clock();
    long done = 0;
    for (int more = 1; more; done++) {
        case_run(&o, &names, o.first + done, &counts);
        more = o.cases > 0 ? done + 1 < o.cases : plan_clock() - start < o.seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    watch_start(o.patience_s);
    MPI_Reduce(&counts, &all, (int)(sizeof counts / sizeof(long long)), MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) print_counts(&names, &all, done, plan_clock() - start);
    status = all.failures > 0;
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    candidates_forget();
    MPI_Finalize();
    return status;
}
