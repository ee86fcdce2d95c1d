#include "lib/mpi/measure.h"
#include <math.h>

/* Beside a saturated trunk a flow loses much; beside nothing, a few percent of noise. */
static const double SHARED_BELOW = 0.85;
static const double DOUBT = 0.9;  /* a flow that gets less of what it can is doubtful */
static const double APART = 0.12; /* mean loss between hosts of one site at most */

/* The largest of n values at `stride`. A lucky flow splits sites, which flows alone and together join again. */
static double largest(const double *x, int n, int stride)
{
    double most = 0;

    for (int i = 0; i < n; i++) most = fmax(most, x[(size_t)i * stride]);
    return most;
}

void plani_card_rates(const plani_meetings_t *m, double *out, double *in)
{
    for (int h = 0; h < m->hosts; h++) {
        out[h] = largest(m->rate + (size_t)h * m->hosts, m->hosts, 1);
        in[h] = largest(m->rate + h, m->hosts, m->hosts);
    }
}

/* How much of what the cards allow is missing on u -> v; 0 if that is unknown. */
static double loss(const plani_meetings_t *m, const double *out, const double *in, int u, int v)
{
    double rate = m->rate[(size_t)u * m->hosts + v], cards = fmin(out[u], in[v]);

    if (rate <= 0 || cards <= 0) return 0;
    return fmax(0, 1 - rate / cards);
}

/* The smallest latency from h to anyone. */
static double nearest_latency(const plani_meetings_t *m, int h)
{
    double least = INFINITY;

    for (int v = 0; v < m->hosts; v++) {
        double l = m->latency[(size_t)h * m->hosts + v];
        if (v != h && l > 0) least = fmin(least, l);
    }
    return least;
}

/* Farther than twice the nearest of both ends counts as another site, however fast the flow. */
static double farness(double latency, double near, double noise)
{
    if (!(latency > 0) || !isfinite(near) || latency < near + 20e-6 + 4 * noise) return 0;
    return latency > 2 * near ? APART * (latency / near - 1) : 0;
}

int plani_sites(const plani_meetings_t *m, const double *out, const double *in, double *scratch, int *iscratch,
                int *site)
{
    size_t n = (size_t)m->hosts;

    for (size_t u = 0; u < n; u++) scratch[u * n + u] = nearest_latency(m, (int)u);
    for (size_t u = 0; u < n; u++)
        for (size_t v = u + 1; v < n; v++) {
            bool known = m->rate[u * n + v] > 0 || m->rate[v * n + u] > 0 || m->latency[u * n + v] > 0;
            double slow = 0.5 * (loss(m, out, in, (int)u, (int)v) + loss(m, out, in, (int)v, (int)u));
            double far = farness(m->latency[u * n + v], fmax(scratch[u * n + u], scratch[v * n + v]), m->noise);
            scratch[u * n + v] = scratch[v * n + u] = known ? slow + far : -1;
        }
    return plani_cluster(m->hosts, scratch, APART, iscratch, site);
}

/* What part of its cap a flow from u to v got. */
static double part(const plani_meetings_t *m, const double *cap, int u, int v)
{
    return m->rate[u * m->hosts + v] / fmin(cap[2 * u], cap[2 * v + 1]);
}

int plani_doubtful(const plani_meetings_t *m, const int *site, const double *cap, int *pair)
{
    int n = 0;

    for (int u = 0; u < m->hosts; u++)
        for (int v = 0; v < m->hosts; v++) {
            if (u == v || site[u] != site[v] || m->rate[u * m->hosts + v] <= 0) continue;
            double mine = part(m, cap, u, v);
            if (!(mine < DOUBT)) continue;
            int at = n++;
            for (; at > 0 && part(m, cap, pair[at - 1] / m->hosts, pair[at - 1] % m->hosts) > mine; at--)
                pair[at] = pair[at - 1];
            pair[at] = u * m->hosts + v;
        }
    return n;
}

/* The largest loss between members of clusters a and b. */
static double linkage(int n, const double *loss, const int *label, int a, int b)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (label[i] == a && label[j] == b) most = fmax(most, loss[i * n + j]);
    return most;
}

