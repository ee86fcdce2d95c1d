#include "tiers.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WAN, MAN, LAN };

static const tiers_shape_t many_small[] = {{4, 2, 3, 2, 5}, {5, 3, 4, 2, 8}};
static const tiers_shape_t few_large[] = {{5, 1, 8, 1, 17}, {5, 3, 5, 1, 15}};

/* clang-format off */
static const tiers_reading_t reading[] = {
    {"stars", "LANs are stars", few_large, 3, 3, 1, 1, SHUFFLED, EACH_ITS_OWN, {0}},
    {"stars, 2 up", "LANs are stars, two links up from each network", few_large, 3, 3, 1, 2, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 2", "hosts have 2 neighbours in their LAN", few_large, 3, 3, 2, 2, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 3", "hosts have 3 neighbours in their LAN", few_large, 3, 3, 3, 2, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 4", "hosts have 4 neighbours in their LAN", few_large, 3, 3, 4, 2, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 3, 1 up", "as LAN 3, one link up", few_large, 3, 3, 3, 1, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 3, WAN 2", "as LAN 3, 2 neighbours in WAN and MAN", few_large, 2, 2, 3, 2, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 3, small", "as LAN 3, more and smaller LANs", many_small, 3, 3, 3, 2, SHUFFLED, EACH_ITS_OWN, {0}},
    {"LAN 3, in order", "as LAN 3, ranks numbered network by network", few_large, 3, 3, 3, 2, AS_PLACED, EACH_ITS_OWN, {0}},
    {"LAN 3, alike", "as LAN 3, the same T both ways", few_large, 3, 3, 3, 2, SHUFFLED, ALIKE, {0}},
    {"LAN 3, one way", "as LAN 3, redundant links go one way", few_large, 3, 3, 3, 2, SHUFFLED, ONE_WAY, {0}},
    {"LAN 3, levels 2", "as LAN 3, MAN and WAN links 2 and 3 times as slow", few_large, 3, 3, 3, 2, SHUFFLED, EACH_ITS_OWN, {3, 2, 1}},
    {"LAN 3, levels 3", "as LAN 3, MAN and WAN links 3 and 10 times as slow", few_large, 3, 3, 3, 2, SHUFFLED, EACH_ITS_OWN, {10, 3, 1}},
};
/* clang-format on */

const tiers_reading_t *tiers_reading(int which)
{
    return which >= 0 && which < (int)(sizeof reading / sizeof *reading) ? &reading[which] : NULL;
}

typedef struct {
    double x, y;
    int level, number;
} node_t;

typedef struct {
    const tiers_reading_t *reading;
    int n;
    node_t *node;
    bool *linked; /* [room * room] u -> v */
    int room;
    bool *in; /* [room] scratch: in the tree */
    gsl_rng *rng;
} tiers_t;

static bool *linked(const tiers_t *t, int u, int v)
{
    return &t->linked[(size_t)u * (size_t)t->room + (size_t)v];
}

static double distance2(const tiers_t *t, int a, int b)
{
    double x = t->node[a].x - t->node[b].x, y = t->node[a].y - t->node[b].y;
    return x * x + y * y;
}

static void join(tiers_t *t, int a, int b, bool redundant)
{
    bool forth = true, back = true;
    if (redundant && t->reading->directions == ONE_WAY) back = !(forth = gsl_rng_uniform_int(t->rng, 2));
    if (forth) *linked(t, a, b) = true;
    if (back) *linked(t, b, a) = true;
}

static bool apart(const tiers_t *t, int a, int b)
{
    return a != b && !*linked(t, a, b) && !*linked(t, b, a);
}

/* Place n nodes at random in a square around (x, y); returns the index of the first. */
static int place(tiers_t *t, int n, int level, double x, double y)
{
    static const double side[] = {1000, 100, 10};
    int first = t->n;
    for (; t->n < first + n; t->n++)
        t->node[t->n] = (node_t){x + side[level] * (gsl_rng_uniform(t->rng) - 0.5),
                                 y + side[level] * (gsl_rng_uniform(t->rng) - 0.5), level, t->n};
    return first;
}

/* The nearest node of [first, last) to a that is not linked to it; -1: none. */
static int nearest(const tiers_t *t, int a, int first, int last)
{
    int best = -1;
    for (int b = first; b < last; b++)
        if (apart(t, a, b) && (best < 0 || distance2(t, a, b) < distance2(t, a, best))) best = b;
    return best;
}

/* Prim's minimum spanning tree of [first, last); for a LAN, a star around its first node. */
static void span(tiers_t *t, int first, int last, int level)
{
    for (int i = first; i < last; i++) t->in[i] = i == first;
    for (int k = first + 1; k < last; k++) {
        int from = first, to = level == LAN ? k : -1;
        for (int a = first; a < last && level != LAN; a++)
            for (int b = first; b < last && t->in[a]; b++)
                if (!t->in[b] && (to < 0 || distance2(t, a, b) < distance2(t, from, to))) from = a, to = b;
        t->in[to] = true;
        join(t, from, to, false);
    }
}

