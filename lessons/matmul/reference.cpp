// The definition, how far a result may be off, and how a large one is judged without computing it again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/parallel_for.h"
#include "base/random.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "matmul/matmul.h"

namespace gridstride::lessons::matmul {

namespace {

struct Factor {
    View view;
    std::span<const float> numbers;
    double operator()(std::uint64_t row, std::uint64_t column) const { return numbers[view.at(row, column)]; }
};

/// Products up to so many multiplications are computed again, on two cores within half a second.
constexpr std::uint64_t most_multiplications = std::uint64_t{1} << 28;
/// Of a larger one, so many rows are.
constexpr std::uint64_t most_rows = 8;

/// A row of c.
void row_of_product(const Factor& a, const Factor& b, std::uint64_t row, std::span<double> out) {
    std::ranges::fill(out, 0.0);
    for (std::uint64_t p = 0; p < a.view.columns; ++p) {
        const double left = a(row, p);
        for (std::uint64_t column = 0; column < out.size(); ++column)
            out[column] += left * b(p, column);
    }
}

/// The lengths of a's rows, or of b's columns: a result's rounding errors grow from the sum of the products'
/// magnitudes, which is at most the length of its row times that of its column (Cauchy and Schwarz).
std::vector<double> lengths(std::uint64_t count, std::uint64_t k, const auto& number) {
    std::vector<double> all(count);
    parallel_for(count, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            double sum = 0;
            for (std::uint64_t p = 0; p < k; ++p)
                sum += number(i, p) * number(i, p);
            all[i] = std::sqrt(sum);
        }
    });
    return all;
}

/// All numbers are whole sixteenths.
bool in_sixteenths(std::span<const float> numbers) {
    return std::ranges::all_of(numbers, [](float number) { return number * 16 == std::round(number * 16); });
}

struct Bounds {
    std::vector<double> rows, columns;  ///< lengths
    Tolerance tolerance;                ///< relative to a row's length times a column's

    double longest_row() const { return *std::ranges::max_element(rows); }
    double longest_column() const { return *std::ranges::max_element(columns); }
};

/// Products of sixteenths are whole 256ths. As long as no sum of them can reach 2^24 of these, f32 holds each
/// sum exactly, in whatever order it is made.
Bounds bounds_of(const Factor& a, const Factor& b) {
    const std::uint64_t k = a.view.columns;
    Bounds bounds{lengths(a.view.rows, k, [&](auto row, auto p) { return a(row, p); }),
                  lengths(b.view.columns, k, [&](auto column, auto p) { return b(p, column); }),
                  {}};
    constexpr double exact_below = 0x1p24 / 256;
    const bool exact = bounds.longest_row() * bounds.longest_column() < exact_below &&
                       in_sixteenths(a.numbers) && in_sixteenths(b.numbers);
    if (!exact) bounds.tolerance = tolerance_of_f32_sum(k + 1, k + 1);  // a product is rounded, too
    return bounds;
}

/// Of one row: the scale of each of its numbers.
ArrayRef scale_of(const Bounds& bounds, std::uint64_t row) {
    return array_of<double>(bounds.columns.size(),
                            [&](std::size_t column) { return bounds.rows[row] * bounds.columns[column]; });
}

Expected whole_product(const Factor& a, const Factor& b) {
    const std::uint64_t rows = a.view.rows, columns = b.view.columns;
    const Bounds bounds = bounds_of(a, b);
    Array c(ElementType::f64, rows * columns);
    parallel_for(rows, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row)
            row_of_product(a, b, row, c.as<double>().subspan(row * columns, columns));
    });
    return {"c", share(std::move(c)), bounds.tolerance, array_of<double>(rows * columns, [&](std::size_t i) {
                return bounds.rows[i / columns] * bounds.columns[i % columns];
            })};
}

