#include "zero_suppression/ways.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gridstride::lessons::zero_suppression {

std::vector<Variant> variants() {
    return {
        {"per_sample", "One invocation a sample", "Every invocation looks at one sample and stores it or 0.",
         "zero_suppression/per_sample.comp"},
        {"grid_stride", "Each takes many",
         "A grid that fits the device goes over all samples; each invocation has four loads under way at "
         "once.",
         "zero_suppression/grid_stride.comp"},
        {"packed", "Eight samples a load",
         "As grid_stride, with loads and stores of 16 bytes that hold eight samples each.",
         "zero_suppression/packed.comp"},
        {"compact", "Keep the survivors alone",
         "Only samples above the threshold are stored, with their positions: count, prefix sum, scatter.",
         "zero_suppression/compact_scatter.comp"},
    };
}

Way way_of(std::string_view variant) {
    static const std::vector<Variant> all = variants();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].id == variant) return static_cast<Way>(i);
    throw std::out_of_range("zero_suppression has no variant named " + std::string(variant));
}

std::uint64_t samples_an_invocation(Way way, const Limits& limits) {
    if (way == Way::packed || way == Way::compact) return 8;
    return limits.storage16 ? 1 : 2;
}

bool touches_single_samples(Way way) {
    return way != Way::packed;
}

std::uint64_t natural_workgroup_count(Way way, std::uint64_t samples, std::uint64_t workgroup_size,
                                      const Limits& limits) {
    const std::uint64_t tiles = divide_up(samples, workgroup_size * samples_an_invocation(way, limits));
    if (way == Way::per_sample) return streaming_workgroups(tiles, limits);
    const std::uint64_t wanted = way == Way::packed && !limits.is_cpu
                                     ? streaming_workgroups(tiles, limits)
                                     : resident_workgroups(workgroup_size, limits);
    return std::min({tiles, wanted, limits.max_workgroup_count});
}

}  // namespace gridstride::lessons::zero_suppression
