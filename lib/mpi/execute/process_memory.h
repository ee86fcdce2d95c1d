/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of other processes of the same host. Private. */
#ifndef PLANI_PROCESS_MEMORY_H
#define PLANI_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Copy `len` bytes at an address of another process, by the kernel (process_vm_readv). \return false: it refuses, or
 * this system cannot */
bool plani_copy_from_process(int process, uint64_t address, size_t len, char *out);

#endif
