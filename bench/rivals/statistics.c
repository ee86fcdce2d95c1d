#include "rivals.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The interval between the k-th smallest and k-th largest sample holds the median with probability
 * 1 - 2 P(Binomial(n, 1/2) < k). Largest k that leaves at least 95%. */
static int rank_of_95(int n)
{
    double term = pow(0.5, n), below = 0; /* term: P(Binomial = k) */
    int k = 0;
    if (n > 60) return (int)floor(n / 2.0 - 0.98 * sqrt(n)); /* by the normal distribution */
    while (2 * (below + term) <= 0.05) below += term, k++, term *= (n - k + 1.0) / k;
    return k;
}

void summarise(entry_t *e)
{
    double x[MOST_SAMPLES];
    int n = e->n;

    e->median = e->low = e->high = NAN;
    if (n == 0) return;
    memcpy(x, e->sample, (size_t)n * sizeof *x);
    qsort(x, (size_t)n, sizeof *x, ascending);
    int k = rank_of_95(n);
    if (k < 1) k = 1;
    e->median = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
    e->low = x[k - 1];
    e->high = x[n - k];
}

int cell_best(const settings_t *s, const cell_t *c, kind_t kind)
{
    int best = -1;
    for (int i = 0; i < s->n; i++)
        if (s->at[i].kind == kind && c->entry[i].n > 0 && (best < 0 || c->entry[i].median < c->entry[best].median))
            best = i;
    return best;
}
