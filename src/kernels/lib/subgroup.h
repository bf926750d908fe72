/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sub-groups of SUBGROUP_LANES work-items, for kernel families of class GPU: these have no native form.
 */
#ifndef LODE_KERNELS_LIB_SUBGROUP_H
#define LODE_KERNELS_LIB_SUBGROUP_H

#include "kernels/lib/opencl.h"

#define SUBGROUP_LANES 16

/* These kernels are written for one lane: compilers vectorize them across the work-items of a sub-group. */
#undef kernel
#define kernel __kernel __attribute__((intel_reqd_sub_group_size(SUBGROUP_LANES)))

#endif
