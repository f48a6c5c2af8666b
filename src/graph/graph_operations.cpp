#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "graph/bytes.h"
#include "graph/graph.h"

namespace gridstride::tensor {

namespace {

void require_one_graph(std::span<const Tensor> tensors) {
    for (const Tensor& tensor : tensors)
        if (&tensor.graph() != &tensors.front().graph())
            throw Refusal(
                "Tensors of two graphs cannot be combined. Make one an input of the other's graph.");
}

Shape without(Shape shape, std::size_t axis) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return shape;
}

/// Adds a reduction. The source's view has the reduced axis last, so kernels read its elements in order.
Tensor reduce_axis(Op op, const Tensor& x, std::size_t axis) {
    refuse_bytes(name(op), x);
    const Shape& shape = x.shape();
    require_axis(name(op), shape, axis);
    View view = x.source().view;
    const auto move_to_end = [&](auto& all) {
        std::rotate(all.begin() + static_cast<std::ptrdiff_t>(axis),
                    all.begin() + static_cast<std::ptrdiff_t>(axis) + 1, all.end());
    };
    move_to_end(view.shape);
    move_to_end(view.strides);
    return x.graph().add({.op = op,
                          .sources = {{x.source().node, std::move(view)}},
                          .shape = without(shape, axis),
                          .type = op == Op::argmax ? ElementType::u32 : computing_type(x.type())});
}

/// For kernels that read f32 from memory.
Tensor as_f32(const Tensor& x) {
    return x.type() == ElementType::f16 ? converted_to(x, ElementType::f32) : x;
}

/// For kernels that read whole tensors of f32, or bytes, from memory.
Tensor make_contiguous(const Tensor& any) {
    const Tensor x = as_f32(any);
    const bool is_usable = x.graph().nodes()[x.source().node].is_in_memory() && is_whole(x);
    return is_usable ? x : apply_elementwise(Op::copy, std::array{x});
}

void require_f32(std::string_view what, const Tensor& x) {
    if (computing_type(x.type()) != ElementType::f32)
        throw Refusal(
            fmt::format("{} takes numbers of f32; these are {}. Use f32.", what, gridstride::name(x.type())));
}

ElementType result_type(Op op, ElementType operand) {
    switch (op) {
        case Op::to_f32:
            return ElementType::f32;
        case Op::to_i32:
            return ElementType::i32;
        case Op::to_u32:
            return ElementType::u32;
        case Op::to_f16:
            return ElementType::f16;
        case Op::copy:
            return operand;
        default:
            return computing_type(operand);
    }
}

}  // namespace

Tensor apply_elementwise(Op op, std::span<const Tensor> operands) {
    const Elementwise* row = elementwise(op);
    if (!row || operands.size() != row->operands)
        throw std::logic_error(fmt::format("{} of {} operands", name(op), operands.size()));
    require_one_graph(operands);
    // The condition of `where` may have another type than the numbers between which it chooses.
    const std::span<const Tensor> numbers = operands.subspan(op == Op::where ? 1 : 0);
    const ElementType type = computing_type(numbers.front().type());
    Shape shape;
    for (const Tensor& operand : operands) {
        refuse_bytes(row->name, operand);
        shape = broadcast(row->name, shape, operand.shape());
    }
    for (const Tensor& operand : numbers)
        if (computing_type(operand.type()) != type)
            throw Refusal(
                fmt::format("{0} of {1} and {2} is not possible. Convert one of them: float(x), int(x) "
                            "or uint(x).",
                            row->name, gridstride::name(type), gridstride::name(operand.type())));
    if (row->operand_types == OperandTypes::floats) require_f32(row->name, operands.front());
    if (row->operand_types == OperandTypes::integers && !is_integer(type))
        throw Refusal(fmt::format("{} takes whole numbers; these are {}. Convert them: int(x) or uint(x).",
                                  row->name, gridstride::name(type)));
    Node node{.op = op, .shape = shape, .type = result_type(op, numbers.front().type())};
    for (const Tensor& operand : operands)
        node.sources.push_back(operand.broadcast_to(shape).source());
    return operands.front().graph().add(std::move(node));
}

