#include "oracle/stage_simulation.h"
#include <math.h>

static const plan_link_t *link_between(const plan_platform_data_t *d, int from, int to)
{
    for (size_t l = 0; l < d->nlinks; l++)
        if (d->link[l].from == from && d->link[l].to == to) return &d->link[l];
    return NULL;
}

static int depth_of(const int *parent, int v)
{
    return parent[v] < 0 ? 0 : 1 + depth_of(parent, parent[v]);
}

/* Linear between neighbours, the first value below, the last slope (never a fall) beyond. */
static double curve(size_t n, const double *x, const double *y, double at)
{
    if (at <= x[0]) return y[0];
    if (n == 1) return y[0] * at / x[0];
    for (size_t i = 1; i < n; i++)
        if (at <= x[i]) return y[i - 1] + (y[i] - y[i - 1]) * (at - x[i - 1]) / (x[i] - x[i - 1]);
    return y[n - 1] + fmax(0, (y[n - 1] - y[n - 2]) / (x[n - 1] - x[n - 2])) * (at - x[n - 1]);
}

/* N slices of one stage on a resource: by its table, if that says longer than its rate. */
static double shared(const plan_resource_t *r, int n, double bytes)
{
    double rate = 1 / r->s_per_byte, nearest = INFINITY, size = 0, low = 0, high = INFINITY, low_rate = 0,
           high_rate = 0;

    if (n == 0) return 0;
    for (size_t i = 0; i < r->npairs; i++) { /* which size: the first of equally near ones */
        double far = fabs(log(r->pairs[i].bytes) - log(bytes / n));
        if (far < nearest - 1e-12) nearest = far, size = r->pairs[i].bytes;
    }
    for (size_t i = 0; i < r->npairs; i++) { /* its neighbours to both sides of n */
        const plan_pairs_t *p = &r->pairs[i];
        if (p->bytes != size) continue;
        if (p->messages <= n && p->messages > low) low = p->messages, low_rate = p->bytes_per_s;
        if (p->messages >= n && p->messages < high) high = p->messages, high_rate = p->bytes_per_s;
    }
    if (low > 0 && isfinite(high))
        rate = fmin(rate, high > low ? (low_rate * (high - n) + high_rate * (n - low)) / (high - low) : low_rate);
    else if (low > 0)
        rate = fmin(rate, low_rate);
    else if (isfinite(high))
        rate = fmin(rate, high_rate);
    return n * r->s_per_message + bytes / rate;
}

/* The slowest resource that lists the link. */
static double slowest(const plan_platform_data_t *d, const plan_link_t *l, double bytes)
{
    double seconds = 0;
    for (size_t r = 0; r < d->nresources; r++)
        for (size_t k = 0; k < d->resource[r].nlinks; k++)
            if (&d->link[d->resource[r].link[k]] == l) seconds = fmax(seconds, shared(&d->resource[r], 1, bytes));
    return seconds;
}

/* The slowest of those that have no burst: the others charge by what is left of theirs. */
static double slowest_without(const plan_platform_data_t *d, const plan_link_t *l, double bytes)
{
    double seconds = 0;
    for (size_t r = 0; r < d->nresources; r++)
        for (size_t k = 0; k < d->resource[r].nlinks; k++)
            if (&d->link[d->resource[r].link[k]] == l && d->resource[r].burst_bytes == 0)
                seconds = fmax(seconds, shared(&d->resource[r], 1, bytes));
    return seconds;
}

/* What a port is held for where the link's rate is that of a resource with a burst: not for that. */
static double without_wire(const plan_platform_data_t *d, const plan_link_t *l, double bytes, double busy)
{
    double least = busy, soft = l->latency_s;
    if (l->channel >= 0 && d->channel[l->channel].nsizes > 0) soft = d->channel[l->channel].gap_s[0];
    for (size_t r = 0; r < d->nresources; r++) {
        const plan_resource_t *x = &d->resource[r];
        double alike = x->s_per_byte / l->s_per_byte;
        for (size_t k = 0; k < x->nlinks && x->burst_bytes > 0 && alike >= 0.9 && alike <= 1.1; k++)
            if (&d->link[x->link[k]] == l) least = fmin(least, fmax(soft, busy - bytes * x->s_per_byte));
    }
    return least;
}

static void times(const plan_platform_data_t *d, const plan_link_t *l, double bytes, double *busy, double *flight)
{
    *busy = l->latency_s + bytes * l->s_per_byte;
    *flight = l->delay_s;
    if (l->channel >= 0 && d->channel[l->channel].nsizes > 0) {
        const plan_channel_t *c = &d->channel[l->channel];
        *busy = curve(c->nsizes, c->bytes, c->gap_s, bytes);
        *flight = fmax(0, curve(c->nsizes, c->bytes, c->p2p_s, bytes) - fmax(*busy, slowest(d, l, bytes)));
    }
}

