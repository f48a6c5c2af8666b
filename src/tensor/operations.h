// The operations of a graph, each said once: its name, what it computes, how far that may be rounded, and
// its GLSL.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bounded.h"

namespace gridstride::tensor {

enum class Op {
    input,
    number,  ///< a constant
    random,
    // Element by element.
    copy,
    add,
    sub,
    mul,
    div,
    maximum,
    minimum,
    hypot,
    greater,
    where,
    neg,
    exp,
    log,
    tanh,
    sqrt,
    // Of more than one element.
    sum,
    largest,
    matmul,
    softmax,
    // Numbers to bytes and back, and what their steps are found from.
    ranges,       ///< the smallest and the largest number of each row, and 0
    steps,        ///< of those
    zero_points,  ///< likewise
    quantise,
    dequantise,
    matmul_of_bytes,  ///< its second factor, or both
    kernel            ///< of somebody's own; the last
};

using Operands = std::array<Bounded, 3>;

struct Elementwise {
    Op op;
    std::string_view name;  ///< as a call is written: "hypot"
    std::size_t operands;
    bool takes_integers;
    /// With {} for each operand, of scalars and of vectors alike. Functions beside GLSL's own stand in
    /// shaders/tensor/functions.glsl.
    std::string_view glsl;
    Bounded (*of)(const Operands& x);

    /// Of a function, no operator between or before its operands.
    bool is_call() const { return glsl.find('(') != std::string_view::npos; }
};

/// Null for what is not made element by element.
const Elementwise* elementwise(Op op);
std::string_view name(Op op);

}  // namespace gridstride::tensor
