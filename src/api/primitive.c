/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_primitive_*: creation, execution and cache blobs of primitives. */
#include "core/objects.h"
#include "core/report.h"
#include "base/verbose.h"
#include "oneapi/dnnl/dnnl.h"

dnnl_status_t dnnl_primitive_create(dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t desc) {
    if (!primitive || !desc) return fail(dnnl_invalid_arguments, "primitive", "null argument to create");
    bool timed = verbose_on(VERBOSE_CREATE), hit = false;
    double start = timed ? verbose_now_ms() : 0;
    dnnl_status_t status = primitive_create(primitive, desc, &hit);
    if (timed && status == dnnl_success)
        report_plan(hit ? "create:cache_hit" : "create:cache_miss", desc->engine, desc->plan,
                    verbose_now_ms() - start);
    if (status == dnnl_success) report_launches(desc->plan);
    return status;
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
                                     const dnnl_exec_arg_t *args) {
    return primitive_execute(&(struct call){primitive, stream, nargs, args, 0, NULL, NULL});
}

dnnl_status_t dnnl_primitive_get_primitive_desc(const_dnnl_primitive_t primitive,
                                                const_dnnl_primitive_desc_t *desc) {
    if (!primitive || !desc)
        return fail(dnnl_invalid_arguments, "primitive", "null argument to get_primitive_desc");
    *desc = &primitive->desc;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) {
    primitive_release(primitive);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_get_cache_blob(const_dnnl_primitive_t primitive, size_t *size, uint8_t *blob) {
    if (!primitive || !size)
        return fail(dnnl_invalid_arguments, "primitive", "null argument to get_cache_blob");
    return primitive_save(primitive, size, blob);
}

dnnl_status_t dnnl_primitive_create_from_cache_blob(dnnl_primitive_t *primitive,
                                                    const_dnnl_primitive_desc_t desc, size_t size,
                                                    const uint8_t *blob) {
    if (!primitive || !desc || size == 0 || !blob)
        return fail(dnnl_invalid_arguments, "primitive", "null or empty argument to create_from_cache_blob");
    TRY(device_restore(desc->engine->device, size, blob));
    return dnnl_primitive_create(primitive, desc);
}
