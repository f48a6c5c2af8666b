#include "tensor/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/tolerance.h"

namespace gridstride::tensor {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// That many units of its own rounding on top of what the operands brought; and what a device that takes
/// subnormal numbers for 0 may lose.
Bounded rounded(double value, double carried, double units) {
    return {value, carried + units * ulp_of_f32 * (std::abs(value) + carried) + smallest_normal_f32};
}

Bounded copy(const Operands& x) {
    return x[0];
}
Bounded add(const Operands& x) {
    return rounded(x[0].value + x[1].value, x[0].error + x[1].error, 1);
}
Bounded sub(const Operands& x) {
    return rounded(x[0].value - x[1].value, x[0].error + x[1].error, 1);
}
Bounded mul(const Operands& x) {
    const auto& [a, b, c] = x;
    return rounded(a.value * b.value,
                   std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error, 1);
}
Bounded div(const Operands& x) {
    const auto& [a, b, c] = x;
    const double value = a.value / b.value, least = std::abs(b.value) - b.error;
    return rounded(value, least > 0 ? (a.error + std::abs(value) * b.error) / least : infinite, 2.5);
}
Bounded maximum(const Operands& x) {
    return {std::max(x[0].value, x[1].value), std::max(x[0].error, x[1].error)};
}
Bounded minimum(const Operands& x) {
    return {std::min(x[0].value, x[1].value), std::max(x[0].error, x[1].error)};
}
Bounded hypot(const Operands& x) {
    return rounded(std::hypot(x[0].value, x[1].value), x[0].error + x[1].error, 8);
}
/// Where the operands may lie either way, so may the answer.
Bounded greater(const Operands& x) {
    const bool is_clear = std::abs(x[0].value - x[1].value) > x[0].error + x[1].error;
    const bool is_exact = x[0].error + x[1].error == 0;
    return {x[0].value > x[1].value ? 1.0 : 0.0, is_clear || is_exact ? 0.0 : 1.0};
}
Bounded where(const Operands& x) {
    const auto& [condition, yes, no] = x;
    const Bounded& chosen = condition.value != 0 ? yes : no;
    if (std::abs(condition.value) > condition.error || condition.error == 0) return chosen;
    return {chosen.value, std::abs(yes.value - no.value) + std::max(yes.error, no.error)};
}
Bounded neg(const Operands& x) {
    return {-x[0].value, x[0].error};
}
Bounded exp(const Operands& x) {
    const double value = std::exp(x[0].value);
    return rounded(value, value * std::expm1(x[0].error), 3 + 2 * std::abs(x[0].value));
}
Bounded log(const Operands& x) {
    const double value = std::log(x[0].value), least = x[0].value - x[0].error;
    Bounded all = rounded(value, least > 0 ? x[0].error / least : infinite, 3);
    all.error += 0x1p-21;  // what is granted between 0.5 and 2
    return all;
}
/// 1 - 2 / (exp(2 x) + 1): the exponential's error weighs most where it is near 1.
Bounded tanh(const Operands& x) {
    const double near = std::min(std::abs(x[0].value), 10.0);
    return {std::tanh(x[0].value), x[0].error + (12 + 2 * near) * ulp_of_f32};
}
Bounded sqrt(const Operands& x) {
    const double value = std::sqrt(x[0].value), least = std::max(x[0].value - x[0].error, 0.0);
    return rounded(value, std::max(value - std::sqrt(least), std::sqrt(x[0].value + x[0].error) - value), 5);
}

constexpr Elementwise table[] = {
    {Op::copy, "copy", 1, true, "{}", copy},
    {Op::add, "add", 2, true, "{} + {}", add},
    {Op::sub, "sub", 2, true, "{} - {}", sub},
    {Op::mul, "mul", 2, true, "{} * {}", mul},
    {Op::div, "div", 2, false, "{} / {}", div},
    {Op::maximum, "maximum", 2, true, "max({}, {})", maximum},
    {Op::minimum, "minimum", 2, true, "min({}, {})", minimum},
    {Op::hypot, "hypot", 2, false, "hypot({}, {})", hypot},
    {Op::greater, "greater", 2, true, "greater({}, {})", greater},
    {Op::where, "where", 3, true, "where({}, {}, {})", where},
    {Op::neg, "neg", 1, true, "-{}", neg},
    {Op::exp, "exp", 1, false, "exp({})", exp},
    {Op::log, "log", 1, false, "log({})", log},
    {Op::tanh, "tanh", 1, false, "tanh_of({})", tanh},
    {Op::sqrt, "sqrt", 1, false, "sqrt({})", sqrt},
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
static_assert(std::size(table) + std::size(other_names) == static_cast<std::size_t>(Op::kernel) + 1,
              "each operation has its name in one of the two");

}  // namespace

const Elementwise* elementwise(Op op) {
    const auto row = std::ranges::find(table, op, &Elementwise::op);
    return row == std::end(table) ? nullptr : row;
}

std::string_view name(Op op) {
    if (const Elementwise* row = elementwise(op)) return row->name;
    return std::ranges::find(other_names, op, [](const auto& row) { return row.first; })->second;
}

}  // namespace gridstride::tensor
