/* Cards, sites and trunks from the rates and latencies between hosts. */
#include "lib/mpi/measure/infer/infer.h"
#include <limits.h>
#include <math.h>

/* Flows that share a resource get less than this part of their rates alone. Noise is a few per cent. */
static const double SHARED_BELOW = 0.85;
static const double DOUBT = 0.9;   /* flows below this part of what the cards allow are measured again */
static const double APART = 0.12;  /* largest mean loss between hosts of one site */
static const double SLIGHT = 0.06; /* half of it */

/* The largest of n values at `stride`. A rate that is too high by chance splits a site; phases/site.c merges it again.
 * */
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

/* The relative loss of u -> v: the part of what the cards allow that is missing; 0 if unknown. */
static double loss(const plani_meetings_t *m, const double *out, const double *in, int u, int v)
{
    double rate = m->slowest[(size_t)u * m->hosts + v], cards = fmin(out[u], in[v]);

    if (rate <= 0 || cards <= 0) return 0;
    return fmax(0, 1 - rate / cards);
}

/* [s] The smallest latency from h to another host, or that is likely (less than 0). */
static double nearest_latency(const plani_meetings_t *m, int h)
{
    double least = INFINITY;

    for (int v = 0; v < m->hosts; v++) {
        double l = fabs(m->latency[(size_t)h * m->hosts + v]);
        if (v != h && l > 0) least = fmin(least, l);
    }
    return least;
}

double plani_farness(double latency, double near, double noise)
{
    if (!(latency > 0) || !isfinite(near) || latency < near + 20e-6 + 4 * noise) return 0;
    return latency > 2 * near ? APART * (latency / near - 1) : 0;
}

/* Whether a latency is above one within a site by more than noise, though less than plani_farness asks. */
static bool is_farther(double latency, double near, double noise)
{
    static const double AWAY = 1.25; /* times */

    return isfinite(near) && latency > AWAY * near && latency > near + 6 * noise;
}

/* The same of one host and a site: its processor may be slower, or shared. */
static bool is_clearly_farther(double latency, double near, double noise)
{
    static const double ASIDE = 10e-6; /* [s] */

    return is_farther(latency, near, noise) && latency > near + ASIDE;
}

/* The lesser of two latencies, of which 0 is unknown. */
static double shorter(double a, double b)
{
    return a > 0 && (b <= 0 || a < b) ? a : b;
}

static int hosts_in(const plani_meetings_t *m, const int *site, int which)
{
    int n = 0;
    for (int h = 0; h < m->hosts; h++) n += site[h] == which;
    return n;
}

void plani_site_latencies(const plani_meetings_t *m, const int *site, int sites, double *latency)
{
    for (int i = 0; i < sites * sites; i++) latency[i] = 0;
    for (int u = 0; u < m->hosts; u++)
        for (int v = 0; v < m->hosts; v++) {
            double l = u == v ? 0 : m->latency[(size_t)u * m->hosts + v];
            double *between = &latency[site[u] * sites + site[v]], *nearest = &latency[site[u] * sites + site[u]];
            *between = shorter(l, *between);
            *nearest = shorter(l, *nearest);
        }
    for (int a = 0; a < sites; a++)
        if (hosts_in(m, site, a) == 1) latency[a * sites + a] *= -1;
}

bool plani_far_apart(int sites, const double *latency, double noise, int a, int b)
{
    double between = latency[a * sites + b], of_a = latency[a * sites + a], of_b = latency[b * sites + b];

    if (is_farther(between, fmax(fabs(of_a), fabs(of_b)), noise)) return true;
    return of_a * of_b < 0 && is_clearly_farther(between, fmax(of_a, of_b), noise);
}

/* dist [hosts^2]: how much flows between two hosts miss, and how far apart they are; -1 unknown: no flow, and near.
 * Where flows tell nothing, the nearer hosts are of one site: latencies that differ, but not enough for another site,
 * add SLIGHT. */
