/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the C++ examples: opens an engine by name, reads and writes memory, compares with plain loops. */
#ifndef LODE_EXAMPLES_EXAMPLE_HPP
#define LODE_EXAMPLES_EXAMPLE_HPP

#include "oneapi/dnnl/dnnl.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace example {

using dims = dnnl::memory::dims;
using tag = dnnl::memory::format_tag;

inline dnnl::memory::desc f32(const dims &d, tag layout = tag::any) {
    return dnnl::memory::desc(d, dnnl::memory::data_type::f32, layout);
}

/// Pseudo-random numbers between -1 and 1, the same every time.
inline std::vector<float> values(size_t count, unsigned seed = 1) {
    std::vector<float> v(count);
    for (float &x : v) {
        seed = seed * 1664525u + 1013904223u;
        x = float(seed >> 8) / float(1 << 23) - 1.f;
    }
    return v;
}

inline void write(const dnnl::memory &m, const float *v, size_t count) {
    float *data = m.map_data<float>();
    std::memcpy(data, v, count * sizeof(float));
    m.unmap_data(data);
}

inline dnnl::memory filled(const dnnl::memory::desc &md, const dnnl::engine &engine,
                           const std::vector<float> &v) {
    const dnnl::memory m(md, engine);
    write(m, v.data(), v.size());
    return m;
}

inline std::vector<float> read(const dnnl::memory &m) {
    std::vector<float> v(m.get_desc().get_size() / sizeof(float));
    float *data = m.map_data<float>();
    std::memcpy(v.data(), data, v.size() * sizeof(float));
    m.unmap_data(data);
    return v;
}

/// The memory in the layout that a primitive needs: itself, or a reordered copy.
inline dnnl::memory as(const dnnl::memory::desc &wanted, dnnl::memory given, dnnl::stream &stream) {
    if (given.get_desc() == wanted) return given;
    dnnl::memory copy(wanted, given.get_engine());
    dnnl::reorder(given, copy).execute(stream, given, copy);
    stream.wait();
    return copy;
}

inline bool close(const std::vector<float> &found, const std::vector<float> &expected,
                  float tolerance = 1e-4f) {
    bool same = found.size() == expected.size();
    for (size_t i = 0; same && i < found.size(); ++i)
        same = std::fabs(found[i] - expected[i]) <= tolerance * std::fmax(1.f, std::fabs(expected[i]));
    std::printf("%s\n", same ? "as expected" : "NOT AS EXPECTED");
    return same;
}

/// Runs an example on the engine named by the first argument, cpu or gpu. Exit status 77: there is none.
inline int run(int argc, char **argv, const std::function<bool(dnnl::engine &, dnnl::stream &)> &body) {
    const bool gpu = argc > 1 && std::strcmp(argv[1], "gpu") == 0;
    const dnnl::engine::kind kind = gpu ? dnnl::engine::kind::gpu : dnnl::engine::kind::cpu;
    try {
        if (dnnl::engine::get_count(kind) == 0) {
            std::printf("SKIP: this machine has no %s engine\n", gpu ? "gpu" : "cpu");
            return 77;
        }
        dnnl::engine engine(kind, 0);
        dnnl::stream stream(engine);
        return body(engine, stream) ? 0 : 1;
    } catch (const dnnl::error &e) {
        std::printf("%s (status %d)\n", e.what(), int(e.status));
        return 1;
    }
}

} // namespace example

#endif
