#include "method.h"
#include "planner/selection/selection.h"
#include "published.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SEGMENT = 8192, SIZES = 9 };

typedef struct {
    size_t bytes[SIZES];
    double bcast[ALGORITHMS + 1][SIZES], both[ALGORITHMS + 1][SIZES]; /* [s]; the last one is MPI_Bcast as it comes */
    double tree[2][MOST_GAMMAS];                                      /* [s], by shared memory and network */
    size_t ntree[2];
} measured_t;

static int row_of(const char *name)
{
    for (int a = 0; a < ALGORITHMS; a++)
        if (strcmp(plan_topology_name(algorithm[a]), name) == 0) return a;
    return strcmp(name, "default") == 0 ? ALGORITHMS : -1;
}

static int take(const char *line, measured_t *m, int count[ALGORITHMS + 1])
{
    char name[32];
    int x;
    double s, t;
    if (sscanf(line, "nbft %31s %d %lf", name, &x, &s) == 3) {
        int network = strcmp(name, "network") == 0;
        if (x - 2 != (int)m->ntree[network] || x - 2 >= MOST_GAMMAS || !(s > 0)) return 0;
        m->tree[network][m->ntree[network]++] = s;
    } else if (sscanf(line, "bcast %31s %d %lf %lf", name, &x, &s, &t) == 4) {
        int a = row_of(name);
        if (a < 0 || count[a] == SIZES || !(s > 0) || !(t > 0)) return 0;
        m->bytes[count[a]] = (size_t)x << 10;
        m->bcast[a][count[a]] = s, m->both[a][count[a]++] = t;
    }
    return 1;
}

static int measured_read(const char *path, measured_t *m)
{
    char line[256];
    int count[ALGORITHMS + 1] = {0}, n = 0, good = 1;
    FILE *f = fopen(path, "r");
    while (f != NULL && good && fgets(line, sizeof line, f) != NULL) n++, good = take(line, m, count);
    if (f != NULL) fclose(f);
    for (int a = 0; a <= ALGORITHMS; a++) good = good && count[a] == SIZES;
    if (f == NULL || !good || m->ntree[0] < 1 || m->ntree[1] < 1)
        fprintf(stderr, "%s: has not all measurements of paper_000_measure (line %d)\n", path, n);
    return f != NULL && good && m->ntree[0] >= 1 && m->ntree[1] >= 1;
}

/* Eqs (14) and (15). The result has T_p2p^1 = 1. */
static lit_taulop_t platform(const measured_t *m, double gamma[2][MOST_GAMMAS])
{
    for (int c = 0; c < 2; c++)
        for (size_t i = 0; i < m->ntree[c]; i++) {
            gamma[c][i] = m->tree[c][i] / m->tree[c][0];
            printf("gamma\t%s\t%zu\t%.3f\n", c ? "network" : "shared", i + 2, gamma[c][i]);
        }
    printf("Q\t%.2f\n", m->tree[1][0] / m->tree[0][0]);
    return (lit_taulop_t){.o_net = 1,
                          .Q = m->tree[1][0] / m->tree[0][0],
                          .ngamma_shm = m->ntree[0],
                          .ngamma_net = m->ntree[1],
                          .gamma_shm = gamma[0],
                          .gamma_net = gamma[1]};
}

/*
 * Eqs (16) to (19): the broadcast takes x T_p2p^1. The gather takes T_p2p^1 for each rank of another host, and 2 L^0
 * for each other rank of the root's host. Only these two parameters are identifiable; o^0 = 0, as in the paper.
 */
static int fit(const double stages[SIZES], const double both[SIZES], int ranks, int ranks_per_host, double c[2])
{
    double x[2 * SIZES], alone[SIZES];
    int near = (ranks < ranks_per_host ? ranks : ranks_per_host) - 1;
    for (int i = 0; i < SIZES; i++) {
        alone[i] = x[2 * i] = stages[i] + ranks - 1 - near;
        x[2 * i + 1] = 2 * near;
    }
    if (near > 0 && sel_huber(SIZES, 2, x, both, c) && c[0] > 0 && c[1] >= 0) return 1;
    c[1] = 0; /* no time for shared memory can be told from the rest */
    return sel_huber(SIZES, 1, alone, both, c) && c[0] > 0;
}

static int least(int n, double x[][SIZES], int i)
{
    int best = 0;
    for (int a = 1; a < n; a++)
        if (x[a][i] < x[best][i]) best = a;
    return best;
}

int method(const char *path, int ranks, int ranks_per_host)
{
    static measured_t m;
    double gamma[2][MOST_GAMMAS], predicted[ALGORITHMS][SIZES];
    if (!measured_read(path, &m)) return 1;
    lit_taulop_t unit = platform(&m, gamma);
    for (int a = 0; a < ALGORITHMS; a++) {
        double c[2];
        for (int i = 0; i < SIZES; i++)
            if (lit_predict_taulop(&unit, algorithm[a], ranks, ranks_per_host, 0, 0, m.bytes[i], SEGMENT,
                                   &predicted[a][i]) != PLAN_OK)
                return 1;
        if (!fit(predicted[a], m.both[a], ranks, ranks_per_host, c)) {
            fprintf(stderr, "%s: no regression for %s\n", path, plan_topology_name(algorithm[a]));
            return 1;
        }
        for (int i = 0; i < SIZES; i++) predicted[a][i] *= c[0];
        printf("parameter\t%s\t%.3g\t%.3g\n", plan_topology_name(algorithm[a]), c[0], c[1]);
    }
    for (int i = 0; i < SIZES; i++) {
        int best = least(ALGORITHMS, m.bcast, i), mine = least(ALGORITHMS, predicted, i);
        printf("cell\t%zu\t%s\t%s\t%.0f\t%.0f\n", m.bytes[i] >> 10, plan_topology_name(algorithm[best]),
               plan_topology_name(algorithm[mine]), 100 * (m.bcast[mine][i] / m.bcast[best][i] - 1),
               100 * (m.bcast[ALGORITHMS][i] / m.bcast[best][i] - 1));
        printf("times\t%zu", m.bytes[i] >> 10);
        for (int a = 0; a <= ALGORITHMS; a++) printf("\t%.6g", m.bcast[a][i]);
        for (int a = 0; a < ALGORITHMS; a++) printf("\t%.6g", predicted[a][i]);
        printf("\n");
    }
    return 0;
}