static void find_distances(const plani_meetings_t *m, const double *out, const double *in, double *dist)
{
    size_t n = (size_t)m->hosts;

    for (size_t u = 0; u < n; u++) dist[u * n + u] = nearest_latency(m, (int)u);
    for (size_t u = 0; u < n; u++)
        for (size_t v = u + 1; v < n; v++) {
            double latency = m->latency[u * n + v], near = fmax(dist[u * n + u], dist[v * n + v]);
            double slow = 0.5 * (loss(m, out, in, (int)u, (int)v) + loss(m, out, in, (int)v, (int)u));
            double far = plani_farness(latency, near, m->noise);
            bool known = m->rate[u * n + v] > 0 || m->rate[v * n + u] > 0 || far > 0;
            if (far == 0 && is_farther(latency, near, m->noise)) far = SLIGHT;
            dist[u * n + v] = dist[v * n + u] = known ? slow + far : -1;
        }
}

/* How well host h fits into a site: the sum over its hosts of what their distances leave of APART. */
static double fit(int hosts, const double *dist, const int *site, int h, int which)
{
    double sum = 0;

    for (int v = 0; v < hosts; v++)
        if (v != h && site[v] == which && dist[(size_t)h * hosts + v] >= 0) sum += APART - dist[(size_t)h * hosts + v];
    return sum;
}

int plani_number_sites(int hosts, int *scratch, int *site)
{
    int numbered = 0;

    for (int h = 0; h < hosts; h++) scratch[h] = site[h];
    for (int h = 0; h < hosts; h++) {
        int first = 0;
        while (scratch[first] != scratch[h]) first++;
        site[h] = first == h ? numbered++ : site[first];
    }
    return numbered;
}

/* The mean distance of host h from a site's others; 0: fewer than three are known. */
static double mean_from(int hosts, const double *dist, const int *site, int h, int which)
{
    double sum = 0;
    int n = 0;

    for (int v = 0; v < hosts; v++)
        if (v != h && site[v] == which && dist[(size_t)h * hosts + v] >= 0) sum += dist[(size_t)h * hosts + v], n++;
    return n > 2 ? sum / n : 0;
}

/* Whether host h loses to a site's others clearly more than these do to each other. O(hosts) where it loses little */
static bool stands_out(int hosts, const double *dist, const int *site, int h, int which)
{
    static const double STANDS_OUT = 3; /* times; in disturbed measurements all lose */
    double own = mean_from(hosts, dist, site, h, which), others = 0;
    int n = 0;

    if (!(own > SLIGHT)) return false;
    for (int u = 0; u < hosts; u++)
        for (int v = u + 1; v < hosts && u != h && site[u] == which; v++) {
            double d = dist[(size_t)u * hosts + v];
            if (v != h && site[v] == which && d >= 0) others += d, n++;
        }
    return n > 2 && own > STANDS_OUT * others / n;
}

/* Two hosts of two sites that met while few others crossed the trunk seem near, and what has been merged once stays so:
 * each host goes where it fits best, to a site of its own if nowhere, until all do. \return whether some host has moved
 */
static bool move_hosts(int hosts, int *sites, const double *dist, int *site)
{
    bool moved = false;

    for (int h = 0; h < hosts; h++) {
        int best = site[h];
        double most = fit(hosts, dist, site, h, best);
        if (most < 0 || stands_out(hosts, dist, site, h, best)) most = 0, best = *sites;
        for (int k = 0; k < *sites; k++) {
            double there = fit(hosts, dist, site, h, k);
            if (k != site[h] && there > most && !stands_out(hosts, dist, site, h, k)) most = there, best = k;
        }
        moved = moved || best != site[h];
        site[h] = best;
        if (best == *sites) ++*sites;
    }
    return moved;
}

int plani_sites(const plani_meetings_t *m, const double *out, const double *in, double *scratch, int *iscratch,
                int *site)
{
    int n = m->hosts;

    find_distances(m, out, in, scratch);
    int sites = plani_cluster(n, scratch, APART, iscratch, site); /* which uses them up */
    if (sites < 2) return sites;
    find_distances(m, out, in, scratch);
    for (int times = 0; times < n && move_hosts(n, &sites, scratch, site); times++) continue;
    return plani_number_sites(n, iscratch, site);
}

