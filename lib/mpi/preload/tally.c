/* SPDX-License-Identifier: BSD-3-Clause */
/* What the preloaded library says: errors, and what became of all broadcasts and reductions. Each is counted
 * by its root. */
#include "lib/mpi/preload/preload.h"
#include <limits.h>
#include <planbcast/preload.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct {
    struct {
        atomic_llong fate[PRELOAD_FATES], native; /* of which this is the root */
        atomic_llong unknown;                     /* whose saving is unknown */
        atomic_llong saved_ns, planning_ns;       /* of communicators of which this is rank 0 */
    } of[PRELOAD_KINDS];
    atomic_llong calls_ns, own_planning_ns;
    atomic_long planned; /* by this process */
    atomic_flag failed;  /* there is an error in `line` */
    atomic_bool printed; /* and it has been printed */
    char line[512];
} tally = {.failed = ATOMIC_FLAG_INIT};

long plan_preload_count(void)
{
    return atomic_load(&tally.planned);
}

/* ---- errors ---- */

static void print(void)
{
    if (!atomic_exchange(&tally.printed, true)) fprintf(stderr, "planbcast: %s\n", tally.line);
}

/* Returns false if there has been an error before. */
static bool note(const char *line)
{
    if (atomic_flag_test_and_set(&tally.failed)) return false;
    snprintf(tally.line, sizeof tally.line, "%s", line);
    return true;
}

void preload_complain(const char *line)
{
    int world = 0, rank = 0;
    if (!note(line)) return;
    if (PMPI_Initialized(&world) == MPI_SUCCESS && world) PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) print();
}

void preload_complain_now(const char *line)
{
    if (note(line)) print();
}

/* The lowest rank with an error prints it, unless one has been printed. */
static void print_late(int rank)
{
    int none = INT_MAX, lowest = none;
    int mine = atomic_load(&tally.printed) ? -1 : tally.line[0] != '\0' ? rank : none;
    if (PMPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS && lowest == rank) print();
}

/* ---- counts ---- */

static void add_ns(atomic_llong *sum, double seconds)
{
    atomic_fetch_add(sum, (long long)(seconds * 1e9));
}

void preload_count(preload_kind_t kind, preload_fate_t fate)
{
    if (fate < PRELOAD_FATES) atomic_fetch_add(&tally.of[kind].fate[fate], 1);
}

void preload_count_planned(preload_kind_t kind, bool is_root, bool native)
{
    atomic_fetch_add(&tally.planned, 1);
    if (is_root) preload_count(kind, PRELOAD_PLANNED);
    if (is_root && native) atomic_fetch_add(&tally.of[kind].native, 1);
}

void preload_add_saved(preload_kind_t kind, double seconds)
{
    if (seconds == seconds) /* not NAN */
        add_ns(&tally.of[kind].saved_ns, seconds);
    else
        atomic_fetch_add(&tally.of[kind].unknown, 1);
}

void preload_add_call(double seconds)
{
    add_ns(&tally.calls_ns, seconds);
}

void preload_add_planning(preload_kind_t kind, double seconds, bool first)
{
    add_ns(&tally.own_planning_ns, seconds);
    if (first) add_ns(&tally.of[kind].planning_ns, seconds);
}

double preload_allowance(void)
{
    double calls = 1e-9 * (double)atomic_load(&tally.calls_ns);
    return preload_settings()->share * calls - 1e-9 * (double)atomic_load(&tally.own_planning_ns);
}

/* ---- the summary ---- */

enum { NATIVE = PRELOAD_FATES, UNKNOWN, SAVED, PLANNING, SUMS };

/* Append ", 20 of fewer than 65536 bytes". */
static size_t add_reason(char *line, size_t room, size_t len, int fate, long long n)
{
    static const char *const why[PRELOAD_FATES] = {
        [PRELOAD_GROUPS] = "between two groups",
        [PRELOAD_OUTSIDE] = "with ranks outside of MPI_COMM_WORLD",
        [PRELOAD_FIRST] = "first of their kind",
        [PRELOAD_EARLY] = "before planning could pay",
        [PRELOAD_FAILED] = "for which no plan could be made",
        [PRELOAD_FULL] = "beyond the largest number of plans",
        [PRELOAD_THREADS] = "in threads other than the one that plans",
        [PRELOAD_SETTING] = "because of an invalid variable",
        [PRELOAD_REDUCES] = "for PLANBCAST_PRELOAD_REDUCE is 0",
        [PRELOAD_OP] = "by operations of the program",
        [PRELOAD_TOOL] = "run by another tool",
    };
    const preload_settings_t *s = preload_settings();
    int more;
    if (n == 0 || len >= room) return len;
    if (fate == PRELOAD_SHORT)
        more = snprintf(line + len, room - len, ", %lld of fewer than %lld bytes", n, s->limits.bytes);
    else if (fate == PRELOAD_FEW)
        more = snprintf(line + len, room - len, ", %lld among fewer than %lld ranks", n, s->limits.ranks);
    else
        more = snprintf(line + len, room - len, ", %lld %s", n, why[fate]);
    return len + (size_t)more;
}

static void print_summary(preload_kind_t kind, const long long *sum)
{
    bool reduces = kind == PRELOAD_REDUCE;
    char reasons[512] = "", native[64] = "", unknown[64] = "";
    long long all = 0, planned = sum[PRELOAD_PLANNED];
    size_t len = 0;

    for (int f = 0; f < PRELOAD_FATES; f++) all += sum[f];
    for (int f = PRELOAD_PLANNED + 1; f < PRELOAD_FATES; f++) len = add_reason(reasons, sizeof reasons, len, f, sum[f]);
    if (reduces && all == 0) return;
    if (sum[NATIVE] > 0)
        snprintf(native, sizeof native, ", %lld of them as %s", sum[NATIVE], reduces ? "MPI_Reduce" : "MPI_Bcast");
    if (sum[UNKNOWN] > 0) snprintf(unknown, sizeof unknown, ", unknown of %lld", sum[UNKNOWN]);
    fprintf(stderr, "planbcast: planned %lld of %lld %s%s; planning took %.3g s", planned, all,
            reduces ? "reductions" : "broadcasts", native, 1e-9 * (double)sum[PLANNING]);
    if (planned > 0)
        fprintf(stderr, ", and by the times of candidates %.3g s were saved%s", 1e-9 * (double)sum[SAVED], unknown);
    fprintf(stderr, "%s%s\n", len > 0 ? "; left to MPI: " : "", len > 0 ? reasons + 2 : "");
}

void preload_sum_up(void)
{
    long long mine[PRELOAD_KINDS][SUMS] = {{0}}, sum[PRELOAD_KINDS][SUMS] = {{0}};
    int rank = 0;

    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
    for (int k = 0; k < PRELOAD_KINDS; k++) {
        for (int f = 0; f < PRELOAD_FATES; f++) mine[k][f] = atomic_load(&tally.of[k].fate[f]);
        mine[k][NATIVE] = atomic_load(&tally.of[k].native);
        mine[k][UNKNOWN] = atomic_load(&tally.of[k].unknown);
        mine[k][SAVED] = atomic_load(&tally.of[k].saved_ns);
        mine[k][PLANNING] = atomic_load(&tally.of[k].planning_ns);
    }
    print_late(rank);
    int rc = PMPI_Reduce(mine, sum, PRELOAD_KINDS * SUMS, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rc != MPI_SUCCESS || rank != 0 || preload_settings()->verbose == 0) return;
    for (int k = 0; k < PRELOAD_KINDS; k++) print_summary((preload_kind_t)k, sum[k]);
}
