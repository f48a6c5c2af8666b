#include "histogram/bins.h"

#include <bit>

namespace gridstride::lessons::histogram {

Bins bins_of(const Values& values) {
    Bins bins;
    bins.min = static_cast<float>(values[key::range_min]);
    bins.max = static_cast<float>(values[key::range_max]);
    bins.count = static_cast<std::uint32_t>(values[key::bins]);
    bins.width = (bins.max - bins.min) / static_cast<float>(bins.count);
    return bins;
}

std::vector<double> centres(const Bins& bins) {
    std::vector<double> all(bins.count);
    const double low = bins.min;
    const double length = double{bins.max} - low;
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = low + (static_cast<double>(i) + 0.5) * length / bins.count;
    return all;
}

std::vector<std::uint32_t> kernel_words(const Bins& bins) {
    // The width as a sum of two numbers of 12 significant bits: products of these with a bin's number are
    // exact.
    const float high = std::bit_cast<float>(std::bit_cast<std::uint32_t>(bins.width) & 0xFFFFF000u);
    const float low = bins.width - high;
    std::vector<std::uint32_t> words;
    for (const float number :
         {bins.min, bins.max, bins.width, high, low, 1 / bins.width, 0.5f - estimate_error(bins)})
        words.push_back(std::bit_cast<std::uint32_t>(number));
    words.push_back(bins.count);
    return words;
}

float estimate_error(const Bins& bins) {
    return 4 * static_cast<float>(bins.count + 1) * 0x1p-23f;
}

}  // namespace gridstride::lessons::histogram
