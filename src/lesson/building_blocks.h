// Functions that many lessons share: random inputs, conversion of the user's numbers, sums and samples of
// results, and pictures of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/parallel_for.h"
#include "lesson/lesson.h"

namespace gridstride {

/// Returns numbers uniform in [low, high), rounded to f32 once. The same seed gives the same bytes on every
/// machine. The streams of one seed are independent.
Array uniform_f32(std::size_t count, std::uint64_t seed, double low = 0, double high = 1,
                  std::uint32_t stream = 0);
/// Returns normally distributed numbers with this mean and standard deviation: see fill_normal_f32().
Array normal_f32(std::size_t count, std::uint64_t seed, double mean, double deviation,
                 std::uint32_t stream = 0);

/// Returns why a number of the user's cannot be used and what to do, to be appended to "Row 3: ". Empty: it
/// can.
using NumberCheck = std::function<std::string(double number)>;
/// Returns a check that the magnitude is at most `max_magnitude`. In `sentence`, {0} is the number and {1} is
/// `largest`.
NumberCheck max_magnitude_check(double max_magnitude, std::string sentence);
/// Converts the user's numbers to T. Floats of a text or .npy are rounded to the nearest T. Throws Refusal
/// for the first number that `check` rejects or, for f32 and f16, that is out of range or an integer that
/// T does not hold exactly.
template <class T>
ArrayRef convert_user_numbers(const UserData& data, const NumberCheck& check = {});
/// Converts the numbers of a file. Throws Refusal for the first one that the type does not hold.
ArrayRef convert_user_numbers(const UserData& data, ElementType type);

/// Throws Refusal, with the place and the reason, for the first number of a matrix that `check` rejects.
void require_numbers(const Array& matrix, std::uint64_t columns, const NumberCheck& check);

/// Returns an array whose element i is generate(i). Runs on all CPU cores.
template <class T, class Generate>
ArrayRef generate_array(std::size_t count, Generate generate) {
    Array all(ElementTypeOf<T>::value, count);
    const std::span<T> out = all.as<T>();
    parallel_for(count, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = generate(i);
    });
    return share(std::move(all));
}

/// Returns `count` numbers from `from` to `to`, inclusive, with equal differences, or with equal ratios on a
/// logarithmic scale.
std::vector<double> spaced_numbers(double from, double to, std::size_t count,
                                   AxisScale scale = AxisScale::linear);

/// Copies a range of elements to an array of the same type.
Array copy_slice(const Array& all, std::size_t first, std::size_t count);

/// The check for values that must be finite as f32, see NumberCheck.
std::string check_finite_f32(double number);

/// Returns ceil(log2(n)), the levels of a tree over n values or the steps of a prefix sum.
constexpr std::uint64_t tree_levels(std::uint64_t n) {
    return static_cast<std::uint64_t>(std::bit_width(n - 1));
}

/// Adds the numbers in order, u32 modulo 2^32, f32 and f64 with rounding after each addition. Returns an
/// array of one element.
Array sum_in_order(const Array& numbers);

/// Returns the sum of the magnitudes of the first `count` numbers.
double sum_magnitudes(const Array& all, std::size_t count);

/// Adds numbers for CPU baselines; integers wrap around. It uses independent partial sums, because for f32
/// the compiler may not reorder additions to vectorize them.
template <class T>
double fast_sum(std::span<const T> numbers) {
    constexpr std::size_t width = 32;
    std::array<T, width> sums{};
    std::size_t i = 0;
    for (; i + width <= numbers.size(); i += width)
        for (std::size_t k = 0; k < width; ++k)
            sums[k] += numbers[i + k];
    for (; i < numbers.size(); ++i)
        sums[0] += numbers[i];
    return static_cast<double>(std::accumulate(sums.begin(), sums.end(), T{0}));
}

/// Returns an array for the results of a CPU baseline. It stays allocated between the calls of a thread, like
/// the device's buffers, because page faults of new memory would count into the measured time.
Array& scratch_array(ElementType type, std::size_t count);

/// Statistics of results.
struct NumberSummary {
    double smallest = HUGE_VAL, largest = -HUGE_VAL;  ///< NaN if any number is NaN
    double sum = 0;
    std::uint64_t nan_count = 0;  ///< how many are NaN
};
/// Computes the statistics of at least one number. The result does not depend on the number of CPU cores.
NumberSummary summarize_numbers(const Array& numbers);

/// Calls visit(i) for up to `max_count` evenly spaced indices below count.
template <class Visit>
void for_each_sampled(std::size_t count, std::size_t max_count, Visit visit) {
    const std::size_t samples = std::min(count, max_count);
    for (std::size_t s = 0; s < samples; ++s)
        visit(s * count / samples);
}

/// Returns the array's numbers, or `max_count` evenly spaced ones if there are more.
std::vector<double> sample_numbers(const Array& array, std::size_t max_count = SIZE_MAX);

/// Returns a bar for each of `bins` intervals of this width, starting at `low`. Each number adds `weight` to
/// its bar; numbers outside are added to the first or last bar, NaN to none.
Series make_histogram(std::span<const double> numbers, double low, double width, std::size_t bins,
                      double weight = 1);

/// Returns the upper left corner of a matrix with `pitch` numbers per row, at most 256 x 256. The shades
/// range from its smallest finite number to its largest.
Cells::Numbers matrix_corner(std::string label, const Array& numbers, std::uint64_t pitch);

/// Removes kinds that no cell has, so that the legend lists only visible ones.
Cells remove_unused_kinds(Cells cells);

/// Returns a row with a bar for each step of the run's last sample. Its label is the variant, and it ends at
/// the median duration of the run. It is empty for a run that was not measured.
Timeline::Row make_timeline_row(const Report& run);

/// Returns the picture "timeline", with a row for the latest run of each variant with the bench's values and
/// input. Returns nullopt before the first such run.
std::optional<Plot> make_variant_timeline(const PictureInput& input);

}  // namespace gridstride
