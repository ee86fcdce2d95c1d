/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"
#include <stdlib.h>

void *plani_grown(void *array, size_t n, size_t *room, size_t size)
{
    enum { FIRST = 32 };
    if (n < *room) return array;
    size_t more = *room > 0 ? 2 * *room : FIRST;
    void *bigger = realloc(array, more * size);
    if (bigger != NULL) *room = more;
    return bigger;
}
