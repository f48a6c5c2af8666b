#include "lesson/expected.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <vector>

#include "base/error.h"

namespace gridstride {

void ExpectedBuilder::set(std::size_t i, const Bounded& number) {
    double error = number.error;
    if (values_.type() == ElementType::f64) {
        values_.as<double>()[i] = number.value;
    } else {
        const auto rounded = static_cast<float>(number.value);
        values_.as<float>()[i] = rounded;
        error += std::abs(rounded - number.value);
    }
    // Round the bound up by more than half an f32 ulp, so that storing it as f32 never shrinks it. An exact
    // number stays exact.
    errors_.as<float>()[i] = error > 0 ? static_cast<float>(error * (1 + 0x1p-23) + 0x1p-149) : 0;
}

Expected ExpectedBuilder::build(std::string output) && {
    const auto errors = errors_.as<float>();
    if (std::ranges::all_of(errors, [](float error) { return error == 0; }))
        return {std::move(output), share(std::move(values_))};
    return {std::move(output), share(std::move(values_)), {0, 1}, share(std::move(errors_))};
}

Expected expected_number(std::string output, const Bounded& number) {
    ExpectedBuilder expected(1);
    expected.set(0, number);
    return std::move(expected).build(std::move(output));
}

Expected make_expected_by_rows(std::string output, const Array& x, std::uint64_t columns,
                               std::uint64_t outputs_per_row, const RowFunction& define) {
    const auto numbers = x.as<float>();
    const std::uint64_t rows = numbers.size() / columns;
    ExpectedBuilder expected(rows * outputs_per_row);
    parallel_for(rows, divide_up(std::uint64_t{1} << 14, columns), [&](std::size_t begin, std::size_t end) {
        std::vector<Bounded> row(columns), out(outputs_per_row);
        for (std::size_t r = begin; r < end; ++r) {
            for (std::size_t i = 0; i < columns; ++i)
                row[i] = {numbers[r * columns + i]};
            define(row, out);
            for (std::size_t i = 0; i < outputs_per_row; ++i)
                expected.set(r * outputs_per_row + i, out[i]);
        }
    });
    return std::move(expected).build(std::move(output));
}

void require_decidable(const Expected& expected, const Input& operands) {
    if (!expected.reference) return;
    const Array& numbers = *expected.reference;
    const auto is_infinite = [](const ArrayRef& array, std::size_t i) {
        return array && std::isinf(array->number(i));
    };
    const bool has_infinite_operand = std::ranges::any_of(operands, [&](const auto& operand) {
        return std::ranges::any_of(std::views::iota(std::size_t{0}, operand.array->count()),
                                   [&](std::size_t i) { return is_infinite(operand.array, i); });
    });
    for (std::size_t i = 0; i < numbers.count(); ++i) {
        const double number = numbers.number(i);
        // An f16 beyond 65 504 is an infinity or the largest f16: the judge accepts only these two. A finite
        // number with an infinite bound would accept anything.
        const bool has_infinite_bound = is_infinite(expected.scale, i);
        const bool is_decidable = std::isnan(number)
                                      ? expected.nan_allowed && expected.nan_allowed->number(i) != 0
                                  : std::isinf(number) ? has_infinite_bound || has_infinite_operand
                                                       : !has_infinite_bound;
        if (is_decidable) continue;
        if (std::isfinite(number))
            throw Refusal(
                "Element {} accepts any result, because its error bound is infinite. A quotient whose "
                "divisor may be 0, and an f16 near 65 504, have no bound: use where(condition, x, y) or "
                "smaller numbers.",
                i);
        throw Refusal(
            "Element {} is {}, by which no result can be judged. A division by 0, and the root or logarithm "
            "of a negative number, have no result: use where(condition, x, y).",
            i, std::isnan(number) ? "NaN" : fmt::format("{}", number));
    }
}

}  // namespace gridstride
