/* SPDX-License-Identifier: Apache-2.0 */
/* A user's thread pool runs the library's loops: pools that wait and that do not, that copy the function, and
 * that are already in a loop. */
#include "check.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

using namespace dnnl;
using threadpool_interop::threadpool_iface;

/// A pool of the simplest kind: a thread for each part.
struct pool : threadpool_iface {
    explicit pool(bool does_wait) : waits(does_wait) {}
    ~pool() override { join(); }

    int get_num_threads() const override { return 3; }
    bool get_in_parallel() const override { return inside; }
    void parallel_for(int n, const std::function<void(int, int)> &fn) override {
        ++loops;
        const std::function<void(int, int)> copy = fn;
        for (int i = 0; i < n; i++)
            threads.emplace_back([=] { copy(i, n); });
        if (waits) join();
    }
    uint64_t get_flags() const override { return waits ? 0 : ASYNCHRONOUS; }
    void wait() override { join(); }

    void join() {
        for (std::thread &thread : threads)
            thread.join();
        threads.clear();
    }

    const bool waits;
    bool inside = false;
    int loops = 0;
    std::vector<std::thread> threads;
};

enum { SIZE = 160 };

struct matrices {
    std::vector<float> a = std::vector<float>(SIZE * SIZE), b = a, c = a;
    matrices() {
        for (int i = 0; i < SIZE * SIZE; i++) {
            a[size_t(i)] = float(i % 17) - 8;
            b[size_t(i)] = float(i % 13) / 4;
        }
    }
};

static std::vector<float> expected() {
    matrices m;
    CHECK(sgemm('N', 'N', SIZE, SIZE, SIZE, 1, m.a.data(), SIZE, m.b.data(), SIZE, 0, m.c.data(), SIZE)
          == status::success);
    return m.c;
}

static void products() {
    for (const bool waits : {true, false}) {
        pool p(waits);
        matrices m;
        CHECK(threadpool_interop::sgemm('N', 'N', SIZE, SIZE, SIZE, 1, m.a.data(), SIZE, m.b.data(), SIZE, 0,
                                        m.c.data(), SIZE, &p)
              == status::success);
        CHECK(m.c == expected());
        CHECK(p.loops > 0);
    }
}

static void integer_products() {
    std::vector<uint8_t> u(SIZE * SIZE, 3);
    std::vector<int8_t> s(SIZE * SIZE, -2);
    const int32_t offset = 1;
    for (const bool is_signed : {true, false}) {
        pool p(true);
        std::vector<int32_t> c(SIZE * SIZE);
        const status done = is_signed ? threadpool_interop::gemm_s8s8s32('N', 'N', 'F', SIZE, SIZE, SIZE, 1,
                                                                         s.data(), SIZE, 0, s.data(), SIZE, 0,
                                                                         0, c.data(), SIZE, &offset, &p)
                                      : threadpool_interop::gemm_u8s8s32('N', 'N', 'F', SIZE, SIZE, SIZE, 1,
                                                                         u.data(), SIZE, 0, s.data(), SIZE, 0,
                                                                         0, c.data(), SIZE, &offset, &p);
        CHECK(done == status::success && p.loops > 0);
        CHECK(c == std::vector<int32_t>(SIZE * SIZE, (is_signed ? 4 : -6) * SIZE + 1));
    }
}

static void multiply(const engine &e, stream s, matrices &m) {
    const memory::desc md({SIZE, SIZE}, memory::data_type::f32, memory::format_tag::ab);
    matmul(matmul::primitive_desc(e, md, md, md))
            .execute(s, {{DNNL_ARG_SRC, memory(md, e, m.a.data())},
                         {DNNL_ARG_WEIGHTS, memory(md, e, m.b.data())},
                         {DNNL_ARG_DST, memory(md, e, m.c.data())}});
    s.wait();
}

static void streams() {
    const engine e(engine::kind::cpu, 0);
    for (const bool waits : {true, false}) {
        pool p(waits);
        stream s = threadpool_interop::make_stream(e, &p);
        CHECK(threadpool_interop::get_threadpool(s) == &p);
        matrices m;
        multiply(e, s, m);
        CHECK(m.c == expected());
        CHECK(p.loops > 0);

        const int before = p.loops;
        p.inside = true; // a loop inside of the pool's own loop runs in its caller
        multiply(e, s, m);
        CHECK(p.loops == before);
    }
    CHECK(threadpool_interop::get_threadpool(stream(e)) == nullptr);
}

static void no_pool() {
    const engine e(engine::kind::cpu, 0);
    matrices m;
    stream s = threadpool_interop::make_stream(e, nullptr);
    multiply(e, s, m);
    CHECK(m.c == expected());
    CHECK(dnnl_threadpool_interop_stream_create(nullptr, e.get(), nullptr) == dnnl_invalid_arguments);
    CHECK(dnnl_threadpool_interop_stream_get_threadpool(s.get(), nullptr) == dnnl_invalid_arguments);
}

static void concurrency() {
    int n = 0;
    CHECK(dnnl_threadpool_interop_get_max_concurrency(&n) == dnnl_success && n >= 1);
    CHECK(dnnl_threadpool_interop_set_max_concurrency(7) == dnnl_success);
    CHECK(dnnl_threadpool_interop_get_max_concurrency(&n) == dnnl_success && n == 7);
    CHECK(dnnl_threadpool_interop_set_max_concurrency(0) == dnnl_invalid_arguments);
    CHECK(dnnl_threadpool_interop_get_max_concurrency(nullptr) == dnnl_invalid_arguments);
}

int main() {
    return check::run({{"products", products},
                       {"products of integers", integer_products},
                       {"streams", streams},
                       {"no pool", no_pool},
                       {"concurrency", concurrency}});
}
