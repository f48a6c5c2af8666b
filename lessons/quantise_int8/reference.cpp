// The definitions, and how far what is computed may be from them.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/parallel_for.h"
#include "base/tolerance.h"
#include "lesson/stock.h"
#include "quantise_int8/quantise_int8.h"

namespace gridstride::lessons::quantise_int8 {

namespace {

/// What a result is made of.
struct Row {
    std::span<const float> weights;
    std::span<const std::int8_t> bytes;
    Places places;
};
struct Vector {
    std::span<const float> numbers;
    std::span<const std::int8_t> bytes;
    double step;
};
Row row_at(const Input& input, std::uint64_t columns, std::uint64_t row) {
    return {get(input, "weights").as<float>().subspan(row * columns, columns),
            get(input, "bytes").as<std::int8_t>().subspan(row * padded(columns), columns),
            places_of_row(input, row)};
}
Vector vector_at(const Input& input, std::uint64_t columns, std::uint64_t vector) {
    return {get(input, "x").as<float>().subspan(vector * padded(columns), columns),
            get(input, "x_bytes").as<std::int8_t>().subspan(vector * padded(columns), columns),
            get(input, "x_steps").as<float>()[vector]};
}

/// One for each row and vector, those of a vector side by side, as the kernels leave them.
template <class Of>
ArrayRef of_each_result(const Input& input, const Values& values, Of of) {
    const std::uint64_t rows = values[key::rows], columns = values[key::columns];
    Array all(ElementType::f64, rows * values[key::vectors]);
    const auto out = all.as<double>();
    parallel_for(out.size(), divide_up(std::uint64_t{1} << 14, columns),
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t i = begin; i < end; ++i)
                         out[i] = of(row_at(input, columns, i % rows), vector_at(input, columns, i / rows));
                 });
    return share(std::move(all));
}

double exact(const Row& row, const Vector& x) {
    double sum = 0;
    for (std::size_t i = 0; i < row.weights.size(); ++i)
        sum += double{row.weights[i]} * x.numbers[i];
    return sum;
}
/// Relative to the sum of the products' magnitudes. A lane adds up its numbers, or the dots of four of its
/// words, then lanes are added up, and parts of subgroups. A product is rounded, too, and its sum times a
/// step.
double rounding_of_sum(const Prepared& asked) {
    constexpr std::uint64_t products = 2, lanes = 128;
    const std::uint64_t pitch = padded(asked.values()[key::columns]);
    const RowTeam team = team_of(asked.values(), asked.limits);
    const std::uint64_t chain =
        4 * divide_up(pitch / 4, team.invocations) + 2 * lanes + team.merges + products;
    return tolerance_of_f32_sum(chain, pitch + products).relative;
}

/// Numbers and products that underflow are lost.
constexpr double lost = tensor::most_columns_of_bytes * smallest_normal_f32;

/// How far each result is from that of numbers that nobody rounded.
Expected from_exact(const Input& input, const Values& values, ArrayRef may_be_off) {
    return {.output = "y",
            .reference = of_each_result(input, values, exact),
            .tolerance = {lost, 1},
            .scale = std::move(may_be_off),
            .distance_id = "largest_error",
            .distance_label = "Largest error of a result"};
}

ArrayRef of_input(const Input& input, std::string_view name) {
    return std::ranges::find(input, name, &NamedArray::name)->array;
}

}  // namespace

double exact_result(const Input& input, const Values& values, std::uint64_t row, std::uint64_t vector) {
    const std::uint64_t columns = values[key::columns];
    return exact(row_at(input, columns, row), vector_at(input, columns, vector));
}

