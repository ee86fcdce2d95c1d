/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/mpi/execute/mapped_memory.h"
#include "lib/mpi/execute/copy.h"

#ifdef PLANBCAST_HAS_XPMEM
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xpmem.h>

int64_t plani_memory_share(void)
{
    void *const ours = (void *)(uintptr_t)0600; /* NOLINT(performance-no-int-to-ptr): so XPMEM takes a mode */
    xpmem_segid_t segment = xpmem_make(NULL, XPMEM_MAXADDR_SIZE, XPMEM_PERMIT_MODE, ours);
    return segment > 0 ? segment : PLANI_NOT_MAPPED;
}

void plani_memory_unshare(int64_t segment)
{
    if (segment != PLANI_NOT_MAPPED) xpmem_remove(segment);
}

/* To read is not enough: the kernel's module maps memory for reading and writing alone. */
int64_t plani_memory_permit(int64_t segment)
{
    if (segment == PLANI_NOT_MAPPED) return PLANI_NOT_MAPPED;
    xpmem_apid_t permit = xpmem_get(segment, XPMEM_RDWR, XPMEM_PERMIT_MODE, NULL);
    return permit > 0 ? permit : PLANI_NOT_MAPPED;
}

void plani_memory_give_back(int64_t permit)
{
    if (permit != PLANI_NOT_MAPPED) xpmem_release(permit);
}

/* The pages that have these bytes. */
typedef struct {
    uint64_t from;
    size_t before, size; /* [B] from there to the first byte, and of all pages */
} pages_t;

static pages_t pages_of(uint64_t address, size_t len)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = address % page;
    return (pages_t){.from = address - before, .before = before, .size = (before + len + page - 1) / page * page};
}

bool plani_memory_is_mappable(const void *data, size_t len)
{
#ifdef MADV_POPULATE_READ
    pages_t p = pages_of((uint64_t)(uintptr_t)data, len);
    void *from = (void *)(uintptr_t)p.from; /* NOLINT(performance-no-int-to-ptr) */
    return madvise(from, p.size, MADV_POPULATE_READ) == 0;
#else
    (void)data, (void)len;
    return false;
#endif
}

/* Nothing stays mapped: it would keep the other process's pages in memory, and whether the time that this saves for
 * later messages is worth it has to be measured on a machine with XPMEM first. */
bool plani_copy_from_mapping(int64_t permit, uint64_t address, size_t len, char *out)
{
    pages_t p = pages_of(address, len);
    const struct xpmem_addr from = {.apid = permit, .offset = (off_t)p.from};
    char *mapped = permit == PLANI_NOT_MAPPED ? MAP_FAILED : xpmem_attach(from, p.size, NULL);
    if (mapped == MAP_FAILED) return false;
    plani_copy(out, mapped + p.before, len);
    xpmem_detach(mapped);
    return true;
}

#else
int64_t plani_memory_share(void)
{
    return PLANI_NOT_MAPPED;
}

void plani_memory_unshare(int64_t segment)
{
    (void)segment;
}

int64_t plani_memory_permit(int64_t segment)
{
    (void)segment;
    return PLANI_NOT_MAPPED;
}

void plani_memory_give_back(int64_t permit)
{
    (void)permit;
}

bool plani_memory_is_mappable(const void *data, size_t len)
{
    (void)data, (void)len;
    return false;
}

bool plani_copy_from_mapping(int64_t permit, uint64_t address, size_t len, char *out)
{
    (void)permit, (void)address, (void)out;
    return len == 0;
}
#endif
