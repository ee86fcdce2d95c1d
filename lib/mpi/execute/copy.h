/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies between the users' buffers and shared memory. Private. */
#ifndef PLANI_COPY_H
#define PLANI_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** [B] Pieces up to this size the C library copies by vectors. */
#define PLANI_PIECE ((size_t)2048)

/** plani_copy, for more than a piece. */
void plani_copy_long(char *to, const char *from, size_t len);
/** As memcpy, and as fast wherever the bytes lie in their pages. */
static inline void plani_copy(char *to, const char *from, size_t len)
{
    if (len <= PLANI_PIECE)
        memcpy(to, from, len);
    else
        plani_copy_long(to, from, len);
}

/** Whether it may be better to copy a message of `bytes`, that `ranks` of a host receive, past the caches. */
bool plani_may_pass_caches(size_t bytes, int ranks);
/** Whether a message of `bytes` that `ranks` of a host receive is better copied past the caches, as far as that is
 * known beforehand: they cannot keep all copies until the last one is complete. */
bool plani_passes_caches(size_t bytes, int ranks);

/** As memcpy, out of shared memory. Past the caches no line is read before it is overwritten, and what is read stays in
 * the cache. */
void plani_copy_out(char *to, const char *from, size_t len, bool past_caches);

#endif
