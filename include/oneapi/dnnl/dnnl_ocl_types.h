/* SPDX-License-Identifier: Apache-2.0 */
/* Types of dnnl_ocl.h that need no OpenCL header. */
#ifndef ONEAPI_DNNL_DNNL_OCL_TYPES_H
#define ONEAPI_DNNL_DNNL_OCL_TYPES_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    dnnl_ocl_interop_usm,    /* the handle is a pointer */
    dnnl_ocl_interop_buffer, /* the handle is a cl_mem; the default */
} dnnl_ocl_interop_memory_kind_t;

#ifdef __cplusplus
}
#endif

#endif
