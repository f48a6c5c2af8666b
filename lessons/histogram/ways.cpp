#include "histogram/ways.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace gridstride::lessons::histogram {

namespace {

/// The most workgroup memory that copies are made for, u32. More would leave room for fewer workgroups at a
/// time, and each would have more to clear and to add up.
constexpr std::uint64_t most_words_of_copies = 8192;

}  // namespace

std::vector<Variant> variants() {
    return {
        {"race", "Read, add, write",
         "Every invocation reads its number's count, adds 1 and writes it back. Counts get lost, and it "
         "shows how many.",
         "histogram/race.comp"},
        {"atomic_global", "Atomic counts",
         "Every invocation adds 1 to its number's count in global memory, with an atomic addition.",
         "histogram/atomic_global.comp"},
        {"atomic_shared", "Counts of each workgroup",
         "Each workgroup counts in workgroup memory, and at the end adds its counts to those in global "
         "memory.",
         "histogram/atomic_shared.comp"},
        {"subgroup_replicas", "Several copies of each count",
         "As atomic_shared, with several copies of every count, so that the invocations of a subgroup rarely "
         "meet.",
         "histogram/subgroup_replicas.comp"},
    };
}

Way way_of(std::string_view variant) {
    static const std::vector<Variant> all = variants();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].id == variant) return static_cast<Way>(i);
    throw std::out_of_range("histogram has no variant named " + std::string(variant));
}

Way way_of_kernel(std::string_view kernel) {
    return way_of(kernel.substr(kernel.find('/') + 1));
}

bool has_private_bins(Way way) {
    return way == Way::atomic_shared || way == Way::subgroup_replicas;
}

std::uint64_t elements_an_invocation(Way way) {
    return has_private_bins(way) ? 4 : 1;
}

PrivateBins private_bins(Way way, std::uint64_t bins, std::uint64_t workgroup_size, const Limits& limits) {
    PrivateBins made;
    if (!has_private_bins(way)) return made;
    // One word is for the numbers that are ignored.
    const std::uint64_t room = std::max<std::uint64_t>(limits.max_shared_bytes / 4, 2) - 1;
    made.held = std::min(bins, room);
    if (way == Way::subgroup_replicas) {
        const std::uint64_t fit = std::min(room, most_words_of_copies) / made.held;
        const std::uint64_t meet =
            std::min<std::uint64_t>(limits.subgroup_size, std::bit_ceil(workgroup_size));
        made.copies = std::bit_floor(std::clamp<std::uint64_t>(fit, 1, meet));
    }
    // A power of two where it fits: moving `bins` does not make the driver compile a kernel for every stop.
    const std::uint64_t used = made.held * made.copies;
    made.words = std::bit_ceil(used) <= room ? std::bit_ceil(used) : used;
    return made;
}

std::uint64_t natural_workgroup_count(Way way, std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits) {
    const std::uint64_t tiles = divide_up(elements, workgroup_size * elements_an_invocation(way));
    // Each workgroup clears its bins first and adds them to the others' last.
    const std::uint64_t wanted =
        has_private_bins(way) ? std::min(tiles, fewest_filling_workgroups(workgroup_size, limits)) : tiles;
    return std::min(wanted, limits.max_workgroup_count);
}

std::uint64_t iterations_a_dispatch(Way way, const PrivateBins& bins, std::uint64_t workgroup_size) {
    if (!has_private_bins(way)) return 1;
    const std::uint64_t clearing = divide_up(bins.held * bins.copies, workgroup_size);
    // For each bin one round of the loop over the bins, and one for each of its copies.
    const std::uint64_t adding = divide_up(bins.held, workgroup_size) * (2 + bins.copies);
    return clearing + adding + 4;
}

}  // namespace gridstride::lessons::histogram
