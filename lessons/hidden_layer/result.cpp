#include "hidden_layer/result.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/parallel_for.h"

namespace gridstride::lessons::hidden_layer {

namespace {

/// Of consecutive activations. The parts are always the same, so that the mean is the same to the last bit
/// however many cores there are.
struct Part {
    double sum = 0;
    float smallest = std::numeric_limits<float>::infinity();
    float largest = -std::numeric_limits<float>::infinity();
    std::uint64_t not_numbers = 0;
};

Part look_at(std::span<const float> activations) {
    Part part;
    for (const float a : activations) {
        part.sum += a;
        part.not_numbers += std::isnan(a);
        part.smallest = std::min(part.smallest, a);
        part.largest = std::max(part.largest, a);
    }
    return part;
}

}  // namespace

std::vector<Fact> result(const Values&, const Outputs& outputs) {
    const Array* found = find(outputs, "activations");
    if (!found || found->empty()) return {};
    const auto activations = found->as<float>();
    constexpr std::size_t length = std::size_t{1} << 16;
    std::vector<Part> parts((activations.size() + length - 1) / length);
    parallel_for(parts.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            parts[p] =
                look_at(activations.subspan(p * length, std::min(length, activations.size() - p * length)));
    });
    Part all;
    for (const Part& part : parts) {
        all.sum += part.sum;
        all.smallest = std::min(all.smallest, part.smallest);
        all.largest = std::max(all.largest, part.largest);
        all.not_numbers += part.not_numbers;
    }
    const bool numbers = all.not_numbers == 0;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {{"mean", "Mean activation", numbers ? all.sum / static_cast<double>(activations.size()) : nan},
            {"min", "Smallest", numbers ? double{all.smallest} : nan},
            {"max", "Largest", numbers ? double{all.largest} : nan},
            {"not_numbers", "Not a number", all.not_numbers}};
}

}  // namespace gridstride::lessons::hidden_layer
