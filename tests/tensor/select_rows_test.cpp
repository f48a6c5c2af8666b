// Tests the selection of rows before they are computed.

#include "graph/select_rows.h"
#include "graph/expected.h"
#include "tensor/random_graph.h"
#include "test_includes.h"

namespace gridstride::tensor::select_rows_test {

/// Returns all elements of the node as a tensor.
Tensor whole(Graph& graph, std::size_t n) {
    const Node node = graph.nodes()[n];
    return graph.add(
        {.op = Op::copy, .sources = {{n, View::whole(node.shape)}}, .shape = node.shape, .type = node.type});
}

std::vector<double> numbers(const Array& array) {
    std::vector<double> all(array.count());
    array.numbers(0, all);
    return all;
}

/// Returns the sampled rows of all elements of a tensor of this shape.
std::vector<double> rows_of(const std::vector<double>& all, const Shape& shape, std::size_t axis,
                            const RowSample& rows) {
    View view = View::whole(shape);
    view.offset = rows.first * view.strides[axis];
    view.strides[axis] *= rows.step;
    view.shape[axis] = rows.count;
    std::vector<double> selected;
    for (std::uint64_t i = 0; i < element_count(view.shape); ++i)
        selected.push_back(all[view.at(i)]);
    return selected;
}

TEST(SelectRows, MatchesRowsOfTheFullResult) {
    for (int seed = 0; seed < sample_of(3000, 300); ++seed) {
        RandomGraph random(seed, 12);
        const std::vector<std::size_t> outputs = random.graph.outputs();
        for (const std::size_t output : outputs) {
            const Tensor x = whole(random.graph, output);
            const std::vector<double> all = numbers(evaluate(x, random.input));
            for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
                const std::uint64_t extent = x.shape()[axis], first = seed % extent, step = 1 + seed % 3;
                const RowSample rows{first, step, (extent - first + step - 1) / step};
                EXPECT_THAT(numbers(evaluate(select_rows(x, axis, rows), random.input)),
                            testing::ElementsAreArray(rows_of(all, x.shape(), axis, rows)))
                    << "seed " << seed << ", " << text_of(x.shape()) << ", axis " << axis;
            }
        }
    }
}

/// Attention as lessons define it, with its mask, at a size whose scores would fill 2^33 elements.
TEST(SelectRows, ComputesOnlyWhatSelectedAttentionRowsNeed) {
    constexpr std::uint64_t heads = 32, n = 16384, d = 64;
    Graph graph(std::uint64_t{1} << 50);
    const Tensor q = graph.input("q", {heads, n, d}), k = graph.input("k", {heads, n, d}),
                 v = graph.input("v", {heads, n, d}), index = graph.input("index", {n});
    const Tensor is_later = greater(index, index.reshaped({n, 1}));
    const Tensor scores = matmul(q, k.transposed(1, 2)) / 8;
    const Tensor attended = matmul(softmax(where(is_later, graph.number(-1e30), scores)), v);
    const Tensor some = select_rows(attended, 1, {5, 2001, 8});
    EXPECT_EQ(some.shape(), (Shape{heads, 8, d}));
    const double share =
        static_cast<double>(evaluation_cost(some)) / static_cast<double>(evaluation_cost(attended));
    EXPECT_LT(share, 2.0 * 8 / n);
    EXPECT_THROW(evaluate(graph.random({heads, n, n}, 1), {}), Refusal)
        << "a tensor as large as the scores is refused";
}

/// A padded result has rows that are only padding, and rows from the middle of its source.
TEST(SelectRows, SelectsPaddedRows) {
    Graph graph;
    const Tensor x = graph.input("x", {64, 2});
    const Tensor padded =
        pad(sum(pad(exp(x).reshaped({64, 2, 1}).broadcast_to({64, 2, 512}), 0, 3, 10), 2), 0, 2, 1);
    const Tensor some = select_rows(padded, 0, {1, 7, 11});
    EXPECT_LT(evaluation_cost(some), evaluation_cost(padded) / 3);
    std::vector<float> input(128);
    std::iota(input.begin(), input.end(), 1.0F);
    for (float& number : input)
        number /= 64;
    const Input arrays = {{"x", array_of(input)}};
    EXPECT_THAT(
        numbers(evaluate(some, arrays)),
        testing::ElementsAreArray(rows_of(numbers(evaluate(padded, arrays)), padded.shape(), 0, {1, 7, 11})));
}

}  // namespace gridstride::tensor::select_rows_test
