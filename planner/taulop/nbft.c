/* Non-blocking flat trees of one or several channel classes: Nuriyev et al. 2022, eqs (4) and (8). */
#include <math.h>
#include "planner/cost/cost.h"

double plani_gamma(const double *gamma, size_t ngamma, size_t processes)
{
    size_t i = processes - 2;
    if (i < ngamma) return gamma[i];
    /* A table of one transfer does not describe several: they are serialised. */
    double slope = ngamma > 1 ? gamma[ngamma - 1] - gamma[ngamma - 2] : 1;
    return gamma[ngamma - 1] + (slope > 0 ? slope : 0) * (double)(i - (ngamma - 1));
}

double plani_nbft(const plan_channel_t *channel, size_t n, const plani_send_t *send)
{
    size_t top = 0, alike = 0;
    double sum = 0, others = 0;

    for (size_t i = 0; i < n; i++) { /* the costliest class; of equals the lowest index */
        sum += send[i].busy;
        if (send[i].busy > send[top].busy || (send[i].busy == send[top].busy && send[i].channel < send[top].channel))
            top = i;
    }
    if (n < 2 || send[top].channel < 0 || channel[send[top].channel].ngamma == 0) return sum;
    if (!(send[top].busy > 0)) return 0;
    for (size_t i = 0; i < n; i++) {
        if (send[i].channel == send[top].channel)
            alike++;
        else
            others += send[i].busy;
    }
    /* 12 transfers at Q = 12 are one, not 0.9999999: rounding must not decide */
    double replaced = floor(others / send[top].busy + 1e-9);
    const plan_channel_t *c = &channel[send[top].channel];
    return plani_gamma(c->gamma, c->ngamma, 1 + alike + (size_t)replaced) * send[top].busy;
}
