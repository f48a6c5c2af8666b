// What the lesson's files share: which bin a number falls into, and the ways to count.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "lesson/lesson.h"

namespace gridstride::lessons::histogram {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> bins{"bins"};
inline constexpr Key<double> range_min{"range_min"};
inline constexpr Key<double> range_max{"range_max"};
inline constexpr Key<double> spread{"spread"};
}  // namespace key

/// A range [min, max) in `count` bins of equal width, all in f32.
struct Bins {
    float min = 0, max = 0;
    float width = 0;  ///< of one bin
    std::uint32_t count = 1;
};
inline Bins bins_of(const Values& values) {
    const auto min = static_cast<float>(values[key::range_min]);
    const auto max = static_cast<float>(values[key::range_max]);
    const auto count = static_cast<std::uint32_t>(values[key::bins]);
    return {min, max, (max - min) / static_cast<float>(count), count};
}

/// The definition: floor((x - min) / width) in f32 arithmetic, where min <= x < max; nullopt elsewhere and
/// for NaN. A number just below max whose quotient rounds up to `count` is in the last bin.
inline std::optional<std::uint32_t> bin_of(float x, const Bins& bins) {
    if (!(bins.min <= x && x < bins.max)) return std::nullopt;
    const float quotient = (x - bins.min) / bins.width;
    return std::min(static_cast<std::uint32_t>(std::floor(quotient)), bins.count - 1);
}

/// A way to count. The one that is wrong on purpose does without atomics, and loses counts.
struct Way : Variant {
    bool private_bins = false;  ///< a workgroup counts in its own memory and adds its counts up at the end
    bool replicas = false;      ///< several copies of each private bin
};
const std::vector<Way>& ways();

/// The bins that a workgroup of `size` invocations keeps in its own memory.
struct PrivateBins {
    std::uint64_t held = 0;    ///< bins 0 … held - 1; the rest is counted in global memory
    std::uint64_t copies = 1;  ///< of each: a power of two, not above the subgroup's width
    std::uint64_t words = 1;   ///< u32 of workgroup memory, at least held * copies
};
PrivateBins private_bins(const Way& way, std::uint64_t bins, std::uint64_t size, const Limits& limits);

/// Measured: "counts", the GPU's and the CPU's; "lost", for race, lost counts, bin by bin; once two runs
/// differ in nothing but that and the variant, "time_against_spread", "time_against_bins" and
/// "time_against_workgroups". Recorded: "contention", which invocations of a subgroup meet in a bin.
/// Computed: "first_numbers"; "own_counts", where workgroups have some; "workgroup_memory". Modelled:
/// "two_additions".
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::histogram
