#include "lesson/input_remarks.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <utility>

#include "base/format_exact.h"
#include "base/parallel_for.h"
#include "base/units.h"

namespace gridstride {

std::string matrix_position(std::size_t number, std::size_t columns) {
    if (columns == 0) return fmt::format("Row {}", format_count(number + 1));
    return fmt::format("Row {}, column {}", format_count(number / columns + 1),
                       format_count(number % columns + 1));
}

namespace {

/// Returns a sentence on the whole numbers of a text that f32 does not hold exactly, or an empty string.
/// Fractions are not counted, because most of them are rounded.
std::string describe_rounded_integers(const UserData& data) {
    const auto numbers = data.numbers->as<double>();
    const auto is_rounded = [](double number) {
        return number == std::floor(number) && std::isfinite(number) &&
               double{static_cast<float>(number)} != number;
    };
    std::atomic<std::size_t> first = numbers.size(), count = 0;
    parallel_for(numbers.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        std::size_t first_here = numbers.size(), count_here = 0;
        for (std::size_t i = begin; i < end; ++i)
            if (is_rounded(numbers[i]) && ++count_here == 1) first_here = i;
        count += count_here;
        for (std::size_t current_first = first;
             first_here < current_first && !first.compare_exchange_weak(current_first, first_here);) {
        }
    });
    if (count == 0) return {};
    return fmt::format(
        "{}: {} rounded to f32. {}: {} became {}.", data.name,
        count == 1 ? "1 whole number was" : counted(count.load(), "whole number", "whole numbers") + " were",
        matrix_position(first, data.width), format_exact(numbers[first]),
        format_exact(double{static_cast<float>(numbers[first])}));
}

}  // namespace

std::vector<std::string> conversion_remarks(const UserData& data, ElementType type) {
    std::vector<std::string> remarks;
    for (const std::string& remark : data.remarks)
        remarks.push_back(fmt::format("{}: {}", data.name, remark));
    if (!data.stored_type.empty() && data.stored_type != name(type)) {
        const bool rounds = (data.stored_type.ends_with("f64") && type == ElementType::f32) ||
                            (type == ElementType::f16 && data.stored_type.find('f') != std::string::npos);
        remarks.push_back(fmt::format("{0}: Its numbers were {2} from {1} to {3}.", data.name,
                                      data.stored_type, rounds ? "rounded" : "converted exactly",
                                      name(type)));
    }
    const bool is_text = data.stored_type.empty() && data.numbers && data.numbers->type() == ElementType::f64;
    if (is_text && type == ElementType::f32)
        if (std::string rounded = describe_rounded_integers(data); !rounded.empty())
            remarks.push_back(std::move(rounded));
    return remarks;
}

}  // namespace gridstride
