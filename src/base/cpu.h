/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this CPU can do and how much of it we may use. An instruction set counts only if the operating system
 * saves its registers. The limit (dnnl_set_max_cpu_isa, ONEDNN_MAX_CPU_ISA) can be set until it is first
 * asked for; from then on every answer is the same.
 */
#ifndef LODE_BASE_CPU_H
#define LODE_BASE_CPU_H

#include "kernels/kernel.h"
#include "oneapi/dnnl/dnnl_types.h"

/* The best instruction set, as oneDNN names them, within the limit; dnnl_cpu_isa_default if there is none. */
dnnl_cpu_isa_t cpu_isa(void);
/* The same as verbose output says it: "Intel AVX2". This question leaves the limit open. */
const char *cpu_isa_description(void);
/* The best form of native kernels that may run here. */
enum native_isa cpu_native_isa(void);

/* dnnl_invalid_arguments: not an instruction set, or too late. */
dnnl_status_t cpu_limit_isa(dnnl_cpu_isa_t isa);

#endif
