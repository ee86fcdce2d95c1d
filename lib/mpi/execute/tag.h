/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags of the messages of planned broadcasts. Private. */
#ifndef PLANI_TAG_H
#define PLANI_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>

/**
 * The bit fields of a tag, which say what broadcast and what part of it a message belongs to. From the lowest bit on:
 *
 *     last     1: the last slice of the message
 *     tree     index in the candidate
 *     check    hash of the number of bytes
 *     range    index in the plan; the number of ranges: a record (record.h)
 *     number   of the broadcast by this plan, modulo a power of two
 *     1        always; all other tags on the same communicator are smaller
 *
 * Number and check get the bits that MPI's largest tag leaves. They only detect errors: messages of correct programs
 * match without them. Two different sizes have the same check with probability 2^-check_bits: about 10^-5 with the
 * usual largest tags, for plans of few ranges and trees. Numbers repeat, so ranks synchronise by a barrier after every
 * half of them (plani_tags_meet).
 */
typedef struct {
    int tree_bits, check_bits, range_bits, number_bits;
} plani_tags_t;

/** PLAN_EUNSUPPORTED: MPI's largest tag has too few bits for so many ranges and trees. */
plan_status_t plani_tags_init(plani_tags_t *tags, int largest_tag, size_t ranges, size_t trees);
/** The tag base: that of a slice of tree 0 that is not the last. plani_tag_of makes the others from it. */
int plani_tag_base(const plani_tags_t *tags, unsigned long number, size_t range, size_t bytes);
static inline int plani_tag_of(int base, int tree, bool last)
{
    return base | tree << 1 | (int)last;
}

/** Whether there is a barrier before this broadcast: after every half of the numbers that fit into tags. */
static inline bool plani_tags_meet(const plani_tags_t *tags, unsigned long number)
{
    return tags->number_bits > 0 && (number & ((1UL << (tags->number_bits - 1)) - 1)) == 0;
}

/** Whether it is the tag of a broadcast with this number. */
bool plani_tag_has_number(const plani_tags_t *tags, int tag, unsigned long number);
size_t plani_tag_range(const plani_tags_t *tags, int tag);
/** The tag base of a tag. */
int plani_tag_to_base(const plani_tags_t *tags, int tag);

#endif
