/* Tags of the messages of planned broadcasts, private. */
#ifndef PLANI_TAG_H
#define PLANI_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>

/**
 * How a tag says which broadcast, and which part of it, a message belongs to. From the lowest bit on:
 *
 *     last     the message's last slice
 *     tree     of the candidate's
 *     check    of the number of bytes
 *     range    of the plan's; one more than it has: a record (record.h)
 *     number   of the broadcast, of this plan
 *     1        unlike all other tags on the same communicator, which are small
 *
 * Number and check have the bits that MPI's largest tag leaves, and only find mistakes: messages of right programs
 * match without them. Of two sizes that need different numbers of slices, one pair of 2^check_bits is taken for the
 * same: with MPI's usual largest tags one of some 10^5, for plans of few ranges and trees. So that ranks which run
 * ahead do not come to the same number again, all meet (plani_tags_meet).
 */
typedef struct {
    int tree_bits, check_bits, range_bits, number_bits;
} plani_tags_t;

/** PLAN_EUNSUPPORTED: MPI's tags cannot tell so many ranges and trees apart. */
plan_status_t plani_tags_init(plani_tags_t *tags, int largest_tag, size_t ranges, size_t trees);
/** The tag of tree 0, not last; the others are made from it by plani_tag_of. */
int plani_tag_base(const plani_tags_t *tags, unsigned long number, size_t range, size_t bytes);
static inline int plani_tag_of(int base, int tree, bool last)
{
    return base | tree << 1 | (int)last;
}

/** Whether all ranks are to meet before this broadcast: after every half of the numbers that tags can tell apart. */
static inline bool plani_tags_meet(const plani_tags_t *tags, unsigned long number)
{
    return tags->number_bits > 0 && (number & ((1UL << (tags->number_bits - 1)) - 1)) == 0;
}

/** Whether it is a broadcast's tag, with this number. */
bool plani_tag_has_number(const plani_tags_t *tags, int tag, unsigned long number);
size_t plani_tag_range(const plani_tags_t *tags, int tag);
/** Without tree and last. */
int plani_tag_to_base(const plani_tags_t *tags, int tag);

#endif
