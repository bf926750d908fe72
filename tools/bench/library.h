/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library under test, loaded from a file: lib_engine_create is its dnnl_engine_create, and so on. The
 * tool links no library, so that one program can drive any.
 */
#ifndef LODE_BENCH_LIBRARY_H
#define LODE_BENCH_LIBRARY_H

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

#include <stdbool.h>
#include <stddef.h>

#define FUNCTION(name) extern __typeof__(dnnl_##name) *lib_##name;
#include "functions.def"

/* Loads a library; if that fails, writes why. */
bool library_load(const char *path, char *why, size_t size);

/* The file that was loaded. */
void library_path(char *path, size_t size);

#endif
