// From how many elements on the GPU is faster: time against size, from the runs so far.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lesson/plot.h"
#include "lesson/report.h"

namespace gridstride::lessons::gaussian {

/// One size that was run.
struct SizeTimes {
    double elements = 0;
    double gpu = 0;  ///< ns
    double cpu = 0;
};

/// The size at which the GPU overtakes: between a size at which it was not faster and the next one, at which
/// it was, where the straight lines between the measured points cross on logarithmic axes; of several such
/// places the last. nullopt when there is none. Sizes ascend; all times are above 0.
std::optional<double> crossing(std::span<const SizeTimes> sizes);

/// "break_even": the latest run of the variant at each size. nullopt without any.
std::optional<Plot> break_even_picture(std::string_view variant, std::span<const Report* const> history);

}  // namespace gridstride::lessons::gaussian