namespace {
Tensor with_number(Op op, const Tensor& a, double b) {
    return apply_elementwise(op, std::array{a, a.graph().number(b, a.type())});
}
}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::add, std::array{a, b});
}
Tensor operator-(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::sub, std::array{a, b});
}
Tensor operator*(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::mul, std::array{a, b});
}
Tensor operator/(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::div, std::array{a, b});
}
Tensor operator+(const Tensor& a, double b) {
    return with_number(Op::add, a, b);
}
Tensor operator-(const Tensor& a, double b) {
    return with_number(Op::sub, a, b);
}
Tensor operator*(const Tensor& a, double b) {
    return with_number(Op::mul, a, b);
}
Tensor operator/(const Tensor& a, double b) {
    return with_number(Op::div, a, b);
}
Tensor operator-(const Tensor& a) {
    return apply_elementwise(Op::neg, std::array{a});
}
Tensor maximum(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::maximum, std::array{a, b});
}
Tensor minimum(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::minimum, std::array{a, b});
}
Tensor hypot(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::hypot, std::array{a, b});
}
Tensor greater(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::greater, std::array{a, b});
}
Tensor greater_equal(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::greater_equal, std::array{a, b});
}
Tensor equal(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::equal, std::array{a, b});
}
Tensor not_equal(const Tensor& a, const Tensor& b) {
    return apply_elementwise(Op::not_equal, std::array{a, b});
}
Tensor converted_to(const Tensor& x, ElementType type) {
    if (x.type() == type) return x;
    const Op op = type == ElementType::f32   ? Op::to_f32
                  : type == ElementType::f16 ? Op::to_f16
                  : type == ElementType::i32 ? Op::to_i32
                                             : Op::to_u32;
    return apply_elementwise(op, std::array{x});
}
Tensor where(const Tensor& condition, const Tensor& yes, const Tensor& no) {
    return apply_elementwise(Op::where, std::array{condition, yes, no});
}
Tensor exp(const Tensor& x) {
    return apply_elementwise(Op::exp, std::array{x});
}
Tensor log(const Tensor& x) {
    return apply_elementwise(Op::log, std::array{x});
}
Tensor tanh(const Tensor& x) {
    return apply_elementwise(Op::tanh, std::array{x});
}
Tensor sqrt(const Tensor& x) {
    return apply_elementwise(Op::sqrt, std::array{x});
}

Tensor sum(const Tensor& x, std::size_t axis) {
    return reduce_axis(Op::sum, x, axis);
}
Tensor largest(const Tensor& x, std::size_t axis) {
    return reduce_axis(Op::largest, x, axis);
}
Tensor smallest(const Tensor& x, std::size_t axis) {
    return reduce_axis(Op::smallest, x, axis);
}
Tensor argmax(const Tensor& x, std::size_t axis) {
    return reduce_axis(Op::argmax, x, axis);
}
Tensor mean(const Tensor& x, std::size_t axis) {
    require_f32("mean", x);
    const Tensor total = sum(x, axis);
    return total / static_cast<double>(x.shape()[axis]);
}

namespace {

Tensor pad_to(std::string_view what, const Tensor& x, std::uint64_t extent, const Padding& padding) {
    refuse_bytes(what, x);
    Shape shape = x.shape();
    shape[padding.axis] = extent;
    const bool is_in_memory = x.graph().nodes()[x.source().node].is_in_memory();
    const Tensor numbers = is_in_memory ? x : apply_elementwise(Op::copy, std::array{x});
    return x.graph().add({.op = Op::pad,
                          .sources = {numbers.source()},
                          .shape = std::move(shape),
                          .type = x.type(),
                          .padding = padding});
}

}  // namespace

Tensor pad(const Tensor& x, std::size_t axis, std::uint64_t before, std::uint64_t after, bool repeats_edge) {
    require_axis("pad", x.shape(), axis);
    for (const std::uint64_t added : {before, after})
        if (added > max_elements)
            throw Refusal(
                fmt::format("pad with {} elements is not possible: a tensor can have {} elements at most.",
                            format_count(added), format_count(max_elements)));
    return pad_to("pad", x, before + x.shape()[axis] + after,
                  {axis, static_cast<std::int64_t>(before), repeats_edge});
}

Tensor shift(const Tensor& x, std::size_t axis, std::int64_t by) {
    require_axis("shift", x.shape(), axis);
    // Beyond the extent, all elements are 0.
    const auto extent = static_cast<std::int64_t>(x.shape()[axis]);
    return pad_to("shift", x, x.shape()[axis], {axis, std::clamp(by, -extent, extent)});
}

