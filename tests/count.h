/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_COUNT_H
#define LODE_TESTS_COUNT_H

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
