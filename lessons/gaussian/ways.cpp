#include "gaussian/ways.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gridstride::lessons::gaussian {

std::vector<Variant> variants() {
    return {
        {"per_element", "One invocation an element",
         "As many invocations as elements: each computes the density of one x.", "gaussian/per_element.comp"},
        {"grid_stride", "Grid-stride loop",
         "As many invocations as keep the device busy: each steps over the elements by the whole grid.",
         "gaussian/grid_stride.comp"},
        {"vec4", "Four to a load",
         "The grid-stride loop over groups of four: 16 bytes a load and a store, four on their way at once.",
         "gaussian/vec4.comp"},
        {"float64", "In double",
         "The loop of vec4 with doubles inside: GLSL has no exp for them, so the kernel brings its own.",
         "gaussian/float64.comp"},
    };
}

Way way_of(std::string_view variant) {
    static const std::vector<Variant> all = variants();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].id == variant) return static_cast<Way>(i);
    throw std::out_of_range("gaussian has no variant named " + std::string(variant));
}

Way way_of_kernel(std::string_view kernel) {
    return way_of(kernel.substr(kernel.find('/') + 1));
}

bool computes_in_double(Way way) {
    return way == Way::float64;
}

std::uint64_t elements_an_invocation(Way way) {
    return way == Way::vec4 || way == Way::float64 ? 4 : 1;
}

std::uint64_t operations_an_element(Way way) {
    return computes_in_double(way) ? 39 : 6;
}

std::uint64_t natural_workgroup_count(Way way, std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits) {
    const std::uint64_t tiles = divide_up(elements, workgroup_size * elements_an_invocation(way));
    if (way == Way::per_element) return streaming_workgroups(tiles, limits);
    // grid_stride shows a grid that fills the device and no more.
    const std::uint64_t wanted = way == Way::grid_stride || limits.is_cpu
                                     ? resident_workgroups(workgroup_size, limits)
                                     : streaming_workgroups(tiles, limits);
    return std::min({tiles, wanted, limits.max_workgroup_count});
}

}  // namespace gridstride::lessons::gaussian
