/*
 * Times of full pipelines, kept for longer messages.
 *
 * A full pipeline takes the same time for each further slice. So the stages of one message give the time of all longer
 * messages of the same slice size and window that end with a full slice, exactly. With bursts a stage depends on the
 * state of the token buckets. So the state in which the pipeline gets full is kept, too, with the events while it
 * drains, and these are repeated for each message.
 */
#include <stdlib.h>
#include <string.h>
#include "planner/taulop/stages_private.h"

plan_status_t plani_stages_keep(plani_stages_t *st)
{
    size_t buckets = st->buckets.n, changes = (size_t)st->height + 1;

    for (size_t i = 0; i < st->nresources; i++)
        if (st->load[i].bucket != PLANI_NO_BUCKET) changes += (size_t)st->load[i].uses;
    if (buckets == 0) changes = 1;
    size_t bytes = PLANI_KEPT * (2 * buckets * sizeof *st->full_state + changes * sizeof *st->change);
    if (st->costs == NULL || st->kept != NULL || bytes > PLANI_MOST_KEPT) return PLAN_OK;
    st->changes = changes;
    st->full_state = malloc((2 * PLANI_KEPT * buckets + 1) * sizeof *st->full_state);
    st->change = malloc(PLANI_KEPT * changes * sizeof *st->change);
    st->kept = malloc(PLANI_KEPT * sizeof *st->kept);
    return st->full_state != NULL && st->change != NULL && st->kept != NULL ? PLAN_OK : PLAN_ENOMEM;
}

plani_full_pipeline_t *plani_kept_of(plani_stages_t *st, double slice, int limit)
{
    if (st->kept == NULL || limit < 0) return NULL;
    for (size_t i = 0; i < st->nkept; i++)
        if (st->kept[i].slice == slice && st->kept[i].limit == limit) return &st->kept[i];
    size_t at = st->nkept < PLANI_KEPT ? st->nkept++ : st->oldest++ % PLANI_KEPT;
    st->kept[at] = (plani_full_pipeline_t){.slice = slice, .limit = limit};
    return &st->kept[at];
}

plani_full_pipeline_t *plani_kept_pipeline(plani_stages_t *st, plani_cut_t cut, int limit)
{
    return cut.last == cut.full && cut.n > (size_t)st->height ? plani_kept_of(st, cut.full, limit) : NULL;
}

static double *full_state_of(const plani_stages_t *st, const plani_full_pipeline_t *kept)
{
    return st->full_state + 2 * st->buckets.n * (size_t)(kept - st->kept);
}

static plani_drain_step_t *changes_of(const plani_stages_t *st, const plani_full_pipeline_t *kept)
{
    return st->change + st->changes * (size_t)(kept - st->kept);
}

void plani_kept_begin(plani_stages_t *st, plani_full_pipeline_t *kept, double fill, double stage)
{
    const plani_buckets_t *b = &st->buckets;

    kept->fill = fill;
    kept->stage = stage;
    if (b->n == 0) return;
    double *full_state = full_state_of(st, kept);
    memcpy(full_state, b->left, b->n * sizeof *full_state);
    memcpy(full_state + b->n, b->load, b->n * sizeof *full_state);
    st->note = changes_of(st, kept);
}

double plani_kept_pass(plani_stages_t *st, double least, double stages)
{
    if (st->note != NULL) *st->note++ = (plani_drain_step_t){PLANI_NO_BUCKET, least};
    return plani_buckets_pass(&st->buckets, least, stages);
}

double plani_full_pipeline_time(plani_stages_t *st, const plani_full_pipeline_t *kept, plani_cut_t cut)
{
    plani_buckets_t *b = &st->buckets;
    double times = (double)(cut.n - (size_t)st->height);

    if (b->n == 0) return kept->fill + kept->stage * times + kept->flight;
    const double *full_state = full_state_of(st, kept);
    const plani_drain_step_t *change = changes_of(st, kept);
    memcpy(b->left, full_state, b->n * sizeof *full_state);
    memcpy(b->load, full_state + b->n, b->n * sizeof *full_state);
    double total = kept->fill + plani_buckets_pass(b, kept->stage, times);
    for (int passed = 0; passed < st->height; change++) {
        if (change->bucket != PLANI_NO_BUCKET) {
            b->load[change->bucket] = change->seconds;
            continue;
        }
        total += plani_buckets_pass(b, change->seconds, 1);
        passed++;
    }
    return total + kept->flight;
}
