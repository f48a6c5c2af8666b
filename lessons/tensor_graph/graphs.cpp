// The graphs, as a person writes them.
#include <fmt/format.h>

#include <algorithm>

#include "tensor_graph/tensor_graph.h"

namespace gridstride::lessons::tensor_graph {

using tensor::Shape;
using tensor::Tensor;

namespace {

/// w: one number for each row.
void write_expression(tensor::Graph& graph, const Shape& shape) {
    const Tensor a = graph.input("a", shape), b = graph.input("b", shape), c = graph.input("c", shape),
                 w = graph.input("w", {shape[0], 1});
    const Tensor y = tanh(((a + b) * 5 - c) / 2) * w;
    graph.output("s", sum(y.named("y"), 1));
}

/// log(exp(x) + 1), again and again: k times makes log(exp(x) + k), so that no number forgets what it was and
/// none grows without end.
void write_chain(tensor::Graph& graph, const Shape& shape, std::uint64_t operations) {
    Tensor x = graph.input("a", shape);
    for (std::uint64_t i = 0; i < operations; ++i)
        x = i % 3 == 0 ? exp(x) : i % 3 == 1 ? x + 1 : log(x);
    graph.output("y", x);
}

Tensor seen(const Tensor& a, Seen how) {
    const std::uint64_t rows = a.shape()[0], columns = a.shape()[1];
    switch (how) {
        case Seen::transposed:
            return a.transposed();
        case Seen::slice:
            return a.slice(1, columns / 2, columns - columns / 2);
        case Seen::reshaped:
            return a.reshaped({columns, rows});
        case Seen::line:
            return a.transposed().reshaped({rows * columns});
        default:
            return a;
    }
}

/// Shares of each row: e is read by its sum and by the division.
void write_diamond(tensor::Graph& graph, const Shape& shape) {
    const Tensor e = exp(graph.input("a", shape)).named("e");
    const Tensor total = sum(e, 1).named("total");
    graph.output("y", e / total.reshaped({shape[0], 1}));
}

void write_order(tensor::Graph& graph, const Shape& shape, const std::vector<Move>& order) {
    Tensor x = graph.input("a", shape);
    for (const Move move : order)
        x = move == Move::tanh        ? tanh(x)
            : move == Move::transpose ? x.transposed()
            : move == Move::scale     ? x * 5
                                      : sum(x, 1);
    graph.output("y", x);
}

std::vector<Move> moves_of(const Sequence& order) {
    std::vector<Move> moves;
    for (const std::uint32_t move : order.of)
        moves.push_back(static_cast<Move>(move));
    return moves;
}

std::unique_ptr<tensor::Graph> written(const Values& values, const std::vector<Move>& order) {
    auto graph = std::make_unique<tensor::Graph>();
    const Shape shape = {values[key::rows], values[key::columns]};
    switch (values[key::graph]) {
        case Written::expression:
            write_expression(*graph, shape);
            break;
        case Written::chain:
            write_chain(*graph, shape, values[key::operations]);
            break;
        case Written::views:
            graph->output("y", seen(graph->input("a", shape), values[key::view]) * 2);
            break;
        case Written::diamond:
            write_diamond(*graph, shape);
            break;
        case Written::order:
            write_order(*graph, shape, order);
    }
    return graph;
}

std::ptrdiff_t place_of(const std::vector<Move>& moves, Move move) {
    return std::ranges::find(moves, move) - moves.begin();
}

}  // namespace

std::string problem_of(const Sequence& order) {
    const std::vector<Move> moves = moves_of(order);
    if (!std::ranges::is_permutation(moves, definition))
        return fmt::format(
            "This order has {} operations, and each of tanh, transpose, scale and sum must be "
            "there once. Put in what is missing and take out what is there twice.",
            moves.size());
    if (place_of(moves, Move::sum) < place_of(moves, Move::transpose))
        return "The sum leaves one number for each row, and what has one axis cannot be transposed. Put "
               "transpose before sum.";
    return {};
}

/// A factor can be taken out of a sum, but not out of tanh, and tanh of a sum is no sum of tanh.
bool is_right(const Sequence& order) {
    const std::vector<Move> moves = moves_of(order);
    return problem_of(order).empty() && place_of(moves, Move::tanh) < place_of(moves, Move::scale) &&
           place_of(moves, Move::tanh) < place_of(moves, Move::sum);
}

std::unique_ptr<tensor::Graph> graph_of(const Values& values) {
    const Sequence& order = values[key::order];
    return written(values, problem_of(order).empty() ? moves_of(order) : definition);
}

std::unique_ptr<tensor::Graph> definition_of(const Values& values) {
    return written(values, definition);
}

}  // namespace gridstride::lessons::tensor_graph
