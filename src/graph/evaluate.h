// Reference implementation of every operation in double, with error bounds for devices that compute in f32.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/array.h"
#include "base/uninitialized_vector.h"
#include "graph/graph.h"

namespace gridstride::tensor {

/// All elements of a node. `errors` is empty if the values are exact or error bounds are not needed.
struct Numbers {
    UninitializedVector<double> values, errors = {};
    std::vector<std::uint8_t> maybe_nan = {};  ///< Bounded::may_be_nan; empty: false for all
    /// Sums of the magnitudes of the terms of a sum or a matrix product; empty if not needed.
    UninitializedVector<double> magnitudes = {};

    Bounded operator[](std::size_t i) const {
        return {values[i], errors.empty() ? 0 : errors[i], !maybe_nan.empty() && maybe_nan[i] != 0};
    }
    void set(std::size_t i, const Bounded& number) {
        values[i] = number.value;
        if (!errors.empty()) errors[i] = number.error;
        if (!maybe_nan.empty()) maybe_nan[i] = number.may_be_nan;
    }
};

/// An operand of a node: elements in the order of its view.
struct Operand {
    const View& view;
    const Numbers& numbers;
    bool is_whole = view.is_whole();

    std::size_t index_of(std::uint64_t element) const { return is_whole ? element : view.at(element); }
    Bounded operator[](std::uint64_t element) const { return numbers[index_of(element)]; }
};

/// An elementwise node, with operands that are in memory or are computed along with it: block by block, so
/// that no memory holds all of their elements.
struct Fusion {
    const Node& node;
    std::vector<std::variant<Operand, Fusion>> operands;
};
/// Returns whether the operation can be part of a Fusion: it is elementwise, and does not choose one of its
/// operands, which depends on all their NaN.
bool can_fuse(Op op);
/// Computes the outermost node of the fusion, as compute() does.
void compute(const Fusion& fusion, Numbers& out);

/// Computes a node. `out.values` has one element for each of the node's; `out.errors` and `out.magnitudes`
/// are filled unless they are empty. `out.maybe_nan` is set if some results may also be NaN.
void compute(const Node& node, std::span<const Operand> sources, Numbers& out);

/// Returns how many operations on single numbers compute the node. Moving elements does not count.
std::uint64_t count_operations(const Node& node);

// Convert between numbers and arrays, whose rows of bytes are padded with zeros. NaN becomes 0 in integers.
Numbers to_numbers(const Node& node, const Array& array);
Array to_array(const Node& node, std::span<const double> numbers, ElementType type);

/// Evaluates one operation on the host, for a host step of a plan. `sources` are all source nodes; `arrays`
/// are the whole arrays of those that are in memory, in the same order.
Array evaluate_on_host(const Node& node, std::span<const Node> sources, std::span<const Array* const> arrays);

}  // namespace gridstride::tensor
