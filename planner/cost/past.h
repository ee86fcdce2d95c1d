/* What smaller messages tell of larger ones: plans of many sizes need not score again what cannot win. */
#ifndef PLANI_PAST_H
#define PLANI_PAST_H

#include <stdbool.h>
#include <stddef.h>

/** An instance at one slice size: its two latest scores, of ascending message sizes. Zero-initialise. */
typedef struct {
    double bytes[2], seconds[2]; /* the latest first; 0 bytes: none */
    bool steady[2];              /* the pipeline was full: more bytes cost in proportion, or more */
} plani_past_t;

/** Note a score. */
static inline void plani_past_note(plani_past_t *p, double bytes, double seconds, bool steady)
{
    p->bytes[1] = p->bytes[0], p->seconds[1] = p->seconds[0], p->steady[1] = p->steady[0];
    p->bytes[0] = bytes, p->seconds[0] = seconds, p->steady[0] = steady;
}

/** The least that a larger message can take [s]: no less than a smaller one, and on with a full pipeline's slope. */
static inline double plani_past_least(const plani_past_t *p, double bytes)
{
    double slope = 0;
    if (p->bytes[0] <= 0 || bytes < p->bytes[0]) return 0;
    if (p->steady[0] && p->steady[1] && p->bytes[0] > p->bytes[1])
        slope = (p->seconds[0] - p->seconds[1]) / (p->bytes[0] - p->bytes[1]);
    return p->seconds[0] + (slope > 0 ? slope * (bytes - p->bytes[0]) : 0);
}

#endif
