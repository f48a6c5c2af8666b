#include "graph/graph.h"

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

namespace gridstride::tensor {

namespace {

void require_type(ElementType type) {
    if (computing_type(type) != ElementType::f32 && !is_integer(type))
        throw Refusal(fmt::format("Tensors of {} are not supported here. Use f32, f16, i32 or u32.",
                                  gridstride::name(type)));
}

}  // namespace

void refuse_bytes(std::string_view what, const Tensor& x) {
    if (x.type() == ElementType::i8)
        throw Refusal(fmt::format(
            "{} does not work on bytes, which can only be multiplied or dequantised. dequantise them first.",
            what));
}

bool is_whole(const Tensor& x) {
    const View& view = x.source().view;
    if (x.type() == ElementType::i8) return view == View::whole(x.graph().nodes()[x.source().node].shape);
    return view.is_whole() && element_count(view.shape) == x.graph().nodes()[x.source().node].elements();
}

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
    return apply_elementwise(Op::copy, std::array{*this}).reshaped(shape);
}

Tensor Tensor::named(std::string name) const {
    graph_->require_name(name);
    Node& node = graph_->nodes_[node_];
    if (node.has_own_name) graph_->identifiers_.erase(to_identifier(node.name));
    graph_->identifiers_.insert(to_identifier(name));
    node.name = std::move(name);
    node.has_own_name = true;
    return *this;
}
Tensor Tensor::on(Processor place) const {
    std::vector<Node>& nodes = graph_->nodes_;
    const Node& node = nodes[node_];
    if (node.op == Op::kernel && place == Processor::host)
        throw Refusal(
            fmt::format("{} is computed by the kernel {}, and kernels run on the device. Compute it there.",
                        node.name, node.kernel->name));
    nodes[node_].place = place;
    // Scales, zero points and ranges are computed in the same place as their bytes.
    if (node.op == Op::quantise)
        for (const std::size_t with : {node.sources[1].node, node.sources[2].node})
            nodes[with].place = nodes[nodes[with].sources[0].node].place = place;
    return *this;
}

void Graph::require_name(const std::string& name) const {
    require_tensor_name(name);
    if (identifiers_.contains(to_identifier(name)))
        throw Refusal(fmt::format("There are two tensors \"{}\" in one graph. Rename one of them.", name));
}

Tensor Graph::add(Node node) {
    require_shape(node.shape, max_elements_);
    if (node.is_computed() && node.op != Op::kernel) node.place = place_;
    node.has_own_name = !node.name.empty();
    if (node.has_own_name) {
        require_name(node.name);
        identifiers_.insert(to_identifier(node.name));
    } else if (node.op != Op::number) {  // kernels contain a number as a literal, without a name
        node.name = fmt::format("t{}", ++unnamed_count_);
    }
    nodes_.push_back(std::move(node));
    return {*this, nodes_.size() - 1, View::whole(nodes_.back().shape)};
}

Tensor Graph::input(std::string name, const Shape& shape, ElementType type) {
    require_type(type);
    return add({.shape = shape, .type = type, .name = std::move(name)});
}

Tensor Graph::number(double value, ElementType type) {
    type = computing_type(type);
    const auto is_whole_between = [value](double low, double high) {
        return value == std::trunc(value) && value >= low && value <= high;
    };
    const bool fits = type == ElementType::f32   ? std::abs(value) <= std::numeric_limits<float>::max()
                      : type == ElementType::u32 ? is_whole_between(0, UINT32_MAX)
                                                 : is_whole_between(-INT32_MAX, INT32_MAX);
    if (!fits)
        throw Refusal(fmt::format("{} cannot be represented as {}. Use {}.", value, gridstride::name(type),
                                  type == ElementType::f32   ? "a finite number up to 3.4e38 in magnitude"
                                  : type == ElementType::u32 ? "a whole number from 0 to 4 294 967 295"
                                                             : "a whole number up to 2 147 483 647 in "
                                                               "magnitude"));
    return add({.op = Op::number, .type = type, .number = value});
}

Tensor Graph::random(const Shape& shape, std::uint64_t seed) {
    return add({.op = Op::random, .shape = shape, .seed = seed});
}

