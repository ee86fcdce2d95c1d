/* Planning at growing numbers of ranks: a line of figures for each machine, each in a process of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "graphs/machine/cluster.h"
#include "lib/base/base.h"
#include "planner/algorithms/described.h"
#include "planner/plan/plan_private.h"
#include "planner/select/decide.h"
#include "planner/simulate/sharing.h"

enum { BYTES = 16 << 20, TEXT = 1 << 16 };

typedef struct {
    int groups, hosts, ranks; /* hosts in each group, ranks on each host */
} size_case_t;

static const size_case_t sizes[] = {{1, 16, 4},   {2, 16, 8},  {2, 32, 8},  {2, 64, 8},   {4, 64, 8},    {4, 64, 16},
                                    {4, 128, 16}, {8, 64, 32}, {8, 64, 64}, {16, 64, 64}, {16, 256, 64}, {64, 256, 64}};

/* What a machine has three kinds of hosts of, in each group one after the other: [Gbit/s] out and in. */
static const struct {
    const char *name;
    double out[4], in[4];
} kinds[] = {{"equal", {10, 10, 10, 10}, {10, 10, 10, 10}},
             {"mixed", {10, 20, 10, 4}, {10, 20, 10, 10}},
             {"scarce", {25, 4, 6.5, 5}, {25, 10, 10, 10}}};

typedef struct {
    double bound, lp_ratio, predicted_s, other_s; /* [B/s], of the first; the best of other candidates */
    double filled_s;                              /* without the loss of resources that serve flows in turn */
    double describe_s, decide_s, plan_s;          /* bound, trees and platform; 16 MiB; a plan for all sizes up to it */
    size_t links, trees, slice;
    char name[64];
} figures_t;

/* Of this process: others may use the machine, too. */
static double processor_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Trunks carry half of what the hosts behind them do. */
static void describe(const size_case_t *size, size_t kind, char *text)
{
    size_t n = (size_t)sprintf(text, "{\"format\": \"planbcast-cluster\", \"version\": 1, "
                                     "\"memory\": {\"bytes_per_s\": 2e11}, \"sites\": [");
    double trunk = size->hosts * 1.25e9 / 2;
    for (int g = 0; g < size->groups; g++) {
        n += (size_t)sprintf(
            text + n,
            "%s{\"trunk\": {\"in_bytes_per_s\": %g, \"out_bytes_per_s\": %g, \"latency_s\": 5e-6}, \"hosts\": [",
            g ? ", " : "", trunk, trunk);
        for (int k = 0; k < 4; k++)
            n += (size_t)sprintf(text + n,
                                 "%s{\"count\": %d, \"ranks\": %d, \"latency_s\": 2e-6, \"in_bytes_per_s\": %g, "
                                 "\"out_bytes_per_s\": %g}",
                                 k ? ", " : "", size->hosts / 4, size->ranks, kinds[kind].in[k] * 1.25e8,
                                 kinds[kind].out[k] * 1.25e8);
        n += (size_t)sprintf(text + n, "]}");
    }
    sprintf(text + n, "]}");
}

/* The predicted time is this one times the factor for it. */
static plan_status_t without_sharing(const plan_platform_t *pf, const plan_candidate_t *c, double *seconds)
{
    enum { STEPS = 50 };
    plani_sharing_t sharing = {0};
    double *share = malloc(c->ntrees * sizeof *share), total = 0;
    if (share == NULL) return PLAN_ENOMEM;
    for (size_t t = 0; t < c->ntrees; t++) total += c->rate[t];
    for (size_t t = 0; t < c->ntrees; t++) share[t] = c->rate[t] / total;
    plan_status_t rc = plani_sharing_of(pf, c->ntrees, c->tree, share, &sharing);
    *seconds = c->predicted_s;
    for (int i = 0; i < STEPS && rc == PLAN_OK; i++)
        *seconds = c->predicted_s / plani_sharing_factor(&sharing, BYTES, *seconds);
    free(share);
    return rc;
}

