#include "rivals.h"
#include <math.h>
#include <stdio.h>
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
        if (s->at[i].kind == kind && c->entry[i].n > 0 && c->entry[i].wrong == 0 &&
            (best < 0 || c->entry[i].median < c->entry[best].median))
            best = i;
    return best;
}

void before_take(const settings_t *s, const cell_t *c, before_t *b)
{
    b->bytes = c->bytes;
    b->n = 0;
    for (int i = 0; i < s->n; i++) {
        if (c->entry[i].n == 0 || c->entry[i].wrong > 0) continue;
        snprintf(b->at[b->n].name, NAME, "%s", s->at[i].name);
        b->at[b->n].kind = s->at[i].kind;
        b->at[b->n++].median = c->entry[i].median;
    }
}

/* Time of small messages hardly depends on their size. */
static double scale(const before_t *b, size_t bytes)
{
    return (double)bytes / (double)(b->bytes > 65536 || bytes <= 65536 ? b->bytes : 65536);
}

double before_scaled(const before_t *b, const setting_t *s, size_t bytes)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s", s->name);
    if (s->segment >= b->bytes) name[strcspn(name, "/")] = '\0';
    for (int i = 0; i < b->n; i++)
        if (strcmp(b->at[i].name, name) == 0) return b->at[i].median * (bytes <= 65536 ? 1 : scale(b, bytes));
    return NAN;
}

double before_best(const before_t *b, kind_t kind, size_t bytes)
{
    double best = NAN;
    for (int i = 0; i < b->n; i++)
        if (b->at[i].kind == kind) best = fmin(best, b->at[i].median * (bytes <= 65536 ? 1 : scale(b, bytes)));
    return best;
}
