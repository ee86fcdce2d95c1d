#include "patterns.h"
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 256, NEIGHBOURS = 3, MOST_SENT = 6 };

typedef struct {
    int ranks, per_host;
    double bytes;
    gsl_rng *rng;
} scene_t;

static void print(int from, int to, double bytes)
{
    printf("%d %d %.0f\n", from, to, bytes);
}

static double any_size(const scene_t *s)
{
    return s->bytes / 4 * exp2(3 * gsl_rng_uniform(s->rng));
}

/* Pairs whose rank (or host) numbers differ in the lowest bit; on different hosts if there are several. */
static int pairs(const scene_t *s)
{
    int hosts = s->ranks / s->per_host;
    for (int r = 0; r < s->ranks; r++) {
        int local = r % s->per_host, with = hosts > 1 ? (r / s->per_host ^ 1) * s->per_host + local : r ^ 1;
        if (with < s->ranks) print(r, with, s->bytes * exp2(1 - (hosts > 1 ? local : r / 2)));
    }
    return 1;
}

static int neighbours(const scene_t *s)
{
    int step = s->ranks > s->per_host ? s->per_host : 1;
    for (int r = 0; r < s->ranks; r++)
        for (int j = 1; j <= NEIGHBOURS; j++) {
            int with = (r / step ^ j) * step + r % step;
            if (with <= r || with >= s->ranks) continue;
            double bytes = any_size(s);
            print(r, with, bytes);
            print(with, r, bytes);
        }
    return 1;
}

static int by_x(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* The rank whose point is closest to the centre of cell (x, y). */
static int owner(const scene_t *s, double (*point)[2], int x, int y)
{
    int best = 0;
    double least = INFINITY;
    for (int r = 0; r < s->ranks; r++) {
        double dx = (x + 0.5) / GRID - point[r][0], dy = (y + 0.5) / GRID - point[r][1], d = dx * dx + dy * dy;
        if (d < least) least = d, best = r;
    }
    return best;
}

/* Each cell is sent once to every rank that owns a neighbouring cell. Ranks are sorted by x, so hosts own strips. */
static int mesh(const scene_t *s)
{
    double(*point)[2] = malloc((size_t)s->ranks * sizeof *point);
    int(*of)[GRID] = malloc(GRID * sizeof *of), *cells = calloc((size_t)s->ranks * (size_t)s->ranks, sizeof *cells);
    long all = 0, messages = 0;
    if (point != NULL && of != NULL && cells != NULL) {
        for (int r = 0; r < s->ranks; r++) point[r][0] = gsl_rng_uniform(s->rng), point[r][1] = gsl_rng_uniform(s->rng);
        qsort(point, (size_t)s->ranks, sizeof *point, by_x);
        for (int x = 0; x < GRID; x++)
            for (int y = 0; y < GRID; y++) of[x][y] = owner(s, point, x, y);
        for (int x = 0; x < GRID; x++)
            for (int y = 0; y < GRID; y++) {
                static const int side[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
                int sent[4];
                for (int k = 0; k < 4; k++) {
                    int u = x + side[k][0], v = y + side[k][1], again = 0;
                    sent[k] = u < 0 || u >= GRID || v < 0 || v >= GRID ? of[x][y] : of[u][v];
                    for (int j = 0; j < k; j++) again |= sent[j] == sent[k];
                    if (sent[k] != of[x][y] && !again) cells[of[x][y] * s->ranks + sent[k]]++, all++;
                }
            }
        for (int i = 0; i < s->ranks * s->ranks; i++) messages += cells[i] > 0;
        for (int i = 0; i < s->ranks * s->ranks; i++)
            if (cells[i] > 0) print(i / s->ranks, i % s->ranks, s->bytes * cells[i] * (double)messages / (double)all);
    }
    free(point);
    free(of);
    free(cells);
    return all > 0;
}

static int irregular(const scene_t *s)
{
    for (int r = 0; r < s->ranks; r++)
        for (int left = 1 + (int)gsl_rng_uniform_int(s->rng, MOST_SENT); left > 0; left--) {
            int to = (r + 1 + (int)gsl_rng_uniform_int(s->rng, (unsigned long)s->ranks - 1)) % s->ranks;
            print(r, to, any_size(s));
        }
    return 1;
}

int pattern_print(const char *name, int ranks, int per_host, double bytes, unsigned long seed)
{
    scene_t s = {ranks, per_host, bytes, NULL};
    int done = 0;
    if (ranks < 2 || per_host < 1 || ranks % per_host != 0 || !(bytes >= 1) ||
        (s.rng = gsl_rng_alloc(gsl_rng_mt19937)) == NULL)
        return 0;
    gsl_rng_set(s.rng, seed);
    if (strcmp(name, "pairs") == 0) done = pairs(&s);
    if (strcmp(name, "neighbours") == 0) done = neighbours(&s);
    if (strcmp(name, "mesh") == 0) done = mesh(&s);
    if (strcmp(name, "irregular") == 0) done = irregular(&s);
    gsl_rng_free(s.rng);
    return done;
}
