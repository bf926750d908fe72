/* SPDX-License-Identifier: Apache-2.0 */
/* What C tests share: cmocka with the headers it wants, checked calls, and objects in one call. */
#ifndef LODE_TESTS_TEST_H
#define LODE_TESTS_TEST_H

#include "count.h"
#include "oneapi/dnnl/dnnl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Is what is resident our memory alone? ThreadSanitizer keeps something of all that it has seen, and clang's
 * AddressSanitizer gives functions stacks of their own, which grow for a while. */
#if defined(__clang__)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZER_OWNS_MEMORY
#endif
#elif defined(__SANITIZE_THREAD__)
#define SANITIZER_OWNS_MEMORY
#endif
#ifdef SANITIZER_OWNS_MEMORY
enum { MEMORY_IS_OURS = 0 };
#else
enum { MEMORY_IS_OURS = 1 };
#endif

#define assert_ok(call) assert_int_equal(call, dnnl_success)
#define assert_bad(call) assert_int_equal(call, dnnl_invalid_arguments)

/* An f32 descriptor with `tag`: test_desc(2, (dnnl_dims_t){2, 3}, dnnl_ab). */
static inline dnnl_memory_desc_t test_desc(int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    assert_ok(dnnl_memory_desc_create_with_tag(&md, ndims, dims, dnnl_f32, tag));
    return md;
}

static inline dnnl_engine_t test_engine(void) {
    dnnl_engine_t engine;
    assert_ok(dnnl_engine_create(&engine, dnnl_cpu, 0));
    return engine;
}

static inline dnnl_stream_t test_stream(dnnl_engine_t engine) {
    dnnl_stream_t stream;
    assert_ok(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    return stream;
}

static inline dnnl_memory_t test_memory(const_dnnl_memory_desc_t md, dnnl_engine_t engine, void *handle) {
    dnnl_memory_t memory;
    assert_ok(dnnl_memory_create(&memory, md, engine, handle));
    return memory;
}

#endif
