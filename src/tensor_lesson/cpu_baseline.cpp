#include "tensor_lesson/cpu_baseline.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.h"
#include "lesson/building_blocks.h"

namespace gridstride::tensor_lesson {

using tensor::Node;
using tensor::Op;
using tensor::Source;
using tensor::Tensor;

namespace {

/// Elements computed at once: the blocks of a few nodes fit the first cache.
constexpr std::size_t block_elements = 1024;

void apply(float* __restrict out, const float* a, std::size_t count, auto of) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = of(a[i]);
}
void apply(float* __restrict out, const float* a, const float* b, std::size_t count, auto of) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = of(a[i], b[i]);
}

/// Computes a block of an elementwise node. Returns false for an operation that it does not know.
bool compute_block(Op op, std::span<const float* const> x, float* out, std::size_t count) {
    const float *const a = x[0], *const b = x[x.size() > 1 ? 1 : 0];
    switch (op) {
        case Op::copy:
            std::copy_n(a, count, out);
            return true;
        case Op::add:
            apply(out, a, b, count, [](float l, float r) { return l + r; });
            return true;
        case Op::sub:
            apply(out, a, b, count, [](float l, float r) { return l - r; });
            return true;
        case Op::mul:
            apply(out, a, b, count, [](float l, float r) { return l * r; });
            return true;
        case Op::div:
            apply(out, a, b, count, [](float l, float r) { return l / r; });
            return true;
        case Op::maximum:
            apply(out, a, b, count, [](float l, float r) { return std::max(l, r); });
            return true;
        case Op::minimum:
            apply(out, a, b, count, [](float l, float r) { return std::min(l, r); });
            return true;
        case Op::hypot:
            // Without the range of std::hypot, as a kernel would be written.
            apply(out, a, b, count, [](float l, float r) { return std::sqrt(l * l + r * r); });
            return true;
        case Op::greater:
            apply(out, a, b, count, [](float l, float r) { return l > r ? 1.0F : 0.0F; });
            return true;
        case Op::where:
            for (std::size_t i = 0; i < count; ++i)
                out[i] = a[i] != 0 ? b[i] : x[2][i];
            return true;
        case Op::neg:
            apply(out, a, count, [](float one) { return -one; });
            return true;
        case Op::floor:
            apply(out, a, count, [](float one) { return std::floor(one); });
            return true;
        case Op::sqrt:
            apply(out, a, count, [](float one) { return std::sqrt(one); });
            return true;
        case Op::exp:
            apply(out, a, count, [](float one) { return std::exp(one); });
            return true;
        case Op::log:
            apply(out, a, count, [](float one) { return std::log(one); });
            return true;
        case Op::tanh:
            apply(out, a, count, [](float one) { return std::tanh(one); });
            return true;
        default:
            return false;
    }
}

/// Returns the nodes that the tensor is computed from, sources first.
std::vector<std::size_t> nodes_of(const Tensor& result) {
    const std::vector<Node>& nodes = result.graph().nodes();
    std::vector<bool> is_needed(nodes.size());
    is_needed[result.source().node] = true;
    std::vector<std::size_t> needed;
    for (std::size_t i = nodes.size(); i-- > 0;)
        if (is_needed[i]) {
            needed.push_back(i);
            for (const Source& source : nodes[i].sources)
                is_needed[source.node] = true;
        }
    std::ranges::reverse(needed);
    return needed;
}

}  // namespace

void require_baseline(const Tensor& result) {
    const std::vector<Node>& nodes = result.graph().nodes();
    const std::uint64_t count = tensor::element_count(result.shape());
    if (nodes[result.source().node].sources.empty() || !result.source().view.is_whole())
        throw Refusal("A baseline computes a whole array. Give an expression such as \"sqrt(x)\".");
    float number = 0;
    const float* const operands[] = {&number, &number, &number};
    for (const std::size_t i : nodes_of(result)) {
        const Node& node = nodes[i];
        if (node.type != ElementType::f32)
            throw Refusal("A baseline computes f32, but {} is {}. Leave out the baseline.",
                          node.name.empty() ? tensor::name(node.op) : node.name, gridstride::name(node.type));
        const bool is_leaf = node.op == Op::input || node.op == Op::number;
        if (!is_leaf && !compute_block(node.op, operands, &number, 0))
            throw Refusal(
                "A baseline has elementwise operations, and {} is not one that it knows. Leave out the "
                "baseline.",
                tensor::name(node.op));
        if (node.elements() != count && node.elements() != 1)
            throw Refusal(
                "A baseline computes arrays of one size: {} has {} elements, but the result has {}.",
                node.name.empty() ? tensor::name(node.op) : node.name, node.elements(), count);
        for (const Source& source : node.sources)
            if (!source.view.is_whole() && nodes[source.node].elements() != 1)
                throw Refusal("A baseline computes whole arrays, but {} of it is a part or transposed.",
                              nodes[source.node].name);
    }
}

double run_baseline(const Tensor& result, const Input& input, SumRanges sum_ranges) {
    const std::vector<Node>& nodes = result.graph().nodes();
    const std::vector<std::size_t> needed = nodes_of(result);
    const std::size_t count = tensor::element_count(result.shape()), last = result.source().node;
    const std::span<float> results = scratch_array(ElementType::f32, count).as<float>();
    constexpr std::size_t range = std::size_t{1} << 14;
    return sum_ranges(count, range, [&](std::size_t begin, std::size_t end) {
        // The elements of each node: a block of its own, or those of an input or of the results in place.
        std::vector<std::vector<float>> blocks(nodes.size());
        std::vector<const float*> elements(nodes.size());
        std::vector<const float*> operands;
        for (const std::size_t i : needed) {
            const Node& node = nodes[i];
            const ArrayRef array = node.op == Op::input ? find_ref(input, node.name) : nullptr;
            const bool is_one = array && array->count() == 1;
            blocks[i].assign(block_elements,
                             is_one ? array->as<float>()[0] : static_cast<float>(node.number));
            elements[i] = array && !is_one ? array->as<float>().data() + begin : blocks[i].data();
        }
        for (std::size_t first = begin; first < end; first += block_elements) {
            const std::size_t length = std::min(block_elements, end - first);
            for (const std::size_t i : needed) {
                const Node& node = nodes[i];
                if (node.op == Op::input || node.op == Op::number) continue;
                operands.clear();
                for (const Source& source : node.sources)
                    operands.push_back(elements[source.node]);
                compute_block(node.op, operands, i == last ? &results[first] : blocks[i].data(), length);
            }
            for (const std::size_t i : needed)
                if (nodes[i].op == Op::input && nodes[i].elements() > 1) elements[i] += length;
        }
        return double{results[begin]} + results[end - 1];
    });
}

}  // namespace gridstride::tensor_lesson