/* Add links to nearest nodes until each node of [first, last) has `least` neighbours among them. */
static void thicken(tiers_t *t, int first, int last, int least)
{
    for (int a = first; a < last; a++) {
        int neighbours = 0, b = 0;
        for (int c = first; c < last; c++) neighbours += c != a && !apart(t, a, c);
        for (; neighbours < least && (b = nearest(t, a, first, last)) >= 0; neighbours++) join(t, a, b, true);
    }
}

/* Link the network [first, last) to the one above it: first from its first node, then from random nodes. */
static void attach(tiers_t *t, int first, int last, int above, int above_last)
{
    for (int k = 0; k < t->reading->up; k++) {
        int a = k == 0 ? first : first + (int)gsl_rng_uniform_int(t->rng, (unsigned long)(last - first));
        int b = nearest(t, a, above, above_last);
        if (b >= 0) join(t, a, b, k > 0);
    }
}

static void lay_out(tiers_t *t, const tiers_shape_t *s)
{
    const tiers_reading_t *r = t->reading;
    place(t, s->wan, WAN, 0, 0);
    span(t, 0, t->n, WAN);
    thicken(t, 0, t->n, r->wan);
    for (int m = 0; m < s->mans; m++) {
        double x = 1000 * (gsl_rng_uniform(t->rng) - 0.5), y = 1000 * (gsl_rng_uniform(t->rng) - 0.5);
        int man = place(t, s->man, MAN, x, y), man_last = t->n;
        span(t, man, man_last, MAN);
        thicken(t, man, man_last, r->man);
        attach(t, man, man_last, 0, s->wan);
        for (int l = 0; l < s->lans; l++) {
            double cx = 100 * (gsl_rng_uniform(t->rng) - 0.5), cy = 100 * (gsl_rng_uniform(t->rng) - 0.5);
            int lan = place(t, s->lan, LAN, x + cx, y + cy);
            span(t, lan, t->n, LAN);
            thicken(t, lan, t->n, r->lan);
            attach(t, lan, t->n, man, man_last);
        }
    }
}

/* Time per byte by Table 2, drawn as in plan_generate_random. */
static double draw(const tiers_t *t, int a, int b)
{
    int level = t->node[a].level < t->node[b].level ? t->node[a].level : t->node[b].level;
    double bytes_per_s, times = t->reading->times[level];
    do bytes_per_s = 100e6 + gsl_ran_gaussian(t->rng, 20e6);
    while (bytes_per_s < 10e6);
    return (times > 0 ? times : 1) / bytes_per_s;
}

static plan_status_t publish(tiers_t *t, plan_platform_t **out)
{
    plan_link_t *link = malloc((size_t)t->n * (size_t)t->n * sizeof *link);
    size_t n = 0;
    if (link == NULL) return PLAN_ENOMEM;
    for (int a = 0; a < t->n; a++)
        for (int b = 0; b < a; b++) {
            double forth = draw(t, a, b), back = t->reading->directions == ALIKE ? forth : draw(t, a, b);
            int u = t->node[a].number, v = t->node[b].number;
            if (*linked(t, a, b)) link[n++] = (plan_link_t){.from = u, .to = v, .s_per_byte = forth, .channel = -1};
            if (*linked(t, b, a)) link[n++] = (plan_link_t){.from = v, .to = u, .s_per_byte = back, .channel = -1};
        }
    const plan_platform_data_t d = {.size = sizeof d, .ranks = t->n, .nlinks = n, .link = link};
    plan_status_t rc = plan_platform_create(&d, out, NULL);
    free(link);
    return rc;
}

plan_status_t tiers_generate(const tiers_reading_t *r, int size, unsigned long seed, plan_platform_t **out)
{
    const tiers_shape_t *s = &r->shape[size];
    int nodes = s->wan + s->mans * (s->man + s->lans * s->lan);
    size_t n = (size_t)nodes;
    tiers_t t = {.reading = r, .room = nodes};
    plan_status_t rc = PLAN_ENOMEM;

    t.node = calloc(n, sizeof *t.node);
    t.linked = calloc(n * n, sizeof *t.linked);
    t.in = calloc(n, sizeof *t.in);
    t.rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (t.node == NULL || t.linked == NULL || t.in == NULL || t.rng == NULL) goto done;
    gsl_rng_set(t.rng, seed);
    lay_out(&t, s);
    for (int i = t.n - 1; i > 0 && r->numbers == SHUFFLED; i--) {
        int j = (int)gsl_rng_uniform_int(t.rng, (unsigned long)i + 1), number = t.node[i].number;
        t.node[i].number = t.node[j].number, t.node[j].number = number;
    }
    rc = publish(&t, out);
done:
    free(t.node);
    free(t.linked);
    free(t.in);
    if (t.rng != NULL) gsl_rng_free(t.rng);
    return rc;
}
