// The operations of a graph: name, definition with error bounds, and GLSL of each.
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
    // Elementwise operations.
    copy,
    add,
    sub,
    mul,
    div,
    maximum,
    minimum,
    hypot,
    greater,
    greater_equal,
    equal,
    not_equal,
    where,
    neg,
    mod,
    bit_and,
    bit_or,
    bit_xor,
    shift_left,
    shift_right,
    floor,
    to_f32,
    to_i32,
    to_u32,
    to_f16,
    exp,
    log,
    tanh,
    sin,
    cos,
    sqrt,
    pad,  ///< moves elements along an axis, with zeros in place of those that are missing
    // Operations on more than one element.
    sum,
    largest,
    smallest,
    argmax,  ///< u32: the first index of the largest number; that of the first NaN if there is one
    matmul,
    softmax,
    // Quantisation of numbers to bytes.
    ranges,  ///< the smallest and the largest number of each row and 0
    steps,   ///< scales for these ranges
    zero_points,
    quantise,
    dequantise,
    matmul_of_f16,    ///< of two matrices of f16
    matmul_of_bytes,  ///< the second factor, or both, are bytes
    kernel            ///< a user's kernel; must be the last enumerator
};

using Operands = std::array<Bounded, 3>;

enum class OperandTypes { floats, integers, any_number };

struct Elementwise {
    Op op;
    std::string_view name;  ///< as in a call: "hypot"
    std::size_t operands;
    OperandTypes operand_types;
    /// An expression for scalars and vectors, with {} for each operand. shaders/tensor/functions.glsl defines
    /// the functions that GLSL lacks.
    std::string_view glsl;
    Bounded (*of)(const Operands& x);

    /// Returns whether `glsl` is a function call, not an operator.
    bool is_call() const { return glsl.find('(') != std::string_view::npos; }
};

/// Returns whether the operation multiplies matrices of numbers, not of bytes.
constexpr bool is_matrix_product(Op op) {
    return op == Op::matmul || op == Op::matmul_of_f16;
}

/// Returns null if the operation is not elementwise.
const Elementwise* elementwise(Op op);
std::string_view name(Op op);
/// Returns whether an element of the result depends on at most one element of each operand, so that other
/// such operations can share its kernel: the elementwise operations, and Op::pad.
bool is_computed_by_element(Op op);

}  // namespace gridstride::tensor
