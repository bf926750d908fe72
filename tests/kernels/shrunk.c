/* SPDX-License-Identifier: Apache-2.0 */
/* What is shrunk comes back the same, whatever it is; and it is small. */
#include "kernels/kernel.h"
#include "kernels/shrunk.h"
#include "test.h"

#include <stdlib.h>

/* Shrinks and expands numbers; returns how many bytes there were in between. */
static size_t there_and_back(enum shrunk_kind kind, const uint32_t *numbers, size_t count) {
    size_t size, count_back;
    uint8_t *shrunk = shrink_numbers(kind, numbers, count, &size);
    assert_non_null(shrunk);
    uint32_t *back = expand_numbers(kind, shrunk, size, &count_back);
    assert_non_null(back);
    assert_int_equal(count_back, count);
    assert_memory_equal(back, numbers, count * sizeof *numbers);
    free(shrunk);
    free(back);
    return size;
}

/* Numbers of any size, of which no order makes sense: nothing is foretold, and little is lost. */
static void noise(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    uint32_t *numbers = malloc(COUNT * sizeof *numbers);
    for (enum shrunk_kind kind = SHRUNK_SPIRV; kind <= SHRUNK_TEXT; kind++)
        for (unsigned bits = 1; bits <= 32; bits++) {
            uint64_t seed = 12345;
            for (int i = 0; i < COUNT; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                numbers[i] = (uint32_t)(seed >> 32) >> (32 - bits);
            }
            assert_true(there_and_back(kind, numbers, COUNT) < (size_t)COUNT * (bits + 5) / 8 + 500);
        }
    free(numbers);
}

static void edges(void **state) {
    (void)state;
    static const uint32_t numbers[] = {0, UINT32_MAX, 1, 1u << 31, UINT32_MAX, 0, 0};
    const size_t most = sizeof numbers / sizeof numbers[0];
    for (size_t count = 0; count <= most; count++) {
        there_and_back(SHRUNK_SPIRV, numbers, count);
        there_and_back(SHRUNK_TEXT, numbers, count);
    }
}

/* Runs longer than anything that is counted, and runs that overlap themselves. */
static void repeats(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    uint32_t *numbers = malloc(COUNT * sizeof *numbers);
    for (uint32_t period = 1; period < 5000; period = period * 3 + 1) {
        for (uint32_t i = 0; i < COUNT; i++)
            numbers[i] = i % period * 2654435761u >> 24;
        assert_true(there_and_back(SHRUNK_TEXT, numbers, COUNT) < period + 1000);
    }
    free(numbers);
}

static void modules_are_small(void **state) {
    (void)state;
    size_t shrunk = 0, whole = 0;
    for (int i = 0; i < kernel_count; i++) {
        size_t size;
        if (!(kernel_list[i]->forms & FORM_SPIRV)) continue;
        free(kernel_spirv(kernel_list[i], &size));
        whole += size;
        shrunk += (size_t)(kernel_list[i]->spirv_end - kernel_list[i]->spirv);
    }
    assert_true(shrunk < whole / 10);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
            cmocka_unit_test(noise),
            cmocka_unit_test(edges),
            cmocka_unit_test(repeats),
            cmocka_unit_test(modules_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
