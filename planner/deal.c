#include "planner/deal.h"
#include <math.h>
#include <stdint.h>

void plani_weigh(int n, const double *rate, unsigned *weight)
{
    double largest = 0;
    for (int t = 0; t < n; t++)
        if (isfinite(rate[t]) && rate[t] > largest) largest = rate[t];
    for (int t = 0; t < n; t++) {
        if (largest == 0)
            weight[t] = 1;
        else if (isfinite(rate[t]) && rate[t] > 0)
            weight[t] = (unsigned)lround(rate[t] / largest * (1 << 30));
        else
            weight[t] = 0;
    }
}

void plani_deal(int ntrees, const unsigned *weight, int n, int *dealt, int *tree_of)
{
    for (int t = 0; t < ntrees; t++) dealt[t] = 0;
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int t = 0; t < ntrees; t++) {
            if (weight[t] == 0) continue;
            if (best < 0 || (2 * (uint64_t)dealt[t] + 1) * weight[best] < (2 * (uint64_t)dealt[best] + 1) * weight[t])
                best = t;
        }
        tree_of[k] = best;
        dealt[best]++;
    }
}
