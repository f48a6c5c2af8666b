// What many lessons need: random inputs, the numbers of a file of the user's, sums and samples of results.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "lesson/data.h"

namespace gridstride {

/// Uniform in [low, high), rounded to f32 once. The same seed gives the same bytes on every machine; streams
/// of one seed are independent.
Array uniform_f32(std::size_t count, std::uint64_t seed, double low = 0, double high = 1,
                  std::uint32_t stream = 0);
/// Normal with this mean and standard deviation: see fill_normal_f32().
Array normal_f32(std::size_t count, std::uint64_t seed, double mean, double deviation,
                 std::uint32_t stream = 0);

/// Why a number of the user's does not fit, and what to do, as what follows "Row 3: "; empty when it fits.
using WhyNot = std::string (*)(double number);
/// The user's numbers as T. Throws Refusal for the first that does not fit; without why_not all do.
template <class T>
ArrayRef numbers_of_user(const UserData& data, WhyNot why_not = nullptr);

/// ceil(log2(n)): the levels of a tree over n values, or the steps of a prefix sum.
constexpr std::uint64_t tree_levels(std::uint64_t n) {
    return static_cast<std::uint64_t>(std::bit_width(n - 1));
}

/// The sum of what part(begin, end) returns for disjoint ranges that cover [0, count), on all cores, ranges
/// of at most `block`. The same to the last bit however many cores there are.
double sum_of_parts(std::size_t count, std::size_t block,
                    const std::function<double(std::size_t, std::size_t)>& part);

/// What results of f32 come to.
struct FloatSummary {
    double sum = 0;
    double smallest = 0;  ///< NaN, as the largest, where any of them is
    double largest = 0;
    std::uint64_t not_numbers = 0;
};
/// Of at least one number. The same to the last bit however many cores there are.
FloatSummary summary_of(std::span<const float> numbers);

/// visit(i) for up to `most` indices below count, evenly spread.
template <class Visit>
void for_each_sampled(std::size_t count, std::size_t most, Visit visit) {
    const std::size_t samples = std::min(count, most);
    for (std::size_t s = 0; s < samples; ++s)
        visit(s * count / samples);
}

}  // namespace gridstride
