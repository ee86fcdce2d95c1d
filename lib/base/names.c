/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/names.h"
#include "lib/base/base.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST = 32 };

/* The slot of this name, or the free one where it belongs: linear probing in a table that is at most half full. */
static struct plani_name_slot *slot_of(const plani_names_t *t, const char *name)
{
    uint64_t hash = plani_hash_bytes(PLANI_HASH_START, name, strlen(name));
    size_t at = (size_t)(hash ^ hash >> 32) & (t->room - 1);

    while (t->slot[at].name != NULL && strcmp(t->slot[at].name, name) != 0) at = (at + 1) & (t->room - 1);
    return &t->slot[at];
}

void plani_names_clear(plani_names_t *t)
{
    free(t->slot);
    *t = (plani_names_t){0};
}

static plan_status_t grow(plani_names_t *t)
{
    plani_names_t larger = {.n = t->n, .room = t->room > 0 ? 2 * t->room : FIRST};

    if ((larger.slot = calloc(larger.room, sizeof *larger.slot)) == NULL) return PLAN_ENOMEM;
    for (size_t i = 0; i < t->room; i++)
        if (t->slot[i].name != NULL) *slot_of(&larger, t->slot[i].name) = t->slot[i];
    struct plani_name_slot *old = t->slot;
    t->slot = larger.slot, t->room = larger.room;
    free(old);
    return PLAN_OK;
}

int plani_names_find(const plani_names_t *t, const char *name)
{
    if (t->n == 0) return -1;
    const struct plani_name_slot *s = slot_of(t, name);
    return s->name != NULL ? s->number : -1;
}

int plani_names_add(plani_names_t *t, const char *name, int number)
{
    if (2 * (t->n + 1) > t->room && grow(t) != PLAN_OK) return -1;
    struct plani_name_slot *s = slot_of(t, name);
    if (s->name == NULL) {
        *s = (struct plani_name_slot){.name = name, .number = number};
        t->n++;
    }
    return s->number;
}
