/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_engine_*: engines of the default runtime of each kind. Interop engines are created in *_interop.c. */
#include "base/choice.h"
#include "core/objects.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl.h"
#include "runtimes/runtimes.h"

static size_t count_devices(dnnl_engine_kind_t kind) {
    const struct runtime *runtime = runtime_for(kind);
    size_t count = 0;
    if (runtime && runtime->device_count(kind, &count) != dnnl_success) count = 0;
    return count;
}

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
    return kind == dnnl_cpu || kind == dnnl_gpu ? count_devices(kind) : 0;
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index) {
    if (!engine) return fail(dnnl_invalid_arguments, "engine", "engine is NULL");
    if (kind != dnnl_cpu && kind != dnnl_gpu)
        return fail(dnnl_invalid_arguments, "engine", "bad kind: %d", kind);
    const char *unknown = runtime_choice(kind)->unknown;
    if (unknown)
        return fail(dnnl_invalid_arguments, "engine",
                    "ONEDNN_%s_RUNTIME=%s: this library has no such runtime",
                    kind == dnnl_cpu ? "CPU" : "GPU", unknown);
    size_t count = count_devices(kind);
    if (index >= count)
        return fail(dnnl_invalid_arguments, "engine", "%s engine %zu is requested, but there are %zu",
                    kind == dnnl_cpu ? "cpu" : "gpu", index, count);
    struct device_origin origin = {.kind = kind, .index = index};
    return engine_create(engine, runtime_for(kind), &origin);
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind) {
    if (!engine || !kind) return fail(dnnl_invalid_arguments, "engine", "null argument to get_kind");
    *kind = engine->kind;
    return dnnl_success;
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
    engine_release(engine);
    return dnnl_success;
}
