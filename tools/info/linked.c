/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of bench/library.h, from the library that this program is linked with. */
#include "bench/library.h"

#define FUNCTION(name) __typeof__(dnnl_##name) *lib_##name = dnnl_##name;
#include "bench/functions.def"
