/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/rng.h"
#include "lib/base/splitmix.h"
#include <math.h>

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

void plani_rng_seed(plani_rng_t *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) r->state[i] = plani_random(&seed);
    r->has_spare = 0;
}

uint64_t plani_rng_u64(plani_rng_t *r)
{
    uint64_t *s = r->state, result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

double plani_rng_unit(plani_rng_t *r)
{
    return (double)(plani_rng_u64(r) >> 11) * 0x1p-53;
}

uint64_t plani_rng_below(plani_rng_t *r, uint64_t n)
{
    uint64_t whole = UINT64_MAX - UINT64_MAX % n, x; /* a multiple of n */

    do x = plani_rng_u64(r);
    while (x >= whole);
    return x % n;
}

double plani_rng_gauss(plani_rng_t *r)
{
    double x, y, square;

    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    do {
        x = 2 * plani_rng_unit(r) - 1;
        y = 2 * plani_rng_unit(r) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double stretch = sqrt(-2 * log(square) / square);
    r->spare = y * stretch;
    r->has_spare = 1;
    return x * stretch;
}