namespace {

/// Broadcasts a value per row of a factor to the product, whose rows (or columns, if is_transposed) are the
/// factor's rows.
Source broadcast_to_results(const Graph& graph, const Source& row_values, const Shape& product,
                            bool is_transposed) {
    const View view = View::whole(graph.nodes()[row_values.node].shape);
    return {row_values.node, (is_transposed ? view.transposed(0, 1) : view).broadcast_to(product)};
}

Tensor matmul_of_bytes(const Tensor& a, const Tensor& b) {
    Graph& graph = a.graph();
    const auto refuse = [&](std::string_view reason) {
        throw Refusal(fmt::format("matmul of {} of {} and {} of {} is not possible: {}", text_of(a.shape()),
                                  gridstride::name(a.type()), text_of(b.shape()), gridstride::name(b.type()),
                                  reason));
    };
    if (b.type() != ElementType::i8)
        refuse("if the first factor is bytes, the second must be too. Quantise it by row.");
    const Node weights = graph.nodes()[b.source().node];
    if (b.source().view != View::whole(weights.shape).transposed(0, 1))
        refuse("a second factor of bytes must be given as transposed(), so that its columns are contiguous.");
    if (is_integer(a.type())) refuse("bytes can be multiplied with f32 or bytes only.");
    const bool both_are_bytes = a.type() == ElementType::i8;
    const Node vectors = graph.nodes()[a.source().node];
    if (both_are_bytes && (vectors.scheme != Scheme::per_row || !is_whole(a)))
        refuse("a first factor of bytes must be quantised by row and not transposed.");
    if (both_are_bytes && a.shape()[1] > max_byte_columns)
        refuse(
            fmt::format("with more than {} columns, a sum of products of bytes could overflow 32 bits. "
                        "Multiply f32 with the bytes.",
                        format_count(max_byte_columns)));
    const Shape shape{a.shape()[0], b.shape()[1]};
    std::vector<Source> sources = {(both_are_bytes ? a : make_contiguous(a)).source(), b.source(),
                                   broadcast_to_results(graph, weights.sources[1], shape, true),
                                   broadcast_to_results(graph, weights.sources[2], shape, true)};
    if (both_are_bytes) sources.push_back(broadcast_to_results(graph, vectors.sources[1], shape, false));
    return graph.add(
        {.op = Op::matmul_of_bytes, .sources = std::move(sources), .shape = shape, .scheme = weights.scheme});
}

Tensor matmul_of_matrices(const Tensor& a, const Tensor& b) {
    if (a.type() == ElementType::i8 || b.type() == ElementType::i8) return matmul_of_bytes(a, b);
    require_f32("matmul", a);
    require_f32("matmul", b);
    const bool are_f16 = a.type() == ElementType::f16 && b.type() == ElementType::f16;
    // Kernels need a factor that starts at offset 0 and has contiguous rows or columns.
    const auto to_kernel_operand = [are_f16](const Tensor& any) {
        const Tensor x = are_f16 ? any : as_f32(any);
        const View& view = x.source().view;
        const bool is_usable = x.graph().nodes()[x.source().node].is_in_memory() && view.offset == 0 &&
                               (view.strides[0] == 1 || view.strides[1] == 1) && view.strides[0] != 0 &&
                               view.strides[1] != 0;
        return is_usable ? x : apply_elementwise(Op::copy, std::array{x});
    };
    return a.graph().add({.op = are_f16 ? Op::matmul_of_f16 : Op::matmul,
                          .sources = {to_kernel_operand(a).source(), to_kernel_operand(b).source()},
                          .shape = {a.shape()[0], b.shape()[1]}});
}

/// Returns the shape with its last two extents, which are those of its matrices, replaced.
Shape with_matrices(Shape shape, std::uint64_t rows, std::uint64_t columns) {
    shape[shape.size() - 2] = rows;
    shape.back() = columns;
    return shape;
}

Tensor transpose_matrices(const Tensor& x) {
    return x.transposed(x.shape().size() - 2, x.shape().size() - 1);
}

Tensor matmul_of_batches(const Tensor& a, const Tensor& b) {
    require_f32("matmul", a);
    require_f32("matmul", b);
    const std::uint64_t m = a.shape()[a.shape().size() - 2], k = a.shape().back(), n = b.shape().back();
    const std::uint64_t batch = element_count(a.shape()) / (m * k);
    const Shape shape = with_matrices(a.shape(), m, n);
    if (batch == 1) return matmul_of_matrices(a.reshaped({m, k}), b.reshaped({k, n})).reshaped(shape);
    // Kernels index the products of the factors' numbers like the elements of a tensor.
    const std::uint64_t max_products = a.graph().max_elements();
    if (batch * m * n > max_products / k)
        throw Refusal(fmt::format(
            "matmul of {} and {} multiplies more than {} pairs of numbers, which is the limit for "
            "a batch. Slice both along their first axis, and multiply the slices.",
            text_of(a.shape()), text_of(b.shape()), format_count(max_products)));
    return a.graph().add({.op = Op::matmul,
                          .sources = {a.reshaped({batch, m, k}).source(), b.reshaped({batch, k, n}).source()},
                          .shape = shape});
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
    require_one_graph(std::array{a, b});
    if (a.graph().factor_type() == ElementType::f16 && b.type() != ElementType::i8) {
        const auto has_f32 = [](const Tensor& x) { return x.type() == ElementType::f32; };
        if (has_f32(a)) return matmul(converted_to(a, ElementType::f16), b);
        if (has_f32(b)) return matmul(a, converted_to(b, ElementType::f16));
    }
    const Shape &shape_a = a.shape(), &shape_b = b.shape();
    const auto require = [&](bool is_possible, std::string_view reason) {
        if (!is_possible)
            throw Refusal(fmt::format("matmul of {} and {} is not possible: {}", text_of(shape_a),
                                      text_of(shape_b), reason));
    };
    require(shape_a.size() >= 2 && shape_b.size() >= 2 && shape_a.back() == shape_b[shape_b.size() - 2],
            "it takes m x k and k x n. Reshape or transpose one of them.");
    if (shape_a.size() == 2 && shape_b.size() == 2) return matmul_of_matrices(a, b);
    if (shape_a.size() == 2) return transpose_matrices(matmul(transpose_matrices(b), a.transposed()));
    if (shape_b.size() == 2) {
        const Tensor rows = a.reshaped({element_count(shape_a) / shape_a.back(), shape_a.back()});
        return matmul_of_matrices(rows, b).reshaped(
            with_matrices(shape_a, shape_a[shape_a.size() - 2], shape_b.back()));
    }
    require(
        shape_a.size() == shape_b.size() && std::equal(shape_a.begin(), shape_a.end() - 2, shape_b.begin()),
        "the extents before the last two must be equal, or one factor must be a matrix. Reshape one of "
        "them.");
    return matmul_of_batches(a, b);
}

Tensor softmax(const Tensor& x, std::size_t axis) {
    require_f32("softmax", x);
    if (x.shape().empty())
        throw Refusal("softmax of a single number is not possible. Use a tensor with rows, such as 1 x 8.");
    const std::size_t last = x.shape().size() - 1;
    const Tensor rows = x.transposed(axis, last);
    return x.graph()
        .add({.op = Op::softmax, .sources = {make_contiguous(rows).source()}, .shape = rows.shape()})
        .transposed(axis, last);
}
Tensor softmax(const Tensor& x) {
    return softmax(x, x.shape().empty() ? 0 : x.shape().size() - 1);
}

Tensor quantise(const Tensor& x, Scheme scheme) {
    require_f32("quantise", x);
    const Shape& shape = x.shape();
    if (shape.size() != 2)
        throw Refusal(
            fmt::format("quantise of {} is not possible: it takes a matrix. Reshape it to rows and columns.",
                        text_of(shape)));
    if (shape[0] > max_byte_rows)
        throw Refusal(fmt::format("quantise of {} is not possible: it takes {} rows at most. Slice it.",
                                  text_of(shape), format_count(max_byte_rows)));
    Graph& graph = x.graph();
    const Tensor numbers = make_contiguous(x);
    const Tensor ranges =
        graph.add({.op = Op::ranges, .sources = {numbers.source()}, .shape = {shape[0], 2}});
    const Shape parameter_shape{scheme == Scheme::per_row ? shape[0] : 1, 1};
    const Tensor steps = graph.add(
        {.op = Op::steps, .sources = {ranges.source()}, .shape = parameter_shape, .scheme = scheme});
    const Tensor zero_points = graph.add({.op = Op::zero_points,
                                          .sources = {ranges.source()},
                                          .shape = parameter_shape,
                                          .type = ElementType::i32,
                                          .scheme = scheme,
                                          .shares_previous_launch = true});
    return graph.add({.op = Op::quantise,
                      .sources = {numbers.source(), steps.broadcast_to(shape).source(),
                                  zero_points.broadcast_to(shape).source()},
                      .shape = shape,
                      .type = ElementType::i8,
                      .scheme = scheme});
}

Tensor dequantise(const Tensor& q) {
    if (q.type() != ElementType::i8)
        throw Refusal(fmt::format("dequantise takes bytes, as quantise returns them; these are {}.",
                                  gridstride::name(q.type())));
    if (!is_whole(q))
        throw Refusal("dequantise does not take transposed bytes. Transpose its result instead.");
    const Node& bytes_node = q.graph().nodes()[q.source().node];
    return q.graph().add({.op = Op::dequantise,
                          .sources = {q.source(), bytes_node.sources[1], bytes_node.sources[2]},
                          .shape = q.shape(),
                          .scheme = bytes_node.scheme});
}

}  // namespace gridstride::tensor
