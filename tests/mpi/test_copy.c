/* Copies into and out of shared memory: the same bytes and no others by all ways, for any start and length. */
#include "suite.h"
#include "lib/mpi/execute/copy.h"
#include <limits.h>
#include <stdint.h>
#include <string.h>

enum { MOST = 700, ROOM = MOST + 200 };

static void copies_are_exact(void)
{
    static char from[ROOM], to[ROOM], expected[ROOM];
    for (int i = 0; i < ROOM; i++) from[i] = (char)(i * 31 + i / 7);
    for (size_t len = 0; len <= MOST; len += len < 140 ? 1 : 37)
        for (size_t start = 0; start < 70; start += 3)
            for (size_t source = 0; source < 70; source += 23) {
                memset(expected, -1, ROOM);
                memcpy(expected + start, from + source, len);
                for (int past = 0; past < 2; past++) {
                    memset(to, -1, ROOM);
                    plani_copy_out(to + start, from + source, len, past);
                    CU_ASSERT_EQUAL(memcmp(to, expected, ROOM), 0);
                }
            }
}

/* Where the bytes lie in their pages. */
static void long_copies_are_exact(void)
{
    enum { LONG = 4 * PLANI_PIECE, ALL = LONG + 400 };
    static char from[ALL], expected[ALL], block[ALL + 8192];
    for (int i = 0; i < ALL; i++) from[i] = (char)(i * 31 + i / 7);
    for (size_t ahead = 0; ahead < 200; ahead += 1 + ahead / 64 * 13)
        for (size_t len = PLANI_PIECE - 1; len <= LONG; len += len < PLANI_PIECE + 2 ? 1 : 1021) {
            char *to = block + ((uintptr_t)from + ahead - (uintptr_t)block) % 4096;
            memset(to, -1, ALL);
            memset(expected, -1, ALL);
            memcpy(expected, from, len);
            plani_copy(to, from, len);
            CU_ASSERT_EQUAL(memcmp(to, expected, ALL), 0);
        }
}

static void all_copies_of_a_host_count(void)
{
    CU_ASSERT(plani_passes_caches(128 << 20, 1) && !plani_passes_caches((128 << 20) - 1, 1));
    CU_ASSERT(plani_passes_caches(4 << 20, 32) && !plani_passes_caches(4 << 20, 31));
    CU_ASSERT(plani_may_pass_caches(4 << 20, 1) && !plani_may_pass_caches((4 << 20) - 1, 1));
    CU_ASSERT(plani_may_pass_caches(128 << 10, 32) && !plani_may_pass_caches(128 << 10, 31));
    CU_ASSERT(plani_passes_caches(1, INT_MAX) && plani_passes_caches(SIZE_MAX, INT_MAX));
}

SUITE_MAIN("copy", TEST(copies_are_exact), TEST(long_copies_are_exact), TEST(all_copies_of_a_host_count))
