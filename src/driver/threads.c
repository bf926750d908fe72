/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pool the driver uses. Decided once, because device properties tell how wide it is.
 */
#include "driver/threads.h"

#include <stdatomic.h>

static _Atomic(const struct pool_functions *) chosen;

static const struct pool_functions *choose(const struct pool_functions *functions) {
    const struct pool_functions *current = NULL;
    return atomic_compare_exchange_strong(&chosen, &current, functions) ? functions : current;
}

const struct pool_functions *threads(void) {
    const struct pool_functions *current = atomic_load_explicit(&chosen, memory_order_acquire);
    return current ? current : choose(&pool_functions);
}

void threads_use(const struct pool_functions *lent) {
    choose(lent);
}
