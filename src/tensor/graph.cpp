#include "tensor/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "tensor/bytes.h"

namespace gridstride::tensor {

namespace {

void require_one_graph(std::span<const Tensor> tensors) {
    for (const Tensor& tensor : tensors)
        if (&tensor.graph() != &tensors.front().graph())
            throw Refusal(
                "Tensors of two graphs cannot be combined. Make one an input of the other's graph.");
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Shape without(Shape shape, std::size_t axis) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return shape;
}

void refuse_bytes(std::string_view what, const Tensor& x) {
    if (x.type() == ElementType::i8)
        throw Refusal(fmt::format(
            "{} does not go on bytes: they are multiplied, or become numbers again. dequantise them first.",
            what));
}

/// The reduced axis is made the last, and that is the order in which its elements are read.
Tensor over_axis(Op op, const Tensor& x, std::size_t axis) {
    refuse_bytes(name(op), x);
    const Shape& shape = x.shape();
    if (axis >= shape.size())
        throw Refusal(
            fmt::format("The {} over axis {} of {} does not go: axes count from 0, and there are {}.",
                        name(op), axis, text_of(shape), shape.size()));
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
                          .type = x.type()});
}

/// The view shows all of its node, as it lies: of bytes, whose rows are padded, in their own shape.
bool is_whole(const Tensor& x) {
    const View& view = x.source().view;
    if (x.type() == ElementType::i8) return view == View::whole(x.graph().nodes()[x.source().node].shape);
    return view.is_whole() && elements_of(view.shape) == x.graph().nodes()[x.source().node].elements();
}

/// Of a matrix or more: its numbers one after another in memory, copied where they are not.
Tensor in_rows(const Tensor& x) {
    const bool lies_well = x.graph().nodes()[x.source().node].is_in_memory() && is_whole(x);
    return lies_well ? x : combine(Op::copy, std::array{x});
}

/// Of what comes from elsewhere.
void require_type(ElementType type) {
    if (type != ElementType::f32 && type != ElementType::i32)
        throw Refusal(
            fmt::format("A tensor of {} cannot be computed with: give f32 or i32.", gridstride::name(type)));
}

void require_f32(std::string_view what, const Tensor& x) {
    if (x.type() != ElementType::f32)
        throw Refusal(
            fmt::format("{} takes numbers of f32; these are {}.", what, gridstride::name(x.type())));
}

}  // namespace

ElementType Tensor::type() const {
    return graph_->nodes()[node_].type;
}

Tensor Tensor::transposed(std::size_t axis, std::size_t other) const {
    return {*graph_, node_, view_.transposed(axis, other)};
}
Tensor Tensor::slice(std::size_t axis, std::uint64_t first, std::uint64_t count) const {
    refuse_bytes("slice", *this);
    return {*graph_, node_, view_.slice(axis, first, count)};
}
Tensor Tensor::broadcast_to(const Shape& shape) const {
    refuse_bytes("broadcast_to", *this);
    return {*graph_, node_, view_.broadcast_to(shape)};
}
Tensor Tensor::reshaped(const Shape& shape) const {
    refuse_bytes("reshaped", *this);
    if (std::optional<View> view = view_.reshaped(shape)) return {*graph_, node_, *std::move(view)};
    return combine(Op::copy, std::array{*this}).reshaped(shape);
}

Tensor Tensor::named(std::string name) const {
    graph_->require_name(name);
    graph_->nodes_[node_].name = std::move(name);
    graph_->nodes_[node_].has_own_name = true;
    return *this;
}
Tensor Tensor::on(Place place) const {
    std::vector<Node>& nodes = graph_->nodes_;
    const Node& node = nodes[node_];
    if (node.op == Op::kernel && place == Place::host)
        throw Refusal(
            fmt::format("{} is made by the kernel {}, and kernels run on the device. Compute it there.",
                        node.name, node.kernel->name));
    nodes[node_].place = place;
    // Where bytes are made, what their steps are found from is too.
    if (node.op == Op::quantise)
        for (const std::size_t with : {node.sources[1].node, node.sources[2].node})
            nodes[with].place = nodes[nodes[with].sources[0].node].place = place;
    return *this;
}

