/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of other processes of the same host, mapped into this one by XPMEM, a module of the kernel with a library.
 * Builds without the library can map none. Private.
 */
#ifndef PLANI_MAPPED_MEMORY_H
#define PLANI_MAPPED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Segments and permits are positive numbers. */
enum { PLANI_NOT_MAPPED = -1 };

/** Let this user's processes map all memory of this one. \return the segment, which another process needs for a permit;
 * PLANI_NOT_MAPPED: not possible here */
int64_t plani_memory_share(void);
void plani_memory_unshare(int64_t segment);
/** \return a permit to map the memory of a segment; PLANI_NOT_MAPPED: refused */
int64_t plani_memory_permit(int64_t segment);
void plani_memory_give_back(int64_t permit);

/** Whether others can map all pages of these bytes. They get SIGBUS if they read one that they cannot: those of devices
 * and those that are mapped from another process themselves. Allocates pages that have not been touched. False before
 * Linux 5.14, which cannot tell. */
bool plani_memory_is_mappable(const void *data, size_t len);
/** Copy `len` bytes at an address of the process that has shared its memory, which are mapped meanwhile. \return false:
 * they cannot be */
bool plani_copy_from_mapping(int64_t permit, uint64_t address, size_t len, char *out);

#endif
