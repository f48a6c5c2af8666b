#include "lesson/stock.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/units.h"
#include "launch/extent.h"

namespace gridstride {

Array uniform_f32(std::size_t count, std::uint64_t seed, double low, double high, std::uint32_t stream) {
    Array array(ElementType::f32, count);
    const auto numbers = array.as<float>();
    fill_uniform_f32(numbers, seed, stream);
    if (low == 0 && high == 1) return array;
    parallel_for(count, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            numbers[i] = static_cast<float>(low + (high - low) * double{numbers[i]});
    });
    return array;
}

Array normal_f32(std::size_t count, std::uint64_t seed, double mean, double deviation, std::uint32_t stream) {
    Array array(ElementType::f32, count);
    fill_normal_f32(array.as<float>(), seed, stream, mean, deviation);
    return array;
}

template <class T>
ArrayRef numbers_of_user(const UserData& data, WhyNot why_not) {
    const Array& given = *data.numbers;
    // Numbers that were whole from the start have nothing to be asked.
    if (given.type() == ElementTypeOf<T>::value && !std::is_floating_point_v<T>) return data.numbers;
    Array numbers(ElementTypeOf<T>::value, given.count());
    const auto out = numbers.as<T>();
    constexpr std::size_t none = SIZE_MAX;
    std::atomic<std::size_t> first_unfit = none;
    parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double number = given.number(i);
            if (why_not && !why_not(number).empty()) {
                for (std::size_t seen = first_unfit;
                     i < seen && !first_unfit.compare_exchange_weak(seen, i);) {
                }
                return;
            }
            out[i] = static_cast<T>(number);
        }
    });
    if (first_unfit != none)
        throw Refusal(
            fmt::format("Row {}: {}", format_count(first_unfit + 1), why_not(given.number(first_unfit))));
    return share(std::move(numbers));
}
template ArrayRef numbers_of_user<std::int16_t>(const UserData&, WhyNot);
template ArrayRef numbers_of_user<std::uint32_t>(const UserData&, WhyNot);
template ArrayRef numbers_of_user<float>(const UserData&, WhyNot);

double sum_of_parts(std::size_t count, std::size_t block,
                    const std::function<double(std::size_t, std::size_t)>& part) {
    std::vector<double> sums(divide_up(count, block));
    parallel_for(sums.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            sums[b] = part(b * block, std::min((b + 1) * block, count));
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

FloatSummary summary_of(std::span<const float> numbers) {
    constexpr std::size_t block = std::size_t{1} << 16;
    std::vector<FloatSummary> parts(divide_up(numbers.size(), block));
    parallel_for(parts.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const auto part = numbers.subspan(p * block, std::min(block, numbers.size() - p * block));
            float smallest = std::numeric_limits<float>::infinity(), largest = -smallest;
            FloatSummary sum;
            for (const float number : part) {
                sum.sum += number;
                sum.not_numbers += std::isnan(number);
                smallest = std::min(smallest, number);
                largest = std::max(largest, number);
            }
            parts[p] = {sum.sum, smallest, largest, sum.not_numbers};
        }
    });
    FloatSummary all = parts.front();
    for (const FloatSummary& part : std::span(parts).subspan(1)) {
        all.sum += part.sum;
        all.smallest = std::min(all.smallest, part.smallest);
        all.largest = std::max(all.largest, part.largest);
        all.not_numbers += part.not_numbers;
    }
    if (all.not_numbers > 0) all.smallest = all.largest = std::numeric_limits<double>::quiet_NaN();
    return all;
}

}  // namespace gridstride
