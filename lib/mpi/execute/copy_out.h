/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies out of shared memory into the receivers' buffers. Private. */
#ifndef PLANI_COPY_OUT_H
#define PLANI_COPY_OUT_H

#include <stdbool.h>
#include <stddef.h>

/** Whether a message of `bytes` that `ranks` of a host receive is better copied past the caches: they cannot keep all
 * copies until the last one is complete. */
bool plani_passes_caches(size_t bytes, int ranks);

/** As memcpy. Past the caches no line is read before it is overwritten, and what is read stays in the cache. */
void plani_copy_out(char *to, const char *from, size_t len, bool past_caches);

#endif
