/* SPDX-License-Identifier: Apache-2.0 */
#include "base/env.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

const char *env_get(const char *name) {
    static const char *const prefixes[] = {"ONEDNN_", "DNNL_"};
    for (int i = 0; i < 2; i++) {
        char full[64];
        snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
        const char *value = getenv(full);
        if (value && *value) return value;
    }
    return NULL;
}

int env_int(const char *name, int otherwise) {
    const char *value = env_get(name);
    return value ? atoi(value) : otherwise;
}
