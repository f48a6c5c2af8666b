#include "tensor_lesson/cpu_baseline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
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

/// The nodes of a baseline, sources first. If it sums rows, `elements` are computed for each element of the
/// arrays, and `results`, which use `sum`, for each row.
struct BaselineNodes {
    std::vector<std::size_t> elements, results;
    std::optional<std::size_t> sum, summed;  ///< summed: the node whose elements it adds
    std::uint64_t count = 0;                 ///< elements of each array
    std::uint64_t row_length = 1;            ///< elements of a row; the last row may be shorter
};

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

bool is_leaf(const Node& node) {
    return node.op == Op::input || node.op == Op::number;
}

/// Divides the nodes at the sum, if there is one. Throws Refusal unless it sums the rows of a matrix whose
/// elements, apart from zeros behind the end, are those of the arrays.
BaselineNodes divide_nodes(const Tensor& result) {
    const std::vector<Node>& nodes = result.graph().nodes();
    BaselineNodes divided{.count = tensor::element_count(result.shape())};
    for (const std::size_t i : nodes_of(result)) {
        const Node& node = nodes[i];
        if (node.op == Op::sum) {
            const tensor::View& view = node.sources.front().view;
            if (divided.sum || view.shape.size() != 2 || !view.is_whole())
                throw Refusal(
                    "A baseline has at most one sum, over the rows of a matrix. Write sum(reshape(x, rows x "
                    "columns), 1), or leave out the baseline.");
            divided.sum = i;
            divided.row_length = view.shape[1];
            const Node& rows = nodes[node.sources.front().node];
            const bool ends_with_zeros = rows.op == Op::pad && rows.padding.before == 0;
            divided.summed = ends_with_zeros ? rows.sources.front().node : node.sources.front().node;
            divided.count = nodes[*divided.summed].elements();
        } else if (is_leaf(node)) {
            divided.elements.push_back(i);
            divided.results.push_back(i);
        } else if (node.op != Op::pad) {
            (divided.sum ? divided.results : divided.elements).push_back(i);
        }
    }
    return divided;
}

/// Computes blocks of nodes. Input arrays are read in place.
class BlockComputer {
 public:
    BlockComputer(const std::vector<Node>& nodes, const std::vector<std::size_t>& order, const Input& input)
        : nodes_(nodes),
          order_(order),
          blocks_(nodes.size()),
          arrays_(nodes.size()),
          elements_(nodes.size()) {
        for (const std::size_t i : order) {
            const ArrayRef array = nodes[i].op == Op::input ? find_ref(input, nodes[i].name) : nullptr;
            const bool is_one = array && array->count() == 1;
            blocks_[i].assign(block_elements,
                              is_one ? array->as<float>()[0] : static_cast<float>(nodes[i].number));
            if (array && !is_one) arrays_[i] = array->as<float>().data();
        }
    }

    /// Uses these numbers as the elements of a node.
    void set_elements(std::size_t node, const float* elements) { elements_[node] = elements; }

    /// Computes `length` elements, at most block_elements, from `begin` on, and returns those of a node.
    const float* compute(std::size_t begin, std::size_t length, std::size_t result) {
        for (const std::size_t i : order_) {
            if (is_leaf(nodes_[i])) {
                elements_[i] = arrays_[i] ? arrays_[i] + begin : blocks_[i].data();
                continue;
            }
            operands_.clear();
            for (const Source& source : nodes_[i].sources)
                operands_.push_back(elements_[source.node]);
            compute_block(nodes_[i].op, operands_, blocks_[i].data(), length);
            elements_[i] = blocks_[i].data();
        }
        return elements_[result];
    }

 private:
    const std::vector<Node>& nodes_;
    const std::vector<std::size_t>& order_;
    std::vector<std::vector<float>> blocks_;
    std::vector<const float*> arrays_;    ///< of inputs with more than one element
    std::vector<const float*> elements_;  ///< of the block that is computed
    std::vector<const float*> operands_;
};

}  // namespace

void require_baseline(const Tensor& result) {
    const std::vector<Node>& nodes = result.graph().nodes();
    if (nodes[result.source().node].sources.empty() || !result.source().view.is_whole())
        throw Refusal("A baseline computes a whole array. Give an expression such as \"sqrt(x)\".");
    const BaselineNodes divided = divide_nodes(result);
    float number = 0;
    const float* const operands[] = {&number, &number, &number};
    const auto require = [&](std::size_t i, std::uint64_t count) {
        const Node& node = nodes[i];
        if (node.type != ElementType::f32)
            throw Refusal("A baseline computes f32, but {} is {}. Leave out the baseline.",
                          node.name.empty() ? tensor::name(node.op) : node.name, gridstride::name(node.type));
        if (!is_leaf(node) && !compute_block(node.op, operands, &number, 0))
            throw Refusal(
                "A baseline has elementwise operations and a sum of rows, and {} is not one that it knows. "
                "Leave out the baseline.",
                tensor::name(node.op));
        if (node.elements() != count && node.elements() != 1)
            throw Refusal(
                "A baseline computes arrays of one size: {} has {} elements, but the result has {}.",
                node.name.empty() ? tensor::name(node.op) : node.name, node.elements(), count);
        for (const Source& source : node.sources)
            if (!source.view.is_whole() && nodes[source.node].elements() != 1)
                throw Refusal("A baseline computes whole arrays, but {} of it is a part or transposed.",
                              nodes[source.node].name);
    };
    for (const std::size_t i : divided.elements)
        require(i, divided.count);
    for (const std::size_t i : divided.results)
        if (!is_leaf(nodes[i])) require(i, tensor::element_count(result.shape()));
}

double run_baseline(const Tensor& result, const Input& input, SumRanges sum_ranges) {
    const std::vector<Node>& nodes = result.graph().nodes();
    const BaselineNodes divided = divide_nodes(result);
    const std::size_t count = tensor::element_count(result.shape()), last = result.source().node;
    const std::span<float> results = scratch_array(ElementType::f32, count).as<float>();
    const std::size_t range = std::max<std::size_t>((std::size_t{1} << 14) / divided.row_length, 1);
    return sum_ranges(count, range, [&](std::size_t begin, std::size_t end) {
        BlockComputer elements(nodes, divided.elements, input), rows(nodes, divided.results, input);
        std::array<float, block_elements> sums{};
        for (std::size_t first = begin; first < end; first += block_elements) {
            const std::size_t length = std::min(block_elements, end - first);
            if (!divided.sum) {
                std::copy_n(elements.compute(first, length, last), length, &results[first]);
                continue;
            }
            for (std::size_t row = 0; row < length; ++row) {
                const std::size_t row_end = std::min((first + row + 1) * divided.row_length, divided.count);
                sums[row] = 0;
                for (std::size_t at = (first + row) * divided.row_length; at < row_end;
                     at += block_elements) {
                    const std::size_t block = std::min(block_elements, row_end - at);
                    sums[row] +=
                        fast_sum<float>(std::span(elements.compute(at, block, *divided.summed), block));
                }
            }
            rows.set_elements(*divided.sum, sums.data());
            std::copy_n(rows.compute(first, length, last), length, &results[first]);
        }
        return double{results[begin]} + results[end - 1];
    });
}

}  // namespace gridstride::tensor_lesson
