#include "tensor/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/parallel_for.h"
#include "base/random.h"
#include "tensor/rounding.h"

namespace gridstride::tensor {

namespace {

using Sources = std::span<const Seen>;

void each(const Node& node, const auto& of) {
    parallel_for_each(node.elements(), elements_of(node.sources[0].view.shape) / node.elements(), of);
}
void each(const Node& node, Numbers& out, const auto& of) {
    each(node, [&](std::uint64_t i) { out.set(i, of(i)); });
}

/// Applies the operation to `start` and `count` elements from `first` on, `stride` apart, in order.
Bounded fold(Op op, Bounded start, const Seen& x, std::uint64_t first, std::uint64_t count,
             std::uint64_t stride = 1) {
    const auto of = elementwise(op)->of;
    for (std::uint64_t i = 0; i < count; ++i)
        start = of({start, x[first + i * stride]});
    return start;
}

std::uint32_t bits_of(double whole) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
}
Bounded wrapped(std::uint32_t bits) {
    return {static_cast<double>(static_cast<std::int32_t>(bits)), 0};
}

void element_by_element(const Node& node, Sources x, Numbers& out) {
    const Elementwise& row = *elementwise(node.op);
    // Only a copy of a sum has magnitudes.
    if (!out.magnitudes.empty())
        each(node, [&](std::uint64_t i) { out.magnitudes[i] = x[0].numbers.magnitudes[x[0].place_of(i)]; });
    each(node, out, [&](std::uint64_t i) {
        Operands operands;
        for (std::size_t n = 0; n < x.size(); ++n)
            operands[n] = x[n][i];
        if (node.type == ElementType::f32) return row.of(operands);
        // A product of two i32 is not exact in double.
        if (row.op == Op::mul) return wrapped(bits_of(operands[0].value) * bits_of(operands[1].value));
        return wrapped(bits_of(row.of(operands).value));
    });
}

void constant(const Node& node, Sources, Numbers& out) {
    out.values[0] = node.type == ElementType::f32 ? double{static_cast<float>(node.number)} : node.number;
}

void uniform(const Node& node, Sources, Numbers& out) {
    std::vector<float> drawn(node.elements());
    fill_uniform_f32(drawn, node.seed, 0);
    std::ranges::copy(drawn, out.values.begin());
}

void sum_of(const Seen& x, std::uint64_t i, std::uint64_t length, Numbers& out) {
    double sum = 0, magnitude = 0, error = 0;
    bool or_nan = false;
    for (std::uint64_t at = i * length; at < (i + 1) * length; ++at) {
        const Bounded term = x[at];
        sum += term.value;
        magnitude += std::abs(term.value);
        error += term.error;
        or_nan = or_nan || term.or_nan;
    }
    out.set(i, sum_of_terms(sum, magnitude + error, error, length, or_nan));
    if (!out.magnitudes.empty()) out.magnitudes[i] = magnitude;
}
/// Wraps around like a device; in double, sums are exact only up to 2^53.
Bounded wrapped_sum_of(const Seen& x, std::uint64_t first, std::uint64_t length) {
    std::uint32_t sum = 0;
    for (std::uint64_t i = first; i < first + length; ++i)
        sum += bits_of(x[i].value);
    return wrapped(sum);
}
void sums_of_rows(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = x[0].view.shape.back();
    each(node, [&](std::uint64_t i) {
        if (node.type == ElementType::i32)
            out.set(i, wrapped_sum_of(x[0], i * length, length));
        else
            sum_of(x[0], i, length, out);
    });
}

/// Devices may reduce in any order, and a NaN may discard the maximum of the elements before it.
Bounded largest_of(const Seen& x, std::uint64_t first, std::uint64_t length) {
    Bounded largest = fold(Op::maximum, x[first], x, first, length);
    if (largest.or_nan)
        largest.error =
            std::max(largest.error, largest.value - fold(Op::minimum, x[first], x, first, length).value);
    return largest;
}
void largest_of_rows(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = x[0].view.shape.back();
    each(node, [&](std::uint64_t i) { out.set(i, largest_of(x[0], i * length, length)); });
}

/// b holds k rows of n. They are read in memory order, and the compiler can vectorise each loop.
void row_of_product(const Seen& a, const Numbers& b, std::uint64_t row, std::uint64_t n, std::uint64_t k,
                    std::uint64_t roundings, Numbers& out) {
    const bool has_errors = !out.errors.empty() || !out.magnitudes.empty();
    std::vector<double> magnitudes(has_errors ? n : 0), carried(magnitudes);
    double* const sums = out.values.data() + row * n;
    for (std::uint64_t p = 0; p < k; ++p) {
        const Bounded x = a[row * k + p];
        const double* const y = b.values.data() + p * n;
        for (std::uint64_t column = 0; column < n; ++column)
            sums[column] += x.value * y[column];
        if (!has_errors) continue;
        const double magnitude = std::abs(x.value);
        for (std::uint64_t column = 0; column < n; ++column) {
            magnitudes[column] += magnitude * std::abs(y[column]);
            carried[column] += x.error * std::abs(y[column]);
        }
        if (!b.errors.empty())
            for (std::uint64_t column = 0; column < n; ++column)
                carried[column] += (magnitude + x.error) * b.errors[p * n + column];
        if (x.or_nan || !b.or_nan.empty())
            for (std::uint64_t column = 0; column < n; ++column)
                if (x.or_nan || b.or_nan[p * n + column] != 0) out.or_nan[row * n + column] = 1;
    }
    for (std::uint64_t column = 0; column < magnitudes.size(); ++column) {
        const std::size_t i = row * n + column;
        out.set(i, sum_of_terms(sums[column], magnitudes[column] + carried[column], carried[column],
                                roundings, out[i].or_nan));
        if (!out.magnitudes.empty()) out.magnitudes[i] = magnitudes[column];
    }
}

Numbers copy_of(const Seen& x) {
    const std::uint64_t count = elements_of(x.view.shape);
    Numbers copy{std::vector<double>(count), std::vector<double>(x.numbers.errors.empty() ? 0 : count)};
    if (!x.numbers.or_nan.empty()) copy.or_nan.resize(count);
    parallel_for_each(count, 1, [&](std::uint64_t i) { copy.set(i, x[i]); });
    return copy;
}

void product(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t n = node.shape[1], k = x[0].view.shape[1];
    const Numbers copy = x[1].is_whole ? Numbers{} : copy_of(x[1]);
    const Numbers& b = x[1].is_whole ? x[1].numbers : copy;
    // k roundings of sums, and one of a product.
    parallel_for_each(node.shape[0], n * k,
                      [&](std::uint64_t row) { row_of_product(x[0], b, row, n, k, k + 1, out); });
}

void softmax_of_row(const Seen& x, std::uint64_t first, std::uint64_t length, Numbers& out) {
    std::vector<Bounded> row(length), probabilities(length);
    for (std::uint64_t i = 0; i < length; ++i)
        row[i] = x[first + i];
    softmax(row, probabilities);
    for (std::uint64_t i = 0; i < length; ++i)
        out.set(first + i, probabilities[i]);
}
void softmax_of_rows(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = node.shape.back();
    parallel_for_each(node.elements() / length, length,
                      [&](std::uint64_t row) { softmax_of_row(x[0], row * length, length, out); });
}

void ranges_of_rows(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t length = x[0].view.shape[1];
    each(node, out, [&](std::uint64_t i) {
        return fold(i % 2 == 0 ? Op::minimum : Op::maximum, {}, x[0], i / 2 * length, length);
    });
}

void steps_or_zero_points(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t rows = x[0].view.shape[0] / node.elements();
    each(node, out, [&](std::uint64_t i) {
        const BoundedPlaces of = places_for(node.scheme, fold(Op::minimum, {}, x[0], 2 * i, rows, 2),
                                            fold(Op::maximum, {}, x[0], 2 * i + 1, rows, 2));
        return node.op == Op::steps ? of.step : of.zero_point;
    });
}

/// A byte's distance from 0 in units of the scale. Its product with the scale, of 15 bits, is exact too.
Bounded count_of(const Bounded& byte, const Bounded& zero_point) {
    return {byte.value - zero_point.value, byte.error + zero_point.error, byte.or_nan || zero_point.or_nan};
}
Bounded number_of(const Bounded& count, const Bounded& step) {
    return {count.value * step.value,
            std::abs(count.value) * step.error + step.value * count.error + step.error * count.error,
            count.or_nan || step.or_nan};
}

void bytes_of_numbers(const Node& node, Sources x, Numbers& out) {
    each(node, out, [&](std::uint64_t i) { return byte_of(x[0][i], x[1][i], x[2][i]); });
}
void numbers_of_bytes(const Node& node, Sources x, Numbers& out) {
    each(node, out, [&](std::uint64_t i) { return number_of(count_of(x[0][i], x[2][i]), x[1][i]); });
}

/// Multiplies unscaled numbers; the scales are applied to the sums.
void product_of_bytes(const Node& node, Sources x, Numbers& out) {
    const std::uint64_t m = node.shape[0], n = node.shape[1], k = x[0].view.shape[1];
    const bool are_both = x.size() > 4;
    Numbers counts{std::vector<double>(n * k), std::vector<double>(out.errors.empty() ? 0 : n * k)};
    if (!x[1].numbers.or_nan.empty() || !x[3].numbers.or_nan.empty()) counts.or_nan.resize(n * k);
    parallel_for_each(n * k, 1, [&](std::size_t i) { counts.set(i, count_of(x[1][i], x[3][i % n])); });
    // A sum of products of integers is exact until it is converted to f32.
    const std::uint64_t roundings = are_both ? 0 : k + 1;
    parallel_for_each(m, n * k, [&](std::uint64_t row) {
        row_of_product(x[0], counts, row, n, k, roundings, out);
        for (std::uint64_t i = row * n; i < (row + 1) * n; ++i) {
            Bounded sum = out[i], step = x[2][i];
            if (are_both) {
                sum = sum + Bounded{};
                step = step * x[4][i];
            }
            out.set(i, step * sum);
            if (!out.magnitudes.empty()) out.magnitudes[i] *= std::abs(step.value);
        }
    });
}

constexpr std::pair<Op, void (*)(const Node&, Sources, Numbers&)> beside_elements[] = {
    {Op::number, constant},
    {Op::random, uniform},
    {Op::sum, sums_of_rows},
    {Op::largest, largest_of_rows},
    {Op::matmul, product},
    {Op::softmax, softmax_of_rows},
    {Op::ranges, ranges_of_rows},
    {Op::steps, steps_or_zero_points},
    {Op::zero_points, steps_or_zero_points},
    {Op::quantise, bytes_of_numbers},
    {Op::dequantise, numbers_of_bytes},
    {Op::matmul_of_bytes, product_of_bytes},
};

std::size_t place_of(const Node& node, std::size_t i) {
    if (node.type != ElementType::i8) return i;
    const std::uint64_t columns = node.shape[1];
    return i / columns * padded(columns) + i % columns;
}

/// True if a maximum or minimum has a NaN among its operands, or an operand may itself also be NaN.
bool may_be_nan_besides(const Node& node, Sources x) {
    const auto has_nan = [](const Seen& source) {
        const std::vector<double>& values = source.numbers.values;
        return parallel_find(values.size(), 1, [&](std::size_t i) { return std::isnan(values[i]); }) <
               values.size();
    };
    const bool chooses = node.op == Op::maximum || node.op == Op::minimum || node.op == Op::largest;
    return std::ranges::any_of(x, [](const Seen& source) { return !source.numbers.or_nan.empty(); }) ||
           (chooses && std::ranges::any_of(x, has_nan));
}

Numbers values_of(const Node& node, Sources x) {
    Numbers out{std::vector<double>(node.elements())};
    compute(node, x, out);
    return out;
}

}  // namespace

