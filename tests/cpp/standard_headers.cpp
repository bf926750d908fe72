/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that includes dnnl.hpp alone and uses the standard headers that oneDNN's brings along: it must
 * compile. It must not include anything else, which is why it prints nothing.
 */
#include "oneapi/dnnl/dnnl.hpp"

static std::unique_ptr<std::string> name_of(dnnl::memory::data_type type) {
    const std::unordered_map<int, std::string> names = {
            {static_cast<int>(dnnl::memory::data_type::f32), "f32"}};
    return std::unique_ptr<std::string>(new std::string(names.at(static_cast<int>(type))));
}

/// The dimensions of a descriptor, largest first.
static std::vector<dnnl::memory::dim> sorted_dims(const dnnl::memory::desc &md) {
    const dnnl::memory::dims dims = md.get_dims();
    std::vector<dnnl::memory::dim> sorted;
    std::copy(dims.begin(), dims.end(), std::back_inserter(sorted));
    std::sort(sorted.begin(), sorted.end());
    std::reverse(sorted.begin(), sorted.end());
    return sorted;
}

int main() {
    const dnnl::memory::desc md({2, 5, 3}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::abc);
    const std::shared_ptr<std::string> name(name_of(md.get_data_type()));
    if (*name != "f32" || sorted_dims(md) != std::vector<dnnl::memory::dim>({5, 3, 2})) std::abort();
    return EXIT_SUCCESS;
}
