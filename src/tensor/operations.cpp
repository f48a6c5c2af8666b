#include "tensor/operations.h"

#include <algorithm>
#include <utility>

namespace gridstride::tensor {

namespace {

using OperandsRef = const Operands&;

constexpr Elementwise elementwise_table[] = {
    {Op::copy, "copy", 1, true, "{}", [](OperandsRef x) { return x[0]; }},
    {Op::add, "add", 2, true, "{} + {}", [](OperandsRef x) { return x[0] + x[1]; }},
    {Op::sub, "sub", 2, true, "{} - {}", [](OperandsRef x) { return x[0] - x[1]; }},
    {Op::mul, "mul", 2, true, "{} * {}", [](OperandsRef x) { return x[0] * x[1]; }},
    {Op::div, "div", 2, false, "{} / {}", [](OperandsRef x) { return x[0] / x[1]; }},
    {Op::maximum, "maximum", 2, true, "maximum({}, {})", [](OperandsRef x) { return maximum(x[0], x[1]); }},
    {Op::minimum, "minimum", 2, true, "minimum({}, {})", [](OperandsRef x) { return minimum(x[0], x[1]); }},
    {Op::hypot, "hypot", 2, false, "hypot({}, {})", [](OperandsRef x) { return hypot(x[0], x[1]); }},
    {Op::greater, "greater", 2, true, "greater({}, {})", [](OperandsRef x) { return greater(x[0], x[1]); }},
    {Op::where, "where", 3, true, "where({}, {}, {})", [](OperandsRef x) { return where(x[0], x[1], x[2]); }},
    {Op::neg, "neg", 1, true, "-{}", [](OperandsRef x) { return -x[0]; }},
    {Op::exp, "exp", 1, false, "exp({})", [](OperandsRef x) { return exp(x[0]); }},
    {Op::log, "log", 1, false, "log({})", [](OperandsRef x) { return log(x[0]); }},
    {Op::tanh, "tanh", 1, false, "tanh_of({})", [](OperandsRef x) { return tanh(x[0]); }},
    {Op::sqrt, "sqrt", 1, false, "sqrt({})", [](OperandsRef x) { return sqrt(x[0]); }},
};

constexpr std::pair<Op, std::string_view> other_names[] = {
    {Op::input, "input"},
    {Op::number, "number"},
    {Op::random, "random"},
    {Op::sum, "sum"},
    {Op::largest, "largest"},
    {Op::matmul, "matmul"},
    {Op::softmax, "softmax"},
    {Op::ranges, "ranges"},
    {Op::steps, "steps"},
    {Op::zero_points, "zero_points"},
    {Op::quantise, "quantise"},
    {Op::dequantise, "dequantise"},
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

std::string_view name(Op op) {
    if (const Elementwise* row = elementwise(op)) return row->name;
    return std::ranges::find(other_names, op, [](const auto& row) { return row.first; })->second;
}

}  // namespace gridstride::tensor