/// c times a vector is a times (b times the vector).
///
/// Where results are exact, the vector's numbers are whole and so small that sums of 256ths are exact as
/// well. Then a wrong row passes by a chance of one in as many as a number of the vector can be: of two
/// vectors that differ in one number alone, where the row is wrong, only one can have the right product. In
/// 256ths the sums have to stay below 2^53, and each is at most a row's length times those of b's columns,
/// weighed by the vector.
///
/// Where results are rounded, so are the products. The errors of a row's results, of chance as they are, add
/// up as the root of their squares: 8 sqrt(k) u for each, u = 2^-24, is reached once in 10^13 (N. J. Higham
/// and T. Mary, "A new approach to probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019). Of
/// a row that is off by more, whatever the reason, each number is compared.
Expected product_by_rows(const Factor& a, const Factor& b, std::uint64_t seed) {
    const std::uint64_t rows = a.view.rows, columns = b.view.columns, k = a.view.columns;
    const auto bounds = std::make_shared<const Bounds>(bounds_of(a, b));
    const double most =
        std::max({1.0, bounds->longest_row() * bounds->longest_column(), bounds->longest_column()});
    const double room = 0x1p53 / (256 * static_cast<double>(columns) * most);
    const auto choices = static_cast<std::uint32_t>(std::clamp(room, 2.0, 65536.0));
    std::vector<std::uint32_t> drawn(columns);
    fill_random_u32(drawn, seed, 7);
    // None is 0, so that no column goes unseen.
    const ArrayRef vector =
        array_of<double>(columns, [&](std::size_t i) { return static_cast<double>(1 + drawn[i] % choices); });
    const auto x = vector->as<double>();
    const ArrayRef b_times_x = array_of<double>(k, [&](std::size_t p) {
        double sum = 0;
        for (std::uint64_t column = 0; column < columns; ++column)
            sum += b(p, column) * x[column];
        return sum;
    });
    const ArrayRef products = array_of<double>(rows, [&](std::size_t row) {
        double sum = 0;
        for (std::uint64_t p = 0; p < k; ++p)
            sum += a(row, p) * b_times_x->as<double>()[p];
        return sum;
    });
    double weighed = 0;
    for (std::uint64_t column = 0; column < columns; ++column)
        weighed += std::pow(x[column] * bounds->columns[column], 2);
    const bool exact = bounds->tolerance.relative == 0;
    ByRows by_rows{
        .vector = vector, .step = exact ? 1.0 / 256 : 0, .row = [a, b, bounds, columns](std::uint64_t row) {
            Array numbers(ElementType::f64, columns);
            row_of_product(a, b, row, numbers.as<double>());
            return Expected{"c", share(std::move(numbers)), bounds->tolerance, scale_of(*bounds, row)};
        }};
    for_each_sampled(rows, most_rows, [&](std::size_t row) { by_rows.sampled.push_back(row); });
    if (by_rows.sampled.back() + 1 < rows) by_rows.sampled.push_back(rows - 1);
    std::string note = fmt::format(
        "Judged by Freivalds' method: each of the {} rows times a random vector, {}; {} rows number by "
        "number.",
        format_count(rows),
        exact ? fmt::format("exactly, so that a wrong row stays unnoticed at most once in {}",
                            format_count(choices))
              : std::string("within what rounding does by chance"),
        by_rows.sampled.size());
    return {.output = "c",
            .reference = products,
            .tolerance = {0, exact ? 0 : 8 * std::sqrt(static_cast<double>(k)) * 0x1p-24},
            .scale = array_of<double>(
                rows, [&](std::size_t row) { return bounds->rows[row] * std::sqrt(weighed); }),
            .by_rows = std::move(by_rows),
            .note = std::move(note)};
}

}  // namespace

std::vector<Expected> reference(const Input& input, const Prepared& asked) {
    const Values& values = asked.values();
    const Factor a{view_of_a(values), get(input, "a").as<float>()},
        b{view_of_b(values), get(input, "b").as<float>()};
    const bool is_large = static_cast<double>(a.view.rows) * static_cast<double>(a.view.columns) *
                              static_cast<double>(b.view.columns) >
                          static_cast<double>(most_multiplications);
    std::vector<Expected> all;
    all.push_back(is_large ? product_by_rows(a, b, values[key::seed]) : whole_product(a, b));
    return all;
}

}  // namespace gridstride::lessons::matmul
