/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags: how the bits below MPI's largest tag are divided (tag.h). */
#include "lib/mpi/execute/tag.h"
#include <stdint.h>

/* Bits for n different values. */
static int bits_for(size_t n)
{
    int bits = 0;
    while (bits < 31 && ((size_t)1 << bits) < n) bits++;
    return bits;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

plan_status_t plani_tags_init(plani_tags_t *tags, int largest_tag, size_t ranges, size_t trees)
{
    enum { NUMBER = 10 };
    int bits = 0;

    while (bits < 31 && (uint64_t)largest_tag >= ((uint64_t)2 << bits) - 1) bits++;
    *tags = (plani_tags_t){.tree_bits = bits_for(trees), .range_bits = bits_for(ranges + 1)};
    int left = bits - 2 - tags->tree_bits - tags->range_bits;
    if (left < 1) return PLAN_EUNSUPPORTED;
    tags->number_bits = least(NUMBER, (left + 1) / 2);
    tags->check_bits = left - tags->number_bits;
    return PLAN_OK;
}

static int check_shift(const plani_tags_t *t)
{
    return 1 + t->tree_bits;
}

static int range_shift(const plani_tags_t *t)
{
    return check_shift(t) + t->check_bits;
}

static int number_shift(const plani_tags_t *t)
{
    return range_shift(t) + t->range_bits;
}

static uint64_t low(uint64_t value, int bits)
{
    return value & (((uint64_t)1 << bits) - 1);
}

int plani_tag_base(const plani_tags_t *t, unsigned long number, size_t range, size_t bytes)
{
    /* the high bits of a product depend on all bits of the factor */
    uint64_t mixed = (uint64_t)bytes * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    uint64_t tag = (uint64_t)1 << (number_shift(t) + t->number_bits);
    tag |= low(number, t->number_bits) << number_shift(t) | (uint64_t)range << range_shift(t);
    return (int)(tag | low(mixed, t->check_bits) << check_shift(t));
}

bool plani_tag_has_number(const plani_tags_t *t, int tag, unsigned long number)
{
    uint64_t head = (uint64_t)tag >> number_shift(t);
    return head == ((uint64_t)1 << t->number_bits | low(number, t->number_bits));
}

size_t plani_tag_range(const plani_tags_t *t, int tag)
{
    return (size_t)low((uint64_t)tag >> range_shift(t), t->range_bits);
}

int plani_tag_to_base(const plani_tags_t *t, int tag)
{
    return (int)((uint64_t)tag >> check_shift(t) << check_shift(t));
}
