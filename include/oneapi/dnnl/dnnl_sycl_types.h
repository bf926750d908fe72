/* SPDX-License-Identifier: Apache-2.0 */
/* Types of dnnl_sycl.h that need no SYCL header. */
#ifndef ONEAPI_DNNL_DNNL_SYCL_TYPES_H
#define ONEAPI_DNNL_DNNL_SYCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    dnnl_sycl_interop_usm,    /* the handle is a pointer; the default */
    dnnl_sycl_interop_buffer, /* the handle is a sycl::buffer<uint8_t, 1> * */
} dnnl_sycl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif
