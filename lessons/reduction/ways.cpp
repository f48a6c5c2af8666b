#include "reduction/ways.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace gridstride::lessons::reduction {

std::vector<Variant> variants() {
    return {
        {"atomic_global", "One counter for all",
         "Every invocation adds its number to one total in global memory, with an atomic addition.",
         "reduction/atomic_global.comp"},
        {"tree_interleaved", "Tree, neighbours first",
         "A workgroup adds neighbours, then neighbours of those; the invocations that add lie ever further "
         "apart.",
         "reduction/tree_interleaved.comp"},
        {"tree_sequential", "Tree, halves",
         "A workgroup adds its upper half to its lower half; the invocations that add stay side by side.",
         "reduction/tree_sequential.comp"},
        {"tree_first_add", "Add two while loading",
         "Each invocation adds two numbers as it loads them, so that nobody is idle in the first level.",
         "reduction/tree_first_add.comp"},
        {"grid_stride", "Each sums many",
         "Each invocation sums many numbers in registers, four to a load, and the workgroup does one tree at "
         "the end.",
         "reduction/grid_stride.comp"},
        {"subgroup", "Subgroup arithmetic",
         "As grid_stride, with the tree replaced by one subgroup addition and one number a subgroup in "
         "memory.",
         "reduction/subgroup.comp"},
        {"single_pass", "The last one finishes",
         "As subgroup, and the workgroup that is done last adds up the partial sums: no second launch.",
         "reduction/single_pass.comp"},
    };
}

Way way_of(std::string_view variant) {
    static const std::vector<Variant> all = variants();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].id == variant) return static_cast<Way>(i);
    throw std::out_of_range("reduction has no variant named " + std::string(variant));
}

Way way_of_kernel(std::string_view kernel) {
    const std::size_t slash = kernel.find('/');
    const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
    return way_of(kernel.substr(start, kernel.find('.', start) - start));
}

std::uint64_t elements_an_invocation(Way way) {
    switch (way) {
        case Way::atomic_global:
        case Way::tree_interleaved:
        case Way::tree_sequential:
            return 1;
        case Way::tree_first_add:
            return 2;
        case Way::grid_stride:
        case Way::subgroup:
        case Way::single_pass:
            return 4;
    }
    return 1;
}

bool sums_before_tree(Way way) {
    return elements_an_invocation(way) == 4;
}

bool uses_subgroups(Way way) {
    return way == Way::subgroup || way == Way::single_pass;
}

std::uint64_t tree_levels(std::uint64_t size) {
    return static_cast<std::uint64_t>(std::bit_width(size - 1));
}

std::uint64_t natural_workgroup_count(Way way, std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits) {
    const std::uint64_t tiles = divide_up(elements, workgroup_size * elements_an_invocation(way));
    std::uint64_t wanted = tiles;
    if (sums_before_tree(way)) {
        // Each further workgroup costs a tree and a partial sum. In a long run it pays to have some wait
        // their turn all the same: a multiprocessor that is ahead takes the next one.
        std::uint64_t filling = fewest_filling_workgroups(workgroup_size, limits);
        constexpr std::uint64_t passes_of_a_long_run = 256;
        if (limits.multiprocessors > 0 && tiles / filling > passes_of_a_long_run) filling *= 4;
        wanted = std::min(tiles, filling);
    }
    return std::min(wanted, limits.max_workgroup_count);
}

std::uint64_t finish_workgroup_size(std::uint64_t partial_sums, const Limits& limits) {
    // One workgroup is all there is, so it is large where there is much to add: four partial sums an
    // invocation.
    const std::uint64_t largest = std::min<std::uint64_t>(limits.max_workgroup_size, 1024);
    const std::uint64_t smallest = std::min<std::uint64_t>(limits.subgroup_size, largest);
    return std::clamp(std::bit_ceil(divide_up(partial_sums, 4)), smallest, largest);
}

Iterations iterations(Way way, std::uint64_t workgroup_size, std::uint64_t workgroup_count,
                      bool compare_and_swap, const Limits& limits) {
    const std::uint64_t tree = tree_levels(workgroup_size) + 1;
    switch (way) {
        case Way::atomic_global:
            // Every round of compare-and-swap succeeds for one invocation at least, so the lanes of a
            // subgroup need as many rounds as there are lanes when no one else interferes. Nothing bounds
            // what others do: this allows them to spoil most rounds, and where even that is exceeded the
            // judge finds the lost number.
            return {compare_and_swap ? 1 + 64 * std::uint64_t{limits.subgroup_size} : 1, 1};
        case Way::tree_interleaved:
        case Way::tree_sequential:
        case Way::tree_first_add:
            return {1 + tree, 1};
        case Way::grid_stride:
            return {1, 2 + tree};
        case Way::subgroup:
            return {1, 2 + workgroup_size + 1};  // rounds over the subgroups' sums: see the kernel
        case Way::single_pass:
            return {1, 2 + workgroup_size + 1 +
                           divide_up(workgroup_count,
                                     16 * std::min<std::uint64_t>(workgroup_size, limits.subgroup_size)) +
                           1};
    }
    return {};
}

}  // namespace gridstride::lessons::reduction
