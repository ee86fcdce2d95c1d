/* Clustering by average linkage, and grouping of values. */
#include "lib/mpi/measure/infer/infer.h"
#include <math.h>
#include <stdlib.h>

/* Merge cluster b into a: distances to the others become averages over members (Lance and Williams), unknown ones left
 * out. */
static void merge(int n, double *dist, int *size, int a, int b)
{
    for (int c = 0; c < n; c++) {
        if (c == a || c == b || size[c] == 0) continue;
        double x = dist[(size_t)a * n + c], y = dist[(size_t)b * n + c];
        double d = x < 0 ? y : y < 0 ? x : (size[a] * x + size[b] * y) / (size[a] + size[b]);
        dist[(size_t)a * n + c] = dist[(size_t)c * n + a] = d;
    }
    size[a] += size[b];
    size[b] = 0;
}

/* The nearest cluster above a, -1 if all distances are unknown. */
static int nearest(int n, const double *dist, const int *size, int a)
{
    int best = -1;

    for (int c = a + 1; c < n; c++) {
        double d = dist[(size_t)a * n + c];
        if (size[c] > 0 && d >= 0 && (best < 0 || d < dist[(size_t)a * n + best])) best = c;
    }
    return best;
}

/* Number clusters by their lowest member. owner[i] <= i. */
static int number(int n, int *owner)
{
    int labels = 0;

    for (int i = 0; i < n; i++) owner[i] = owner[i] == i ? labels++ : owner[owner[i]];
    return labels;
}

int plani_cluster(int n, double *dist, double limit, int *scratch, int *label)
{
    int *size = scratch, *near = scratch + n;

    for (int i = 0; i < n; i++) size[i] = 1, label[i] = i;
    for (int i = 0; i < n; i++) near[i] = nearest(n, dist, size, i);
    for (;;) {
        int a = -1;
        for (int i = 0; i < n; i++)
            if (size[i] > 0 && near[i] >= 0 && (a < 0 || dist[(size_t)i * n + near[i]] < dist[(size_t)a * n + near[a]]))
                a = i;
        if (a < 0 || !(dist[(size_t)a * n + near[a]] <= limit)) break;
        int b = near[a];
        merge(n, dist, size, a, b);
        for (int i = 0; i < n; i++)
            if (label[i] == b) label[i] = a;
        for (int i = 0; i < b; i++) /* the rows up to b may point to a or b, whose distances changed */
            if (size[i] > 0) near[i] = nearest(n, dist, size, i);
    }
    return number(n, label);
}

/* Sift down in a heap of indices ordered by value, largest on top. Heap sort needs no memory and no recursion. */
static void sift(const double *x, size_t *heap, size_t at, size_t n)
{
    for (size_t child = 2 * at + 1; child < n; at = child, child = 2 * at + 1) {
        if (child + 1 < n && x[heap[child + 1]] > x[heap[child]]) child++;
        if (x[heap[at]] >= x[heap[child]]) return;
        size_t t = heap[at];
        heap[at] = heap[child], heap[child] = t;
    }
}

int plani_group_values(const double *x, size_t n, double tolerance, size_t *scratch, int *label)
{
    int group = 0;

    for (size_t i = 0; i < n; i++) scratch[i] = i;
    for (size_t i = n / 2; i-- > 0;) sift(x, scratch, i, n);
    for (size_t left = n; left-- > 1;) {
        size_t t = scratch[0];
        scratch[0] = scratch[left], scratch[left] = t;
        sift(x, scratch, 0, left);
    }
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && x[scratch[i]] > x[scratch[i - 1]] * (1 + tolerance)) group++;
        label[scratch[i]] = group;
    }
    return n > 0 ? group + 1 : 0;
}
