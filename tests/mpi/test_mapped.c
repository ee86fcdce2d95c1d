/*
 * A program with the preloaded library: what it maps into the process, and which symbols the program can see.
 *
 *     test_mapped planned|native    whether broadcasts of 256 KiB are expected to be planned
 *
 * Before one of them nothing of the planner is mapped; afterwards it is on the ranks that needed it, rank 0 at least,
 * and nowhere can a symbol of its libraries be seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = 256 << 10, TIMES = 6 };

static int failures, rank;

static void check(int good, const char *what)
{
    if (!good) fprintf(stderr, "rank %d: %s\n", rank, what);
    failures += !good;
}

/* Shared objects that are mapped whose path contains a word; "": all. */
static int mapped(const char *word)
{
    char line[4096], last[4096] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    int n = 0;

    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        const char *path = strchr(line, '/');
        if (path == NULL || strcmp(path, last) == 0 || strstr(path, ".so") == NULL) continue;
        snprintf(last, sizeof last, "%s", path);
        n += strstr(path, word) != NULL;
    }
    if (maps != NULL) fclose(maps);
    return n;
}

static int planner_is_mapped(void)
{
    return mapped("/libplanbcast-planner.") + mapped("/libglpk.") + mapped("/libigraph.") + mapped("/libgsl.") > 0;
}

static void check_symbols(void)
{
    static const char *const hidden[] = {"glp_simplex",         "igraph_create", "gsl_sort", "plan_create",
                                         "plani_planner_table", "plani_decide",  "dgemm_"};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        check(dlsym(RTLD_DEFAULT, hidden[i]) == NULL, hidden[i]);
}

static long planned(void)
{
    long (*count)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "plan_preload_count");

    check(symbol != NULL, "the library is not preloaded");
    if (symbol == NULL) return -1;
    memcpy(&count, &symbol, sizeof count);
    return count();
}

static void cast(int bytes)
{
    static char data[LARGE];
    int good = 1;

    for (int i = 0; i < bytes; i++) data[i] = (char)(rank == 0 ? i * 7 + i / 251 : 0);
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; i++) good &= data[i] == (char)(i * 7 + i / 251);
    check(good, "wrong bytes");
}

int main(int argc, char **argv)
{
    int before, after, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int wanted = argc > 1 && strcmp(argv[1], "planned") == 0;
    cast(1000);
    before = mapped("");
    check(!planner_is_mapped(), "the planner is mapped before it is needed");
    check_symbols();
    for (int i = 0; i < TIMES; i++) cast(LARGE);
    after = mapped("");
    check((planned() > 0) == wanted, wanted ? "nothing was planned" : "broadcasts were planned");
    if (rank == 0) {
        check(planner_is_mapped() == wanted, wanted ? "nothing of the planner is mapped" : "the planner is mapped");
        printf("objects mapped by rank 0: %d, and %d once it had planned\n", before, after);
    }
    check_symbols();
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