static plan_status_t decide(const plani_described_t *on, bool all, figures_t *f)
{
    plani_request_t request = {
        .pf = on->pf, .n = 1, .bytes = {BYTES}, .complete = 1, .hosts = on->hosts, .sparse = on->sparse};
    plani_decision_t d;
    double start = processor_s();
    if (all) request.n = plani_ladder(BYTES, request.bytes);
    plan_status_t rc = (plan_status_t)plani_decide(&request, &d, NULL);
    *(all ? &f->plan_s : &f->decide_s) = processor_s() - start;
    if (rc != PLAN_OK) return rc;
    const plan_ranking_t *r = d.ranking[d.n - 1];
    const plan_candidate_t *c = &r->candidate[0];
    f->lp_ratio = c->lp_ratio;
    f->predicted_s = c->predicted_s;
    f->trees = c->ntrees;
    f->slice = c->slice;
    snprintf(f->name, sizeof f->name, "%s", c->name);
    f->other_s = INFINITY;
    for (size_t i = 0; i < r->ncandidates; i++)
        if (strncmp(r->candidate[i].name, "ompi-", 5) == 0) f->other_s = fmin(f->other_s, r->candidate[i].predicted_s);
    rc = without_sharing(on->pf, c, &f->filled_s);
    plani_decision_clear(&d);
    return rc;
}

static plan_status_t measure(const size_case_t *size, size_t kind, bool all, figures_t *f)
{
    static char text[TEXT];
    plani_cluster_t *c = NULL;
    plani_described_t on = {.hosts = NULL};
    describe(size, kind, text);
    double start = processor_s();
    plan_status_t rc = plani_cluster_parse(text, strlen(text), "spec", &c, NULL);
    if (rc == PLAN_OK) rc = plani_described_create(c, 0, &on, NULL);
    f->describe_s = processor_s() - start;
    if (rc == PLAN_OK) {
        f->bound = on.hosts->bound;
        f->links = plan_platform_data(on.pf)->nlinks;
        rc = decide(&on, all, f);
    }
    plani_described_clear(&on);
    plani_cluster_destroy(&c);
    return rc;
}

/* Measure in a child, whose memory is its own. \return false: it failed */
static bool measure_apart(const size_case_t *size, size_t kind, bool all, figures_t *f, double *megabytes)
{
    int ends[2], status = 0;
    struct rusage used;
    if (pipe(ends) != 0) return false;
    pid_t child = fork();
    if (child == 0) {
        figures_t mine = {0};
        bool done = measure(size, kind, all, &mine) == PLAN_OK && write(ends[1], &mine, sizeof mine) == sizeof mine;
        _exit(done ? 0 : 1);
    }
    close(ends[1]);
    bool read_all = child > 0 && read(ends[0], f, sizeof *f) == sizeof *f;
    close(ends[0]);
    if (child <= 0 || wait4(child, &status, 0, &used) != child) return false;
    *megabytes = (double)used.ru_maxrss / 1024;
    return read_all && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* kind ranks hosts groups links seconds megabytes seconds-of-a-plan name trees slice share share-with-filling other
 * describing share-with-filling-alone */
static int print_line(const size_case_t *size, size_t kind)
{
    figures_t one = {0}, all = {0};
    double megabytes = 0, unused = 0;
    int hosts = size->groups * size->hosts;
    if (!measure_apart(size, kind, false, &one, &megabytes) || !measure_apart(size, kind, true, &all, &unused)) {
        fprintf(stderr, "bench_scale: %d hosts: no plan\n", hosts);
        return 1;
    }
    printf("%s\t%d\t%d\t%d\t%zu\t%.4f\t%.0f\t%.4f\t%s\t%zu\t%zu\t%.4f\t%.4f\t%.2f\t%.4f\t%.4f\n", kinds[kind].name,
           hosts * size->ranks, hosts, size->groups, one.links, one.describe_s + one.decide_s, megabytes,
           all.describe_s + all.plan_s, one.name, one.trees, one.slice, one.lp_ratio,
           BYTES / one.predicted_s / one.bound, one.other_s / one.predicted_s, one.describe_s,
           BYTES / one.filled_s / one.bound);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 65536;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (sizes[i].groups * sizes[i].hosts * sizes[i].ranks <= most && print_line(&sizes[i], kind) != 0) return 1;
    return 0;
}
