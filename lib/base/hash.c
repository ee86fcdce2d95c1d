/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"

uint64_t plani_hash_bytes(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t plani_hash_u64(uint64_t hash, uint64_t value)
{
    unsigned char le[8];
    for (int i = 0; i < 8; i++) le[i] = (unsigned char)(value >> (8 * i));
    return plani_hash_bytes(hash, le, sizeof le);
}