void compute(const Node& node, std::span<const Seen> sources, Numbers& out) {
    if (node.type == ElementType::f32 && may_be_nan_besides(node, sources))
        out.or_nan.assign(node.elements(), 0);
    if (elementwise(node.op)) return element_by_element(node, sources, out);
    const auto found = std::ranges::find(beside_elements, node.op, [](const auto& row) { return row.first; });
    if (found == std::end(beside_elements))
        throw std::logic_error(fmt::format("no evaluation is defined for the operation {}", name(node.op)));
    found->second(node, sources, out);
}

Numbers numbers_of(const Node& node, const Array& array) {
    Numbers numbers{std::vector<double>(node.elements())};
    parallel_for_each(numbers.values.size(), 1,
                      [&](std::size_t i) { numbers.values[i] = array.number(place_of(node, i)); });
    return numbers;
}

Array array_of(const Node& node, const std::vector<double>& numbers, ElementType type) {
    Array array(type, node.places());
    std::visit(
        [&]<class T>(T zero) {
            const std::span<T> out = array.as<T>();
            if (out.size() > numbers.size()) std::ranges::fill(out, zero);
            parallel_for_each(numbers.size(), 1, [&](std::size_t i) {
                const bool has_value = std::is_floating_point_v<T> || !std::isnan(numbers[i]);
                out[place_of(node, i)] = has_value ? static_cast<T>(numbers[i]) : zero;
            });
        },
        zero_of_each.at(static_cast<std::size_t>(type)));
    return array;
}

Array evaluated(const Node& node, std::span<const Node> sources, std::span<const Array* const> arrays) {
    std::vector<Numbers> numbers;
    auto next = arrays.begin();
    for (const Node& source : sources)
        numbers.push_back(source.is_in_memory() ? numbers_of(source, **next++) : values_of(source, {}));
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < sources.size(); ++i)
        seen.push_back({node.sources[i].view, numbers[i]});
    Numbers made = values_of(node, seen);
    // Kernels propagate NaN: see shaders/tensor/functions.glsl.
    for (std::size_t i = 0; i < made.or_nan.size(); ++i)
        if (made.or_nan[i] != 0) made.values[i] = NAN;
    return array_of(node, made.values, node.type);
}

}  // namespace gridstride::tensor