/* [B/s] The fastest flow out of (or into) the site of x, without those of x. */
static double fastest(const plani_meetings_t *m, const int *site, int x, bool out)
{
    double most = 0;

    for (int u = 0; u < m->hosts; u++)
        for (int v = 0; v < m->hosts; v++)
            if (u != x && site[u] == site[x] && site[v] != site[x])
                most = fmax(most, m->rate[out ? u * m->hosts + v : v * m->hosts + u]);
    return most;
}

/* Whether host x sees no trunk: it is clearly slower in both directions than the fastest cards of its site, and less
 * than NO_FASTER times as fast as the fastest flows between the site's other hosts and other sites. */
static bool sees_nothing(const plani_meetings_t *m, const double *out, const double *in, const int *site, int x)
{
    static const double NO_FASTER = 2; /* the others' flows ran at the same time, and shared trunks */
    double best_out = 0, best_in = 0;

    for (int u = 0; u < m->hosts; u++)
        if (site[u] == site[x]) best_out = fmax(best_out, out[u]), best_in = fmax(best_in, in[u]);
    return out[x] < SHARED_BELOW * best_out && in[x] < SHARED_BELOW * best_in &&
           out[x] < NO_FASTER * fastest(m, site, x, true) && in[x] < NO_FASTER * fastest(m, site, x, false);
}

int plani_part_slow(const plani_meetings_t *m, const double *out, const double *in, int sites, int most, int *scratch,
                    int *site)
{
    for (int x = 0; x < m->hosts && sites > 1 && sites < most; x++)
        if (sees_nothing(m, out, in, site, x)) site[x] = sites++;
    plani_number_sites(m->hosts, scratch, site);
    return sites;
}

/* [s] The smallest known latency between host h and the others of its site but x; INFINITY: none is known. */
static double nearest_in_site(const plani_meetings_t *m, const int *site, int h, int x)
{
    double least = INFINITY;

    for (int v = 0; v < m->hosts; v++) {
        double l = m->latency[(size_t)h * m->hosts + v];
        if (v != h && v != x && site[v] == site[h] && l > 0) least = fmin(least, l);
    }
    return least;
}

/* Whether host x is farther from all others of its site than each of these is from another one of them. */
static bool is_aside(const plani_meetings_t *m, const int *site, int x)
{
    double mine = nearest_in_site(m, site, x, -1);
    bool any = false;

    if (isinf(mine)) return false; /* nothing is known */
    for (int h = 0; h < m->hosts; h++) {
        double near = h != x && site[h] == site[x] ? nearest_in_site(m, site, h, x) : INFINITY;
        if (!isfinite(near)) continue;
        if (!is_clearly_farther(mine, near, m->noise)) return false;
        any = true;
    }
    return any;
}

int plani_part_aside(const plani_meetings_t *m, int sites, int *scratch, int *site)
{
    for (int x = 0; x < m->hosts; x++)
        if (is_aside(m, site, x)) site[x] = sites++;
    plani_number_sites(m->hosts, scratch, site);
    return sites;
}

/* The site of those of x's former site that were not slow: of several hosts, or of the one with the fastest flow. */
static int site_left(const plani_meetings_t *m, const int *whole, const int *site, int x)
{
    int left = site[x];
    double most = 0;

    for (int h = 0; h < m->hosts; h++) {
        if (whole[h] != whole[x]) continue;
        double fastest_out = hosts_in(m, site, site[h]) > 1 ? INFINITY : largest(m->rate + h * m->hosts, m->hosts, 1);
        if (fastest_out > most) most = fastest_out, left = site[h];
    }
    return left;
}

