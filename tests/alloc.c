#include "alloc.h"
#include <stddef.h>

static _Thread_local long countdown;
static _Thread_local bool failed, lasting;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void alloc_fail(long k)
{
    countdown = k;
    failed = lasting = false;
}

void alloc_fail_from(long k)
{
    alloc_fail(k);
    lasting = true;
}

bool alloc_failed(void)
{
    bool was = failed;
    countdown = 0;
    failed = lasting = false;
    return was;
}

static bool fails_now(void)
{
    if (countdown == 0 || --countdown > 0) return false;
    if (lasting) countdown = 1;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails_now() ? NULL : __real_realloc(p, size);
}
