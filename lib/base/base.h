/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that every component uses: errors, files that are never half written, a hash, arrays that grow, a lock, and
 * the clock. */
#ifndef PLANI_BASE_H
#define PLANI_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/status.h>

/** Most ranks of a platform. A larger number in a file is an error, and must not determine how much memory is
 * allocated. */
#define PLANI_MAX_RANKS (1 << 20)

/** What every broadcast passes through lies together in memory: a short one takes less time than lines and pages of
 * code that are in no near cache. */
#define PLANI_HOT __attribute__((hot))
/** What few broadcasts pass through, elsewhere. */
#define PLANI_COLD __attribute__((cold))

/** Set err (if any) to one line and return status: `return plani_fail(err, PLAN_EINVAL, "...", ...)`. */
PLANI_COLD plan_status_t plani_fail(plan_error_t *err, plan_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** PLAN_OK if a caller's struct of this type has the size that this library was compiled with, else PLAN_EINVAL. */
plan_status_t plani_check_size(const char *type, size_t given, size_t known, plan_error_t *err);
/** Reset err to success. */
void plani_clear(plan_error_t *err);

/** [B] Largest file that is read, about ten million links. */
#define PLANI_MAX_FILE ((size_t)1 << 30)

/** Read a whole file, at most `limit` bytes; *text is NUL-terminated and freed with free(). */
plan_status_t plani_read_file(const char *path, size_t limit, char **text, size_t *len, plan_error_t *err);
/** Write to a temporary file in the same folder, flush it to disk, and rename it: `path` has the old content or the
 * new, never a part. Symbolic links are followed; the permissions of an existing file are kept, except setuid and
 * setgid. */
plan_status_t plani_write_file(const char *path, const char *text, size_t len, plan_error_t *err);
/** Makes the new text of a file, to be freed with free(), out of the old one; NULL: there is none, or it is empty. */
typedef plan_status_t plani_rewrite_t(void *context, const char *old, size_t len, char **text, plan_error_t *err);
/** Replace a file's text, at most `limit` bytes, as plani_write_file does. Where several do so at once, they do it one
 * after the other, and nothing gets lost. (A lock on the file; on file systems without locks, the last one wins.) */
plan_status_t plani_update_file(const char *path, size_t limit, plani_rewrite_t *change, void *context,
                                plan_error_t *err);
/** PLAN_OK if plani_write_file can write `path` now, else its error: to be checked before minutes of work. */
plan_status_t plani_may_write(const char *path, plan_error_t *err);

/** FNV-1a, 64 bit. Start with PLANI_HASH_START; feed integers in a fixed byte order, so that machines agree. */
#define PLANI_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t plani_hash_bytes(uint64_t hash, const void *data, size_t len);
uint64_t plani_hash_u64(uint64_t hash, uint64_t value);

/** Make room for one more element of `size` bytes in an array of n. Returns the array, which may have moved; NULL if
 * out of memory, and the array is unchanged. */
void *plani_grown(void *array, size_t n, size_t *room, size_t size);

/** The larger and the smaller of two numbers, neither NaN. Unlike fmax() and fmin(), which handle NaN, they are
 * inlined. */
static inline double plani_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double plani_min(double a, double b)
{
    return a < b ? a : b;
}

/** A lock around calls of libraries with global state. Not recursive. */
void plani_lock(void);
void plani_unlock(void);

/** Read a decimal number, or a whole one from 0 to 2^64 - 1, from all of `text`, with a decimal point in every locale.
 * False if it is none, and nothing is stored. */
bool plani_read_real(const char *text, double *x);
bool plani_read_whole(const char *text, uint64_t *n);

/** Monotonic time [s]. */
double plani_now(void);
/** The date and time of day in UTC, "2026-11-25T03:46:07Z"; "": not known. */
void plani_date(char text[32]);

#endif
