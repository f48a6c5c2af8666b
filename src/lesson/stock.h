// What many lessons need: random inputs, the numbers of a file of the user's, sums and samples of results,
// and pictures of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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

/// Uniform in [low, high), rounded to f32 once. The same seed gives the same bytes on every machine; streams
/// of one seed are independent.
Array uniform_f32(std::size_t count, std::uint64_t seed, double low = 0, double high = 1,
                  std::uint32_t stream = 0);
/// Normal with this mean and standard deviation: see fill_normal_f32().
Array normal_f32(std::size_t count, std::uint64_t seed, double mean, double deviation,
                 std::uint32_t stream = 0);

/// Why a number of the user's does not fit, and what to do, as what follows "Row 3: "; empty when it fits.
using WhyNot = std::function<std::string(double number)>;
/// For numbers whose magnitude is at most this; the sentence has {0} for the number and {1} for the largest.
WhyNot at_most(double largest, std::string sentence);
/// The user's numbers as T, floats of a text or an .npy rounded to the nearest f32. Throws Refusal for the
/// first that does not fit: as why_not says, and for f32 a whole number of an integer type that it does not
/// hold exactly, and one beyond its range.
template <class T>
ArrayRef numbers_of_user(const UserData& data, const WhyNot& why_not = {});

/// Throws Refusal for the first number of a matrix that does not fit, with its place and why.
void require_numbers(const Array& matrix, std::uint64_t columns, const WhyNot& why_not);

/// of(i) for each i below count, on all cores.
template <class T, class Of>
ArrayRef array_of(std::size_t count, Of of) {
    Array all(ElementTypeOf<T>::value, count);
    const std::span<T> out = all.as<T>();
    parallel_for(count, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            out[i] = of(i);
    });
    return share(std::move(all));
}

/// So many numbers from one to another, both among them, as far apart from each other; or in equal ratios.
std::vector<double> evenly_spread(double from, double to, std::size_t count,
                                  AxisScale scale = AxisScale::linear);

/// Some elements of an array, as one of its type.
Array slice_of(const Array& all, std::size_t first, std::size_t count);

/// For f32 that has to be finite.
std::string why_not_f32(double number);

/// ceil(log2(n)): the levels of a tree over n values, or the steps of a prefix sum.
constexpr std::uint64_t tree_levels(std::uint64_t n) {
    return static_cast<std::uint64_t>(std::bit_width(n - 1));
}

/// The sum of u32 modulo 2^32, or of f32 or f64, one after another, rounded each time: an array of one
/// number.
Array sum_in_order(const Array& numbers);

/// The sum of the magnitudes of the first `count` numbers.
double magnitude_of(const Array& all, std::size_t count);

/// For baselines: the sum, fast with the compiler's vector instructions, of whole numbers modulo what T
/// holds. Independent sums, which f32 needs spelt out, because the compiler must not change the order of
/// additions.
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

/// For baselines: room for the results, which stays allocated between the calls of a thread, as the device's
/// does. The system would hand out the pages of a fresh one one by one while the clock runs.
Array& kept_room(ElementType type, std::size_t count);

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

/// The array's numbers, or up to `most` of them, evenly spread.
std::vector<double> numbers_of(const Array& array, std::size_t most = SIZE_MAX);

/// A bar for each of `bins` intervals of this width from `low` on: `each` for every number in it, and what
/// lies beyond the ends in the outermost. NaN is in none.
Series histogram_of(std::span<const double> numbers, double low, double width, std::size_t bins,
                    double each = 1);

/// The first few numbers, at 0, 1, 2, …
Series first_of(const Array& numbers, std::size_t few, std::string label, Mark mark, Ink ink);

/// The corner of a matrix with `pitch` numbers a row, up to 256 rows and columns, its shades from its
/// smallest finite number to its largest.
Cells::Numbers corner_of(std::string label, const Array& numbers, std::uint64_t pitch);

/// The legend names only what can be seen.
Cells without_unused_kinds(Cells cells);

/// The steps of the run's last sample, a bar each; it is called by its variant and ends where the median run
/// does. Of a run that was not measured there is nothing in it.
Timeline::Row timeline_row(const Report& run);

/// "timeline": a row for each variant that has run with the bench's values and input, from its latest run;
/// nullopt before the first.
std::optional<Plot> timeline_of_variants(const PictureInput& input);

}  // namespace gridstride
