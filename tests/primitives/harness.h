/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of primitives share, by subject. Numbers are small integers, halves and powers of two where
 * results must be exact; real numbers are compared within the bounds of bounds.h.
 */
#ifndef LODE_TESTS_PRIMITIVES_HARNESS_H
#define LODE_TESTS_PRIMITIVES_HARNESS_H

#include "count.h"
#include "primitives/array.h"
#include "primitives/attributes.h"
#include "primitives/bounds.h"
#include "primitives/execution.h"
#include "primitives/functions.h"
#include "primitives/memory.h"

#endif
