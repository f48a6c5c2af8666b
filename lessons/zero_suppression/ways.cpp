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
    std::uint64_t wanted = tiles;
    if (way != Way::per_sample) {
        std::uint64_t filling = limits.is_cpu ? 64 : 1024;
        if (limits.multiprocessors > 0 && limits.subgroups_per_multiprocessor > 0) {
            const std::uint64_t subgroups = divide_up(workgroup_size, limits.subgroup_size);
            filling = limits.multiprocessors *
                      std::max<std::uint64_t>(limits.subgroups_per_multiprocessor / subgroups, 1);
            // In a long run it pays to have some workgroups wait their turn: a multiprocessor that is ahead
            // takes the next one.
            constexpr std::uint64_t passes_of_a_long_run = 32;
            if (tiles / filling > passes_of_a_long_run) filling *= 4;
        }
        wanted = std::min(tiles, filling);
    }
    return std::min(wanted, limits.max_workgroup_count);
}

}  // namespace gridstride::lessons::zero_suppression
