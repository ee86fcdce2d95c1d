/* A library to preload. Every allocation from the k-th (FAIL_AT) on returns NULL, in any library; with FAIL_ONCE only
 * the k-th. Without FAIL_AT, allocations are counted, and the number is written to the file FAIL_COUNT. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static _Atomic long count;
static long at;
static bool once;

__attribute__((constructor)) static void begin(void)
{
    const char *k = getenv("FAIL_AT");
    at = k != NULL ? atol(k) : 0;
    once = getenv("FAIL_ONCE") != NULL;
    count = 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_COUNT");
    long n = count;
    at = 0;
    FILE *f = path != NULL ? fopen(path, "w") : NULL;
    if (f == NULL) return;
    fprintf(f, "%ld\n", n);
    fclose(f);
}

static bool fails(void)
{
    long k = ++count;
    if (at == 0 || (once ? k != at : k < at)) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails() ? NULL : __libc_realloc(p, size);
}