/// The restored weights are judged by what they were: no further off than half a step, exactly.
std::vector<Expected> round_trip(const Input& input, const Prepared& asked) {
    const std::uint64_t columns = asked.values()[key::columns];
    const ArrayRef weights = of_input(input, "weights");
    const auto steps = get(input, "steps").as<float>();
    const auto step_at = [&](std::size_t i) { return double{steps[steps.size() > 1 ? i / columns : 0]}; };
    return {{"bytes", of_input(input, "bytes")},
            {"steps", of_input(input, "steps")},
            {"zero_points", of_input(input, "zero_points")},
            {.output = "restored",
             .reference = weights,
             .tolerance = {0, 0.5},
             .scale = array_of<double>(weights->count(), step_at),
             .distance_id = "largest_error_steps",
             .distance_label = "Largest error of a weight, in steps",
             .distance_in_scale = true}};
}

std::vector<Expected> product_of_f32(const Input& input, const Prepared& asked) {
    const double rounding = rounding_of_sum(asked);
    return {from_exact(input, asked.values(),
                       of_each_result(input, asked.values(), [&](const Row& row, const Vector& x) {
                           double magnitudes = 0;
                           for (std::size_t i = 0; i < x.numbers.size(); ++i)
                               magnitudes += std::abs(double{row.weights[i]} * x.numbers[i]);
                           return rounding * magnitudes;
                       }))};
}

std::vector<Expected> product_of_int8_weights(const Input& input, const Prepared& asked) {
    const Values& values = asked.values();
    const double rounding = rounding_of_sum(asked);
    const auto result = [](const Row& row, const Vector& x) {
        double sum = 0;
        for (std::size_t i = 0; i < x.numbers.size(); ++i)
            sum += row.places.number_at(row.bytes[i]) * x.numbers[i];
        return sum;
    };
    const auto magnitudes = [](const Row& row, const Vector& x) {
        double sum = 0;
        for (std::size_t i = 0; i < x.numbers.size(); ++i)
            sum += std::abs(row.places.number_at(row.bytes[i]) * x.numbers[i]);
        return sum;
    };
    // Half a step of each weight, times its number.
    const auto may_be_off = [&](const Row& row, const Vector& x) {
        double sum = 0;
        for (const float number : x.numbers)
            sum += std::abs(number);
        return sum * row.places.step / 2 + rounding * magnitudes(row, x);
    };
    return {{"y",
             of_each_result(input, values, result),
             {lost, rounding},
             of_each_result(input, values, magnitudes)},
            from_exact(input, values, of_each_result(input, values, may_be_off))};
}

/// The sum is exact, and rounded as it becomes f32 and with each of two factors.
std::vector<Expected> product_of_int8(const Input& input, const Prepared& asked) {
    const Values& values = asked.values();
    constexpr double rounding = 3 * ulp_of_f32;
    const auto result = [](const Row& row, const Vector& x) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < x.bytes.size(); ++i)
            sum += (row.bytes[i] - row.places.zero_point) * x.bytes[i];
        return row.places.step * x.step * static_cast<double>(sum);
    };
    // (w + e)(x + d) - w x, with e and d half a step each at most.
    const auto may_be_off = [&](const Row& row, const Vector& x) {
        const double e = row.places.step / 2.0, d = x.step / 2;
        double sum = 0;
        for (std::size_t i = 0; i < x.numbers.size(); ++i)
            sum += std::abs(x.numbers[i]) * e + std::abs(row.weights[i]) * d + e * d;
        return sum + rounding * std::abs(result(row, x));
    };
    return {{"y", of_each_result(input, values, result), {smallest_normal_f32, rounding}},
            from_exact(input, values, of_each_result(input, values, may_be_off))};
}

std::vector<Expected> squared_distances(const Input& input, const Prepared& asked) {
    const std::uint64_t columns = asked.values()[key::columns];
    return {{"distances", array_of<std::int32_t>(asked.values()[key::rows], [&](std::size_t i) {
                 const Row row = row_at(input, columns, i);
                 const Vector x = vector_at(input, columns, 0);
                 std::int32_t sum = 0;
                 for (std::size_t k = 0; k < columns; ++k)
                     sum += (row.bytes[k] - x.bytes[k]) * (row.bytes[k] - x.bytes[k]);
                 return sum;
             })}};
}

}  // namespace gridstride::lessons::quantise_int8
