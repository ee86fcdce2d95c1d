/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coroutines by makecontext and swapcontext.
 *
 * A broadcast waits in many places: for messages, room, records, and in the rare ways of one that fails. As a fiber it
 * can stop in all of them, by the code that plan_execute runs. The stack is mapped, so that only pages in use take
 * memory, with a page below that may not be touched. A fiber stops only where planbcast waits, never inside MPI. It may
 * be moved on by another thread, so nothing that depends on the thread may be kept across a switch: functions that
 * switch are not inlined.
 */
#include "lib/mpi/comm/fiber.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/simulator.h"
#include <stdlib.h>

atomic_int plani_fibers_under_way;

#ifdef __GLIBC__
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 1 << 20 }; /* [B] */

struct plani_fiber {
    ucontext_t inside, outside;
    char *memory; /* the page that may not be touched, then the stack */
    size_t size;
    void (*function)(void *);
    void *argument;
    bool alone;    /* it waits in place */
    bool returned; /* the function has */
    atomic_bool done;
    atomic_flag held; /* by the thread that moves it on, or as none is under way */
    plani_fiber_t *next;
};

static plani_fiber_t *first; /* under way, in the order of their beginning; guarded by plani_lock */
static _Thread_local plani_fiber_t *current;

__attribute__((noinline)) static void switch_out(plani_fiber_t *f)
{
    swapcontext(&f->inside, &f->outside);
}

/* Where fibers begin; it never returns. */
static void body(void)
{
    plani_fiber_t *f = current;
    for (;;) {
        f->function(f->argument);
        f->returned = true;
        switch_out(f);
    }
}

static void unlink_fiber(const plani_fiber_t *f)
{
    plani_lock();
    for (plani_fiber_t **at = &first; *at != NULL; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            atomic_fetch_sub(&plani_fibers_under_way, 1);
            break;
        }
    plani_unlock();
}

/* Run a held fiber until it stops. Once it is done, its owner may destroy it: nothing here uses it any more. */
__attribute__((noinline)) static void switch_in(plani_fiber_t *f, bool alone)
{
    f->alone = alone;
    current = f;
    swapcontext(&f->outside, &f->inside);
    current = NULL;
    if (f->returned) {
        unlink_fiber(f);
        atomic_store_explicit(&f->done, true, memory_order_release);
    } else {
        atomic_flag_clear_explicit(&f->held, memory_order_release);
    }
}

static bool hold(plani_fiber_t *f)
{
    return !atomic_flag_test_and_set_explicit(&f->held, memory_order_acquire);
}

plani_fiber_t *plani_fiber_create(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = STACK + page;
    if (PLANI_MUST_BLOCK) return NULL;
    plani_fiber_t *f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        free(f);
        return NULL;
    }
    f->memory = memory;
    f->size = size;
    atomic_init(&f->done, true);
    atomic_flag_test_and_set(&f->held);
    if (mprotect(memory, page, PROT_NONE) != 0 || getcontext(&f->inside) != 0) {
        plani_fiber_destroy(&f);
        return NULL;
    }
    f->inside.uc_stack.ss_sp = f->memory + page;
    f->inside.uc_stack.ss_size = STACK;
    makecontext(&f->inside, body, 0);
    return f;
}

void plani_fiber_destroy(plani_fiber_t **fiber)
{
    plani_fiber_t *f = *fiber;
    *fiber = NULL;
    if (f == NULL) return;
    if (!atomic_load(&f->done)) unlink_fiber(f);
    munmap(f->memory, f->size);
    free(f);
}

void plani_fiber_start(plani_fiber_t *f, void (*function)(void *), void *argument)
{
    plani_fiber_t **end = &first;
    f->function = function;
    f->argument = argument;
    f->returned = false;
    f->next = NULL;
    atomic_store(&f->done, false);
    plani_lock();
    while (*end != NULL) end = &(*end)->next;
    *end = f;
    atomic_fetch_add(&plani_fibers_under_way, 1);
    plani_unlock();
    switch_in(f, false); /* it has been held since it was last done */
}

bool plani_fiber_is_done(const plani_fiber_t *f)
{
    return atomic_load_explicit(&f->done, memory_order_acquire);
}

void plani_fiber_run_alone(plani_fiber_t *f)
{
    if (hold(f)) switch_in(f, true);
}

/* Hold the i-th fiber under way; *f is NULL if another thread does. \return false: there are not so many */
static bool hold_next(int i, plani_fiber_t **f)
{
    plani_lock();
    plani_fiber_t *at = first;
    while (at != NULL && i-- > 0) at = at->next;
    *f = at != NULL && hold(at) ? at : NULL;
    plani_unlock();
    return at != NULL;
}

void plani_fibers_progress(void)
{
    plani_fiber_t *f;
    for (int i = 0; hold_next(i, &f); i++)
        if (f != NULL) switch_in(f, false);
}

__attribute__((noinline)) bool plani_fibers_give_way(void)
{
    plani_fiber_t *f = current;
    if (f == NULL) {
        plani_fibers_progress();
        return false;
    }
    if (f->alone && plani_fibers_single()) return false;
    switch_out(f);
    return true;
}

#else

plani_fiber_t *plani_fiber_create(void)
{
    return NULL;
}

void plani_fiber_destroy(plani_fiber_t **fiber)
{
    *fiber = NULL;
}

void plani_fiber_start(plani_fiber_t *f, void (*function)(void *), void *argument)
{
    (void)f;
    function(argument);
}

bool plani_fiber_is_done(const plani_fiber_t *f)
{
    (void)f;
    return true;
}

void plani_fiber_run_alone(plani_fiber_t *f)
{
    (void)f;
}

void plani_fibers_progress(void) {}

bool plani_fibers_give_way(void)
{
    return false;
}

#endif
