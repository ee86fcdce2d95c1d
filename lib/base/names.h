/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from names to numbers. */
#ifndef PLANI_NAMES_H
#define PLANI_NAMES_H

#include <stddef.h>

/** Zero-initialise. The names are borrowed, and must outlive the table. */
typedef struct {
    size_t n, room; /* entries; slots, a power of 2 */
    struct plani_name_slot {
        const char *name; /* NULL: free */
        int number;
    } * slot;
} plani_names_t;

/** The number of the entry with this name; -1: there is none. O(1) on average. */
int plani_names_find(const plani_names_t *t, const char *name);
/** Add an entry, number >= 0, unless there is one of this name. Returns the number of the entry of this name; -1: out
 * of memory. O(1) on average. */
int plani_names_add(plani_names_t *t, const char *name, int number);
void plani_names_clear(plani_names_t *t);

#endif