int plani_rejoin_slow(const plani_meetings_t *m, const double *out, const double *in, const int *whole, const int *site,
                      int sites, int *scratch, int *label)
{
    for (int k = 0; k < sites; k++) label[k] = k;
    for (int x = 0; x < m->hosts; x++)
        if (hosts_in(m, site, site[x]) == 1 && !sees_nothing(m, out, in, whole, x))
            label[site[x]] = site_left(m, whole, site, x);
    return plani_number_sites(sites, scratch, label);
}

/* The rate of u -> v as a part of what its cards allow. */
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
        for (int i = 0; i < sites; i++) /* renumber: labels stay in the order of lowest members */
            label[i] = label[i] == best_b ? best_a : label[i] - (label[i] > best_b);
        left--;
    }
}

plani_shared_t plani_together(double alone, double together)
{
    return together < SHARED_BELOW * alone ? PLANI_SHARED : PLANI_SHARED_NOT;
}

bool plani_crosses(double without, double with, double alone)
{
    static const double SEEN = 0.08; /* part of the others' rate: less is noise */

    return alone > SEEN * without && with - without < 0.5 * alone;
}

double plani_message_time(int pairs, double one, double together)
{
    return together > 0 && plani_together(pairs * one, together) == PLANI_SHARED ? 1 / together : 0;
}

double plani_beside_cards(double slice, double cards)
{
    static const double HELD_UP = 1.25; /* times the cards' time: less may be noise */

    return slice < HELD_UP * cards ? 0 : sqrt(slice * slice - cards * cards);
}

bool plani_fit_passing(const double *m, const double *t, const bool *limited, int n, double *a, double *b)
{
    static const double SPAN = 16; /* largest / smallest size: below that the slope is unknown */
    double x[PLANI_LOG], y[PLANI_LOG];
    plani_summary_t sum;
    int known = 0;

    *a = *b = 0;
    for (int i = 0; i < n; i++)
        if (!limited[i]) x[known] = m[i], y[known++] = t[i];
    if (known == 0) return false;
    if (x[known - 1] < SPAN * x[0]) {
        plani_summarize(y, known, &sum);
        *a = sum.median;
        return true;
    }
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
    static const double CLEARLY = 0.2;  /* part of the message: rates have errors of some per cent, latencies vary */
    static const double CERTAIN = 0.95; /* part of the burst that is kept: small messages have more headers, and bytes
                                         * that just miss the burst wait for milliseconds */
    double passed = bytes - rate * fmax(0, seconds - latency);
    return passed > CLEARLY * bytes ? CERTAIN * passed : 0;
}

bool plani_half_duplex(double out_alone, double in_alone, double out_both, double in_both)
{
    double both = out_both + in_both;

    if (fmin(out_alone, in_alone) < 0.75 * fmax(out_alone, in_alone)) return false; /* one medium has one rate */
    return both > 0 && both < 0.65 * (out_alone + in_alone);                        /* half, with a margin for noise */
}

int plani_relay_fan(double in, double out)
{
    static const double KNOWN = 1.05; /* so well rates are */

    return (int)fmin(INT_MAX, KNOWN * out / in);
}

double plani_relay_rate(double in, double out, int fan, double longer)
{
    double part = fan * in / out; /* of time that the outbound card is busy */

    return (in + out) / (1 + fmax(0, longer - 1) / part);
}

/* [B/s] The sum of the other sites' trunks in the other direction, 0 if any of them has no limit. */
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

static bool about(double a, double b)
{
    static const double ALIKE = 0.12;

    return fabs(a - b) <= ALIKE * fmax(a, b);
}

bool plani_trunks_alike(const plani_way_seen_t *a, const plani_way_seen_t *b)
{
    return a->hosts == b->hosts && about(a->cards, b->cards) && about(a->alone, b->alone);
}

double plani_guess_trunk(const plani_way_seen_t *trunk, int n, int i)
{
    const plani_way_seen_t *t = &trunk[i];

    for (int k = 0; k < n; k++)
        if (k != i && trunk[k].measured && plani_trunks_alike(t, &trunk[k])) return trunk[k].rate;
    return t->alone > 0 && plani_together(t->cards, t->alone) == PLANI_SHARED ? t->alone : 0;
}