int plani_merge_sites(int sites, const double *loss, int *label)
{
    int left = sites;

    for (int i = 0; i < sites; i++) label[i] = i;
    for (;;) {
        int best_a = 0, best_b = 0;
        double best = INFINITY;
        for (int a = 0; a < left; a++)
            for (int b = a + 1; b < left; b++) {
                double l = linkage(sites, loss, label, a, b);
                if (l < best) best = l, best_a = a, best_b = b;
            }
        if (isinf(best)) return left;
        for (int i = 0; i < sites; i++) /* close the gap: labels stay in the order of lowest members */
            label[i] = label[i] == best_b ? best_a : label[i] - (label[i] > best_b);
        left--;
    }
}

plani_shared_t plani_together(double alone, double together)
{
    return together < SHARED_BELOW * alone ? PLANI_SHARED : PLANI_SHARED_NOT;
}

double plani_message_time(int pairs, double one, double together)
{
    return together > 0 && plani_together(pairs * one, together) == PLANI_SHARED ? 1 / together : 0;
}

double plani_beside_cards(double slice, double cards)
{
    static const double HELD_UP = 1.25; /* times what the cards take: less may be unrest */

    return slice < HELD_UP * cards ? 0 : sqrt(slice * slice - cards * cards);
}

bool plani_fit_passing(const double *m, const double *t, const bool *limited, int n, double *a, double *b)
{
    double x[PLANI_LOG], y[PLANI_LOG];
    int known = 0;

    *a = *b = 0;
    for (int i = 0; i < n; i++)
        if (!limited[i]) x[known] = m[i], y[known++] = t[i];
    if (known == 0) return false;
    plani_fit_line(x, y, known, a, b);
    for (int i = 0; i < n; i++) {
        if (!limited[i] || *a + *b * m[i] <= t[i]) continue;
        x[known] = m[i], y[known++] = t[i];
        plani_fit_line(x, y, known, a, b);
    }
    return true;
}

double plani_burst(double bytes, double seconds, double latency, double rate)
{
    static const double CLEARLY = 0.2;  /* of the message: rates are known to some per cent, and latencies vary */
    static const double CERTAIN = 0.95; /* small messages have more headers; the last bytes win microseconds, or wait
                                         * for milliseconds */
    double passed = bytes - rate * fmax(0, seconds - latency);
    return passed > CLEARLY * bytes ? CERTAIN * passed : 0;
}

bool plani_half_duplex(double out_alone, double in_alone, double out_both, double in_both)
{
    double both = out_both + in_both;

    if (fmin(out_alone, in_alone) < 0.75 * fmax(out_alone, in_alone)) return false; /* one medium has one rate */
    return both > 0 && both < 0.65 * (out_alone + in_alone);                        /* half, and some noise */
}

/* What the other sites can take together, 0 if any of them has no limit. */
static double others_take(int sites, const double *other, int s)
{
    double sum = 0;

    for (int b = 0; b < sites; b++) {
        if (b == s) continue;
        if (other[b] <= 0) return 0;
        sum += other[b];
    }
    return sum;
}

void plani_explained_trunks(int sites, const double *other, double *rate)
{
    if (sites < 3) return; /* two trunks in a row: either may be the narrow one */
    for (int s = 0; s < sites; s++) {
        double sum = others_take(sites, other, s);
        if (sum > 0 && rate[s] > 0.93 * sum) rate[s] = 0;
    }
}

/* What one flow gets between two sites the slower way. */
static double both_ways(int sites, const double *rate, int a, int b)
{
    return fmin(rate[a * sites + b], rate[b * sites + a]);
}

/* Near is who reaches a site as fast as any other does: racks of one place may be slower than those of the next. */
int plani_areas(int sites, const double *rate, double *scratch, int *iscratch, int *area)
{
    int n = sites;

    for (int a = 0; a < n; a++) {
        scratch[a * n + a] = 0; /* for now, what the site gets at most */
        for (int b = 0; b < n; b++) {
            double r = both_ways(n, rate, a, b);
            if (a != b && isfinite(r)) scratch[a * n + a] = fmax(scratch[a * n + a], r);
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double most = fmin(scratch[a * n + a], scratch[b * n + b]);
            if (a != b) scratch[a * n + b] = most > 0 ? 1 - fmin(both_ways(n, rate, a, b), most) / most : 0;
        }
    for (int a = 0; a < n; a++) scratch[a * n + a] = 0;
    return plani_cluster(sites, scratch, 0.25, iscratch, area);
}
