/* Predict times for larger messages from those for smaller ones. */
#include "baselines.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* [segments] With fewer, start-up and drain of a pipeline cost a notable share, which shrinks as messages grow. */
static const double full = 16;

double before_best(const before_t *b, kind_t kind, size_t bytes)
{
    double from = b->bytes > 65536 ? (double)b->bytes : 65536; /* time of small messages hardly depends on their size */
    if (b->bytes == 0 || !(b->best[kind] > 0)) return NAN;
    return b->best[kind] * (bytes <= 65536 ? 1 : (double)bytes / from);
}

static int find(const before_t *b, const char *name)
{
    for (int i = 0; i < b->n; i++)
        if (strcmp(b->at[i].name, name) == 0) return i;
    return -1;
}

double before_behind(const before_t *b, const setting_t *s, size_t bytes)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s", s->name);
    int i = find(b, name);
    if (i < 0 && s->segment >= b->bytes) { /* what its algorithm took without segments */
        name[strcspn(name, "/")] = '\0';
        i = find(b, name);
    }
    if (i < 0) return NAN;
    double then = s->segment > 0 ? (double)b->at[i].bytes / (double)s->segment : full, now = b->at[i].behind;
    if (then < full && now > 1) now = 1 + (now - 1) * (double)b->at[i].bytes / (double)bytes;
    return now;
}

double before_scaled(const before_t *b, const setting_t *s, size_t bytes)
{
    return before_behind(b, s, bytes) * before_best(b, s->kind, bytes);
}

void before_note(before_t *b, const char *name, kind_t kind, double median)
{
    int i = find(b, name);
    if (i < 0 && b->n == MOST_SETTINGS) return;
    if (i < 0) i = b->n++;
    b->at[i].kind = kind;
    b->at[i].bytes = b->bytes;
    b->at[i].behind = median / b->best[kind];
    snprintf(b->at[i].name, NAME, "%s", name);
}

void before_take(const settings_t *s, const cell_t *c, before_t *b)
{
    b->bytes = c->bytes;
    for (int k = 0; k < KINDS; k++) {
        int best = cell_best(s, c, (kind_t)k);
        b->best[k] = best < 0 ? NAN : c->entry[best].median;
    }
    for (int i = 0; i < s->n; i++)
        if (c->entry[i].n > 0 && c->entry[i].wrong == 0)
            before_note(b, s->at[i].name, s->at[i].kind, c->entry[i].median);
}