/* Whether trunk i is like one that comes before it: a slower one, or an equal one of a lower index. */
static bool is_like_another(const plani_way_seen_t *trunk, int n, int i)
{
    for (int k = 0; k < n; k++) {
        bool before = trunk[k].alone < trunk[i].alone || (k < i && trunk[k].alone == trunk[i].alone);
        if (before && plani_trunks_alike(&trunk[i], &trunk[k])) return true;
    }
    return false;
}

void plani_order_trunks(const plani_way_seen_t *trunk, int n, int *order)
{
    int placed = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0, first = placed; i < n; i++) {
            int at = placed;
            if (is_like_another(trunk, n, i) != (pass == 1)) continue;
            for (; at > first && trunk[order[at - 1]].alone > trunk[i].alone; at--) order[at] = order[at - 1];
            order[at] = i;
            placed++;
        }
}

void plani_explained_trunks(int sites, const double *other, double *rate)
{
    if (sites < 3) return; /* two trunks in series: either may be the bottleneck */
    for (int s = 0; s < sites; s++) {
        double sum = others_take(sites, other, s);
        if (sum > 0 && rate[s] > 0.93 * sum) rate[s] = 0;
    }
}

/* [B/s] The slower direction of one flow between two sites. */
static double both_ways(int sites, const double *rate, int a, int b)
{
    return fmin(rate[a * sites + b], rate[b * sites + a]);
}

/* Flows e and f, at the same time and at different times. False if a rate is unknown. */
static bool add_met(int sites, const double *met, const double *apart, const int *flows, plani_met_t *to)
{
    int e = flows[0] * sites + flows[1], f = flows[2] * sites + flows[3];

    *to = (plani_met_t){{flows[0], flows[1], flows[2], flows[3]}, {met[e], met[f]}, {apart[e], apart[f]}};
    return met[e] > 0 && met[f] > 0 && apart[e] > 0 && apart[f] > 0;
}

size_t plani_who_met(int sites, const double *straight, const double *turned, plani_met_t *met)
{
    size_t n = 0;

    for (int k = 0; k < plani_rounds(sites); k++)
        for (int nth = 0; nth + 1 < sites / 2; nth += 2) {
            int a, b, c, d;
            plani_pair(sites, k, nth, &a, &b);
            plani_pair(sites, k, nth + 1, &c, &d);
            const int flows[4][4] = {{a, b, c, d}, {b, a, d, c}, {a, b, d, c}, {b, a, c, d}};
            for (int i = 0; i < 4; i++)
                n += add_met(sites, i < 2 ? straight : turned, i < 2 ? turned : straight, flows[i], &met[n]);
        }
    return n;
}

/* A search for the areas that explain best what flows got that met. */
typedef struct {
    int sites, areas;
    const plani_met_t *met;
    size_t n;
    int *area, *best; /* [sites] under test; the best so far */
    double least;     /* wrongness of the best */
} explaining_t;

/* The area whose trunk out (or in) both flows pass; -1: none. */
static int shared_area(const int *area, const int *site, bool out)
{
    int one = area[site[out ? 0 : 1]], other = area[site[out ? 2 : 3]];
    bool across = one != area[site[out ? 1 : 0]] && other != area[site[out ? 3 : 2]];

    return across && one == other ? one : -1;
}

/* most [2 sites] [B/s]: what has passed each area's trunk out and in. */
static void find_passed(const explaining_t *e, double *most)
{
    for (int k = 0; k < 2 * e->sites; k++) most[k] = 0;
    for (size_t i = 0; i < e->n; i++) {
        const plani_met_t *m = &e->met[i];
        for (int way = 0; way < 2; way++) {
            bool both = shared_area(e->area, m->site, way == 0) >= 0;
            for (int k = 0; k < 2; k++) {
                int from = e->area[m->site[2 * k]], to = e->area[m->site[2 * k + 1]];
                double *passed = &most[2 * (way == 0 ? from : to) + way];
                if (from != to) *passed = fmax(*passed, fmax(m->apart[k], both ? m->met[0] + m->met[1] : m->met[k]));
            }
        }
    }
}

