// Computes references from definitions over Bounded, numbers with error bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/bounded.h"
#include "base/parallel_for.h"
#include "lesson/experiment.h"

namespace gridstride {

/// Collects the reference of an f32 output: a value and an absolute error bound for each element.
class ExpectedBuilder {
 public:
    /// `stored` is the type of the values: f64, or f32 to save memory.
    explicit ExpectedBuilder(std::size_t count, ElementType stored = ElementType::f64)
        : values_(stored, count), errors_(ElementType::f32, count) {}

    void set(std::size_t i, const Bounded& number);
    /// Moves the collected values into the reference of this output. The tolerance is exact if no element has
    /// an error.
    Expected build(std::string output) &&;

 private:
    Array values_, errors_;
};

/// Returns the reference whose element i is define(i), a Bounded. Runs on all CPU cores.
template <class Define>
Expected make_expected(std::string output, std::size_t count, Define define,
                       ElementType stored = ElementType::f64) {
    ExpectedBuilder numbers(count, stored);
    parallel_for_each(count, 1, [&](std::size_t i) { numbers.set(i, define(i)); });
    return std::move(numbers).build(std::move(output));
}

/// Computes the output numbers of one row.
using RowFunction = std::function<void(std::span<const Bounded> row, std::span<Bounded> out)>;
/// Returns the reference of an output of one element.
Expected expected_number(std::string output, const Bounded& number);

/// Returns the reference computed row by row from `x`, f32 of shape (rows, columns). The output has
/// `outputs_per_row` numbers per row. Runs on all CPU cores.
Expected make_expected_by_rows(std::string output, const Array& x, std::uint64_t columns,
                               std::uint64_t outputs_per_row, const RowFunction& define);

/// Throws Refusal if the reference has an element by which no result can be judged: NaN, an infinity although
/// no operand has one, or a number with an infinite bound. The first one is named.
void require_decidable(const Expected& expected, const Input& operands);

}  // namespace gridstride
