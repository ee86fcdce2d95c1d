#include "endurance.h"
#include "lib/base/splitmix.h"
#include <string.h>

uint64_t rng_next(rng_t *r)
{
    return plani_random(&r->state);
}

rng_t rng_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    rng_t r = {0};
    const uint64_t part[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) r.state = rng_next(&(rng_t){r.state ^ plani_mixed(part[i] + 1 + (uint64_t)i)});
    return r;
}

size_t rng_below(rng_t *r, size_t n)
{
    return n == 0 ? 0 : (size_t)(rng_next(r) % n);
}

bool rng_one_in(rng_t *r, size_t n)
{
    return rng_below(r, n) == 0;
}

void fill_bytes(uint64_t seed, unsigned char *out, size_t n)
{
    uint64_t at = seed * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < n; i += sizeof at) {
        uint64_t word = plani_mixed(at + i);
        memcpy(out + i, &word, n - i < sizeof word ? n - i : sizeof word);
    }
}
