/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled without exceptions: successful calls work as usual, a failure prints its message and stops the
 * program. */
#include "oneapi/dnnl/dnnl.hpp"

#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

#if DNNL_ENABLE_EXCEPTIONS
#error "the headers should have noticed that exceptions are off"
#endif

using namespace dnnl;

/// Runs f in a child process. Did a trap stop it after it printed something?
static bool stops(void (*f)()) {
    int ends[2];
    if (pipe(ends)) return false;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        std::signal(SIGILL, SIG_DFL); // sanitizers would turn the trap into a report
        f();
        _exit(0);
    }
    close(ends[1]);
    char message[256];
    const ssize_t length = read(ends[0], message, sizeof message);
    close(ends[0]);
    int end = 0;
    waitpid(child, &end, 0);
    return length > 1 && WIFSIGNALED(end) && (WTERMSIG(end) == SIGILL || WTERMSIG(end) == SIGTRAP);
}

static void empty_handle() {
    engine().get();
}
static void c_failure() {
    error::wrap_c_api(dnnl_runtime_error, "a failure");
}
static void bad_descriptor() {
    memory::desc({2, 3}, memory::data_type::f32, memory::format_tag::abc);
}
static void nothing() {}

int main() {
    const memory::desc md({2, 3}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc refused({2, 3}, memory::data_type::f32, memory::format_tag::abc, true);
    const bool works = md.get_dims().size() == 2 && !refused;
    const bool fails = stops(empty_handle) && stops(c_failure) && stops(bad_descriptor) && !stops(nothing);
    std::printf("%s, %s\n", works ? "works" : "DOES NOT WORK", fails ? "stops" : "DOES NOT STOP");
    return works && fails ? 0 : 1;
}
