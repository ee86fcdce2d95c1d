/* Injects allocation failures, for tests that let each allocation fail in turn. Link with planbcast_alloc. */
#ifndef PLANBCAST_TESTS_ALLOC_H
#define PLANBCAST_TESTS_ALLOC_H

#include <stdbool.h>

/** Let the k-th allocation from now (1, 2, ...) return NULL, once; 0: none. Calls made inside shared libraries (and by
 * libc for itself) are neither counted nor failed. */
void alloc_fail(long k);
/** The same, and all allocations after it, until alloc_failed is called. */
void alloc_fail_from(long k);
/** Whether it has come to that; resets to "none". Until it returns false, not every allocation has failed once. */
bool alloc_failed(void);

/** Run `call`, which yields a plan_status_t, with its 1st, 2nd, ... allocation failing until it succeeds; `check` sees
 * each failing status. Leaves the success's result in place. */
#define ALLOC_EACH(call, check)                                                                                        \
    for (long alloc_k_ = 1;; alloc_k_++) {                                                                             \
        alloc_fail(alloc_k_);                                                                                          \
        int status = (int)(call);                                                                                      \
        bool alloc_hit_ = alloc_failed();                                                                              \
        if (!alloc_hit_) {                                                                                             \
            CU_ASSERT_EQUAL(status, 0);                                                                                \
            break;                                                                                                     \
        }                                                                                                              \
        check;                                                                                                         \
        if (status == 0) CU_FAIL_FATAL("succeeded although an allocation failed");                                     \
    }

#endif
