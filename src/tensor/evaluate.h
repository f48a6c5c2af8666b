// The definition of every operation in plain C++: in double, with how far a device that computes in f32 may
// be from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/array.h"
#include "tensor/graph.h"

namespace gridstride::tensor {

/// A node's numbers, whole. Without errors they are exact, or nobody asks how far off they may be.
struct Numbers {
    std::vector<double> values, errors = {};
    std::vector<std::uint8_t> or_nan = {};  ///< Bounded::or_nan; empty: nowhere
    /// Of a sum or a product of matrices, where they are wanted: the sums of the magnitudes of its terms.
    std::vector<double> magnitudes = {};

    Bounded operator[](std::size_t i) const {
        return {values[i], errors.empty() ? 0 : errors[i], !or_nan.empty() && or_nan[i] != 0};
    }
    void set(std::size_t i, const Bounded& number) {
        values[i] = number.value;
        if (!errors.empty()) errors[i] = number.error;
        if (!or_nan.empty()) or_nan[i] = number.or_nan;
    }
};

/// What a node reads, element by element of its view.
struct Seen {
    const View& view;
    const Numbers& numbers;
    bool is_whole = view.is_whole();

    std::size_t place_of(std::uint64_t element) const { return is_whole ? element : view.at(element); }
    Bounded operator[](std::uint64_t element) const { return numbers[place_of(element)]; }
};

/// The operation's results, in place of the zeros that `out` holds; its errors and magnitudes, too, where it
/// has any; and where they may be NaN besides.
void compute(const Node& node, std::span<const Seen> sources, Numbers& out);

// Between a node's numbers and its array, where rows of bytes are padded with zeros. A byte or whole number
// that would be NaN is 0.
Numbers numbers_of(const Node& node, const Array& array);
Array array_of(const Node& node, const std::vector<double>& numbers, ElementType type);

/// One operation, of the whole arrays of those of its sources that are in memory, in their order: what a
/// plan's host step does. sources: their nodes, all of them.
Array evaluated(const Node& node, std::span<const Node> sources, std::span<const Array* const> arrays);

}  // namespace gridstride::tensor