static double occupation(const plan_platform_data_t *d, int u, int v, double bytes, int window)
{
    const plan_link_t *l = link_between(d, u, v);
    double busy, flight;
    times(d, l, bytes, &busy, &flight);
    double soft = without_wire(d, l, bytes, busy);
    if (window == 0) return soft;
    double through = fmax(busy, slowest(d, l, bytes)), round = (through + 2 * flight) / window;
    if (round > through) return round;
    return fmax(soft, (fmax(soft, slowest_without(d, l, bytes)) + 2 * flight) / window);
}

static double flat_tree(const plan_platform_data_t *d, const int *parent, int u, double bytes, int window)
{
    double top = -1, sum = 0, others = 0;
    int class = 0, alike = 0, children = 0;

    for (int v = 0; v < d->ranks; v++) {
        if (parent[v] != u) continue;
        double t = occupation(d, u, v, bytes, window);
        int c = link_between(d, u, v)->channel;
        if (t > top || (t == top && c < class)) top = t, class = c;
        sum += t;
        children++;
    }
    if (children == 0) return 0;
    if (d->send_s != NULL) return fmax(children * d->send_s[u], top);
    if (class < 0 || d->channel[class].ngamma == 0) return sum;
    for (int v = 0; v < d->ranks; v++) {
        if (parent[v] != u) continue;
        if (link_between(d, u, v)->channel == class)
            alike++;
        else
            others += occupation(d, u, v, bytes, window) / top; /* 1/Q */
    }
    const plan_channel_t *c = &d->channel[class];
    int place = alike + (int)floor(others + 1e-9) - 1; /* gamma[0] belongs to one transfer */
    double gamma = c->gamma[0];
    for (int i = 1; i <= place; i++) { /* step by step along the table and its last slope */
        int last = (int)c->ngamma - 1;
        if (i <= last)
            gamma = c->gamma[i];
        else
            gamma += c->ngamma == 1 ? 1 : fmax(0, c->gamma[last] - c->gamma[last - 1]);
    }
    return gamma * top;
}

double oracle_stage_simulation(const plan_platform_data_t *d, const int *parent, size_t bytes, size_t slice, int window)
{
    size_t n = 0, height = 0;
    double total = 0, longest = 0, size[4096], saved[64], held[64];

    for (size_t left = bytes; left > 0; n++) {
        size_t part = slice > 0 && slice < left ? slice : left;
        size[n] = (double)part;
        left -= part;
    }
    if (n == 0 || d->ranks == 1) return 0;
    if ((size_t)window >= n) window = 0;
    for (int v = 0; v < d->ranks; v++)
        if ((size_t)depth_of(parent, v) > height) height = (size_t)depth_of(parent, v);
    for (size_t r = 0; r < d->nresources; r++) saved[r] = d->resource[r].burst_bytes * d->resource[r].s_per_byte;
    for (size_t s = 0; s < n + height - 1; s++) {
        double cost = 0;
        for (int u = 0; u < d->ranks; u++) {
            size_t depth = (size_t)depth_of(parent, u);
            if (s >= depth && s - depth < n) cost = fmax(cost, flat_tree(d, parent, u, size[s - depth], window));
        }
        for (size_t r = 0; r < d->nresources; r++) {
            double sum = 0;
            int messages = 0;
            for (size_t k = 0; k < d->resource[r].nlinks; k++) {
                const plan_link_t *l = &d->link[d->resource[r].link[k]];
                size_t depth = (size_t)depth_of(parent, l->from);
                if (parent[l->to] == l->from && s >= depth && s - depth < n) sum += size[s - depth], messages++;
            }
            held[r] = shared(&d->resource[r], messages, sum);
            cost = fmax(cost, held[r] - saved[r]);
        }
        for (size_t r = 0; r < d->nresources; r++)
            saved[r] = fmin(d->resource[r].burst_bytes * d->resource[r].s_per_byte, saved[r] - held[r] + cost);
        total += cost;
    }
    for (int v = 0; v < d->ranks; v++) {
        double path = 0, busy, flight;
        for (int u = v; parent[u] >= 0; u = parent[u]) {
            times(d, link_between(d, parent[u], u), size[0], &busy, &flight);
            path += flight;
        }
        longest = fmax(longest, path);
    }
    return total + longest;
}
