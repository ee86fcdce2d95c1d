/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* process_vm_readv */
#include "lib/mpi/execute/process_memory.h"
#ifdef __linux__
#include <sys/uio.h>
#endif

bool plani_copy_from_process(int process, uint64_t address, size_t len, char *out)
{
#ifdef __linux__
    enum { MOST = 1 << 30 }; /* [B] in one call; the kernel's limit is twice that */
    while (len > 0) {
        size_t piece = len < MOST ? len : MOST;
        const struct iovec to = {.iov_base = out, .iov_len = piece},
                           from = {.iov_base = (void *)(uintptr_t)address, /* NOLINT(performance-no-int-to-ptr) */
                                   .iov_len = piece};
        ssize_t n = process_vm_readv((pid_t)process, &to, 1, &from, 1, 0);
        if (n <= 0) return false;
        out += n;
        address += (uint64_t)n;
        len -= (size_t)n;
    }
    return true;
#else
    (void)process, (void)address, (void)out;
    return len == 0;
#endif
}
