#include "graph/operations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace gridstride::tensor {

namespace {

using OperandsRef = const Operands&;

template <class Of>
Bounded apply_to_bits(OperandsRef x) {
    return {double(Of()(static_cast<std::int64_t>(x[0].value), static_cast<std::int64_t>(x[1].value)))};
}
using ShiftLeft = decltype([](auto a, auto b) { return (a << (b & 31)) & 0xffffffff; });
using ShiftRight = decltype([](auto a, auto b) { return a >> (b & 31); });

constexpr Elementwise elementwise_table[] = {
    {Op::copy, "copy", 1, OperandTypes::any_number, "{}", [](OperandsRef x) { return x[0]; }},
    {Op::add, "add", 2, OperandTypes::any_number, "{} + {}", [](OperandsRef x) { return x[0] + x[1]; }},
    {Op::sub, "sub", 2, OperandTypes::any_number, "{} - {}", [](OperandsRef x) { return x[0] - x[1]; }},
    {Op::mul, "mul", 2, OperandTypes::any_number, "{} * {}", [](OperandsRef x) { return x[0] * x[1]; }},
    {Op::div, "div", 2, OperandTypes::any_number, "{} / {}", [](OperandsRef x) { return x[0] / x[1]; }},
    {Op::maximum, "maximum", 2, OperandTypes::any_number, "maximum({}, {})",
     [](OperandsRef x) { return maximum(x[0], x[1]); }},
    {Op::minimum, "minimum", 2, OperandTypes::any_number, "minimum({}, {})",
     [](OperandsRef x) { return minimum(x[0], x[1]); }},
    {Op::hypot, "hypot", 2, OperandTypes::floats, "hypot({}, {})",
     [](OperandsRef x) { return hypot(x[0], x[1]); }},
    {Op::greater, "greater", 2, OperandTypes::any_number, "greater({}, {})",
     [](OperandsRef x) { return greater(x[0], x[1]); }},
    {Op::greater_equal, "greater_equal", 2, OperandTypes::any_number, "greater_equal({}, {})",
     [](OperandsRef x) { return greater_equal(x[0], x[1]); }},
    {Op::equal, "equal", 2, OperandTypes::any_number, "is_equal({}, {})",
     [](OperandsRef x) { return equal(x[0], x[1]); }},
    {Op::not_equal, "not_equal", 2, OperandTypes::any_number, "is_not_equal({}, {})",
     [](OperandsRef x) { return not_equal(x[0], x[1]); }},
    {Op::where, "where", 3, OperandTypes::any_number, "where({}, {}, {})",
     [](OperandsRef x) { return where(x[0], x[1], x[2]); }},
    {Op::neg, "neg", 1, OperandTypes::any_number, "-{}", [](OperandsRef x) { return -x[0]; }},
    {Op::mod, "mod", 2, OperandTypes::integers, "remainder({}, {})",
     [](OperandsRef x) { return Bounded{std::fmod(x[0].value, x[1].value)}; }},
    {Op::bit_and, "and", 2, OperandTypes::integers, "{} & {}", apply_to_bits<std::bit_and<>>},
    {Op::bit_or, "or", 2, OperandTypes::integers, "{} | {}", apply_to_bits<std::bit_or<>>},
    {Op::bit_xor, "xor", 2, OperandTypes::integers, "{} ^ {}", apply_to_bits<std::bit_xor<>>},
    {Op::shift_left, "shift_left", 2, OperandTypes::integers, "{} << {}", apply_to_bits<ShiftLeft>},
    {Op::shift_right, "shift_right", 2, OperandTypes::integers, "{} >> {}", apply_to_bits<ShiftRight>},
    {Op::floor, "floor", 1, OperandTypes::floats, "floor({})", [](OperandsRef x) { return floor(x[0]); }},
    // evaluate.cpp converts to integers.
    {Op::to_f32, "float", 1, OperandTypes::any_number, "to_float({})",
     [](OperandsRef x) { return x[0].error > 0 ? x[0] : stored_f32(x[0].value); }},
    {Op::to_i32, "int", 1, OperandTypes::any_number, "to_int({})",
     [](OperandsRef x) { return Bounded{std::trunc(x[0].value)}; }},
    {Op::to_u32, "uint", 1, OperandTypes::any_number, "to_uint({})",
     [](OperandsRef x) { return Bounded{std::trunc(x[0].value)}; }},
    {Op::to_f16, "f16", 1, OperandTypes::any_number, "to_half({})",
     [](OperandsRef x) { return rounded_to_f16(x[0]); }},
    {Op::exp, "exp", 1, OperandTypes::floats, "exp({})", [](OperandsRef x) { return exp(x[0]); }},
    {Op::log, "log", 1, OperandTypes::floats, "log({})", [](OperandsRef x) { return log(x[0]); }},
    {Op::tanh, "tanh", 1, OperandTypes::floats, "tanh_of({})", [](OperandsRef x) { return tanh(x[0]); }},
    {Op::sin, "sin", 1, OperandTypes::floats, "sin({})", [](OperandsRef x) { return sin(x[0]); }},
    {Op::cos, "cos", 1, OperandTypes::floats, "cos({})", [](OperandsRef x) { return cos(x[0]); }},
    {Op::sqrt, "sqrt", 1, OperandTypes::floats, "sqrt({})", [](OperandsRef x) { return sqrt(x[0]); }},
};

constexpr std::pair<Op, std::string_view> other_names[] = {
    {Op::input, "input"},
    {Op::number, "number"},
    {Op::random, "random"},
    {Op::pad, "pad"},
    {Op::sum, "sum"},
    {Op::largest, "largest"},
    {Op::smallest, "smallest"},
    {Op::argmax, "argmax"},
    {Op::matmul, "matmul"},
    {Op::softmax, "softmax"},
    {Op::ranges, "ranges"},
    {Op::steps, "steps"},
    {Op::zero_points, "zero_points"},
    {Op::quantise, "quantise"},
    {Op::dequantise, "dequantise"},
    {Op::matmul_of_f16, "matmul"},
    {Op::matmul_of_bytes, "matmul"},
    {Op::kernel, "kernel"},
};
static_assert(std::size(elementwise_table) + std::size(other_names) ==
                  static_cast<std::size_t>(Op::kernel) + 1,
              "each operation must be in exactly one of the two tables");

}  // namespace

const Elementwise* elementwise(Op op) {
    const auto row = std::ranges::find(elementwise_table, op, &Elementwise::op);
    return row == std::end(elementwise_table) ? nullptr : row;
}

bool is_computed_by_element(Op op) {
    return elementwise(op) || op == Op::pad;
}

std::string_view name(Op op) {
    if (const Elementwise* row = elementwise(op)) return row->name;
    return std::ranges::find(other_names, op, [](const auto& row) { return row.first; })->second;
}

}  // namespace gridstride::tensor
