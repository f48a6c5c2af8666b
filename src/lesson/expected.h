// What outputs must be, from their definitions over numbers that carry their bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/bounded.h"
#include "base/parallel_for.h"
#include "lesson/experiment.h"

namespace gridstride {

/// An output of f32 that is known within bounds: references, and by how much each may be off.
class ExpectedNumbers {
 public:
    /// stored: f64, or f32 where there may be so many that memory counts.
    explicit ExpectedNumbers(std::size_t count, ElementType stored = ElementType::f64)
        : values_(stored, count), errors_(ElementType::f32, count) {}

    void set(std::size_t i, const Bounded& number);
    /// Taken out, for the output of this name; exact where no number has an error.
    Expected of(std::string output) &&;

 private:
    Array values_, errors_;
};

/// define(i) for each element of the output, on all cores.
template <class Define>
Expected expected_each(std::string output, std::size_t count, Define define,
                       ElementType stored = ElementType::f64) {
    ExpectedNumbers numbers(count, stored);
    parallel_for_each(count, 1, [&](std::size_t i) { numbers.set(i, define(i)); });
    return std::move(numbers).of(std::move(output));
}

/// What is made of a row: out has as many numbers as the row, or those that are left of it.
using DefineRow = std::function<void(std::span<const Bounded> row, std::span<Bounded> out)>;
/// A single number.
Expected expected_number(std::string output, const Bounded& number);

/// The output, row by row of the array of f32, on all cores; left: the numbers that the output has for each
/// row.
Expected expected_by_rows(std::string output, const Array& x, std::uint64_t columns, std::uint64_t left,
                          const DefineRow& define);

}  // namespace gridstride
