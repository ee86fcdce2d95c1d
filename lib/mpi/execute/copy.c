/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/copy.h"
#include "lib/base/base.h"
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__
/* `to` is a multiple of a vector's size. \return how many bytes were copied: all whole lines */
static size_t stream(char *to, const char *from, size_t len)
{
    enum { VECTOR = sizeof(__m128i), LINE = 4 * VECTOR };
    size_t at = 0;
    for (; at + LINE <= len; at += LINE) {
        const __m128i *in = (const __m128i *)(const void *)(from + at);
        __m128i *out = (__m128i *)(void *)(to + at);
        __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1), c = _mm_loadu_si128(in + 2),
                d = _mm_loadu_si128(in + 3);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
    _mm_sfence();
    return at;
}
#else
static size_t stream(char *to, const char *from, size_t len)
{
    (void)to, (void)from, (void)len;
    return 0;
}
#endif

/* The C library copies more than a piece by `rep movsb`, unless tuned otherwise. Some processors (AMD Zen 3) take ten
 * to twenty times as long for it if the bytes go to 1 to 31 bytes further on in their pages than they come from. Large
 * blocks by malloc begin 16 bytes behind a page, and slots where a page does. */
static bool is_slow_at_once(const char *to, const char *from)
{
    enum { PAGE = 4096, LINE = 64 };
    size_t ahead = ((uintptr_t)to - (uintptr_t)from) % PAGE;
    return ahead > 0 && ahead < LINE;
}

PLANI_HOT void plani_copy_long(char *to, const char *from, size_t len)
{
    const size_t most = is_slow_at_once(to, from) ? PLANI_PIECE : len;
    for (size_t at = 0; at < len; at += most) memcpy(to + at, from + at, len - at < most ? len - at : most);
}

static bool copies_reach(size_t most, size_t bytes, int ranks)
{
    return bytes >= most || bytes * (size_t)ranks >= most;
}

bool plani_may_pass_caches(size_t bytes, int ranks)
{
    static const size_t KEPT = 4 << 20; /* [B] all copies together */
    return copies_reach(KEPT, bytes, ranks);
}

bool plani_passes_caches(size_t bytes, int ranks)
{
    /* [B] all copies together. On two cores, which have 2 MiB of cache each and a large one in common: 128 MiB, by 16
     * or 32 ranks, took 0.6 to 0.8 of the time; 64 MiB, by 2, 4 or 16 ranks, 0.8 to 1.2 (bench_inside). */
    static const size_t CACHED = 128 << 20;
    return copies_reach(CACHED, bytes, ranks);
}

PLANI_HOT void plani_copy_out(char *to, const char *from, size_t len, bool past_caches)
{
    enum { LINE = 64 };
    size_t before = -(uintptr_t)to % LINE, at = 0;

    if (past_caches && len > before) {
        memcpy(to, from, before);
        at = before + stream(to + before, from + before, len - before);
    }
    plani_copy(to + at, from + at, len - at);
}
