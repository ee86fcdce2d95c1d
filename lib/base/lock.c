/* SPDX-License-Identifier: BSD-3-Clause */
#include "lib/base/base.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void plani_lock(void)
{
    pthread_mutex_lock(&lock);
}

void plani_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