/* The sum over flows that met of the squared logarithm of how much more they would have got, had each area's trunk a
 * rate of the most that has passed it. most [2 sites] scratch */
static double wrongness(const explaining_t *e, double *most)
{
    double sum = 0;

    find_passed(e, most);
    for (size_t i = 0; i < e->n; i++) {
        const plani_met_t *m = &e->met[i];
        int out = shared_area(e->area, m->site, true), in = shared_area(e->area, m->site, false);
        double total = m->met[0] + m->met[1], expected = m->apart[0] + m->apart[1];
        if (out >= 0) expected = fmin(expected, most[2 * out]);
        if (in >= 0) expected = fmin(expected, most[2 * in + 1]);
        if (expected > total) sum += log(expected / total) * log(expected / total);
    }
    return sum;
}

/* Try all partitions: each site joins an area of the sites before it, or begins a new one. Ties: the first. */
static void explain(explaining_t *e, int placed, int areas)
{
    static const double EXPLAINS = 0.04; /* of wrongness, at least: one total that is a fifth less */
    double most[2 * PLANI_MEET_MOST];

    if (placed == e->sites) {
        double wrong = wrongness(e, most) + EXPLAINS * areas;
        if (wrong >= e->least) return;
        e->least = wrong, e->areas = areas;
        for (int i = 0; i < e->sites; i++) e->best[i] = e->area[i];
        return;
    }
    for (int a = 0; a <= areas; a++) {
        e->area[placed] = a;
        explain(e, placed + 1, areas + (a == areas));
    }
}

/* Distance: 1 - rate / the smaller of both sites' fastest rates. Relative to each site, for the racks of one place may
 * be slower than those of another. */
static void rate_distances(int sites, const double *rate, double *dist)
{
    int n = sites;

    for (int a = 0; a < n; a++) {
        dist[a * n + a] = 0; /* until the end: the site's fastest rate */
        for (int b = 0; b < n; b++) {
            double r = both_ways(n, rate, a, b);
            if (a != b && isfinite(r)) dist[a * n + a] = fmax(dist[a * n + a], r);
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double most = fmin(dist[a * n + a], dist[b * n + b]);
            if (a != b) dist[a * n + b] = most > 0 ? 1 - fmin(both_ways(n, rate, a, b), most) / most : 0;
        }
    for (int a = 0; a < n; a++) dist[a * n + a] = 0;
}

int plani_areas(int sites, const plani_met_t *met, size_t n, const double *rate, double *scratch, int *iscratch,
                int *area)
{
    static const double RATES_APART = 0.25;
    explaining_t e = {.sites = sites, .met = met, .n = n, .area = iscratch, .best = area, .least = INFINITY};

    if (n > 0) {
        explain(&e, 0, 0);
        return e.areas;
    }
    rate_distances(sites, rate, scratch);
    return plani_cluster(sites, scratch, RATES_APART, iscratch, area);
}

/* [s] The smallest latency from site a to another one. */
static double nearest_site(int sites, const double *latency, int a)
{
    double least = INFINITY;

    for (int b = 0; b < sites; b++)
        if (b != a && latency[a * sites + b] > 0) least = fmin(least, latency[a * sites + b]);
    return least;
}

int plani_areas_by_latency(int sites, const double *latency, double noise, double *scratch, int *iscratch, int *area)
{
    static const double FARTHER = 1.5; /* times the latency to the nearest site; flows across prove the area */

    for (int a = 0; a < sites; a++)
        for (int b = 0; b < sites; b++) {
            double l = latency[a * sites + b];
            double near = fmin(nearest_site(sites, latency, a), nearest_site(sites, latency, b));
            double over = l > near + 4 * noise ? l / near : 1;
            scratch[a * sites + b] = a == b ? 0 : l > 0 ? over : -1;
        }
    return plani_cluster(sites, scratch, FARTHER, iscratch, area);
}
