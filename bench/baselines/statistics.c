/* Medians and their intervals. */
#include "baselines.h"
#include <math.h>
#include <string.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

/* The interval between the k-th smallest and k-th largest sample holds the median with probability
 * 1 - 2 P(Binomial(n, 1/2) < k). Largest k that leaves at least 95%. */
static int rank_of_95(int n)
{
    int k = 0;
    while (2 * gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)n) <= 0.05) k++;
    return k;
}

void summarise(entry_t *e)
{
    double x[MOST_SAMPLES];
    size_t n = (size_t)e->n;

    e->median = e->low = e->high = NAN;
    if (n == 0) return;
    memcpy(x, e->sample, n * sizeof *x);
    gsl_sort(x, 1, n);
    int k = rank_of_95(e->n);
    if (k < 1) k = 1;
    e->median = gsl_stats_median_from_sorted_data(x, 1, n);
    e->low = x[k - 1];
    e->high = x[e->n - k];
}

int cell_best(const settings_t *s, const cell_t *c, kind_t kind)
{
    int best = -1;
    for (int i = 0; i < s->n; i++) {
        const entry_t *e = &c->entry[i], *b = best < 0 ? NULL : &c->entry[best];
        if (s->at[i].kind != kind || e->n == 0 || e->wrong != 0) continue;
        if (b == NULL || (e->dropped != b->dropped ? b->dropped : e->median < b->median)) best = i;
    }
    return best;
}