Tensor Graph::output(std::string name, const Tensor& tensor) {
    if (&tensor.graph() != this)
        throw Refusal("The tensor belongs to another graph. Make it an output of that graph.");
    const Node& node = nodes_[tensor.node_];
    const bool needs_copy = (node.has_own_name && node.name != name) ||
                            std::ranges::find(outputs_, tensor.node_) != outputs_.end();
    const bool is_direct_output =
        node.is_computed() && !needs_copy && tensor.view_ == View::whole(node.shape);
    if (!is_direct_output) refuse_bytes("A copy to be an output", tensor);
    Tensor leaves = is_direct_output ? tensor : apply_elementwise(Op::copy, std::array{tensor});
    if (nodes_[leaves.node_].name != name) leaves.named(std::move(name));
    outputs_.push_back(leaves.node_);
    return leaves;
}

std::vector<Tensor> Graph::run(UserKernel kernel, std::span<const Tensor> reads,
                               std::span<const KernelOutput> leaves) {
    if (leaves.empty())
        throw Refusal(
            fmt::format("The kernel {} writes nothing. Name a tensor that it writes.", kernel.name));
    std::vector<Source> sources;
    kernel.names.clear();
    for (const Tensor& read : reads) {
        if (&read.graph() != this)
            throw Refusal(fmt::format("The kernel {} reads a tensor of another graph.", kernel.name));
        refuse_bytes(fmt::format("The kernel {}", kernel.name), read);
        const Node& node = nodes_[read.source().node];
        if (!node.has_own_name || !node.is_in_memory() || !is_whole(read))
            throw Refusal(fmt::format(
                "The kernel {} reads a view, random numbers or a tensor that has no name. Kernels can only "
                "read whole, named tensors. Let it read a named copy.",
                kernel.name));
        if (std::ranges::find(kernel.names, node.name) != kernel.names.end()) continue;
        sources.push_back(read.source());
        kernel.names.push_back(node.name);
    }
    for (const KernelOutput& output : leaves) {
        require_type(output.type);
        require_shape(output.shape);
        require_name(output.name);
        kernel.names.push_back(output.name);
    }
    const auto shared = std::make_shared<const UserKernel>(std::move(kernel));
    std::vector<Tensor> all;
    for (const KernelOutput& output : leaves)
        all.push_back(add({.op = Op::kernel,
                           .sources = sources,
                           .shape = output.shape,
                           .type = output.type,
                           .name = output.name,
                           .kernel = shared,
                           .shares_previous_launch = !all.empty()}));
    return all;
}

void Graph::expect(const Tensor& result, const Tensor& definition, double within, ToleranceUnit how) {
    const std::size_t n = result.source().node;
    const Node& node = nodes_[n];
    if (&result.graph() != this || &definition.graph() != this)
        throw Refusal("A tensor and its definition must belong to the graph that expects it.");
    if (!is_whole(result))
        throw Refusal(
            fmt::format("Only whole tensors can have an expectation, but this is a part or a view of {}. "
                        "Expect it of a copy.",
                        node.name));
    if (result.shape() != definition.shape() || result.type() != definition.type())
        throw Refusal(fmt::format("{} is {} of {}, but its definition is {} of {}. They must be equal.",
                                  node.name, text_of(result.shape()), gridstride::name(result.type()),
                                  text_of(definition.shape()), gridstride::name(definition.type())));
    if (!(within >= 0) || std::isinf(within))
        throw Refusal(
            fmt::format("{} cannot be compared within {}. Use a finite number from 0.", node.name, within));
    if (is_integer(node.type) && within > 0)
        throw Refusal(fmt::format("{} has whole numbers, which are compared exactly. Use 0 instead of {}.",
                                  node.name, within));
    expectations_.emplace(n, Expectation{definition.source(), within, how});
}

std::vector<Source> Graph::definition_of(std::size_t node) const {
    if (nodes_[node].op != Op::kernel) return nodes_[node].sources;
    const auto expected = expectations_.lower_bound(node);  // the first one
    const bool is_defined = expected != expectations_.end() && expected->first == node;
    return is_defined ? std::vector{expected->second.definition} : std::vector<Source>();
}

}  // namespace gridstride::tensor
