#include "baselines.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: mpirun [--mca ...] bench_baselines [OPTION]...\n"
    "\n"
    "Times planned broadcasts (estimate and measure mode) against MPI_Bcast: its default decision, every algorithm of\n"
    "Open MPI at several segment sizes, coll/han and coll/adapt; in one run, in turns. bench/baselines/run does this "
    "on\n"
    "emulated clusters and sets what Open MPI wants set.\n"
    "\n"
    "  --sizes LIST       message sizes [B], comma-separated, K and M known (8,4K,64K,1M,4M)\n"
    "  --root R           (0)\n"
    "  --spec FILE        the cluster's spec: compare with the limits of its cards and trunks\n"
    "  --out FOLDER       write FOLDER/BYTES.json for each size; sizes that are there already are passed over\n"
    "  --profile FILE     load the machine from it, or measure and save it there (FOLDER/profile.json)\n"
    "  --budget SECONDS   for all, about; the largest sizes are left out if there is no time for them (120)\n"
    "  --plan-budget S    for measuring the machine, and for timing candidates (10)\n"
    "  --rounds N         at most (300)\n"
    "  --seed N           of the order in which settings take turns, and of the bytes (1)\n"
    "  --regret           time every candidate that the plans could have chosen\n"
    "  --estimate         no plan whose candidates were timed, and none from the spec\n"
    "  --default          also the plan that plan_bcast makes by default; it measures the machine itself\n"
    "  --commit TEXT      for the results\n"
    "  --progress         say on standard error how far it is; of the run that this is a part of with\n"
    "  --since S --total S --title TEXT   (start in seconds since 1970, seconds, name of this part)\n"
    "\n"
    "  mpirun -n 4 --mca coll_tuned_use_dynamic_rules 1 bench_baselines --sizes 8,64K --budget 6 --plan-budget 2\n";

enum {
    SIZES = 256,
    ROOT,
    SPEC,
    OUT,
    BUDGET,
    PLAN_BUDGET,
    ROUNDS,
    SEED,
    REGRET,
    ESTIMATE,
    DEFAULT,
    COMMIT,
    PROGRESS,
    PROFILE,
    SINCE,
    TOTAL,
    TITLE,
    HELP
};
static const struct option known[] = {{"sizes", 1, NULL, SIZES},   {"root", 1, NULL, ROOT},
                                      {"spec", 1, NULL, SPEC},     {"out", 1, NULL, OUT},
                                      {"budget", 1, NULL, BUDGET}, {"plan-budget", 1, NULL, PLAN_BUDGET},
                                      {"rounds", 1, NULL, ROUNDS}, {"seed", 1, NULL, SEED},
                                      {"regret", 0, NULL, REGRET}, {"estimate", 0, NULL, ESTIMATE},
                                      {"commit", 1, NULL, COMMIT}, {"progress", 0, NULL, PROGRESS},
                                      {"help", 0, NULL, HELP},     {"profile", 1, NULL, PROFILE},
                                      {"since", 1, NULL, SINCE},   {"total", 1, NULL, TOTAL},
                                      {"title", 1, NULL, TITLE},   {"default", 0, NULL, DEFAULT},
                                      {NULL, 0, NULL, 0}};

static bool number(const char *text, double least, double most, double *value)
{
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || errno != 0) return false;
    if (*end == 'K') x *= 1 << 10, end++;
    if (*end == 'M') x *= 1 << 20, end++;
    if (*end != '\0' || !(x >= least && x <= most)) return false;
    *value = x;
    return true;
}

static int ascending(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool sizes(const char *list, options_t *o)
{
    char text[512], *next = text;
    double x;

    if (strlen(list) >= sizeof text) return false;
    strcpy(text, list);
    for (o->nsizes = 0; next != NULL; o->nsizes++) {
        char *one = next, *comma = strchr(next, ',');
        if (comma != NULL) *comma = '\0';
        next = comma != NULL ? comma + 1 : NULL;
        if (o->nsizes == MOST_SIZES || !number(one, 1, 1 << 30, &x)) return false;
        o->bytes[o->nsizes] = (size_t)x;
    }
    qsort(o->bytes, (size_t)o->nsizes, sizeof *o->bytes, ascending);
    return true;
}

static bool take(int which, const char *value, options_t *o)
{
    double x = 0;
    bool ok = true;
    switch (which) {
    case SIZES:
        return sizes(value, o);
    case ROOT:
        ok = number(value, 0, 1 << 20, &x), o->root = (int)x;
        return ok;
    case SPEC:
        o->spec = value;
        return true;
    case OUT:
        o->out = value;
        return true;
    case BUDGET:
        return number(value, 0, 1e6, &o->budget_s);
    case PLAN_BUDGET:
        return number(value, 1e-3, 1e4, &o->plan_budget_s);
    case ROUNDS:
        ok = number(value, 1, MOST_SAMPLES, &x), o->rounds = (int)x;
        return ok;
    case SEED:
        ok = number(value, 0, 9e15, &x), o->seed = (uint64_t)x;
        return ok;
    case REGRET:
        return o->regret = true;
    case ESTIMATE:
        return o->estimate = true;
    case DEFAULT:
        return o->by_default = true;
    case PROFILE:
        o->profile = value;
        return true;
    case TITLE:
        o->title = value;
        return true;
    case SINCE:
        return number(value, 0, 1e12, &o->since_s);
    case TOTAL:
        return number(value, 0, 1e9, &o->total_s);
    case COMMIT:
        o->commit = value;
        return true;
    case PROGRESS:
        return o->progress = true;
    default:
        return false;
    }
}

int options_read(int argc, char **argv, bool speak, options_t *o)
{
    int which;

    *o = (options_t){.budget_s = 120, .plan_budget_s = 10, .rounds = 300, .seed = 1, .title = ""};
    sizes("8,4K,64K,1M,4M", o);
    opterr = 0;
    while ((which = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (which == HELP) {
            if (speak) fputs(usage, stdout);
            return 1;
        }
        if (take(which, optarg, o)) continue;
        if (speak) fprintf(stderr, "bench_baselines: %s: bad option or value; see --help\n", argv[optind - 1]);
        return 3;
    }
    if (o->since_s == 0) o->since_s = (double)time(NULL), o->total_s = o->budget_s;
    if (optind == argc) return 0;
    if (speak) fprintf(stderr, "bench_baselines: %s: what is that? see --help\n", argv[optind]);
    return 3;
}
