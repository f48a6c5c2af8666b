#include "tensor/cpu_baseline.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/error.h"
#include "lesson/building_blocks.h"

namespace gridstride::tensor {

namespace {

/// Elements computed at once: the blocks of a few nodes fit the first cache.
constexpr std::size_t block_elements = 1024;

using Block = std::vector<float>;

void apply(Block& out, const Block& a, std::size_t count, auto of) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = of(a[i]);
}
void apply(Block& out, const Block& a, const Block& b, std::size_t count, auto of) {
    for (std::size_t i = 0; i < count; ++i)
        out[i] = of(a[i], b[i]);
}

/// Computes a block of an elementwise node. Returns false for an operation that it does not know.
bool compute_block(Op op, std::span<const Block* const> x, Block& out, std::size_t count) {
    const Block &a = *x[0], &b = *x[x.size() > 1 ? 1 : 0];
    switch (op) {
        case Op::copy:
            std::copy_n(a.begin(), count, out.begin());
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
                out[i] = a[i] != 0 ? b[i] : (*x[2])[i];
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
std::vector<std::size_t> nodes_of(const Tensor& tensor) {
    const std::vector<Node>& nodes = tensor.graph().nodes();
    std::vector<bool> is_needed(nodes.size());
    is_needed[tensor.source().node] = true;
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

void require_baseline(const Tensor& tensor) {
    const std::vector<Node>& nodes = tensor.graph().nodes();
    const std::uint64_t count = element_count(tensor.shape());
    std::vector<Block> blocks(3, Block(1));
    const Block* const three[] = {&blocks[0], &blocks[1], &blocks[2]};
    for (const std::size_t i : nodes_of(tensor)) {
        const Node& node = nodes[i];
        if (node.type != ElementType::f32)
            throw Refusal("A baseline computes f32, but {} is {}. Leave out the baseline.",
                          node.name.empty() ? name(node.op) : node.name, gridstride::name(node.type));
        const bool is_leaf = node.op == Op::input || node.op == Op::number;
        if (!is_leaf && !compute_block(node.op, three, blocks[0], 0))
            throw Refusal(
                "A baseline has elementwise operations, and {} is not one that it knows. Leave out the "
                "baseline.",
                name(node.op));
        if (node.elements() != count && node.elements() != 1)
            throw Refusal(
                "A baseline computes arrays of one size: {} has {} elements, but the result has {}.",
                node.name.empty() ? name(node.op) : node.name, node.elements(), count);
        for (const Source& source : node.sources)
            if (!source.view.is_whole() && nodes[source.node].elements() != 1)
                throw Refusal("A baseline computes whole arrays, but {} of it is a part or transposed.",
                              nodes[source.node].name);
    }
}

double run_baseline(const Tensor& tensor, const Input& input, SumRanges sum_ranges) {
    const std::vector<Node>& nodes = tensor.graph().nodes();
    const std::vector<std::size_t> needed = nodes_of(tensor);
    const std::size_t count = element_count(tensor.shape()), last = tensor.source().node;
    const std::span<float> results = scratch_array(ElementType::f32, count).as<float>();
    constexpr std::size_t range = std::size_t{1} << 14;
    return sum_ranges(count, range, [&](std::size_t begin, std::size_t end) {
        std::vector<Block> blocks(nodes.size());
        for (const std::size_t i : needed)
            blocks[i].assign(block_elements, static_cast<float>(nodes[i].number));
        for (std::size_t first = begin; first < end; first += block_elements) {
            const std::size_t length = std::min(block_elements, end - first);
            for (const std::size_t i : needed) {
                const Node& node = nodes[i];
                if (node.op == Op::number) continue;
                if (node.op == Op::input) {
                    const auto numbers = find(input, node.name)->as<float>();
                    if (numbers.size() == 1)
                        std::fill_n(blocks[i].begin(), length, numbers[0]);
                    else
                        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(first), length,
                                    blocks[i].begin());
                    continue;
                }
                std::vector<const Block*> sources;
                for (const Source& source : node.sources)
                    sources.push_back(&blocks[source.node]);
                compute_block(node.op, sources, blocks[i], length);
            }
            std::copy_n(blocks[last].begin(), length, results.begin() + static_cast<std::ptrdiff_t>(first));
        }
        return double{results[begin]} + results[end - 1];
    });
}

}  // namespace gridstride::tensor