namespace {

bool is_plain_word(std::string_view word) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !word.empty() && is_letter(word.front()) && word.back() != '_' && !word.starts_with("gl_") &&
           word.find("__") == std::string_view::npos &&
           std::ranges::all_of(word, [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace

void require_tensor_name(std::string_view name) {
    const std::size_t dot = name.find('.');
    const std::string_view model = dot == std::string_view::npos ? "m" : name.substr(0, dot);
    const std::string_view own = dot == std::string_view::npos ? name : name.substr(dot + 1);
    // A kernel writes the dot as a _, and the two are not to be confused.
    if (!is_plain_word(own) || !is_plain_word(model) || model.find('_') != std::string_view::npos)
        throw Refusal(
            fmt::format("\"{}\" cannot be the name of a tensor: give letters and digits, the first a "
                        "letter, with single _ between them; in front of it may stand its model's, of "
                        "letters and digits, and a dot.",
                        name));
    const bool is_given_here =
        own.size() > 1 && own[0] == 't' && std::ranges::all_of(own.substr(1), is_digit);
    if (is_given_here)
        throw Refusal(
            fmt::format("\"{}\" cannot be the name of a tensor: what has no name is called t and a "
                        "number. Give another one.",
                        name));
}

std::string word_of(std::string_view name) {
    std::string word(name);
    std::ranges::replace(word, '.', '_');
    return word;
}

void Graph::require_name(const std::string& name) const {
    require_tensor_name(name);
    if (std::ranges::any_of(nodes_, [&](const Node& node) { return word_of(node.name) == word_of(name); }))
        throw Refusal(fmt::format("There are two tensors \"{}\" in one graph. Give one another name.", name));
}

Tensor Graph::add(Node node) {
    require_shape(node.shape);
    if (node.is_made() && node.op != Op::kernel) node.place = place_;
    node.has_own_name = !node.name.empty();
    if (node.has_own_name)
        require_name(node.name);
    else if (node.op != Op::number)  // which is written as it is
        node.name = fmt::format("t{}", ++unnamed_);
    nodes_.push_back(std::move(node));
    return {*this, nodes_.size() - 1, View::whole(nodes_.back().shape)};
}

Tensor Graph::input(std::string name, const Shape& shape, ElementType type) {
    require_type(type);
    return add({.shape = shape, .type = type, .name = std::move(name)});
}

Tensor Graph::number(double value, ElementType type) {
    const bool fits =
        type == ElementType::f32
            ? std::abs(value) <= std::numeric_limits<float>::max()
            : value == std::trunc(value) && std::abs(value) <= std::numeric_limits<std::int32_t>::max();
    if (!fits)
        throw Refusal(fmt::format("{} is no number that {} holds. Give {}.", value, gridstride::name(type),
                                  type == ElementType::f32
                                      ? "a finite one, up to 3.4e38 in magnitude"
                                      : "a whole one, up to 2 147 483 647 in magnitude"));
    return add({.op = Op::number, .type = type, .number = value});
}

Tensor Graph::random(const Shape& shape, std::uint64_t seed) {
    return add({.op = Op::random, .shape = shape, .seed = seed});
}

Tensor Graph::output(std::string name, const Tensor& tensor) {
    if (&tensor.graph() != this)
        throw Refusal("An output is a tensor of its own graph. Ask the other graph for it.");
    const Node& node = nodes_[tensor.node_];
    const bool is_taken = (node.has_own_name && node.name != name) ||
                          std::ranges::find(outputs_, tensor.node_) != outputs_.end();
    const bool leaves_itself = node.is_made() && !is_taken && tensor.view_ == View::whole(node.shape);
    if (!leaves_itself) refuse_bytes("A copy to be an output", tensor);
    Tensor leaves = leaves_itself ? tensor : combine(Op::copy, std::array{tensor});
    if (nodes_[leaves.node_].name != name) leaves.named(std::move(name));
    outputs_.push_back(leaves.node_);
    return leaves;
}

std::vector<Tensor> Graph::run(OwnKernel kernel, std::span<const Tensor> reads,
                               std::span<const Left> leaves) {
    if (leaves.empty())
        throw Refusal(
            fmt::format("The kernel {} leaves nothing. Name a tensor that it writes.", kernel.name));
    std::vector<Source> sources;
    kernel.names.clear();
    for (const Tensor& read : reads) {
        if (&read.graph() != this)
            throw Refusal(fmt::format("The kernel {} reads a tensor of another graph.", kernel.name));
        refuse_bytes(fmt::format("The kernel {}", kernel.name), read);
        const Node& node = nodes_[read.source().node];
        if (!node.has_own_name || !node.is_in_memory() || !is_whole(read))
            throw Refusal(fmt::format(
                "The kernel {} reads a view, random numbers or what has no name. Kernels know whole tensors "
                "by their names: name a copy of it.",
                kernel.name));
        if (std::ranges::find(kernel.names, node.name) != kernel.names.end()) continue;
        sources.push_back(read.source());
        kernel.names.push_back(node.name);
    }
    for (const Left& left : leaves) {
        require_type(left.type);
        require_shape(left.shape);
        require_name(left.name);
        kernel.names.push_back(left.name);
    }
    const auto shared = std::make_shared<const OwnKernel>(std::move(kernel));
    std::vector<Tensor> all;
    for (const Left& left : leaves)
        all.push_back(add({.op = Op::kernel,
                           .sources = sources,
                           .shape = left.shape,
                           .type = left.type,
                           .name = left.name,
                           .kernel = shared,
                           .is_with_previous = !all.empty()}));
    return all;
}

void Graph::expect(const Tensor& result, const Tensor& definition, double within, Within how) {
    const std::size_t n = result.source().node;
    const Node& node = nodes_[n];
    if (&result.graph() != this || &definition.graph() != this)
        throw Refusal("What is expected of a tensor is said in its own graph.");
    if (!is_whole(result))
        throw Refusal(
            fmt::format("What is expected is said of whole tensors, and this is a part or a view of {}. "
                        "Expect it of a copy.",
                        node.name));
    if (result.shape() != definition.shape() || result.type() != definition.type())
        throw Refusal(fmt::format("{} is {} of {}, and what is expected of it {} of {}. Give the same.",
                                  node.name, text_of(result.shape()), gridstride::name(result.type()),
                                  text_of(definition.shape()), gridstride::name(definition.type())));
    if (!(within >= 0) || std::isinf(within))
        throw Refusal(
            fmt::format("{} cannot be within {} of what is expected: give 0 or more.", node.name, within));
    if (node.type == ElementType::i32 && within > 0)
        throw Refusal(fmt::format("{} has whole numbers, which are expected exactly: give 0 in place of {}.",
                                  node.name, within));
    expectations_.emplace(n, Expectation{definition.source(), within, how});
}

std::vector<Source> Graph::definition_of(std::size_t node) const {
    if (nodes_[node].op != Op::kernel) return nodes_[node].sources;
    const auto expected = expectations_.lower_bound(node);  // the first one
    const bool is_defined = expected != expectations_.end() && expected->first == node;
    return is_defined ? std::vector{expected->second.definition} : std::vector<Source>();
}

Tensor combine(Op op, std::span<const Tensor> operands) {
    const Elementwise* row = elementwise(op);
    if (!row || operands.size() != row->operands)
        throw std::logic_error(fmt::format("{} of {} operands", name(op), operands.size()));
    require_one_graph(operands);
    Shape shape;
    for (const Tensor& operand : operands) {
        refuse_bytes(row->name, operand);
        shape = broadcast(row->name, shape, operand.shape());
        if (operand.type() != operands.front().type())
            throw Refusal(fmt::format("{} of {} and {} does not go: give numbers of one type.", row->name,
                                      gridstride::name(operands.front().type()),
                                      gridstride::name(operand.type())));
    }
    if (!row->takes_integers) require_f32(row->name, operands.front());
    Node node{.op = op, .shape = shape, .type = operands.front().type()};
    for (const Tensor& operand : operands)
        node.sources.push_back(operand.broadcast_to(shape).source());
    return operands.front().graph().add(std::move(node));
}

namespace {
Tensor with_number(Op op, const Tensor& a, double b) {
    return combine(op, std::array{a, a.graph().number(b, a.type())});
}
}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) {
    return combine(Op::add, std::array{a, b});
}
Tensor operator-(const Tensor& a, const Tensor& b) {
    return combine(Op::sub, std::array{a, b});
}
Tensor operator*(const Tensor& a, const Tensor& b) {
    return combine(Op::mul, std::array{a, b});
}
Tensor operator/(const Tensor& a, const Tensor& b) {
    return combine(Op::div, std::array{a, b});
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
    return combine(Op::neg, std::array{a});
}
Tensor maximum(const Tensor& a, const Tensor& b) {
    return combine(Op::maximum, std::array{a, b});
}
Tensor minimum(const Tensor& a, const Tensor& b) {
    return combine(Op::minimum, std::array{a, b});
}
Tensor hypot(const Tensor& a, const Tensor& b) {
    return combine(Op::hypot, std::array{a, b});
}
Tensor greater(const Tensor& a, const Tensor& b) {
    return combine(Op::greater, std::array{a, b});
}
Tensor where(const Tensor& condition, const Tensor& yes, const Tensor& no) {
    return combine(Op::where, std::array{condition, yes, no});
}
Tensor exp(const Tensor& x) {
    return combine(Op::exp, std::array{x});
}
Tensor log(const Tensor& x) {
    return combine(Op::log, std::array{x});
}
Tensor tanh(const Tensor& x) {
    return combine(Op::tanh, std::array{x});
}
Tensor sqrt(const Tensor& x) {
    return combine(Op::sqrt, std::array{x});
}

Tensor sum(const Tensor& x, std::size_t axis) {
    return over_axis(Op::sum, x, axis);
}
Tensor largest(const Tensor& x, std::size_t axis) {
    return over_axis(Op::largest, x, axis);
}
Tensor mean(const Tensor& x, std::size_t axis) {
    require_f32("mean", x);
    const Tensor total = sum(x, axis);
    return total / static_cast<double>(x.shape()[axis]);
}

namespace {

/// What belongs to rows of a factor, at each result: its rows are those of the product, or its columns.
Source at_each_result(const Graph& graph, const Source& of_rows, const Shape& product, bool is_transposed) {
    const View view = View::whole(graph.nodes()[of_rows.node].shape);
    return {of_rows.node, (is_transposed ? view.transposed(0, 1) : view).broadcast_to(product)};
}

Tensor matmul_of_bytes(const Tensor& a, const Tensor& b) {
    Graph& graph = a.graph();
    const auto refuse = [&](std::string_view why) {
        throw Refusal(fmt::format("matmul of {} of {} and {} of {} does not go: {}", text_of(a.shape()),
                                  gridstride::name(a.type()), text_of(b.shape()), gridstride::name(b.type()),
                                  why));
    };
    if (b.type() != ElementType::i8) refuse("where one factor is bytes, the second is. Quantise it by row.");
    const Node weights = graph.nodes()[b.source().node];
    if (b.source().view != View::whole(weights.shape).transposed(0, 1))
        refuse("bytes are the second factor as transposed(), whose rows lie side by side.");
    if (a.type() == ElementType::i32) refuse("bytes are multiplied with f32 or with bytes.");
    const bool are_both = a.type() == ElementType::i8;
    const Node vectors = graph.nodes()[a.source().node];
    if (are_both && (vectors.scheme != Scheme::by_row || !is_whole(a)))
        refuse("a first factor of bytes is quantised by row, and not transposed.");
    if (are_both && a.shape()[1] > most_columns_of_bytes)
        refuse(
            fmt::format("with more than {} columns a sum of products of bytes could leave 32 bits. Multiply "
                        "f32 with the bytes.",
                        format_count(most_columns_of_bytes)));
    const Shape shape{a.shape()[0], b.shape()[1]};
    std::vector<Source> sources = {(are_both ? a : in_rows(a)).source(), b.source(),
                                   at_each_result(graph, weights.sources[1], shape, true),
                                   at_each_result(graph, weights.sources[2], shape, true)};
    if (are_both) sources.push_back(at_each_result(graph, vectors.sources[1], shape, false));
    return graph.add(
        {.op = Op::matmul_of_bytes, .sources = std::move(sources), .shape = shape, .scheme = weights.scheme});
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
    require_one_graph(std::array{a, b});
    if (a.shape().size() != 2 || b.shape().size() != 2 || a.shape()[1] != b.shape()[0])
        throw Refusal(
            fmt::format("matmul of {} and {} does not go: it takes m x k and k x n. Reshape or "
                        "transpose one of them.",
                        text_of(a.shape()), text_of(b.shape())));
    if (a.type() == ElementType::i8 || b.type() == ElementType::i8) return matmul_of_bytes(a, b);
    require_f32("matmul", a);
    require_f32("matmul", b);
    // Kernels take a factor from its beginning on, whose rows or whose columns are side by side.
    const auto as_kernels_take_it = [](const Tensor& x) {
        const View& view = x.source().view;
        const bool lies_well = x.graph().nodes()[x.source().node].is_in_memory() && view.offset == 0 &&
                               (view.strides[0] == 1 || view.strides[1] == 1) && view.strides[0] != 0 &&
                               view.strides[1] != 0;
        return lies_well ? x : combine(Op::copy, std::array{x});
    };
    return a.graph().add({.op = Op::matmul,
                          .sources = {as_kernels_take_it(a).source(), as_kernels_take_it(b).source()},
                          .shape = {a.shape()[0], b.shape()[1]}});
}

Tensor softmax(const Tensor& x) {
    require_f32("softmax", x);
    if (x.shape().empty())
        throw Refusal("softmax of a single number does not go: give a tensor with rows, such as 1 x 8.");
    return x.graph().add({.op = Op::softmax, .sources = {in_rows(x).source()}, .shape = x.shape()});
}

Tensor quantise(const Tensor& x, Scheme scheme) {
    require_f32("quantise", x);
    const Shape& shape = x.shape();
    if (shape.size() != 2)
        throw Refusal(
            fmt::format("quantise of {} does not go: it takes rows and columns. Reshape it to two extents.",
                        text_of(shape)));
    if (shape[0] > most_rows_of_bytes)
        throw Refusal(fmt::format("quantise of {} does not go: it takes {} rows at most. Slice it.",
                                  text_of(shape), format_count(most_rows_of_bytes)));
    Graph& graph = x.graph();
    const Tensor numbers = in_rows(x);
    const Tensor ranges =
        graph.add({.op = Op::ranges, .sources = {numbers.source()}, .shape = {shape[0], 2}});
    const Shape one_each{scheme == Scheme::by_row ? shape[0] : 1, 1};
    const Tensor steps =
        graph.add({.op = Op::steps, .sources = {ranges.source()}, .shape = one_each, .scheme = scheme});
    const Tensor zero_points = graph.add({.op = Op::zero_points,
                                          .sources = {ranges.source()},
                                          .shape = one_each,
                                          .type = ElementType::i32,
                                          .scheme = scheme,
                                          .is_with_previous = true});
    return graph.add({.op = Op::quantise,
                      .sources = {numbers.source(), steps.broadcast_to(shape).source(),
                                  zero_points.broadcast_to(shape).source()},
                      .shape = shape,
                      .type = ElementType::i8,
                      .scheme = scheme});
}

Tensor dequantise(const Tensor& q) {
    if (q.type() != ElementType::i8)
        throw Refusal(fmt::format("dequantise takes bytes, which quantise makes; these are {}.",
                                  gridstride::name(q.type())));
    if (!is_whole(q))
        throw Refusal("dequantise takes bytes as they lie; these are transposed. Transpose what it makes.");
    const Node& made = q.graph().nodes()[q.source().node];
    return q.graph().add({.op = Op::dequantise,
                          .sources = {q.source(), made.sources[1], made.sources[2]},
                          .shape = q.shape(),
                          .scheme = made.scheme});
}

}  // namespace gridstride::tensor
