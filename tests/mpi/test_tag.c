/* Tags: every field is decoded as it was encoded, for any upper limit of tags (MPI_TAG_UB). */
#include "suite.h"
#include "lib/mpi/execute/tag.h"
#include <limits.h>

static void all_fields_are_told_apart(void)
{
    static const int largest[] = {32767, (1 << 23) - 1, (1 << 28) - 1, INT_MAX, INT_MAX - 1};
    for (int l = 0; l < 5; l++)
        for (size_t ranges = 1; ranges <= 60; ranges += 7)
            for (size_t trees = 1; trees <= 64; trees *= 4) {
                plani_tags_t tags;
                if (plani_tags_init(&tags, largest[l], ranges, trees) != PLAN_OK) {
                    CU_ASSERT(l == 0 && ranges * trees > 128);
                    continue;
                }
                for (unsigned long number = 1; number < 40; number++)
                    for (size_t range = 0; range <= ranges; range++) {
                        int base = plani_tag_base(&tags, number, range, 4096 * number + range);
                        int tag = plani_tag_of(base, (int)trees - 1, true);
                        CU_ASSERT(base >= 0 && tag <= largest[l]);
                        CU_ASSERT(plani_tag_has_number(&tags, tag, number));
                        CU_ASSERT_EQUAL(plani_tag_range(&tags, tag), range);
                        CU_ASSERT_EQUAL(plani_tag_to_base(&tags, tag), base);
                        CU_ASSERT(tag != base);
                        CU_ASSERT(!plani_tag_has_number(&tags, tag & 0xff, number)); /* other messages' tags */
                    }
            }
}

static void neighbours_in_number_and_size_differ(void)
{
    plani_tags_t tags;
    CU_ASSERT_EQUAL_FATAL(plani_tags_init(&tags, INT_MAX, 20, 8), PLAN_OK);
    CU_ASSERT_EQUAL(tags.number_bits, 10);
    for (unsigned long n = 0; n < 3000; n++)
        for (unsigned long ahead = 1; ahead < 1024; ahead += 111)
            CU_ASSERT(!plani_tag_has_number(&tags, plani_tag_base(&tags, n, 0, 1), n + ahead));
    int meetings = 0;
    for (unsigned long n = 0; n < 4096; n++) meetings += plani_tags_meet(&tags, n);
    CU_ASSERT_EQUAL(meetings, 8); /* none can be more than 512 ahead */
    for (size_t bytes = 1; bytes < 100000; bytes += 13)
        for (size_t other = 1; other <= 1 << 20; other *= 2)
            CU_ASSERT(plani_tag_base(&tags, 1, 0, bytes) != plani_tag_base(&tags, 1, 0, bytes + other));
}

static void too_many_ranges_and_trees_are_refused(void)
{
    plani_tags_t tags;
    CU_ASSERT_EQUAL(plani_tags_init(&tags, 32767, 63, 1024), PLAN_EUNSUPPORTED);
    CU_ASSERT_EQUAL(plani_tags_init(&tags, INT_MAX, 63, 1024), PLAN_OK);
}

SUITE_MAIN("tag", TEST(all_fields_are_told_apart), TEST(neighbours_in_number_and_size_differ),
           TEST(too_many_ranges_and_trees_are_refused))
