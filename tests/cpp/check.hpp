/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of the C++ API: checks that continue after a failure, a table of cases, and the status
 * of exceptions. The tests use only oneDNN's interface, so that they also compile with the reference's
 * headers and run on the reference's library: they expect what both do.
 */
#ifndef LODE_TESTS_CPP_CHECK_HPP
#define LODE_TESTS_CPP_CHECK_HPP

#include "oneapi/dnnl/dnnl.hpp"

#include <cstdio>
#include <cstring>

namespace check {

inline int &failures() {
    static int count = 0;
    return count;
}

inline void fail(const char *file, int line, const char *what) {
    std::printf("%s:%d: %s\n", file, line, what);
    ++failures();
}

/// The status that an expression throws; dnnl_success if it does not.
template <typename F>
dnnl_status_t thrown_by(F f) {
    try {
        f();
    } catch (const dnnl::error &e) {
        return e.what() && e.what() == e.message && std::strlen(e.message) > 0 ? e.status
                                                                               : dnnl_runtime_error;
    }
    return dnnl_success;
}

struct test_case {
    const char *name;
    void (*run)();
};

/// Runs every case; an unexpected exception fails only its own case.
template <size_t n>
int run(const test_case (&cases)[n]) {
    if (dnnl::engine::get_count(dnnl::engine::kind::cpu) == 0) {
        std::printf("SKIP: the library has no CPU engine here\n");
        return 77;
    }
    for (const test_case &c : cases) {
        const int before = failures();
        try {
            c.run();
        } catch (const dnnl::error &e) {
            std::printf("%s: threw status %d: %s\n", c.name, int(e.status), e.what());
            ++failures();
        }
        std::printf("%-40s %s\n", c.name, failures() == before ? "ok" : "FAILED");
        std::fflush(stdout);
    }
    return failures() ? 1 : 0;
}

} // namespace check

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) check::fail(__FILE__, __LINE__, #condition);                                       \
    } while (0)

#define CHECK_THROWS(wanted, ...)                                                                            \
    do {                                                                                                     \
        const dnnl_status_t thrown = check::thrown_by([&] { (void)(__VA_ARGS__); });                         \
        if (thrown != (wanted)) {                                                                            \
            check::fail(__FILE__, __LINE__, #__VA_ARGS__);                                                   \
            std::printf("    threw status %d, not %s\n", int(thrown), #wanted);                              \
        }                                                                                                    \
    } while (0)

#endif
